"""Sums over the features that two graphs share, for all pairs of graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.offsets import frozen
from ..kernels.tiles import run_tiles
from ..system.threads import uninterrupted

# A feature is spread over all columns of a tile if at least one column in this many has it.
_RARE = 10


@dataclass(frozen=True)
class Vectors:
    """A sparse vector for each graph: its features, sorted by depth, and how much of each it has.

    Attributes
    ----------
    ptr : ndarray of int64, shape (n_graphs + 1,)
        Entries ``ptr[g]:ptr[g + 1]`` belong to graph `g`.
    depths : ndarray of uint16
        The round that the feature is from, never decreasing within a graph.
    keys : ndarray of uint64
        Hash of the feature, increasing within a graph and depth.
    values : ndarray of float64
        Not negative.
    times : ndarray of float64
        How many times the feature counts in products, the same in all graphs.
    """

    ptr: NDArray[np.int64]
    depths: NDArray[np.uint16]
    keys: NDArray[np.uint64]
    values: NDArray[np.float64]
    times: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def between(self, low: int, high: int) -> Vectors:
        """Return the features of depths from `low` up to, but without, `high`."""
        rows = np.flatnonzero((self.depths >= low) & (self.depths < high))
        if len(rows) == len(self.depths):
            return self
        return Vectors(
            np.searchsorted(rows, self.ptr),
            self.depths[rows],
            self.keys[rows],
            self.values[rows],
            self.times[rows],
        )


def vectors(
    n_graphs: int,
    graphs: NDArray[np.int64],
    depths: NDArray[np.integer],
    keys: NDArray[np.uint64],
    values: NDArray[np.float64],
    times: NDArray[np.float64] | None = None,
) -> Vectors:
    """Build vectors from parts in any order; those of one feature in one graph are added up.

    Parts are added from the smallest to the largest, so the order in which they come does not
    matter to the last bit.
    """
    order = np.argsort(keys)
    # NumPy sorts 16 bits in linear time.
    rounds = depths.astype(np.uint16)
    order = order[np.argsort(rounds[order], kind="stable")]
    narrow = graphs[order].astype(np.uint16 if n_graphs <= 1 << 16 else np.int64)
    order = order[np.argsort(narrow, kind="stable")]
    by_graph, by_key = graphs[order], keys[order]
    new = np.ones(len(order), bool)
    new[1:] = (by_graph[1:] != by_graph[:-1]) | (by_key[1:] != by_key[:-1])
    starts = np.flatnonzero(new)
    return Vectors(
        frozen(np.searchsorted(by_graph[starts], np.arange(n_graphs + 1)).astype(np.int64)),
        frozen(rounds[order[starts]]),
        frozen(by_key[starts]),
        frozen(uninterrupted(_sums, np.append(starts, len(order)), values[order])),
        frozen(np.ones(len(starts)) if times is None else times[order[starts]]),
    )


def products(
    x: Vectors, y: Vectors, depths: Sequence[int], n_jobs: int | None
) -> Iterator[NDArray[np.float64]]:
    r"""Inner products :math:`\sum_f t_f x_f y_f` of all vectors of `x` with all of `y`.

    Here :math:`t_f` is how many times feature `f` counts. Yield a matrix for each of some
    increasing depths, with the features up to that depth. Every entry is added up in the order of
    depth and feature, so that it does not matter which smaller depths are asked for.
    """
    sizes = np.ones(len(x)), np.ones(len(y))
    return _matrices(x, y, *sizes, True, depths, n_jobs)


def intersections(
    x: Vectors,
    y: Vectors,
    depths: Sequence[int],
    n_jobs: int | None,
    x_size: NDArray[np.float64],
    y_size: NDArray[np.float64],
) -> Iterator[NDArray[np.float64]]:
    r"""Histogram intersections :math:`\sum_f \min(x_f |y|, y_f |x|)`, for each depth as above.

    With the size of each graph they are, divided by both sizes, intersections of frequencies; but
    here they are integers, and so without rounding.
    """
    return _matrices(x, y, x_size, y_size, False, depths, n_jobs)


def squares(x: Vectors, depth: int) -> NDArray[np.float64]:
    """Return the product of each vector with itself, with the features up to a depth."""
    return _own(x.between(0, depth + 1), np.ones(len(x)), True)


def totals(x: Vectors, depth: int) -> NDArray[np.float64]:
    """Return the intersection of each vector with itself, which is its sum, up to a depth."""
    return _own(x.between(0, depth + 1), np.ones(len(x)), False)


def _own(x: Vectors, sizes: NDArray[np.float64], product: bool) -> NDArray[np.float64]:
    sums: NDArray[np.float64] = uninterrupted(_diagonal, x.ptr, x.values, x.times, sizes, product)
    return sums


def _matrices(
    x: Vectors,
    y: Vectors,
    x_size: NDArray[np.float64],
    y_size: NDArray[np.float64],
    product: bool,
    depths: Sequence[int],
    n_jobs: int | None,
) -> Iterator[NDArray[np.float64]]:
    matrix = np.zeros((len(x), len(y)))
    for low, high in pairwise([0, *(depth + 1 for depth in depths)]):
        part = x.between(low, high)
        other = part if x is y else y.between(low, high)
        _add(part, other, x_size, y_size, product, matrix, n_jobs)
        if x is y:
            _mirror(matrix)
            np.fill_diagonal(matrix, _own(x.between(0, high), x_size, product))
        yield matrix if high == depths[-1] + 1 else matrix.copy()


def _add(
    x: Vectors,
    y: Vectors,
    x_size: NDArray[np.float64],
    y_size: NDArray[np.float64],
    product: bool,
    matrix: NDArray[np.float64],
    n_jobs: int | None,
) -> None:
    """Add the sums over all features to a matrix; of a symmetric one, only below the diagonal."""
    known, number = np.unique(y.keys, return_inverse=True)
    keep = np.ones(len(known), bool)
    if x is y:
        keep = np.bincount(number, minlength=len(known)) > 1  # the others touch only the diagonal
    renumbered = np.where(keep, np.cumsum(keep) - 1, -1)
    weighted = y.values * y.times if product else y.values
    columns = _kept(y, renumbered[number], weighted, y_size)
    if x is y:
        rows = _kept(x, renumbered[number], x.values, x_size)
    else:
        at = np.minimum(np.searchsorted(known, x.keys), max(len(known) - 1, 0))
        found = np.full(len(x.keys), -1, np.int64)
        if len(known):
            found = np.where(known[at] == x.keys, at, -1)
        rows = _kept(x, found, x.values, x_size)
    n_features = int(keep.sum())

    def fill(first: int, last: int) -> None:
        _fill_tile(first, last, x is y, product, rows, columns, n_features, matrix)

    run_tiles(fill, len(y), n_jobs)


class _Side(NamedTuple):
    """The graphs of rows or of columns, their numbered features, and their sizes."""

    ptr: NDArray[np.int64]
    features: NDArray[np.int32]
    values: NDArray[np.float64]
    sizes: NDArray[np.float64]


def _kept(
    x: Vectors, number: NDArray[np.int64], values: NDArray[np.float64], sizes: NDArray[np.float64]
) -> _Side:
    """Keep the entries whose feature has a number."""
    chosen = np.flatnonzero(number >= 0)
    kept = number[chosen].astype(np.int32)
    return _Side(np.searchsorted(chosen, x.ptr), kept, values[chosen], sizes)


@njit(cache=True, nogil=True)
def _fill_tile(first, last, half, product, x, y, n_features, matrix):
    """Add to columns first..last, each entry in the order of its features.

    Features that many of these columns have are spread over the columns, so that plain vector
    operations add them; a column without the feature adds 0. The others are added column by column.
    Both ways add the same numbers in the same order. With `half`, only rows from the first column
    on are added to.
    """
    x_ptr, x_features, x_values, x_size = x.ptr, x.features, x.values, x.sizes
    y_ptr, y_features, y_values = y.ptr, y.features, y.values
    width = last - first
    listed = np.zeros(n_features + 1, np.int64)
    for at in range(y_ptr[first], y_ptr[last]):
        listed[y_features[at] + 1] += 1
    n_lines = 0
    line_of = np.full(n_features, -1, np.int32)
    for feature in range(n_features):
        if listed[feature + 1] * _RARE >= width and listed[feature + 1] > 1:
            line_of[feature] = n_lines
            n_lines += 1
        listed[feature + 1] += listed[feature]
    lines = np.zeros((n_lines, width))
    columns = np.empty(listed[n_features], np.int32)
    values = np.empty(listed[n_features])
    filled = listed[:-1].copy()
    for column in range(width):
        for at in range(y_ptr[first + column], y_ptr[first + column + 1]):
            feature = y_features[at]
            columns[filled[feature]] = column
            values[filled[feature]] = y_values[at]
            filled[feature] += 1
            if line_of[feature] >= 0:
                lines[line_of[feature], column] = y_values[at]
    sizes, sums = np.empty(width), np.empty(width)
    for column in range(width):
        sizes[column] = y.sizes[first + column]
    for row in range(first if half else 0, len(matrix)):
        for column in range(width):
            sums[column] = matrix[row, first + column]
        size = x_size[row]
        for at in range(x_ptr[row], x_ptr[row + 1]):
            feature, value = x_features[at], x_values[at]
            line = line_of[feature]
            if line >= 0 and product:
                for column in range(width):
                    sums[column] += value * lines[line, column]
            elif line >= 0:
                for column in range(width):
                    sums[column] += min(value * sizes[column], lines[line, column] * size)
            else:
                for i in range(listed[feature], listed[feature + 1]):
                    column = columns[i]
                    if product:
                        sums[column] += value * values[i]
                    else:
                        sums[column] += min(value * sizes[column], values[i] * size)
        for column in range(width):
            matrix[row, first + column] = sums[column]


@njit(cache=True, nogil=True)
def _diagonal(ptr, values, times, sizes, product):
    """Return what each graph shares with itself, added up in the order of the features."""
    sums = np.zeros(len(ptr) - 1)
    for graph in range(len(ptr) - 1):
        for at in range(ptr[graph], ptr[graph + 1]):
            sums[graph] += values[at] * (values[at] * times[at] if product else sizes[graph])
    return sums


@njit(cache=True, nogil=True)
def _mirror(matrix):
    """Copy what is below the diagonal to above it."""
    for row in range(len(matrix)):
        for column in range(row):
            matrix[column, row] = matrix[row, column]


@njit(cache=True, nogil=True)
def _sums(ptr, values):
    """Add up the values between two offsets, from the smallest to the largest."""
    sums = np.empty(len(ptr) - 1)
    for i in range(len(sums)):
        sums[i] = values[ptr[i]]
        if ptr[i + 1] > ptr[i] + 1:
            sums[i] = 0.0
            for value in np.sort(values[ptr[i] : ptr[i + 1]]):
                sums[i] += value
    return sums
