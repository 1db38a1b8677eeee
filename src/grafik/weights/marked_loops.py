"""The loops that relabel graphs in which some vertices are marked, compiled by numba."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import apart, njit
from ..arrays.hashing import mix, mix_other, relabelled
from ..graphs.adjacency import Adjacency

# Marks of the first end, of the second in directed graphs, and of vertices beside these.
FIRST = np.uint64(0xBB67AE8584CAA73B)
SECOND = np.uint64(0x3C6EF372FE94F82B)
EXTRA = np.uint64(0xA54FF53A5F1D36F1)
ROOM = 1 << 14  # labels that are kept at a time, so that they stay in the cache of the processor
WIDEST = 64
CLOSED = -1  # instead of a number of classes: the column is done


class Marking(NamedTuple):
    """A batch of graphs whose edges are marked, one after the other.

    Attributes
    ----------
    node_ptr, edge_ptr, edges
        Those of the batch.
    hashes
        Of the labels of all vertices.
    factors
        Odd numbers, one for each entry of the neighbour lists of the batch, that stand for labels
        and directions of edges; empty if nothing tells edges apart.
    second
        The mark of the second end; that of the first in undirected graphs.
    """

    node_ptr: NDArray[np.int64]
    edge_ptr: NDArray[np.int64]
    edges: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    factors: NDArray[np.uint64]
    second: np.uint64


class Sheets(NamedTuple):
    """Labels of one graph, with vertices as rows and ways to mark it as columns.

    Attributes
    ----------
    labels, mixed, sums
        The labels, these scrambled, and the sums of those of all neighbours.
    classes
        How many different labels each column has.
    found
        The hash of each column whose labels tell nothing more apart.
    slots, used
        A table to count different labels with, and in which count each of its slots was last used;
        the last entry is the number of counts.
    """

    labels: NDArray[np.uint64]
    mixed: NDArray[np.uint64]
    sums: NDArray[np.uint64]
    classes: NDArray[np.int64]
    found: NDArray[np.uint64]
    slots: NDArray[np.uint64]
    used: NDArray[np.int64]


@njit(cache=True, nogil=True)
def hash_marked(
    start: int,
    stop: int,
    marking: Marking,
    adjacency: Adjacency,
    rounds: int,
    extra: int,
    keys: NDArray[np.uint64],
    flag: NDArray[np.uint8],
) -> None:
    """Fill in the keys of edges start..stop, which are zero; return at once if the flag is raised.

    A key is the sum of the hashes of all ways to mark `extra` more vertices.
    """
    node_ptr, edge_ptr = marking.node_ptr, marking.edge_ptr
    graph = np.searchsorted(edge_ptr, start, side="right") - 1
    while start < stop:
        end = min(stop, edge_ptr[graph + 1])
        if start < end:
            base, n = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
            ways = 1 if extra == 0 else n if extra == 1 else n * (n - 1) // 2
            n_columns = (end - start) * ways
            sheets = _new_sheets(n, min(n_columns, max(8, min(WIDEST, ROOM // n))))
            own = Adjacency(
                adjacency.indptr[base : base + n + 1], adjacency.neighbors, adjacency.edge_ids
            )
            width = sheets.labels.shape[1]
            for left in range(0, n_columns, width):
                if flag[0] != 0:
                    return
                n_now = min(width, n_columns - left)
                _mark(marking, base, start, ways, left, n_now, extra, sheets)
                _relabel(own, marking.factors, sheets, rounds, n_now)
                for j in range(n_now):
                    keys[start + (left + j) // ways] += mix(sheets.found[j])
            start = end
        graph += 1


@njit(cache=True, nogil=True)
def odd_factors(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return an odd number for each hash of a label and a direction."""
    # Scrambled, because a direction is added to a label: sums of factors must not cancel out.
    factors = np.empty_like(hashes)
    for i in range(len(hashes)):
        factors[i] = mix(hashes[i]) | np.uint64(1)
    return factors


@apart
def _new_sheets(n: int, width: int) -> Sheets:
    size = 16
    while size < 2 * n:
        size *= 2
    return Sheets(
        np.empty((n, width), np.uint64),
        np.empty((n, width), np.uint64),
        np.empty((n, width), np.uint64),
        np.empty(width, np.int64),
        np.empty(width, np.uint64),
        np.empty(size, np.uint64),
        np.zeros(size + 1, np.int64),
    )


@apart
def _mark(
    marking: Marking,
    base: int,
    edge: int,
    ways: int,
    left: int,
    n_now: int,
    extra: int,
    sheets: Sheets,
) -> None:
    """Write the first labels of columns: those of the graph, with marks."""
    labels = sheets.labels
    n, width = labels.shape
    for v in range(n):
        plain = mix(marking.hashes[base + v])
        for j in range(width):
            labels[v, j] = plain
    for j in range(n_now):
        u, v = marking.edges[edge + (left + j) // ways]
        labels[u, j] = mix(labels[u, j] ^ FIRST)
        labels[v, j] = mix(labels[v, j] ^ marking.second)
        w = (left + j) % ways
        if extra == 2:
            # Pairs of vertices x < w are numbered by w, then by x.
            x, w = w, 1
            while x >= w:
                x, w = x - w, w + 1
            labels[x, j] = mix(labels[x, j] ^ EXTRA)
        if extra > 0:
            labels[w, j] = mix(labels[w, j] ^ EXTRA)


@apart
def _relabel(
    lists: Adjacency, factors: NDArray[np.uint64], sheets: Sheets, rounds: int, n_now: int
) -> None:
    """Relabel until nothing new is told apart, column by column, and hash the labels."""
    indptr, neighbors = lists.indptr, lists.neighbors
    labels, mixed, sums, classes = sheets.labels, sheets.mixed, sheets.sums, sheets.classes
    n, width = labels.shape
    classes[:] = 0
    n_open, depth = n_now, 0
    while n_open > 0:
        depth += 1
        for v in range(n):
            for j in range(width):
                mixed[v, j] = mix_other(labels[v, j])
        for v in range(n):
            total = sums[v]
            total[:] = 0
            for at in range(indptr[v], indptr[v + 1]):
                other = mixed[neighbors[at]]
                if len(factors):
                    factor = factors[at]
                    for j in range(width):
                        total[j] += other[j] * factor
                else:
                    for j in range(width):
                        total[j] += other[j]
        for v in range(n):
            for j in range(width):
                labels[v, j] = relabelled(labels[v, j], sums[v, j], depth)
        for j in range(n_now):
            before = classes[j]
            if before == CLOSED:
                continue
            # Labels that are all different need no counting.
            if depth < rounds and before < n:
                classes[j] = _n_different(labels, j, sheets.slots, sheets.used)
            if depth == rounds or classes[j] == before:
                # How many rounds it took counts, too.
                total_of_column = np.uint64(depth)
                for v in range(n):
                    total_of_column += mix_other(labels[v, j])
                sheets.found[j] = total_of_column
                classes[j] = CLOSED
                n_open -= 1


@apart
def _n_different(
    labels: NDArray[np.uint64],
    column: int,
    slots: NDArray[np.uint64],
    used: NDArray[np.int64],
) -> int:
    """Count the different labels in a column."""
    last, count = len(slots) - 1, 0
    used[last + 1] += 1
    now = used[last + 1]
    for v in range(len(labels)):
        label = labels[v, column]
        at = np.int64(label & np.uint64(last))
        while used[at] == now and slots[at] != label:
            at = (at + 1) & last
        if used[at] != now:
            used[at], slots[at] = now, label
            count += 1
    return count
