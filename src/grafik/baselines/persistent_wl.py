"""Persistent Weisfeiler-Lehman kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_bool, checked_choice, checked_integer, checked_number
from ..arrays.offsets import part_of
from ..graphs.batch import Graphs
from ..graphs.label_hashes import wl_labels
from ..graphs.validation import refuse_directed
from ..system.threads import Flag, new_flag, run_blocks, uninterrupted
from .pairwise_kernel import PairwiseKernel
from .persistent_wl_loops import add_multiset_distances, follow_components
from .shared_features import Vectors, vectors

_CYCLE = np.uint64(0x3F84D5B5B5470917)
_COUNT = np.uint64(0x9216D5D98979FB1B)

# Kernel values grow like tau to the fourth power. Much larger numbers overflow, or come close.
_LARGEST_TAU = 1e30
_BLOCK = 1_000_000  # vertices and edges in all rounds, so that an interrupt does not wait long


class PersistentWL(PairwiseKernel):
    r"""Persistent Weisfeiler-Lehman kernel (P-WL): labels weighted by how long components last.

    .. math:: K(G, G') = \sum_{i=0}^{h} \sum_\ell \Phi_{i\ell}(G) \, \Phi_{i\ell}(G'), \qquad
              \Phi_{i\ell}(G) = \sum_{v : \ell_i(v) = \ell} d_i(v)^p

    In round `i` each edge gets a weight

    .. math:: w_i(uv) = [\ell_{i-1}(u) \neq \ell_{i-1}(v)] + \tau +
              \|N_{i-1}(u) - N_{i-1}(v)\|_p

    where :math:`N_i(v)` counts the labels of the neighbours of `v` (in round 0: the first two terms
    with :math:`\ell_0`). Edges enter by increasing weight. Every vertex begins as a component of
    its own; where an edge joins two components, one of them ends, and :math:`d_i(v)` is the weight
    at which the component that began with `v` ends. Those that never end get the largest weight of
    the graph (:math:`\tau` if it has no edge).

    With ``cycles=True`` each edge that joins no components, and so closes a cycle, adds
    :math:`w_i(uv)^p` to a second set of features, for the labels of both of its ends (P-WL-C). With
    ``metric="uniform"`` all weights are 1, and what is left is :class:`WL` and, with cycles, the
    number of cycles that the labels close (P-WL-UC). ``counts=True`` adds the features of
    :class:`WL` as a third set.

    All components are equally old, so a rule must say which one ends. The authors' code goes by the
    order of the vertices. Here, the component that began with the larger label hash ends, and edges
    of equal weight come by increasing label hashes; so the order of the vertices does not matter.
    Directed graphs are refused.

    Prefer it for molecules and other graphs where rings and homogeneous regions matter.
    :math:`O(h \sum_{uv} \min(d_u, d_v) + h m \log m)` for a graph of `m` edges `uv` between
    vertices of degrees :math:`d_u, d_v`. Positive semi-definite.

    Parameters
    ----------
    depth : int
        Number of rounds `h`.
    p : {1, 2}
        Both the order of the distance between multisets and the power of the persistence, as in
        the authors' code.
    tau : float
        Least weight of an edge.
    metric : {"minkowski", "uniform"}
        How edges get their weights.
    cycles : bool
        Whether cycles count too.
    counts : bool
        Whether the plain numbers of vertices with each label count too.
    normalize : bool
        Whether to divide by the kernel of each graph with itself; a graph without any vertex has 0
        everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    training_ : Vectors
        Features of each training graph.

    References
    ----------
    Rieck, Bock, Borgwardt: A Persistent Weisfeiler-Lehman Procedure for Graph Classification, ICML
    2019.

    Examples
    --------
    >>> from grafik import datasets
    >>> from grafik.baselines import WL, PersistentWL
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> PersistentWL(depth=1).fit_transform(graphs)
    array([[209., 209.],
           [209., 209.]])
    >>> uniform = PersistentWL(depth=1, metric="uniform").fit_transform(graphs)
    >>> bool((uniform == WL(depth=1).fit_transform(graphs)).all())
    True
    """

    def __init__(
        self,
        depth: int = 5,
        p: int = 1,
        tau: float = 1.0,
        metric: str = "minkowski",
        cycles: bool = False,
        counts: bool = False,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.depth = depth
        self.p = p
        self.tau = tau
        self.metric = metric
        self.cycles = cycles
        self.counts = counts
        self.normalize = normalize
        self.n_jobs = n_jobs

    def _describer(self, depth: int) -> PersistentLabels:
        checked_choice("metric", self.metric, ("minkowski", "uniform"))
        return PersistentLabels(
            depth,
            checked_integer("p", self.p, 1, 2),
            _checked_tau(self.tau),
            self.metric == "uniform",
            checked_bool("cycles", self.cycles),
            checked_bool("counts", self.counts),
        )


def _checked_tau(value: Any) -> float:
    """Return tau, or refuse what would overflow."""
    tau = checked_number("tau", value)
    if tau > _LARGEST_TAU:
        raise ValueError(f"tau must be at most {_LARGEST_TAU}, got {value!r}")
    return tau


@dataclass(frozen=True)
class PersistentLabels:
    """Weisfeiler-Lehman labels weighted by persistence."""

    depth: int
    p: int
    tau: float
    uniform: bool
    cycles: bool
    counts: bool

    def __call__(self, graphs: Graphs, n_jobs: int | None) -> Vectors:
        """Compute the features of a batch."""
        refuse_directed(graphs, "PersistentWL")
        labels, flag = wl_labels(graphs, self.depth, n_jobs), new_flag()

        def describe(start: int, stop: int) -> list[tuple[NDArray[Any], ...]]:
            part = graphs[start:stop]
            first = int(graphs.node_ptr[start])
            rows = slice(first, first + int(part.node_ptr[-1]))
            found: list[tuple[NDArray[Any], ...]] = []
            for depth in range(self.depth + 1):
                for graph, *features in self._at_depth(part, labels[:, rows], depth, flag):
                    found.append((graph + start, np.full(len(graph), depth, np.uint16), *features))
                if flag[0]:
                    break
            return found

        cost = (graphs.node_ptr + graphs.edge_ptr) * (self.depth + 1)
        blocks = run_blocks(describe, cost, n_jobs, ns_per_unit=500.0, max_units=_BLOCK, flag=flag)
        parts = (part for block in blocks for part in block)
        graph, depths, keys, values = map(np.concatenate, zip(*parts, strict=True))
        return vectors(len(graphs), graph, depths, keys, values)

    def _at_depth(
        self, graphs: Graphs, labels: NDArray[np.uint64], depth: int, flag: Flag
    ) -> list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.float64]]]:
        """Return graphs, features and values, for each set of features."""
        now = labels[depth]
        graph, edge_graph = part_of(graphs.node_ptr), part_of(graphs.edge_ptr)
        ends = graphs.node_ptr[edge_graph][:, None] + graphs.edges
        weights = self._weights(graphs, ends, labels[max(depth - 1, 0)], depth > 0, flag)
        low, high = np.sort(now[ends], axis=1).T
        order = np.lexsort((high, low, weights, edge_graph))
        lone = 1.0 if self.uniform else self.tau
        shape = graphs.node_ptr, graphs.edge_ptr, ends
        deaths, closing = uninterrupted(follow_components, *shape, order, weights, now, lone)
        found = [(graph, now, deaths**self.p)]
        if self.cycles:
            twice = np.repeat(weights[closing] ** self.p, 2)
            around = now[ends[closing]].ravel()
            found.append((np.repeat(edge_graph[closing], 2), around ^ _CYCLE, twice))
        if self.counts:
            found.append((graph, now ^ _COUNT, np.ones(len(now))))
        return found

    def _weights(
        self,
        graphs: Graphs,
        ends: NDArray[np.int64],
        before: NDArray[np.uint64],
        multisets: bool,
        flag: Flag,
    ) -> NDArray[np.float64]:
        """Return the weight of each edge, from the labels of the round before."""
        if self.uniform:
            return np.ones(len(ends))
        weights: NDArray[np.float64] = (before[ends[:, 0]] != before[ends[:, 1]]) + self.tau
        if multisets:
            adjacency = graphs.adjacency
            base = np.repeat(graphs.node_ptr[:-1], 2 * graphs.n_edges)
            around = before[base + adjacency.neighbors]
            around = around[np.lexsort((around, part_of(adjacency.indptr)))]
            add_multiset_distances(adjacency.indptr, around, ends, self.p, weights, flag)
        return weights
