"""Coordinates of graphs in the space that their landmarks span."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hash_table import find
from ..arrays.offsets import offsets
from ..arrays.sorting import sort_by_key
from ..arrays.sparse_rows import SparseRows, longer
from ..features.histograms import Histograms
from ..kernels.base_kernel import exponential
from ..kernels.postings import postings_of
from ..kernels.wasserstein import distance, lines_of, profiles_of
from ..system.threads import new_flag, run_blocks, sort_blocks, uninterrupted
from .landmarks import Factors, Landmarks

_BLOCK = 10_000_000  # entries, so that an interrupt does not wait for long


def training_coordinates(
    histograms: Histograms, landmarks: Landmarks, factors: Factors, unit: bool, n_jobs: int | None
) -> SparseRows:
    """Return the coordinates of the training graphs, as :func:`coordinates` would, but faster."""
    found = postings_of(histograms, n_jobs)
    found = found._replace(masses=np.ones(len(found.masses))) if unit else found
    n_entries = int((factors.uses * (factors.ends[:, 1] - factors.ends[:, 0])).sum())
    columns, values = np.empty(n_entries, np.int32), np.empty(n_entries)

    def count(start: int, stop: int, counts: NDArray[np.int64]) -> None:
        _count_entries(start, stop, factors, found, counts)

    def fill(start: int, stop: int, free: NDArray[np.int64]) -> None:
        _fill_entries(start, stop, factors, found, landmarks.column_ptr, free, columns, values)

    cost = offsets(np.diff(found.row_ptr)[factors.chosen])
    row_ptr = sort_blocks(count, fill, len(histograms), cost, n_jobs, ns_per_unit=20.0)
    return SparseRows(np.diff(row_ptr), columns, values)


def coordinates(
    histograms: Histograms, landmarks: Landmarks, unit: bool, n_jobs: int | None
) -> SparseRows:
    r"""Return the coordinates of graphs, row after row.

    A histogram with mass `m` and base kernels `k` with the landmarks has coordinates
    :math:`m L^{-1} k`, where `L` is the Cholesky factor; a landmark has its row of `L`. All masses
    are taken to be 1 if `unit` says so.
    """
    every = np.arange(len(histograms.features))
    profiles = profiles_of(every, histograms.runs, n_jobs)
    columns, masses = histograms.columns, histograms.masses
    masses = np.ones_like(masses) if unit else masses

    def project(start: int, stop: int) -> SparseRows:
        how = columns, masses, profiles, landmarks
        return SparseRows(*uninterrupted(_project, start, stop, *how))

    blocks = run_blocks(
        project, histograms.graph_ptr, n_jobs, ns_per_unit=50.0, max_units=_BLOCK, flag=new_flag()
    )
    return SparseRows.joined(blocks)


@njit(cache=True, nogil=True)
def _count_entries(start, stop, factors, postings, counts):
    """Count the entries that features start..stop add to each graph."""
    chosen, class_ptr, ends = factors.chosen, factors.class_ptr, factors.ends
    row_ptr, graphs, classes = postings.row_ptr, postings.graphs, postings.classes
    for number in range(start, stop):
        feature = chosen[number]
        for at in range(row_ptr[feature], row_ptr[feature + 1]):
            own = class_ptr[number] + classes[at]
            counts[graphs[at]] += ends[own, 1] - ends[own, 0]


@njit(cache=True, nogil=True)
def _fill_entries(start, stop, factors, postings, column_ptr, free, columns, values):
    """Write the entries of features start..stop to their places."""
    chosen, class_ptr, ends = factors.chosen, factors.class_ptr, factors.ends
    row_ptr, graphs, classes = postings.row_ptr, postings.graphs, postings.classes
    masses, coordinates = postings.masses, factors.coordinates
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
def _project(start, stop, rows, masses, profiles, landmarks):
    """Return the entries of graphs start..stop."""
    graph_ptr, depths, features = rows.graph_ptr, rows.depths, rows.features
    column_ptr, factor_ptr, factors = landmarks.column_ptr, landmarks.factor_ptr, landmarks.factors
    table, axis, gamma = landmarks.table, landmarks.axis, landmarks.gamma
    row_lines, row_ptr = profiles.lines, profiles.ptr
    lines, ptr = landmarks.profiles.lines, landmarks.profiles.ptr
    longest = 1
    for graph in range(start, stop):
        longest = max(longest, graph_ptr[graph + 1] - graph_ptr[graph])
    numbers, order = np.empty(longest, np.uint64), np.empty(longest, np.int32)
    n_entries, used = np.zeros(stop - start, np.int64), np.int64(0)
    size = 2 * (graph_ptr[stop] - graph_ptr[start])
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
                columns, values = longer(columns, values, used, 2 * (used + last - first))
            at, mine = factor_ptr[own], lines_of(row_ptr, row)
            for column in range(first, last):
                apart = distance(row_lines, mine, lines, lines_of(ptr, column), axis)
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
