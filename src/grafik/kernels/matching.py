"""Two sides of a Gram matrix: the features they share, and how far apart their histograms are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import loop, njit
from ..arrays.hashing import GOLDEN
from ..arrays.offsets import offsets, part_of
from ..features.histograms import Histograms
from ..system.threads import run_blocks
from .postings import Postings, postings_of, shared_postings_of
from .wasserstein import (
    DENSE,
    FEW,
    Profiles,
    accumulate,
    axis_of,
    distance,
    lines_of,
    profiles_of,
)

# Tables of distances may take this many numbers in all (256 MB).
_MAX_TABLES = 1 << 25
# Features may share a table if it has at least this many numbers.
_WORTH_SHARING = 256
# Where there are many levels, tables are filled this many columns at a time.
_COLUMNS = 128


class Side(NamedTuple):
    """One side of a Gram matrix: what its graphs have of the features that both sides have.

    Attributes
    ----------
    starts, stops : ndarray of int64, shape (n_shared,)
        Entries ``starts[f]:stops[f]`` of `graphs`, `classes` and `masses` have feature `f`.
    graphs : ndarray of int32
        Increasing within a feature.
    classes : ndarray of int32
        Which of the distinct histograms of its feature an entry has.
    masses : ndarray of float64
    class_ptr : ndarray of int64, shape (n_shared + 1,)
        Histograms ``class_ptr[f]:class_ptr[f + 1]`` belong to feature `f`.
    profiles : Profiles
        The histograms.
    origin : ndarray of int64, shape (n_classes,)
        Their positions among all histograms of the postings.
    """

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    graphs: NDArray[np.int32]
    classes: NDArray[np.int32]
    masses: NDArray[np.float64]
    class_ptr: NDArray[np.int64]
    profiles: Profiles
    origin: NDArray[np.int64]


class Pairs(NamedTuple):
    """Both sides, and the distances between the distinct histograms of each shared feature.

    Attributes
    ----------
    x, y : Side
    half : bool
        Whether both sides are the same.
    table_ptr : ndarray of int64
        Where the table of a feature starts in `distances`; -1 where it has none because that would
        take too much memory.
    distances : ndarray of float64
        One table after the other, with a line for each histogram of `x`.
    axis : ndarray
        See :func:`grafik.kernels.wasserstein.axis_of`.
    """

    x: Side
    y: Side
    half: bool
    table_ptr: NDArray[np.int64]
    distances: NDArray[np.float64]
    axis: NDArray[np.float64]


def refuse_other_levels(alphas: NDArray[np.float64], *sides: Histograms) -> None:
    """Refuse histograms over more or fewer levels than there are thresholds."""
    for side in sides:
        if side.n_levels != len(alphas):
            raise ValueError(
                f"the kernel has {len(alphas)} levels, but these histograms have {side.n_levels}; "
                "count features with the counter of this kernel: kernel.counter().count(graphs)"
            )


def matched(
    x: Histograms,
    y: Histograms,
    alphas: NDArray[np.float64],
    n_jobs: int | None,
    depths: tuple[int, int] | None = None,
    postings: tuple[Postings, Postings] | None = None,
) -> Pairs:
    """Match the features of both sides and tabulate the distances of their histograms.

    Parameters
    ----------
    x, y : Histograms
        Of the graphs of the rows and of the columns.
    alphas : ndarray of shape (n_levels,)
        Thresholds, mapped to the interval from 1 to 0.
    n_jobs : int or None
    depths : (int, int), optional
        Only features of depth at least the first and below the second.
    postings : (Postings, Postings), optional
        Those of both sides, if the caller refers to them.
    """
    refuse_other_levels(alphas, x, y)
    if postings is None:
        mine = shared_postings_of(x, n_jobs) if x is y else postings_of(x, n_jobs)
        theirs = mine if x is y else postings_of(y, n_jobs)
    else:
        mine, theirs = postings
    shared, partners = _shared(mine, theirs, depths)
    rows = _side(x, mine, shared, n_jobs)
    columns = rows if x is y else _side(y, theirs, partners, n_jobs)
    sizes = np.diff(rows.class_ptr) * np.diff(columns.class_ptr)
    original = _alike(sizes, mine.shapes[shared], theirs.shapes[partners])
    own = original == np.arange(len(shared))
    n_pairs = (rows.stops - rows.starts) * (columns.stops - columns.starts)
    worth = _worth(sizes * own, np.bincount(original, n_pairs, len(shared)))
    ends = offsets(sizes * (worth & own))
    table_ptr = np.where(worth, ends[:-1], -1)[original]
    pairs = Pairs(rows, columns, x is y, table_ptr, np.empty(int(ends[-1])), axis_of(alphas))

    # Tables that others share are filled once.
    to_fill = np.where(own, table_ptr, -1)
    n_gaps = len(alphas) - 1
    if len(alphas) <= FEW:
        few = _Few(rows.class_ptr, rows.profiles.lines, columns.class_ptr, columns.profiles.lines)
    elif len(alphas) <= DENSE:
        ordered = _Many.of(rows, n_gaps)
        many = ordered, ordered if x is y else _Many.of(columns, n_gaps)

    def tabulate(start: int, stop: int) -> None:
        if len(alphas) <= FEW:
            _tabulate_few(start, stop, few, x is y, pairs.axis, to_fill, pairs.distances)
        elif len(alphas) <= DENSE:
            block = _Block.of(pairs.axis[:n_gaps, 3])
            _tabulate_levels(start, stop, *many, x is y, block, to_fill, pairs.distances)
        else:
            _tabulate(start, stop, pairs, to_fill)

    run_blocks(tabulate, ends, n_jobs, ns_per_unit=3.0 * min(len(alphas), 30))
    return pairs


def _alike(
    sizes: NDArray[np.int64], x: NDArray[np.uint64], y: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Return for each feature the first one with the same table, if that is worth looking for.

    A label that never changes below some depth has the same histograms at all depths from there.
    """
    original = np.arange(len(sizes))
    large = np.flatnonzero(sizes >= _WORTH_SHARING)
    if len(large):
        keys = x[large] * GOLDEN + y[large]
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        original[large] = large[first][which]
    return original


def _worth(sizes: NDArray[np.int64], n_pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which features get a table: those with most pairs for their size, while they fit."""
    worth = sizes <= _MAX_TABLES
    if sizes.sum() <= _MAX_TABLES:
        return worth
    order = np.argsort(-(n_pairs / np.maximum(sizes, 1)), kind="stable")
    worth[order] &= np.cumsum((sizes * worth)[order]) <= _MAX_TABLES
    return worth


def _shared(
    x: Postings, y: Postings, depths: tuple[int, int] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of the shared features in `x` and in `y`, in order."""
    if x is y:
        # Those of a single graph touch only the diagonal.
        shared = partners = np.flatnonzero(np.diff(x.row_ptr) > 1)
    else:
        features, both = (
            np.concatenate([getattr(x, name), getattr(y, name)]) for name in ("features", "depths")
        )
        order = np.lexsort((features, both))
        ahead, behind = order[1:], order[:-1]
        twice = (features[ahead] == features[behind]) & (both[ahead] == both[behind])
        shared, partners = behind[twice], ahead[twice] - len(x.features)
    if depths is None:
        return shared, partners
    between = (x.depths[shared] >= depths[0]) & (x.depths[shared] < depths[1])
    return shared[between], partners[between]


def _side(
    histograms: Histograms, postings: Postings, chosen: NDArray[np.int64], n_jobs: int | None
) -> Side:
    """Pick out some features, with their distinct histograms."""
    n_classes = np.diff(postings.class_ptr)[chosen]
    class_ptr = offsets(n_classes)
    shift = np.repeat(postings.class_ptr[chosen] - class_ptr[:-1], n_classes)
    kept = shift + np.arange(len(shift))
    profiles = profiles_of(postings.example[kept], histograms.runs, n_jobs)
    return Side(
        postings.row_ptr[chosen],
        postings.row_ptr[chosen + 1],
        postings.graphs,
        postings.classes,
        postings.masses,
        class_ptr,
        profiles,
        kept,
    )


class _Few(NamedTuple):
    """Histograms of few levels: where those of each feature start, and their lines."""

    x_ptr: NDArray[np.int64]
    x: NDArray[np.float64]
    y_ptr: NDArray[np.int64]
    y: NDArray[np.float64]


@loop
def _tabulate_few(start, stop, few, half, gaps, to_fill, distances):
    """Fill the tables of features start..stop, which are symmetric if both sides are the same."""
    x, y, n_gaps = few.x, few.y, len(gaps)
    for feature in range(start, stop):
        at, n = to_fill[feature], few.y_ptr[feature + 1] - few.y_ptr[feature]
        if at < 0:
            continue
        for a in range(few.x_ptr[feature + 1] - few.x_ptr[feature]):
            mine, theirs = (few.x_ptr[feature] + a) * n_gaps, few.y_ptr[feature] * n_gaps
            for b in range(a + 1 if half else n):
                apart = 0.0
                for level in range(n_gaps):
                    apart += gaps[level] * abs(x[mine + level] - y[theirs + level])
                theirs += n_gaps
                distances[at + a * n + b] = apart
                if half:
                    distances[at + b * n + a] = apart


@njit(cache=True, nogil=True)
def _tabulate(start, stop, pairs, to_fill):
    """Do the same for very many levels."""
    half, distances, axis = pairs.half, pairs.distances, pairs.axis
    first_x, first_y = pairs.x.class_ptr, pairs.y.class_ptr
    x_lines, x_ptr = pairs.x.profiles.lines, pairs.x.profiles.ptr
    y_lines, y_ptr = pairs.y.profiles.lines, pairs.y.profiles.ptr
    for feature in range(start, stop):
        table = to_fill[feature]
        if table < 0:
            continue
        n = first_y[feature + 1] - first_y[feature]
        for a in range(first_x[feature + 1] - first_x[feature]):
            mine = lines_of(x_ptr, first_x[feature] + a)
            for b in range(a if half else n):
                theirs = lines_of(y_ptr, first_y[feature] + b)
                apart = distance(x_lines, mine, y_lines, theirs, axis)
                distances[table + a * n + b] = apart
                if half:
                    distances[table + b * n + a] = apart
            if half:
                distances[table + a * n + a] = 0.0


class _Many(NamedTuple):
    """Histograms of many levels: those of each feature by when they begin.

    Attributes
    ----------
    class_ptr, profiles
        As in :class:`Side`.
    order : ndarray of int64, shape (n_classes,)
        Entries ``class_ptr[f]:class_ptr[f + 1]`` are the histograms of feature `f`, earliest first.
    begins, ends : ndarray of int64, shape (n_classes,)
        From which level on a histogram has any mass, and from which on it has had all.
    """

    class_ptr: NDArray[np.int64]
    profiles: Profiles
    order: NDArray[np.int64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, side: Side, n_gaps: int) -> _Many:
        """Put the histograms of a side in order."""
        ptr, lines = side.profiles
        begins = lines[ptr[:-1], 0].astype(np.int64)
        level, _, part = lines[ptr[1:] - 1].T
        ends = np.where(part == 0.0, level, n_gaps).astype(np.int64)
        order = np.lexsort((begins, part_of(side.class_ptr)))
        return cls(side.class_ptr, side.profiles, order, begins, ends)


class _Block(NamedTuple):
    """Gaps between levels, cumulative histograms of a row and of some columns, their distances."""

    gaps: NDArray[np.float64]
    mine: NDArray[np.float64]
    theirs: NDArray[np.float64]
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, gaps: NDArray[np.float64]) -> _Block:
        """Make room for these levels, and a few behind the last one that have no gap."""
        padded = np.zeros(-(-len(gaps) // 4) * 4)
        padded[: len(gaps)] = gaps
        theirs = np.zeros((len(padded), _COLUMNS))
        return cls(padded, np.zeros(len(padded)), theirs, np.empty(_COLUMNS))


@loop
def _tabulate_levels(start, stop, x, y, half, block, to_fill, distances):
    """Do the same for many levels: one histogram against a block of others, level after level.

    Levels at which none of them has any mass, or all have had all of theirs, add nothing. Those
    that begin at about the same time are compared with a row together, so there are more of these.
    """
    gaps, mine, theirs, sums = block.gaps, block.mine, block.theirs, block.sums
    for feature in range(start, stop):
        at, first_x, first_y = to_fill[feature], x.class_ptr[feature], y.class_ptr[feature]
        n_x, n = x.class_ptr[feature + 1] - first_x, y.class_ptr[feature + 1] - first_y
        if at < 0:
            continue
        if half and n == 1:
            distances[at] = 0.0
            continue
        # The levels that any row or column needs, four of which are added at a time.
        start_y, last = y.begins[y.order[first_y]], 0
        for a in range(first_x, first_x + n_x):
            last = max(last, x.ends[a])
        for b in range(first_y, first_y + n):
            last = max(last, y.ends[b])
        low0, last = min(x.begins[x.order[first_x]], start_y) // 4 * 4, (last + 3) // 4 * 4
        for b0 in range(0, n, _COLUMNS):
            width = min(_COLUMNS, n - b0)
            begin, end = y.begins[y.order[first_y + b0]], 0
            for b in range(width):
                number = y.order[first_y + b0 + b]
                accumulate(y.profiles, number, low0, last, mine)
                end = max(end, y.ends[number])
                for level in range(low0, last):
                    theirs[level, b] = mine[level]
            for a in range(b0 if half else 0, n_x):
                number = x.order[first_x + a]
                low, high = min(begin, x.begins[number]) // 4 * 4, max(end, x.ends[number])
                accumulate(x.profiles, number, low, (high + 3) // 4 * 4, mine)
                # Of half a table, those up to `a`, and a few more so that vectors are whole.
                n_sums = min(width, (a - b0) // 16 * 16 + 16) if half else width
                for b in range(n_sums):
                    sums[b] = 0.0
                for i in range(low, high, 4):
                    p, q, r, s = mine[i], mine[i + 1], mine[i + 2], mine[i + 3]
                    t, u, v, w = gaps[i], gaps[i + 1], gaps[i + 2], gaps[i + 3]
                    for b in range(n_sums):
                        total = sums[b] + t * abs(p - theirs[i, b])
                        total += u * abs(q - theirs[i + 1, b])
                        total += v * abs(r - theirs[i + 2, b])
                        sums[b] = total + w * abs(s - theirs[i + 3, b])
                row = number - first_x
                for b in range(n_sums):
                    column = y.order[first_y + b0 + b] - first_y
                    distances[at + row * n + column] = sums[b]
                    if half:
                        distances[at + column * n + row] = sums[b]
