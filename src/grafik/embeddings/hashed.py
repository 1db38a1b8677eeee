"""The hashed explicit map: random grids over cumulative histograms, hashed into few columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hashing import GOLDEN, mix
from ..arrays.sparse_rows import SparseRows, longer
from ..features.histograms import Histograms
from ..system.threads import new_flag, run_blocks, uninterrupted

# Number of sets of grids that features share, unless these would take more numbers than the second
# constant. One set is too few: what happens to one feature would then happen to all.
_SETS, _MAX_NUMBERS = 1024, 1 << 20
# Widths of bins are at least such a part of the range: beyond it, floats cannot tell more apart.
_FINEST = 2.0**-40
# Rows of histograms that are binned at a time.
_BLOCK = 1 << 15
# Roots are rounded to multiples of one part in this many. Then sums are exact, and the order of
# vertices does not matter.
_PARTS = 2.0**26


class Grids(NamedTuple):
    """Random grids over cumulative histograms, in sets of which each feature takes one.

    A grid that leaves all histograms in one bin is not kept: all of these together are one more
    column, with the root of their number for its value.

    Attributes
    ----------
    set_ptr : ndarray of int64, shape (n_sets + 1,)
        Grids ``set_ptr[s]:set_ptr[s + 1]`` are those of set `s`.
    slopes, shifts : ndarray of float64, shape (n_grids, n_levels - 1)
        At each level, value `x` is in bin ``floor(slope * x + shift)``.
    roots : ndarray of float64, shape (n_sets,)
        Root of the number of grids with a single bin.
    n_bins : int
        Number of grids in each set, with those.
    seed : int
        Of the hash function.
    """

    set_ptr: NDArray[np.int64]
    slopes: NDArray[np.float64]
    shifts: NDArray[np.float64]
    roots: NDArray[np.float64]
    n_bins: int
    seed: np.uint64


def draw_grids(alphas: NDArray[np.float64], gamma: float, n_bins: int, random_state: int) -> Grids:
    r"""Draw the grids whose bins two histograms share with probability :math:`e^{-\gamma W_1}`.

    At a level with gap `d` to the next threshold, two values `x` and `y` of the cumulative
    histograms are in the same bin of random width `w` and random shift with probability
    :math:`\max(0, 1 - |x - y| / w)`. If `w` has the density
    :math:`(\gamma d)^2 w\, e^{-\gamma d w}`, this is :math:`e^{-\gamma d |x - y|}` on average [1]_.
    Levels are independent of each other, so probabilities multiply and distances add up to
    :math:`W_1`.

    Parameters
    ----------
    alphas : ndarray of shape (n_levels,)
        Thresholds, mapped to the interval from 1 to 0.
    gamma : float
    n_bins : int
        Grids in each set.
    random_state : int

    References
    ----------
    .. [1] Rahimi, Recht: Random Features for Large-Scale Kernel Machines, NIPS 2007.
    """
    gaps = alphas[:-1] - alphas[1:]
    if gamma == 0 or len(gaps) == 0:
        n_bins = 1  # all histograms are in one bin
    n_sets = max(1, min(_SETS, _MAX_NUMBERS // (n_bins * max(len(gaps), 1))))
    seed = np.uint64(mix(np.uint64(random_state ^ 0x452821E638D01377)))
    shape = n_sets, n_bins, len(gaps)
    numbers = uninterrupted(_uniform, 3 * n_sets * n_bins * len(gaps), seed)
    first, second, shifts = numbers.reshape(3, *shape)
    with np.errstate(over="ignore"):
        slopes = np.minimum(gamma * gaps / -(np.log(first) + np.log(second)), 1 / _FINEST)
    split = (slopes + shifts >= 1.0).any(axis=-1)
    n_split = split.sum(axis=1)
    return Grids(
        np.concatenate([[0], np.cumsum(n_split)]),
        slopes[split],
        shifts[split],
        np.rint(np.sqrt(n_bins - n_split) * _PARTS) / _PARTS,
        n_bins,
        seed,
    )


@njit(cache=True, nogil=True)
def _uniform(n, seed):
    """Draw numbers between 0 and 1, the same with every version of every library."""
    out = np.empty(n)
    for i in range(n):
        bits = mix(seed + np.uint64(i + 1) * GOLDEN)
        out[i] = (np.float64(bits >> np.uint64(12)) + 0.5) * 2.0**-52
    return out


def bin_histograms(
    histograms: Histograms, grids: Grids, n_components: int, n_jobs: int | None
) -> SparseRows:
    """Return the entries of graphs, row after row, times the root of the number of grids.

    A row of histograms adds its mass, with a random sign, to one column for each grid.
    """
    rows, n_levels = histograms.columns, histograms.n_levels

    def bins(start: int, stop: int) -> SparseRows:
        how = rows, n_levels, grids, n_components
        return SparseRows(*uninterrupted(_bins, start, stop, *how))

    blocks = run_blocks(
        bins, histograms.graph_ptr, n_jobs, ns_per_unit=100.0, max_units=_BLOCK, flag=new_flag()
    )
    return SparseRows.joined(blocks)


@njit(cache=True, nogil=True)
def _bins(start, stop, rows, n_levels, grids, n_components):
    """Return the entries of graphs start..stop, of each graph by column."""
    graph_ptr, depths, features = rows.graph_ptr, rows.depths, rows.features
    run_ptr, run_levels, run_counts = rows.run_ptr, rows.run_levels, rows.run_counts
    set_ptr, slopes, shifts = grids.set_ptr, grids.slopes, grids.shifts
    roots, seed = grids.roots, grids.seed
    longest, n_gaps, n_sets, widest = 0, n_levels - 1, np.uint64(len(roots)), 0
    for graph in range(start, stop):
        longest = max(longest, graph_ptr[graph + 1] - graph_ptr[graph])
    for chosen in range(len(roots)):
        widest = max(widest, set_ptr[chosen + 1] - set_ptr[chosen] + 1)
    found, other = np.empty(longest * widest, np.int64), np.empty(longest * widest, np.int64)
    masses, other_masses = np.empty(longest * widest), np.empty(longest * widest)
    size = 4 * (graph_ptr[stop] - graph_ptr[start]) + longest * widest
    columns, values = np.empty(size, np.int32), np.empty(size)
    n_entries, used = np.zeros(stop - start, np.int64), 0
    sums, salts, counts = np.empty(n_gaps), np.empty(n_gaps, np.uint64), np.empty(257, np.int64)
    for level in range(n_gaps):
        salts[level] = mix(seed ^ np.uint64(level + 1)) | np.uint64(1)
    for graph in range(start, stop):
        n = 0
        for row in range(graph_ptr[graph], graph_ptr[graph + 1]):
            run, mass, count = run_ptr[row], 0, 0
            for level in range(n_gaps):
                if run < run_ptr[row + 1] and run_levels[run] == level:
                    count = run_counts[run]
                    run += 1
                mass += count
                sums[level] = mass
            if run < run_ptr[row + 1]:
                count = run_counts[run]
            mass += count
            for level in range(n_gaps):
                sums[level] /= mass
            key = mix(mix(features[row] ^ seed) + np.uint64(depths[row]))
            chosen = ((key >> np.uint64(32)) * n_sets) >> np.uint64(32)
            if roots[chosen] > 0.0:
                bits = mix(key)
                found[n] = ((bits >> np.uint64(32)) * np.uint64(n_components)) >> np.uint64(32)
                masses[n] = mass * roots[chosen] if bits & np.uint64(1) else -mass * roots[chosen]
                n += 1
            for grid in range(set_ptr[chosen], set_ptr[chosen + 1]):
                bits = key + np.uint64(grid + 1) * GOLDEN
                for level in range(n_gaps):
                    place = np.int64(slopes[grid, level] * sums[level] + shifts[grid, level])
                    bits += np.uint64(place) * salts[level]
                bits = mix(bits)
                found[n] = ((bits >> np.uint64(32)) * np.uint64(n_components)) >> np.uint64(32)
                masses[n] = mass if bits & np.uint64(1) else -mass
                n += 1
        shift = 0
        while n_components > 1 << shift:
            _sort_by_digit(found, masses, n, shift, counts, other, other_masses)
            found, other, masses, other_masses = other, found, other_masses, masses
            shift += 8
        if used + n > len(values):
            columns, values = longer(columns, values, used, 2 * (used + n))
        before, at = used, 0
        while at < n:
            column, total = found[at], 0.0
            while at < n and found[at] == column:
                total += masses[at]
                at += 1
            if total != 0.0:
                columns[used], values[used] = column, total
                used += 1
        n_entries[graph - start] = used - before
    return n_entries, columns[:used], values[:used]


@njit(cache=True, nogil=True)
def _sort_by_digit(keys, values, n, shift, counts, out_keys, out_values):
    """Sort by eight bits of the keys; what agrees in them stays in order."""
    for i in range(257):
        counts[i] = 0
    for i in range(n):
        counts[((keys[i] >> shift) & 255) + 1] += 1
    for i in range(256):
        counts[i + 1] += counts[i]
    for i in range(n):
        digit = (keys[i] >> shift) & 255
        out_keys[counts[digit]], out_values[counts[digit]] = keys[i], values[i]
        counts[digit] += 1
