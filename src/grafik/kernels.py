"""Gram matrices from filtration histograms: sums of base kernels over features."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from .filtration import LARGEST, unit_axis
from .histograms import Histograms
from .pairs import by_feature, cumulative, distance_of, matched, mirror, run_tiles

# The tables of a tile may take this many lines, spread over its columns (16 MB).
_MAX_LINES = 1 << 13


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
        Matrix to add to, which holds the sums over all lower depths; a new one by default.
    n_jobs : int or None
        Number of threads.
    """
    matrix = np.zeros((len(x), len(y))) if out is None else out
    gaps = alphas[:-1] - alphas[1:]
    pairs = matched(x, y, gaps, depths, n_jobs)
    base = np.empty_like(pairs.distances)
    _exponentials(pairs.distances, gamma, base)

    def add(first: int, last: int) -> None:
        _add_tile(first, last, x is y, *pairs[:4], base, gaps, gamma, matrix)

    run_tiles(add, x, y, n_jobs)
    if x is y:
        mirror(matrix)
        np.fill_diagonal(matrix, sum_diagonal(x, None if depths is None else depths[1] - 1))
    return matrix


def sum_diagonal(x: Histograms, depth: int | None = None) -> NDArray[np.float64]:
    """Return the kernel of each graph with itself: the squares of its masses, added up."""
    postings = x.postings
    squares = postings.masses**2
    if depth is not None:
        squares[postings.depths[postings.feature_of] > depth] = 0.0
    return np.bincount(postings.graphs, squares, minlength=len(x)).astype(np.float64)


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
    listed, columns, entries = by_feature(first, last, y)
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
                cumulative(x, feature, x.classes[at], mine)
            for i in range(start, stop):
                if table >= 0:
                    similarity = base[table + y.classes[entries[i]]]
                else:
                    cumulative(y, feature, y.classes[entries[i]], theirs)
                    similarity = _exponential(distance_of(mine, theirs, gaps), gamma)
                sums[columns[i]] += mass * y.masses[entries[i]] * similarity
        for column in range(width):
            matrix[row, first + column] = sums[column]


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
