"""Gram matrices from filtration histograms: sums of base kernels over features."""

from __future__ import annotations

import math
from threading import local

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from .arrays import offsets
from .distances import distance
from .filtration import LARGEST, unit_axis
from .histograms import Histograms
from .pairs import Pairs, in_tile, matched, run_tiles
from .threads import run_blocks

# What a tile keeps of the tables may take this many numbers (16 MB), for lines and lists each.
_MAX_KEPT = 1 << 21
# Base kernels have so few bits that a product with a mass below this bound is exact.
_LIGHT = 512.0
# In `kept`: neither a line nor a list.
_NOWHERE = np.iinfo(np.int32).max


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
        Number of threads.
    """
    matrix = np.empty((len(x), len(y)))
    add_up(matched(x, y, alphas, n_jobs), gamma, matrix, n_jobs)
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
        self.matrix = np.empty((n_graphs, n_graphs) if n_steps > 1 else (0, 0))

    def at(self, step: int) -> tuple[NDArray[np.float64], bool, bool]:
        """Return the matrix, whether this step starts from it, and whether it writes to it."""
        return self.matrix, step > 0, step + 1 < self.n_steps


def add_up(
    pairs: Pairs,
    gamma: float,
    out: NDArray[np.float64],
    n_jobs: int | None,
    sums: tuple[NDArray[np.float64], bool, bool] | None = None,
) -> None:
    """Write the sums over all shared features to a matrix, on top of running sums if there are.

    The diagonal of a symmetric matrix lacks the features that only one graph has.
    """
    half = pairs.x is pairs.y
    base = _base_kernels(pairs, gamma, n_jobs)
    running = RunningSums(0, 1).at(0) if sums is None else sums

    x, y, tables = pairs.x, pairs.y, (pairs.table_ptr, base)
    scratch = local()  # each thread keeps its own from tile to tile

    def add(first: int, last: int) -> None:
        if not hasattr(scratch, "numbers"):
            scratch.numbers = np.empty(_MAX_KEPT)
        tile, width = in_tile(first, last, y), last - first
        kept = _keep(x.uses, x.class_ptr, y.class_ptr, *tables, tile, width, scratch.numbers)
        _add_tile(
            first, last, half, *x[:5], x.profiles, y.class_ptr, y.profiles, *tables, pairs.axis,
            gamma, tile, kept, *running, out,
        )  # fmt: skip

    run_tiles(add, out.shape[1], half, n_jobs)


def sum_diagonal(x: Histograms, depth: int | None = None) -> NDArray[np.float64]:
    """Return the kernel of each graph with itself: the squares of its masses, added up."""
    postings = x.by_feature()
    if depth is None or depth >= postings.depths.max(initial=0):
        sums = postings.squares
        n = len(postings.graphs)
    else:
        n = int(postings.row_ptr[np.searchsorted(postings.depths, depth, side="right")])
        squares = postings.masses[:n] ** 2
        sums = np.bincount(postings.graphs[:n], squares, minlength=len(x)).astype(np.float64)
    if sums.max(initial=0.0) < 2.0**53:  # then it is exact, in any order
        return sums.copy()
    graphs, masses = postings.graphs[:n], postings.masses[:n]
    return np.array([math.fsum(masses[graphs == graph] ** 2) for graph in range(len(x))])


def _base_kernels(pairs: Pairs, gamma: float, n_jobs: int | None) -> NDArray[np.float64]:
    """Return the tables of base kernels, from those of distances."""
    base = np.empty_like(pairs.distances)
    half, pointers = pairs.x is pairs.y, (pairs.x.class_ptr, pairs.y.class_ptr, pairs.table_ptr)

    def fill(start: int, stop: int) -> None:
        _exponentials(start, stop, half, *pointers, pairs.distances, gamma, base)

    sizes = np.diff(pairs.x.class_ptr) * np.diff(pairs.y.class_ptr) * (pairs.table_ptr >= 0)
    run_blocks(fill, offsets(sizes), n_jobs, 4.0)
    return base


@njit(cache=True, nogil=True)
def _exponential(distance, gamma):
    """Return the base kernel of two histograms at a distance, rounded to 44 bits (Veltkamp)."""
    value = math.exp(-(gamma * distance))
    large = value * (_LIGHT + 1.0)
    return large - (large - value)


@njit(cache=True, nogil=True)
def _exponentials(start, stop, half, first_x, first_y, table_ptr, distances, gamma, base):
    """Fill the tables of features start..stop with the bits that the loop below would compute."""
    for feature in range(start, stop):
        table, n = table_ptr[feature], first_y[feature + 1] - first_y[feature]
        if table < 0:
            continue
        for a in range(first_x[feature + 1] - first_x[feature]):
            for b in range(a + 1 if half else n):
                value = _exponential(distances[table + a * n + b], gamma)
                base[table + a * n + b] = value
                if half:
                    base[table + b * n + a] = value


@njit(cache=True, nogil=True)
def _add_tile(
    first, last, half, graph_ptr, features, own_classes, own_masses, class_ptr_x, profiles_x,
    class_ptr_y, profiles_y, table_ptr, base, axis, gamma, tile, from_tables, running, resume, keep,
    out,
):  # fmt: skip
    """Add all features to columns first..last, each entry in the order of its features.

    Features that many of these columns have are kept as lines: for each histogram of the rows, base
    kernel times mass in every column, so that plain vector operations add them. Of other features
    only the columns that have them are listed. All ways add the same numbers in the same order:
    products with a light mass are exact. With `half`, only rows from the first column on are
    computed, and written to both halves.
    """
    width, bunch = last - first, 8
    listed, columns, classes, masses = tile
    kept, lines, lists = from_tables
    sums, ready = np.empty((bunch, width)), np.zeros(4, np.int64)
    factors, own = np.empty(4), np.empty(len(features) + 1, np.int64)
    n_rows = len(out)
    (x_ptr, x_lines), (y_ptr, y_lines) = profiles_x, profiles_y
    for row0 in range(first if half else 0, n_rows, bunch):
        row1 = min(row0 + bunch, n_rows)
        for row in range(row0, row1):
            own_row = row - row0
            for column in range(width):
                sums[own_row, column] = 0.0
            if resume:
                for column in range(width):
                    sums[own_row, column] = running[row, first + column]
            active = 0
            for at in range(graph_ptr[row], graph_ptr[row + 1]):
                own[active] = at
                active += listed[features[at] + 1] > listed[features[at]]
            n_ready = 0
            for i in range(active + 1):
                place = _NOWHERE
                if i < active:
                    at = own[i]
                    place = kept[own_classes[at]]
                    if 0 <= place < _NOWHERE:
                        ready[n_ready], factors[n_ready] = place, own_masses[at]
                        n_ready += 1
                        if n_ready < 4:
                            continue
                        _add_four(sums, own_row, lines, ready, factors, width)
                        n_ready = 0
                        continue
                for k in range(n_ready):
                    line, factor = ready[k], factors[k]
                    for column in range(width):
                        sums[own_row, column] += factor * lines[line, column]
                n_ready = 0
                if i == active:
                    break
                feature, factor = features[at], own_masses[at]
                if place < 0:
                    place = -1 - place
                    for j in range(listed[feature], listed[feature + 1]):
                        sums[own_row, columns[j]] += factor * lists[place]
                        place += 1
                    continue
                table = table_ptr[feature]
                first_y = class_ptr_y[feature]
                if table >= 0:
                    n_y = class_ptr_y[feature + 1] - first_y
                    table += (own_classes[at] - class_ptr_x[feature]) * n_y
                for j in range(listed[feature], listed[feature + 1]):
                    if table >= 0:
                        similarity = base[table + classes[j]]
                    else:
                        a, b = own_classes[at], first_y + classes[j]
                        apart = distance(
                            x_lines, x_ptr[a], x_ptr[a + 1], y_lines, y_ptr[b], y_ptr[b + 1], axis
                        )
                        similarity = _exponential(apart, gamma)
                    sums[own_row, columns[j]] += (factor * masses[j]) * similarity
            for column in range(width):
                out[row, first + column] = sums[own_row, column]
            if keep:
                for column in range(width):
                    running[row, first + column] = sums[own_row, column]
        if half:
            for column in range(width):
                for row in range(row0, row1):
                    out[first + column, row] = sums[row - row0, column]


@njit(nogil=True, inline="always")
def _add_four(sums, row, lines, ready, factors, width):
    """Add four lines, one after the other, to every entry."""
    a, b, c, d = ready[0], ready[1], ready[2], ready[3]
    p, q, r, s = factors[0], factors[1], factors[2], factors[3]
    for column in range(width):
        total = sums[row, column] + p * lines[a, column]
        total += q * lines[b, column]
        total += r * lines[c, column]
        sums[row, column] = total + s * lines[d, column]


@njit(cache=True, nogil=True)
def _keep(uses, class_ptr_x, class_ptr_y, table_ptr, base, tile, width, scratch):
    """Multiply tables by the masses in the columns: as lines, where one column in eight has them.

    Return for each histogram of the rows its line, or -1 minus the start of its list; the lines,
    which are in `scratch`, and the lists.
    """
    listed, columns, classes, masses = tile
    kept = np.full(len(uses), _NOWHERE, np.int32)
    n_lines, n_listed = 0, 0
    for feature in range(len(table_ptr)):
        start, stop = listed[feature], listed[feature + 1]
        heavy = table_ptr[feature] < 0
        for j in range(start, stop):
            heavy |= masses[j] >= _LIGHT
        if heavy or start == stop:
            continue
        for own in range(class_ptr_x[feature], class_ptr_x[feature + 1]):
            if uses[own] == 1:
                continue  # nothing is gained
            if 8 * (stop - start) >= width:
                if (n_lines + 1) * width <= len(scratch):
                    kept[own] = n_lines
                    n_lines += 1
            elif n_listed + stop - start <= len(scratch):
                kept[own] = -1 - n_listed
                n_listed += stop - start
    lines, lists = scratch[: n_lines * width].reshape(n_lines, width), np.empty(n_listed)
    for line in range(n_lines):
        for column in range(width):
            lines[line, column] = 0.0
    for feature in range(len(table_ptr)):
        start, stop = listed[feature], listed[feature + 1]
        if start == stop:
            continue
        n_y = class_ptr_y[feature + 1] - class_ptr_y[feature]
        for own in range(class_ptr_x[feature], class_ptr_x[feature + 1]):
            table, place = table_ptr[feature] + (own - class_ptr_x[feature]) * n_y, kept[own]
            if place < 0:
                for j in range(start, stop):
                    lists[j - start - 1 - place] = masses[j] * base[table + classes[j]]
            elif place < _NOWHERE:
                for j in range(start, stop):
                    lines[place, columns[j]] = masses[j] * base[table + classes[j]]
    return kept, lines, lists
