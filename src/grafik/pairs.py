"""Two sides of a Gram matrix: the features they share, and how far apart their histograms are."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .arrays import offsets
from .histograms import Histograms
from .postings import Postings
from .threads import n_threads, run_blocks

# Tables of distances may take this many numbers in all (64 MB).
_MAX_TABLES = 1 << 23
# Gram matrices are filled by tiles of at most so many columns.
_TILE = 256


class Side(NamedTuple):
    """One side of a Gram matrix: what its graphs have of the features that both sides have.

    Attributes
    ----------
    graph_ptr : ndarray of int64, shape (n_graphs + 1,)
        Entries ``graph_ptr[g]:graph_ptr[g + 1]`` belong to graph `g`, by increasing feature.
    features, classes : ndarray of int32, shape (n_entries,)
        Which of the shared features an entry has, and which of its distinct histograms.
    masses : ndarray of float64, shape (n_entries,)
    n_rows, n_classes, class_start : ndarray of int64, shape (n_shared,)
        How many graphs have a feature, in how many distinct histograms, and where these start in
        `example`.
    example : ndarray of int64
        A row of the histograms for each class.
    run_ptr, run_levels, run_counts
        As in :class:`Histograms`.
    """

    graph_ptr: NDArray[np.int64]
    features: NDArray[np.int32]
    classes: NDArray[np.int32]
    masses: NDArray[np.float64]
    n_rows: NDArray[np.int64]
    n_classes: NDArray[np.int64]
    class_start: NDArray[np.int64]
    example: NDArray[np.int64]
    run_ptr: NDArray[np.int64]
    run_levels: NDArray[np.int32]
    run_counts: NDArray[np.int64]


class Pairs(NamedTuple):
    """Both sides, and the distances between the distinct histograms of each shared feature.

    Attributes
    ----------
    x, y : Side
    block_ptr : ndarray of int64
        Where the table of a feature starts in `distances`; -1 where it has none because its
        histograms hardly repeat.
    spreadable : ndarray of bool
        Whether a feature has a table, and several rows for each of its lines.
    distances : ndarray of float64
        One table after the other, with a line for each class of the rows.
    """

    x: Side
    y: Side
    block_ptr: NDArray[np.int64]
    spreadable: NDArray[np.bool_]
    distances: NDArray[np.float64]


def _side(histograms: Histograms, chosen: NDArray[np.int64]) -> Side:
    """Keep of one side only some features, and number them anew."""
    postings = histograms.postings
    number = np.full(len(postings.features), -1, np.int32)
    number[chosen] = np.arange(len(chosen))
    features = number[postings.feature_of[postings.by_graph]]
    kept = np.flatnonzero(features >= 0)
    entries = postings.by_graph[kept]
    class_start = postings.class_ptr[chosen]
    features = features[kept]
    return Side(
        np.searchsorted(kept, postings.graph_ptr),
        features,
        (postings.class_of[entries] - class_start[features]).astype(np.int32),
        postings.masses[entries],
        np.diff(postings.row_ptr)[chosen],
        np.diff(postings.class_ptr)[chosen],
        class_start,
        postings.example,
        histograms.run_ptr,
        histograms.run_levels,
        histograms.run_counts,
    )


def matched(
    x: Histograms,
    y: Histograms,
    gaps: NDArray[np.float64],
    depths: tuple[int, int] | None,
    n_jobs: int | None,
) -> Pairs:
    """Match the features of both sides and tabulate distances where that pays."""
    partner = _partners(x.postings, y.postings)
    if depths is not None:
        outside = (x.postings.depths < depths[0]) | (x.postings.depths >= depths[1])
        partner[outside] = -1
    if x is y:
        partner[np.diff(x.postings.row_ptr) == 1] = -1  # these touch only the diagonal
    shared = np.flatnonzero(partner >= 0)
    rows = _side(x, shared)
    columns = rows if x is y else _side(y, partner[shared])
    sizes = rows.n_classes * columns.n_classes
    worth = 2 * sizes <= rows.n_rows * columns.n_rows
    worth &= columns.n_classes * len(gaps) <= _MAX_TABLES
    worth &= np.cumsum(sizes * worth) <= _MAX_TABLES
    ends = offsets(sizes * worth)
    block_ptr = np.where(worth, ends[:-1], -1)
    distances = np.zeros(int(ends[-1]))
    tabulated = np.flatnonzero(worth)

    def tabulate(start: int, stop: int) -> None:
        _tabulate(tabulated[start:stop], rows, columns, block_ptr, gaps, distances)

    run_blocks(tabulate, offsets(sizes[worth]), n_jobs)
    return Pairs(rows, columns, block_ptr, worth & (rows.n_rows >= 2 * rows.n_classes), distances)


def _partners(x: Postings, y: Postings) -> NDArray[np.int64]:
    """Return for each feature of `x` its position in `y`, -1 where it has none."""
    if x is y:
        return np.arange(len(x.features))
    features, depths = (
        np.concatenate([getattr(x, name), getattr(y, name)]) for name in ("features", "depths")
    )
    order = np.lexsort((features, depths))
    ahead, behind = order[1:], order[:-1]
    twice = (features[ahead] == features[behind]) & (depths[ahead] == depths[behind])
    partner = np.full(len(x.features), -1, np.int64)
    partner[behind[twice]] = ahead[twice] - len(x.features)
    return partner


def run_tiles(
    work: Callable[[int, int], None], x: Histograms, y: Histograms, n_jobs: int | None
) -> None:
    """Call ``work(first, last)`` for tiles of columns, those with most rows first."""
    width = min(_TILE, max(_TILE // 8, len(y) // (4 * n_threads(n_jobs))))
    starts = np.arange(0, len(y), width)
    cost = offsets(len(x) - starts if x is y else np.full(len(starts), len(x)))

    def several(first: int, last: int) -> None:
        for start in starts[first:last].tolist():
            work(start, min(start + width, len(y)))

    run_blocks(several, cost, n_jobs)


def mirror(matrix: NDArray[np.float64], block: int = 512) -> None:
    """Copy the lower triangle of a square matrix to the upper one, a tile at a time."""
    for start in range(0, len(matrix), block):
        stop = min(start + block, len(matrix))
        matrix[:start, start:stop] = matrix[start:stop, :start].T
        corner = matrix[start:stop, start:stop]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T


@njit(cache=True, nogil=True)
def cumulative(side, feature, a, out):
    """Write the cumulative normalised histogram of a class, without the final 1, to `out`."""
    row = side.example[side.class_start[feature] + a]
    run, stop = side.run_ptr[row], side.run_ptr[row + 1]
    total, count = 0, 0
    for level in range(len(out) + 1):
        if run < stop and side.run_levels[run] == level:
            count = side.run_counts[run]
            run += 1
        total += count
        if level < len(out):
            out[level] = total
    for level in range(len(out)):
        out[level] /= total


@njit(cache=True, nogil=True)
def distance_of(a, b, gaps):
    """Return the Wasserstein distance of two cumulative histograms."""
    total = 0.0
    for level in range(len(gaps)):
        total += gaps[level] * abs(a[level] - b[level])
    return total


@njit(cache=True, nogil=True)
def _tabulate(features, x, y, block_ptr, gaps, distances):
    """Fill the tables of some features."""
    mine, theirs = np.empty(len(gaps)), np.empty((1, len(gaps)))
    for feature in features:
        n_classes = y.n_classes[feature]
        if n_classes > len(theirs):
            theirs = np.empty((2 * n_classes, len(gaps)))
        for b in range(n_classes):
            cumulative(y, feature, b, theirs[b])
        at = block_ptr[feature]
        for a in range(x.n_classes[feature]):
            cumulative(x, feature, a, mine)
            for b in range(n_classes):
                distances[at] = distance_of(mine, theirs[b], gaps)
                at += 1


@njit(cache=True, nogil=True)
def by_feature(first, last, y):
    """Sort the entries of columns first..last by feature: ``entries[listed[f]:listed[f + 1]]``."""
    start, stop = y.graph_ptr[first], y.graph_ptr[last]
    listed = np.zeros(len(y.n_rows) + 1, np.int32)
    for at in range(start, stop):
        listed[y.features[at] + 1] += 1
    for feature in range(len(y.n_rows)):
        listed[feature + 1] += listed[feature]
    free = listed[:-1].copy()
    columns, entries = np.empty(stop - start, np.int32), np.empty(stop - start, np.int64)
    for column in range(first, last):
        for at in range(y.graph_ptr[column], y.graph_ptr[column + 1]):
            place = free[y.features[at]]
            free[y.features[at]] += 1
            columns[place], entries[place] = column - first, at
    return listed, columns, entries
