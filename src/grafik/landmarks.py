"""The exact explicit map: a few landmarks for each feature, and coordinates by Cholesky factors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .arrays import offsets
from .distances import Profiles, axis_of, distance, profiles_of
from .histograms import Histograms
from .kernels import exponential
from .lookup import find, table_of
from .memory import refuse_what_does_not_fit
from .postings import Postings, sort_by_key
from .sparse_rows import SparseRows, longer
from .threads import run_blocks, sort_blocks

# Residuals below this one are but rounding errors.
_ROUNDING = 1e-12


class Landmarks(NamedTuple):
    """For each feature, the normalised histograms that others are compared with.

    There is a column for each of them. Rows of Cholesky factors are stored without the zeros to the
    right of the diagonal.

    Attributes
    ----------
    depths, features : ndarray, shape (n_features,)
        By depth, then by hash.
    column_ptr : ndarray of int64, shape (n_features + 1,)
        Columns ``column_ptr[f]:column_ptr[f + 1]`` belong to feature `f`.
    factor_ptr : ndarray of int64, shape (n_features + 1,)
        Where the Cholesky factor of each feature starts in `factors`.
    factors : ndarray of float64
    profiles : Profiles
        The histogram of each column.
    table : ndarray of uint64
        See :func:`grafik.lookup.table_of`.
    axis : ndarray
        See :func:`grafik.distances.axis_of`.
    gamma : float
        On this axis.
    """

    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    column_ptr: NDArray[np.int64]
    factor_ptr: NDArray[np.int64]
    factors: NDArray[np.float64]
    profiles: Profiles
    table: NDArray[np.uint64]
    axis: NDArray[np.float64]
    gamma: float


class Factors(NamedTuple):
    """What the training graphs have to do with the landmarks.

    Attributes
    ----------
    chosen : ndarray of int64, shape (n_features,)
        Positions of the features of the landmarks in the postings.
    class_ptr : ndarray of int64, shape (n_features + 1,)
        Their classes, counted anew.
    uses : ndarray of int64, shape (n_classes,)
        How many graphs have each class.
    ends : ndarray of int64, shape (n_classes, 2)
        Where the coordinates of each class start and end.
    coordinates : ndarray of float64
    """

    chosen: NDArray[np.int64]
    class_ptr: NDArray[np.int64]
    uses: NDArray[np.int64]
    ends: NDArray[np.int64]
    coordinates: NDArray[np.float64]


def choose_landmarks(
    histograms: Histograms,
    alphas: NDArray[np.float64],
    gamma: float,
    min_graphs: int,
    rank: int | None,
    tol: float,
    n_jobs: int | None,
) -> tuple[Landmarks, Factors]:
    """Factorise the base kernels of each feature, by pivoted Cholesky.

    The next landmark is the histogram whose residual, times the squares of the masses that have it,
    is largest: what the trace of the Gram matrix lacks most.

    Parameters
    ----------
    histograms : Histograms
        Of the training graphs.
    alphas : ndarray of shape (n_levels,)
        Thresholds, mapped to the interval from 1 to 0.
    gamma : float
    min_graphs : int
        Features that fewer graphs have are left out.
    rank : int or None
        How many landmarks a feature may have.
    tol : float
        Histograms with a residual of at most this do not become landmarks.
    n_jobs : int or None
    """
    found = histograms.by_feature(n_jobs)
    chosen = np.flatnonzero(np.diff(found.row_ptr) >= min_graphs)
    chosen = chosen[np.lexsort((found.features[chosen], found.depths[chosen]))]
    n_classes = np.diff(found.class_ptr)[chosen]
    class_ptr = offsets(n_classes)
    most = n_classes if rank is None else np.minimum(n_classes, rank)
    refuse_what_does_not_fit(
        16.0 * float((most * n_classes).sum()),
        f"an exact embedding of {len(chosen)} features with up to {n_classes.max(initial=0)} "
        "different histograms",
        "give rank or a larger min_graphs, take fewer levels, or method='hashed'",
    )
    rows = found.example[_ranges(found.class_ptr[chosen], class_ptr)]
    profiles = profiles_of(rows, *histograms.runs, histograms.n_levels, n_jobs)
    (uses, weights), axis = _weights(chosen, class_ptr, found), axis_of(alphas)

    def factorise(start: int, stop: int) -> Any:
        how = axis, gamma, most, max(tol, _ROUNDING)
        return _factorise(start, stop, class_ptr, *profiles, weights, *how)

    cost = offsets(n_classes + most**2 * n_classes // 8)
    blocks = run_blocks(factorise, cost, n_jobs, 30.0)
    shift = 0
    for *_, ends, values in blocks:
        ends += shift
        shift += len(values)
    n_columns, order, ends, values = map(np.concatenate, zip(*blocks, strict=True))
    column_ptr, factor_ptr = offsets(n_columns), offsets(n_columns * (n_columns + 1) // 2)
    kept = order[_ranges(class_ptr[:-1], column_ptr)]
    starts = ends[order[class_ptr[:-1]], 0]  # a feature's landmarks come first
    depths, features = found.depths[chosen], found.features[chosen]
    landmarks = Landmarks(
        depths,
        features,
        column_ptr,
        factor_ptr,
        values if factor_ptr[-1] == len(values) else values[_ranges(starts, factor_ptr)],
        profiles_of(rows[kept], *histograms.runs, histograms.n_levels, n_jobs),
        table_of(depths, features),
        axis,
        gamma,
    )
    return landmarks, Factors(chosen, class_ptr, uses, ends, values)


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ranges one after the other: from each start on, as many numbers as `ends` says."""
    return np.arange(int(ends[-1])) + np.repeat(starts - ends[:-1], np.diff(ends))


def _weights(
    chosen: NDArray[np.int64], class_ptr: NDArray[np.int64], postings: Postings
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return how many graphs have each class, and the squares of their masses, added up."""
    ends = offsets(np.diff(postings.row_ptr)[chosen])
    rows = _ranges(postings.row_ptr[chosen], ends)
    own = postings.classes[rows] + np.repeat(class_ptr[:-1], np.diff(ends))
    n = int(class_ptr[-1])
    weights = np.bincount(own, postings.masses[rows] ** 2, n).astype(np.float64)
    return np.bincount(own, minlength=n).astype(np.int64), weights


def training_coordinates(
    histograms: Histograms, landmarks: Landmarks, factors: Factors, n_jobs: int | None
) -> SparseRows:
    """Return the coordinates of the training graphs, as :func:`coordinates` would, but faster."""
    found, (chosen, class_ptr, uses, ends, values) = histograms.by_feature(n_jobs), factors
    which = chosen, class_ptr, ends, found.row_ptr, found.graphs, found.classes
    n_entries = int((uses * (ends[:, 1] - ends[:, 0])).sum())
    out = np.empty(n_entries, np.int32), np.empty(n_entries)

    def count(start: int, stop: int, counts: NDArray[np.int64]) -> None:
        _count_entries(start, stop, *which, counts)

    def fill(start: int, stop: int, free: NDArray[np.int64]) -> None:
        _fill_entries(start, stop, *which, found.masses, values, landmarks.column_ptr, free, *out)

    cost = offsets(np.diff(found.row_ptr)[chosen])
    row_ptr = sort_blocks(count, fill, len(histograms), cost, n_jobs, 20.0)
    return SparseRows(np.diff(row_ptr), *out)


def coordinates(histograms: Histograms, landmarks: Landmarks, n_jobs: int | None) -> SparseRows:
    r"""Return the coordinates of graphs, row after row.

    A histogram with mass `m` and base kernels `k` with the landmarks has coordinates
    :math:`m L^{-1} k`, where `L` is the Cholesky factor; a landmark has its row of `L`.
    """
    every = np.arange(len(histograms.features))
    lines = profiles_of(every, *histograms.runs, histograms.n_levels, n_jobs)
    masses, ptr = histograms.masses, histograms.graph_ptr

    more = landmarks.table, landmarks.axis, landmarks.gamma

    def project(start: int, stop: int) -> SparseRows:
        rows = ptr, histograms.depths, histograms.features, masses
        found = _project(start, stop, *rows, *lines, *landmarks.profiles, *landmarks[2:5], *more)
        return SparseRows(*found)

    blocks = run_blocks(project, ptr, n_jobs, 50.0)
    return SparseRows.joined(blocks)


@njit(cache=True, nogil=True)
def _factorise(start, stop, class_ptr, ptr, lines, weights, axis, gamma, most, tol):
    """Choose the landmarks of features start..stop.

    Return how many each feature has, all classes with the landmarks first, where the coordinates of
    each class start and end, and the coordinates. The factor lies transposed, so that the inner
    loop runs along memory; what is chosen is moved to the front.
    """
    size, largest, area = 0, 1, 1
    for feature in range(start, stop):
        n, rank = class_ptr[feature + 1] - class_ptr[feature], most[feature]
        size += rank * (rank + 1) // 2 + (n - rank) * rank
        largest, area = max(largest, n), max(area, n * rank)
    first0 = class_ptr[start]
    n_columns = np.empty(stop - start, np.int64)
    classes = np.empty(class_ptr[stop] - first0, np.int64)
    ends, found, used = np.empty((len(classes), 2), np.int64), np.empty(size), 0
    factor, order, residuals = np.empty(area), np.empty(largest, np.int64), np.empty(largest)
    for feature in range(start, stop):
        first = class_ptr[feature]
        n, rank = class_ptr[feature + 1] - first, 0
        for i in range(n):
            order[i], residuals[i] = first + i, 1.0
        while rank < most[feature]:
            pivot, best = -1, 0.0
            for i in range(rank, n):
                gain = weights[order[i]] * residuals[i]
                if residuals[i] > tol and gain > best:
                    pivot, best = i, gain
            if pivot < 0:
                break
            order[rank], order[pivot] = order[pivot], order[rank]
            own, residuals[pivot] = residuals[pivot], residuals[rank]
            for k in range(rank):
                a, b = k * n + rank, k * n + pivot
                factor[a], factor[b] = factor[b], factor[a]
            line, mine = rank * n, order[rank]
            root = np.sqrt(own)
            factor[line + rank] = root
            for i in range(rank + 1, n):
                other = order[i]
                apart = distance(
                    lines, ptr[mine], ptr[mine + 1], lines, ptr[other], ptr[other + 1], axis
                )
                factor[line + i] = exponential(apart, gamma)
            for k in range(rank):
                times, before = factor[k * n + rank], k * n
                for i in range(rank + 1, n):
                    factor[line + i] -= times * factor[before + i]
            for i in range(rank + 1, n):
                factor[line + i] /= root
                residuals[i] -= factor[line + i] * factor[line + i]
            rank += 1
        n_columns[feature - start] = rank
        for row in range(n):
            classes[first - first0 + row] = order[row]
            ends[order[row] - first0, 0] = used
            for k in range(min(row + 1, rank)):
                found[used] = factor[k * n + row]
                used += 1
            ends[order[row] - first0, 1] = used
    return n_columns, classes, ends, found[:used]


@njit(cache=True, nogil=True)
def _count_entries(start, stop, chosen, class_ptr, ends, row_ptr, graphs, classes, counts):
    """Count the entries that features start..stop add to each graph."""
    for number in range(start, stop):
        feature = chosen[number]
        for at in range(row_ptr[feature], row_ptr[feature + 1]):
            own = class_ptr[number] + classes[at]
            counts[graphs[at]] += ends[own, 1] - ends[own, 0]


@njit(cache=True, nogil=True)
def _fill_entries(
    start, stop, chosen, class_ptr, ends, row_ptr, graphs, classes, masses, coordinates, column_ptr,
    free, columns, values,
):  # fmt: skip
    """Write the entries of features start..stop to their places."""
    for number in range(start, stop):
        feature = chosen[number]
        for at in range(row_ptr[feature], row_ptr[feature + 1]):
            own, place = class_ptr[number] + classes[at], free[graphs[at]]
            for i in range(ends[own, 0], ends[own, 1]):
                columns[place] = column_ptr[number] + i - ends[own, 0]
                values[place] = masses[at] * coordinates[i]
                place += 1
            free[graphs[at]] = place


@njit(cache=True, nogil=True)
def _project(
    start, stop, graph_ptr, depths, features, masses, row_ptr, row_lines, ptr, lines, column_ptr,
    factor_ptr, factors, table, axis, gamma,
):  # fmt: skip
    """Return the entries of graphs start..stop."""
    longest, widest = 1, 1
    for graph in range(start, stop):
        longest = max(longest, graph_ptr[graph + 1] - graph_ptr[graph])
    for feature in range(len(column_ptr) - 1):
        widest = max(widest, column_ptr[feature + 1] - column_ptr[feature])
    numbers, order = np.empty(longest, np.uint64), np.empty(longest, np.int32)
    n_entries, used = np.zeros(stop - start, np.int64), np.int64(0)
    size = 2 * (graph_ptr[stop] - graph_ptr[start]) + widest
    columns, values = np.empty(size, np.int32), np.empty(size)
    for graph in range(start, stop):
        n, before, row0 = np.int64(0), used, graph_ptr[graph]
        for i in range(graph_ptr[graph + 1] - row0):
            number = find(table, depths[row0 + i], features[row0 + i])
            if number >= 0:
                numbers[i], order[n] = number, i
                n += 1
        sort_by_key(numbers, order, n)
        for i in range(n):
            row, own = row0 + order[i], np.int64(numbers[order[i]])
            first, last = column_ptr[own], column_ptr[own + 1]
            if used + last - first > len(values):
                columns, values = longer(columns, values, used, 2 * used + widest)
            at, mine, stop_mine = factor_ptr[own], row_ptr[row], row_ptr[row + 1]
            for column in range(first, last):
                apart = distance(
                    row_lines, mine, stop_mine, lines, ptr[column], ptr[column + 1], axis
                )
                if apart == 0.0:  # a landmark: then it has its row of the factor
                    rank = column - first
                    at += rank * (rank + 1) // 2
                    for k in range(rank + 1):
                        values[used + k] = factors[at + k]
                    last = column + 1
                    break
                values[used + column - first] = apart
            else:
                for rank in range(last - first):
                    value = exponential(values[used + rank], gamma)
                    for k in range(rank):
                        value -= values[used + k] * factors[at + k]
                    values[used + rank] = value / factors[at + rank]
                    at += rank + 1
            mass = np.float64(masses[row])
            for column in range(first, last):
                columns[used], values[used] = column, mass * values[used]
                used += 1
        n_entries[graph - start] = used - before
    return n_entries, columns[:used], values[:used]
