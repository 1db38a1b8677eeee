"""Passing changes of Weisfeiler-Lehman labels on to neighbours, while edges enter."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import part
from ..arrays.hashing import mix_other


class Graph(NamedTuple):
    """The graph at hand: the hashes of its vertices, how often each counts, and its arcs."""

    vertices: NDArray[np.uint64]
    times: NDArray[np.int64]
    arcs: NDArray[Any]


class _Lists(NamedTuple):
    """Neighbour lists that grow while edges enter.

    The list of vertex `v` begins at ``first[v]`` and ends at ``end[v]``; what has been there before
    the level at hand ends at ``old_end[v]``.
    """

    first: NDArray[np.int64]
    old_end: NDArray[np.int64]
    end: NDArray[np.int64]
    neighbors: NDArray[np.uint32]
    arcs: NDArray[np.int64]


class _Labels(NamedTuple):
    """By depth and vertex: the label, the sum of its neighbours' labels, its number in the graph.

    `mixed` has room for the labels of one depth, scrambled.
    """

    hashes: NDArray[np.uint64]
    around: NDArray[np.uint64]
    numbers: NDArray[np.uint32]
    mixed: NDArray[np.uint64]


class _Visits(NamedTuple):
    """Vertices to look at, the moment at which each was seen last, vertices with a new label."""

    touched: NDArray[np.uint32]
    seen: NDArray[np.int64]
    changed: NDArray[np.uint32]
    before: NDArray[np.uint64]


class Room(NamedTuple):
    """Arrays that are large enough for every single graph."""

    lists: _Lists
    labels: _Labels
    visits: _Visits


def room_for(n_nodes: int, n_arcs: int, depth: int) -> Room:
    """Make room for graphs with at most so many vertices and arcs."""
    by_depth = (depth + 1, n_nodes)
    return Room(
        _Lists(
            first=np.empty(n_nodes + 1, np.int64),
            old_end=np.empty(n_nodes, np.int64),
            end=np.empty(n_nodes, np.int64),
            # Unsigned numbers do not count from the end, which saves a test for each neighbour.
            neighbors=np.empty(n_arcs, np.uint32),
            arcs=np.empty(n_arcs, np.int64),
        ),
        _Labels(
            hashes=np.empty(by_depth, np.uint64),
            around=np.empty(by_depth, np.uint64),
            numbers=np.empty(by_depth, np.uint32),
            mixed=np.empty(n_nodes, np.uint64),
        ),
        _Visits(
            touched=np.empty(n_nodes + 1, np.uint32),
            seen=np.zeros(n_nodes, np.int64),
            changed=np.empty(n_nodes, np.uint32),
            before=np.empty(n_nodes, np.uint64),
        ),
    )


@part
def begin(graph, lists):
    """Find out where the list of each vertex begins; return how many vertices count."""
    first, old_end, end = lists.first, lists.old_end, lists.end
    times, arcs, n_alive = graph.times, graph.arcs, 0
    for v in range(len(times) + 1):
        first[v] = 0
    for i in range(len(arcs)):
        first[arcs[i].vertex + 1] += 1
    for v in range(len(times)):
        first[v + 1] += first[v]
        old_end[v] = end[v] = first[v]
        n_alive += times[v] > 0
    return n_alive


@part
def enter(level, at, graph, lists):
    """Put the arcs of a level, which begin at `at`, into the lists; return where they end."""
    arcs, end, neighbors, numbers = graph.arcs, lists.end, lists.neighbors, lists.arcs
    stop = at
    while stop < len(arcs) and arcs[stop].level == level:
        v = arcs[stop].vertex
        neighbors[end[v]] = arcs[stop].neighbor
        numbers[end[v]] = arcs[stop].number
        end[v] += 1
        stop += 1
    return stop


@part
def close(at, stop, graph, lists):
    """Let what has entered count as there before."""
    old_end, end, arcs = lists.old_end, lists.end, graph.arcs
    for i in range(at, stop):
        v = arcs[i].vertex
        old_end[v] = end[v]


@part
def refill(d, graph, lists, labels, visits, between):
    """Add up the neighbours of all vertices; return how many there are to look at."""
    first, end, neighbors, arcs = lists.first, lists.end, lists.neighbors, lists.arcs
    hashes, around, mixed = labels.hashes, labels.around, labels.mixed
    times, touched, n_touched = graph.times, visits.touched, 0
    for v in range(len(times)):
        touched[n_touched] = v
        n_touched += times[v] > 0
        if d > 0:
            mixed[v] = np.uint64(times[v]) * mix_other(hashes[d - 1, v])
    for v in range(len(times) if d > 0 else 0):
        total = np.uint64(0)
        for j in range(first[v], end[v]):
            u = neighbors[j]
            if between is not None:
                label = hashes[d - 1, u] ^ between[arcs[j]]
                mixed[u] = np.uint64(times[u]) * mix_other(label)
            total += mixed[u]
        around[d, v] = total
    return n_touched


@part
def pass_on(d, n_changed, graph, lists, labels, visits, moment, between):
    """Add what has changed to the sums of neighbours; return how many vertices that touches."""
    first, old_end, neighbors, arcs = lists.first, lists.old_end, lists.neighbors, lists.arcs
    hashes, around, times = labels.hashes, labels.around, graph.times
    touched, seen, changed, before = visits.touched, visits.seen, visits.changed, visits.before
    n_touched = 0
    for i in range(n_changed):
        u, old = changed[i], before[i]
        new, many = hashes[d - 1, u], np.uint64(times[u])
        more = many * (mix_other(new) - mix_other(old))
        n_touched = touch(u, touched, n_touched, seen, moment)
        for j in range(first[u], old_end[u]):
            v = neighbors[j]
            if between is not None:
                back = between[arcs[j] ^ 1]  # the edge as the neighbour sees it
                more = many * (mix_other(new ^ back) - mix_other(old ^ back))
            around[d, v] += more
            n_touched = touch(v, touched, n_touched, seen, moment)
    return n_touched


@part
def add_entering(d, entering, n_touched, graph, labels, visits, moment, between):
    """Add new neighbours to the sums; return how many vertices are touched now."""
    hashes, around, times = labels.hashes, labels.around, graph.times
    touched, seen, arcs = visits.touched, visits.seen, graph.arcs
    at, stop = entering
    for i in range(at, stop):
        v, u = arcs[i].vertex, arcs[i].neighbor
        label = hashes[d - 1, u]
        if between is not None:
            label ^= between[arcs[i].number]
        around[d, v] += np.uint64(times[u]) * mix_other(label)
        n_touched = touch(v, touched, n_touched, seen, moment)
    return n_touched


@part
def touch(v, touched, n_touched, seen, moment):
    """Add a vertex to those to look at, once; return how many there are.

    There must be a place behind all of them: it is written before it is counted, as that is faster.
    """
    touched[n_touched] = v
    n_touched += seen[v] != moment
    seen[v] = moment
    return n_touched
