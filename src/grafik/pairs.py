"""Two sides of a Gram matrix: the features they share, and how far apart their histograms are."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .arrays import offsets
from .distances import DENSE, FEW, Profiles, accumulate, axis_of, distance, profiles_of, span
from .histograms import Histograms
from .postings import Postings
from .threads import n_threads, run_all, run_blocks, sort_blocks

# Tables of distances may take this many numbers in all (256 MB).
_MAX_TABLES = 1 << 25
# Tables of at least so many numbers may be shared by features.
_WORTH_SHARING = 256
# Tables are filled by blocks of so many columns where there are many levels.
_COLUMNS = 128
# Gram matrices are filled by tiles of at most so many columns.
_TILE = 512


class Side(NamedTuple):
    """One side of a Gram matrix: what its graphs have of the features that both sides have.

    Attributes
    ----------
    graph_ptr : ndarray of int64, shape (n_graphs + 1,)
        Entries ``graph_ptr[g]:graph_ptr[g + 1]`` belong to graph `g`, by increasing feature.
    features, classes : ndarray of int32, shape (n_entries,)
        Which of the shared features an entry has, and which of all distinct histograms.
    masses : ndarray of float64, shape (n_entries,)
    class_ptr : ndarray of int64, shape (n_shared + 1,)
        Histograms ``class_ptr[f]:class_ptr[f + 1]`` belong to feature `f`.
    uses : ndarray of int64, shape (n_classes,)
        How many entries have each histogram.
    profiles : Profiles
        The histograms.
    origin : ndarray of int64, shape (n_classes,)
        Their positions among all histograms of the postings.
    """

    graph_ptr: NDArray[np.int64]
    features: NDArray[np.int32]
    classes: NDArray[np.int32]
    masses: NDArray[np.float64]
    class_ptr: NDArray[np.int64]
    uses: NDArray[np.int64]
    profiles: Profiles
    origin: NDArray[np.int64]


class Pairs(NamedTuple):
    """Both sides, and the distances between the distinct histograms of each shared feature.

    Attributes
    ----------
    x, y : Side
    table_ptr : ndarray of int64
        Where the table of a feature starts in `distances`; -1 where it has none because that would
        take too much memory.
    distances : ndarray of float64
        One table after the other, with a line for each histogram of `x`.
    axis : ndarray
        See :func:`grafik.distances.axis_of`.
    """

    x: Side
    y: Side
    table_ptr: NDArray[np.int64]
    distances: NDArray[np.float64]
    axis: NDArray[np.float64]


class InTile(NamedTuple):
    """The entries of some columns, by feature.

    Attributes
    ----------
    listed : ndarray of int32, shape (n_shared + 1,)
        Entries ``listed[f]:listed[f + 1]`` have feature `f`.
    columns, classes : ndarray of int32
        Their columns, counted from the first one, and their histograms, counted from the first one
        of the feature.
    masses : ndarray of float64
    """

    listed: NDArray[np.int32]
    columns: NDArray[np.int32]
    classes: NDArray[np.int32]
    masses: NDArray[np.float64]


def matched(
    x: Histograms,
    y: Histograms,
    alphas: NDArray[np.float64],
    n_jobs: int | None,
    depths: tuple[int, int] | None = None,
) -> Pairs:
    """Match the features of both sides and tabulate the distances of their histograms.

    Parameters
    ----------
    x, y : Histograms
        Of the graphs of the rows and of the columns.
    alphas : ndarray of shape (n_levels,)
        Thresholds, mapped to the interval from 1 to 0.
    n_jobs : int or None
    depths : (int, int), optional
        Only features of depth at least the first and below the second.
    """
    mine, theirs = x.by_feature(n_jobs), y.by_feature(n_jobs)
    shared, partners = _shared(mine, theirs, depths)
    rows, n_rows = side_of(x, mine, shared, n_jobs)
    columns, n_columns = (rows, n_rows) if x is y else side_of(y, theirs, partners, n_jobs)
    sizes = np.diff(rows.class_ptr) * np.diff(columns.class_ptr)
    original = _alike(sizes, mine.shapes[shared], theirs.shapes[partners])
    own = original == np.arange(len(shared))
    worth = _worth(sizes * own, np.bincount(original, n_rows * n_columns, len(shared)))
    ends = offsets(sizes * (worth & own))
    table_ptr = np.where(worth, ends[:-1], -1)[original]
    pairs = Pairs(rows, columns, table_ptr, np.empty(int(ends[-1])), axis_of(alphas))

    # Tables that others share are filled once.
    to_fill = np.where(own, table_ptr, -1)
    loop = _tabulate_levels if FEW < len(alphas) <= DENSE else _tabulate

    def tabulate(start: int, stop: int) -> None:
        loop(
            start, stop, x is y, rows.class_ptr, *rows.profiles, columns.class_ptr,
            *columns.profiles, to_fill, pairs.distances, pairs.axis,
        )  # fmt: skip

    run_blocks(tabulate, ends, n_jobs, 3.0 * min(len(alphas), 30))
    return pairs


def _alike(
    sizes: NDArray[np.int64], x: NDArray[np.uint64], y: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Return for each feature the first one with the same table, if that is worth looking for.

    A label that never changes below some depth has the same histograms at all depths from there.
    """
    original = np.arange(len(sizes))
    large = np.flatnonzero(sizes >= _WORTH_SHARING)
    if len(large):
        keys = x[large] * np.uint64(0x9E3779B97F4A7C15) + y[large]
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        original[large] = large[first][which]
    return original


def _worth(sizes: NDArray[np.int64], n_pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which features get a table: those with most pairs for their size, while they fit."""
    worth = sizes <= _MAX_TABLES
    if sizes.sum() <= _MAX_TABLES:
        return worth
    order = np.argsort(-(n_pairs / np.maximum(sizes, 1)) * worth, kind="stable")
    worth[order] &= np.cumsum((sizes * worth)[order]) <= _MAX_TABLES
    return worth


def _shared(
    x: Postings, y: Postings, depths: tuple[int, int] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of the shared features in `x` and in `y`, in order."""
    if x is y:
        several = np.diff(x.row_ptr) > 1  # those of a single graph touch only the diagonal
        if depths is not None:
            several &= (x.depths >= depths[0]) & (x.depths < depths[1])
        shared = np.flatnonzero(several)
        return shared, shared
    features, both = (
        np.concatenate([getattr(x, name), getattr(y, name)]) for name in ("features", "depths")
    )
    order = np.lexsort((features, both))
    ahead, behind = order[1:], order[:-1]
    twice = (features[ahead] == features[behind]) & (both[ahead] == both[behind])
    if depths is not None:
        twice &= (both[ahead] >= depths[0]) & (both[ahead] < depths[1])
    return behind[twice], ahead[twice] - len(x.features)


def side_of(
    histograms: Histograms, postings: Postings, chosen: NDArray[np.int64], n_jobs: int | None
) -> tuple[Side, NDArray[np.int64]]:
    """Sort what is known of some features by graph; return also how many graphs have each."""
    n_rows = np.diff(postings.row_ptr)[chosen]
    n_classes = np.diff(postings.class_ptr)[chosen]
    class_ptr = offsets(n_classes)
    n_entries, n_all = int(n_rows.sum()), int(class_ptr[-1])
    kept = np.repeat(postings.class_ptr[chosen] - class_ptr[:-1], n_classes) + np.arange(n_all)
    profiles = profiles_of(postings.example[kept], *histograms.runs, histograms.n_levels, n_jobs)
    features, classes = (np.empty(n_entries, np.int32) for _ in range(2))
    masses, uses = np.empty(n_entries), np.zeros(n_all, np.int64)

    def count(start: int, stop: int, counts: NDArray[np.int64]) -> None:
        _count_entries(chosen[start:stop], postings.row_ptr, postings.graphs, counts)

    def fill(start: int, stop: int, free: NDArray[np.int64]) -> None:
        columns = features, classes, masses, class_ptr, uses
        _fill_entries(start, stop, chosen, *postings[2:6], free, *columns)

    graph_ptr = sort_blocks(count, fill, len(histograms), offsets(n_rows), n_jobs, 10.0)
    return Side(graph_ptr, features, classes, masses, class_ptr, uses, profiles, kept), n_rows


@njit(cache=True, nogil=True)
def _count_entries(chosen, row_ptr, graphs, counts):
    """Count the entries of each graph that have one of the chosen features."""
    for feature in chosen:
        for at in range(row_ptr[feature], row_ptr[feature + 1]):
            counts[graphs[at]] += 1


@njit(cache=True, nogil=True)
def _fill_entries(
    start, stop, chosen, row_ptr, graphs, masses, classes, free, out_features, out_classes,
    out_masses, class_ptr, uses,
):  # fmt: skip
    """Sort the entries of the chosen features start..stop by graph."""
    for number in range(start, stop):
        for at in range(row_ptr[chosen[number]], row_ptr[chosen[number] + 1]):
            place = free[graphs[at]]
            free[graphs[at]] += 1
            own = class_ptr[number] + classes[at]
            out_features[place], out_classes[place], out_masses[place] = number, own, masses[at]
            uses[own] += 1


@njit(cache=True, nogil=True)
def _tabulate(
    start, stop, half, first_x, x_ptr, x_lines, first_y, y_ptr, y_lines, table_ptr, distances, axis
):
    """Fill the tables of features start..stop, which are symmetric if both sides are the same."""
    for feature in range(start, stop):
        table = table_ptr[feature]
        if table < 0:
            continue
        n = first_y[feature + 1] - first_y[feature]
        for a in range(first_x[feature + 1] - first_x[feature]):
            i, stop_i = x_ptr[first_x[feature] + a], x_ptr[first_x[feature] + a + 1]
            for b in range(a if half else n):
                j, stop_j = y_ptr[first_y[feature] + b], y_ptr[first_y[feature] + b + 1]
                apart = distance(x_lines, i, stop_i, y_lines, j, stop_j, axis)
                distances[table + a * n + b] = apart
                if half:
                    distances[table + b * n + a] = apart
            if half:
                distances[table + a * n + a] = 0.0


@njit(cache=True, nogil=True)
def _tabulate_levels(
    start, stop, half, first_x, x_ptr, x_lines, first_y, y_ptr, y_lines, table_ptr, distances, axis
):
    """Do the same for many levels: one histogram against a block of others, level after level."""
    n_gaps = len(axis) - 2
    n_rows = (n_gaps + 3) // 4 * 4  # four levels at a time, the last ones without a gap
    mine, theirs = np.zeros(n_rows), np.zeros((n_rows, _COLUMNS))
    one, sums, gaps = np.zeros(n_rows), np.empty(_COLUMNS), np.zeros(n_rows)
    for level in range(n_gaps):
        gaps[level] = axis[level, 3]
    for feature in range(start, stop):
        table = table_ptr[feature]
        if table < 0:
            continue
        n = first_y[feature + 1] - first_y[feature]
        if half and n == 1:
            distances[table] = 0.0
            continue
        from_x, to_x = span(x_ptr, x_lines, first_x[feature], first_x[feature + 1], n_gaps)
        from_y, to_y = span(y_ptr, y_lines, first_y[feature], first_y[feature + 1], n_gaps)
        begin, end = min(from_x, from_y) // 4 * 4, min((max(to_x, to_y) + 3) // 4 * 4, n_gaps)
        for b0 in range(0, n, _COLUMNS):
            width = min(_COLUMNS, n - b0)
            for b in range(width):
                at = first_y[feature] + b0 + b
                accumulate(y_lines, y_ptr[at], y_ptr[at + 1], begin, end, one)
                for level in range(begin, end):
                    theirs[level, b] = one[level]
            for a in range(b0 if half else 0, first_x[feature + 1] - first_x[feature]):
                at = first_x[feature] + a
                accumulate(x_lines, x_ptr[at], x_ptr[at + 1], begin, end, mine)
                for b in range(width):
                    sums[b] = 0.0
                for i in range(begin, end, 4):
                    p, q, r, s = mine[i], mine[i + 1], mine[i + 2], mine[i + 3]
                    t, u, v, w = gaps[i], gaps[i + 1], gaps[i + 2], gaps[i + 3]
                    for b in range(width):
                        total = sums[b] + t * abs(p - theirs[i, b])
                        total += u * abs(q - theirs[i + 1, b])
                        total += v * abs(r - theirs[i + 2, b])
                        sums[b] = total + w * abs(s - theirs[i + 3, b])
                for b in range(width):
                    distances[table + a * n + b0 + b] = sums[b]
                    if half:
                        distances[table + (b0 + b) * n + a] = sums[b]


def run_tiles(work: Callable[[int, int], None], n_columns: int, n_jobs: int | None) -> None:
    """Call ``work(first, last)`` for tiles of columns, in the order in which they are."""
    threads = n_threads(n_jobs)
    width = min(_TILE, max(_TILE // 5, n_columns // max(4, 2 * threads)))
    tiles = [(start, min(start + width, n_columns)) for start in range(0, n_columns, width)]
    run_all(work, tiles, threads)


def in_tile(first: int, last: int, y: Side) -> InTile:
    """Sort the entries of columns first..last by feature."""
    return InTile(*_by_feature(first, last, *y[:5]))


@njit(cache=True, nogil=True)
def _by_feature(first, last, graph_ptr, features, classes, masses, class_ptr):
    start, stop, n_features = graph_ptr[first], graph_ptr[last], len(class_ptr) - 1
    listed = np.zeros(n_features + 1, np.int32)
    for at in range(start, stop):
        listed[features[at] + 1] += 1
    for feature in range(n_features):
        listed[feature + 1] += listed[feature]
    free = listed[:-1].copy()
    columns, own = np.empty(stop - start, np.int32), np.empty(stop - start, np.int32)
    own_masses = np.empty(stop - start)
    for column in range(first, last):
        for at in range(graph_ptr[column], graph_ptr[column + 1]):
            feature = features[at]
            place = free[feature]
            free[feature] += 1
            columns[place] = column - first
            own[place] = classes[at] - class_ptr[feature]
            own_masses[place] = masses[at]
    return listed, columns, own, own_masses
