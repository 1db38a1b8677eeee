"""Hashes of vertex and edge labels, and of vertex labels after rounds of relabelling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hashing import GOLDEN, UNLABELLED, mix, mix_other, relabelled
from ..arrays.offsets import frozen, part_of
from ..system.threads import run_blocks
from .batch import Graphs
from .labels import Labels

# Added to the hash of the label of a directed edge: where it leads away, and where it arrives.
OUT, IN = GOLDEN, GOLDEN << np.uint64(1)


def vertex_hashes(graphs: Graphs) -> NDArray[np.uint64]:
    """Return the hash of each vertex label; without labels, all are equal."""
    return _hashes(graphs.node_labels, int(graphs.node_ptr[-1]))


def edge_hashes(graphs: Graphs) -> NDArray[np.uint64]:
    """Return the hash of each edge label; without labels, all are equal."""
    return _hashes(graphs.edge_labels, len(graphs.edges))


def arc_hashes(graphs: Graphs, edge_labels: bool) -> NDArray[np.uint64] | None:
    """Return what tells apart the edges at a vertex: labels, where they count, and directions.

    Edge `e` is arc 2e as its first end sees it, and arc 2e + 1 as its second end does.

    Returns
    -------
    ndarray of uint64, shape (2 * n_edges,), or None
        None where nothing tells edges apart.
    """
    labelled = edge_labels and graphs.edge_labels is not None
    if graphs.directed:
        hashes = edge_hashes(graphs) if labelled else np.full(len(graphs.edges), UNLABELLED)
        return frozen((hashes[:, None] + np.array([OUT, IN])).ravel())
    return frozen(np.repeat(edge_hashes(graphs), 2)) if labelled else None


def arcs_along_neighbors(graphs: Graphs) -> NDArray[np.int64]:
    """Return the arc of each entry of the neighbour lists."""
    indptr, _, edge_ids = graphs.adjacency
    edge = np.repeat(graphs.edge_ptr[:-1], 2 * graphs.n_edges) + edge_ids
    vertex = part_of(indptr) - np.repeat(graphs.node_ptr[:-1], 2 * graphs.n_edges)
    arcs: NDArray[np.int64] = 2 * edge + (graphs.edges[edge, 1] == vertex)
    return arcs


def _hashes(labels: Labels | None, n: int) -> NDArray[np.uint64]:
    return frozen(np.full(n, UNLABELLED, np.uint64)) if labels is None else labels.hashes


def wl_labels(graphs: Graphs, depth: int, n_jobs: int | None) -> NDArray[np.uint64]:
    """Return the Weisfeiler-Lehman labels of all vertices of a batch at depths 0 to `depth`.

    Two vertices of any two graphs have equal labels if and only if they look alike up to that
    depth (apart from collisions of 64-bit hashes). Labels of edges do not count, directions do.

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
    hashes, between = vertex_hashes(graphs), arc_hashes(graphs, edge_labels=False)
    if between is not None:
        between = between[arcs_along_neighbors(graphs)]

    def relabel(start: int, stop: int) -> None:
        _relabel(start, stop, graphs.node_ptr, indptr, neighbors, between, hashes, labels)

    run_blocks(relabel, graphs.node_ptr + graphs.edge_ptr, n_jobs, ns_per_unit=100.0)
    return labels


@njit(cache=True, nogil=True)
def _relabel(start, stop, node_ptr, indptr, neighbors, between, hashes, labels):
    """Fill in the labels of graphs start..stop."""
    for graph in range(start, stop):
        first, end = node_ptr[graph], node_ptr[graph + 1]
        for v in range(first, end):
            labels[0, v] = mix(hashes[v])
        for depth in range(1, len(labels)):
            for v in range(first, end):
                around = np.uint64(0)
                for at in range(indptr[v], indptr[v + 1]):
                    label = labels[depth - 1, first + neighbors[at]]
                    if between is not None:
                        label ^= between[at]
                    around += mix_other(label)
                labels[depth, v] = relabelled(labels[depth - 1, v], around, depth)
