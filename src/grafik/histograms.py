"""Filtration histograms: how often each feature occurs at each level, stored as lifespans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .arrays import frozen, offsets
from .checks import checked_integer, is_integer
from .mixing import mix
from .optional import require


class Lifespan(NamedTuple):
    """A stretch of levels during which a feature occurs equally often.

    Attributes
    ----------
    birth, death : int
        First level of the stretch, and first level behind it.
    occurrences : int
    """

    birth: int
    death: int
    occurrences: int


class Histograms:
    r"""Filtration histograms :math:`\phi_f(G)` of a batch of graphs (Definition 1 of [1]_).

    A row is one feature in one graph. Its histogram is a step function over the levels, stored as
    runs: from level ``run_levels[j]`` on the feature occurs ``run_counts[j]`` times, up to the next
    run of the row or the last level. A feature that stays as it is takes one run, however many
    levels there are.

    Attributes
    ----------
    n_levels : int
        Number of levels, the paper's `k`.
    graph_ptr : ndarray of int64, shape (n_graphs + 1,)
        Rows ``graph_ptr[g]:graph_ptr[g + 1]`` belong to graph `g`.
    depths : ndarray of int32, shape (n_rows,)
        Depth of the feature, 0 where features have none.
    features : ndarray of uint64, shape (n_rows,)
        Hash of the feature, equal for equal features in every process.
    run_ptr : ndarray of int64, shape (n_rows + 1,)
        Runs ``run_ptr[r]:run_ptr[r + 1]`` belong to row `r`.
    run_levels : ndarray of int32
        First level of each run, increasing within a row.
    run_counts : ndarray of int64
        Number of occurrences during each run.
    masses : ndarray of int64, shape (n_rows,)
        Occurrences added up over all levels, :math:`\|\phi_f(G)\|_1`.
    names : dict
        What a feature is, by its hash, as far as that is known.
    dictionary : dict
        What exact labels stand for, if they are exact.

    References
    ----------
    .. [1] Schulz, Welke, Wrobel: Graph Filtration Kernels, AAAI 2022.

    Examples
    --------
    The two triangles of the prism are there before the edges between them; K(3, 3) has none.

    >>> from grafik import Filtration, datasets
    >>> from grafik.features import WeisfeilerLehman
    >>> graphs, y = datasets.triangle_pair()
    >>> filtration = Filtration("triangles", thresholds="distinct").fit(graphs)
    >>> histograms = WeisfeilerLehman(depth=1).histograms(graphs, filtration)
    >>> sorted(counts.tolist() for counts in histograms[0].values())
    [[0, 6], [6, 0], [6, 6]]
    >>> sorted(counts.tolist() for counts in histograms[1].values())
    [[0, 6], [6, 0], [6, 6]]
    >>> len(histograms[0].keys() & histograms[1].keys())
    2
    """

    def __init__(
        self,
        n_levels: int,
        graph_ptr: NDArray[np.int64],
        depths: NDArray[np.int32],
        features: NDArray[np.uint64],
        run_ptr: NDArray[np.int64],
        run_levels: NDArray[np.int32],
        run_counts: NDArray[np.int64],
        names: Mapping[int, Any] | None = None,
        dictionary: Mapping[Any, Any] | None = None,
    ) -> None:
        columns = (graph_ptr, depths, features, run_ptr, run_levels, run_counts)
        kinds = (np.int64, np.int32, np.uint64, np.int64, np.int32, np.int64)
        arrays = [np.array(c, kind) for c, kind in zip(columns, kinds, strict=True)]
        _check(checked_integer("n_levels", n_levels, 1), *arrays)
        self._set(n_levels, *arrays, names, dictionary)

    def _set(self, n_levels: int, *columns: Any) -> None:
        self.n_levels = n_levels
        arrays, (names, dictionary) = [frozen(array) for array in columns[:6]], columns[6:]
        self.graph_ptr, self.depths, self.features = arrays[:3]
        self.run_ptr, self.run_levels, self.run_counts = arrays[3:]
        self.names: dict[int, Any] = dict(names or {})
        self.dictionary: dict[Any, Any] = dict(dictionary or {})

    @classmethod
    def _trusted(cls, n_levels: int, *columns: Any) -> Histograms:
        """Wrap columns that were made here, without checking them."""
        histograms = object.__new__(cls)
        histograms._set(n_levels, *columns)
        return histograms

    @classmethod
    def joined(
        cls,
        n_levels: int,
        blocks: Sequence[Rows],
        names: Mapping[int, Any] | None = None,
        dictionary: Mapping[Any, Any] | None = None,
    ) -> Histograms:
        """Put the rows of consecutive blocks of graphs one after the other."""
        columns = [np.concatenate(column) for column in zip(*blocks, strict=True)]
        n_rows, depths, features, n_runs, run_levels, run_counts = columns
        graph_ptr, run_ptr = (offsets(n) for n in (n_rows, n_runs))
        runs = run_ptr, run_levels, run_counts
        return cls._trusted(n_levels, graph_ptr, depths, features, *runs, names, dictionary)

    def __len__(self) -> int:
        return len(self.graph_ptr) - 1

    def __getitem__(self, graph: int) -> dict[tuple[int, int], NDArray[np.int64]]:
        """Return the histograms of one graph: counts per level by (depth, feature), sorted."""
        return {
            (int(self.depths[row]), int(self.features[row])): self._counts(row)
            for row in self._sorted_rows(graph)
        }

    def lifespans(self, graph: int) -> dict[tuple[int, int], list[Lifespan]]:
        """Return when and how often each feature lives in one graph, by (depth, feature)."""
        result = {}
        for row in self._sorted_rows(graph):
            runs = slice(int(self.run_ptr[row]), int(self.run_ptr[row + 1]))
            births = self.run_levels[runs].tolist()
            deaths = [*births[1:], self.n_levels]
            spans = zip(births, deaths, self.run_counts[runs].tolist(), strict=True)
            alive = [Lifespan(*span) for span in spans if span[2] > 0]
            result[int(self.depths[row]), int(self.features[row])] = alive
        return result

    def to_pandas(self) -> Any:
        """Return a pandas frame with one line per graph and feature, and one column per level."""
        pandas = require("pandas", "to_pandas", "pandas")
        rows = [row for graph in range(len(self)) for row in self._sorted_rows(graph)]
        graphs = np.repeat(np.arange(len(self)), np.diff(self.graph_ptr))
        counts = np.array([self._counts(row) for row in rows], np.int64).reshape(-1, self.n_levels)
        frame = {
            "graph": graphs[rows],
            "depth": self.depths[rows],
            "feature": [self.names.get(int(f), int(f)) for f in self.features[rows]],
            "mass": self.masses[rows],
        }
        frame.update({f"level {level}": counts[:, level] for level in range(self.n_levels)})
        return pandas.DataFrame(frame)

    def _sorted_rows(self, graph: int) -> NDArray[np.int64]:
        if not is_integer(graph):
            raise TypeError(f"histograms are indexed by the number of a graph, got {graph!r}")
        if not -len(self) <= graph < len(self):
            raise IndexError(f"there is no graph {graph}, there are {len(self)}")
        graph %= len(self)
        rows = np.arange(self.graph_ptr[graph], self.graph_ptr[graph + 1])
        return rows[np.lexsort((self.features[rows], self.depths[rows]))]

    def _counts(self, row: int) -> NDArray[np.int64]:
        runs = slice(int(self.run_ptr[row]), int(self.run_ptr[row + 1]))
        births = self.run_levels[runs]
        lengths = np.diff(np.append(births, self.n_levels))
        before = np.zeros(births[0], np.int64)
        return np.concatenate([before, np.repeat(self.run_counts[runs], lengths)])

    def up_to(self, depth: int) -> Histograms:
        """Return the histograms of the features of at most some depth."""
        rows = np.flatnonzero(self.depths <= depth)
        n_runs = np.diff(self.run_ptr)[rows]
        run_ptr = offsets(n_runs)
        runs = np.arange(run_ptr[-1]) + np.repeat(self.run_ptr[rows] - run_ptr[:-1], n_runs)
        return Histograms._trusted(
            self.n_levels,
            np.searchsorted(rows, self.graph_ptr),
            self.depths[rows],
            self.features[rows],
            run_ptr,
            self.run_levels[runs],
            self.run_counts[runs],
            self.names,
            self.dictionary,
        )

    @cached_property
    def masses(self) -> NDArray[np.int64]:
        """Occurrences of each row, added up over all levels."""
        return frozen(_profiles(self.run_ptr, self.run_levels, self.run_counts, self.n_levels)[0])

    @cached_property
    def postings(self) -> Postings:
        """The rows ordered by feature, for looking up who shares it."""
        return _postings(self)

    def __repr__(self) -> str:
        n_features = len(self.postings.features)
        return f"Histograms({len(self)} graphs, {self.n_levels} levels, {n_features} features)"


def _check(
    n_levels: int,
    graph_ptr: NDArray[np.int64],
    depths: NDArray[np.int32],
    features: NDArray[np.uint64],
    run_ptr: NDArray[np.int64],
    run_levels: NDArray[np.int32],
    run_counts: NDArray[np.int64],
) -> None:
    """Refuse columns that do not fit together, because the loops check nothing."""
    for name, pointer, n in (
        ("graph_ptr", graph_ptr, len(features)),
        ("run_ptr", run_ptr, len(run_levels)),
    ):
        right = pointer.ndim == 1 and len(pointer) > 0 and pointer[0] == 0 and pointer[-1] == n
        if not right or (np.diff(pointer) < 0).any():
            raise ValueError(f"{name} must rise from 0 to {n}, got {pointer}")
    if len(depths) != len(features) or len(run_ptr) != len(features) + 1:
        raise ValueError("depths, features and run_ptr must have an entry for each row")
    if len(run_counts) != len(run_levels):
        raise ValueError("run_levels and run_counts must have an entry for each run")
    if (np.diff(run_ptr) == 0).any():
        raise ValueError(f"row {np.argmin(np.diff(run_ptr))} has no run; leave it out")
    same_row = np.ones(max(len(run_levels) - 1, 0), bool)
    same_row[run_ptr[1:-1] - 1] = False
    falls = same_row & (run_levels[1:] <= run_levels[:-1])
    outside = (run_levels < 0) | (run_levels >= n_levels)
    if falls.any() or outside.any():
        raise ValueError(f"run_levels must rise within each row, from 0 to {n_levels - 1}")
    counts = np.add.reduceat(run_counts, run_ptr[:-1]) if len(features) else run_counts
    if (run_counts < 0).any() or (counts == 0).any():
        raise ValueError("run_counts must not be negative, nor all 0 in a row")


# From events to rows


class Events(NamedTuple):
    """Changes of the number of occurrences, graph after graph, by increasing level within each."""

    event_ptr: NDArray[np.int64]
    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    levels: NDArray[np.int32]
    changes: NDArray[np.int64]


class Rows(NamedTuple):
    """The rows and runs of consecutive graphs."""

    n_rows: NDArray[np.int64]
    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    n_runs: NDArray[np.int64]
    run_levels: NDArray[np.int32]
    run_counts: NDArray[np.int64]


def from_events(
    n_graphs: int,
    n_levels: int,
    graphs: NDArray[Any],
    features: NDArray[np.uint64],
    levels: NDArray[Any],
    changes: NDArray[Any],
    *,
    names: Mapping[int, Any] | None = None,
) -> Histograms:
    """Build histograms from events in any order.

    Parameters
    ----------
    n_graphs, n_levels : int
    graphs, features, levels, changes : ndarray, shape (n_events,)
        In graph ``graphs[i]`` feature ``features[i]`` occurs ``changes[i]`` times more (or fewer)
        from level ``levels[i]`` on than before.
    names : dict, optional
        What each feature is.
    """
    order = np.lexsort((levels, graphs))
    events = Events(
        np.searchsorted(np.asarray(graphs)[order], np.arange(n_graphs + 1)).astype(np.int64),
        np.zeros(len(order), np.int32),
        np.asarray(features, np.uint64)[order],
        np.asarray(levels, np.int32)[order],
        np.asarray(changes, np.int64)[order],
    )
    return Histograms.joined(n_levels, [collect(events)], names)


def collect(events: Events) -> Rows:
    """Add up the events of each feature in each graph, in linear time."""
    largest = int(np.diff(events.event_ptr).max(initial=1))
    places = np.full(1 << (2 * largest).bit_length(), -1, np.int64)
    row_of, n_rows = _find_rows(events.event_ptr, events.depths, events.features, places)
    depths, features, n_runs, *runs = _add_up(row_of, int(n_rows.sum()), *events[1:])
    alive = n_runs > 0
    if not alive.all():  # born and gone at the same level
        graphs = np.repeat(np.arange(len(n_rows)), n_rows)[alive]
        n_rows = np.bincount(graphs, minlength=len(n_rows))
        depths, features, n_runs = depths[alive], features[alive], n_runs[alive]
    return Rows(n_rows, depths, features, n_runs, *runs)


@njit(cache=True, nogil=True)
def _find_rows(event_ptr, depths, features, places):
    """Give each event the number of its row; `places` is a table by feature."""
    row_of = np.empty(len(features), np.int64)
    n_rows = np.zeros(len(event_ptr) - 1, np.int64)
    mask = np.uint64(len(places) - 1)
    rows = 0
    for graph in range(len(n_rows)):
        first = event_ptr[graph]
        for event in range(first, event_ptr[graph + 1]):
            place = features[event] & mask
            while True:
                known = places[place]
                # An event of an earlier graph marks a place that is free again.
                if known < first:
                    places[place] = event
                    row_of[event] = rows
                    rows += 1
                    n_rows[graph] += 1
                    break
                if features[known] == features[event] and depths[known] == depths[event]:
                    row_of[event] = row_of[known]
                    break
                place = (place + np.uint64(1)) & mask
    return row_of, n_rows


@njit(cache=True, nogil=True)
def _add_up(row_of, n_rows, depths, features, levels, changes):
    """Turn the events of each row, which come by increasing level, into runs."""
    starts = np.zeros(n_rows + 1, np.int64)
    for event in range(len(row_of)):
        starts[row_of[event] + 1] += 1
    for row in range(n_rows):
        starts[row + 1] += starts[row]
    order = np.empty(len(row_of), np.int64)
    filled = starts[:-1].copy()
    for event in range(len(row_of)):
        order[filled[row_of[event]]] = event
        filled[row_of[event]] += 1
    row_depths, row_features = np.empty(n_rows, np.int32), np.empty(n_rows, np.uint64)
    n_runs = np.zeros(n_rows, np.int64)
    run_levels, run_counts = np.empty(len(row_of), np.int32), np.empty(len(row_of), np.int64)
    runs = 0
    for row in range(n_rows):
        row_depths[row] = depths[order[starts[row]]]
        row_features[row] = features[order[starts[row]]]
        count, shown = 0, 0
        for at in range(starts[row], starts[row + 1]):
            event = order[at]
            count += changes[event]
            last = at + 1 == starts[row + 1] or levels[order[at + 1]] != levels[event]
            if last and count != shown:
                run_levels[runs], run_counts[runs] = levels[event], count
                n_runs[row] += 1
                runs += 1
                shown = count
    return row_depths, row_features, n_runs, run_levels[:runs].copy(), run_counts[:runs].copy()


# Rows ordered by feature


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


def _postings(histograms: Histograms) -> Postings:
    runs = histograms.run_ptr, histograms.run_levels, histograms.run_counts
    masses, profiles = _profiles(*runs, histograms.n_levels)
    numbers, first = _number_features(histograms.depths, histograms.features)
    depths, features = histograms.depths[first], histograms.features[first]
    order = np.lexsort((features, depths))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    feature_of = rank[numbers]
    row_ptr = offsets(np.bincount(feature_of, minlength=len(order)))
    rows = _sorted_by(feature_of, row_ptr)
    graphs = np.repeat(np.arange(len(histograms)), np.diff(histograms.graph_ptr))[rows]
    class_of, n_classes, example = _classes(rows, row_ptr, profiles, *runs)
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
def _profiles(run_ptr, run_levels, run_counts, n_levels):
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
