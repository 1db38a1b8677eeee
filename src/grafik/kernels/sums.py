"""Gram matrices from filtration histograms: sums of base kernels over features."""

from __future__ import annotations

from threading import local

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from ..features.histograms import Histograms
from ..filtration.axis import LARGEST, unit_axis
from ..system.threads import run_blocks
from .base_kernel import LIGHT, exponential
from .matching import Pairs, in_tile, matched, run_tiles
from .wasserstein import distance

# The lines that a tile keeps may take this many numbers (3.5 MB), and the sums of a block of rows
# this many (1 MB, which stays in the cache).
_MAX_KEPT = 7 << 16
_MAX_SUMS = 1 << 17
# The product of a light mass with one below this bound is exact, too.
_HEAVY = 2.0**53 / LIGHT
# Base kernels are made in chunks of this size.
_CHUNK = 1 << 12
# In place of a line: the histogram was not met in this tile, was met once, or gets no line.
_NEW, _MET, _NEVER = -1, -2, -3


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
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.
    """
    matrix = np.empty((len(x), len(y)))
    pairs = matched(x, y, alphas, n_jobs)
    add_up(pairs, gamma, matrix, n_jobs, base=pairs.distances)
    if x is y:
        np.fill_diagonal(matrix, sum_diagonal(x))
    return matrix


class RunningSums:
    """What adding up a Gram matrix in several steps keeps between them: a matrix of its own.

    Parameters
    ----------
    n_graphs, n_steps : int
    """

    def __init__(self, n_graphs: int, n_steps: int) -> None:
        self.n_steps = n_steps
        self.matrix = np.empty((n_graphs, n_graphs)) if n_steps > 1 else None

    def at(self, step: int) -> tuple[NDArray[np.float64] | None, bool, bool]:
        """Return the matrix, whether this step starts from it, and whether it writes to it."""
        return self.matrix, step > 0, step + 1 < self.n_steps


def add_up(
    pairs: Pairs,
    gamma: float,
    out: NDArray[np.float64],
    n_jobs: int | None,
    sums: tuple[NDArray[np.float64] | None, bool, bool] | None = None,
    base: NDArray[np.float64] | None = None,
) -> None:
    """Write the sums over all shared features to a matrix, on top of running sums if there are.

    The diagonal of a symmetric matrix lacks the features that only one graph has. Base kernels are
    written to `base`, which may be the distances themselves if these are not needed any more.
    """
    half = pairs.x is pairs.y
    base = np.empty_like(pairs.distances) if base is None else base
    _fill_base(pairs, gamma, base, n_jobs)
    running = (None, False, False) if sums is None else sums

    scratch = local()  # each thread keeps its own from tile to tile

    def add(first: int, last: int) -> None:
        width, n_classes = last - first, len(pairs.x.origin)
        if not hasattr(scratch, "lines"):
            scratch.lines = np.empty(min(_MAX_KEPT, n_classes * width))
        lines = scratch.lines[: len(scratch.lines) // width * width].reshape(-1, width)
        kept = np.full(n_classes, _NEW, np.int32)
        n_rows = max(min(_MAX_SUMS // width, len(out)), 8)
        _add_tile(
            first, last, n_rows, half, pairs.x, pairs.y, pairs.table_ptr, base, pairs.axis, gamma,
            in_tile(first, last, pairs), lines, kept, *running, out,
        )  # fmt: skip

    run_tiles(add, out.shape[1], n_jobs)


def sum_diagonal(x: Histograms, depth: int | None = None) -> NDArray[np.float64]:
    """Return the kernel of each graph with itself: the squares of its masses, added up."""
    deepest = np.iinfo(np.int32).max if depth is None else depth
    sums: NDArray[np.float64] = _squares(x.graph_ptr, x.depths, x.masses, deepest)
    # Below 2^53 sums are exact in any order; above, this is the order of the other entries.
    for graph in np.flatnonzero(sums >= 2.0**53):
        rows = slice(int(x.graph_ptr[graph]), int(x.graph_ptr[graph + 1]))
        order = np.lexsort((x.features[rows], x.depths[rows]))
        kept = order[x.depths[rows][order] <= deepest]
        sums[graph] = np.cumsum(x.masses[rows][kept].astype(np.float64) ** 2)[-1]
    return sums


@njit(cache=True, nogil=True)
def _squares(graph_ptr, depths, masses, deepest):
    """Add up the squares of the masses of each graph."""
    sums = np.zeros(len(graph_ptr) - 1)
    for graph in range(len(sums)):
        for row in range(graph_ptr[graph], graph_ptr[graph + 1]):
            if depths[row] <= deepest:
                sums[graph] += np.float64(masses[row]) * np.float64(masses[row])
    return sums


def normalise(
    matrix: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> None:
    """Divide by the geometric means of self-similarities, in place; 0 where one of them is 0."""
    for start in range(0, len(matrix), 256):
        part = matrix[start : start + 256]
        scale = np.sqrt(rows[start : start + 256, None] * columns[None, :])
        np.divide(part, scale, out=part, where=scale > 0)


def _fill_base(pairs: Pairs, gamma: float, base: NDArray[np.float64], n_jobs: int | None) -> None:
    """Fill the tables of base kernels, from those of distances."""

    def fill(start: int, stop: int) -> None:
        part = slice(start * _CHUNK, stop * _CHUNK)
        if base is not pairs.distances:
            base[part] = pairs.distances[part]
        _exponentials(base[part], gamma)

    run_blocks(fill, np.arange(-(-len(base) // _CHUNK) + 1), n_jobs, ns_per_unit=8.0 * _CHUNK)


@njit(cache=True, nogil=True)
def _exponentials(values, gamma):
    """Turn distances into base kernels; they have the bits that the loop below would compute."""
    for at in range(len(values)):
        values[at] = exponential(values[at], gamma)


@njit(cache=True, nogil=True)
def _add_tile(
    first, last, size, half, x, y, table_ptr, base, axis, gamma, tile, lines, kept, running, resume,
    keep, out,
):  # fmt: skip
    """Add all features to columns first..last, each entry in the order of its features.

    A block of `size` rows takes one feature after the other, while its sums stay in the cache.
    Features that one column in eight has are kept as lines: for each histogram that is met again,
    base kernel times mass in every column. Lines wait at their rows, because four of them are added
    at a time, by plain vector operations; but only until a feature comes that is added to no more
    than the columns that have it. Both ways add the same numbers in the same order: products with a
    light mass are exact, as long as the other one is not heavy. With `half`, only rows from the
    first column on are computed, and written to both halves.
    """
    width, n_rows, n_lines = last - first, len(out), 0
    sums, n_waiting = np.empty((size, width)), np.zeros(size, np.int64)
    waiting, factors = np.empty((size, 4), np.int32), np.empty((size, 4))
    _, stops_x, rows, own_classes, own_masses, class_ptr_x, (x_ptr, x_lines), _ = x
    _, _, columns, classes, masses, class_ptr_y, (y_ptr, y_lines), _ = y
    features, starts, stops, places = tile
    for row0 in range(first if half else 0, n_rows, size):
        row1 = min(row0 + size, n_rows)
        for row in range(row1 - row0):
            for column in range(width):
                sums[row, column] = 0.0
            if running is not None:  # else this is not even compiled
                for column in range(width if resume else 0):
                    sums[row, column] = running[row0 + row, first + column]
        for i in range(len(features)):
            feature, at = features[i], places[i]
            end = stops_x[feature]
            if at == end or rows[at] >= row1:
                continue
            start, stop = starts[i], stops[i]
            first_x, first_y = class_ptr_x[feature], class_ptr_y[feature]
            n_y = class_ptr_y[feature + 1] - first_y
            in_many = 8 * (stop - start) >= width and table_ptr[feature] >= 0
            while at < end and rows[at] < row1:
                row, own, factor = rows[at] - row0, own_classes[at], own_masses[at]
                at += 1
                table = table_ptr[feature] + own * n_y
                line = kept[first_x + own] if in_many and factor < _HEAVY else _NEVER
                if line == _MET:
                    line = _fill_line(
                        lines, n_lines, columns, classes, masses, start, stop, first, base, table
                    )
                    n_lines += line >= 0
                    kept[first_x + own] = line
                elif line == _NEW:
                    kept[first_x + own] = _MET
                n = n_waiting[row]
                if line >= 0:
                    waiting[row, n], factors[row, n] = line, factor
                    n_waiting[row] = (n + 1) % 4
                    if n == 3:
                        _add_four(sums, row, lines, waiting, factors)
                    continue
                if n > 0:
                    _add_waiting(sums, row, lines, waiting, factors, n)
                    n_waiting[row] = 0
                # An unsigned index does not count from the end, which saves a test.
                if table_ptr[feature] < 0:
                    a = first_x + own
                    for j in range(start, stop):
                        b = first_y + classes[j]
                        apart = distance(
                            x_lines, x_ptr[a], x_ptr[a + 1], y_lines, y_ptr[b], y_ptr[b + 1], axis
                        )
                        term = factor * masses[j] * exponential(apart, gamma)
                        sums[row, np.uint32(columns[j] - first)] += term
                elif n_y > 1:
                    for j in range(start, stop):
                        term = factor * masses[j] * base[table + classes[j]]
                        sums[row, np.uint32(columns[j] - first)] += term
                else:
                    similarity = base[table]
                    for j in range(start, stop):
                        term = factor * masses[j] * similarity
                        sums[row, np.uint32(columns[j] - first)] += term
            places[i] = at
        for row in range(row1 - row0):
            _add_waiting(sums, row, lines, waiting, factors, n_waiting[row])
            n_waiting[row] = 0
            for column in range(width):
                out[row0 + row, first + column] = sums[row, column]
            if running is not None:
                for column in range(width if keep else 0):
                    running[row0 + row, first + column] = sums[row, column]
        for some in range(row0, row1 if half else row0, 8):
            for column in range(width):
                for row in range(some, min(some + 8, row1)):
                    out[first + column, row] = sums[row - row0, column]


@njit(cache=True, nogil=True)
def _fill_line(lines, line, columns, classes, masses, start, stop, first, base, table):
    """Multiply a line of a table by the masses in the columns; return its number if it has one."""
    for j in range(start, stop):
        if masses[j] >= LIGHT:
            return _NEVER
    if line == len(lines):
        return _NEVER
    for column in range(lines.shape[1]):
        lines[line, column] = 0.0
    for j in range(start, stop):
        lines[line, columns[j] - first] = masses[j] * base[table + classes[j]]
    return line


@njit(cache=True, nogil=True)
def _add_four(sums, row, lines, waiting, factors):
    """Add the four lines that wait at a row, one after the other, to every entry."""
    a, b, c, d = waiting[row, 0], waiting[row, 1], waiting[row, 2], waiting[row, 3]
    p, q, r, s = factors[row, 0], factors[row, 1], factors[row, 2], factors[row, 3]
    for column in range(sums.shape[1]):
        total = sums[row, column] + p * lines[a, column]
        total += q * lines[b, column]
        total += r * lines[c, column]
        sums[row, column] = total + s * lines[d, column]


@njit(cache=True, nogil=True)
def _add_waiting(sums, row, lines, waiting, factors, n):
    """Add the few lines that wait at a row."""
    for i in range(n):
        line, factor = waiting[row, i], factors[row, i]
        for column in range(sums.shape[1]):
            sums[row, column] += factor * lines[line, column]
