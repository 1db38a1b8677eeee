"""Hashes of vertex and edge labels, and of vertex labels after rounds of relabelling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hashing import UNLABELLED, mix, mix_other, relabelled
from ..arrays.offsets import frozen
from ..system.threads import run_blocks
from .batch import Graphs
from .labels import Labels


def vertex_hashes(graphs: Graphs) -> NDArray[np.uint64]:
    """Return the hash of each vertex label; without labels, all are equal."""
    return _hashes(graphs.node_labels, int(graphs.node_ptr[-1]))


def edge_hashes(graphs: Graphs) -> NDArray[np.uint64]:
    """Return the hash of each edge label; without labels, all are equal."""
    return _hashes(graphs.edge_labels, len(graphs.edges))


def _hashes(labels: Labels | None, n: int) -> NDArray[np.uint64]:
    return frozen(np.full(n, UNLABELLED, np.uint64)) if labels is None else labels.hashes


def wl_labels(graphs: Graphs, depth: int, n_jobs: int | None) -> NDArray[np.uint64]:
    """Return the Weisfeiler-Lehman labels of all vertices of a batch at depths 0 to `depth`.

    Two vertices of any two graphs have equal labels if and only if they look alike up to that
    depth (apart from collisions of 64-bit hashes).

    Returns
    -------
    ndarray of uint64, shape (depth + 1, n_vertices)

    Examples
    --------
    The two ends of a path are alike, the vertex between them is not:

    >>> from grafik import Graphs
    >>> from grafik.graphs.label_hashes import wl_labels
    >>> labels = wl_labels(Graphs.from_edge_lists([[(0, 1), (1, 2)]]), 1, None)
    >>> [len(set(row)) for row in labels.tolist()]
    [1, 2]
    """
    indptr, neighbors, _ = graphs.adjacency
    labels = np.empty((depth + 1, int(graphs.node_ptr[-1])), np.uint64)
    hashes = vertex_hashes(graphs)

    def relabel(start: int, stop: int) -> None:
        _relabel(start, stop, graphs.node_ptr, indptr, neighbors, hashes, labels)

    run_blocks(relabel, graphs.node_ptr + graphs.edge_ptr, n_jobs, ns_per_unit=100.0)
    return labels


@njit(cache=True, nogil=True)
def _relabel(start, stop, node_ptr, indptr, neighbors, hashes, labels):
    """Fill in the labels of graphs start..stop."""
    for graph in range(start, stop):
        first, end = node_ptr[graph], node_ptr[graph + 1]
        for v in range(first, end):
            labels[0, v] = mix(hashes[v])
        for depth in range(1, len(labels)):
            for v in range(first, end):
                around = np.uint64(0)
                for at in range(indptr[v], indptr[v + 1]):
                    around += mix_other(labels[depth - 1, first + neighbors[at]])
                labels[depth, v] = relabelled(labels[depth - 1, v], around, depth)
