"""Gram matrices from filtration histograms: sums and products of base kernels over features."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from .arrays import offsets
from .filtration import LARGEST, unit_axis
from .histograms import Histograms, Postings, common_factor
from .threads import n_threads, run_blocks


def wasserstein(x: ArrayLike, y: ArrayLike, alphas: ArrayLike) -> float:
    r"""Wasserstein distance between two filtration histograms, after normalising both.

    .. math:: W_1(\hat x, \hat y) = \sum_{i<k} (\alpha_i - \alpha_{i+1})
              \Bigl|\sum_{j \leq i} \hat x_j - \hat y_j\Bigr|

    Parameters
    ----------
    x, y : array of shape (n_levels,)
        Not negative, and not all zero.
    alphas : array of shape (n_levels,)
        Decreasing thresholds, on which the mass is moved.

    Returns
    -------
    float

    Examples
    --------
    >>> from grafik import wasserstein
    >>> wasserstein([2, 0, 0], [0, 0, 7], alphas=[5.0, 3.0, 1.0])
    4.0
    """
    points = np.asarray(alphas, np.float64)
    if points.ndim != 1 or not np.isfinite(points).all() or not (points[1:] < points[:-1]).all():
        raise ValueError(f"alphas must be finite and decrease, got {alphas!r}")
    sums = []
    for name, values in (("x", x), ("y", y)):
        array = np.asarray(values, np.float64)
        if array.shape != points.shape:
            raise ValueError(f"{name} must have shape {points.shape}, got {array.shape}")
        if not np.isfinite(array).all() or (array < 0).any() or not array.any():
            raise ValueError(
                f"{name} must be finite, not negative and not all zero, got {values!r}"
            )
        scaled = array / array.max()  # a sum of large numbers may overflow
        sums.append(np.cumsum(scaled) / scaled.sum())
    axis, length = unit_axis(points)
    between = np.abs(sums[0] - sums[1])[:-1]
    return min(float(((axis[:-1] - axis[1:]) * between).sum()) * length, LARGEST)


def sum_gram(
    x: Histograms,
    y: Histograms,
    alphas: NDArray[np.float64],
    gamma: float,
    *,
    depths: tuple[int, int] | None = None,
    out: NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    r"""Gram matrix of the filtration kernel (Definition 3 of the paper).

    .. math:: K(G, G') = \sum_f e^{-\gamma W_1(\hat\phi_f(G), \hat\phi_f(G'))}
              \|\phi_f(G)\|_1 \, \|\phi_f(G')\|_1

    Every entry is added up in the order of depth and feature, so it depends on its two graphs
    alone, to the last bit.

    Parameters
    ----------
    x, y : Histograms
        Of the graphs of the rows and of the columns.
    alphas : ndarray of shape (n_levels,)
        Thresholds, mapped to the interval from 1 to 0.
    gamma : float
    depths : (int, int), optional
        Only features of depth at least the first and below the second.
    out : ndarray of shape (len(x), len(y)), optional
        Matrix to add to; a new one by default.
    n_jobs : int or None
        Number of threads.
    """
    matrix = np.zeros((len(x), len(y))) if out is None else out
    gaps = alphas[:-1] - alphas[1:]
    pairs = _pairs(x, y, gaps, depths, n_jobs)
    base = np.empty_like(pairs.distances)
    _exponentials(pairs.distances, gamma, base)

    def add(first: int, last: int) -> None:
        _add_tile(first, last, x is y, *pairs[:4], base, gaps, gamma, matrix)

    _run_tiles(add, x, y, n_jobs)
    if x is y:
        _mirror(matrix)
        np.fill_diagonal(matrix, sum_diagonal(x, None if depths is None else depths[1] - 1))
    return matrix


def sum_diagonal(x: Histograms, depth: int | None = None) -> NDArray[np.float64]:
    """Return the kernel of each graph with itself: the squares of its masses, added up."""
    postings = x.postings
    squares = postings.masses**2
    if depth is not None:
        squares[postings.depths[postings.feature_of] > depth] = 0.0
    return np.bincount(postings.graphs, squares, minlength=len(x)).astype(np.float64)


def product_gram(
    x: Histograms,
    y: Histograms,
    alphas: NDArray[np.float64],
    gamma: float,
    beta: float,
    alpha_delta: float,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    r"""Gram matrix of the product kernel (Appendix B of the paper).

    .. math:: \tilde K(G, G') = \prod_f e^{-\gamma W_1(\hat\phi_f(G), \hat\phi_f(G'))}
              e^{-\beta (\|\phi_f(G)\|_1 - \|\phi_f(G')\|_1)^2}

    over the features of either graph. The histogram of a feature that a graph lacks has all its
    mass at `alpha_delta` (Appendix A), unless there is one level only.

    The exponent is that of two graphs which share nothing, plus a correction for each feature they
    do share. The two nearly cancel for similar graphs; therefore both are added up with twice the
    usual precision.

    Parameters
    ----------
    x, y, n_jobs
        As for :func:`sum_gram`.
    alphas, alpha_delta : ndarray of shape (n_levels,), float
        Positions on the axis, all between 1 and 0.
    gamma, beta : float
    """
    gaps = alphas[:-1] - alphas[1:]
    pairs = _pairs(x, y, gaps, None, n_jobs)
    shape = len(x), len(y)
    distance, squares = (_Precise(np.zeros(shape), np.zeros(shape)) for _ in range(2))
    far_x, far_y = (_far(side, alphas, alpha_delta) for side in (x, y))

    def add(first: int, last: int) -> None:
        _add_corrections(first, last, x is y, *pairs, gaps, far_x, far_y, distance, squares)

    _run_tiles(add, x, y, n_jobs)
    if x is y:
        for matrix in (*distance, *squares):
            _mirror(matrix)
    moved = _in_all(_moved(x, far_x), _moved(y, far_y), distance)
    differ = _in_all(_squares(x), _squares(y), squares)
    with np.errstate(over="ignore", under="ignore"):  # an infinite exponent is a kernel of 0
        result = np.exp(-(gamma * moved + beta * differ))
    if x is y:
        np.fill_diagonal(result, 1.0)
    return result


# What the rows and the columns have in common


class _Side(NamedTuple):
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


class _Pairs(NamedTuple):
    """Both sides, and the distances between the distinct histograms of each shared feature.

    Attributes
    ----------
    x, y : _Side
    block_ptr : ndarray of int64
        Where the table of a feature starts in `distances`; -1 where it has none because its
        histograms hardly repeat.
    spreadable : ndarray of bool
        Whether a feature has a table, and several rows for each of its lines.
    distances : ndarray of float64
        One table after the other, with a line for each class of the rows.
    """

    x: _Side
    y: _Side
    block_ptr: NDArray[np.int64]
    spreadable: NDArray[np.bool_]
    distances: NDArray[np.float64]


# Tables of distances may take this many numbers in all (64 MB),
_MAX_TABLES = 1 << 23
# and spread over the columns of a tile so many lines (16 MB).
_TILE = 256
_MAX_LINES = 1 << 13


def _side(histograms: Histograms, chosen: NDArray[np.int64]) -> _Side:
    """Keep of one side only some features, and number them anew."""
    postings = histograms.postings
    number = np.full(len(postings.features), -1, np.int32)
    number[chosen] = np.arange(len(chosen))
    features = number[postings.feature_of[postings.by_graph]]
    kept = np.flatnonzero(features >= 0)
    entries = postings.by_graph[kept]
    class_start = postings.class_ptr[chosen]
    features = features[kept]
    return _Side(
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


def _pairs(
    x: Histograms,
    y: Histograms,
    gaps: NDArray[np.float64],
    depths: tuple[int, int] | None,
    n_jobs: int | None,
) -> _Pairs:
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
    return _Pairs(rows, columns, block_ptr, worth & (rows.n_rows >= 2 * rows.n_classes), distances)


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


def _run_tiles(
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


def _mirror(matrix: NDArray[np.float64], block: int = 512) -> None:
    """Copy the lower triangle of a square matrix to the upper one, a tile at a time."""
    for start in range(0, len(matrix), block):
        stop = min(start + block, len(matrix))
        matrix[:start, start:stop] = matrix[start:stop, :start].T
        corner = matrix[start:stop, start:stop]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T


@njit(cache=True, nogil=True)
def _cumulative(side, feature, a, out):
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
def _distance(a, b, gaps):
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
            _cumulative(y, feature, b, theirs[b])
        at = block_ptr[feature]
        for a in range(x.n_classes[feature]):
            _cumulative(x, feature, a, mine)
            for b in range(n_classes):
                distances[at] = _distance(mine, theirs[b], gaps)
                at += 1


# The sums


@njit(cache=True, nogil=True)
def _exponential(distance, gamma):
    """Return the base kernel of two histograms at a distance."""
    return math.exp(-(gamma * distance))


@njit(cache=True, nogil=True)
def _exponentials(distances, gamma, out):
    """Fill `out` with base kernels; they have the bits that the loop below would compute."""
    for at in range(len(distances)):
        out[at] = _exponential(distances[at], gamma)


@njit(cache=True, nogil=True)
def _add_tile(first, last, half, x, y, block_ptr, spreadable, base, gaps, gamma, matrix):
    """Add all features to columns first..last, each entry in the order of its features.

    The tables of features that many of these columns have are spread over the columns, so that
    plain vector operations add them, and stay in the cache. The other features are added column
    by column. Both ways add the same numbers in the same order. With `half`, only rows from the
    first column on are filled.
    """
    width = last - first
    listed, columns, entries = _by_feature(first, last, y)
    line_of, lines = _spread(x, y, block_ptr, spreadable, base, listed, columns, entries, width)
    sums, mine, theirs = np.empty(width), np.empty(len(gaps)), np.empty(len(gaps))
    for row in range(first if half else 0, len(matrix)):
        for column in range(width):
            sums[column] = matrix[row, first + column]
        for at in range(x.graph_ptr[row], x.graph_ptr[row + 1]):
            feature = x.features[at]
            start, stop = listed[feature], listed[feature + 1]
            if start == stop:
                continue
            mass, line = x.masses[at], line_of[feature]
            if line >= 0:
                own = line + 1 + x.classes[at]
                for column in range(width):
                    sums[column] += mass * lines[line, column] * lines[own, column]
                continue
            table = block_ptr[feature]
            if table >= 0:
                table += x.classes[at] * y.n_classes[feature]
            else:
                _cumulative(x, feature, x.classes[at], mine)
            for i in range(start, stop):
                if table >= 0:
                    similarity = base[table + y.classes[entries[i]]]
                else:
                    _cumulative(y, feature, y.classes[entries[i]], theirs)
                    similarity = _exponential(_distance(mine, theirs, gaps), gamma)
                sums[columns[i]] += mass * y.masses[entries[i]] * similarity
        for column in range(width):
            matrix[row, first + column] = sums[column]


@njit(cache=True, nogil=True)
def _by_feature(first, last, y):
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


@njit(cache=True, nogil=True)
def _spread(x, y, block_ptr, spreadable, base, listed, columns, entries, width):
    """Write features that at least one column in ten has as lines: masses, then one per class."""
    line_of = np.full(len(block_ptr), -1, np.int32)
    n_lines = 0
    for feature in range(len(block_ptr)):
        often = 10 * (listed[feature + 1] - listed[feature]) >= width
        wanted = 1 + x.n_classes[feature]
        if spreadable[feature] and often and n_lines + wanted <= _MAX_LINES:
            line_of[feature] = n_lines
            n_lines += wanted
    lines = np.zeros((n_lines, width))
    for feature in range(len(block_ptr)):
        line = line_of[feature]
        if line < 0:
            continue
        for i in range(listed[feature], listed[feature + 1]):
            lines[line, columns[i]] = y.masses[entries[i]]
            place = block_ptr[feature] + y.classes[entries[i]]
            for a in range(x.n_classes[feature]):
                lines[line + 1 + a, columns[i]] = base[place + a * y.n_classes[feature]]
    return line_of, lines


class _Precise(NamedTuple):
    """Numbers with twice the usual precision: rounded, and what rounding has lost."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]


@njit(cache=True, nogil=True)
def _add_corrections(
    first, last, half, x, y, block_ptr, spreadable, distances, gaps, far_x, far_y, moved, squares
):
    """Add what sharing a feature changes in both exponents, in columns first..last."""
    listed, columns, entries = _by_feature(first, last, y)
    mine, theirs = np.empty(len(gaps)), np.empty(len(gaps))
    for row in range(first if half else 0, len(moved.high)):
        for at in range(x.graph_ptr[row], x.graph_ptr[row + 1]):
            feature, a = x.features[at], x.classes[at]
            table = block_ptr[feature]
            if table >= 0:
                table += a * y.n_classes[feature]
            elif listed[feature] < listed[feature + 1]:
                _cumulative(x, feature, a, mine)
            for i in range(listed[feature], listed[feature + 1]):
                b = y.classes[entries[i]]
                if table >= 0:
                    distance = distances[table + b]
                else:
                    _cumulative(y, feature, b, theirs)
                    distance = _distance(mine, theirs, gaps)
                far, rest = _two_sum(
                    far_x[x.class_start[feature] + a], far_y[y.class_start[feature] + b]
                )
                change, lost = _two_sum(distance, -far)
                _add_precisely(moved, row, first + columns[i], change, lost - rest)
                # (m - m')^2 is m^2 + m'^2 - 2 m m'
                product, lost = _product(x.masses[at], y.masses[entries[i]])
                _add_precisely(squares, row, first + columns[i], -2 * product, -2 * lost)


@njit(cache=True, nogil=True)
def _two_sum(a, b):
    """Return the rounded sum of two numbers, and exactly what rounding has lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@njit(cache=True, nogil=True)
def _product(a, b):
    """Return the rounded product of two whole numbers, and what rounding has lost."""
    rounded = a * b
    if rounded < 2.0**62:
        return rounded, np.float64(np.int64(a) * np.int64(b) - np.int64(rounded))
    return rounded, 0.0


@njit(cache=True, nogil=True)
def _add_precisely(sums, row, column, value, lost):
    """Add a number, and what its own rounding has lost, to a precise sum."""
    total, error = _two_sum(sums.high[row, column], value)
    sums.high[row, column] = total
    sums.low[row, column] += error + lost


# Features that only one of two graphs has


def _far(
    histograms: Histograms, alphas: NDArray[np.float64], alpha_delta: float
) -> NDArray[np.float64]:
    """Return the distance of each distinct histogram to that of a feature which is not there."""
    rows = histograms.postings.example
    if len(alphas) == 1:
        return np.zeros(len(rows))
    runs = histograms.run_ptr, histograms.run_levels, histograms.run_counts
    return np.asarray(_mean_distances(rows, *runs, alphas, alpha_delta))


@njit(cache=True, nogil=True)
def _mean_distances(rows, run_ptr, run_levels, run_counts, alphas, point):
    """Return the mean distance from the occurrences of each of some rows to a point.

    Counts are divided by their common factor, so that all rows of a class give the same bits.
    """
    result = np.empty(len(rows))
    for at in range(len(rows)):
        start, stop = run_ptr[rows[at]], run_ptr[rows[at] + 1]
        factor = common_factor(run_counts, start, stop)
        mass, moved = 0, 0.0
        for run in range(start, stop):
            count = run_counts[run] // factor
            end = len(alphas) if run + 1 == stop else run_levels[run + 1]
            for level in range(run_levels[run], end):
                mass += count
                moved += count * abs(alphas[level] - point)
        result[at] = moved / mass
    return result


def _moved(histograms: Histograms, far: NDArray[np.float64]) -> _Precise:
    """Add up, for each graph, the distances of all its features to features that are not there."""
    values = far[histograms.postings.class_of]
    return _added_up(histograms, values, np.zeros(len(values)))


def _squares(histograms: Histograms) -> _Precise:
    """Add up, for each graph, the squares of the masses of all its features."""
    masses = histograms.postings.masses
    squares, lost = np.empty(len(masses)), np.empty(len(masses))
    _square_all(masses, squares, lost)
    return _added_up(histograms, squares, lost)


@njit(cache=True, nogil=True)
def _square_all(masses, squares, lost):
    for at in range(len(masses)):
        squares[at], lost[at] = _product(masses[at], masses[at])


def _added_up(
    histograms: Histograms, values: NDArray[np.float64], lost: NDArray[np.float64]
) -> _Precise:
    sums = _Precise(np.zeros((len(histograms), 1)), np.zeros((len(histograms), 1)))
    _add_to_graphs(histograms.postings.graphs, values, lost, sums)
    return sums


@njit(cache=True, nogil=True)
def _add_to_graphs(graphs, values, lost, sums):
    """Add values to the precise sums of their graphs."""
    for at in range(len(graphs)):
        _add_precisely(sums, graphs[at], 0, values[at], lost[at])


def _in_all(rows: _Precise, columns: _Precise, shared: _Precise) -> NDArray[np.float64]:
    """Add row sums, column sums and corrections; what is left is never negative."""
    both, lost = _two_sum.py_func(rows.high, columns.high.T)
    total, more = _two_sum.py_func(both, shared.high)
    small = (lost + more) + (rows.low + columns.low.T) + shared.low
    return np.asarray(np.maximum(total + small, 0.0))
