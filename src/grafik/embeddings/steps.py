"""The exact map of the smaller mass: a column for each step from one mass to the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hash_table import find
from ..arrays.offsets import offsets, part_of
from ..arrays.sparse_rows import SparseRows
from ..features.histograms import Histograms
from ..system.memory import refuse_what_does_not_fit
from ..system.threads import run_blocks
from .landmarks import Landmarks

# Columns are numbers of 32 bits.
_MOST_COLUMNS = 2**31 - 1


class _Rows(NamedTuple):
    """Rows of histograms: where graphs start, the number of each one's feature, its mass."""

    graph_ptr: NDArray[np.int64]
    numbers: NDArray[np.int64]
    masses: NDArray[np.int64]


class Steps(NamedTuple):
    """The different masses that each feature of the landmarks has in the training graphs.

    Attributes
    ----------
    ptr : ndarray of int64, shape (n_features + 1,)
        Masses ``levels[ptr[f]:ptr[f + 1]]`` are those of feature `f`.
    levels : ndarray of float64
        Increasing within a feature.
    column_ptr : ndarray of int64, shape (n_features + 1,)
        Columns ``column_ptr[f]:column_ptr[f + 1]`` belong to feature `f`: the steps of its first
        landmark, then those of the next one.
    """

    ptr: NDArray[np.int64]
    levels: NDArray[np.float64]
    column_ptr: NDArray[np.int64]


def steps_of(histograms: Histograms, landmarks: Landmarks) -> Steps:
    """Return the masses of the features of the landmarks, in the training graphs."""
    n_features = len(landmarks.features)
    numbers = _numbers(landmarks.table, histograms.depths, histograms.features)
    known = numbers >= 0
    pairs = np.unique(np.column_stack([numbers[known], histograms.masses[known]]), axis=0)
    ptr = np.searchsorted(pairs[:, 0], np.arange(n_features + 1)).astype(np.int64)
    column_ptr = offsets(np.diff(ptr) * np.diff(landmarks.column_ptr))
    if column_ptr[-1] > _MOST_COLUMNS:
        raise ValueError(
            f"an exact map with mass='min' would take {column_ptr[-1]} columns, but at most "
            f"{_MOST_COLUMNS} are possible; give rank or a larger min_graphs, or mass='linear'"
        )
    return Steps(ptr, pairs[:, 1].astype(np.float64), column_ptr)


def reach_steps(
    histograms: Histograms,
    landmarks: Landmarks,
    steps: Steps,
    rows: SparseRows,
    n_jobs: int | None,
) -> SparseRows:
    r"""Spread the coordinates of graphs over the steps that their masses reach.

    At each step that it reaches, of width `w`, a mass has :math:`\sqrt w`. So products of two
    masses are the widths of the steps that both reach, added up. Within a step, which it does not
    reach, a mass that is larger by `p` than the last one has :math:`p / \sqrt w`.

    Parameters
    ----------
    histograms : Histograms
        Of the graphs of the rows.
    landmarks : Landmarks
    steps : Steps
    rows : SparseRows
        Coordinates of histograms of mass 1.
    n_jobs : int or None
    """
    ends = offsets(rows.n_entries)
    owners = part_of(landmarks.column_ptr)[rows.columns]
    numbers = _numbers(landmarks.table, histograms.depths, histograms.features)
    counts = np.empty(len(rows.columns), np.int64)
    masses = np.empty(len(rows.columns))

    all_rows = _Rows(histograms.graph_ptr, numbers, histograms.masses)

    def count(start: int, stop: int) -> None:
        known = np.empty(len(landmarks.features))
        _masses(start, stop, all_rows, ends, owners, known, masses)
        part = slice(ends[start], ends[stop])
        counts[part] = _n_reached(owners[part], masses[part], steps)

    run_blocks(count, ends, n_jobs, ns_per_unit=30.0)
    places = offsets(counts)
    refuse_what_does_not_fit(
        12.0 * float(places[-1]),
        f"{len(rows.n_entries)} vectors with {places[-1]} numbers in all",
        "embed fewer graphs at a time, or give rank, a larger min_graphs or mass='linear'",
    )
    columns, values = np.empty(int(places[-1]), np.int32), np.empty(int(places[-1]))

    def fill(start: int, stop: int) -> None:
        _fill(
            start,
            stop,
            rows,
            owners,
            masses,
            landmarks.column_ptr,
            steps,
            (places, columns, values),
        )

    run_blocks(fill, places, n_jobs, ns_per_unit=3.0)
    return SparseRows(np.diff(places[ends]), columns, values)


@njit(cache=True, nogil=True)
def _numbers(table, depths, features):
    """Return the number of each row's feature among those of the landmarks, or -1."""
    found = np.empty(len(depths), np.int64)
    for row in range(len(depths)):
        found[row] = find(table, depths[row], features[row])
    return found


@njit(cache=True, nogil=True)
def _masses(start, stop, rows, ends, owners, known, out):
    """Write the mass of the feature of each coordinate of graphs start..stop.

    There is room for the mass of each feature in `known`.
    """
    for graph in range(start, stop):
        for row in range(rows.graph_ptr[graph], rows.graph_ptr[graph + 1]):
            if rows.numbers[row] >= 0:
                known[rows.numbers[row]] = rows.masses[row]
        for at in range(ends[graph], ends[graph + 1]):
            out[at] = known[owners[at]]


@njit(cache=True, nogil=True)
def _n_reached(owners, masses, steps):
    """Return how many steps each coordinate has: those that its mass reaches, or enters."""
    ptr, levels, found = steps.ptr, steps.levels, np.empty(len(owners), np.int64)
    for at in range(len(owners)):
        low, high = ptr[owners[at]], ptr[owners[at] + 1]
        first = low
        while low < high:
            middle = (low + high) // 2
            if levels[middle] < masses[at]:
                low = middle + 1
            else:
                high = middle
        found[at] = min(low + 1, ptr[owners[at] + 1]) - first
    return found


@njit(cache=True, nogil=True)
def _fill(start, stop, rows, owners, masses, column_ptr, steps, out):
    """Write the steps of coordinates start..stop."""
    places, columns, values = out
    ptr, levels, first_column = steps.ptr, steps.levels, steps.column_ptr
    old_columns, old_values = rows.columns, rows.values
    for at in range(start, stop):
        owner, before = owners[at], 0.0
        first, n_steps = ptr[owner], ptr[owner + 1] - ptr[owner]
        column = first_column[owner] + (old_columns[at] - column_ptr[owner]) * n_steps
        for step in range(places[at + 1] - places[at]):
            level = levels[first + step]
            width = level - before
            part = np.sqrt(width)
            if masses[at] < level:
                part = (masses[at] - before) / part
            columns[places[at] + step] = column + step
            values[places[at] + step] = old_values[at] * part
            before = level
