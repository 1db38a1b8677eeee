"""The loops that count cliques, compiled by numba."""

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import apart, njit
from ..graphs.adjacency import Adjacency

Shape = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


@njit(cache=True, nogil=True)
def count_cliques(
    start: int,
    stop: int,
    shape: Shape,
    adjacency: Adjacency,
    onward: Adjacency,
    size: int,
    counts: NDArray[np.int64],
    flag: NDArray[np.uint8],
) -> None:
    """Count, for edges start..stop, the cliques of at least four vertices that contain them.

    The vertices next to both ends are numbered, and each of them gets a row of bits: which of the
    others are on its onward list. As each edge is on one such list, each clique is found once.

    `shape` holds the offsets of vertices, the edges, and the graph of each edge. If the flag is
    raised, it returns at once.
    """
    node_ptr, edges, graph_of = shape
    place = np.full(0, -1, np.int64)
    for edge in range(start, stop):
        first, end = node_ptr[graph_of[edge]], node_ptr[graph_of[edge] + 1]
        if flag[0] != 0:
            return
        if len(place) < end - first:
            place = np.full(end - first, -1, np.int64)
        shared = _shared(adjacency, first + edges[edge, 0], first + edges[edge, 1])
        n = len(shared)
        if n < size - 2:
            continue
        rows = np.zeros((n, (n + 63) // 64), np.uint64)
        for i in range(n):
            place[shared[i]] = i
        for i in range(n):
            v = first + shared[i]
            for at in range(onward.indptr[v], onward.indptr[v + 1]):
                j = place[onward.neighbors[at]]
                if j >= 0:
                    rows[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
        for i in range(n):
            place[shared[i]] = -1
        counts[edge] = _inside(rows, size - 2, flag)


@apart
def _shared(adjacency: Adjacency, u: int, v: int) -> NDArray[np.int64]:
    """Return the vertices next to both of two; the longer list is bisected."""
    indptr, neighbors = adjacency.indptr, adjacency.neighbors
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    found, n = np.empty(indptr[u + 1] - indptr[u], np.int64), 0
    low, end = indptr[v], indptr[v + 1]
    for i in range(indptr[u], indptr[u + 1]):
        high = end
        while low < high:
            middle = (low + high) // 2
            if neighbors[middle] < neighbors[i]:
                low = middle + 1
            else:
                high = middle
        if low < end and neighbors[low] == neighbors[i]:
            found[n] = neighbors[i]
            n += 1
    return found[:n]


@apart
def _inside(rows: NDArray[np.uint64], size: int, flag: NDArray[np.uint8]) -> int:
    """Count the cliques of at least two vertices in a graph of bits.

    ``fitting[d]`` are the vertices that can follow the d that are chosen, and ``left[d]`` those of
    them that have not been tried yet, from word ``at[d]`` on.
    """
    n, words = rows.shape
    fitting, at = np.zeros((size - 1, words), np.uint64), np.zeros(size - 1, np.int64)
    for i in range(n):
        fitting[0, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    left = fitting.copy()
    chosen, total = 0, 0
    while chosen >= 0 and flag[0] == 0:
        word = at[chosen]
        if word == words:
            chosen -= 1
            continue
        bits = left[chosen, word]
        if bits == 0:
            at[chosen] += 1
            continue
        left[chosen, word] = bits & (bits - np.uint64(1))
        row = rows[(word << 6) + _n_ones(~bits & (bits - np.uint64(1)))]
        if chosen == size - 2:  # all that can follow complete a clique
            for i in range(words):
                total += _n_ones(fitting[chosen, i] & row[i])
            continue
        for i in range(words):
            fitting[chosen + 1, i] = left[chosen + 1, i] = fitting[chosen, i] & row[i]
        chosen += 1
        at[chosen] = 0
    return total


@apart
def _n_ones(x: np.uint64) -> int:
    """Count the bits that are set."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    ones: int = np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[assignment]
    return ones
