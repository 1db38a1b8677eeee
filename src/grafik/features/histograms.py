"""Filtration histograms: how often each feature occurs at each level, stored as lifespans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer, is_integer
from ..arrays.compiled import loop
from ..arrays.gate import checked_column, checked_pointer
from ..arrays.offsets import frozen, offsets, part_of, ranges
from ..system.optional import require
from ..system.threads import run_blocks

_MOST_LEVELS = 2**31 - 1  # levels are integers of 32 bits


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


class Rows(NamedTuple):
    """The rows and runs of consecutive graphs, as integers of any size."""

    n_rows: NDArray[Any]
    depths: NDArray[Any]
    features: NDArray[np.uint64]
    n_runs: NDArray[Any]
    run_levels: NDArray[Any]
    run_counts: NDArray[Any]


class Columns(NamedTuple):
    """The columns of histograms, from which everything else follows."""

    graph_ptr: NDArray[np.int64]
    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    run_ptr: NDArray[np.int64]
    run_levels: NDArray[np.int32]
    run_counts: NDArray[np.int64]


class Runs(NamedTuple):
    """The runs of all rows: ``ptr[r]:ptr[r + 1]`` are those of row `r`.

    Run `j` lasts from ``levels[j]`` to the next run of the row, or to the end of the `n_levels`.
    """

    ptr: NDArray[np.int64]
    levels: NDArray[np.int32]
    counts: NDArray[np.int64]
    n_levels: int


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
        n_levels = checked_integer("n_levels", n_levels, 1, _MOST_LEVELS)
        given = graph_ptr, depths, features, run_ptr, run_levels, run_counts
        columns = _checked(n_levels, *given)
        _refuse_twins(columns)
        self._set(n_levels, columns, names, dictionary)

    def _set(
        self,
        n_levels: int,
        columns: Columns,
        names: Mapping[int, Any] | None,
        dictionary: Mapping[Any, Any] | None,
    ) -> None:
        self.n_levels = n_levels
        self.columns = Columns._make(frozen(column) for column in columns)
        self.graph_ptr, self.depths, self.features, *_ = self.columns
        *_, self.run_ptr, self.run_levels, self.run_counts = self.columns
        self.names: dict[int, Any] = dict(names or {})
        self.dictionary: dict[Any, Any] = dict(dictionary or {})
        # What the rooms above derive from the columns and want to find again.
        self._derived: dict[str, Any] = {}

    @classmethod
    def _trusted(
        cls,
        n_levels: int,
        columns: Columns,
        names: Mapping[int, Any] | None = None,
        dictionary: Mapping[Any, Any] | None = None,
    ) -> Histograms:
        """Wrap columns that were made here, or passed :meth:`_received`, without checking them."""
        histograms = object.__new__(cls)
        histograms._set(n_levels, columns, names, dictionary)
        return histograms

    def __reduce__(self) -> tuple[Any, ...]:
        # What was derived from the columns stays behind: it is larger than they are.
        return Histograms._received, (self.n_levels, self.columns, self.names, self.dictionary)

    @classmethod
    def _received(
        cls,
        n_levels: int,
        columns: Columns,
        names: Mapping[int, Any] | None = None,
        dictionary: Mapping[Any, Any] | None = None,
    ) -> Histograms:
        """Wrap columns that another process sent, if no loop can go astray in them."""
        levels = checked_integer("n_levels", n_levels, 1, _MOST_LEVELS)
        return cls._trusted(levels, _checked(levels, *columns), names, dictionary)

    @classmethod
    def joined(
        cls,
        n_levels: int,
        blocks: Sequence[Rows],
        names: Mapping[int, Any] | None = None,
        dictionary: Mapping[Any, Any] | None = None,
        n_jobs: int | None = None,
    ) -> Histograms:
        """Put the rows of consecutive blocks of graphs one after the other."""
        rows = offsets([len(block.features) for block in blocks])
        runs = offsets([len(block.run_levels) for block in blocks])
        columns = Columns(
            offsets(np.concatenate([block.n_rows for block in blocks])),
            np.empty(rows[-1], np.int32),
            np.empty(rows[-1], np.uint64),
            np.zeros(rows[-1] + 1, np.int64),
            np.empty(runs[-1], np.int32),
            np.empty(runs[-1], np.int64),
        )

        def copy(first: int, last: int) -> None:
            for i in range(first, last):
                _copy(blocks[i], columns, slice(*rows[i : i + 2]), slice(*runs[i : i + 2]))

        run_blocks(copy, rows, n_jobs, ns_per_unit=5.0)
        return cls._trusted(n_levels, columns, names, dictionary)

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
        graphs = part_of(self.graph_ptr)
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
        run_ptr = offsets(np.diff(self.run_ptr)[rows])
        runs = ranges(self.run_ptr[rows], run_ptr)
        columns = Columns(
            np.searchsorted(rows, self.graph_ptr),
            self.depths[rows],
            self.features[rows],
            run_ptr,
            self.run_levels[runs],
            self.run_counts[runs],
        )
        return Histograms._trusted(self.n_levels, columns, self.names, self.dictionary)

    def between(self, start: int, stop: int) -> Histograms:
        """Return the histograms of consecutive graphs; their arrays are views."""
        rows = slice(int(self.graph_ptr[start]), int(self.graph_ptr[stop]))
        runs = slice(int(self.run_ptr[rows.start]), int(self.run_ptr[rows.stop]))
        columns = Columns(
            self.graph_ptr[start : stop + 1] - rows.start,
            self.depths[rows],
            self.features[rows],
            self.run_ptr[rows.start : rows.stop + 1] - runs.start,
            self.run_levels[runs],
            self.run_counts[runs],
        )
        return Histograms._trusted(self.n_levels, columns)

    def of_graphs(self, numbers: NDArray[np.int64]) -> Histograms:
        """Return the histograms of some graphs, in the given order."""
        graph_ptr = offsets(np.diff(self.graph_ptr)[numbers])
        rows = ranges(self.graph_ptr[numbers], graph_ptr)
        run_ptr = offsets(np.diff(self.run_ptr)[rows])
        runs = ranges(self.run_ptr[rows], run_ptr)
        columns = Columns(
            graph_ptr,
            self.depths[rows],
            self.features[rows],
            run_ptr,
            self.run_levels[runs],
            self.run_counts[runs],
        )
        return Histograms._trusted(self.n_levels, columns, self.names, self.dictionary)

    @cached_property
    def masses(self) -> NDArray[np.int64]:
        """Occurrences of each row, added up over all levels."""
        masses = np.zeros(len(self.features), np.int64)
        _add_masses(self.runs, masses)
        return frozen(masses)

    @property
    def runs(self) -> Runs:
        """The columns `run_ptr`, `run_levels` and `run_counts`, and the number of levels."""
        return Runs(self.run_ptr, self.run_levels, self.run_counts, self.n_levels)

    def __repr__(self) -> str:
        depths = np.unique(self.depths)
        n_features = sum(len(np.unique(self.features[self.depths == depth])) for depth in depths)
        return f"Histograms({len(self)} graphs, {self.n_levels} levels, {n_features} features)"


def _copy(block: Rows, out: Columns, rows: slice, runs: slice) -> None:
    """Copy the rows and runs of a block to their places."""
    out.depths[rows], out.features[rows] = block.depths, block.features
    out.run_levels[runs], out.run_counts[runs] = block.run_levels, block.run_counts
    ends = out.run_ptr[1:][rows]
    ends[:] = block.n_runs
    np.cumsum(ends, out=ends)
    ends += runs.start


@loop
def _add_masses(runs: Runs, masses: NDArray[np.int64]) -> None:
    """Add up the occurrences of each row over all levels, into an array of zeros."""
    ptr, levels, counts, n_levels = runs
    for row in range(len(masses)):
        for run in range(ptr[row], ptr[row + 1]):
            end = n_levels if run + 1 == ptr[row + 1] else levels[run + 1]
            masses[row] += counts[run] * (end - levels[run])


def _checked(
    n_levels: int,
    graph_ptr: Any,
    depths: Any,
    features: Any,
    run_ptr: Any,
    run_levels: Any,
    run_counts: Any,
) -> Columns:
    """Return fresh columns that fit together, because the loops check nothing."""
    hashes = checked_column(_unsigned(features), "features", np.uint64)
    levels = checked_column(run_levels, "run_levels", np.int32)
    columns = Columns(
        checked_pointer(graph_ptr, "graph_ptr", len(hashes)),
        checked_column(depths, "depths", np.int32),
        hashes,
        checked_pointer(run_ptr, "run_ptr", len(levels), "row"),
        levels,
        checked_column(run_counts, "run_counts", np.int64),
    )
    depths, ptr, counts = columns.depths, columns.run_ptr, columns.run_counts
    if len(depths) != len(hashes) or len(ptr) != len(hashes) + 1:
        raise ValueError("depths, features and run_ptr must have an entry for each row")
    if (depths < 0).any():
        raise ValueError(f"depths must not be negative, got {depths.min()}")
    if len(counts) != len(levels):
        raise ValueError("run_levels and run_counts must have an entry for each run")
    empty = ptr[1:] == ptr[:-1]
    if empty.any():
        raise ValueError(f"row {np.argmax(empty)} has no run; leave it out")
    same_row = np.ones(max(len(levels) - 1, 0), bool)
    same_row[ptr[1:-1] - 1] = False
    falls = same_row & (levels[1:] <= levels[:-1])
    outside = (levels < 0) | (levels >= n_levels)
    if falls.any() or outside.any():
        raise ValueError(f"run_levels must rise within each row, from 0 to {n_levels - 1}")
    if len(counts) and int(counts.max()) * n_levels >= 2**63:
        raise ValueError(f"run_counts up to {counts.max()} are too large for {n_levels} levels")
    # Sums cannot wrap around: a row has at most as many runs as there are levels.
    sums = np.add.reduceat(counts, ptr[:-1]) if len(hashes) else counts
    if (counts < 0).any() or (sums == 0).any():
        raise ValueError("run_counts must not be negative, nor all 0 in a row")
    return columns


def _unsigned(features: Any) -> Any:
    """Return a list of hashes as an array; NumPy itself would make floats of large integers."""
    if not isinstance(features, (list, tuple)) or not all(map(is_integer, features)):
        return features
    try:
        return np.array(features, np.uint64)
    except OverflowError:
        return features  # refused by the gate, with a reason


def _refuse_twins(columns: Columns) -> None:
    """Refuse two rows of the same feature in one graph."""
    graphs, depths, features = part_of(columns.graph_ptr), columns.depths, columns.features
    order = np.lexsort((features, depths, graphs))
    twice = np.ones(max(len(order) - 1, 0), bool)
    for column in (graphs, depths, features):
        twice &= column[order[1:]] == column[order[:-1]]
    if twice.any():
        row, other = order[np.argmax(twice) + 1], order[np.argmax(twice)]
        raise ValueError(
            f"rows {other} and {row} are the same feature of graph {graphs[row]}; add them up"
        )
