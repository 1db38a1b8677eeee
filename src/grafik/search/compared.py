"""An index for any kernel: a query is compared with all graphs, one block of queries at a time."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..features.histograms import Histograms, Rows
from ..graphs.batch import Graphs
from ..kernels.combined import CombinedKernel
from ..kernels.combined_gram import Sides
from ..kernels.kernel import FiltrationKernel

# Entries of rows that are there at the same time.
_ENTRIES = 1 << 22


class ComparedIndex:
    """The graphs of an index whose kernel has no inverted index.

    Histograms are kept if all parts of the kernel count features, else the graphs themselves.

    Parameters
    ----------
    kernel : kernel
        Fitted, so that its thresholds are used, or not.
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel if _is_fitted(kernel) else clone(kernel)
        self.counts = isinstance(kernel, CombinedKernel)
        self._parts: list[Any] = []
        self._twin: Any = None

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def add(self, batch: Graphs) -> None:
        """Add graphs; the first ones are fitted to, if the kernel is not fitted."""
        if not _is_fitted(self.kernel):
            self.kernel.fit(batch)
        if isinstance(self.kernel, CombinedKernel):
            self.counts = self.kernel.counts_features()
        added: Any = self.kernel.count(batch) if self.counts else batch
        if self.counts and any(one.dictionary for one in added.histograms()):
            self.kernel = _on_sides(self.kernel, added)  # graphs added later share exact labels
        self._parts.append(added)
        self._twin = None

    def take(self, counted: Sides) -> None:
        """Take over what is known of the graphs of a saved index."""
        self._parts = [counted]

    def fitted(self) -> Any:
        """Return the kernel as if it were fitted to all graphs, with the thresholds it has."""
        if self._twin is None and self.counts:
            self._parts = [joined(self._parts)]
            self._twin = _on_sides(self.kernel, self._parts[0])
        elif self._twin is None:
            self._parts = [Graphs.concat(self._parts)]
            self._twin = _on_graphs(self.kernel, self._parts[0])
        return self._twin

    def best(
        self, queries: Graphs, n_found: int
    ) -> Iterator[tuple[slice, NDArray[np.int64], NDArray[np.float64]]]:
        """Yield the best graphs of each block of queries, and their similarities."""
        kernel, size = self.fitted(), max(1, _ENTRIES // max(1, len(self)))
        for start in range(0, len(queries), size):
            block = slice(start, min(start + size, len(queries)))
            rows = kernel.transform(queries[block])
            order = np.argsort(-rows, axis=1, kind="stable")[:, :n_found]
            yield block, order, np.take_along_axis(rows, order, axis=1)


def joined(parts: Sequence[Any]) -> Any:
    """Return what is known of all graphs, which came in parts."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], Sides):
        return Sides([joined(same) for same in zip(*(part.parts for part in parts), strict=True)])
    names: dict[int, Any] = {}
    for part in parts:
        names.update(part.names)
    rows = [
        Rows(np.diff(p.graph_ptr), p.depths, p.features, np.diff(p.run_ptr), *p.columns[4:])
        for p in parts
    ]
    return Histograms.joined(parts[0].n_levels, rows, names, parts[-1].dictionary)


def _on_sides(kernel: Any, counted: Any) -> Any:
    """Return a kernel whose training graphs are those that were counted."""
    if isinstance(kernel, FiltrationKernel):
        return kernel.learned(kernel.counter(), counted)
    pairs = zip(kernel._kept(), counted.parts, strict=True)
    return _with_parts(kernel, [(name, _on_sides(part, side)) for (name, part), side in pairs])


def _on_graphs(kernel: Any, graphs: Graphs) -> Any:
    """Return a kernel with these training graphs, and the thresholds it has."""
    if isinstance(kernel, FiltrationKernel):
        return kernel.learned(kernel.counter(), kernel.count(graphs))
    if not isinstance(kernel, CombinedKernel):
        return clone(kernel).fit(graphs)
    twin = _with_parts(kernel, [(name, _on_graphs(part, graphs)) for name, part in kernel._kept()])
    twin.remember(graphs)
    return twin


def _with_parts(kernel: CombinedKernel, parts: list[tuple[str, Any]]) -> Any:
    twin = copy.copy(kernel)
    twin._own = {}
    twin._take(parts)
    return twin


def _is_fitted(kernel: Any) -> bool:
    try:
        check_is_fitted(kernel)
    except NotFittedError:
        return False
    return True
