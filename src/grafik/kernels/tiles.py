"""Gram matrices tile by tile: some columns at a time, one block of rows after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit, piece
from ..system.threads import n_threads, run_all
from .base_kernel import LIGHT, exponential
from .matching import Pairs
from .wasserstein import distance, lines_of

# A tile has at most this many columns; their number is a multiple of 64, as loops over what is left
# behind whole vectors are slow.
_TILE, _MULTIPLE = 512, 64
# The lines that a tile keeps may take this many numbers (3.5 MB), and the sums of a block of rows
# this many (1 MB, which stays in the cache).
_MAX_KEPT = 7 << 16
_MAX_SUMS = 1 << 17
# A feature is kept as lines if at least 1 column in 8 has it.
_RARE = 8
# The product of a light mass with one below this bound is exact, too.
_HEAVY = 2.0**53 / LIGHT
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


class Scratch(NamedTuple):
    """What adding up a tile takes.

    Attributes
    ----------
    lines : ndarray of float64, shape (n_lines, n_columns)
        For each histogram that is met again, base kernel times mass in every column; where the
        smaller mass counts, base kernels alone, and masses in lines of their own.
    kept : ndarray of int32, shape (n_classes,)
        The line of each histogram, or what stands in place of it.
    heights : ndarray of int32, shape (n_features,), or None
        Where the smaller mass counts: the line of masses of each feature of the tile, or what
        stands in place of it. None where masses are multiplied; loops are compiled for each.
    n_rows : int
        How many rows are added up at a time.
    """

    lines: NDArray[np.float64]
    kept: NDArray[np.int32]
    heights: NDArray[np.int32] | None
    n_rows: int

    @classmethod
    def of(
        cls, tile: Tile, pairs: Pairs, smaller: bool, n_rows: int, memory: NDArray[np.float64]
    ) -> Scratch:
        """Make room for a tile of a matrix with some number of rows; lines lie in `memory`.

        `smaller` says that of two masses the smaller one counts, and not their product.
        """
        width = tile.last - tile.first
        return cls(
            memory[: len(memory) // width * width].reshape(-1, width),
            np.full(len(pairs.x.origin), _NEW, np.int32),
            np.full(len(tile.features), _NEW, np.int32) if smaller else None,
            max(min(_MAX_SUMS // width, n_rows), 8),
        )


def memory_for_lines(tile: Tile, pairs: Pairs) -> NDArray[np.float64]:
    """Return memory for the lines of a tile, which the next ones may use again."""
    most = len(pairs.x.origin) + len(pairs.x.starts)
    return np.empty(min(_MAX_KEPT, most * (tile.last - tile.first)))


def run_tiles(work: Callable[[int, int], None], n_columns: int, n_jobs: int | None) -> None:
    """Call ``work(first, last)`` for tiles of columns, in the order in which they are."""
    threads = n_threads(n_jobs)
    wanted = n_columns // max(4, 2 * threads)
    width = max(min(-(-wanted // _MULTIPLE) * _MULTIPLE, _TILE), _MULTIPLE)
    tiles = [(start, min(start + width, n_columns)) for start in range(0, n_columns, width)]
    run_all(work, tiles, threads)


@njit(cache=True, nogil=True)
def tile_of(first, last, pairs):
    """Find the entries of columns first..last, and of the rows that they meet."""
    all_starts, all_stops, graphs = pairs.y.starts, pairs.y.stops, pairs.y.graphs
    row_starts, n = pairs.x.starts, 0
    features, rows = np.empty(len(all_starts), np.int32), np.empty(len(all_starts), np.int64)
    starts, stops = np.empty(len(all_starts), np.int64), np.empty(len(all_starts), np.int64)
    for feature in range(len(all_starts)):
        low, high = all_starts[feature], all_stops[feature]
        if graphs[low] >= last or graphs[high - 1] < first:
            continue
        while low < high:
            middle = (low + high) // 2
            if graphs[middle] < first:
                low = middle + 1
            else:
                high = middle
        while high < all_stops[feature] and graphs[high] < last:
            high += 1
        if low < high:
            features[n], starts[n], stops[n] = feature, low, high
            rows[n] = low if pairs.half else row_starts[feature]
            n += 1
    return Tile(first, last, features[:n], starts[:n], stops[:n], rows[:n])


@njit(cache=True, nogil=True)
def add_tile(tile, pairs, base, rate, scratch, running, out):
    """Add all features to the columns of a tile, each entry in the order of its features.

    A block of rows takes one feature after the other, while its sums stay in the cache. Features
    that many columns have are kept as lines. These wait at their rows, because four of them are
    added at a time, by plain vector operations; but only until a feature comes that is added to no
    more than the columns that have it. Both ways add the same numbers in the same order: products
    with a light mass are exact, as long as the other one is not heavy; where the smaller mass
    counts, it is light if that of the row is. If both sides are the same, only rows from the first
    column on are computed, and written to both halves.

    Parameters
    ----------
    tile : Tile
    pairs : Pairs
    base : ndarray of float64
        Base kernels, in place of the distances of the pairs.
    rate : float
        By which distances without a table become base kernels.
    scratch : Scratch
    running : Running
    out : ndarray of float64
    """
    # Arrays are taken out of named tuples here: inside of loops, references would be counted.
    x, y, table_ptr, axis = pairs.x, pairs.y, pairs.table_ptr, pairs.axis
    rows, own_classes, own_masses = x.graphs, x.classes, x.masses
    columns, classes, masses = y.graphs, y.classes, y.masses
    stops_x, ptr_x, ptr_y = x.stops, x.class_ptr, y.class_ptr
    x_lines, x_ptr = x.profiles.lines, x.profiles.ptr
    y_lines, y_ptr = y.profiles.lines, y.profiles.ptr
    features, starts, stops, places = tile.features, tile.starts, tile.stops, tile.rows
    lines, kept, size, n_rows = scratch.lines, scratch.kept, scratch.n_rows, len(out)
    heights = scratch.heights
    first, width = tile.first, tile.last - tile.first
    sums, n_waiting = np.empty((size, width)), np.zeros(size, np.int64)
    waiting, factors = np.empty((size, 8), np.int32), np.empty((size, 4))
    n_lines = np.int64(0)  # a plain 0 as argument has a type of its own
    for row0 in range(first if pairs.half else 0, n_rows, size):
        row1 = min(row0 + size, n_rows)
        _start(row0, row1, first, running.matrix, running.resume, sums)
        for i in range(len(features)):
            feature, at = features[i], places[i]
            end, table = stops_x[feature], table_ptr[feature]
            if at == end or rows[at] >= row1:
                continue
            start, stop, first_x, first_y = starts[i], stops[i], ptr_x[feature], ptr_y[feature]
            n_y = ptr_y[feature + 1] - first_y
            in_many = _RARE * (stop - start) >= width and table >= 0
            while at < end and rows[at] < row1:
                row, own, mass = rows[at] - row0, own_classes[at], own_masses[at]
                at += 1
                place = table + own * n_y
                line = kept[first_x + own] if in_many and _is_exact(mass, heights) else _NEVER
                if line == _MET:
                    met = _Met(i, start, stop, first, place)
                    line = _fill_line(met, columns, classes, masses, base, heights, lines, n_lines)
                    n_lines = max(n_lines, line + 1)
                    kept[first_x + own] = line
                elif line == _NEW:
                    kept[first_x + own] = _MET
                n = n_waiting[row]
                if line >= 0:
                    waiting[row, n], factors[row, n] = line, mass
                    _let_height_wait(waiting, row, n, heights, i)
                    n_waiting[row] = (n + 1) % 4
                    if n == 3:
                        _add_four(sums, row, lines, waiting, factors, heights)
                    continue
                if n > 0:
                    _add_waiting(sums, row, lines, waiting, factors, n, heights)
                    n_waiting[row] = 0
                # An unsigned index does not count from the end, which saves a test.
                if table >= 0 and n_y == 1:
                    similarity = base[place]
                    for j in range(start, stop):
                        term = _term(mass, masses[j], similarity, heights)
                        sums[row, np.uint32(columns[j] - first)] += term
                elif table >= 0:
                    for j in range(start, stop):
                        term = _term(mass, masses[j], base[place + classes[j]], heights)
                        sums[row, np.uint32(columns[j] - first)] += term
                else:
                    for j in range(start, stop):
                        mine = lines_of(x_ptr, first_x + own)
                        theirs = lines_of(y_ptr, first_y + classes[j])
                        apart = distance(x_lines, mine, y_lines, theirs, axis)
                        term = _term(mass, masses[j], exponential(apart, rate), heights)
                        sums[row, np.uint32(columns[j] - first)] += term
            places[i] = at
        for row in range(row1 - row0):
            _add_waiting(sums, row, lines, waiting, factors, n_waiting[row], heights)
            n_waiting[row] = 0
        _write(row0, row1, first, sums, out)
        if running.keep:
            _write(row0, row1, first, sums, running.matrix)
        if pairs.half:
            _mirror(row0, row1, first, sums, out)


class _Met(NamedTuple):
    """Where a feature is met.

    Attributes
    ----------
    at : int
        Its position among the features of the tile.
    start, stop : int
        The entries of `y` that have it.
    first : int
        The first column of the tile.
    place : int
        Where the line of the table starts that belongs to the histogram of the row.
    """

    at: int
    start: int
    stop: int
    first: int
    place: int


@piece
def _term(mass, other, similarity, heights):
    """Return what a feature adds to an entry."""
    if heights is None:
        return mass * other * similarity
    return min(mass, other) * similarity


@piece
def _is_exact(mass, heights):
    """Whether what a row with this mass adds is exact, as far as the columns allow."""
    if heights is None:
        return mass < _HEAVY
    return mass < LIGHT


@piece
def _fill_line(met, columns, classes, masses, base, heights, lines, line):
    """Multiply a line of a table by the masses in the columns; return its number if it has one.

    Where the smaller mass counts, the masses get a line of their own, once for each feature.
    """
    if heights is not None:
        if line + (heights[met.at] < 0) >= len(lines):
            return _NEVER
        if heights[met.at] < 0:
            _clear(lines, line)
            for j in range(met.start, met.stop):
                lines[line, columns[j] - met.first] = masses[j]
            heights[met.at] = line
            line += 1
        _clear(lines, line)
        for j in range(met.start, met.stop):
            lines[line, columns[j] - met.first] = base[met.place + classes[j]]
        return line
    for j in range(met.start, met.stop):
        if masses[j] >= LIGHT:
            return _NEVER
    if line == len(lines):
        return _NEVER
    _clear(lines, line)
    for j in range(met.start, met.stop):
        lines[line, columns[j] - met.first] = masses[j] * base[met.place + classes[j]]
    return line


@piece
def _clear(lines, line):
    for column in range(lines.shape[1]):
        lines[line, column] = 0.0


@piece
def _let_height_wait(waiting, row, n, heights, i):
    """Remember the line of masses of a feature, if there is one."""
    if heights is not None:
        waiting[row, 4 + n] = heights[i]


@piece
def _add_four(sums, row, lines, waiting, factors, heights):
    """Add the four lines that wait at a row, one after the other, to every entry."""
    a, b, c, d = waiting[row, 0], waiting[row, 1], waiting[row, 2], waiting[row, 3]
    p, q, r, s = factors[row, 0], factors[row, 1], factors[row, 2], factors[row, 3]
    if heights is not None:
        e, f, g, h = waiting[row, 4], waiting[row, 5], waiting[row, 6], waiting[row, 7]
        for column in range(sums.shape[1]):
            total = sums[row, column] + min(p, lines[e, column]) * lines[a, column]
            total += min(q, lines[f, column]) * lines[b, column]
            total += min(r, lines[g, column]) * lines[c, column]
            sums[row, column] = total + min(s, lines[h, column]) * lines[d, column]
        return
    for column in range(sums.shape[1]):
        total = sums[row, column] + p * lines[a, column]
        total += q * lines[b, column]
        total += r * lines[c, column]
        sums[row, column] = total + s * lines[d, column]


@piece
def _add_waiting(sums, row, lines, waiting, factors, n, heights):
    """Add the few lines that wait at a row."""
    for i in range(n):
        line, factor = waiting[row, i], factors[row, i]
        if heights is not None:
            height = waiting[row, 4 + i]
            for column in range(sums.shape[1]):
                sums[row, column] += min(factor, lines[height, column]) * lines[line, column]
            continue
        for column in range(sums.shape[1]):
            sums[row, column] += factor * lines[line, column]


@piece
def _start(row0, row1, first, matrix, resume, sums):
    """Let the sums of rows row0..row1 begin."""
    for row in range(row1 - row0):
        for column in range(sums.shape[1]):
            sums[row, column] = 0.0
        for column in range(sums.shape[1] if resume else 0):
            sums[row, column] = matrix[row0 + row, first + column]


@piece
def _write(row0, row1, first, sums, out):
    """Write the sums of rows row0..row1 to the columns from the first one on."""
    for row in range(row1 - row0):
        for column in range(sums.shape[1]):
            out[row0 + row, first + column] = sums[row, column]


@piece
def _mirror(row0, row1, first, sums, out):
    """Write the sums of rows row0..row1 to the other half, too."""
    for some in range(row0, row1, 8):
        for column in range(sums.shape[1]):
            for row in range(some, min(some + 8, row1)):
                out[first + column, row] = sums[row - row0, column]
