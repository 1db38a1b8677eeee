"""Loops behind Weisfeiler-Lehman labels: which label changes when, and how often each occurs."""

import numpy as np
from numba import njit

from ..mixing import mix, mix_other

_OWN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def twins(start, stop, node_ptr, edge_ptr, edges, levels, vertices, between):
    """Let one leaf stand for others that hang on the same vertex and can never be told apart.

    Return for each vertex of graphs start..stop how many it stands for: 0 if another one does.
    """
    node0, with_edges = node_ptr[start], len(between) > 0
    n_neighbors = np.zeros(node_ptr[stop] - node0, np.int32)
    stands_for = np.ones(node_ptr[stop] - node0, np.int64)
    leaf_of, edge_of = np.full(len(stands_for), -1, np.int64), np.empty(len(stands_for), np.int64)
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
            if (
                other >= 0
                and vertices[node0 + leaf] == vertices[node0 + other]
                and levels[edge] == levels[edge_of[hub]]
                and (not with_edges or between[edge] == between[edge_of[hub]])
            ):
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
    graph_of = np.full(last - first, -1, np.int32)
    for graph in range(start, stop):
        base = node_ptr[graph] - node0
        order_ptr[graph - start + 1] = order_ptr[graph - start]
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            if stands_for[base + edges[edge, 0]] and stands_for[base + edges[edge, 1]]:
                graph_of[edge - first] = graph - start
                free[levels[edge] + 1] += 1
                order_ptr[graph - start + 1] += 1
    for level in range(n_levels):
        free[level + 1] += free[level]
    by_level = np.empty(order_ptr[-1], np.int64)
    for edge in range(first, last):
        if graph_of[edge - first] >= 0:
            by_level[free[levels[edge]]] = edge
            free[levels[edge]] += 1
    order, place = np.empty(order_ptr[-1], np.int64), order_ptr[:-1].copy()
    for edge in by_level:
        graph = graph_of[edge - first]
        order[place[graph]] = edge
        place[graph] += 1
    return order_ptr, order


@njit(cache=True, nogil=True)
def changes(
    start, stop, node_ptr, edges, levels, order_ptr, order, vertices, between, stands_for, depth
):
    """Relabel graphs start..stop while their edges enter, and note which label changes when.

    A label is computed again only where something it is made of has changed: the sum over the
    neighbours is kept for each vertex and depth, and what changes at one depth is added to the sums
    of the neighbours at the next.

    Return where the events of each graph start and, for each event, depth and vertex as one number,
    the new label, and the level.
    """
    n_most, m_most = 1, 1
    for graph in range(start, stop):
        n_most = max(n_most, node_ptr[graph + 1] - node_ptr[graph])
        m_most = max(m_most, order_ptr[graph - start + 1] - order_ptr[graph - start])
    labels = np.empty((depth + 1, n_most), np.uint64)
    around = np.empty((depth + 1, n_most), np.uint64)
    first, entered = np.empty(n_most + 1, np.int64), np.empty(n_most, np.int64)
    neighbors, edge_of = np.empty(2 * m_most, np.int32), np.empty(2 * m_most, np.int64)
    touched, changed = np.empty(n_most, np.int32), np.empty(n_most, np.int32)
    before, seen = np.empty(n_most, np.uint64), np.zeros(n_most, np.int64)
    mixed, now = np.empty(n_most, np.uint64), np.empty(n_most, np.int64)
    event_ptr = np.zeros(stop - start + 1, np.int64)
    events = np.empty((2 * (depth + 1) * (node_ptr[stop] - node_ptr[start]), 3), np.int64)
    used, moment, with_edges = 0, 0, len(between) > 0
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
        level, n_changed = 0, 0
        while True:
            end = at
            while end < last and levels[order[end]] == level:
                for side in range(2):
                    v = edges[order[end], side]
                    neighbors[now[v]] = edges[order[end], 1 - side]
                    edge_of[now[v]] = order[end]
                    now[v] += 1
                end += 1
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
                            if with_edges:
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
                            if with_edges:
                                edge = between[edge_of[j]]
                                more = many * (mix_other(new ^ edge) - mix_other(old ^ edge))
                            around[d, v] += more
                            if seen[v] != moment:
                                touched[n_touched] = v
                                seen[v] = moment
                                n_touched += 1
                    for i in range(at if d > 0 else end, end):
                        edge = between[order[i]] if with_edges else np.uint64(0)
                        for side in range(2):
                            v, u = edges[order[i], side], edges[order[i], 1 - side]
                            around[d, v] += np.uint64(times[u]) * mix_other(labels[d - 1, u] ^ edge)
                            if seen[v] != moment:
                                touched[n_touched] = v
                                seen[v] = moment
                                n_touched += 1
                if used + n_touched > len(events):
                    events = _grown(events, used, 2 * (used + n_touched))
                n_changed = 0
                for i in range(n_touched):
                    v = touched[i]
                    if d == 0:
                        label = mix(vertices[node0 + v])
                    else:
                        label = mix(labels[d - 1, v] * _OWN + around[d, v] + np.uint64(d))
                    if level > 0 and label == labels[d, v]:
                        continue
                    before[n_changed], changed[n_changed] = labels[d, v], v
                    n_changed += 1
                    labels[d, v] = label
                    events[used, 0] = (d << 32) + v
                    events[used, 1] = np.int64(label)
                    events[used, 2] = level
                    used += 1
            n_changed = 0
            for i in range(at, end):
                for side in range(2):
                    v = edges[order[i], side]
                    entered[v] = now[v]
            at = end
            if at == last:
                break
            level = levels[order[at]]
        event_ptr[graph - start + 1] = used
    return event_ptr, events[:used]


@njit(cache=True, nogil=True)
def rows(start, stop, node_ptr, event_ptr, events, stands_for, depth):
    """Count the labels of graphs start..stop at every level; return the columns of `Rows`.

    While the changes of a graph come in, by increasing level, the runs of each label are kept as a
    list that grows at its end.
    """
    n_most, most = 1, 1
    for graph in range(start, stop):
        n_most = max(n_most, node_ptr[graph + 1] - node_ptr[graph])
        most = max(most, event_ptr[graph - start + 1] - event_ptr[graph - start])
    size = 2
    while size < 2 * most:
        size *= 2
    places = np.full(size, -1, np.int32)
    row_of = np.empty((depth + 1) * n_most, np.int32)
    features, depths = np.empty(most, np.uint64), np.empty(most, np.int32)
    heads, tails = np.empty(most, np.int32), np.empty(most, np.int32)
    levels, counts = np.empty(2 * most, np.int32), np.empty(2 * most, np.int64)
    nexts = np.empty(2 * most, np.int32)
    n_rows, n_events = np.zeros(stop - start, np.int64), len(events)
    out_depths, out_features = np.empty(n_events, np.int32), np.empty(n_events, np.uint64)
    out_n_runs = np.empty(n_events, np.int64)
    out_levels, out_counts = np.empty(2 * n_events, np.int32), np.empty(2 * n_events, np.int64)
    all_rows, all_runs = 0, 0
    for graph in range(start, stop):
        base, n = node_ptr[graph] - node_ptr[start], node_ptr[graph + 1] - node_ptr[graph]
        found, runs, size = 0, 0, 2
        while size < 2 * (event_ptr[graph - start + 1] - event_ptr[graph - start]):
            size *= 2
        mask = np.uint64(size - 1)
        for i in range(event_ptr[graph - start], event_ptr[graph - start + 1]):
            label, level = np.uint64(events[i, 1]), events[i, 2]
            d, v = events[i, 0] >> 32, events[i, 0] & 0xFFFFFFFF
            spot = d * n + v
            place = label & mask
            row = places[place]
            while row >= 0 and (features[row] != label or depths[row] != d):
                place = (place + np.uint64(1)) & mask
                row = places[place]
            if row < 0:
                row, places[place] = found, found
                features[row], depths[row], heads[row], tails[row] = label, d, -1, -1
                found += 1
            more = stands_for[base + v]
            for _ in range(1 if level == 0 else 2):  # first the new label, then the old one
                tail = tails[row]
                if tail >= 0 and levels[tail] == level:
                    counts[tail] += more
                else:
                    levels[runs], counts[runs], nexts[runs] = level, more, -1
                    if tail >= 0:
                        counts[runs] += counts[tail]
                        nexts[tail] = runs
                    else:
                        heads[row] = runs
                    tails[row] = runs
                    runs += 1
                if more > 0:
                    row, row_of[spot] = row_of[spot], row
                    more = -more
        for row in range(found):
            out_depths[all_rows], out_features[all_rows] = depths[row], features[row]
            begun, shown, run = all_runs, 0, heads[row]
            while run >= 0:
                if counts[run] != shown:
                    shown = counts[run]
                    out_levels[all_runs], out_counts[all_runs] = levels[run], shown
                    all_runs += 1
                run = nexts[run]
            out_n_runs[all_rows] = all_runs - begun
            all_rows += 1
            place = features[row] & mask
            while places[place] >= 0:
                places[place] = -1
                place = (place + np.uint64(1)) & mask
        n_rows[graph - start] = found
    return (
        n_rows,
        out_depths[:all_rows],
        out_features[:all_rows],
        out_n_runs[:all_rows],
        out_levels[:all_runs],
        out_counts[:all_runs],
    )


@njit(nogil=True, inline="always")
def _grown(events, used, size):
    """Return a longer list that starts with the events in use."""
    longer = np.empty((size, 3), np.int64)
    for at in range(used):  # numba takes seconds to compile the assignment of a slice
        for column in range(3):
            longer[at, column] = events[at, column]
    return longer
