"""Cyclic and tree patterns of every filtration graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_bool, checked_integer
from ..arrays.compiled import njit
from ..arrays.hashing import GOLDEN, mix, mix_other
from ..arrays.offsets import frozen, part_of
from ..graphs.as_graphs import as_graphs
from ..graphs.label_hashes import edge_hashes, vertex_hashes
from ..graphs.validation import refuse_directed
from .histograms import Histograms
from .steps import Steps, along_neighbors
from .tally import add, drained, empty_tally, from_tally, grown

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration

_CYCLE = np.uint64(0x452821E638D01377)
_BRANCH = np.uint64(0xBE5466CF34E90C6C)
_TREE = np.uint64(0xC0AC29B7C97C50DD)


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

    def histograms(self, graphs: Any, filtration: Filtration) -> Histograms:
        """Count the patterns of every filtration graph.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.

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
        filtered = _Filtered(
            batch.node_ptr,
            batch.edge_ptr,
            *batch.adjacency,
            steps.of_neighbors,
            steps.ptr,
            vertex_hashes(batch),
            along_neighbors(batch, edge_hashes(batch)),
            frozen(rank),
            frozen(by_rank),
        )
        max_nodes = int(batch.n_nodes.max(initial=0))
        room = _Room.of(max_nodes, int(batch.n_edges.max(initial=0)))
        events, stops = _pattern_events(filtered, room, min(max_length, max_nodes), trees)
        return from_tally(filtration.n_levels_, steps, events, stops)


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

    @classmethod
    def of(cls, max_nodes: int, max_edges: int) -> _Room:
        """Make room for graphs of this size."""
        integers = np.empty((6, max_nodes + 1), np.int64)
        hashes = np.empty((2, max_nodes), np.uint64)
        return cls(np.zeros(max_edges, np.bool_), *integers, *hashes)


@njit(cache=True, nogil=True)
def _pattern_events(batch, room, max_length, trees):
    """Tally the patterns of one graph after the other: trees at each step, cycles once."""
    step_ptr, patterns = batch.step_ptr, room.patterns
    table, rows = empty_tally()
    used = 0
    events, n_events = np.empty((1024, 3), np.int64), 0
    stops = np.empty(len(step_ptr) - 1, np.int64)
    for graph in range(len(stops)):
        n_steps = step_ptr[graph + 1] - step_ptr[graph]
        for step in range(0 if trees else n_steps - 1, n_steps):
            n_bridges = _find_bridges(graph, step, batch, room)
            if not trees or n_bridges == 0:
                continue
            n_trees = _find_trees(graph, batch, room)
            for i in range(n_trees):
                used = add(table, rows, used, patterns[i], step, 1)
                if step + 1 < n_steps:
                    used = add(table, rows, used, patterns[i], step + 1, -1)
                if 2 * used > len(table):
                    table, rows = grown(table, rows, used)
        # All bridges known now are those of the whole graph; no cycle goes over them.
        table, rows, used = _count_cycles(graph, batch, room.bridge, max_length, table, rows, used)
        events, n_events = drained(events, n_events, table, rows, used)
        used = 0
        stops[graph] = n_events
    return events[:n_events], stops


@njit(cache=True, nogil=True)
def _count_cycles(graph, batch, bridge, max_length, table, rows, used):
    """Add every simple cycle of one graph to a tally, at the step where its last edge enters.

    Depth first from each root over vertices of higher rank, as long as there is a way back that is
    short enough and goes over no bridge. Each cycle is met in both directions and counted in that
    where its second vertex is of lower rank than its last one.
    """
    first, n = batch.node_ptr[graph], batch.node_ptr[graph + 1] - batch.node_ptr[graph]
    indptr, neighbors, edge_ids = batch.indptr, batch.neighbors, batch.edge_ids
    neighbor_steps, rank, by_rank = batch.steps, batch.rank, batch.by_rank
    labels, edge_labels = batch.labels, batch.edge_labels
    far = max_length + 1
    back = np.full(n, far, np.int64)
    seen = np.empty(n, np.int64)
    on_path = np.zeros(n, np.bool_)
    path, slots = np.empty(max_length, np.int64), np.empty(max_length, np.int64)
    latest = np.zeros(max_length + 1, np.int64)
    around, edges_around = np.empty(max_length, np.uint64), np.empty(max_length, np.uint64)
    for start in range(n):
        root = by_rank[first + start] - first
        seen[0] = root
        back[root] = 0
        n_seen, at = 1, 0
        while at < n_seen and back[seen[at]] < max_length // 2:
            u = seen[at]
            at += 1
            for slot in range(indptr[first + u], indptr[first + u + 1]):
                v = neighbors[slot]
                if (
                    back[v] == far
                    and rank[first + v] > rank[first + root]
                    and not bridge[edge_ids[slot]]
                ):
                    back[v] = back[u] + 1
                    seen[n_seen] = v
                    n_seen += 1
        depth = 0
        path[0], slots[0] = root, indptr[first + root]
        on_path[root] = True
        while depth >= 0:
            u = path[depth]
            if slots[depth] == indptr[first + u + 1]:
                on_path[u] = False
                depth -= 1
                continue
            slot = slots[depth]
            slots[depth] += 1
            v = np.int64(neighbors[slot])
            step = max(latest[depth], np.int64(neighbor_steps[slot]))
            if v == root and depth >= 2 and rank[first + path[1]] < rank[first + u]:
                for i in range(depth + 1):
                    around[i] = labels[first + path[i]]
                    edges_around[i] = edge_labels[slots[i] - 1]
                feature = _around(around, edges_around, depth + 1)
                used = add(table, rows, used, feature, step, 1)
                if 2 * used > len(table):
                    table, rows = grown(table, rows, used)
            elif not on_path[v] and depth + 1 + back[v] <= max_length:
                depth += 1
                path[depth], slots[depth] = v, indptr[first + v]
                latest[depth] = step
                on_path[v] = True
        for i in range(n_seen):
            back[seen[i]] = far
    return table, rows, used


@njit(cache=True, nogil=True)
def _around(labels, edges, n):
    """Hash the labels around a cycle, from where and in the direction that makes them least."""
    best, best_sign = 0, 1
    for start in range(n):
        for sign in (1, -1):
            i, j = start, best
            for _ in range(n):
                # The edge behind a vertex is the one before it when going the other way.
                edge = edges[i] if sign == 1 else edges[i - 1 if i > 0 else n - 1]
                best_edge = edges[j] if best_sign == 1 else edges[j - 1 if j > 0 else n - 1]
                if labels[i] != labels[j] or edge != best_edge:
                    if labels[i] < labels[j] or (labels[i] == labels[j] and edge < best_edge):
                        best, best_sign = start, sign
                    break
                i = (i + sign + n) % n
                j = (j + best_sign + n) % n
    pattern = mix(_CYCLE + np.uint64(n))
    i = best
    for _ in range(n):
        edge = edges[i] if best_sign == 1 else edges[i - 1 if i > 0 else n - 1]
        pattern = mix(mix(pattern * GOLDEN + labels[i]) * GOLDEN + mix_other(edge))
        i = (i + best_sign + n) % n
    return pattern


@njit(cache=True, nogil=True)
def _find_bridges(graph, step, batch, room):
    """Mark the bridges of one filtration graph and return their number (Tarjan's algorithm).

    `entry` numbers the vertices in the order of the search; `low` is the least such number that a
    vertex and those behind it have an edge to. An edge that nothing behind it passes by is a
    bridge.
    """
    first, n = batch.node_ptr[graph], batch.node_ptr[graph + 1] - batch.node_ptr[graph]
    indptr, neighbors, edge_ids = batch.indptr, batch.neighbors, batch.edge_ids
    entry, low, path, slots, bridge = room.entry, room.low, room.path, room.slots, room.bridge
    neighbor_steps = batch.steps
    bridge[: batch.edge_ptr[graph + 1] - batch.edge_ptr[graph]] = False
    entry[:n] = -1
    time, n_bridges = 0, 0
    for root in range(n):
        if entry[root] >= 0:
            continue
        depth = 0
        path[0], slots[0] = root, indptr[first + root]
        entry[root] = low[root] = time
        time += 1
        while depth >= 0:
            u = path[depth]
            if slots[depth] == indptr[first + u + 1]:
                depth -= 1
                if depth >= 0:
                    parent = path[depth]
                    low[parent] = min(low[parent], low[u])
                    if low[u] > entry[parent]:
                        bridge[edge_ids[slots[depth] - 1]] = True
                        n_bridges += 1
                continue
            slot = slots[depth]
            slots[depth] += 1
            v = np.int64(neighbors[slot])
            if neighbor_steps[slot] > step or (depth > 0 and v == path[depth - 1]):
                continue
            if entry[v] >= 0:
                low[u] = min(low[u], entry[v])
            else:
                depth += 1
                path[depth], slots[depth] = v, indptr[first + v]
                entry[v] = low[v] = time
                time += 1
    return n_bridges


@njit(cache=True, nogil=True)
def _find_trees(graph, batch, room):
    """Write the hash of each tree of bridges to `room.patterns` and return their number.

    Leaves are taken off layer by layer, each handing the hash of its branch to its only neighbour
    left. The last vertex of a tree is its centre; two that are left together are both.
    """
    first, n = batch.node_ptr[graph], batch.node_ptr[graph + 1] - batch.node_ptr[graph]
    indptr, neighbors, edge_ids = batch.indptr, batch.neighbors, batch.edge_ids
    labels, edge_labels = batch.labels, batch.edge_labels
    bridge, degree, layer, sums = room.bridge, room.degree, room.layer, room.sums
    queue, patterns = room.path, room.patterns
    n_trees, n_queued = 0, 0
    for v in range(n):
        sums[v] = np.uint64(0)
        layer[v] = -1
        degree[v] = 0
        for slot in range(indptr[first + v], indptr[first + v + 1]):
            if bridge[edge_ids[slot]]:
                degree[v] += 1
        if degree[v] == 1:
            queue[n_queued] = v
            layer[v] = 0
            n_queued += 1
    at = 0
    while at < n_queued:
        u = queue[at]
        at += 1
        if degree[u] < 0:
            continue
        own = mix(labels[first + u] * GOLDEN + sums[u] + _BRANCH)
        if degree[u] == 0:
            patterns[n_trees] = mix(own ^ _TREE)
            n_trees += 1
            continue
        degree[u] = -1
        for slot in range(indptr[first + u], indptr[first + u + 1]):
            v = neighbors[slot]
            if not bridge[edge_ids[slot]] or degree[v] < 0:
                continue
            edge = mix(edge_labels[slot] + _TREE)
            if layer[v] == layer[u]:
                other = mix(labels[first + v] * GOLDEN + sums[v] + _BRANCH)
                patterns[n_trees] = mix(edge + mix_other(own) + mix_other(other))
                n_trees += 1
                degree[v] = -1
                continue
            sums[v] += mix_other(own ^ edge)
            degree[v] -= 1
            if degree[v] == 1:
                queue[n_queued] = v
                layer[v] = layer[u] + 1
                n_queued += 1
    return n_trees
