"""Counting Weisfeiler-Lehman labels: which of them change when, and how often each occurs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import loop, part, record, uncompiled
from ..arrays.hashing import mix, relabelled
from .wl_changes import Graph, add_entering, begin, close, enter, pass_on, refill, room_for

# A label of a graph, with the first and the last of its runs.
_LABEL = record(
    [("hash", np.uint64), ("depth", np.int32), ("first", np.uint32), ("last", np.uint32)],
    align=True,
)
_RUN = record([("level", np.int32), ("count", np.int32), ("next", np.uint32)])
# What is kept of them.
_ROW = record([("hash", np.uint64), ("depth", np.int32), ("n_runs", np.int32)])
_KEPT_RUN = record([("level", np.int32), ("count", np.int32)])
# In place of the number of a label or run.
_NONE = np.uint32(0xFFFFFFFF)
# A table has 8 places for each label, which saves time; with more labels than this, it has 2.
_LARGE = 1 << 16
# After so many places or labels it is time to look at the flag again.
_OFTEN = 1 << 20
# How far the counting has got: the graph and level, the next arc, how often vertices were looked
# at, the vertices that count; labels and runs of this graph, and of those before it; the table.
_STATE = record(
    [
        (name, np.int64)
        for name in (
            *("graph", "level", "at", "moment", "alive"),
            *("labels", "runs", "rows", "kept_runs", "mask"),
        )
    ]
)
# In place of the level: all have been looked at.
_DONE = -1


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


class _Block(NamedTuple):
    """The graphs of a block, how many labels each turns out to have, and a flag to stop at."""

    node_ptr: NDArray[np.int64]
    vertices: NDArray[np.uint64]
    arc_ptr: NDArray[np.int64]
    arcs: NDArray[Any]
    times: NDArray[np.int64]
    n_rows: NDArray[np.int64]
    flag: NDArray[np.uint8]


class _Found(NamedTuple):
    """The labels of a graph, their runs, and a table of their numbers by hash."""

    labels: NDArray[Any]
    runs: NDArray[Any]
    places: NDArray[np.uint32]


class _Kept(NamedTuple):
    """The labels of all graphs so far, and their runs."""

    rows: NDArray[Any]
    runs: NDArray[Any]


class _Step(NamedTuple):
    """The level at hand, and one less than the number of places in the table."""

    level: np.int64
    mask: np.uint64


class _Used(NamedTuple):
    """How many labels and runs of a graph have been found."""

    labels: np.int64
    runs: np.int64


def count_labels(start, stop, batch, arcs, times, between, depth, flag):
    """Count the labels of graphs start..stop while their edges enter; return Counts."""
    node_ptr = batch.node_ptr[start : stop + 1]
    n_most, n_all = int(np.diff(node_ptr).max(initial=1)), int(node_ptr[-1] - node_ptr[0])
    room = room_for(n_most, int(np.diff(arcs.ptr).max(initial=1)), depth)
    n_rows = np.empty(stop - start, np.int64)
    block = _Block(node_ptr, batch.vertices, arcs.ptr, arcs.arcs, times, n_rows, flag)
    # Enough for most graphs: each time that there is too little, all stops.
    likely = 2 * (depth + 1) * n_most
    places = np.empty(uncompiled(table_size)(likely), np.uint32)
    found = _Found(np.empty(likely, _LABEL), np.empty(2 * likely, _RUN), places)
    likely = 2 * (depth + 1) * n_all  # pages that are not written to take no memory
    kept = _Kept(np.empty(likely, _ROW), np.empty(2 * likely, _KEPT_RUN))
    state = np.zeros(1, _STATE)
    while _count(state, block, between, room, found, kept):
        found, kept = _with_space(state[0], found, kept, depth)
    return Counts(block.n_rows, kept.rows[: state[0]["rows"]], kept.runs[: state[0]["kept_runs"]])


def _with_space(state, found, kept, depth):
    """Return longer arrays where the next step needs them: compiled loops do not allocate."""
    n_labels, n_runs = int(state["labels"]), int(state["runs"])
    if state["level"] == _DONE:
        rows = _longer(kept.rows, int(state["rows"]), n_labels)
        return found, _Kept(rows, _longer(kept.runs, int(state["kept_runs"]), n_runs))
    most = (depth + 1) * int(state["alive"])
    if n_runs + 2 * most >= _NONE:
        raise MemoryError("a graph has more than 4 billion changes of labels")
    places, size = found.places, uncompiled(table_size)(n_labels + most)
    if size > len(places):
        # Without a mask, the labels are put into the table anew.
        places, state["mask"] = np.empty(size, np.uint32), 0
    labels = _longer(found.labels, n_labels, most)
    return _Found(labels, _longer(found.runs, n_runs, 2 * most), places), kept


def _longer(array, used, more):
    """Return an array with space for more than what is in use, at least twice as long if longer."""
    if used + more <= len(array):
        return array
    longer = np.empty(2 * (used + more), array.dtype)
    longer[:used] = array[:used]
    return longer


@part
def table_size(n_labels):
    """Return the length of a table for so many labels: a power of two."""
    size, least = 1, 8 * n_labels if n_labels < _LARGE else 2 * n_labels
    while size < least:
        size *= 2
    return size


@loop
def _count(state, block, between, room, found, kept):
    """Count the labels of graphs while their edges enter; return whether there is more to do.

    A label is computed again only where something it is made of has changed: the sum over the
    neighbours is kept for each vertex and depth, and what changes at one depth is added to the sums
    of the neighbours at the next. Where most labels have changed, the sums are made anew.

    Each step is one level of one graph. If there is no space for it, the state says how far we got.
    If the flag is raised, there is nothing more to do.
    """
    now, lists, labels, visits = state[0], room.lists, room.labels, room.visits
    i, at, level, moment, n_alive = now.graph, now.at, now.level, now.moment, now.alive
    used, done, mask = _Used(now.labels, now.runs), _Used(now.rows, now.kept_runs), now.mask
    depth, node0 = len(labels.hashes) - 1, block.node_ptr[0]
    while i < len(block.n_rows):
        first, last = block.node_ptr[i], block.node_ptr[i + 1]
        graph = Graph(
            block.vertices[first:last],
            block.times[first - node0 : last - node0],
            block.arcs[block.arc_ptr[i] : block.arc_ptr[i + 1]],
        )
        if level == 0:
            n_alive, at, used = begin(graph, lists), np.int64(0), _Used(np.int64(0), np.int64(0))
        if level >= 0:
            most = (depth + 1) * n_alive
            if used.labels + most > len(found.labels) or used.runs + 2 * most > len(found.runs):
                break
            if used.labels == 0 or 2 * (used.labels + most) > mask + 1:
                size = table_size(used.labels + most)
                if size > len(found.places):
                    break
                mask = size - 1
                _place(found.labels, used.labels, found.places, np.uint64(mask), block.flag)
            stop = enter(level, at, graph, lists)
            n_changed = np.int64(0)
            # From level 0 on, no label of depth 0 changes.
            for d in range(np.int64(level > 0), depth + 1):
                if block.flag[0] != 0:
                    return False
                moment += 1
                if level == 0 or 2 * n_changed > n_alive:
                    n_touched = refill(d, graph, lists, labels, visits, between)
                else:
                    n_touched = pass_on(d, n_changed, graph, lists, labels, visits, moment, between)
                    n_touched = add_entering(
                        d, (at, stop), n_touched, graph, labels, visits, moment, between
                    )
                n_changed = _relabel(d, level, n_touched, graph, labels, visits)
                step = _Step(level, np.uint64(mask))
                used = _note(d, step, n_changed, graph, labels, visits, found, used)
            close(at, stop, graph, lists)
            at = stop
            if at < len(graph.arcs):
                level = np.int64(graph.arcs[at].level)
                continue
            level = np.int64(_DONE)
        if done.labels + used.labels > len(kept.rows) or done.runs + used.runs > len(kept.runs):
            break
        done = _write(found, used, kept.rows, kept.runs, done, block.flag)
        block.n_rows[i] = used.labels
        i, level = i + 1, np.int64(0)
    now.graph, now.at, now.level, now.moment, now.alive = i, at, level, moment, n_alive
    now.labels, now.runs, now.rows, now.kept_runs = used.labels, used.runs, done.labels, done.runs
    now.mask = mask
    return i < len(block.n_rows)


@part
def _place(labels, n_labels, places, mask, flag):
    """Put the numbers of labels into a table, by hash."""
    size = np.int64(mask) + 1
    for start in range(0, size, _OFTEN):
        if flag[0] != 0:
            return
        stop = start + _OFTEN
        for place in range(start, stop if stop < size else size):
            places[place] = _NONE
    for number in range(n_labels):
        place = labels[number].hash & mask
        while places[place] != _NONE:
            place = (place + np.uint64(1)) & mask
        places[place] = number


@part
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


@part
def _note(d, step, n_changed, graph, labels, visits, found, used):
    """Count changed vertices with their new label, and no more with the old one."""
    known, runs, places = found.labels, found.runs, found.places
    level, mask = step
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


@part
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


@part
def _write(found, used, rows, all_runs, done, flag):
    """Write the labels of a graph and their runs, without those that change nothing."""
    known, runs = found.labels, found.runs
    n_rows, n_runs = done.labels, done.runs
    for number in range(used.labels):
        if number % _OFTEN == 0 and flag[0] != 0:
            break
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
