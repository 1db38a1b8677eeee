"""Rows of histograms ordered by feature: who has it, how much of it, and in which shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .arrays import offsets
from .mixing import mix

if TYPE_CHECKING:
    from .histograms import Histograms


class Postings(NamedTuple):
    """All rows, ordered by depth and feature, and for each feature by graph.

    Attributes
    ----------
    depths, features : ndarray, shape (n_features,)
        The features that occur, sorted.
    row_ptr : ndarray of int64, shape (n_features + 1,)
        Entries ``row_ptr[f]:row_ptr[f + 1]`` of `graphs`, `masses` and `class_of` have feature `f`.
    graphs : ndarray of int64, shape (n_rows,)
        Increasing within a feature.
    masses : ndarray of float64, shape (n_rows,)
    feature_of : ndarray of int64, shape (n_rows,)
        The feature of each entry.
    class_of : ndarray of int64, shape (n_rows,)
        The class of each entry: which of the distinct normalised histograms of its feature it has.
    class_ptr : ndarray of int64, shape (n_features + 1,)
        Classes ``class_ptr[f]:class_ptr[f + 1]`` belong to feature `f`.
    example : ndarray of int64, shape (n_classes,)
        A row with the histogram of each class.
    graph_ptr, by_graph : ndarray of int64
        Entries ``by_graph[graph_ptr[g]:graph_ptr[g + 1]]`` belong to graph `g`, in order.
    """

    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    row_ptr: NDArray[np.int64]
    graphs: NDArray[np.int64]
    masses: NDArray[np.float64]
    feature_of: NDArray[np.int64]
    class_of: NDArray[np.int64]
    class_ptr: NDArray[np.int64]
    example: NDArray[np.int64]
    graph_ptr: NDArray[np.int64]
    by_graph: NDArray[np.int64]


def postings(histograms: Histograms) -> Postings:
    """Order the rows of histograms by feature."""
    runs = histograms.run_ptr, histograms.run_levels, histograms.run_counts
    masses, hashes = profiles(*runs, histograms.n_levels)
    numbers, first = _number_features(histograms.depths, histograms.features)
    depths, features = histograms.depths[first], histograms.features[first]
    order = np.lexsort((features, depths))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    feature_of = rank[numbers]
    row_ptr = offsets(np.bincount(feature_of, minlength=len(order)))
    rows = _sorted_by(feature_of, row_ptr)
    graphs = np.repeat(np.arange(len(histograms)), np.diff(histograms.graph_ptr))[rows]
    class_of, n_classes, example = _classes(rows, row_ptr, hashes, *runs)
    return Postings(
        depths[order],
        features[order],
        row_ptr,
        graphs,
        masses[rows].astype(np.float64),
        feature_of[rows],
        class_of,
        offsets(n_classes),
        example,
        histograms.graph_ptr,
        _sorted_by(graphs, np.array(histograms.graph_ptr)),  # writable, to compile the loop once
    )


@njit(cache=True, nogil=True)
def _number_features(depths, features):
    """Give each row the number of its feature; return also a first row for every feature."""
    size = 1024
    while size < 2 * len(features):
        size *= 2
    places = np.full(size, -1, np.int64)
    mask = np.uint64(size - 1)
    numbers, first = np.empty(len(features), np.int64), np.empty(len(features), np.int64)
    found = 0
    for row in range(len(features)):
        place = features[row] & mask
        while True:
            known = places[place]
            if known < 0:
                places[place] = row
                numbers[row], first[found] = found, row
                found += 1
                break
            if features[known] == features[row] and depths[known] == depths[row]:
                numbers[row] = numbers[known]
                break
            place = (place + np.uint64(1)) & mask
    return numbers, first[:found].copy()


@njit(cache=True, nogil=True)
def _sorted_by(keys, ptr):
    """Return positions sorted by key, where entries ``ptr[k]:ptr[k + 1]`` will have key `k`."""
    free = ptr[:-1].copy()
    order = np.empty(len(keys), np.int64)
    for at in range(len(keys)):
        order[free[keys[at]]] = at
        free[keys[at]] += 1
    return order


@njit(cache=True, nogil=True)
def _classes(rows, row_ptr, profiles, run_ptr, run_levels, run_counts):
    """Tell the distinct normalised histograms of each feature apart.

    Their hashes find candidates, in a small table for each feature; equality decides.
    """
    class_of = np.empty(len(rows), np.int64)
    n_classes = np.zeros(len(row_ptr) - 1, np.int64)
    example = np.empty(len(rows), np.int64)
    places = np.full(16, -1, np.int64)
    classes = 0
    for feature in range(len(n_classes)):
        start, stop = row_ptr[feature], row_ptr[feature + 1]
        size = 2
        while size < 2 * (stop - start):
            size *= 2
        if size > len(places):
            places = np.full(size, -1, np.int64)
        mask = np.uint64(size - 1)
        first = classes
        for at in range(start, stop):
            row = rows[at]
            place = profiles[row] & mask
            while True:
                known = places[place]
                if known < first:  # free, or left from an earlier feature
                    places[place] = classes
                    example[classes] = row
                    class_of[at] = classes
                    classes += 1
                    break
                if profiles[example[known]] == profiles[row] and _same_profile(
                    example[known], row, run_ptr, run_levels, run_counts
                ):
                    class_of[at] = known
                    break
                place = (place + np.uint64(1)) & mask
        n_classes[feature] = classes - first
    return class_of, n_classes, example[:classes].copy()


@njit(cache=True, nogil=True)
def profiles(run_ptr, run_levels, run_counts, n_levels):
    """Return the mass of each row, and a hash of its histogram divided by a common factor."""
    n_rows = len(run_ptr) - 1
    masses, profiles = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.uint64)
    for row in range(n_rows):
        factor = common_factor(run_counts, run_ptr[row], run_ptr[row + 1])
        for run in range(run_ptr[row], run_ptr[row + 1]):
            last = run + 1 == run_ptr[row + 1]
            end = n_levels if last else run_levels[run + 1]
            masses[row] += run_counts[run] * (end - run_levels[run])
            step = mix(np.uint64(run_counts[run] // factor)) + np.uint64(run_levels[run])
            profiles[row] = mix(profiles[row] * np.uint64(0x9E3779B97F4A7C15) + step)
    return masses, profiles


@njit(cache=True, nogil=True)
def common_factor(counts, start, stop):
    """Return the greatest common divisor of some counts."""
    a = 0
    for at in range(start, stop):
        b = counts[at]
        while b:
            a, b = b, a % b
    return a


@njit(cache=True, nogil=True)
def _same_profile(row, other, run_ptr, run_levels, run_counts):
    """Tell whether two rows have the same normalised histogram."""
    a, b = run_ptr[row], run_ptr[other]
    length = run_ptr[row + 1] - a
    if run_ptr[other + 1] - b != length:
        return False
    factor_a = common_factor(run_counts, a, a + length)
    factor_b = common_factor(run_counts, b, b + length)
    for run in range(length):
        if run_levels[a + run] != run_levels[b + run]:
            return False
        if run_counts[a + run] // factor_a != run_counts[b + run] // factor_b:
            return False
    return True
