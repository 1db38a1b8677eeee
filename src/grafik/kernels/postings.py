"""Rows of histograms ordered by feature: who has it, how much of it, and in which shape."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import apart, loop, njit, record
from ..arrays.hashing import GOLDEN, mix
from ..arrays.offsets import offsets, ranges
from ..arrays.sorting import sort_by_key
from ..features.histograms import Histograms, Runs
from ..system.threads import new_flag, run_blocks, sort_blocks
from .lone_rows import lone_rows

# The quotients of numbers below this one are different floats if they differ. Larger masses are not
# normalised: then equal histograms may count as different ones, which costs time and nothing else.
_DISTINCT = 1 << 26
# Depths above this one are numbered anew.
_DEEP = 63
# Rows are sorted into buckets by the first bits of their feature; about this many rows share one.
_BUCKET = 32
# As many rows are grouped before an interrupt is seen.
_UNINTERRUPTED = 10_000_000

# A row in its bucket; `profile` is a hash of its normalised histogram.
_ENTRY = record(
    [("row", "i8"), ("graph", "i8"), ("feature", "u8"), ("mass", "i8"), ("profile", "u8")]
)
# What is found in a bucket: line i has feature i, and an example of class i.
_FOUND = record(
    [("feature", "u8"), ("n_rows", "i8"), ("n_classes", "i8"), ("shape", "u8"), ("example", "i8")]
)


class Postings(NamedTuple):
    """All rows by feature, and for each feature by graph.

    Attributes
    ----------
    depths, features : ndarray, shape (n_features,)
        The features that occur, by depth. Those of a depth that several graphs have are sorted.
    row_ptr : ndarray of int64, shape (n_features + 1,)
        Entries ``row_ptr[f]:row_ptr[f + 1]`` of `graphs`, `masses` and `classes` have feature `f`.
    graphs : ndarray of int32, shape (n_rows,)
        Increasing within a feature.
    masses : ndarray of float64, shape (n_rows,)
    classes : ndarray of int32, shape (n_rows,)
        Which of the distinct normalised histograms of its feature an entry has. Two histograms are
        taken to be the same if their 64-bit hashes are.
    class_ptr : ndarray of int64, shape (n_features + 1,)
        Classes ``class_ptr[f]:class_ptr[f + 1]`` belong to feature `f`.
    example : ndarray of int64, shape (n_classes,)
        A row with the histogram of each class.
    shapes : ndarray of uint64, shape (n_features,)
        Hash of the list of the histograms of each feature.
    """

    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    row_ptr: NDArray[np.int64]
    graphs: NDArray[np.int32]
    masses: NDArray[np.float64]
    classes: NDArray[np.int32]
    class_ptr: NDArray[np.int64]
    example: NDArray[np.int64]
    shapes: NDArray[np.uint64]


class _Rows(NamedTuple):
    """Some rows of histograms, with the bucket and the feature of each; and all of them."""

    kept: NDArray[np.int64]
    buckets: NDArray[np.int64]
    features: NDArray[np.uint64]
    graph_ptr: NDArray[np.int64]
    masses: NDArray[np.int64]
    runs: Runs


class _Buckets(NamedTuple):
    """Buckets ``ptr[b]:ptr[b + 1]`` of rows, and how many features and classes are in each.

    Memory is scarce here, so what is found in a bucket takes the place of its entries.
    """

    ptr: NDArray[np.int64]
    entries: NDArray[np.void]
    found: NDArray[np.void]
    n_features: NDArray[np.int64]
    n_classes: NDArray[np.int64]


class _Ordered(NamedTuple):
    """The columns of the postings that have a line for each row."""

    graphs: NDArray[np.int32]
    masses: NDArray[np.float64]
    classes: NDArray[np.int32]


class _Room(NamedTuple):
    """What grouping the rows of one bucket takes."""

    keys: NDArray[np.uint64]
    numbers: NDArray[np.int32]
    places: NDArray[np.int32]
    order: NDArray[np.int32]
    free: NDArray[np.int64]
    sources: NDArray[np.int64]
    found: NDArray[np.void]

    @classmethod
    def of(cls, largest: int) -> _Room:
        """Make room for buckets of at most so many rows."""
        return cls(
            np.empty(largest, np.uint64),
            np.empty(largest, np.int32),
            np.empty(max(4, 2 << (largest - 1).bit_length()), np.int32),
            np.empty(largest, np.int32),
            np.empty(largest, np.int64),
            np.empty(largest, np.int64),
            np.empty(largest, _FOUND),
        )


def postings_of(histograms: Histograms, n_jobs: int | None = None) -> Postings:
    """Order the rows of histograms by feature, for looking up who shares it."""
    found = histograms._derived
    if "postings" not in found:
        found["postings"] = _postings(histograms, n_jobs)
    return cast(Postings, found["postings"])


def shared_postings_of(histograms: Histograms, n_jobs: int | None = None) -> Postings:
    """Do the same without most of the features that only one graph has, if they are many."""
    found = histograms._derived
    if "shared_postings" not in found:
        lone = lone_rows(histograms, n_jobs)
        found["shared_postings"] = (
            postings_of(histograms, n_jobs) if lone is None else _postings(histograms, n_jobs, lone)
        )
    return cast(Postings, found["shared_postings"])


def _postings(
    histograms: Histograms, n_jobs: int | None, without: NDArray[np.bool_] | None = None
) -> Postings:
    """Order rows by feature, `without` some of them.

    They are sorted into buckets first, which threads then group one by one, in the cache.
    """
    depths = histograms.depths
    deepest = int(depths.max(initial=0))
    if deepest > _DEEP:  # then there may be gaps between them
        known, positions = np.unique(depths, return_inverse=True)
        depths = positions.astype(np.int32)
    else:
        known = np.arange(deepest + 1, dtype=np.int32)
    kept = np.arange(len(depths)) if without is None else np.flatnonzero(~without)
    n_rows, n_depths = len(kept), len(known)
    bits = min(max(n_rows // (n_depths * _BUCKET), 1).bit_length(), 16)
    n_buckets, kept_ptr = n_depths << bits, histograms.graph_ptr
    if without is not None:
        kept_ptr = np.searchsorted(kept, histograms.graph_ptr)
    features = histograms.features if without is None else histograms.features[kept]
    numbers = (features >> np.uint64(64 - bits)).view(np.int64)
    numbers += (depths if without is None else depths[kept]).astype(np.int64) << bits
    columns = kept, numbers, features, histograms.graph_ptr, histograms.masses
    rows, entries = _Rows(*columns, histograms.runs), np.empty(n_rows, _ENTRY)

    def count(start: int, stop: int, counts: NDArray[np.int64]) -> None:
        counts += np.bincount(numbers[kept_ptr[start] : kept_ptr[stop]], minlength=n_buckets)

    def fill(start: int, stop: int, free: NDArray[np.int64]) -> None:
        _fill_buckets(kept_ptr[start], kept_ptr[stop], start, rows, free, entries)

    ptr = sort_blocks(count, fill, n_buckets, kept_ptr, n_jobs, ns_per_unit=25.0)
    sizes = (np.zeros(n_buckets, np.int64) for _ in range(2))
    buckets = _Buckets(ptr, entries, entries.view(_FOUND), *sizes)
    ordered = _Ordered(np.empty(n_rows, np.int32), np.empty(n_rows), np.empty(n_rows, np.int32))

    def group(start: int, stop: int) -> None:
        largest = int(np.diff(ptr[start : stop + 1]).max(initial=1))
        _group(start, stop, buckets, _Room.of(largest), ordered)

    run_blocks(group, ptr, n_jobs, ns_per_unit=35.0, max_units=_UNINTERRUPTED, flag=new_flag())
    # Features and classes of a bucket lie at its start; now they move together.
    at, of_classes = offsets(buckets.n_features), offsets(buckets.n_classes)
    which, found = ranges(ptr[:-1], at), buckets.found
    return Postings(
        np.repeat(known, np.diff(at[:: 1 << bits])),
        found["feature"][which],
        offsets(found["n_rows"][which]),
        *ordered,
        offsets(found["n_classes"][which]),
        found["example"][ranges(ptr[:-1], of_classes)],
        found["shape"][which],
    )


@loop
def _fill_buckets(start, stop, graph, rows, free, entries):
    """Put kept rows start..stop, of graphs from `graph` on, into their buckets."""
    masses, runs = rows.masses, rows.runs
    for i in range(start, stop):
        row, bucket = rows.kept[i], rows.buckets[i]
        while row >= rows.graph_ptr[graph + 1]:
            graph += 1
        entry = entries[free[bucket]]
        free[bucket] += 1
        entry.row, entry.graph, entry.mass = row, graph, masses[row]
        entry.feature, entry.profile = rows.features[i], _profile(row, masses[row], runs)


@njit(cache=True, nogil=True, inline="always")
def _profile(row, mass, runs):
    """Return a hash of the normalised histogram of a row."""
    first, last = runs.ptr[row], runs.ptr[row + 1]
    if last - first == 1 or (last - first == 2 and runs.counts[first + 1] == 0):
        # Equally often from birth to death: then these say it all.
        death = runs.n_levels if last - first == 1 else runs.levels[first + 1]
        return np.uint64(runs.levels[first]) << np.uint64(32) | np.uint64(death)
    profile = np.uint64(0)
    for run in range(first, last):
        part = np.uint64(runs.counts[run])
        if mass < _DISTINCT:
            part = np.uint64(runs.counts[run] / mass * 2.0**63)
        profile = mix(profile + part * np.uint64(0x9FB21C651E98DF25))
        profile += np.uint64(runs.levels[run])
    return profile


@loop
def _group(first, last, buckets, room, ordered):
    """Group the rows of buckets first..last by feature, and tell apart their histograms."""
    # Arrays of a named tuple are taken out of it once, because each time costs some nanoseconds.
    keys, numbers, places = room.keys, room.numbers, room.places
    sources, found = room.sources, room.found
    graphs, masses, classes = ordered.graphs, ordered.masses, ordered.classes
    ptr, entries, out = buckets.ptr, buckets.entries, buckets.found
    for bucket in range(first, last):
        start, stop = ptr[bucket], ptr[bucket + 1]
        n_features = _order_features(start, stop, entries, room)
        at, n_classes = start, 0
        for i in range(n_features):
            end = at + found[i].n_rows
            for k in range(at, end):
                source = sources[k - start]
                graphs[k], masses[k] = entries[source].graph, entries[source].mass
                keys[k - at], classes[k] = entries[source].profile, 0
            n_found = 1
            if end - at > 1:
                n_found = _numbered(keys, end - at, places, numbers)
                for k in range(at, end):
                    classes[k] = numbers[k - at]
            for k in range(end - 1, at - 1, -1):
                found[n_classes + classes[k]].example = entries[sources[k - start]].row
            shape = np.uint64(n_found)
            for k in range(n_found):
                shape = mix(shape + keys[k])
            found[i].n_classes, found[i].shape = n_found, shape
            at, n_classes = end, n_classes + n_found
        for i in range(n_classes):
            out[start + i] = found[i]
        buckets.n_features[bucket], buckets.n_classes[bucket] = n_features, n_classes


@njit(cache=True, nogil=True, inline="always")
def _order_features(start, stop, entries, room):
    """Find the features of entries start..stop, and list the entries by feature; return how many.

    Features of several rows come first, in order.
    """
    keys, numbers, order, free = room.keys, room.numbers, room.order, room.free
    sources, found = room.sources, room.found
    for i in range(stop - start):
        keys[i] = entries[start + i].feature
    n = _numbered(keys, stop - start, room.places, numbers)
    for i in range(n):
        free[i] = 0
    for i in range(stop - start):
        free[numbers[i]] += 1
    shared, alone = np.int64(0), n  # a plain 0 as argument has a type of its own
    for i in range(n):
        if free[i] > 1:
            order[shared] = i
            shared += 1
        else:
            alone -= 1
            order[alone] = i
    sort_by_key(keys, order, shared)
    at = 0
    for i in range(n):
        found[i].feature, found[i].n_rows = keys[order[i]], free[order[i]]
        free[order[i]] = at
        at += found[i].n_rows
    for i in range(stop - start):
        sources[free[numbers[i]]] = start + i
        free[numbers[i]] += 1
    return n


@apart
def _numbered(keys, n_keys, places, numbers):
    """Write the numbers of keys, by first occurrence; return how many different ones there are.

    `keys` becomes the list of these. It has a table of its own, of a quarter of the size that
    `arrays.hash_table` takes: with that one, ordering the rows of NCI1 takes 5 % longer.
    """
    size = 2
    while size < 2 * n_keys:
        size *= 2
    mask = np.uint64(size - 1)
    for place in range(size):
        places[place] = -1
    n = 0
    for i in range(n_keys):
        key = keys[i]
        place = ((key * GOLDEN) >> np.uint64(32)) & mask
        while places[place] >= 0 and keys[places[place]] != key:
            place = (place + np.uint64(1)) & mask
        if places[place] < 0:
            places[place], keys[n] = n, key
            n += 1
        numbers[i] = places[place]
    return n
