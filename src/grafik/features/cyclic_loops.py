"""Loops that tally cycles: those of graphs with labels are visited one by one."""

import numpy as np

from ..arrays.compiled import njit
from ..arrays.hashing import GOLDEN, mix, mix_other
from .bridge_trees import find_bridges, find_trees
from .cycle_counts import FORMULAS, count_alike
from .tally import add, drained, empty_tally, grown

NO_LIMIT = 2**62
_OFTEN = (1 << 16) - 1  # after so many steps a search looks whether it shall stop
PER_LABEL = 12  # steps that take as long as one label of a cycle, where labels differ
_CYCLE = np.uint64(0x452821E638D01377)


@njit(cache=True, nogil=True)
def pattern_events(start, stop, batch, room, max_length, trees, most):
    """Tally the patterns of one graph after the other: trees at each step, cycles once.

    Returns rows (feature, step, change), and where those of each graph end; if the flag is raised,
    at once. The end is -1 for the first graph that has more patterns than the most.
    """
    step_ptr, patterns = batch.step_ptr, room.patterns
    table, rows = empty_tally()
    used = 0
    events, n_events = np.empty((1024, 3), np.int64), 0
    stops = np.zeros(stop - start, np.int64)
    for graph in range(start, stop):
        n_steps = step_ptr[graph + 1] - step_ptr[graph]
        for step in range(0 if trees else n_steps - 1, n_steps):
            if room.flag[0] != 0:
                return events[:0], stops
            n_bridges = find_bridges(graph, step, batch, room)
            if not trees or n_bridges == 0:
                continue
            n_trees = find_trees(graph, batch, room)
            for i in range(n_trees):
                used = add(table, rows, used, patterns[i], step, 1)
                if step + 1 < n_steps:
                    used = add(table, rows, used, patterns[i], step + 1, -1)
                if 2 * used > len(table):
                    table, rows = grown(table, rows, used)
        # All bridges known now are those of the whole graph; no cycle goes over them.
        if max_length <= FORMULAS and _all_alike(graph, batch):
            counts = np.zeros((n_steps, FORMULAS + 1), np.int64)
            count_alike(graph, batch, room, max_length, counts)
            for length in range(3, max_length + 1):
                feature = _of_alike(graph, batch, length)
                for step in range(n_steps):
                    if counts[step, length] != 0:
                        used = add(table, rows, used, feature, step, counts[step, length])
                    if 2 * used > len(table):
                        table, rows = grown(table, rows, used)
        else:
            limits = NO_LIMIT, most
            table, rows, used = _visit(graph, batch, room, max_length, table, rows, used, limits)
            if used < 0:
                stops[graph - start] = -1
                return events[:0], stops
        events, n_events = drained(events, n_events, table, rows, used)
        used = 0
        stops[graph - start] = n_events
    return events[:n_events], stops


@njit(cache=True, nogil=True)
def is_short(graph, batch, room, max_length, limit):
    """Tell whether a graph has no cycles to visit, or the search for them ends within a limit."""
    if max_length <= FORMULAS and _all_alike(graph, batch):
        return True
    find_bridges(graph, batch.step_ptr[graph + 1] - batch.step_ptr[graph] - 1, batch, room)
    table, rows = empty_tally()
    return _visit(graph, batch, room, max_length, table, rows, 0, (limit, NO_LIMIT))[2] >= 0


@njit(cache=True, nogil=True)
def _all_alike(graph, batch):
    """Tell whether all vertices of a graph have one label, and all edges."""
    first, last = batch.node_ptr[graph], batch.node_ptr[graph + 1]
    for v in range(first, last):
        if batch.labels[v] != batch.labels[first]:
            return False
    for slot in range(batch.indptr[first], batch.indptr[last]):
        if batch.edge_labels[slot] != batch.edge_labels[batch.indptr[first]]:
            return False
    return True


@njit(cache=True, nogil=True)
def _of_alike(graph, batch, length):
    """Return the pattern of the cycles of a length in a graph where all are alike."""
    first = batch.node_ptr[graph]
    around, edges_around = np.empty(length, np.uint64), np.empty(length, np.uint64)
    if batch.indptr[first] == batch.indptr[batch.node_ptr[graph + 1]]:
        return np.uint64(0)
    for i in range(length):
        around[i] = batch.labels[first]
        edges_around[i] = batch.edge_labels[batch.indptr[first]]
    return _around(around, edges_around, length)


@njit(cache=True, nogil=True)
def _visit(graph, batch, room, max_length, table, rows, used, limits):
    """Add every simple cycle of one graph to a tally, at the step where its last edge enters.

    Depth first from each root over vertices of higher rank, as long as there is a way back that is
    short enough and goes over no bridge. Each cycle is met in both directions and counted in that
    where its second vertex is of lower rank than its last one. After as many steps or rows as the
    limits say, or if the flag is raised, the search is given up, and the number of rows in use
    returned is -1.
    """
    limit, most = limits
    n_steps = 0
    first, n = batch.node_ptr[graph], batch.node_ptr[graph + 1] - batch.node_ptr[graph]
    indptr, neighbors, edge_ids = batch.indptr, batch.neighbors, batch.edge_ids
    neighbor_steps, rank, by_rank = batch.steps, batch.rank, batch.by_rank
    labels, edge_labels = batch.labels, batch.edge_labels
    bridge, flag = room.bridge, room.flag
    far = max_length + 1
    back = np.full(n, far, np.int64)
    closing = np.empty(n, np.int64)  # for neighbours of the root, their place in its list
    seen = np.empty(n, np.int64)
    on_path = np.zeros(n, np.bool_)
    path, slots = np.empty(max_length, np.int64), np.empty(max_length, np.int64)
    latest = np.zeros(max_length + 1, np.int64)
    around, edges_around = np.empty(max_length, np.uint64), np.empty(max_length, np.uint64)
    alike, patterns = _all_alike(graph, batch), np.zeros(max_length + 1, np.uint64)
    for length in range(3, max_length + 1 if alike else 0):
        patterns[length] = _of_alike(graph, batch, length)
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
                    closing[v] = slot
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
            if on_path[v] or depth + 1 + back[v] > max_length:
                continue
            n_steps += 1
            limit -= 1
            if limit < 0 or (n_steps & _OFTEN == 0 and flag[0] != 0):
                return table, rows, -1
            step = max(latest[depth], np.int64(neighbor_steps[slot]))
            if back[v] == 1 and depth >= 1 and rank[first + path[1]] < rank[first + v]:
                last = closing[v]
                feature = patterns[depth + 2]
                if not alike:
                    limit -= PER_LABEL * depth
                    for i in range(depth + 1):
                        around[i] = labels[first + path[i]]
                        edges_around[i] = edge_labels[slots[i] - 1]
                    around[depth + 1] = labels[first + v]
                    edges_around[depth + 1] = edge_labels[last]
                    feature = _around(around, edges_around, depth + 2)
                ends = max(step, np.int64(neighbor_steps[last]))
                used = add(table, rows, used, feature, ends, 1)
                if 2 * used > len(table):
                    if used > most:
                        return table, rows, -1
                    table, rows = grown(table, rows, used)
            if depth + 2 < max_length:
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
