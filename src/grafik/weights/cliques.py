"""Weights by the cliques that an edge lies in."""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_integer
from ..arrays.offsets import offsets, part_of
from ..graphs.adjacency import Adjacency
from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from ..system.threads import new_flag, run_blocks
from .edges import ends_of
from .long_work import refuse_long_work
from .neighbourhoods import triangles

_BLOCK = 1_000_000_000  # nanoseconds, so that an interrupt does not wait for long


class Cliques(BaseEstimator):
    r"""Number of cliques of `size` vertices that contain the edge.

    .. math:: w(\{u, v\}) = |\{C \subseteq V : u, v \in C, |C| = k, C \text{ is a clique}\}|

    where `k` is the size. Cliques of three vertices are triangles. The counts are exact. Directed
    graphs are refused, and so are graphs whose cliques would take much longer than a minute.

    Parameters
    ----------
    size : int
        Number of vertices of the cliques, at least 3.

    Examples
    --------
    A clique of four vertices, and a triangle on one of its edges:

    >>> from grafik import Graphs, weights
    >>> edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]
    >>> graphs = Graphs.from_edge_lists([edges])
    >>> weights.Cliques(size=4)(graphs).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0]
    >>> weights.Cliques(size=3)(graphs).tolist()
    [2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 1.0, 1.0]
    """

    def __init__(self, size: int = 4) -> None:
        self.size = size

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the weights of all edges."""
        size = checked_integer("size", self.size, 3)
        refuse_directed(graphs, "the weight 'cliques'")
        if size > graphs.n_nodes.max(initial=0):
            return np.zeros(len(graphs.edges))
        shared = triangles(graphs)
        if size == 3:
            return shared
        from .cliques_loops import count_cliques

        onward = _onward_lists(graphs)
        nanoseconds = _nanoseconds(graphs, onward, shared, size)
        edge_graph = part_of(graphs.edge_ptr)
        refuse_long_work(
            graphs,
            np.bincount(edge_graph, nanoseconds, len(graphs)) * 1e-9,
            f"the weight {self}",
            "count smaller cliques, or choose another weight, such as 'triangles'",
        )
        counts, flag = np.zeros(len(graphs.edges), np.int64), new_flag()

        def work(start: int, stop: int) -> None:
            shape = graphs.node_ptr, graphs.edges, edge_graph
            count_cliques(start, stop, shape, graphs.adjacency, onward, size, counts, flag)

        cost = offsets(nanoseconds.astype(np.int64))
        run_blocks(work, cost, None, ns_per_unit=1.0, max_units=_BLOCK, flag=flag)
        return counts.astype(np.float64)


def _onward_lists(graphs: Graphs) -> Adjacency:
    """Return the neighbour lists without neighbours of smaller degree, so that all are short.

    Of neighbours of the same degree, those with larger numbers are kept.
    """
    indptr, neighbors, edge_ids = graphs.adjacency
    base = np.repeat(graphs.node_ptr[:-1], 2 * graphs.n_edges)
    own, other = part_of(indptr), base + neighbors
    degrees = graphs.degrees
    kept = (degrees[other] > degrees[own]) | ((degrees[other] == degrees[own]) & (other > own))
    starts = np.concatenate([[0], np.cumsum(kept)])[indptr]
    return Adjacency(starts, neighbors[kept], edge_ids[kept])


def _nanoseconds(
    graphs: Graphs, onward: Adjacency, shared: NDArray[np.float64], size: int
) -> NDArray[np.float64]:
    """Return how long each edge takes, at most."""
    u, v = ends_of(graphs)
    most = np.zeros(len(graphs.node_ptr) - 1)
    np.maximum.at(most, part_of(graphs.node_ptr), np.diff(onward.indptr))
    onward_most = np.minimum(np.repeat(most, graphs.n_edges), shared)
    # All cliques but for their last two vertices are visited; those are counted, 64 at a time.
    steps, words = size - 4, shared / 64 + 1
    with np.errstate(over="ignore"):
        visited = shared * onward_most ** float(steps) / float(factorial(min(steps, 100)))
        found = np.minimum(visited * words, 1e300)
    lists = np.minimum(graphs.degrees[u], graphs.degrees[v]) + shared * onward_most
    return np.where(shared < size - 2, 0.0, found) + 1.5 * lists + 10
