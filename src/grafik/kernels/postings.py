"""Rows of histograms ordered by feature: who has it, how much of it, and in which shape."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..arrays.hashing import GOLDEN, mix
from ..arrays.offsets import offsets
from ..arrays.sorting import sort_by_key
from ..features.histograms import Histograms
from ..system.threads import run_blocks, sort_blocks
from .lone_rows import lone_rows

# The quotients of numbers below this one are different floats if they differ. Larger masses are not
# normalised: then equal histograms may count as different ones, which costs time and nothing else.
_DISTINCT = 1 << 26
# Depths above this one are numbered anew.
_DEEP = 63
# Rows are sorted into buckets by the first bits of their feature; about so many rows share one.
_BUCKET = 32


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


class _Groups(NamedTuple):
    """Rows by feature; and from the start of each bucket on its features and classes.

    In `rows`, the line of a feature has its hash, the number of its rows and of its classes, and
    their hash; the line of a class has an example of it in the last column. `found` has the numbers
    of features and classes of each bucket.
    """

    graphs: NDArray[np.int32]
    masses: NDArray[np.float64]
    classes: NDArray[np.int32]
    rows: NDArray[np.int64]
    found: NDArray[np.int64]


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
    deep = int(histograms.depths.max(initial=0)) > _DEEP
    known, depths = np.arange(_DEEP + 1, dtype=np.int32), histograms.depths
    if deep:  # then there may be gaps between them
        known, numbers = np.unique(depths, return_inverse=True)
        depths = numbers.astype(np.int32)
    skipped = np.zeros(len(depths), np.bool_) if without is None else without
    n_rows, n_depths = int((~skipped).sum()), int(depths.max(initial=0)) + 1
    bits = min(max(n_rows // (n_depths * _BUCKET), 1).bit_length(), 16)
    buckets = _grouped(histograms, depths, skipped, n_rows, n_depths, bits, n_jobs)
    found = _joined(*buckets, bits, n_jobs)
    return found._replace(depths=known[found.depths])


def _grouped(
    histograms: Histograms,
    depths: NDArray[np.int32],
    skipped: NDArray[np.bool_],
    n_rows: int,
    n_depths: int,
    bits: int,
    n_jobs: int | None,
) -> tuple[NDArray[np.int64], _Groups]:
    """Return where each bucket starts, and what was found in it."""
    features, rows = histograms.features, np.empty((n_rows, 5), np.int64)
    graph_ptr, masses = histograms.graph_ptr, histograms.masses
    columns = graph_ptr, depths, features, masses, skipped, *histograms.runs, histograms.n_levels

    def count(start: int, stop: int, counts: NDArray[np.int64]) -> None:
        part = slice(graph_ptr[start], graph_ptr[stop])
        _count_buckets(depths[part], features[part], skipped[part], bits, counts)

    def fill(start: int, stop: int, free: NDArray[np.int64]) -> None:
        _fill_buckets(start, stop, *columns, bits, free, rows)

    bucket_ptr = sort_blocks(count, fill, n_depths << bits, graph_ptr, n_jobs, ns_per_unit=25.0)
    groups = _Groups(
        np.empty(n_rows, np.int32),
        np.empty(n_rows),
        np.empty(n_rows, np.int32),
        rows,
        np.zeros((len(bucket_ptr) - 1, 2), np.int64),
    )
    run_blocks(lambda a, b: _group(a, b, bucket_ptr, *groups), bucket_ptr, n_jobs, ns_per_unit=35.0)
    return bucket_ptr, groups


def _joined(
    bucket_ptr: NDArray[np.int64],
    groups: _Groups,
    bits: int,
    n_jobs: int | None,
) -> Postings:
    """Move the features and classes of all buckets together."""
    feature_at, class_at = offsets(groups.found[:, 0]), offsets(groups.found[:, 1])
    n_features, n_classes = int(feature_at[-1]), int(class_at[-1])
    row_ptr, class_ptr = (np.zeros(n_features + 1, np.int64) for _ in range(2))
    depths, features = np.empty(n_features, np.int32), np.empty(n_features, np.uint64)
    example, shapes = np.empty(n_classes, np.int64), np.empty(n_features, np.uint64)
    columns = depths, features, shapes, row_ptr, class_ptr, example

    def move(start: int, stop: int) -> None:
        _move(start, stop, bits, bucket_ptr, feature_at, class_at, groups.rows, *columns)

    run_blocks(move, bucket_ptr, n_jobs, ns_per_unit=4.0)
    entries = groups.graphs, groups.masses, groups.classes
    return Postings(depths, features, row_ptr, *entries, class_ptr, example, shapes)


@njit(cache=True, nogil=True)
def _move(
    first, last, bits, bucket_ptr, feature_at, class_at, rows, depths, features, shapes, row_ptr,
    class_ptr, example,
):  # fmt: skip
    """Copy the features and classes of buckets first..last to their places."""
    for bucket in range(first, last):
        row, known = bucket_ptr[bucket], class_at[bucket]
        for at in range(feature_at[bucket], feature_at[bucket + 1]):
            source = bucket_ptr[bucket] + at - feature_at[bucket]
            depths[at], features[at] = bucket >> bits, np.uint64(rows[source, 0])
            shapes[at] = np.uint64(rows[source, 3])
            row += rows[source, 1]
            known += rows[source, 2]
            row_ptr[at + 1], class_ptr[at + 1] = row, known
        for at in range(class_at[bucket], class_at[bucket + 1]):
            example[at] = rows[bucket_ptr[bucket] + at - class_at[bucket], 4]


@njit(cache=True, nogil=True)
def _count_buckets(depths, features, skipped, bits, counts):
    """Count the rows in each bucket: of a depth, and with the same first bits of the feature."""
    shift = np.uint64(64 - bits)
    for row in range(len(features)):
        bucket = (np.int64(depths[row]) << bits) + np.int64(features[row] >> shift)
        counts[bucket] += not skipped[row]


@njit(cache=True, nogil=True)
def _fill_buckets(
    start, stop, graph_ptr, depths, features, masses, skipped, run_ptr, run_levels, run_counts,
    n_levels, bits, free, out,
):  # fmt: skip
    """Put the rows of graphs start..stop into their buckets.

    Of each one, number, graph, feature, mass and a hash of its normalised histogram lie together.
    """
    shift = np.uint64(64 - bits)
    for graph in range(start, stop):
        for row in range(graph_ptr[graph], graph_ptr[graph + 1]):
            if skipped[row]:
                continue
            first, last, mass = run_ptr[row], run_ptr[row + 1], masses[row]
            n_runs = last - first
            if n_runs == 1 or (n_runs == 2 and run_counts[first + 1] == 0):
                # Equally often from birth to death: then these say it all.
                death = n_levels if n_runs == 1 else run_levels[first + 1]
                profile = np.uint64(run_levels[first]) << np.uint64(32) | np.uint64(death)
            else:
                profile = np.uint64(0)
                for run in range(first, last):
                    part = np.uint64(run_counts[run])
                    if mass < _DISTINCT:
                        part = np.uint64(run_counts[run] / mass * 2.0**63)
                    profile = mix(profile + part * np.uint64(0x9FB21C651E98DF25))
                    profile += np.uint64(run_levels[run])
            bucket = (np.int64(depths[row]) << bits) + np.int64(features[row] >> shift)
            place = free[bucket]
            free[bucket] += 1
            out[place, 0], out[place, 1], out[place, 2] = row, graph, np.int64(features[row])
            out[place, 3], out[place, 4] = mass, np.int64(profile)


@njit(cache=True, nogil=True)
def _group(first, last, bucket_ptr, graphs, masses, classes, rows, found):
    """Group the rows of buckets first..last by feature, and tell apart their histograms."""
    largest, zero = 1, np.int64(0)  # a plain 0 as argument has a type of its own
    for bucket in range(first, last):
        largest = max(largest, bucket_ptr[bucket + 1] - bucket_ptr[bucket])
    size = 4
    while size < 2 * largest:
        size *= 2
    places, keys = np.empty(size, np.int32), np.empty(largest, np.uint64)
    numbers, order = np.empty(largest, np.int32), np.empty(largest, np.int32)
    free, sources = np.empty(largest, np.int64), np.empty(largest, np.int64)
    lines, example = np.empty((largest, 4), np.int64), np.empty(largest, np.int64)
    for bucket in range(first, last):
        start, stop = bucket_ptr[bucket], bucket_ptr[bucket + 1]
        for i in range(stop - start):
            keys[i] = np.uint64(rows[start + i, 2])
        n = _numbered(keys, stop - start, places, numbers)
        for i in range(n):
            free[i] = 0
        for i in range(stop - start):
            free[numbers[i]] += 1
        shared, alone = zero, n
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
            lines[i, 0], lines[i, 1] = np.int64(keys[order[i]]), free[order[i]]
            free[order[i]] = at
            at += lines[i, 1]
        for i in range(stop - start):
            sources[free[numbers[i]]] = start + i
            free[numbers[i]] += 1
        at, n_classes = start, 0
        for i in range(n):
            end, n_found = at + lines[i, 1], 1
            for k in range(at, end):
                source = sources[k - start]
                graphs[k], masses[k] = rows[source, 1], rows[source, 3]
                keys[k - at], classes[k] = np.uint64(rows[source, 4]), 0
            if end - at > 1:
                n_found = _numbered(keys, end - at, places, numbers)
                for k in range(at, end):
                    classes[k] = numbers[k - at]
            for k in range(end - 1, at - 1, -1):
                example[n_classes + classes[k]] = rows[sources[k - start], 0]
            shape = np.uint64(n_found)
            for k in range(n_found):
                shape = mix(shape + keys[k])
            lines[i, 2], lines[i, 3] = n_found, np.int64(shape)
            at, n_classes = end, n_classes + n_found
        # The rows are not needed any more, and memory is scarce here.
        for i in range(n):
            for column in range(4):
                rows[start + i, column] = lines[i, column]
        for i in range(n_classes):
            rows[start + i, 4] = example[i]
        found[bucket, 0], found[bucket, 1] = n, n_classes


@njit(cache=True, nogil=True)
def _numbered(keys, n_keys, places, numbers):
    """Write the numbers of keys, by first occurrence; return how many different ones there are.

    `keys` becomes the list of these.
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
