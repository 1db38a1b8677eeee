"""Gram matrices tile by tile: some columns at a time, one block of rows after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import loop, njit
from ..system.memory import cache_size
from ..system.threads import Flag, n_threads, run_all
from .base_kernel import LIGHT, exponential
from .matching import Pairs, Side
from .wasserstein import Profiles, distance, lines_of

# A tile has at most this many columns; their number is a multiple of 64, as loops over what is left
# behind whole vectors are slow.
_TILE, _MULTIPLE = 512, 64
# The lines that a tile keeps may take this many numbers (3.5 MB), and the sums of a block of rows
# half of the second-level cache, in which they stay.
_MAX_KEPT = 7 << 16
_MAX_SUMS = cache_size() // 2 // 8
# A feature is kept as lines if at least 1 column in 8 has it.
_RARE = 8
# The product of a light mass with one below this bound is exact, too.
_HEAVY = 2.0**53 / LIGHT
# Rows of sums lie this many numbers further apart than they need to: what is a power of 2 apart
# falls into the same part of the cache.
_APART = 8
# In place of a line: the histogram was not met in this tile, was met once, or gets no line.
_NEW, _MET, _NEVER = -1, -2, -3


class Tile(NamedTuple):
    """Some columns, and what they have of the shared features.

    Attributes
    ----------
    first, last : int
        The columns.
    features : ndarray of int32
        Those that occur in these columns, increasing.
    starts, stops : ndarray of int64
        Entries ``starts[i]:stops[i]`` of `y` have feature ``features[i]`` and lie in these columns.
    rows : ndarray of int64
        The first entry of `x` with this feature: if both sides are the same, the first one in a row
        that is not above the first column. Loops move it on, from one block of rows to the next.
    """

    first: int
    last: int
    features: NDArray[np.int32]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    rows: NDArray[np.int64]


class Running(NamedTuple):
    """Sums that go on from one step to the next.

    Attributes
    ----------
    matrix : ndarray of float64
        Empty if there is one step only.
    resume, keep : bool
        Whether this step starts from the matrix, and whether it writes to it.
    """

    matrix: NDArray[np.float64]
    resume: bool
    keep: bool


ONE_STEP = Running(np.empty((0, 0)), False, False)


class Entries(NamedTuple):
    """What the graphs of one side have of the shared features: the arrays of a `Side`."""

    graphs: NDArray[np.int32]
    classes: NDArray[np.int32]
    masses: NDArray[np.float64]
    stops: NDArray[np.int64]
    class_ptr: NDArray[np.int64]

    @classmethod
    def of(cls, side: Side) -> Entries:
        """Take what adding up needs, as every array more takes longer to compile."""
        return cls(side.graphs, side.classes, side.masses, side.stops, side.class_ptr)


class Tables(NamedTuple):
    """Base kernels of the distinct histograms of each feature, and where its table starts."""

    ptr: NDArray[np.int64]
    base: NDArray[np.float64]


class Far(NamedTuple):
    """What base kernels are made of where a feature has no table."""

    x: Profiles
    y: Profiles
    axis: NDArray[np.float64]
    rate: float

    @classmethod
    def of(cls, pairs: Pairs, rate: float) -> Far | None:
        """Return None if all features have tables: then what is not used is not compiled."""
        if (pairs.table_ptr >= 0).all():
            return None
        return cls(pairs.x.profiles, pairs.y.profiles, pairs.axis, rate)


class Scratch(NamedTuple):
    """What adding up a tile takes.

    Attributes
    ----------
    smaller : bool
        Whether of two masses the smaller one counts, and not their product.
    lines : ndarray of float64, shape (n_lines, n_columns)
        For each histogram that is met again, base kernel times mass in every column; where the
        smaller mass counts, base kernels alone, and masses in lines of their own.
    used : ndarray of int64, shape (1,)
        How many of the lines are in use.
    kept : ndarray of int32, shape (n_classes,)
        The line of each histogram, or what stands in place of it.
    heights : ndarray of int32, shape (n_features,)
        Where the smaller mass counts: the line of masses of each feature of the tile, or what
        stands in place of it.
    sums : ndarray of float64, shape (n_rows, n_columns or more)
        Of the rows that are added up at a time.
    waiting : ndarray of int32, shape (n_rows, 9)
        How many lines wait at each row; which, at most four; and their lines of masses.
    factors : ndarray of float64, shape (n_rows, 4)
        The masses of the row that belong to the lines that wait.
    """

    smaller: bool
    lines: NDArray[np.float64]
    used: NDArray[np.int64]
    kept: NDArray[np.int32]
    heights: NDArray[np.int32]
    sums: NDArray[np.float64]
    waiting: NDArray[np.int32]
    factors: NDArray[np.float64]

    @classmethod
    def of(
        cls, tile: Tile, pairs: Pairs, smaller: bool, n_rows: int, memory: NDArray[np.float64]
    ) -> Scratch:
        """Make room for a tile of a matrix with some number of rows; lines lie in `memory`."""
        width = tile.last - tile.first
        size = max(min(_MAX_SUMS // width, n_rows), 8)
        return cls(
            smaller,
            memory[: len(memory) // width * width].reshape(-1, width),
            np.zeros(1, np.int64),
            np.full(len(pairs.x.origin), _NEW, np.int32),
            np.full(len(tile.features) if smaller else 0, _NEW, np.int32),
            np.empty((size, width + _APART)),
            np.zeros((size, 9), np.int32),
            np.empty((size, 4)),
        )


def memory_for_lines(tile: Tile, pairs: Pairs) -> NDArray[np.float64]:
    """Return memory for the lines of a tile, which the next ones may use again."""
    most = len(pairs.x.origin) + len(pairs.x.starts)
    return np.empty(min(_MAX_KEPT, most * (tile.last - tile.first)))


def run_tiles(
    work: Callable[[int, int], None],
    n_columns: int,
    n_jobs: int | None,
    flag: Flag | None = None,
) -> None:
    """Call ``work(first, last)`` for tiles of columns, in the order in which they are.

    If a tile takes long, its work looks at a flag, as for :func:`grafik.system.threads.run_all`.
    """
    threads = n_threads(n_jobs)
    wanted = n_columns // max(4, 2 * threads)
    width = max(min(-(-wanted // _MULTIPLE) * _MULTIPLE, _TILE), _MULTIPLE)
    tiles = [(start, min(start + width, n_columns)) for start in range(0, n_columns, width)]
    run_all(work, tiles, threads, flag)


def tile_of(first: int, last: int, pairs: Pairs) -> Tile:
    """Find the entries of columns first..last, and of the rows that they meet."""
    y, n = pairs.y, len(pairs.y.starts)
    features, starts, stops = np.empty(n, np.int32), np.empty(n, np.int64), np.empty(n, np.int64)
    n = _find(first, last, y.starts, y.stops, y.graphs, features, starts, stops)
    rows = starts[:n].copy() if pairs.half else pairs.x.starts[features[:n]]
    return Tile(first, last, features[:n], starts[:n], stops[:n], rows)


@loop
def _find(first, last, all_starts, all_stops, graphs, features, starts, stops):
    """Find the entries of columns first..last; return how many features have some."""
    n = 0
    for feature in range(len(all_starts)):
        low, high, end = all_starts[feature], all_stops[feature], all_stops[feature]
        if graphs[low] >= last or graphs[high - 1] < first:
            continue
        while low < high:
            middle = (low + high) >> 1
            if graphs[middle] < first:
                low = middle + 1
            else:
                high = middle
        while high < end and graphs[high] < last:
            high += 1
        if low < high:
            features[n], starts[n], stops[n] = feature, low, high
            n += 1
    return n


def add_tile(
    tile: Tile,
    pairs: Pairs,
    tables: Tables,
    far: Far | None,
    scratch: Scratch,
    running: Running,
    out: NDArray[np.float64],
) -> None:
    """Add all features to the columns of a tile, one block of rows after the other.

    If both sides are the same, only rows from the first column on are computed, and written to both
    halves.
    """
    x, y = Entries.of(pairs.x), Entries.of(pairs.y)
    first, last, size = tile.first, tile.last, len(scratch.sums)
    for start in range(first if pairs.half else 0, len(out), size):
        stop = min(start + size, len(out))
        sums = scratch.sums[: stop - start, : last - first]
        sums[:] = running.matrix[start:stop, first:last] if running.resume else 0.0
        _add_block(start, stop, tile, x, y, tables, scratch, far)
        out[start:stop, first:last] = sums
        if running.keep:
            running.matrix[start:stop, first:last] = sums
        if pairs.half:
            out[first:last, start:stop] = sums.T


@loop
def _add_block(row0, row1, tile, x, y, tables, scratch, far):
    """Add all features to rows row0..row1 of a tile, each entry in the order of its features.

    One feature after the other is taken, while the sums stay in the cache. Features that many
    columns have are kept as lines. These wait at their rows, because four of them are added at a
    time, by plain vector operations; but only until a feature comes that is added to no more than
    the columns that have it. Both ways add the same numbers in the same order: products with a
    light mass are exact, as long as the other one is not heavy; where the smaller mass counts, it
    is light if that of the row is.

    Parameters
    ----------
    row0, row1 : int
    tile : Tile
    x, y : Entries
        Of the rows and of the columns.
    tables : Tables
    scratch : Scratch
    far : Far or None
    """
    rows, own_classes, own_masses = x.graphs, x.classes, x.masses
    columns, classes, masses = y.graphs, y.classes, y.masses
    features, starts, stops, places = tile.features, tile.starts, tile.stops, tile.rows
    lines, kept, heights, smaller = scratch.lines, scratch.kept, scratch.heights, scratch.smaller
    sums, waiting, factors = scratch.sums, scratch.waiting, scratch.factors
    base, first, width = tables.base, tile.first, tile.last - tile.first
    used, most = scratch.used, LIGHT if smaller else _HEAVY
    for i in range(len(features)):
        feature, at = features[i], places[i]
        end, table, first_x = x.stops[feature], tables.ptr[feature], x.class_ptr[feature]
        start, stop, first_y = starts[i], stops[i], y.class_ptr[feature]
        n_y = y.class_ptr[feature + 1] - first_y
        in_many = _RARE * (stop - start) >= width and table >= 0
        while at < end and rows[at] < row1:
            row, own, mass = rows[at] - row0, own_classes[at], own_masses[at]
            at += 1
            place, line = table + own * n_y, _NEVER
            if in_many and mass < most:
                line = kept[first_x + own]
                if line == _NEW:
                    kept[first_x + own] = _MET
                elif line == _MET:
                    # Where the smaller mass counts, masses have a line of their own, before the
                    # first one of the feature.
                    line, heaviest = used[0] + (smaller and heights[i] < 0), 0.0
                    for number in range(used[0], min(line + 1, len(lines))):
                        for column in range(width):
                            lines[number, column] = 0.0
                    for j in range(start, stop if line < len(lines) else start):
                        column, value = columns[j] - first, base[place + classes[j]]
                        if line > used[0]:
                            lines[used[0], column] = masses[j]
                        if not smaller:
                            heaviest, value = max(heaviest, masses[j]), value * masses[j]
                        lines[line, column] = value
                    if line >= len(lines) or heaviest >= LIGHT:
                        line = _NEVER
                    else:
                        if line > used[0]:
                            heights[i] = used[0]
                        used[0] = line + 1
                    kept[first_x + own] = line
            n = waiting[row, 0]
            if line >= 0:
                factors[row, n] = mass
                n += 1
                waiting[row, 0], waiting[row, n] = n, line
                if smaller:
                    waiting[row, 4 + n] = heights[i]
            if n == 4:
                a, b, c, d = waiting[row, 1], waiting[row, 2], waiting[row, 3], waiting[row, 4]
                p, q, r, s = factors[row, 0], factors[row, 1], factors[row, 2], factors[row, 3]
                if smaller:
                    e, f = waiting[row, 5], waiting[row, 6]
                    g, h = waiting[row, 7], waiting[row, 8]
                    for column in range(width):
                        total = sums[row, column] + min(p, lines[e, column]) * lines[a, column]
                        total += min(q, lines[f, column]) * lines[b, column]
                        total += min(r, lines[g, column]) * lines[c, column]
                        total += min(s, lines[h, column]) * lines[d, column]
                        sums[row, column] = total
                else:
                    for column in range(width):
                        total = sums[row, column] + p * lines[a, column]
                        total += q * lines[b, column]
                        total += r * lines[c, column]
                        sums[row, column] = total + s * lines[d, column]
                waiting[row, 0] = 0
            elif line < 0 and n > 0:
                _add_waiting(sums, row, width, lines, waiting, factors, smaller)
            if line >= 0:
                continue
            # An unsigned index does not count from the end, which saves a test.
            if n_y == 1 and table >= 0:
                similarity = base[place]
                for j in range(start, stop):
                    both = min(mass, masses[j]) if smaller else mass * masses[j]
                    sums[row, np.uint32(columns[j] - first)] += both * similarity
            elif far is None or table >= 0:
                for j in range(start, stop):
                    both = min(mass, masses[j]) if smaller else mass * masses[j]
                    term = both * base[place + classes[j]]
                    sums[row, np.uint32(columns[j] - first)] += term
            if far is not None and table < 0:
                for j in range(start, stop):
                    both = min(mass, masses[j]) if smaller else mass * masses[j]
                    mine = lines_of(far.x.ptr, first_x + own)
                    theirs = lines_of(far.y.ptr, first_y + classes[j])
                    apart = distance(far.x.lines, mine, far.y.lines, theirs, far.axis)
                    term = both * exponential(apart, far.rate)
                    sums[row, np.uint32(columns[j] - first)] += term
        places[i] = at
    for row in range(row1 - row0):
        _add_waiting(sums, row, width, lines, waiting, factors, smaller)


@njit(nogil=True, inline="always")
def _add_waiting(sums, row, width, lines, waiting, factors, smaller):
    """Add the few lines that wait at a row, one after the other."""
    for i in range(waiting[row, 0]):
        line, factor = waiting[row, 1 + i], factors[row, i]
        if smaller:
            height = waiting[row, 5 + i]
            for column in range(width):
                sums[row, column] += min(factor, lines[height, column]) * lines[line, column]
        else:
            for column in range(width):
                sums[row, column] += factor * lines[line, column]
    waiting[row, 0] = 0
