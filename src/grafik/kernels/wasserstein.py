"""Wasserstein distances of normalised histograms, in time linear in their runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.offsets import offsets, part_of
from ..features.histograms import Runs
from ..system.threads import new_flag, run_blocks

# Histograms with at most this many levels are compared level by level.
FEW = 16
# So are those with at most this many, but their cumulative histograms are made when needed.
DENSE = 1024
# Stretches of at most this many levels are added up level by level.
_SHORT = 4
# As many rows and runs are normalised before an interrupt is seen.
_UNINTERRUPTED = 20_000_000


class Profiles(NamedTuple):
    """Normalised histograms as cumulative ones.

    Attributes
    ----------
    ptr : ndarray of int64, shape (n_profiles + 1,)
        Lines ``ptr[i]:ptr[i + 1]`` belong to histogram `i`.
    lines : ndarray of float64
        Where there are few levels, the part of the mass up to each level but the last. Where there
        are many, the runs, during which the cumulative histogram is linear: first level, the part
        of the mass before it, and the part at each level; shape (n, 3).
    """

    ptr: NDArray[np.int64]
    lines: NDArray[np.float64]


class Lines(NamedTuple):
    """Where the lines of one histogram are."""

    start: int
    stop: int


@njit(cache=True, nogil=True)
def lines_of(ptr, number):
    """Return where the lines of a histogram are, by its number."""
    return Lines(ptr[number], ptr[number + 1])


def axis_of(alphas: NDArray[np.float64]) -> NDArray[np.float64]:
    """Prepare thresholds for measuring distances.

    Few become the gaps between them. The columns for many are the thresholds, the sum of those
    before each one, what rounding has lost of this sum, and the gap to the next threshold.
    """
    gaps = alphas[:-1] - alphas[1:]
    if len(alphas) <= FEW:
        return gaps
    axis = np.zeros((len(alphas) + 1, 4))
    axis[:-1, 0] = alphas
    axis[:-2, 3] = gaps
    _add_up(axis)
    return axis


@njit(cache=True, nogil=True)
def _add_up(axis):
    """Add up the thresholds, and what rounding loses (Knuth)."""
    for i in range(len(axis) - 1):
        total = axis[i, 1] + axis[i, 0]
        part = total - axis[i, 1]
        axis[i + 1, 1] = total
        axis[i + 1, 2] = axis[i, 2] + ((axis[i, 1] - (total - part)) + (axis[i, 0] - part))


def profiles_of(rows: NDArray[np.int64], runs: Runs, n_jobs: int | None) -> Profiles:
    """Normalise the histograms of some rows.

    The result has the same bits for counts and their multiples: it is made of rounded quotients.
    """
    run_ptr = offsets(runs.ptr[rows + 1] - runs.ptr[rows])
    if runs.n_levels <= FEW:
        ptr = np.arange(len(rows) + 1) * (runs.n_levels - 1)
        return Profiles(ptr, _parts(rows, runs, run_ptr).ravel())
    profiles = Profiles(run_ptr, np.empty((int(run_ptr[-1]), 3)))

    def normalise(start: int, stop: int) -> None:
        _normalise(start, stop, rows, runs, profiles)

    cost = run_ptr + np.arange(len(rows) + 1)
    run_blocks(normalise, cost, n_jobs, ns_per_unit=20.0, max_units=_UNINTERRUPTED, flag=new_flag())
    return profiles


def _parts(rows: NDArray[np.int64], runs: Runs, run_ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the part of the mass up to each level but the last, for some rows."""
    owner, firsts = part_of(run_ptr), run_ptr[:-1]
    which = (runs.ptr[rows] - firsts)[owner]
    which += np.arange(len(owner))
    counts = runs.counts[which]
    changes = np.diff(counts, prepend=0)
    changes[firsts] = counts[firsts]
    sums = np.zeros((runs.n_levels, len(rows)), np.int64)
    sums.ravel()[runs.levels[which] * np.int64(len(rows)) + owner] = changes
    for _ in range(2):  # occurrences at each level, then up to each level
        for level in range(1, runs.n_levels):
            sums[level] += sums[level - 1]
    return np.ascontiguousarray((sums[:-1] / sums[-1]).T)


@njit(cache=True, nogil=True)
def _normalise(start, stop, rows, runs, out):
    """Write runs with cumulative counts, and divide these by the mass."""
    lines = out.lines
    for i in range(start, stop):
        first, last = runs.ptr[rows[i]], runs.ptr[rows[i] + 1]
        mass, shift = 0, out.ptr[i] - first
        for run in range(first, last):
            lines[run + shift, 0], lines[run + shift, 1] = runs.levels[run], mass
            lines[run + shift, 2] = runs.counts[run]
            end = runs.n_levels if run + 1 == last else runs.levels[run + 1]
            mass += runs.counts[run] * (end - runs.levels[run])
        for at in range(first + shift, last + shift):
            lines[at, 1] /= mass
            lines[at, 2] /= mass


@njit(cache=True, nogil=True)
def distance(x, mine, y, theirs, axis):
    """Return the Wasserstein distance of two histograms, `mine` and `theirs` of lines `x` and `y`.

    From level to level, the distance grows by how much more mass one of them has had so far, times
    the gap to the next threshold.
    """
    if axis.ndim == 2:  # then nothing below is compiled, and else nothing here
        if len(axis) <= DENSE + 1:
            return _distance_by_levels(x, mine, y, theirs, axis)
        return _distance_by_runs(x, mine, y, theirs, axis)
    total, i, j = 0.0, mine.start, theirs.start
    for level in range(mine.stop - mine.start):
        total += axis[level] * abs(x[i + level] - y[j + level])
    return total


@njit(nogil=True, inline="always")
def accumulate(profiles, number, begin, end, out):
    """Write the part of the mass up to each level begin..end, from runs; none is before `begin`."""
    lines, run, stop = profiles.lines, profiles.ptr[number], profiles.ptr[number + 1]
    start, before, slope = 0.0, 0.0, 0.0
    for level in range(begin, end):
        if run < stop and lines[run, 0] == level:
            start, before, slope = lines[run, 0], lines[run, 1], lines[run, 2]
            run += 1
        out[level] = before + (level - start + 1) * slope


@njit(cache=True, nogil=True)
def _distance_by_levels(x, mine, y, theirs, axis):
    """Return the same from runs, level by level, with the bits of :func:`accumulate`."""
    total, i, j = 0.0, mine.start, theirs.start
    start_x, before_x, slope_x = 0.0, 0.0, 0.0
    start_y, before_y, slope_y = 0.0, 0.0, 0.0
    for level in range(len(axis) - 2):
        if i < mine.stop and x[i, 0] == level:
            start_x, before_x, slope_x = x[i, 0], x[i, 1], x[i, 2]
            i += 1
        if j < theirs.stop and y[j, 0] == level:
            start_y, before_y, slope_y = y[j, 0], y[j, 1], y[j, 2]
            j += 1
        so_far = before_x + (level - start_x + 1) * slope_x
        other = before_y + (level - start_y + 1) * slope_y
        total += axis[level, 3] * abs(so_far - other)
    return total


@njit(cache=True, nogil=True)
def _distance_by_runs(x, mine, y, theirs, axis):
    """Return the same for many levels, in time linear in the number of runs."""
    last, i, j = len(axis) - 2, mine.start, theirs.start
    level, total = min(int(x[i, 0]), int(y[j, 0])), 0.0
    start_x, before_x, slope_x = 0.0, 0.0, 0.0
    start_y, before_y, slope_y = 0.0, 0.0, 0.0
    while level < last:
        if i < mine.stop and x[i, 0] == level:
            start_x, before_x, slope_x = x[i, 0], x[i, 1], x[i, 2]
            i += 1
        if j < theirs.stop and y[j, 0] == level:
            start_y, before_y, slope_y = y[j, 0], y[j, 1], y[j, 2]
            j += 1
        end = min(last, int(x[i, 0])) if i < mine.stop else last
        end = min(end, int(y[j, 0])) if j < theirs.stop else end
        more = before_x + (level - start_x) * slope_x - (before_y + (level - start_y) * slope_y)
        slope = slope_x - slope_y
        if end - level <= _SHORT:
            for step in range(end - level):
                total += axis[level + step, 3] * abs(more + (step + 1) * slope)
        elif more * slope < 0 and abs(more) < (end - level) * abs(slope):
            steps = int(abs(more) / abs(slope))  # until the other one has had more
            total += _moved(axis, level, level + steps, more, slope)
            total += _moved(axis, level + steps, end, more + steps * slope, slope)
        else:
            total += _moved(axis, level, end, more, slope)
        level = end
    return total


@njit(cache=True, nogil=True)
def _moved(axis, start, end, more, slope):
    """Return the mass that is moved on from levels start..end, times its way."""
    sums = axis[end, 1] - axis[start, 1] - (end - start) * axis[end, 0]
    sums += axis[end, 2] - axis[start, 2]
    return abs(more * (axis[start, 0] - axis[end, 0]) + slope * sums)
