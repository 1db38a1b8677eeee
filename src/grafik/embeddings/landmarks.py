"""The exact explicit map: a few landmarks for each feature, and coordinates by Cholesky factors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hash_table import table_of
from ..arrays.offsets import offsets, ranges
from ..features.histograms import Histograms
from ..kernels.base_kernel import exponential
from ..kernels.gram import KernelOnHistograms
from ..kernels.postings import Postings, postings_of
from ..kernels.wasserstein import Profiles, axis_of, distance, lines_of, profiles_of
from ..system.memory import refuse_what_does_not_fit
from ..system.threads import new_flag, run_blocks, uninterrupted

# Residuals below this one are but rounding errors.
_ROUNDING = 1e-12
_NS = 30.0  # nanoseconds that an entry of a factor takes


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
    table : ndarray
        See :func:`grafik.arrays.hash_table.table_of`.
    axis : ndarray
        See :func:`grafik.kernels.wasserstein.axis_of`.
    gamma : float
        On this axis.
    """

    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    column_ptr: NDArray[np.int64]
    factor_ptr: NDArray[np.int64]
    factors: NDArray[np.float64]
    profiles: Profiles
    table: NDArray[Any]
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


class _Classes(NamedTuple):
    """The distinct histograms of each feature, which may become landmarks.

    Attributes
    ----------
    ptr : ndarray of int64, shape (n_features + 1,)
        Classes ``ptr[f]:ptr[f + 1]`` belong to feature `f`.
    profiles : Profiles
    weights : ndarray of float64, shape (n_classes,)
        The squares of the masses that have each of them, or the masses, added up.
    most : ndarray of int64, shape (n_features,)
        How many landmarks each feature may have.
    """

    ptr: NDArray[np.int64]
    profiles: Profiles
    weights: NDArray[np.float64]
    most: NDArray[np.int64]


def choose_landmarks(
    histograms: Histograms,
    kernel: KernelOnHistograms,
    min_graphs: int,
    rank: int | None,
    tol: float,
    n_jobs: int | None,
) -> tuple[Landmarks, Factors]:
    """Factorise the base kernels of each feature, by pivoted Cholesky.

    The next landmark is the histogram whose residual, times the squares of the masses that have it
    (the masses themselves if the smaller one counts), is largest: what the trace of the Gram matrix
    lacks most.

    Parameters
    ----------
    histograms : Histograms
        Of the training graphs.
    kernel : KernelOnHistograms
    min_graphs : int
        Features that fewer graphs have are left out.
    rank : int or None
        How many landmarks a feature may have.
    tol : float
        Histograms with a residual of at most this do not become landmarks.
    n_jobs : int or None
    """
    found = postings_of(histograms, n_jobs)
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
    rows = found.example[ranges(found.class_ptr[chosen], class_ptr)]
    profiles = profiles_of(rows, histograms.runs, n_jobs)
    uses, weights = _weights(chosen, class_ptr, found, 1 if kernel.smaller else 2)
    axis, gamma = axis_of(kernel.axis.points), kernel.rate

    classes = _Classes(class_ptr, profiles, weights, most)

    flag = new_flag()

    def factorise(start: int, stop: int) -> Any:
        how = classes, axis, gamma, max(tol, _ROUNDING), flag
        return uninterrupted(_factorise, start, stop, *how)

    cost = offsets(n_classes + most**2 * n_classes // 8)
    what = "learning landmarks"
    blocks = run_blocks(factorise, cost, n_jobs, ns_per_unit=_NS, what=what, flag=flag)
    shift = 0
    for *_, ends, values in blocks:
        ends += shift
        shift += len(values)
    n_columns, order, ends, values = map(np.concatenate, zip(*blocks, strict=True))
    column_ptr, factor_ptr = offsets(n_columns), offsets(n_columns * (n_columns + 1) // 2)
    kept = order[ranges(class_ptr[:-1], column_ptr)]
    starts = ends[order[class_ptr[:-1]], 0]  # a feature's landmarks come first
    depths, features = found.depths[chosen], found.features[chosen]
    landmarks = Landmarks(
        depths,
        features,
        column_ptr,
        factor_ptr,
        values if factor_ptr[-1] == len(values) else values[ranges(starts, factor_ptr)],
        profiles_of(rows[kept], histograms.runs, n_jobs),
        table_of(depths, features),
        axis,
        gamma,
    )
    return landmarks, Factors(chosen, class_ptr, uses, ends, values)


def _weights(
    chosen: NDArray[np.int64], class_ptr: NDArray[np.int64], postings: Postings, power: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return how many graphs have each class, and powers of their masses, added up."""
    ends = offsets(np.diff(postings.row_ptr)[chosen])
    rows = ranges(postings.row_ptr[chosen], ends)
    own = postings.classes[rows] + np.repeat(class_ptr[:-1], np.diff(ends))
    n = int(class_ptr[-1])
    weights = np.bincount(own, postings.masses[rows] ** power, n).astype(np.float64)
    return np.bincount(own, minlength=n).astype(np.int64), weights


@njit(cache=True, nogil=True)
def _factorise(start, stop, distinct, axis, gamma, tol, flag):
    """Choose the landmarks of features start..stop.

    Return how many each feature has, all classes with the landmarks first, where the coordinates of
    each class start and end, and the coordinates. The factor lies transposed, so that the inner
    loop runs along memory; what is chosen is moved to the front.
    """
    class_ptr, weights, most = distinct.ptr, distinct.weights, distinct.most
    lines, line_ptr = distinct.profiles.lines, distinct.profiles.ptr
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
        while rank < most[feature] and not flag[0]:
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
            line, pivots = rank * n, lines_of(line_ptr, order[rank])
            root = np.sqrt(own)
            factor[line + rank] = root
            for i in range(rank + 1, n):
                apart = distance(lines, pivots, lines, lines_of(line_ptr, order[i]), axis)
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
