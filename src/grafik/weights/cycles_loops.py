"""The loops that count cycles, compiled by numba."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import apart, njit
from ..graphs.adjacency import Adjacency


class From(NamedTuple):
    """Numbers of walks from one vertex to all others.

    Attributes
    ----------
    one, two, three
        Those of one, two and three steps.
    between
        What each vertex stands for as the last but one of a cycle, see :func:`count_cycles`.
    within
        Vertices that walks of at most two steps reach, in the order in which they are found.
    """

    one: NDArray[np.int64]
    two: NDArray[np.int64]
    three: NDArray[np.int64]
    between: NDArray[np.int64]
    within: NDArray[np.int64]


@njit(cache=True, nogil=True)
def count_cycles(
    start: int,
    stop: int,
    node_ptr: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    lists: Adjacency,
    length: int,
    counts: NDArray[np.int64],
    flag: NDArray[np.uint8],
) -> None:
    r"""Count, for each edge of graphs start..stop, the cycles of four to six edges through it.

    A cycle through the edge uv visits a next to u and d next to v, where a, d, u, v are four
    vertices; what remains is a path from a to d without u and v. With `A` the adjacency matrix and
    `W` walks of two or three steps, these paths are

    - for length 4, the edge: :math:`A_{ad}`;
    - for length 5, walks of two steps without those over u and v:
      :math:`W_{ad} - A_{ud} - A_{av}`;
    - for length 6, walks of three steps without those over u and v, and without those that go back:
      :math:`W3_{ad} - W_{ud} - A_{av} W_{vd} - W_{au} A_{ud} - W_{av} + 1 + A_{av} A_{ud}
      - A_{ad} (\deg a + \deg d - 3 - A_{av} - A_{ud})`.

    The terms that depend on a and d alone are `between`, and summed over all d first. The others
    are sums over the neighbours of one end, where c is the number of neighbours that both have.
    If the flag is raised, it returns at once.
    """
    n = 0
    for graph in range(start, stop):
        n = max(n, node_ptr[graph + 1] - node_ptr[graph])
    zeros = np.zeros((4, n), np.int64)
    walks = From(zeros[0], zeros[1], zeros[2], zeros[3], np.empty(n, np.int64))
    for graph in range(start, stop):
        indptr = lists.indptr[node_ptr[graph] : node_ptr[graph + 1] + 1]
        own = Adjacency(indptr, lists.neighbors, lists.edge_ids)
        mine = counts[edge_ptr[graph] : edge_ptr[graph + 1]]
        for a in range(len(indptr) - 1):
            if flag[0] != 0:
                return
            if indptr[a] < indptr[a + 1]:
                found = _walk(own, a, length, walks)
                _add_over_pairs(own, a, length, walks, mine)
                if length > 4:
                    _add_at_ends(own, a, length, walks, mine)
                _forget(own, walks, found)


@apart
def _walk(lists: Adjacency, a: int, length: int, walks: From) -> int:
    """Count walks from a vertex, and return how many vertices are within two steps of it."""
    indptr, neighbors = lists.indptr, lists.neighbors
    one, two, three, between, within = walks
    for i in range(indptr[a], indptr[a + 1]):
        one[neighbors[i]] = 1
    found = 0
    for i in range(indptr[a], indptr[a + 1]):
        u = neighbors[i]
        for k in range(indptr[u], indptr[u + 1]):
            v = neighbors[k]
            if two[v] == 0:
                within[found] = v
                found += 1
            two[v] += 1
    if length == 6:
        for i in range(found):
            v = within[i]
            for k in range(indptr[v], indptr[v + 1]):
                three[neighbors[k]] += two[v]
    degree = indptr[a + 1] - indptr[a]
    # The sums over d, for each v.
    for i in range(found):
        v = within[i]
        total = 0
        for k in range(indptr[v], indptr[v + 1]):
            total += _path(lists, degree, neighbors[k], length, walks)
        between[v] = total
    return found


@apart
def _path(lists: Adjacency, degree: int, d: int, length: int, walks: From) -> int:
    """Return the terms of paths from a vertex of some degree to d that depend on these alone."""
    paths: int = walks.one[d]
    if length == 5:
        paths = walks.two[d]
    elif length == 6:
        back_and_forth = degree + lists.indptr[d + 1] - lists.indptr[d] - 3
        paths = walks.three[d] - walks.one[d] * back_and_forth
    return paths


@apart
def _add_over_pairs(
    lists: Adjacency, a: int, length: int, walks: From, counts: NDArray[np.int64]
) -> None:
    """Add the sums over d to all edges uv, where u is next to the vertex a, and d is not a or u."""
    indptr, neighbors, edge_ids = lists
    degree = indptr[a + 1] - indptr[a]
    back = _path(lists, degree, a, length, walks)
    for i in range(indptr[a], indptr[a + 1]):
        u = neighbors[i]
        over = _path(lists, degree, u, length, walks)
        for k in range(indptr[u], indptr[u + 1]):
            v = neighbors[k]
            if u < v and v != a:  # the other way round, the sum over all a is the same
                counts[edge_ids[k]] += walks.between[v] - over - walks.one[v] * back


@apart
def _add_at_ends(
    lists: Adjacency, u: int, length: int, walks: From, counts: NDArray[np.int64]
) -> None:
    """Add the terms that depend on walks from u alone, for all edges uv."""
    indptr, neighbors, edge_ids = lists
    two = walks.two
    degree = indptr[u + 1] - indptr[u]
    around = 0
    for i in range(indptr[u], indptr[u + 1]):
        around += two[neighbors[i]]
    for i in range(indptr[u], indptr[u + 1]):
        v = neighbors[i]
        c = two[v]
        if length == 5:
            counts[edge_ids[i]] -= c * (degree - 2)
            continue
        shared = 0
        for k in range(indptr[v], indptr[v + 1]):
            shared += walks.one[neighbors[k]] * two[neighbors[k]]
        beyond = walks.three[v] - two[u]
        terms = 3 * shared - c - (degree - 1) * beyond - c * (around - c)
        if u < v:
            terms += (degree - 1) * (indptr[v + 1] - indptr[v] - 1) - c + c * (c - 1)
        counts[edge_ids[i]] += terms


@apart
def _forget(lists: Adjacency, walks: From, found: int) -> None:
    indptr, neighbors = lists.indptr, lists.neighbors
    for i in range(found):
        v = walks.within[i]
        walks.two[v] = walks.between[v] = 0
        for k in range(indptr[v], indptr[v + 1]):
            walks.one[neighbors[k]] = walks.three[neighbors[k]] = 0
