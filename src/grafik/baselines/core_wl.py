"""Core Weisfeiler-Lehman kernel: the subtree kernel on each k-core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import offsets, part_of
from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from ..system.memory import refuse_what_does_not_fit
from ..weights.centrality import core_numbers
from .label_counts import label_counts
from .pairwise_kernel import PairwiseKernel
from .shared_features import Vectors, vectors

_CORE = np.uint64(0xD1B54A32D192ED03)


class CoreWL(PairwiseKernel):
    r"""Core Weisfeiler-Lehman kernel (Core-WL).

    .. math:: K(G, G') = \sum_{k \geq 0} K_{WL}(C_k(G), C_k(G'))

    where :math:`C_k(G)` is the k-core of `G`, the largest subgraph in which every vertex has at
    least `k` neighbours, and :math:`K_{WL}` is the kernel :class:`WL`. The 0-core is `G` itself; a
    core without vertices adds nothing. Directed graphs are refused.

    Prefer it where the dense parts of graphs tell more than the fringe, as in social networks.
    :math:`O(h \sum_k m_k)` for a graph whose different k-cores have :math:`m_k` edges, at most the
    largest core number plus 1 times what :class:`WL` takes. Positive semi-definite.

    GraKeL's ``CoreFramework(base_graph_kernel=(WeisfeilerLehman, {"n_iter": depth}))`` has the same
    values, with all its cores (``min_core=-1``; it uses all of them in any case).

    Parameters
    ----------
    depth : int
        Number of rounds.
    edge_labels : {"auto", True, False}
        Whether a neighbour counts together with the label of the edge to it; "auto" is True if the
        training graphs have edge labels. The published kernel does without.
    normalize : bool
        Whether to divide by the kernel of each graph with itself; a graph without any vertex has 0
        everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    training_ : Vectors
        Number of vertices with each label, for each core of each training graph.

    References
    ----------
    Nikolentzos, Meladianos, Limnios, Vazirgiannis: A Degeneracy Framework for Graph Similarity,
    IJCAI 2018.

    Examples
    --------
    A triangle has a 2-core and a path of three vertices has none, so that the triangle counts once
    more:

    >>> from grafik import Graphs
    >>> from grafik.baselines import CoreWL
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]])
    >>> CoreWL(depth=1).fit_transform(graphs)
    array([[28., 24.],
           [24., 54.]])
    """

    def __init__(
        self,
        depth: int = 5,
        edge_labels: bool | str = False,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.depth = depth
        self.edge_labels = edge_labels
        self.normalize = normalize
        self.n_jobs = n_jobs

    def _describer(self, depth: int) -> CoreCounts:
        return CoreCounts(depth, self.edge_labels)


@dataclass(frozen=True)
class CoreCounts:
    """How many vertices have each Weisfeiler-Lehman label, of all depths, in each core.

    From depth 1 on, a label tells whether a vertex has neighbours. So the 0-core and the 1-core
    have the same labels there, except for isolated vertices. It is enough to count these labels in
    the 1-core, with a weight of 2.
    """

    depth: int
    edge_labels: bool | str

    def __call__(self, graphs: Graphs, n_jobs: int | None) -> Vectors:
        """Count the labels of a batch."""
        refuse_directed(graphs, "CoreWL")
        parts, ptr, first, last = cores(graphs, n_jobs)
        found = label_counts(parts, self.depth, self.edge_labels, n_jobs)
        # Equal cores are counted once; each of them gets the counts.
        part = part_of(found.graph_ptr)
        row = np.repeat(np.arange(len(part)), (last - first + 1)[part])
        starts = offsets((last - first + 1)[part])
        core = (first[part][row] + np.arange(len(row)) - starts[row]).astype(np.uint64)
        graph, depths = part_of(ptr)[part][row], found.depths[row]
        keys = found.features[row]
        counts = found.masses[row].astype(np.float64)
        times = np.where((core == 1) & (depths > 0), 2.0, 1.0)
        # At depth 0, the vertices of the 1-core count again: with the isolated ones as the 0-core.
        again = np.flatnonzero((core == 1) & (depths == 0))
        return vectors(
            len(graphs),
            np.concatenate([graph, graph[again]]),
            np.concatenate([depths, depths[again]]),
            np.concatenate([keys ^ (core * _CORE), keys[again]]),
            np.concatenate([counts, counts[again]]),
            np.concatenate([times, times[again]]),
        )


class Cores(NamedTuple):
    """The different cores of graphs, as one batch.

    Attributes
    ----------
    parts : Graphs
        For each graph with vertices, first its isolated vertices, then its different cores.
    ptr : ndarray of int64, shape (n_graphs + 1,)
        Where the parts of each graph start.
    first, last : ndarray of int64, shape (n_parts,)
        Each part is the k-core for all k from `first` to `last`.
    """

    parts: Graphs
    ptr: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def cores(graphs: Graphs, n_jobs: int | None = None) -> Cores:
    """Return the isolated vertices, the 1-core, the 2-core, ... of each graph.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.baselines.core_wl import cores
    >>> triangle_with_tail = Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2), (2, 3)]])
    >>> parts, ptr, first, last = cores(triangle_with_tail)
    >>> parts.n_nodes, parts.n_edges, ptr
    (array([0, 4, 3]), array([0, 4, 3]), array([0, 3]))
    >>> first, last
    (array([0, 1, 2]), array([0, 1, 2]))
    """
    numbers = core_numbers(graphs, n_jobs)
    graph, edge_graph = part_of(graphs.node_ptr), part_of(graphs.edge_ptr)
    # The k-core and the next one are the same unless some vertex has the number k.
    every = int(numbers.max(initial=0)) + 1
    pairs = np.concatenate([np.flatnonzero(graphs.n_nodes) * every, graph * every + numbers])
    different, rank = np.unique(pairs, return_inverse=True)
    ptr = np.searchsorted(different, np.arange(len(graphs) + 1) * every)
    last = different % every
    first = np.where(last > 0, np.concatenate([[0], last[:-1]]) + 1, 0)[: len(last)]
    rank = rank[np.count_nonzero(graphs.n_nodes) :] - ptr[graph]
    # A vertex is in all cores up to its number, and an edge is where both of its ends are.
    ends = graphs.node_ptr[edge_graph][:, None] + graphs.edges
    deep = rank[ends].min(axis=1)
    refuse_what_does_not_fit(
        100.0 * float(rank.sum() + len(rank) + deep.sum()),
        "counting labels in all cores",
        "use WL, or fewer graphs at a time",
    )
    node, node_part = _copies(ptr[graph], np.minimum(rank, 1), rank)
    edge, edge_part = _copies(ptr[edge_graph], np.ones_like(deep), deep)
    node_ptr, edge_ptr = (
        np.searchsorted(part, np.arange(ptr[-1] + 1)) for part in (node_part, edge_part)
    )
    n = int(graphs.node_ptr[-1])
    places = np.searchsorted(node_part * n + node, edge_part[:, None] * n + ends[edge])
    parts = Graphs(
        node_ptr,
        edge_ptr,
        places - node_ptr[edge_part][:, None],
        node_labels=None if graphs.node_labels is None else graphs.node_labels.take(node),
        edge_labels=None if graphs.edge_labels is None else graphs.edge_labels.take(edge),
    )
    return Cores(parts, ptr, first, last)


def _copies(
    base: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each row once for every part from ``base + first`` to ``base + last``, by part."""
    rows = np.repeat(np.arange(len(base)), last - first + 1)
    starts = offsets(last - first + 1)
    parts = (base + first)[rows] + np.arange(starts[-1]) - starts[rows]
    order = np.argsort(parts, kind="stable")
    return rows[order], parts[order]
