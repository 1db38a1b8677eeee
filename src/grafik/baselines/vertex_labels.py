"""Weisfeiler-Lehman labels of whole graphs: vertex by vertex, or only how often each occurs."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..arrays.hashing import mix, mix_other, relabelled
from ..features import WeisfeilerLehman
from ..features.histograms import Histograms
from ..features.steps import vertex_hashes
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..system.threads import run_blocks


def vertex_labels(graphs: Graphs, depth: int, n_jobs: int | None) -> NDArray[np.uint64]:
    """Return the labels of all vertices of a batch at depths 0 to `depth`.

    Two vertices of any two graphs have equal labels if and only if they look alike up to that
    depth (but for collisions of 64-bit hashes).

    Returns
    -------
    ndarray of uint64, shape (depth + 1, n_vertices)

    Examples
    --------
    The two ends of a path are alike, the vertex between them is not:

    >>> from grafik import Graphs
    >>> from grafik.baselines.vertex_labels import vertex_labels
    >>> labels = vertex_labels(Graphs.from_edge_lists([[(0, 1), (1, 2)]]), 1, None)
    >>> [len(set(row)) for row in labels.tolist()]
    [1, 2]
    """
    indptr, neighbors, _ = graphs.adjacency
    labels = np.empty((depth + 1, int(graphs.node_ptr[-1])), np.uint64)
    hashes = vertex_hashes(graphs)

    def relabel(start: int, stop: int) -> None:
        _relabel(start, stop, graphs.node_ptr, indptr, neighbors, hashes, labels)

    run_blocks(relabel, graphs.node_ptr + graphs.edge_ptr, n_jobs, 100.0)
    return labels


def label_counts(graphs: Graphs, depth: int, edge_labels: bool, n_jobs: int | None) -> Histograms:
    """Count the labels at depths 0 to `depth` of each graph, with all of its edges there."""
    all_edges = Filtration(thresholds=(0.0,)).fit(graphs)
    return WeisfeilerLehman(depth, edge_labels).histograms(graphs, all_edges, n_jobs=n_jobs)


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
