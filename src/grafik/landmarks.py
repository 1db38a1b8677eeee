"""The exact explicit map: a few landmarks for each feature, and coordinates by Cholesky factors."""

from __future__ import annotations

from typing import NamedTuple

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
from .threads import run_blocks

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
    table : ndarray of int64
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
    table: NDArray[np.int64]
    axis: NDArray[np.float64]
    gamma: float


def choose_landmarks(
    histograms: Histograms,
    alphas: NDArray[np.float64],
    gamma: float,
    min_graphs: int,
    rank: int | None,
    tol: float,
    n_jobs: int | None,
) -> Landmarks:
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
    all_classes = np.arange(int(class_ptr[-1]))
    classes = np.repeat(found.class_ptr[chosen] - class_ptr[:-1], n_classes) + all_classes
    most = n_classes if rank is None else np.minimum(n_classes, rank)
    refuse_what_does_not_fit(
        8.0 * float((most * (most + 1) // 2).sum() + int((most * n_classes).max(initial=0))),
        f"an exact embedding of {len(chosen)} features with up to {n_classes.max(initial=0)} "
        "different histograms",
        "give rank, a larger tol or min_graphs, fewer levels, or take method='hashed'",
    )
    rows = found.example[classes]
    profiles = profiles_of(rows, *histograms.runs, histograms.n_levels, n_jobs)
    weights = _weights(chosen, class_ptr, found)
    axis = axis_of(alphas)

    def factorise(start: int, stop: int) -> tuple[NDArray[np.int64], ...]:
        how = axis, gamma, most, max(tol, _ROUNDING)
        return _factorise(start, stop, class_ptr, *profiles, weights, *how)

    blocks = run_blocks(factorise, offsets(n_classes + most**2 * n_classes // 8), n_jobs, 30.0)
    n_columns, kept, factors = map(np.concatenate, zip(*blocks, strict=True))
    depths, features = found.depths[chosen], found.features[chosen]
    return Landmarks(
        depths,
        features,
        offsets(n_columns),
        offsets(n_columns * (n_columns + 1) // 2),
        factors,
        profiles_of(rows[kept], *histograms.runs, histograms.n_levels, n_jobs),
        table_of(depths, features),
        axis,
        gamma,
    )


def _weights(
    chosen: NDArray[np.int64], class_ptr: NDArray[np.int64], postings: Postings
) -> NDArray[np.float64]:
    """Return for each class the squares of its masses, added up."""
    n_rows = np.diff(postings.row_ptr)[chosen]
    ends = offsets(n_rows)
    rows = np.arange(int(ends[-1])) + np.repeat(postings.row_ptr[chosen] - ends[:-1], n_rows)
    own = postings.classes[rows] + np.repeat(class_ptr[:-1], n_rows)
    return np.bincount(own, postings.masses[rows] ** 2, int(class_ptr[-1])).astype(np.float64)


def coordinates(
    histograms: Histograms, landmarks: Landmarks, n_jobs: int | None
) -> SparseRows:
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
        found = _project(start, stop, *rows, *lines, *landmarks.profiles, *landmarks[:5], *more)
        return SparseRows(*found)

    blocks = run_blocks(project, ptr, n_jobs, 50.0)
    return SparseRows.joined(blocks)


@njit(cache=True, nogil=True)
def _factorise(start, stop, class_ptr, ptr, lines, weights, axis, gamma, most, tol):
    """Choose the landmarks of features start..stop.

    Return how many each feature has, which classes they are, and the Cholesky factors. The factor
    lies transposed, so that the inner loop runs along memory; what is chosen is moved to the front.
    """
    n_kept, n_factors, largest, area = 0, 0, 1, 1
    for feature in range(start, stop):
        n, rank = class_ptr[feature + 1] - class_ptr[feature], most[feature]
        n_kept += rank
        n_factors += rank * (rank + 1) // 2
        largest, area = max(largest, n), max(area, n * rank)
    n_columns, kept = np.empty(stop - start, np.int64), np.empty(n_kept, np.int64)
    factors, factor = np.empty(n_factors), np.empty(area)
    order, residuals = np.empty(largest, np.int64), np.empty(largest)
    n_kept, n_factors = 0, 0
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
        for row in range(rank):
            kept[n_kept] = order[row]
            n_kept += 1
            for k in range(row + 1):
                factors[n_factors] = factor[k * n + row]
                n_factors += 1
        n_columns[feature - start] = rank
    return n_columns, kept[:n_kept], factors[:n_factors]


@njit(cache=True, nogil=True)
def _project(
    start, stop, graph_ptr, depths, features, masses, row_ptr, row_lines, ptr, lines, known_depths,
    known, column_ptr, factor_ptr, factors, table, axis, gamma,
):  # fmt: skip
    """Return the entries of graphs start..stop."""
    longest, widest = 1, 1
    for graph in range(start, stop):
        longest = max(longest, graph_ptr[graph + 1] - graph_ptr[graph])
    for feature in range(len(known)):
        widest = max(widest, column_ptr[feature + 1] - column_ptr[feature])
    numbers, order = np.empty(longest, np.uint64), np.empty(longest, np.int32)
    n_entries, used = np.zeros(stop - start, np.int64), 0
    size = 2 * (graph_ptr[stop] - graph_ptr[start]) + widest
    columns, values = np.empty(size, np.int64), np.empty(size)
    for graph in range(start, stop):
        n, before, row0 = np.int64(0), used, graph_ptr[graph]
        for row in range(row0, graph_ptr[graph + 1]):
            number = find(table, known_depths, known, depths[row], features[row])
            if number >= 0:
                numbers[row - row0], order[n] = number, row - row0
                n += 1
        sort_by_key(numbers, order, n)
        for i in range(n):
            row, feature = row0 + order[i], np.int64(numbers[order[i]])
            first, last = column_ptr[feature], column_ptr[feature + 1]
            if used + last - first > len(values):
                columns, values = longer(columns, values, used, 2 * used + widest)
            at, mine, stop_mine = factor_ptr[feature], row_ptr[row], row_ptr[row + 1]
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
                values[used + column - first] = exponential(apart, gamma)
            else:
                for rank in range(last - first):
                    value = values[used + rank]
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

