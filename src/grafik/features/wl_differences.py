"""The first Weisfeiler-Lehman label that occurs more often in one of two graphs than in the other.

Both graphs are followed together, level by level, and one depth after the other: what has changed
at one depth is kept, and is all that the next depth looks at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import apart, njit, piece, record
from ..arrays.growing import grown
from ..arrays.hashing import mix, relabelled
from ..arrays.offsets import frozen
from ..graphs.batch import Graphs
from ..graphs.label_hashes import arc_hashes, vertex_hashes
from ..system.threads import Flag, watched
from .steps import Batch
from .wl_arcs import by_level, twins
from .wl_changes import add_entering, begin, close, enter, pass_on, refill, room_for

# A vertex gets a label.
_CHANGE = record([("label", np.uint64), ("level", np.int32), ("vertex", np.uint32)])
# A label, and how much more often it occurs in the first graph than in the second.
_SURPLUS = record([("label", np.uint64), ("count", np.int64)])
_NONE = np.uint32(0xFFFFFFFF)  # in place of the number of a label


class _Pair(NamedTuple):
    """Two graphs as one: vertices from `n_first` on belong to the second.

    The other fields are those of one graph in :mod:`grafik.features.wl_changes`.
    """

    n_first: int
    vertices: NDArray[np.uint64]
    times: NDArray[np.int64]
    arcs: NDArray[Any]


class Difference(NamedTuple):
    """Where two graphs differ first: at the least depth, there at the first level.

    Attributes
    ----------
    depth, level : int
    feature : int
        The least hash of a label that occurs more often in one graph than in the other.
    vertices : (ndarray, ndarray)
        The vertices of the two graphs that have this label at this level, increasing.
    """

    depth: int
    level: int
    feature: int
    vertices: tuple[NDArray[np.int64], NDArray[np.int64]]


def first_difference(
    pair: Graphs, levels: NDArray[np.int32], n_levels: int, depth: int, edge_labels: bool
) -> Difference | None:
    """Find where two graphs differ first, or None if they do not up to this depth.

    Parameters
    ----------
    pair : Graphs
        A batch of two.
    levels : ndarray of int32
        The level at which each edge enters.
    n_levels : int
    depth : int
        The largest one to look at. The search ends before if a depth tells no more vertices and
        levels apart than the one before: then no other will.
    edge_labels : bool
        Whether labels of edges count.
    """
    whole, n_first = _as_one(pair), int(pair.n_nodes[0])
    between = arc_hashes(pair, edge_labels)
    times = twins(0, 1, whole, levels, between)
    arcs = by_level(0, 1, whole, levels, n_levels, times).arcs
    graph = _Pair(n_first, whole.vertices, times, arcs)
    found = watched(lambda flag: _search(graph, between, depth, flag))
    if found is None:
        return None
    d, level, feature, labels = found
    if not times.all():
        # Leaves for which others stand have no label of their own: follow all vertices to there.
        times, later = np.ones_like(times), (levels > level).astype(np.int32)
        arcs = by_level(0, 1, whole, later, 2, times).arcs
        graph = _Pair(n_first, whole.vertices, times, arcs)
        found = watched(lambda flag: _search(graph, between, d, flag))
        assert found is not None
        labels = found[-1]
    first, second = labels[:n_first], labels[n_first:]
    places = np.flatnonzero(first == feature), np.flatnonzero(second == feature)
    return Difference(d, level, int(feature), places)


def _as_one(pair: Graphs) -> Batch:
    """Return two graphs as one that falls into two parts."""
    shift = np.repeat(pair.node_ptr[:-1], pair.n_edges).astype(pair.edges.dtype)
    return Batch(
        frozen(pair.node_ptr[[0, -1]]),
        frozen(pair.edge_ptr[[0, -1]]),
        frozen(pair.edges + shift[:, None]),
        vertex_hashes(pair),
    )


def _search(
    graph: _Pair, between: NDArray[np.uint64] | None, depth: int, flag: Flag
) -> tuple[int, int, np.uint64, NDArray[np.uint64]] | None:
    """Return depth, level and label of the first difference, and the labels of all vertices."""
    changes, n_labels = np.empty(0, _CHANGE), 0
    room = room_for(len(graph.times), max(len(graph.arcs), 1), 1)
    for d in range(depth + 1):
        if flag[0]:
            break
        room.visits.seen[:] = 0
        level, label, n_now, changes = _follow(d, graph, between, changes, room, d < depth)
        if level >= 0:
            return d, int(level), np.uint64(label), room.labels.hashes[1]
        if n_now == n_labels:
            return None
        n_labels = n_now
    return None


@njit(cache=True, nogil=True)
def _follow(d, graph, between, known, room, keep):
    """Follow the labels of depth `d` while edges enter, until they differ.

    `known` are the changes of the labels of the depth before. In `room`, row 0 is for the
    labels of the depth before, row 1 for those of this one.

    Return the level, or -1 if there is no difference; the least label that differs there; the
    number of labels; and, if they are to be kept, all changes.
    """
    lists, labels, visits = room.lists, room.labels, room.visits
    hashes, changed, before = labels.hashes, visits.changed, visits.before
    surplus, places = np.empty(0, _SURPLUS), np.empty(0, np.uint32)
    # Every change at the depth before is one at this depth, too, and often there are many more.
    changes, n_changes = np.empty(4 * len(known) if keep else 0, _CHANGE), np.int64(0)
    n_alive, row = begin(graph, lists), np.int64(d > 0)
    n_known = n_apart = moment = at = read = level = np.int64(0)
    while True:
        stop = enter(level, at, graph, lists)
        n_changed, moment = np.int64(0), moment + 1
        while read < len(known) and known[read].level == level:
            v = known[read].vertex
            changed[n_changed], before[n_changed] = v, hashes[0, v]
            hashes[0, v] = known[read].label
            n_changed += 1
            read += 1
        if level == 0 or 2 * n_changed > n_alive:
            n_touched = refill(row, graph, lists, labels, visits, between)
        else:
            n_touched = pass_on(row, n_changed, graph, lists, labels, visits, moment, between)
            n_touched = add_entering(
                row, (at, stop), n_touched, graph, labels, visits, moment, between
            )
        surplus, places = _with_space(surplus, places, n_known, n_touched)
        if keep and n_changes + n_touched > len(changes):
            changes = grown(changes, n_changes, 2 * (n_changes + n_touched))
        for i in range(n_touched):
            v = visits.touched[i]
            if d == 0:
                label = mix(graph.vertices[v])
            else:
                label = relabelled(hashes[0, v], labels.around[1, v], d)
            if level > 0 and label == hashes[1, v]:
                continue
            many = graph.times[v] if v < graph.n_first else -graph.times[v]
            if level > 0:
                n_apart += _add(surplus, labels.numbers[1, v], -many)
            number = _number(label, surplus, places, n_known)
            n_known = max(n_known, np.int64(number) + 1)
            n_apart += _add(surplus, number, many)
            hashes[1, v], labels.numbers[1, v] = label, number
            if keep:
                change = changes[n_changes]
                change.label, change.level, change.vertex = label, level, v
                n_changes += 1
        if n_apart > 0:
            return level, _least(surplus, n_known), n_known, changes[:0]
        close(at, stop, graph, lists)
        at = stop
        if at == len(graph.arcs) or d == 0:  # labels of depth 0 never change
            return np.int64(-1), np.uint64(0), n_known, changes[:n_changes]
        level = np.int64(graph.arcs[at].level)


@apart
def _with_space(surplus, places, n_known, more):
    """Return space for more labels: where they are counted, and a table of their numbers."""
    if n_known + more >= _NONE:
        raise MemoryError("two graphs have more than 4 billion labels")
    if n_known + more > len(surplus):
        surplus = grown(surplus, n_known, 2 * (n_known + more))
    if 2 * (n_known + more) > len(places):
        size = 1
        while size < 2 * (n_known + more):
            size *= 2
        places = np.full(size, _NONE)
        for number in range(n_known):
            places[_place(surplus[number].label, surplus, places)] = number
    return surplus, places


@piece
def _place(label, surplus, places):
    """Return the place of a label in the table, or the free one to put it."""
    mask = np.uint64(len(places) - 1)
    place = label & mask
    while places[place] != _NONE and surplus[places[place]].label != label:
        place = (place + np.uint64(1)) & mask
    return place


@piece
def _number(label, surplus, places, n_known):
    """Return the number of a label, which gets the next one if it is new."""
    place = _place(label, surplus, places)
    if places[place] == _NONE:
        places[place] = np.uint32(n_known)
        surplus[n_known].label, surplus[n_known].count = label, 0
    return places[place]


@piece
def _add(surplus, number, many):
    """Add to the surplus of a label; return how many more labels differ now."""
    count = surplus[number].count
    surplus[number].count = count + many
    return np.int64(count + many != 0) - np.int64(count != 0)


@apart
def _least(surplus, n_known):
    """Return the least label that occurs more often in one graph."""
    least = ~np.uint64(0)
    for number in range(n_known):
        if surplus[number].count != 0:
            least = min(least, surplus[number].label)
    return least
