"""Weights beyond Weisfeiler-Lehman labels: hashes of graphs in which an edge is marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_integer
from ..arrays.offsets import offsets
from ..graphs.batch import Graphs
from ..system.threads import new_flag, run_blocks, uninterrupted
from .long_work import refuse_long_work

if TYPE_CHECKING:
    from .marked_loops import Marking

_BLOCK = 1_000_000_000  # nanoseconds, so that an interrupt does not wait for long
# Nanoseconds that each round takes for an entry of a neighbour list, plain or labelled, and for a
# vertex.
_PER_ENTRY, _PER_LABELLED, _PER_VERTEX = 0.5, 1.5, 6.0


class Marked(BaseEstimator):
    r"""Hash of the Weisfeiler-Lehman labels of the graph in which both ends of the edge are marked.

    .. math:: w(\{u, v\}) = h\left([\ell_r(x) : x \in V]\right)

    where :math:`\ell_r` are the labels after `r` rounds that start with the labels of the vertices
    and a mark at `u` and `v`; in directed graphs, the tail and the head have different marks. Two
    edges of any two graphs have equal keys if and only if these labels are the same ones, equally
    often (apart from collisions of 64-bit hashes). Labels of vertices and edges count, also where
    the features of a kernel leave them out, and so do directions.

    With ``thresholds="distinct"`` this tells apart many graphs that Weisfeiler-Lehman labels alone
    cannot, in polynomial time: strongly regular graphs, for example. The order of the keys means
    nothing, and in most graphs nearly every edge has a key of its own.

    Each round takes time in proportion to the number of edges, for every edge, and with `extra`
    for every vertex, or pair of vertices, besides. What would take much longer than a minute for
    one graph is refused.

    Parameters
    ----------
    rounds : int
        Number of rounds, at least 1. A graph takes fewer if these tell nothing new apart, so a
        large number stands for as many as there can be.
    extra : {0, 1, 2}
        How many vertices more are marked, in all ways; the key is the sum of the hashes. One more
        tells more graphs apart and takes as many times longer as the graph has vertices.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    ordered : bool
        False: the order of the keys means nothing.

    Examples
    --------
    Two triangles and a hexagon: all vertices have two neighbours, so Weisfeiler-Lehman labels are
    the same everywhere, but the edges have different keys.

    >>> from grafik import Graphs, weights
    >>> triangles = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    >>> hexagon = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)]
    >>> keys = weights.Marked()(Graphs.from_edge_lists([triangles, hexagon]))
    >>> keys.shape, keys.dtype
    ((12, 1), dtype('int64'))
    >>> len(set(keys[:6, 0])), len(set(keys[6:, 0])), len(set(keys[:, 0]))
    (1, 1, 2)
    """

    ordered = False

    def __init__(self, rounds: int = 16, extra: int = 0, n_jobs: int | None = None) -> None:
        self.rounds = rounds
        self.extra = extra
        self.n_jobs = n_jobs

    def seconds(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return how long each graph takes, roughly, at most."""
        per_edge = _nanoseconds_per_edge(
            graphs, float(self.rounds), self.extra, _is_labelled(graphs)
        )
        return per_edge * graphs.n_edges * 1e-9

    def __call__(self, graphs: Graphs) -> NDArray[np.int64]:
        """Return the keys of all edges, as an array of one column."""
        # More rounds than vertices tell nothing new apart.
        most = int(graphs.n_nodes.max(initial=0)) + 1
        rounds = min(checked_integer("rounds", self.rounds, 1), most)
        extra = checked_integer("extra", self.extra, 0, 2)
        labelled = _is_labelled(graphs)
        per_edge = _nanoseconds_per_edge(graphs, rounds, extra, labelled)
        refuse_long_work(
            graphs,
            self.seconds(graphs),
            f"the weight {self}",
            "take fewer rounds, a smaller extra, or another weight, such as weights.Cliques(4)",
        )
        keys = np.zeros((len(graphs.edges), 1), np.uint64)
        if not len(keys):
            return keys.view(np.int64)
        from .marked_loops import hash_marked

        marking, adjacency, flag = _marking(graphs, labelled), graphs.adjacency, new_flag()

        def work(start: int, stop: int) -> None:
            hash_marked(start, stop, marking, adjacency, rounds, extra, keys[:, 0], flag)

        cost = offsets(np.repeat(per_edge.astype(np.int64), graphs.n_edges))
        run_blocks(work, cost, self.n_jobs, ns_per_unit=1.0, max_units=_BLOCK, flag=flag)
        return keys.view(np.int64)


def _is_labelled(graphs: Graphs) -> bool:
    """Return whether neighbours differ by more than their labels."""
    return graphs.directed or graphs.edge_labels is not None


def _marking(graphs: Graphs, labelled: bool) -> Marking:
    from ..graphs.label_hashes import arc_hashes, arcs_along_neighbors, vertex_hashes
    from .marked_loops import FIRST, SECOND, Marking, odd_factors

    factors = np.zeros(0, np.uint64)
    if labelled:
        arcs = arc_hashes(graphs, edge_labels=True)
        assert arcs is not None
        factors = uninterrupted(odd_factors, arcs)[arcs_along_neighbors(graphs)]
    shape = graphs.node_ptr, graphs.edge_ptr, graphs.edges
    second = SECOND if graphs.directed else FIRST
    return Marking(*shape, vertex_hashes(graphs), factors, second)


def _nanoseconds_per_edge(
    graphs: Graphs, rounds: float, extra: int, labelled: bool
) -> NDArray[np.float64]:
    """Return how long an edge of each graph takes, at most."""
    n, m = graphs.n_nodes.astype(np.float64), graphs.n_edges
    round_of_one = 2 * m * (_PER_LABELLED if labelled else _PER_ENTRY) + n * _PER_VERTEX
    ways = (1.0, n, n * (n - 1) / 2)[extra]
    # There are at most as many classes as vertices, and each round but the last two adds one.
    return ways * np.minimum(rounds, n + 1) * round_of_one + 1.0
