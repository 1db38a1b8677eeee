"""The loops that count walks, compiled by numba."""

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..graphs.adjacency import Adjacency
from .walks import InnerLists

# Floats hold every integer below this one, so sums that stay below it do not depend on their order.
EXACT = 2.0**53
LARGEST = np.finfo(np.float64).max


@njit(cache=True, nogil=True)
def count_walks(
    node_ptr: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    adjacency: Adjacency,
    inner_lists: InnerLists,
    length: int,
) -> NDArray[np.float64]:
    """Count, for each edge, the walks of at most `length` steps from one end to the other.

    Walks start at the end with more neighbours, or at both ends if they have equally many, because
    rounding above 2^53 may make their counts differ. The inner lists leave out neighbours of
    degree one: a walk that steps on such a leaf must step back, so leaves are only counted.
    """
    indptr, neighbors, edge_ids = adjacency.indptr, adjacency.neighbors, adjacency.edge_ids
    inner_indptr, inner_neighbors = inner_lists.indptr, inner_lists.neighbors
    weights = np.zeros(edge_ptr[-1], np.float64)
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
    return weights


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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
