"""Loops behind the search for similar graphs."""

import numpy as np

from ..arrays.compiled import njit
from ..arrays.hash_table import find
from ..arrays.sorting import sort_by_key
from ..kernels.base_kernel import exponential
from ..kernels.wasserstein import distance, lines_of

# Bounds come from sums in another order than that of the kernel: they may be wrong by less.
_SLACK = 1e-9
# Candidates with more than this many times the entries that are left are not looked for again.
_HOPELESS = 4
# Candidates are looked for if more than this many entries for each graph are left.
_WORTH = 2


@njit(cache=True, nogil=True)
def search_all(start, stop, queries, index, found):
    """Find the graphs of the index that are most similar to graphs start..stop of the queries.

    First the kernels of all graphs are added up feature by feature, common features first. What the
    others can still add is bounded by the norms of what is left (Cauchy-Schwarz); where the smaller
    mass counts, by the masses that are left in either graph. As soon as it
    takes less to look at those graphs that may be among the best, the rest of the features is not
    looked at any more. Then kernels are computed in full, the most promising ones first, until no
    other graph can be better.
    """
    graph_ptr, masses, lines, ptr = queries.graph_ptr, queries.masses, queries.lines, queries.ptr
    axis, rate, best, values = queries.axis, queries.rate, found.graphs, found.similarities
    wanted = found.least
    known_lines, known_ptr = index.lines, index.ptr
    row_ptr, listed, columns = index.row_ptr, index.listed, index.columns
    classes, column_masses, class_ptr = index.column_classes, index.column_masses, index.class_ptr
    stages, rest, inverse, smaller = index.stages, index.rest, index.inverse, index.smaller
    (n_stages, n_graphs), top = rest.shape, best.shape[1]
    numbers, order, place = _room(start, stop, graph_ptr, len(class_ptr) - 1)
    widest = 1
    for feature in range(len(class_ptr) - 1):
        widest = max(widest, class_ptr[feature + 1] - class_ptr[feature])
    base, sums, heap = np.empty(widest), np.empty(n_graphs), np.empty(top)
    bounds, keys = np.empty(n_graphs), np.empty(n_graphs, np.uint64)
    bits, candidates = bounds.view(np.uint64), np.empty(n_graphs, np.int32)
    left, n_left = np.empty(n_stages), np.empty(n_stages, np.int64)
    done = np.empty(n_graphs, np.bool_)
    zero = np.int64(0)  # a plain 0 as argument has a type of its own
    for query in range(start, stop):
        row0, seen, n = graph_ptr[query], 0, _known(query, queries, index, numbers, order, place)
        for stage in range(n_stages):
            left[stage], n_left[stage] = 0.0, 0
        for i in range(n):
            number = np.int64(numbers[order[i]])
            mass = np.float64(masses[row0 + order[i]])
            for stage in range(stages[number] + 1):
                left[stage] += mass if smaller else mass * mass
                n_left[stage] += listed[number + 1] - listed[number]
        for graph in range(n_graphs):
            sums[graph], done[graph] = 0.0, False
        own, n_found = queries.own[query], 0
        factor = 1.0 + _SLACK
        if index.normalize:
            factor /= np.sqrt(own) if own > 0 else 1.0
        stage, n_candidates, hopeless = 0, zero, False
        while stage < n_stages:
            for i in range(n):
                number = np.int64(numbers[order[i]])
                if stages[number] != stage:
                    continue
                row, first = row0 + order[i], class_ptr[number]
                mine = lines_of(ptr, row)
                for known in range(first, class_ptr[number + 1]):
                    apart = distance(lines, mine, known_lines, lines_of(known_ptr, known), axis)
                    base[known - first] = exponential(apart, rate)
                mass = np.float64(masses[row])
                for j in range(listed[number], listed[number + 1]):
                    both = _compared(mass, column_masses[j], smaller)
                    sums[columns[j]] += both * base[classes[j]]
                seen += listed[number + 1] - listed[number]
            stage += 1
            if stage < n_stages and (hopeless or n_left[stage] <= _WORTH * n_graphs):
                continue
            for graph in range(n_graphs):
                more = 0.0
                if stage < n_stages and smaller:
                    more = min(left[stage], rest[stage, graph])
                elif stage < n_stages:
                    more = np.sqrt(left[stage] * rest[stage, graph])
                bounds[graph] = (sums[graph] + more) * inverse[graph] * factor
            # Those that look best now are computed in full: what is worse is out of the race. After
            # few features, thousands may look equally good.
            promising, n_done = max(wanted, _least_of_largest(bounds, heap)), 0
            for graph in range(n_graphs):
                if n_done == top:
                    break
                if bounds[graph] >= promising and bounds[graph] > 0.0 and not done[graph]:
                    n_done += 1
                    value = _kernel(graph, row0, own, place, queries, index)
                    if value >= wanted:
                        n_found = _insert(best[query], values[query], n_found, graph, value)
                    done[graph] = True
                    seen += row_ptr[graph + 1] - row_ptr[graph]
            least, cost, n_candidates = wanted, 0, zero
            if n_found == top:
                least = values[query, top - 1]  # which is wanted, and so not less
            for graph in range(n_graphs):
                if bounds[graph] >= least and not done[graph]:
                    candidates[n_candidates] = graph
                    n_candidates += 1
                    cost += row_ptr[graph + 1] - row_ptr[graph]
            if stage < n_stages and cost < n_left[stage]:
                break
            hopeless = stage < n_stages and cost > _HOPELESS * n_left[stage]
        for i in range(n_candidates):
            keys[candidates[i]] = ~bits[candidates[i]]  # bounds are not negative: the largest first
        sort_by_key(keys, candidates, n_candidates)
        for i in range(n_candidates):
            graph, value = candidates[i], 0.0
            if n_found == top and values[query, top - 1] > bounds[graph]:
                break
            if bounds[graph] > 0.0:
                value = _kernel(graph, row0, own, place, queries, index)
                seen += row_ptr[graph + 1] - row_ptr[graph]
            if value >= wanted:
                n_found = _insert(best[query], values[query], n_found, graph, value)
        _forget(n, numbers, order, place)
        found.counts[query] = n_found
        found.touched[query] = seen / max(row_ptr[n_graphs], 1)


@njit(cache=True, nogil=True)
def search_listed(start, stop, queries, index, candidates, found):
    """Do the same among some candidates for each query."""
    graph_ptr, row_ptr = queries.graph_ptr, index.row_ptr
    best, values = found.graphs, found.similarities
    numbers, order, place = _room(start, stop, graph_ptr, len(index.class_ptr) - 1)
    for query in range(start, stop):
        n, seen, n_found = _known(query, queries, index, numbers, order, place), 0, 0
        row0, own = graph_ptr[query], queries.own[query]
        for graph in candidates[query]:
            value = _kernel(graph, row0, own, place, queries, index)
            if value >= found.least:
                n_found = _insert(best[query], values[query], n_found, graph, value)
            seen += row_ptr[graph + 1] - row_ptr[graph]
        _forget(n, numbers, order, place)
        found.counts[query] = n_found
        found.touched[query] = seen / max(row_ptr[-1], 1)


@njit(cache=True, nogil=True)
def _room(start, stop, graph_ptr, n_features):
    """Return arrays for the known features of one query, by row, and for all features."""
    longest = 1
    for query in range(start, stop):
        longest = max(longest, graph_ptr[query + 1] - graph_ptr[query])
    place = np.full(n_features, -1, np.int32)
    return np.empty(longest, np.uint64), np.empty(longest, np.int32), place


@njit(cache=True, nogil=True)
def _known(query, queries, index, numbers, order, place):
    """Find the features of a query in the index, and note where they are; return how many."""
    graph_ptr, depths, features = queries.graph_ptr, queries.depths, queries.features
    n, row0 = np.int64(0), graph_ptr[query]
    for i in range(graph_ptr[query + 1] - row0):
        number = find(index.table, depths[row0 + i], features[row0 + i])
        if number >= 0:
            numbers[i], order[n], place[number] = number, i, i
            n += 1
    sort_by_key(numbers, order, n)
    return n


@njit(cache=True, nogil=True)
def _forget(n, numbers, order, place):
    for i in range(n):
        place[numbers[order[i]]] = -1


@njit(cache=True, nogil=True)
def _kernel(graph, row0, own, place, queries, index):
    """Return the kernel of a query with a graph, with the bits that a Gram matrix has."""
    lines, ptr, known_lines, known_ptr = queries.lines, queries.ptr, index.lines, index.ptr
    axis, rate, features, classes = queries.axis, queries.rate, index.features, index.classes
    masses, known_masses, smaller, total = queries.masses, index.masses, index.smaller, 0.0
    for at in range(index.row_ptr[graph], index.row_ptr[graph + 1]):
        if place[features[at]] < 0:
            continue
        row, known = row0 + place[features[at]], classes[at]
        mine, theirs = lines_of(ptr, row), lines_of(known_ptr, known)
        apart = distance(lines, mine, known_lines, theirs, axis)
        both = _compared(np.float64(masses[row]), known_masses[at], smaller)
        total += both * exponential(apart, rate)
    if index.normalize:
        scale = np.sqrt(own * index.own[graph])
        return total / scale if scale > 0 else 0.0
    return total


@njit(cache=True, nogil=True)
def _compared(mass, other, smaller):
    """Return what two masses are compared by."""
    return min(mass, other) if smaller else mass * other


@njit(cache=True, nogil=True)
def _least_of_largest(bounds, heap):
    """Return the least of the largest numbers, as many as the heap has places."""
    top = len(heap)
    for i in range(top):
        heap[i] = 0.0
    for value in bounds:
        if value <= heap[0]:
            continue
        at = 0
        while True:
            child = 2 * at + 1
            if child + 1 < top and heap[child + 1] < heap[child]:
                child += 1
            if child >= top or heap[child] >= value:
                break
            heap[at] = heap[child]
            at = child
        heap[at] = value
    return heap[0]


@njit(cache=True, nogil=True)
def _insert(best, values, n_found, graph, value):
    """Insert a graph into a list of the best; of equal ones the first number comes first."""
    top, at = len(best), n_found
    while at > 0 and (values[at - 1] < value or (values[at - 1] == value and best[at - 1] > graph)):
        if at < top:
            best[at], values[at] = best[at - 1], values[at - 1]
        at -= 1
    if at < top:
        best[at], values[at] = graph, value
    return min(n_found + 1, top)
