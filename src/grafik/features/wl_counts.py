"""Loops behind Weisfeiler-Lehman labels: which label changes when, and how often each occurs."""

import numpy as np
from numba import njit

from ..arrays.hashing import mix, mix_other, relabelled

# A label of a graph, with the first and the last of its runs.
_LABEL = np.dtype(
    [("hash", np.uint64), ("depth", np.int32), ("first", np.uint32), ("last", np.uint32)],
    align=True,
)
_RUN = np.dtype([("level", np.int32), ("count", np.int32), ("next", np.uint32)])
# What is kept of them.
_ROW = np.dtype([("depth", np.int32), ("n_runs", np.int32)])
_KEPT_RUN = np.dtype([("level", np.int32), ("count", np.int32)])
# In place of the number of a label or run.
_NONE = np.uint32(0xFFFFFFFF)
# Tables of labels have much room, which saves time, unless there are so many.
_LARGE = 1 << 16


@njit(cache=True, nogil=True)
def twins(start, stop, node_ptr, edge_ptr, edges, levels, vertices, between):
    """Let one leaf stand for others that hang on the same vertex and can never be told apart.

    Without edge labels, `between` is None; what it is used for is not even compiled then.

    Return for each vertex of graphs start..stop how many it stands for: 0 if another one does.
    """
    node0 = node_ptr[start]
    n = node_ptr[stop] - node0
    n_neighbors, stands_for = np.zeros(n, np.int64), np.empty(n, np.int64)
    leaf_of, edge_of = np.empty(n, np.int64), np.empty(n, np.int64)
    for v in range(n):
        stands_for[v] = 1
        leaf_of[v] = -1
    for graph in range(start, stop):
        base = node_ptr[graph] - node0
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            n_neighbors[base + edges[edge, 0]] += 1
            n_neighbors[base + edges[edge, 1]] += 1
    for graph in range(start, stop):
        base = node_ptr[graph] - node0
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            hub, leaf = base + edges[edge, 0], base + edges[edge, 1]
            if n_neighbors[hub] == 1:
                hub, leaf = leaf, hub
            if n_neighbors[leaf] != 1:
                continue
            other = leaf_of[hub]
            alike = other >= 0 and vertices[node0 + leaf] == vertices[node0 + other]
            alike = alike and levels[edge] == levels[edge_of[hub]]
            if between is not None:
                alike = alike and between[edge] == between[edge_of[hub]]
            if alike:
                stands_for[other] += 1
                stands_for[leaf] = 0
            else:
                leaf_of[hub], edge_of[hub] = leaf, edge
    return stands_for


@njit(cache=True, nogil=True)
def by_level(start, stop, node_ptr, edge_ptr, edges, levels, n_levels, stands_for):
    """Sort the edges of each graph by the level at which they enter, without those to twins.

    Return where those of each graph start, and the edges.
    """
    first, last, node0 = edge_ptr[start], edge_ptr[stop], node_ptr[start]
    free = np.zeros(n_levels + 1, np.int64)
    order_ptr = np.zeros(stop - start + 1, np.int64)
    graph_of = np.empty(last - first, np.int64)
    for graph in range(start, stop):
        base = node_ptr[graph] - node0
        order_ptr[graph - start + 1] = order_ptr[graph - start]
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            graph_of[edge - first] = -1
            if stands_for[base + edges[edge, 0]] and stands_for[base + edges[edge, 1]]:
                graph_of[edge - first] = graph - start
                free[levels[edge] + 1] += 1
                order_ptr[graph - start + 1] += 1
    for level in range(n_levels):
        free[level + 1] += free[level]
    sorted_edges = np.empty(order_ptr[-1], np.int64)
    for edge in range(first, last):
        if graph_of[edge - first] >= 0:
            sorted_edges[free[levels[edge]]] = edge
            free[levels[edge]] += 1
    order, place = np.empty(order_ptr[-1], np.int64), order_ptr[:-1].copy()
    for edge in sorted_edges:
        graph = graph_of[edge - first]
        order[place[graph]] = edge
        place[graph] += 1
    return order_ptr, order


@njit(cache=True, nogil=True)
def count_labels(
    start, stop, node_ptr, edges, levels, order_ptr, order, vertices, between, stands_for, depth
):
    """Count the labels of graphs start..stop while their edges enter.

    A label is computed again only where something it is made of has changed: the sum over the
    neighbours is kept for each vertex and depth, and what changes at one depth is added to the sums
    of the neighbours at the next. Where most labels have changed, the sums are made anew.

    Return the number of labels of each graph; the hash of each label; its depth and number of runs;
    level and number of occurrences of each run.
    """
    n_most, m_most = 1, 1
    for graph in range(start, stop):
        n_most = max(n_most, node_ptr[graph + 1] - node_ptr[graph])
        m_most = max(m_most, order_ptr[graph - start + 1] - order_ptr[graph - start])
    labels = np.empty((depth + 1, n_most), np.uint64)
    around = np.empty((depth + 1, n_most), np.uint64)
    row_of = np.empty((depth + 1, n_most), np.uint32)
    first, entered = np.empty(n_most + 1, np.int64), np.empty(n_most, np.int64)
    # Unsigned numbers do not count from the end, which saves a test for each neighbour.
    neighbors, edge_of = np.empty(2 * m_most, np.uint32), np.empty(2 * m_most, np.int64)
    touched, changed = np.empty(n_most, np.uint32), np.empty(n_most, np.uint32)
    before, seen = np.empty(n_most, np.uint64), np.zeros(n_most, np.int64)
    mixed, now = np.empty(n_most, np.uint64), np.empty(n_most, np.int64)
    known, runs, places = np.empty(256, _LABEL), np.empty(512, _RUN), np.empty(512, np.uint32)
    # Plain numbers as arguments have a type of their own: all would be compiled again.
    zero, one = np.int64(0), np.int64(1)
    n_rows = np.zeros(stop - start, np.int64)
    n_labels = (depth + 1) * (node_ptr[stop] - node_ptr[start])
    hashes, rows = np.empty(n_labels, np.uint64), np.empty(n_labels, _ROW)
    all_runs = np.empty(n_labels, _KEPT_RUN)
    rows_done, runs_done, moment = zero, zero, 0
    for graph in range(start, stop):
        node0, at, last = node_ptr[graph], order_ptr[graph - start], order_ptr[graph - start + 1]
        n = node_ptr[graph + 1] - node0
        times = stands_for[node0 - node_ptr[start] :]
        for v in range(n + 1):
            first[v] = 0
        for i in range(at, last):
            for side in range(2):
                first[edges[order[i], side] + 1] += 1
        n_alive = 0
        for v in range(n):
            first[v + 1] += first[v]
            entered[v] = now[v] = first[v]
            n_alive += times[v] > 0
        level, n_changed, n_known, n_runs, size = 0, 0, zero, zero, one
        while True:
            end = at
            while end < last and levels[order[end]] == level:
                for side in range(2):
                    v = edges[order[end], side]
                    neighbors[now[v]] = edges[order[end], 1 - side]
                    edge_of[now[v]] = order[end]
                    now[v] += 1
                end += 1
            # Here and not where it is needed, as even the question takes time.
            most = (depth + 1) * n_alive
            if n_runs + 2 * most >= _NONE:
                raise MemoryError("a graph has more than 4 billion changes of labels")
            if n_known + most > len(known):
                known = grown(known, n_known, 2 * (n_known + most))
            if n_runs + 2 * most > len(runs):
                runs = grown(runs, n_runs, 2 * (n_runs + 2 * most))
            if 2 * (n_known + most) > size:
                room = 8 if n_known + most < _LARGE else 2
                while size < room * (n_known + most):
                    size *= 2
                if size > len(places):
                    places = np.empty(size, np.uint32)
                _place(known, n_known, places, size)
            mask = np.uint64(size - 1)
            for d in range(depth + 1):
                moment += 1
                n_touched = 0
                if level == 0 or 2 * n_changed > n_alive:
                    for v in range(n):
                        touched[n_touched] = v
                        n_touched += times[v] > 0
                        if d > 0:
                            mixed[v] = np.uint64(times[v]) * mix_other(labels[d - 1, v])
                    for v in range(n if d > 0 else 0):
                        total = np.uint64(0)
                        for j in range(first[v], now[v]):
                            u = neighbors[j]
                            if between is not None:
                                label = labels[d - 1, u] ^ between[edge_of[j]]
                                mixed[u] = np.uint64(times[u]) * mix_other(label)
                            total += mixed[u]
                        around[d, v] = total
                else:
                    for i in range(n_changed):
                        u, old = changed[i], before[i]
                        new, many = labels[d - 1, u], np.uint64(times[u])
                        more = many * (mix_other(new) - mix_other(old))
                        if seen[u] != moment:
                            touched[n_touched] = u
                            seen[u] = moment
                            n_touched += 1
                        for j in range(first[u], entered[u]):
                            v = neighbors[j]
                            if between is not None:
                                edge = between[edge_of[j]]
                                more = many * (mix_other(new ^ edge) - mix_other(old ^ edge))
                            around[d, v] += more
                            if seen[v] != moment:
                                touched[n_touched] = v
                                seen[v] = moment
                                n_touched += 1
                    for i in range(at if d > 0 else end, end):
                        for side in range(2):
                            v, u = edges[order[i], side], edges[order[i], 1 - side]
                            label = labels[d - 1, u]
                            if between is not None:
                                label ^= between[order[i]]
                            around[d, v] += np.uint64(times[u]) * mix_other(label)
                            if seen[v] != moment:
                                touched[n_touched] = v
                                seen[v] = moment
                                n_touched += 1
                n_changed = 0
                for i in range(n_touched):
                    v = touched[i]
                    if d == 0:
                        label = mix(vertices[node0 + v])
                    else:
                        label = relabelled(labels[d - 1, v], around[d, v], d)
                    if level > 0 and label == labels[d, v]:
                        continue
                    before[n_changed] = labels[d, v]
                    changed[n_changed] = v
                    n_changed += 1
                    labels[d, v] = label
                    place = label & mask
                    row = places[place]
                    while row != _NONE and (known[row].hash != label or known[row].depth != d):
                        place = (place + np.uint64(1)) & mask
                        row = places[place]
                    if row == _NONE:
                        row = np.uint32(n_known)
                        places[place] = row
                        known[row].hash = label
                        known[row].depth = d
                        known[row].first = _NONE
                        known[row].last = _NONE
                        n_known += 1
                    gone, row_of[d, v] = row_of[d, v], row
                    change = times[v]
                    for _ in range(1 if level == 0 else 2):  # the new label, then the old one
                        tail = known[row].last
                        if tail != _NONE and runs[tail].level == level:
                            runs[tail].count += change
                        else:
                            new_run = np.uint32(n_runs)
                            runs[new_run].level = level
                            runs[new_run].count = change
                            runs[new_run].next = _NONE
                            if tail == _NONE:
                                known[row].first = new_run
                            else:
                                runs[new_run].count += runs[tail].count
                                runs[tail].next = new_run
                            known[row].last = new_run
                            n_runs += 1
                        row, change = gone, -change
            n_changed = 0
            for i in range(at, end):
                for side in range(2):
                    v = edges[order[i], side]
                    entered[v] = now[v]
            at = end
            if at == last:
                break
            level = levels[order[at]]
        if rows_done + n_known > len(rows):
            hashes = grown(hashes, rows_done, 2 * (rows_done + n_known))
            rows = grown(rows, rows_done, 2 * (rows_done + n_known))
        if runs_done + n_runs > len(all_runs):
            all_runs = grown(all_runs, runs_done, 2 * (runs_done + n_runs))
        for row in range(n_known):
            begun, shown, run = runs_done, 0, known[row].first
            while run != _NONE:
                if runs[run].count != shown:
                    shown = runs[run].count
                    all_runs[runs_done].level = runs[run].level
                    all_runs[runs_done].count = shown
                    runs_done += 1
                run = runs[run].next
            hashes[rows_done] = known[row].hash
            rows[rows_done].depth = known[row].depth
            rows[rows_done].n_runs = runs_done - begun
            rows_done += 1
        n_rows[graph - start] = n_known
    return n_rows, hashes[:rows_done], rows[:rows_done], all_runs[:runs_done]


@njit(cache=True, nogil=True)
def _place(known, used, places, size):
    """Put the labels in use into a table of this size, by hash."""
    mask = np.uint64(size - 1)
    for place in range(size):
        places[place] = _NONE
    for row in range(used):
        spot = known[row].hash & mask
        while places[spot] != _NONE:
            spot = (spot + np.uint64(1)) & mask
        places[spot] = row


@njit(cache=True, nogil=True)
def grown(array, used, size):
    """Return a longer array that starts with what is in use."""
    longer = np.empty(size, array.dtype)
    for i in range(used):
        longer[i] = array[i]
    return longer
