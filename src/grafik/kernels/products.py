"""Gram matrices of products of base kernels, their exponents added with twice the precision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit, uncompiled
from ..features.histograms import Histograms
from ..system.threads import new_flag, uninterrupted
from .matching import matched, refuse_other_levels
from .postings import postings_of
from .tiles import run_tiles, tile_of
from .wasserstein import distance, lines_of

# Rows that take one feature after the other, while their sums stay in the cache.
_ROWS = 64
# With more pairs of graphs than this, an interrupt is looked for after so many rows of a tile.
_MANY, _STEP = 1_000_000, 8 * _ROWS


class _Precise(NamedTuple):
    """Numbers with twice the usual precision: rounded, and what rounding has lost."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]


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
    refuse_other_levels(alphas, x, y)
    # All features matter here, those of a single graph too.
    mine, theirs = postings_of(x, n_jobs), postings_of(y, n_jobs)
    far_x, far_y = (
        far_off(side, found.example, alphas, alpha_delta)
        for side, found in ((x, mine), (y, theirs))
    )
    pairs = matched(x, y, alphas, n_jobs, postings=(mine, theirs))
    shape = len(x), len(y)
    moves, squares = (_Precise(np.zeros(shape), np.zeros(shape)) for _ in range(2))

    long = len(x) * len(y) > _MANY
    flag = new_flag()

    def add(first: int, last: int) -> None:
        far = far_x[pairs.x.origin], far_y[pairs.y.origin]
        tile, least = tile_of(first, last, pairs), first if pairs.half else 0
        step = _STEP if long else max(1, len(x))
        for row in range(least, len(x), step):
            if flag[0]:
                return
            rows = row, min(row + step, len(x))
            _add_corrections(tile, rows, pairs, *far, moves, squares)

    run_tiles(add, len(y), n_jobs, flag if long else None)
    if x is y:
        for matrix in (*moves, *squares):
            _mirror(matrix)
    moved = _in_all(_moved(x, far_x), _moved(y, far_y), moves)
    differ = _in_all(_squares(x), _squares(y), squares)
    with np.errstate(over="ignore", under="ignore"):  # an infinite exponent is a kernel of 0
        result = np.exp(-(gamma * moved + beta * differ))
    if x is y:
        np.fill_diagonal(result, 1.0)
    return result


def _mirror(matrix: NDArray[np.float64], block: int = 512) -> None:
    """Copy the lower triangle of a square matrix to the upper one, a tile at a time."""
    for start in range(0, len(matrix), block):
        stop = min(start + block, len(matrix))
        matrix[:start, start:stop] = matrix[start:stop, :start].T
        corner = matrix[start:stop, start:stop]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T


@njit(cache=True, nogil=True)
def _add_corrections(tile, some, pairs, far_x, far_y, moved, squares):
    """Add what sharing a feature changes in both exponents, in some rows of a tile of columns.

    The rows before have been done: the tile knows how far they reach.
    """
    # Arrays are taken out of named tuples here: inside of loops, references would be counted.
    x, y, axis = pairs.x, pairs.y, pairs.axis
    table_ptr, distances = pairs.table_ptr, pairs.distances
    rows, own_classes, own_masses = x.graphs, x.classes, x.masses
    columns, classes, masses = y.graphs, y.classes, y.masses
    x_stops, x_classes, y_classes = x.stops, x.class_ptr, y.class_ptr
    x_lines, x_ptr = x.profiles.lines, x.profiles.ptr
    y_lines, y_ptr = y.profiles.lines, y.profiles.ptr
    features, starts, stops, places = tile.features, tile.starts, tile.stops, tile.rows
    for row0 in range(some[0], some[1], _ROWS):
        end = min(row0 + _ROWS, some[1])
        for i in range(len(features)):
            feature, at = features[i], places[i]
            first_y, n_y = y_classes[feature], y_classes[feature + 1] - y_classes[feature]
            while at < x_stops[feature] and rows[at] < end:
                row, a = rows[at], x_classes[feature] + own_classes[at]
                table = table_ptr[feature] + own_classes[at] * n_y
                for j in range(starts[i], stops[i]):
                    column, b = columns[j], first_y + classes[j]
                    if table_ptr[feature] >= 0:
                        apart = distances[table + classes[j]]
                    else:
                        mine, theirs = lines_of(x_ptr, a), lines_of(y_ptr, b)
                        apart = distance(x_lines, mine, y_lines, theirs, axis)
                    far, rest = _two_sum(far_x[a], far_y[b])
                    change, lost = _two_sum(apart, -far)
                    _add_precisely(moved, row, column, change, lost - rest)
                    # (m - m')^2 is m^2 + m'^2 - 2 m m'
                    product, lost = _product(own_masses[at], masses[j])
                    _add_precisely(squares, row, column, -2 * product, -2 * lost)
                at += 1
            places[i] = at


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


def far_off(
    histograms: Histograms,
    rows: NDArray[np.int64],
    alphas: NDArray[np.float64],
    alpha_delta: float,
) -> NDArray[np.float64]:
    """Return how far the histograms of some rows are from that of a feature which is not there."""
    if len(alphas) == 1:
        return np.zeros(len(rows))
    how = rows, histograms.runs, alphas, alpha_delta
    return np.asarray(uninterrupted(_mean_distances, *how))


@njit(cache=True, nogil=True)
def _mean_distances(rows, runs, alphas, point):
    """Return the mean distance from the occurrences of each of some rows to a point.

    Counts are divided by their common factor, so that all rows of a class give the same bits.
    """
    result = np.empty(len(rows))
    for at in range(len(rows)):
        start, stop = runs.ptr[rows[at]], runs.ptr[rows[at] + 1]
        factor = _common_factor(runs.counts, start, stop)
        mass, moved = 0, 0.0
        for run in range(start, stop):
            count = runs.counts[run] // factor
            end = runs.n_levels if run + 1 == stop else runs.levels[run + 1]
            for level in range(runs.levels[run], end):
                mass += count
                moved += count * abs(alphas[level] - point)
        result[at] = moved / mass
    return result


@njit(cache=True, nogil=True)
def _common_factor(counts, start, stop):
    """Return the greatest common divisor of some counts."""
    a = 0
    for at in range(start, stop):
        b = counts[at]
        while b:
            a, b = b, a % b
        if a == 1:
            break
    return a


def _moved(histograms: Histograms, far: NDArray[np.float64]) -> _Precise:
    """Add up, for each graph, the distances of all its features to features that are not there."""
    postings = postings_of(histograms)
    values = far[np.repeat(postings.class_ptr[:-1], np.diff(postings.row_ptr)) + postings.classes]
    return _added_up(histograms, values, np.zeros(len(values)))


def _squares(histograms: Histograms) -> _Precise:
    """Add up, for each graph, the squares of the masses of all its features."""
    masses = postings_of(histograms).masses
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
    _add_to_graphs(postings_of(histograms).graphs, values, lost, sums)
    return sums


@njit(cache=True, nogil=True)
def _add_to_graphs(graphs, values, lost, sums):
    """Add values to the precise sums of their graphs."""
    for at in range(len(graphs)):
        _add_precisely(sums, graphs[at], 0, values[at], lost[at])


def _in_all(rows: _Precise, columns: _Precise, shared: _Precise) -> NDArray[np.float64]:
    """Add row sums, column sums and corrections; what is left is never negative."""
    both, lost = uncompiled(_two_sum)(rows.high, columns.high.T)
    total, more = uncompiled(_two_sum)(both, shared.high)
    small = (lost + more) + (rows.low + columns.low.T) + shared.low
    return np.asarray(np.maximum(total + small, 0.0))
