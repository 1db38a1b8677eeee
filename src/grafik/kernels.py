"""Gram matrices from filtration histograms: sums and products of base kernels over features."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from .arrays import offsets
from .histograms import Histograms, Postings
from .threads import run_blocks


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
        if not np.isfinite(array).all() or (array < 0).any() or array.sum() == 0:
            raise ValueError(
                f"{name} must be finite, not negative and not all zero, got {values!r}"
            )
        sums.append(np.cumsum(array) / array.sum())
    return float(((points[:-1] - points[1:]) * np.abs(sums[0] - sums[1])[:-1]).sum())


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
    sides = _side(x), _side(y)

    def add(start: int, stop: int) -> None:
        arrays = pairs.partner, pairs.block_ptr, base
        _add_rows(start, stop, x is y, *sides, *arrays, gaps, gamma, matrix)

    run_blocks(add, _cost_of_rows(x, y), n_jobs)
    if x is y:
        _mirror(matrix)
    return matrix


def sum_diagonal(x: Histograms, depth: int | None = None) -> NDArray[np.float64]:
    """Return the kernel of each graph with itself: the squares of its masses, added up."""
    postings = x.postings
    squares = postings.masses**2
    if depth is not None:
        squares[x.depths[postings.example][postings.class_of] > depth] = 0.0
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
    do share. The two nearly cancel for similar graphs; therefore masses are added as integers,
    which is exact below 2^53, and distances with twice the usual precision.
    """
    gaps = alphas[:-1] - alphas[1:]
    pairs = _pairs(x, y, gaps, None, n_jobs)
    high, low, overlap = (np.zeros((len(x), len(y))) for _ in range(3))
    far_x, far_y = (_far(side, alphas, alpha_delta) for side in (x, y))
    sides = _side(x), _side(y)

    def add(start: int, stop: int) -> None:
        arrays = pairs.partner, pairs.block_ptr, pairs.distances, gaps, far_x, far_y
        _add_corrections(start, stop, x is y, *sides, *arrays, high, low, overlap)

    run_blocks(add, _cost_of_rows(x, y), n_jobs)
    if x is y:
        for matrix in (high, low, overlap):
            _mirror(matrix)
    distance = _sum_of_three(_total(x, far_x), _total(y, far_y), high, low)
    squares = sum_diagonal(x)[:, None] + sum_diagonal(y)[None, :] - 2 * overlap
    with np.errstate(over="ignore", under="ignore"):  # an infinite exponent is a kernel of 0
        return np.exp(-(gamma * np.maximum(distance, 0.0) + beta * squares))


# What the rows and the columns have in common


class _Side(NamedTuple):
    """What the loops need of one side of a Gram matrix, as one argument."""

    class_ptr: NDArray[np.int64]
    row_ptr: NDArray[np.int64]
    example: NDArray[np.int64]
    graphs: NDArray[np.int64]
    masses: NDArray[np.float64]
    feature_of: NDArray[np.int64]
    class_of: NDArray[np.int64]
    graph_ptr: NDArray[np.int64]
    by_graph: NDArray[np.int64]
    run_ptr: NDArray[np.int64]
    run_levels: NDArray[np.int32]
    run_counts: NDArray[np.int64]


class _Pairs(NamedTuple):
    """Distances between the distinct histograms of the features that both sides have.

    Attributes
    ----------
    partner : ndarray of int64
        For each feature of the rows the same feature of the columns, -1 where there is none.
    block_ptr : ndarray of int64
        For each feature of the rows where its table starts in `distances`, -1 where it has none
        because its histograms hardly repeat.
    distances : ndarray of float64
        One table after the other, a line for each class of the rows.
    """

    partner: NDArray[np.int64]
    block_ptr: NDArray[np.int64]
    distances: NDArray[np.float64]


# Tables of distances may take this many numbers in all (64 MB).
_MAX_TABLES = 1 << 23


def _side(histograms: Histograms) -> _Side:
    postings = histograms.postings
    return _Side(
        postings.class_ptr,
        postings.row_ptr,
        postings.example,
        postings.graphs,
        postings.masses,
        postings.feature_of,
        postings.class_of,
        postings.graph_ptr,
        postings.by_graph,
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
    rows, columns = x.postings, y.postings
    partner = _partners(rows, columns)
    if depths is not None:
        partner[(rows.depths < depths[0]) | (rows.depths >= depths[1])] = -1
    shared = np.flatnonzero(partner >= 0)
    other = partner[shared]
    classes = np.diff(rows.class_ptr)[shared] * np.diff(columns.class_ptr)[other]
    entries = (_n_rows(rows)[shared] * _n_rows(columns)[other]).astype(np.int64)
    worth = (2 * classes <= entries) & (np.cumsum(classes) <= _MAX_TABLES)
    starts = offsets(classes * worth)
    block_ptr = np.full(len(rows.features), -1, np.int64)
    block_ptr[shared[worth]] = starts[:-1][worth]
    distances = np.zeros(int(starts[-1]))
    sides = _side(x), _side(y)
    tabulated = shared[worth]

    def tabulate(start: int, stop: int) -> None:
        _tabulate(tabulated[start:stop], partner, block_ptr, *sides, gaps, distances)

    cost = offsets(classes[worth])
    run_blocks(tabulate, cost, n_jobs)
    return _Pairs(partner, block_ptr, distances)


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


def _n_rows(postings: Postings) -> NDArray[np.int64]:
    """Return in how many graphs each feature occurs."""
    return np.diff(postings.row_ptr[postings.class_ptr])


def _cost_of_rows(x: Histograms, y: Histograms) -> NDArray[np.int64]:
    """Return what the rows above each row of a Gram matrix cost; half of each if symmetric."""
    cost = np.arange(len(x) + 1, dtype=np.int64)
    return cost * (cost + 1) // 2 if x is y else cost


def _mirror(matrix: NDArray[np.float64], block: int = 512) -> None:
    """Copy the lower triangle of a square matrix to the upper one, a tile at a time."""
    for start in range(0, len(matrix), block):
        stop = min(start + block, len(matrix))
        matrix[:start, start:stop] = matrix[start:stop, :start].T
        corner = matrix[start:stop, start:stop]
        corner[:] = np.tril(corner) + np.tril(corner, -1).T


@njit(cache=True, nogil=True)
def _cumulative(row, run_ptr, run_levels, run_counts, out):
    """Write the cumulative normalised histogram of a row, without the final 1, to `out`."""
    total, count = 0, 0
    run, stop = run_ptr[row], run_ptr[row + 1]
    for level in range(len(out) + 1):
        if run < stop and run_levels[run] == level:
            count = run_counts[run]
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
def _tabulate(features, partner, block_ptr, x, y, gaps, distances):
    """Fill the tables of some features."""
    mine, theirs = np.empty(len(gaps)), np.empty((1, len(gaps)))
    for feature in features:
        first, last = y.class_ptr[partner[feature]], y.class_ptr[partner[feature] + 1]
        if last - first > len(theirs):
            theirs = np.empty((2 * (last - first), len(gaps)))
        for b in range(first, last):
            _cumulative(y.example[b], y.run_ptr, y.run_levels, y.run_counts, theirs[b - first])
        at = block_ptr[feature]
        for a in range(x.class_ptr[feature], x.class_ptr[feature + 1]):
            _cumulative(x.example[a], x.run_ptr, x.run_levels, x.run_counts, mine)
            for b in range(first, last):
                distances[at] = _distance(mine, theirs[b - first], gaps)
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
def _add_rows(start, stop, half, x, y, partner, block_ptr, base, gaps, gamma, matrix):
    """Add all features to rows start..stop, each row in the order of its features.

    A row of the matrix stays in the cache while it is filled. With `half`, only entries up to the
    diagonal are.
    """
    mine, other = np.empty(len(gaps)), np.empty(len(gaps))
    for row in range(start, stop):
        for at in range(x.graph_ptr[row], x.graph_ptr[row + 1]):
            a = x.class_of[x.by_graph[at]]
            feature = x.feature_of[a]
            if partner[feature] < 0:
                continue
            mass = x.masses[x.by_graph[at]]
            first, last = y.class_ptr[partner[feature]], y.class_ptr[partner[feature] + 1]
            table = block_ptr[feature]
            if table >= 0:
                table += (a - x.class_ptr[feature]) * (last - first)
            else:
                _cumulative(x.example[a], x.run_ptr, x.run_levels, x.run_counts, mine)
            for b in range(first, last):
                if half and y.graphs[y.row_ptr[b]] > row:
                    continue
                if table >= 0:
                    similarity = base[table + b - first]
                else:
                    _cumulative(y.example[b], y.run_ptr, y.run_levels, y.run_counts, other)
                    similarity = _exponential(_distance(mine, other, gaps), gamma)
                for entry in range(y.row_ptr[b], y.row_ptr[b + 1]):
                    column = y.graphs[entry]
                    if half and column > row:
                        break
                    matrix[row, column] += mass * y.masses[entry] * similarity


@njit(cache=True, nogil=True)
def _add_corrections(
    start, stop, half, x, y, partner, block_ptr, distances, gaps, far_x, far_y, high, low, overlap
):
    """Add what sharing a feature changes in the exponent, in rows start..stop."""
    mine, other = np.empty(len(gaps)), np.empty(len(gaps))
    for row in range(start, stop):
        for at in range(x.graph_ptr[row], x.graph_ptr[row + 1]):
            a = x.class_of[x.by_graph[at]]
            feature = x.feature_of[a]
            if partner[feature] < 0:
                continue
            mass = x.masses[x.by_graph[at]]
            first, last = y.class_ptr[partner[feature]], y.class_ptr[partner[feature] + 1]
            table = block_ptr[feature]
            if table >= 0:
                table += (a - x.class_ptr[feature]) * (last - first)
            else:
                _cumulative(x.example[a], x.run_ptr, x.run_levels, x.run_counts, mine)
            for b in range(first, last):
                if table >= 0:
                    distance = distances[table + b - first]
                else:
                    _cumulative(y.example[b], y.run_ptr, y.run_levels, y.run_counts, other)
                    distance = _distance(mine, other, gaps)
                change, lost = _two_sum(distance, -(far_x[a] + far_y[b]))
                for entry in range(y.row_ptr[b], y.row_ptr[b + 1]):
                    column = y.graphs[entry]
                    if half and column > row:
                        break
                    overlap[row, column] += mass * y.masses[entry]
                    total, error = _two_sum(high[row, column], change)
                    high[row, column] = total
                    low[row, column] += error + lost


@njit(cache=True, nogil=True)
def _two_sum(a, b):
    """Return the rounded sum of two numbers, and exactly what rounding has lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


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
    """Return the mean distance from the occurrences of each of some rows to a point."""
    result = np.empty(len(rows))
    for at in range(len(rows)):
        mass, moved = 0, 0.0
        for run in range(run_ptr[rows[at]], run_ptr[rows[at] + 1]):
            last = run + 1 == run_ptr[rows[at] + 1]
            for level in range(run_levels[run], len(alphas) if last else run_levels[run + 1]):
                mass += run_counts[run]
                moved += run_counts[run] * abs(alphas[level] - point)
        result[at] = moved / mass
    return result


def _total(
    histograms: Histograms, far: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Add up, for each graph, the distances of all its features to features that are not there."""
    postings = histograms.postings
    high, low = np.zeros(len(histograms)), np.zeros(len(histograms))
    _add_precisely(postings.graphs, far[postings.class_of], high, low)
    return high, low


@njit(cache=True, nogil=True)
def _add_precisely(graphs, values, high, low):
    """Add values to the sums of their graphs, keeping in `low` what rounding loses."""
    for at in range(len(graphs)):
        total, error = _two_sum(high[graphs[at]], values[at])
        high[graphs[at]] = total
        low[graphs[at]] += error


def _sum_of_three(
    rows: tuple[NDArray[np.float64], NDArray[np.float64]],
    columns: tuple[NDArray[np.float64], NDArray[np.float64]],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Add row sums, column sums and corrections, each a number and what its rounding has lost."""
    both, lost = _two_sum.py_func(rows[0][:, None], columns[0][None, :])
    total, more = _two_sum.py_func(both, high)
    return np.asarray(total + ((lost + more) + (rows[1][:, None] + columns[1][None, :]) + low))
