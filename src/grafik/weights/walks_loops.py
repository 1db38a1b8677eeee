"""The loops that count walks, compiled by numba."""

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import apart, njit
from ..graphs.adjacency import Adjacency
from .walks import InnerLists

# Floats hold every integer below this one, so sums that stay below it do not depend on their order.
EXACT = 2.0**53
LARGEST = np.finfo(np.float64).max
SMALL = 256  # vertices of graphs whose walks are counted by whole rows of matrices
SHORT = 64  # and the length of these walks; nearly all graphs have more than 2^53 longer ones


@njit(cache=True, nogil=True)
def count_few_walks(
    node_ptr: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    adjacency: Adjacency,
    length: int,
    weights: NDArray[np.float64],
    flag: NDArray[np.uint8],
) -> NDArray[np.bool_]:
    """Count walks in small graphs without large counts, by whole rows of matrices.

    Returns which graphs are counted. If the flag is raised, it returns at once.
    """
    counted = np.zeros(len(node_ptr) - 1, np.bool_)
    if length > SHORT:
        return counted
    powers, now, then = np.empty((3, SMALL, SMALL)), np.empty(SMALL), np.empty(SMALL)
    for graph in range(len(node_ptr) - 1):
        if flag[0] != 0:
            break
        indptr = adjacency.indptr[node_ptr[graph] : node_ptr[graph + 1] + 1]
        lists = Adjacency(indptr, adjacency.neighbors, adjacency.edge_ids)
        if len(indptr) - 1 <= SMALL and _is_exact(lists, length, now, then):
            own = weights[edge_ptr[graph] : edge_ptr[graph + 1]]
            _add_powers(lists, length, powers, own)
            counted[graph] = True
    return counted


@apart
def _is_exact(
    lists: Adjacency, length: int, now: NDArray[np.float64], then: NDArray[np.float64]
) -> bool:
    """Return whether fewer than 2^53 walks start at each vertex."""
    indptr, neighbors = lists.indptr, lists.neighbors
    n, most = len(indptr) - 1, 0.0
    for v in range(n):
        now[v] = 1.0
    for _ in range(length):
        largest = 0.0
        for v in range(n):
            then[v] = 0.0
            for i in range(indptr[v], indptr[v + 1]):
                then[v] += now[neighbors[i]]
            largest = max(largest, then[v])
        most += largest
        now, then = then, now
        if most >= EXACT:
            return False
    return True


@apart
def _add_powers(
    lists: Adjacency, length: int, powers: NDArray[np.float64], weights: NDArray[np.float64]
) -> None:
    """Add up powers of the adjacency matrix A, for the edges of a graph.

    Walks of more than h steps, where h is half the length, are the entries of
    A^h (A + A^2 + ... + A^(length - h)): `power` is A^h in the end, and `below` is the sum.
    """
    indptr, neighbors, edge_ids = lists
    n, half = len(indptr) - 1, (length + 1) // 2
    power, product, below = powers[0], powers[1], powers[2]
    for u in range(n):
        for v in range(n):
            power[u, v] = below[u, v] = 0.0
        for i in range(indptr[u], indptr[u + 1]):
            power[u, neighbors[i]] = 1.0
    for step in range(1, half + 1):
        if step > 1:
            for u in range(n):
                for v in range(n):
                    product[u, v] = 0.0
                for i in range(indptr[u], indptr[u + 1]):
                    w = neighbors[i]
                    for v in range(n):
                        product[u, v] += power[w, v]
            power, product = product, power
        for u in range(n):
            for i in range(indptr[u], indptr[u + 1]):
                if u < neighbors[i]:
                    weights[edge_ids[i]] += power[u, neighbors[i]]
            if step <= length - half:
                for v in range(n):
                    below[u, v] += power[u, v]
    for u in range(n):
        for i in range(indptr[u], indptr[u + 1]):
            w = neighbors[i]
            if u < w:
                longer = 0.0
                for v in range(n):
                    longer += power[u, v] * below[w, v]
                weights[edge_ids[i]] += longer


@njit(cache=True, nogil=True)
def count_walks(
    node_ptr: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    adjacency: Adjacency,
    inner_lists: InnerLists,
    length: int,
    counted: NDArray[np.bool_],
    weights: NDArray[np.float64],
    flag: NDArray[np.uint8],
) -> None:
    """Count, for each edge, the walks of at most `length` steps from one end to the other.

    Graphs that are counted already are left out. If the flag is raised, it returns at once.

    Walks start at the end with more neighbours, or at both ends if they have equally many, because
    rounding above 2^53 may make their counts differ. The inner lists leave out neighbours of
    degree one: a walk that steps on such a leaf must step back, so leaves are only counted.
    """
    indptr, neighbors, edge_ids = adjacency.indptr, adjacency.neighbors, adjacency.edge_ids
    inner_indptr, inner_neighbors = inner_lists.indptr, inner_lists.neighbors
    most_nodes, most_neighbors = 0, 0
    for graph in range(len(node_ptr) - 1):
        most_nodes = max(most_nodes, node_ptr[graph + 1] - node_ptr[graph])
    for row in range(len(indptr) - 1):
        most_neighbors = max(most_neighbors, indptr[row + 1] - indptr[row])
    seen = np.zeros(most_nodes, np.bool_)
    order = np.empty(most_nodes, np.int64)
    ends = np.empty(most_nodes + 1, np.int64)
    # Number of walks from the source to each vertex: one step ago, now, after the next step.
    last, now, then = np.zeros(most_nodes), np.zeros(most_nodes), np.zeros(most_nodes)
    totals, terms = np.empty(most_neighbors), np.empty(most_neighbors)

    for graph in range(len(node_ptr) - 1):
        if counted[graph]:
            continue
        rows = slice(node_ptr[graph], node_ptr[graph + 1] + 1)
        first, inner = indptr[rows], inner_indptr[rows]
        for source in range(len(first) - 1):
            start, stop = first[source], first[source + 1]
            wanted = False
            for i in range(start, stop):
                wanted |= first[neighbors[i] + 1] - first[neighbors[i]] <= stop - start
            if not wanted:
                continue
            radius = _rings(inner, inner_neighbors, source, (length + 1) // 2, seen, order, ends)
            now[source] = 1.0
            totals[: stop - start] = 0.0
            for step in range(1, length + 1):
                if flag[0] != 0:
                    return
                # Walks have not reached vertices further out, or cannot come back in time.
                for i in range(ends[min(step, length - step + 1, radius)]):
                    v = order[i]
                    leaves = first[v + 1] - first[v] - (inner[v + 1] - inner[v])
                    around = _sum_around(inner, inner_neighbors, v, now, terms)
                    then[v] = min(around + leaves * last[v], LARGEST)
                last, now, then = now, then, last
                least = LARGEST
                for i in range(start, stop):
                    v = neighbors[i]
                    walks = last[source] if first[v + 1] - first[v] == 1 else now[v]
                    totals[i - start] = min(totals[i - start] + walks, LARGEST)
                    least = min(least, totals[i - start])
                if least == LARGEST:
                    break
            for i in range(start, stop):
                if first[neighbors[i] + 1] - first[neighbors[i]] <= stop - start:
                    edge = edge_ptr[graph] + edge_ids[i]
                    weights[edge] = max(weights[edge], totals[i - start])
            for i in range(ends[radius]):
                v = order[i]
                seen[v] = False
                last[v] = now[v] = then[v] = 0.0


@apart
def _rings(
    first: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    source: int,
    furthest: int,
    seen: NDArray[np.bool_],
    order: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Fill `order` with vertices by distance from the source: ``ends[d]`` are within distance d.

    Returns the distance of the last one, at most `furthest`.
    """
    seen[source] = True
    order[0], ends[0] = source, 1
    begin, found, radius = 0, 1, 0
    while radius < furthest:
        for k in range(begin, ends[radius]):
            for i in range(first[order[k]], first[order[k] + 1]):
                if not seen[neighbors[i]]:
                    seen[neighbors[i]] = True
                    order[found] = neighbors[i]
                    found += 1
        if found == ends[radius]:
            break
        begin = ends[radius]
        radius += 1
        ends[radius] = found
    return radius


@apart
def _sum_around(
    first: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    vertex: int,
    values: NDArray[np.float64],
    terms: NDArray[np.float64],
) -> float:
    """Return the sum of values over a vertex's neighbours; their order does not matter."""
    start, stop = first[vertex], first[vertex + 1]
    total = 0.0
    for i in range(start, stop):
        total += values[neighbors[i]]
    if total < EXACT:
        return total
    for i in range(start, stop):
        terms[i - start] = values[neighbors[i]]
    total = 0.0
    for term in np.sort(terms[: stop - start]):
        total += term
    return total
