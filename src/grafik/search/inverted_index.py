"""The features of many graphs, by graph and by feature."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.hash_table import table_of
from ..arrays.offsets import offsets, part_of, ranges
from ..features.histograms import Histograms
from ..kernels.gram import KernelOnHistograms
from ..kernels.postings import postings_of
from ..kernels.wasserstein import axis_of, profiles_of

# Features are looked at in stages, the heaviest first; each stage ends at this share of all squared
# masses, or of all masses where the smaller one counts.
_STAGES = (0.5, 0.8, 0.9, 0.95)
# Places in the lists are numbers of 32 bits.
_MOST_ENTRIES = np.iinfo(np.int32).max


class InvertedIndex(NamedTuple):
    """The graphs that have each feature, and the features that each graph has.

    Attributes
    ----------
    row_ptr : ndarray of int64, shape (n_graphs + 1,)
        Entries ``row_ptr[g]:row_ptr[g + 1]`` belong to graph `g`, by increasing feature.
    features, classes : ndarray of int32, shape (n_entries,)
        Feature of each entry, and the number of its histogram among all distinct ones. Features are
        numbered by depth and hash.
    masses : ndarray of float64, shape (n_entries,)
    listed : ndarray of int32, shape (n_features + 1,)
        The same entries by feature: ``listed[f]:listed[f + 1]`` have feature `f`.
    columns, column_classes : ndarray of int32, shape (n_entries,)
        Graph of each, and the number of its histogram among those of the feature.
    column_masses : ndarray of float64, shape (n_entries,)
    class_ptr : ndarray of int64, shape (n_features + 1,)
        Histograms ``class_ptr[f]:class_ptr[f + 1]`` belong to feature `f`.
    ptr, lines : ndarray
        The histograms, see :class:`grafik.kernels.wasserstein.Profiles`.
    table : ndarray
        See :func:`grafik.arrays.hash_table.table_of`.
    stages : ndarray of int64, shape (n_features,)
        The stage in which each feature is looked at.
    rest : ndarray of float64, shape (n_stages, n_graphs)
        What a graph's features from each stage on add to its kernel with itself.
    inverse : ndarray of float64, shape (n_graphs,)
        The graph's factor in the normalisation of kernels; the query has another one.
    normalize : bool
    smaller : bool
        Whether of two masses the smaller one counts, and not their product.
    own : ndarray of float64, shape (n_graphs,)
        The kernel of each graph with itself.
    """

    row_ptr: NDArray[np.int64]
    features: NDArray[np.int32]
    classes: NDArray[np.int32]
    masses: NDArray[np.float64]
    listed: NDArray[np.int32]
    columns: NDArray[np.int32]
    column_classes: NDArray[np.int32]
    column_masses: NDArray[np.float64]
    class_ptr: NDArray[np.int64]
    ptr: NDArray[np.int64]
    lines: NDArray[np.float64]
    table: NDArray[Any]
    stages: NDArray[np.int64]
    rest: NDArray[np.float64]
    inverse: NDArray[np.float64]
    normalize: bool
    smaller: bool
    own: NDArray[np.float64]

    @classmethod
    def of(cls, histograms: Histograms, kernel: KernelOnHistograms) -> InvertedIndex:
        """Return the index of some graphs."""
        normalize, n_jobs = bool(kernel.normalize), kernel.n_jobs
        n, found = len(histograms), postings_of(histograms, n_jobs)
        order = np.lexsort((found.features, found.depths))
        if len(found.graphs) > _MOST_ENTRIES:
            raise ValueError(
                f"an index holds at most {_MOST_ENTRIES} features of all graphs together, got "
                f"{len(found.graphs)}; make several indexes of fewer graphs each"
            )
        listed = offsets(np.diff(found.row_ptr)[order])
        entries = ranges(found.row_ptr[order], listed)
        class_ptr = offsets(np.diff(found.class_ptr)[order])
        kept = ranges(found.class_ptr[order], class_ptr)
        columns, classes, masses = (
            found.graphs[entries],
            found.classes[entries],
            found.masses[entries],
        )
        features = part_of(listed)
        by_graph = np.argsort(columns, kind="stable")
        rows = (
            offsets(np.bincount(columns, minlength=n)),
            features[by_graph].astype(np.int32),
            (class_ptr[features] + classes)[by_graph].astype(np.int32),
            masses[by_graph],
        )
        profiles = profiles_of(found.example[kept], histograms.runs, n_jobs)
        added = masses if kernel.smaller else masses**2
        weights = np.bincount(features, added, len(order))
        heaviest = np.argsort(-weights, kind="stable")
        stages = np.empty(len(order), np.int64)
        shares = np.cumsum(weights[heaviest]) / max(weights.sum(), 1.0)
        stages[heaviest] = np.searchsorted(_STAGES, shares)
        rest = [
            np.bincount(columns, added * (stages[features] >= stage), n)
            for stage in range(len(_STAGES) + 1)
        ]
        own, inverse = kernel.self_similarities(histograms), np.ones(n)
        if normalize:
            inverse = (own > 0) / np.sqrt(np.where(own > 0, own, 1.0))
        table = table_of(found.depths[order], found.features[order])
        flags = normalize, kernel.smaller
        more: tuple[Any, ...] = table, stages, np.array(rest, np.float64), inverse, *flags, own
        lists = listed.astype(np.int32), columns, classes, masses
        return cls(*rows, *lists, class_ptr, *profiles, *more)


class Queries(NamedTuple):
    """The rows of the histograms of queries, and how far apart histograms are on their axis."""

    graph_ptr: NDArray[np.int64]
    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    masses: NDArray[np.int64]
    ptr: NDArray[np.int64]
    lines: NDArray[np.float64]
    own: NDArray[np.float64]
    axis: NDArray[np.float64]
    rate: float

    @classmethod
    def of(cls, histograms: Histograms, kernel: KernelOnHistograms) -> Queries:
        """Return the rows of histograms, with profiles and self-similarities."""
        every, own = np.arange(len(histograms.features)), kernel.self_similarities(histograms)
        profiles = profiles_of(every, histograms.runs, kernel.n_jobs)
        columns = histograms.graph_ptr, histograms.depths, histograms.features, histograms.masses
        return cls(*columns, *profiles, own, axis_of(kernel.axis.points), kernel.rate)


class Found(NamedTuple):
    """What a search writes: the best graphs of each query, and how many; and the least wanted."""

    graphs: NDArray[np.int64]
    similarities: NDArray[np.float64]
    touched: NDArray[np.float64]
    counts: NDArray[np.int64]
    least: float
