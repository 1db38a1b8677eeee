"""Counting Weisfeiler-Lehman labels: which of them change when, and how often each occurs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import apart, njit, piece
from ..arrays.hashing import mix, mix_other, relabelled

# An edge as one of its ends sees it: edge `e` is arc 2e at its first end, 2e + 1 at the second.
_ARC = np.dtype(
    [("vertex", np.uint32), ("neighbor", np.uint32), ("level", np.int32), ("number", np.int64)],
    align=True,
)
# A label of a graph, with the first and the last of its runs.
_LABEL = np.dtype(
    [("hash", np.uint64), ("depth", np.int32), ("first", np.uint32), ("last", np.uint32)],
    align=True,
)
_RUN = np.dtype([("level", np.int32), ("count", np.int32), ("next", np.uint32)])
# What is kept of them.
_ROW = np.dtype([("hash", np.uint64), ("depth", np.int32), ("n_runs", np.int32)])
_KEPT_RUN = np.dtype([("level", np.int32), ("count", np.int32)])
# In place of the number of a label or run.
_NONE = np.uint32(0xFFFFFFFF)
# A table has 8 places for each label, which saves time; with more labels than this, it has 2.
_LARGE = 1 << 16


class Arcs(NamedTuple):
    """Edges as both of their ends see them, by the level at which they enter.

    Attributes
    ----------
    ptr : ndarray of int64, shape (n_graphs + 1,)
        Arcs ``ptr[i]:ptr[i + 1]`` belong to graph `i` of a block.
    arcs : ndarray of (vertex, neighbor, level, number)
    """

    ptr: NDArray[np.int64]
    arcs: NDArray[Any]


class Counts(NamedTuple):
    """The labels of the graphs of a block.

    Attributes
    ----------
    n_rows : ndarray of int64, shape (n_graphs,)
        Number of labels of each graph.
    rows : ndarray of (hash, depth, n_runs)
        All labels, graph after graph.
    runs : ndarray of (level, count)
        All runs, label after label.
    """

    n_rows: NDArray[np.int64]
    rows: NDArray[Any]
    runs: NDArray[Any]


class _Graph(NamedTuple):
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


class _Room(NamedTuple):
    """Arrays that are large enough for every single graph."""

    lists: _Lists
    labels: _Labels
    visits: _Visits


def room_for(n_nodes: int, n_arcs: int, depth: int) -> _Room:
    """Make room for graphs with at most so many vertices and arcs."""
    by_depth = (depth + 1, n_nodes)
    return _Room(
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


class _Found(NamedTuple):
    """The labels of a graph, their runs, and a table of their numbers by hash."""

    labels: NDArray[Any]
    runs: NDArray[Any]
    places: NDArray[np.uint32]
    mask: Any


class _Used(NamedTuple):
    """How many labels and runs of a graph have been found."""

    labels: np.int64
    runs: np.int64


@njit(cache=True, nogil=True)
def twins(start, stop, batch, levels, between):
    """Let one leaf stand for others that hang on the same vertex and can never be told apart.

    `between` are :func:`grafik.graphs.label_hashes.arc_hashes`. Where these are None, what they are
    used for is not even compiled.

    Return how often each vertex of graphs start..stop counts: 0 times if another stands for it.
    """
    node_ptr, edge_ptr, edges = batch.node_ptr, batch.edge_ptr, batch.edges
    vertices, node0 = batch.vertices, batch.node_ptr[start]
    n = node_ptr[stop] - node0
    n_neighbors, times = np.zeros(n, np.int64), np.empty(n, np.int64)
    leaf_of, arc_of = np.empty(n, np.int64), np.empty(n, np.int64)
    for v in range(n):
        times[v], leaf_of[v] = 1, -1
    for graph in range(start, stop):
        base = node_ptr[graph] - node0
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            n_neighbors[base + edges[edge, 0]] += 1
            n_neighbors[base + edges[edge, 1]] += 1
    for graph in range(start, stop):
        base = node_ptr[graph] - node0
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            hub, leaf, arc = base + edges[edge, 0], base + edges[edge, 1], 2 * edge
            if n_neighbors[hub] == 1:
                hub, leaf, arc = leaf, hub, arc + 1
            if n_neighbors[leaf] != 1:
                continue
            other = leaf_of[hub]
            alike = other >= 0 and vertices[node0 + leaf] == vertices[node0 + other]
            alike = alike and levels[edge] == levels[arc_of[hub] // 2]
            if between is not None:
                alike = alike and between[arc] == between[arc_of[hub]]
            if alike:
                times[other] += 1
                times[leaf] = 0
            else:
                leaf_of[hub], arc_of[hub] = leaf, arc
    return times


@njit(cache=True, nogil=True)
def by_level(start, stop, batch, levels, n_levels, times):
    """Sort the edges of each graph by the level at which they enter, without those to twins."""
    node_ptr, edge_ptr, edges = batch.node_ptr, batch.edge_ptr, batch.edges
    first, last, node0 = edge_ptr[start], edge_ptr[stop], node_ptr[start]
    free = np.zeros(n_levels + 1, np.int64)
    ptr = np.zeros(stop - start + 1, np.int64)
    graph_of = np.empty(last - first, np.int64)
    for graph in range(start, stop):
        base = node_ptr[graph] - node0
        ptr[graph - start + 1] = ptr[graph - start]
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            graph_of[edge - first] = -1
            if times[base + edges[edge, 0]] and times[base + edges[edge, 1]]:
                graph_of[edge - first] = graph - start
                free[levels[edge] + 1] += 1
                ptr[graph - start + 1] += 2
    for level in range(n_levels):
        free[level + 1] += free[level]
    sorted_edges = np.empty(ptr[-1] // 2, np.int64)
    for edge in range(first, last):
        if graph_of[edge - first] >= 0:
            sorted_edges[free[levels[edge]]] = edge
            free[levels[edge]] += 1
    arcs, place = np.empty(ptr[-1], _ARC), ptr[:-1].copy()
    for edge in sorted_edges:
        graph = graph_of[edge - first]
        for side in range(2):
            arc = arcs[place[graph]]
            arc.vertex, arc.neighbor = edges[edge, side], edges[edge, 1 - side]
            arc.level, arc.number = levels[edge], 2 * edge + side
            place[graph] += 1
    return Arcs(ptr, arcs)


def count_labels(start, stop, batch, arcs, times, between, depth):
    """Count the labels of graphs start..stop while their edges enter; return Counts."""
    n_most = int(np.diff(batch.node_ptr[start : stop + 1]).max(initial=1))
    room = room_for(n_most, int(np.diff(arcs.ptr).max(initial=1)), depth)
    return _count(start, stop, batch, arcs, times, between, room)


@njit(cache=True, nogil=True)
def _count(start, stop, batch, arcs, times, between, room):
    """Count the labels of graphs start..stop while their edges enter.

    A label is computed again only where something it is made of has changed: the sum over the
    neighbours is kept for each vertex and depth, and what changes at one depth is added to the sums
    of the neighbours at the next. Where most labels have changed, the sums are made anew.
    """
    # Plain numbers as arguments have a type of their own: all would be compiled again.
    zero, node0 = np.int64(0), batch.node_ptr[start]
    lists, labels, visits, depth = room.lists, room.labels, room.visits, len(room.labels.hashes) - 1
    found = _Found(np.empty(256, _LABEL), np.empty(512, _RUN), np.empty(512, np.uint32), zero)
    done, moment, n_rows = _Used(zero, zero), zero, np.empty(stop - start, np.int64)
    rows = np.empty((depth + 1) * (batch.node_ptr[stop] - node0), _ROW)
    runs = np.empty(len(rows), _KEPT_RUN)
    for i in range(stop - start):
        first, last = batch.node_ptr[start + i], batch.node_ptr[start + i + 1]
        own_arcs = arcs.arcs[arcs.ptr[i] : arcs.ptr[i + 1]]
        graph = _Graph(batch.vertices[first:last], times[first - node0 : last - node0], own_arcs)
        n_alive = begin(graph, lists)
        used, at, level = _Used(zero, zero), zero, zero
        while True:
            entering = enter(level, at, graph, lists)
            found = _with_space(found, used, (depth + 1) * n_alive)
            n_changed = zero
            # From level 0 on, no label of depth 0 changes.
            for d in range(np.int64(level > 0), depth + 1):
                moment += 1
                if level == 0 or 2 * n_changed > n_alive:
                    n_touched = refill(d, graph, lists, labels, visits, between)
                else:
                    n_touched = pass_on(d, n_changed, graph, lists, labels, visits, moment, between)
                    n_touched = add_entering(
                        d, entering, n_touched, graph, labels, visits, moment, between
                    )
                n_changed = _relabel(d, level, n_touched, graph, labels, visits)
                used = _note(d, level, n_changed, graph, labels, visits, found, used)
            close(entering, lists)
            at += len(entering)
            if at == len(own_arcs):
                break
            level = np.int64(own_arcs[at].level)
        if done.labels + used.labels > len(rows):
            rows = grown(rows, done.labels, 2 * (done.labels + used.labels))
        if done.runs + used.runs > len(runs):
            runs = grown(runs, done.runs, 2 * (done.runs + used.runs))
        done = _write(found, used, rows, runs, done)
        n_rows[i] = used.labels
    return Counts(n_rows, rows[: done.labels], runs[: done.runs])


@piece
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


@piece
def enter(level, at, graph, lists):
    """Put the arcs of a level, the first of which is at `at`, into the lists; return them."""
    arcs, end, neighbors, numbers = graph.arcs, lists.end, lists.neighbors, lists.arcs
    stop = at
    while stop < len(arcs) and arcs[stop].level == level:
        v = arcs[stop].vertex
        neighbors[end[v]] = arcs[stop].neighbor
        numbers[end[v]] = arcs[stop].number
        end[v] += 1
        stop += 1
    return arcs[at:stop]


@piece
def close(entering, lists):
    """Let what has entered count as there before."""
    old_end, end = lists.old_end, lists.end
    for i in range(len(entering)):
        v = entering[i].vertex
        old_end[v] = end[v]


@apart
def _with_space(found, used, most):
    """Return space for `most` more labels, and twice as many runs.

    Here and not where it is needed, as even the question takes time.
    """
    labels, runs, places, mask = found.labels, found.runs, found.places, found.mask
    if used.runs + 2 * most >= _NONE:
        raise MemoryError("a graph has more than 4 billion changes of labels")
    if used.labels + most > len(labels):
        labels = grown(labels, used.labels, 2 * (used.labels + most))
    if used.runs + 2 * most > len(runs):
        runs = grown(runs, used.runs, 2 * (used.runs + 2 * most))
    if used.labels == 0 or 2 * (used.labels + most) > mask + 1:
        size, factor = 1, 8 if used.labels + most < _LARGE else 2
        while size < factor * (used.labels + most):
            size *= 2
        if size > len(places):
            places = np.empty(size, np.uint32)
        mask = np.int64(size - 1)
        _place(labels, used.labels, places, np.uint64(mask))
    return _Found(labels, runs, places, mask)


@piece
def _place(labels, n_labels, places, mask):
    """Put the numbers of labels into a table, by hash."""
    for place in range(mask + np.uint64(1)):
        places[place] = _NONE
    for number in range(n_labels):
        place = labels[number].hash & mask
        while places[place] != _NONE:
            place = (place + np.uint64(1)) & mask
        places[place] = number


@piece
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


@piece
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


@piece
def add_entering(d, entering, n_touched, graph, labels, visits, moment, between):
    """Add new neighbours to the sums; return how many vertices are touched now."""
    hashes, around, times = labels.hashes, labels.around, graph.times
    touched, seen = visits.touched, visits.seen
    for i in range(len(entering)):
        v, u = entering[i].vertex, entering[i].neighbor
        label = hashes[d - 1, u]
        if between is not None:
            label ^= between[entering[i].number]
        around[d, v] += np.uint64(times[u]) * mix_other(label)
        n_touched = touch(v, touched, n_touched, seen, moment)
    return n_touched


@piece
def touch(v, touched, n_touched, seen, moment):
    """Add a vertex to those to look at, once; return how many there are.

    There must be a place behind all of them: it is written before it is counted, as that is faster.
    """
    touched[n_touched] = v
    n_touched += seen[v] != moment
    seen[v] = moment
    return n_touched


@piece
def _relabel(d, level, n_touched, graph, labels, visits):
    """Compute the labels of the vertices to look at; return how many have changed."""
    hashes, around, vertices = labels.hashes, labels.around, graph.vertices
    touched, changed, before = visits.touched, visits.changed, visits.before
    n_changed = 0
    for i in range(n_touched):
        v = touched[i]
        label = mix(vertices[v]) if d == 0 else relabelled(hashes[d - 1, v], around[d, v], d)
        if level > 0 and label == hashes[d, v]:
            continue
        before[n_changed] = hashes[d, v]
        changed[n_changed] = v
        n_changed += 1
        hashes[d, v] = label
    return n_changed


@piece
def _note(d, level, n_changed, graph, labels, visits, found, used):
    """Count changed vertices with their new label, and no more with the old one."""
    known, runs, places, mask = found.labels, found.runs, found.places, np.uint64(found.mask)
    hashes, numbers, changed = labels.hashes, labels.numbers, visits.changed
    times, n_known, n_runs = graph.times, used.labels, used.runs
    for i in range(n_changed):
        v = changed[i]
        label = hashes[d, v]
        place = label & mask
        number = places[place]
        while number != _NONE and (known[number].hash != label or known[number].depth != d):
            place = (place + np.uint64(1)) & mask
            number = places[place]
        if number == _NONE:
            number = places[place] = np.uint32(n_known)
            known[number].hash, known[number].depth = label, d
            known[number].first = known[number].last = _NONE
            n_known += 1
        gone, numbers[d, v] = numbers[d, v], number
        n_runs = _add(number, level, times[v], known, runs, n_runs)
        if level > 0:
            n_runs = _add(gone, level, -times[v], known, runs, n_runs)
    return _Used(n_known, n_runs)


@piece
def _add(number, level, change, known, runs, n_runs):
    """Add to the occurrences of a label from a level on; return how many runs there are."""
    label = known[number]
    run = label.last
    if run == _NONE or runs[run].level != level:
        new = np.uint32(n_runs)
        runs[new].level, runs[new].count, runs[new].next = level, 0, _NONE
        if run == _NONE:
            label.first = new
        else:
            runs[new].count = runs[run].count
            runs[run].next = new
        label.last = run = new
        n_runs += 1
    runs[run].count += change
    return n_runs


@piece
def _write(found, used, rows, all_runs, done):
    """Write the labels of a graph and their runs, without those that change nothing."""
    known, runs = found.labels, found.runs
    n_rows, n_runs = done.labels, done.runs
    for number in range(used.labels):
        label = known[number]
        begun, shown, run = n_runs, 0, label.first
        while run != _NONE:
            if runs[run].count != shown:
                shown = runs[run].count
                all_runs[n_runs].level, all_runs[n_runs].count = runs[run].level, shown
                n_runs += 1
            run = runs[run].next
        row = rows[n_rows]
        row.hash, row.depth, row.n_runs = label.hash, label.depth, n_runs - begun
        n_rows += 1
    return _Used(n_rows, n_runs)


@apart
def grown(array, used, size):
    """Return a longer array that starts with what is in use."""
    longer = np.empty(size, array.dtype)
    for i in range(used):
        longer[i] = array[i]
    return longer
