"""Cyclic and tree patterns of every filtration graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_bool, checked_integer
from ..arrays.offsets import frozen, offsets, part_of
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.label_hashes import edge_hashes, vertex_hashes
from ..graphs.validation import refuse_directed
from ..system.memory import in_words
from ..system.memory_limits import available
from ..system.threads import Flag, n_threads, new_flag, run_blocks, watched
from ..weights.centrality import core_numbers
from ..weights.edges import ends_of
from ..weights.long_work import LIMIT, refuse_long_work
from .cyclic_loops import NO_LIMIT, PER_LABEL, is_short, pattern_events
from .histograms import Histograms
from .steps import Steps, along_neighbors
from .tally import from_tally

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration

_PER_STEP = 20.0  # nanoseconds for a step of the search
_TRIAL = 100_000_000  # steps of a search that is tried before it is refused
_BLOCK = 1_000_000_000  # nanoseconds, so that an interrupt does not wait for long
_PER_ROW = 200.0  # bytes for a pattern while a tally grows


class CyclicPatterns(BaseEstimator):
    r"""Cyclic and tree patterns: the labels around simple cycles, and the trees between them.

    The pattern of a cycle :math:`v_1 v_2 \dots v_l` is the least of the sequences

    .. math:: \ell(v_1), \ell(v_1 v_2), \ell(v_2), \dots, \ell(v_l), \ell(v_l v_1)

    that begin at one of its vertices and go one of the two ways round; its tree patterns are the
    connected components, with at least one edge, of the graph of its bridges, up to isomorphism
    that keeps labels [1]_. Here each occurrence counts. Where there are no vertex or edge labels,
    vertices or edges are all alike. Directed graphs are refused.

    A cycle is found once, in the whole graph, and lives from the level on at which its last edge
    enters. There can be very many: in a complete graph their number is exponential in `max_length`.
    Where all vertices of a graph have the same label, and all edges, cycles of up to 6 edges are
    not visited but counted, in a time of at most the square of the number of edges. Graphs in which
    the search for others would take much longer than a minute are refused.

    Parameters
    ----------
    max_length : int
        Number of edges of the longest cycles that count.
    trees : bool
        Whether tree patterns count as well.

    References
    ----------
    .. [1] Horvath, Gaertner, Wrobel: Cyclic Pattern Kernels for Predictive Graph Mining, KDD 2004.

    Examples
    --------
    Decalin has two cycles of length 6 and bicyclopentyl two of length 5, which its one bridge
    joins:

    >>> from grafik import Filtration, datasets
    >>> from grafik.features import CyclicPatterns
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> filtration = Filtration("degree", n_levels=1).fit(graphs)
    >>> histograms = CyclicPatterns().histograms(graphs, filtration)
    >>> histograms.run_counts.tolist(), histograms.graph_ptr.tolist()
    ([2, ...], [0, 1, 3])
    """

    def __init__(self, max_length: int = 6, trees: bool = True) -> None:
        self.max_length = max_length
        self.trees = trees

    def histograms(
        self, graphs: Any, filtration: Filtration, *, n_jobs: int | None = None
    ) -> Histograms:
        """Count the patterns of every filtration graph.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.
        n_jobs : int or None
            Number of threads; None is one, -1 as many as there are processors. The result is the
            same for any number.

        Returns
        -------
        Histograms
        """
        max_length = checked_integer("max_length", self.max_length, 3)
        trees = checked_bool("trees", self.trees)
        batch = as_graphs(graphs)
        refuse_directed(batch, "CyclicPatterns")
        steps = Steps.of(batch, filtration)
        # Cycles are found at their vertex of lowest rank, which is then left out of the search for
        # others: with hubs first, the rest of a graph is soon sparse.
        by_rank = np.lexsort((-batch.degrees, part_of(batch.node_ptr)))
        rank = np.empty(len(by_rank), np.int64)
        rank[by_rank] = np.arange(len(by_rank))
        vertex_labels, edge_labels = vertex_hashes(batch), edge_hashes(batch)
        filtered = _Filtered(
            batch.node_ptr,
            batch.edge_ptr,
            *batch.adjacency,
            steps.of_neighbors,
            steps.ptr,
            vertex_labels,
            along_neighbors(batch, edge_labels),
            frozen(rank),
            frozen(by_rank),
            batch.edges,
            steps.of_edges,
            np.lexsort((steps.of_edges, part_of(batch.edge_ptr))),
        )
        seconds = _seconds(batch, max_length, vertex_labels, edge_labels)
        for graph in np.flatnonzero(seconds > LIMIT).tolist():
            # The estimate may be far too high: a short trial decides.
            size = int(batch.n_nodes[graph]), int(batch.n_edges[graph])
            longest = max(3, min(max_length, int(batch.n_nodes[graph])))
            trial = partial(_is_short, graph, filtered, size, longest)
            if watched(trial):
                seconds[graph] = 0.0
            else:
                break  # this one is refused, and the others need not be tried
        refuse_long_work(batch, seconds, str(self), "choose a smaller max_length")
        flag, free = new_flag(), available()
        most = NO_LIMIT if free is None else int(free / _PER_ROW / n_threads(n_jobs))

        def work(start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            longest = int(batch.n_nodes[start:stop].max(initial=0))
            room = _Room.of(longest, int(batch.n_edges[start:stop].max(initial=0)), flag)
            found: tuple[NDArray[np.int64], NDArray[np.int64]] = pattern_events(
                start, stop, filtered, room, max(3, min(max_length, longest)), trees, most
            )
            if not flag[0]:
                _refuse_many_patterns(start, found[1], most)
            return found

        # The larger of two estimates, so that no long search goes on without a flag.
        cost = np.maximum(_cost(batch, max_length), np.minimum(1e9 * seconds, 1e12))
        parts = run_blocks(
            work,
            offsets(cost.astype(np.int64)),
            n_jobs,
            ns_per_unit=1.0,
            max_units=_BLOCK,
            what="cycles",
            flag=flag,
        )
        before = offsets([len(events) for events, _ in parts])
        stops = [stops + first for (_, stops), first in zip(parts, before, strict=False)]
        events = np.concatenate([events for events, _ in parts])
        return from_tally(filtration.n_levels_, steps, events, np.concatenate(stops))


def _refuse_many_patterns(start: int, stops: NDArray[np.int64], most: int) -> None:
    """Raise a MemoryError if the patterns of a graph did not fit."""
    if (stops < 0).any():
        graph = start + int(np.argmin(stops))
        raise MemoryError(
            f"graph {graph} has more than {most:,} patterns, which take more than "
            f"{in_words(most * _PER_ROW)} of memory; choose a smaller max_length"
        )


def _is_short(
    graph: int, filtered: _Filtered, size: tuple[int, int], longest: int, flag: Flag
) -> bool:
    """Try the search for cycles in a graph of some size; tell whether it ends soon."""
    return bool(is_short(graph, filtered, _Room.of(*size, flag), longest, _TRIAL))


def _seconds(
    graphs: Graphs,
    max_length: int,
    vertex_labels: NDArray[np.uint64],
    edge_labels: NDArray[np.uint64],
) -> NDArray[np.float64]:
    """Return how long the search for cycles takes in each graph, roughly, at most.

    A search goes along walks that do not turn back, and each of them from the vertex of lowest rank
    only. No cycle leaves the vertices that have two neighbours among themselves. Where labels
    differ, those of each cycle are read.
    """
    u, v = ends_of(graphs)
    inside = core_numbers(graphs) > 1
    kept = inside[u] & inside[v]
    graph = part_of(graphs.edge_ptr)[kept]
    tail, head = np.concatenate([u[kept], v[kept]]), np.concatenate([v[kept], u[kept]])
    walks, steps, half = np.ones(len(tail)), np.zeros(len(graphs)), len(graph)
    for length in range(2, min(max_length, int(graphs.n_nodes.max(initial=0)))):
        ending = np.bincount(head, walks, len(graphs.degrees))
        walks = np.minimum(ending[tail] - np.roll(walks, half), 1e100)
        fits = graphs.n_nodes > length
        steps += fits * np.bincount(np.tile(graph, 2), walks, len(graphs)) / (length + 1)
    differ = _differ(vertex_labels, graphs.node_ptr) | _differ(edge_labels, graphs.edge_ptr)
    # Each cycle is met twice, and its labels read once.
    steps[differ] *= 1.0 + PER_LABEL * (max_length - 2) / 2
    return steps * _PER_STEP * 1e-9


def _differ(labels: NDArray[np.uint64], pointer: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell for each graph whether it has different labels."""
    part = part_of(pointer)
    others = labels != labels[pointer[part]]
    found: NDArray[np.bool_] = np.bincount(part[others], minlength=len(pointer) - 1) > 0
    return found


def _cost(graphs: Graphs, max_length: int) -> NDArray[np.float64]:
    """Return about how many nanoseconds each graph takes."""
    n, m = graphs.n_nodes.astype(np.float64), graphs.n_edges
    per_edge = 2.0 * m / np.maximum(n, 1)
    walks = m * per_edge ** float(min(max_length, 6) - 2) + 100.0 * (n + m)
    return np.minimum(walks, 1e12)


class _Filtered(NamedTuple):
    """Graphs, when their edges enter, and in which order their vertices are searched.

    `node_ptr` to `edge_ids` are as in :class:`grafik.Graphs` and its neighbour lists.

    Attributes
    ----------
    steps : ndarray of int32
        When the edge of each entry of the neighbour lists enters.
    step_ptr : ndarray of int64, shape (n_graphs + 1,)
        Graph `g` has ``step_ptr[g + 1] - step_ptr[g]`` steps.
    labels : ndarray of uint64
        One for each vertex.
    edge_labels : ndarray of uint64
        One for each entry of the neighbour lists.
    rank : ndarray of int64
        Place of each vertex in the order.
    by_rank : ndarray of int64
        The vertices in order.
    edges, edge_steps
        As in :class:`grafik.Graphs`, and when each of them enters.
    by_step : ndarray of int64
        The edges of one graph after the other, as they enter.
    """

    node_ptr: NDArray[np.int64]
    edge_ptr: NDArray[np.int64]
    indptr: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    edge_ids: NDArray[np.int32]
    steps: NDArray[np.int32]
    step_ptr: NDArray[np.int64]
    labels: NDArray[np.uint64]
    edge_labels: NDArray[np.uint64]
    rank: NDArray[np.int64]
    by_rank: NDArray[np.int64]
    edges: NDArray[np.int32]
    edge_steps: NDArray[np.int32]
    by_step: NDArray[np.int64]


class _Room(NamedTuple):
    """Room for the search in one graph after the other.

    Attributes
    ----------
    bridge : ndarray of bool
        Whether an edge is a bridge.
    entry, low : ndarray of int64
        When a vertex was met, and the first vertex that can be reached from behind it.
    path, slots : ndarray of int64
        The way to the present vertex, and the neighbours that come next at each vertex of it.
    degree, layer : ndarray of int64
        Bridges left at a vertex, and when it is taken off its tree.
    sums, patterns : ndarray of uint64
        Hashes of the branches at a vertex that were taken off, and of whole trees.
    flag : ndarray of uint8
        If it is raised, searches are given up.
    """

    bridge: NDArray[np.bool_]
    entry: NDArray[np.int64]
    low: NDArray[np.int64]
    path: NDArray[np.int64]
    slots: NDArray[np.int64]
    degree: NDArray[np.int64]
    layer: NDArray[np.int64]
    sums: NDArray[np.uint64]
    patterns: NDArray[np.uint64]
    flag: Flag

    @classmethod
    def of(cls, max_nodes: int, max_edges: int, flag: Flag) -> _Room:
        """Make room for graphs of this size."""
        integers = np.empty((6, max_nodes + 1), np.int64)
        hashes = np.empty((2, max_nodes), np.uint64)
        return cls._make((np.zeros(max_edges, np.bool_), *integers, *hashes, flag))
