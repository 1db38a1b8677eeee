"""Loops behind Weisfeiler-Lehman labels: which label changes when, and how often each occurs."""

import numpy as np
from numba import njit

from ..mixing import mix, mix_other, relabelled


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

    Of each label of a graph, `known` has hash, depth, first and last run; of each run, `runs` has
    level, number of occurrences and the next run. Return the number of labels of each graph; the
    hash of each label; its depth and number of runs; level and number of occurrences of each run.
    """
    n_most, m_most = 1, 1
    for graph in range(start, stop):
        n_most = max(n_most, node_ptr[graph + 1] - node_ptr[graph])
        m_most = max(m_most, order_ptr[graph - start + 1] - order_ptr[graph - start])
    labels = np.empty((depth + 1, n_most), np.uint64)
    around = np.empty((depth + 1, n_most), np.uint64)
    row_of = np.empty((depth + 1, n_most), np.int64)
    first, entered = np.empty(n_most + 1, np.int64), np.empty(n_most, np.int64)
    # Unsigned numbers do not count from the end, which saves a test for each neighbour.
    neighbors, edge_of = np.empty(2 * m_most, np.uint32), np.empty(2 * m_most, np.int64)
    touched, changed = np.empty(n_most, np.int64), np.empty(n_most, np.int64)
    before, seen = np.empty(n_most, np.uint64), np.zeros(n_most, np.int64)
    mixed, now = np.empty(n_most, np.uint64), np.empty(n_most, np.int64)
    known, runs = np.empty((256, 4), np.int64), np.empty((512, 4), np.int64)
    zero = np.int64(0)  # a plain 0 as argument has a type of its own: all would be compiled again
    places = _placed(known, zero)
    n_rows = np.zeros(stop - start, np.int64)
    size = (depth + 1) * (node_ptr[stop] - node_ptr[start])
    hashes, rows = np.empty((size, 1), np.uint64), np.empty((size, 2), np.int32)
    all_runs = np.empty((size, 2), np.int32)
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
        level, n_changed, n_known, n_runs = 0, 0, zero, zero
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
                if n_known + n_touched > len(known):
                    known = grown(known, n_known, 2 * (n_known + n_touched))
                    places = _placed(known, n_known)
                if n_runs + 2 * n_touched > len(runs):
                    runs = grown(runs, n_runs, 2 * (n_runs + 2 * n_touched))
                mask = np.uint64(len(places) - 1)
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
                    while row >= 0 and (np.uint64(known[row, 0]) != label or known[row, 1] != d):
                        place = (place + np.uint64(1)) & mask
                        row = places[place]
                    if row < 0:
                        row = n_known
                        places[place] = row
                        known[row, 0] = np.int64(label)
                        known[row, 1] = d
                        known[row, 2] = -1
                        known[row, 3] = -1
                        n_known += 1
                    gone, row_of[d, v] = row_of[d, v], row
                    change = times[v]
                    for _ in range(1 if level == 0 else 2):  # the new label, then the old one
                        tail = known[row, 3]
                        if tail >= 0 and runs[tail, 0] == level:
                            runs[tail, 1] += change
                        else:
                            runs[n_runs, 0] = level
                            runs[n_runs, 1] = change
                            runs[n_runs, 2] = -1
                            if tail >= 0:
                                runs[n_runs, 1] += runs[tail, 1]
                                runs[tail, 2] = n_runs
                            else:
                                known[row, 2] = n_runs
                            known[row, 3] = n_runs
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
            begun, shown, run = runs_done, 0, known[row, 2]
            while run >= 0:
                if runs[run, 1] != shown:
                    shown = runs[run, 1]
                    all_runs[runs_done, 0] = runs[run, 0]
                    all_runs[runs_done, 1] = shown
                    runs_done += 1
                run = runs[run, 2]
            hashes[rows_done, 0] = known[row, 0]
            rows[rows_done, 0] = known[row, 1]
            rows[rows_done, 1] = runs_done - begun
            rows_done += 1
            place = np.uint64(known[row, 0]) & mask
            while places[place] >= 0:
                places[place] = -1
                place = (place + np.uint64(1)) & mask
        n_rows[graph - start] = n_known
    return n_rows, hashes[:rows_done], rows[:rows_done], all_runs[:runs_done]


@njit(cache=True, nogil=True)
def _placed(known, used):
    """Return a table of the labels in use, by hash, which is never more than half full."""
    size = 2
    while size < 2 * len(known):
        size *= 2
    places, mask, one = np.empty(size, np.int64), np.uint64(size - 1), np.uint64(1)
    for place in range(size):
        places[place] = -1
    for row in range(used):
        spot = np.uint64(known[row, 0]) & mask
        while places[spot] >= 0:
            spot = (spot + one) & mask
        places[spot] = row
    return places


@njit(cache=True, nogil=True)
def grown(array, used, size):
    """Return a longer array that starts with the rows in use."""
    longer = np.empty((size, array.shape[1]), array.dtype)
    for row in range(used):  # numba takes seconds to compile the assignment of a slice
        for column in range(array.shape[1]):
            longer[row, column] = array[row, column]
    return longer
