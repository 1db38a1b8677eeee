"""Gram matrices from filtration histograms: sums of base kernels over features."""

from __future__ import annotations

import math
from threading import local

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from .distances import distance
from .filtration import LARGEST, unit_axis
from .histograms import Histograms
from .pairs import Pairs, in_tile, matched, run_tiles
from .threads import run_blocks

# What a tile keeps of the tables may take this many numbers (8 MB) as lines, half as many as lists.
_MAX_KEPT = 1 << 20
# Base kernels have so few bits that a product with a mass below this bound is exact.
_LIGHT = 512.0
# Base kernels are made in chunks of so many.
_CHUNK = 1 << 12
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

    x, y, tables = pairs.x, pairs.y, (pairs.table_ptr, base)
    scratch = local()  # each thread keeps its own from tile to tile

    def add(first: int, last: int) -> None:
        tile, width = in_tile(first, last, y), last - first
        if not hasattr(scratch, "lines"):
            most = min(_MAX_KEPT, len(x.uses) * width)
            scratch.lines, scratch.lists = np.empty(most), np.empty(most // 2)
        room = scratch.lines, scratch.lists
        kept = _keep(x.uses, x.class_ptr, y.class_ptr, *tables, tile, width, *room)
        _add_tile(
            first, last, half, *x[:5], x.profiles, y.class_ptr, y.profiles, *tables, pairs.axis,
            gamma, tile, kept, *running, out,
        )  # fmt: skip

    run_tiles(add, out.shape[1], n_jobs)


def sum_diagonal(x: Histograms, depth: int | None = None) -> NDArray[np.float64]:
    """Return the kernel of each graph with itself: the squares of its masses, added up."""
    postings = x.by_feature()
    if depth is None or depth >= postings.depths.max(initial=0):
        sums = postings.squares.copy()
    else:
        n = int(postings.row_ptr[np.searchsorted(postings.depths, depth, side="right")])
        squares = postings.masses[:n] ** 2
        sums = np.bincount(postings.graphs[:n], squares, minlength=len(x)).astype(np.float64)
    # Below 2^53 sums are exact in any order; above, this is the order of the other entries.
    for graph in np.flatnonzero(sums >= 2.0**53):
        rows = slice(int(x.graph_ptr[graph]), int(x.graph_ptr[graph + 1]))
        order = np.lexsort((x.features[rows], x.depths[rows]))
        kept = order if depth is None else order[x.depths[rows][order] <= depth]
        sums[graph] = np.cumsum(x.masses[rows][kept].astype(np.float64) ** 2)[-1]
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
        _exponentials(pairs.distances[part], gamma, base[part])

    run_blocks(fill, np.arange(-(-len(base) // _CHUNK) + 1), n_jobs, 8.0 * _CHUNK)


@njit(cache=True, nogil=True)
def exponential(distance, gamma):
    """Return the base kernel of two histograms at a distance, rounded to 44 bits (Veltkamp)."""
    value = math.exp(-(gamma * distance))
    large = value * (_LIGHT + 1.0)
    return large - (large - value)


@njit(cache=True, nogil=True)
def _exponentials(distances, gamma, out):
    """Fill `out` with base kernels; they have the bits that the loop below would compute."""
    for at in range(len(distances)):
        out[at] = exponential(distances[at], gamma)


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
    sums, ready = np.empty((bunch, width)), np.empty(4, np.int64)
    n_rows, longest = len(out), 0
    for row in range(n_rows):
        longest = max(longest, graph_ptr[row + 1] - graph_ptr[row])
    factors, own = np.empty(4), np.empty(longest + 1, np.int64)
    (x_ptr, x_lines), (y_ptr, y_lines) = profiles_x, profiles_y
    for row0 in range(first if half else 0, n_rows, bunch):
        row1 = min(row0 + bunch, n_rows)
        for row in range(row0, row1):
            own_row = row - row0
            for column in range(width):
                sums[own_row, column] = 0.0
            if running is not None:  # else this is not even compiled
                for column in range(width if resume else 0):
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
                        similarity = exponential(apart, gamma)
                    sums[own_row, columns[j]] += (factor * masses[j]) * similarity
            for column in range(width):
                out[row, first + column] = sums[own_row, column]
            if running is not None:
                for column in range(width if keep else 0):
                    running[row, first + column] = sums[own_row, column]
        if half:
            for column in range(width):
                for row in range(row0, row1):
                    out[first + column, row] = sums[row - row0, column]


@njit(cache=True, nogil=True)
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
def _keep(uses, class_ptr_x, class_ptr_y, table_ptr, base, tile, width, lines, lists):
    """Multiply tables by the masses in the columns: as lines, where one column in eight has them.

    Return for each histogram of the rows its line, or -1 minus the start of its list; the lines and
    the lists, as far as there is room for them.
    """
    listed, columns, classes, masses = tile
    kept = np.empty(len(uses), np.int32)
    n_lines, n_listed = 0, 0
    for feature in range(len(table_ptr)):
        start, stop = listed[feature], listed[feature + 1]
        n_y = class_ptr_y[feature + 1] - class_ptr_y[feature]
        heavy = table_ptr[feature] < 0
        for j in range(start, stop):
            heavy |= masses[j] >= _LIGHT
        for own in range(class_ptr_x[feature], class_ptr_x[feature + 1]):
            kept[own] = _NOWHERE
            if heavy or start == stop or uses[own] == 1:  # of one use, nothing is gained
                continue
            table = table_ptr[feature] + (own - class_ptr_x[feature]) * n_y
            if 8 * (stop - start) < width:
                if n_listed + stop - start <= len(lists):
                    kept[own] = -1 - n_listed
                    for j in range(start, stop):
                        lists[n_listed] = masses[j] * base[table + classes[j]]
                        n_listed += 1
            elif (n_lines + 1) * width <= len(lines):
                kept[own] = n_lines
                line = n_lines * width
                for column in range(width):
                    lines[line + column] = 0.0
                for j in range(start, stop):
                    lines[line + columns[j]] = masses[j] * base[table + classes[j]]
                n_lines += 1
    return kept, lines[: n_lines * width].reshape(n_lines, width), lists[:n_listed]
