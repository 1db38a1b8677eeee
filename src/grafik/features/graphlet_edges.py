"""Graphlets of 3 and 4 vertices, counted edge by edge: each one changes those that it is in."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit, piece
from ..system.threads import Flag

_BOTH = 1 << 32


class Entering(NamedTuple):
    """Graphs and the order in which their edges enter.

    Attributes
    ----------
    node_ptr, edge_ptr, edges
        As in :class:`grafik.Graphs`.
    indptr : ndarray of int64
        Where the neighbour list of each vertex starts.
    by_step : ndarray of int64
        The edges of one graph after the other, as they enter.
    edge_steps, step_ptr
        When each edge enters, and where the steps of each graph start.
    """

    node_ptr: NDArray[np.int64]
    edge_ptr: NDArray[np.int64]
    edges: NDArray[np.int32]
    indptr: NDArray[np.int64]
    by_step: NDArray[np.int64]
    edge_steps: NDArray[np.int32]
    step_ptr: NDArray[np.int64]


class Present(NamedTuple):
    """What is there of one graph so far.

    Attributes
    ----------
    ptr, lists
        The neighbour list of each vertex starts at its place in `ptr`, and has room for all that
        will come.
    degree : ndarray of int64
    triangles : ndarray of int64
        Number of triangles that each vertex is in.
    around : ndarray of int64
        Sum of the degrees of the neighbours of each vertex; for sets of 3, just their number.
    mark : ndarray of int64
        0 between two edges.
    """

    ptr: NDArray[np.int64]
    lists: NDArray[np.int32]
    degree: NDArray[np.int64]
    triangles: NDArray[np.int64]
    around: NDArray[np.int64]
    mark: NDArray[np.int64]


@njit(cache=True, nogil=True)
def follow_edges(
    start: int,
    stop: int,
    batch: Entering,
    kinds: NDArray[np.int64],
    size: int,
    changes: NDArray[np.int64],
    flag: Flag,
) -> None:
    """Count at each step how many sets of vertices more or fewer are of each class.

    A new edge between `u` and `v` changes the class of each set that has both. The other members
    of the set are of four sorts: 0 next to neither, 1 next to `u`, 2 next to `v`, 3 next to both.
    The class depends on these, and on whether the two others are joined, if there are two. If the
    flag is raised, the rest is left out.
    """
    n, m = 0, 0
    for graph in range(start, stop):
        n = max(n, batch.node_ptr[graph + 1] - batch.node_ptr[graph])
        m = max(m, batch.edge_ptr[graph + 1] - batch.edge_ptr[graph])
    numbers, lists = np.zeros((5, n), np.int64), np.empty(2 * m, np.int32)
    now = Present(numbers[0], lists, numbers[1], numbers[2], numbers[3], numbers[4])
    sizes, joined = np.zeros(4, np.int64), np.zeros((4, 4), np.int64)
    for graph in range(start, stop):
        first = batch.node_ptr[graph]
        for v in range(batch.node_ptr[graph + 1] - first):
            now.ptr[v] = batch.indptr[first + v] - batch.indptr[first]
            now.degree[v] = now.triangles[v] = now.around[v] = 0
        n_nodes = batch.node_ptr[graph + 1] - first
        for at in range(batch.edge_ptr[graph], batch.edge_ptr[graph + 1]):
            if flag[0] != 0:
                return
            edge = batch.by_step[at]
            u, v = batch.edges[edge, 0], batch.edges[edge, 1]
            if now.around[u] > now.around[v]:
                u, v = v, u
            _sort_others(now, u, v, n_nodes, at - batch.edge_ptr[graph], size == 4, sizes, joined)
            _take_in(now, u, v, sizes[3], size == 4)
            here = changes[batch.step_ptr[graph] + batch.edge_steps[edge]]
            for a in range(4):
                if size == 3:
                    _move(here, kinds, a << 1, sizes[a])
                    continue
                for b in range(a, 4):
                    pairs = sizes[a] * sizes[b] if a < b else sizes[a] * (sizes[a] - 1) // 2
                    _move(here, kinds, a << 1 | b << 3, pairs - joined[a, b])
                    _move(here, kinds, a << 1 | b << 3 | 32, joined[a, b])


@piece
def _move(changes: NDArray[np.int64], kinds: NDArray[np.int64], before: int, times: int) -> None:
    """Move sets from the class that they had before the new edge, which is bit 0, to the next."""
    if kinds[before] >= 0:
        changes[kinds[before]] -= times
    if kinds[before | 1] >= 0:
        changes[kinds[before | 1]] += times


@piece
def _sort_others(
    now: Present,
    u: int,
    v: int,
    n: int,
    m: int,
    pairs: bool,
    sizes: NDArray[np.int64],
    joined: NDArray[np.int64],
) -> None:
    """Count the other vertices of each sort, and the edges between any two sorts.

    Only the neighbours of the neighbours of `u` are visited, which should be fewer than those
    of `v`. The rest follows from degrees and triangles.
    """
    ptr, lists, degree, triangles, around, mark = now
    marked = degree[v] if degree[u] > 0 else 0  # so that stars take no time
    for i in range(ptr[v], ptr[v] + marked):
        mark[lists[i]] = 1
    both, degrees = 0, 0
    for i in range(ptr[u], ptr[u] + degree[u]):
        a = lists[i]
        if mark[a] == 1:
            mark[a] = _BOTH
            triangles[a] += 1
            both += 1
            degrees += degree[a]
    sizes[1], sizes[2], sizes[3] = degree[u] - both, degree[v] - both, both
    sizes[0] = n - 2 - sizes[1] - sizes[2] - both
    if pairs:
        of_one, of_both = 0, 0
        for i in range(ptr[u], ptr[u] + degree[u]):
            a = lists[i]
            seen = 0  # neighbours next to `v` alone, plus 2^32 times those next to both
            for k in range(ptr[a], ptr[a] + degree[a]):
                seen += mark[lists[k]]
            if mark[a] == 0:
                of_one += seen
            else:
                of_both += seen
        uv, ut = of_one % _BOTH, of_one // _BOTH
        tv, tt = of_both % _BOTH, of_both // _BOTH // 2
        uu, vv = triangles[u] - ut - tt, triangles[v] - tv - tt
        joined[1, 1], joined[1, 2], joined[1, 3] = uu, uv, ut
        joined[2, 2], joined[2, 3], joined[3, 3] = vv, tv, tt
        un = around[u] - degrees - sizes[1] - 2 * uu - uv - ut
        vn = around[v] - degrees - sizes[2] - 2 * vv - uv - tv
        tn = degrees - 2 * both - ut - tv - 2 * tt
        joined[0, 1], joined[0, 2], joined[0, 3] = un, vn, tn
        joined[0, 0] = m - degree[u] - degree[v] - uu - uv - ut - vv - tv - tt - un - vn - tn
    for i in range(ptr[v], ptr[v] + marked):
        mark[lists[i]] = 0


@piece
def _take_in(now: Present, u: int, v: int, common: int, pairs: bool) -> None:
    """Let an edge enter; sums of degrees of neighbours count only for pairs of other vertices."""
    ptr, lists, degree, triangles, around, _ = now
    if pairs:
        for i in range(ptr[u], ptr[u] + degree[u]):
            around[lists[i]] += 1
        for i in range(ptr[v], ptr[v] + degree[v]):
            around[lists[i]] += 1
    lists[ptr[u] + degree[u]], lists[ptr[v] + degree[v]] = v, u
    degree[u] += 1
    degree[v] += 1
    around[u] += degree[v] if pairs else 1
    around[v] += degree[u] if pairs else 1
    triangles[u] += common
    triangles[v] += common
