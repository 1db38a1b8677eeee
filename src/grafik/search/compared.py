"""An index for any kernel: a query is compared with all graphs, one block of queries at a time."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..features.histograms import Histograms, Rows
from ..graphs.batch import Graphs
from ..graphs.labelling import ANY, Labelling
from ..kernels.combined import CombinedKernel
from ..kernels.combined_gram import Sides
from ..kernels.counting import FeatureCounter, labelling_of
from ..kernels.kernel import FiltrationKernel
from ..kernels.kernel_transformer import KernelTransformer

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
        self.kernel = _copied(kernel) if _is_fitted(kernel) else clone(kernel)
        self.counts = isinstance(kernel, CombinedKernel)
        self._parts: list[Any] = []
        self._sample: Graphs | None = None
        self._twin: Any = None

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def add(self, batch: Graphs) -> None:
        """Add graphs; the first ones are fitted to, if the kernel is not fitted."""
        first = not _is_fitted(self.kernel)
        kernel = clone(self.kernel).fit(batch) if first else with_labels_of(self.kernel, batch)
        counts = isinstance(kernel, CombinedKernel) and kernel.counts_features()
        added: Any = kernel.count(batch) if counts else batch
        sample = self._sample
        if counts and any(one.dictionary for one in added.histograms()):
            kernel = _on_sides(kernel, added)  # graphs added later share exact labels
        elif not counts:
            if not first:
                kernel.diagonal(batch)  # refuses graphs that no search could compare
            sample = _checked_sample(self._sample, batch)
        self.kernel, self.counts, self._sample, self._twin = kernel, counts, sample, None
        self._parts.append(added)

    def take(self, counted: Sides) -> None:
        """Take over what is known of the graphs of a saved index."""
        self._parts = [counted]

    def fitted(self) -> Any:
        """Return the kernel as if it were fitted to all graphs, with the thresholds it has."""
        if self._twin is None and self.counts:
            whole = joined(self._parts)
            self._parts, self._twin = [whole], _on_sides(self.kernel, whole)
        elif self._twin is None:
            whole = Graphs.concat(self._parts)
            self._parts, self._twin = [whole], _on_graphs(self.kernel, whole)
        return self._twin

    def best(
        self, queries: Graphs, n_found: int
    ) -> Iterator[tuple[slice, NDArray[np.int64], NDArray[np.float64]]]:
        """Yield the best graphs of each block of queries, and their similarities."""
        kernel, size = _without_warnings(self.fitted(), queries), max(1, _ENTRIES // len(self))
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
    return kernel._with_parts([(name, _on_sides(part, side)) for (name, part), side in pairs])


def _on_graphs(kernel: Any, graphs: Graphs) -> Any:
    """Return a kernel with these training graphs, and the thresholds it has."""
    if isinstance(kernel, FiltrationKernel):
        return kernel.learned(kernel.counter(), kernel.count(graphs))
    if not isinstance(kernel, CombinedKernel):
        return clone(kernel).fit(graphs)
    twin = kernel._with_parts([(name, _on_graphs(part, graphs)) for name, part in kernel._kept()])
    twin.remember(graphs)
    return twin


def with_labels_of(kernel: Any, graphs: Graphs) -> Any:
    """Return a fitted kernel that knows the labels of further graphs, or refuse these."""
    found: dict[int, Labelling] = {}

    def known(labelling: Labelling, more: Labelling) -> Labelling:
        # Parts that share what they know go on to do so, and warn once.
        return found.setdefault(id(labelling), labelling.with_more(more))

    def change(leaf: Any) -> Any:
        if isinstance(leaf, FiltrationKernel):
            extractor = leaf.new_extractor()
            counter = FeatureCounter(leaf.filtration_, extractor, leaf.n_jobs)
            counter.set_labelling(known(leaf.labelling_, labelling_of(extractor, graphs)))
            return leaf.learned(counter, leaf.histograms_)
        if not isinstance(leaf, KernelTransformer):
            return leaf
        kernel: Any = leaf
        return _labelled(kernel, known(kernel.labelling_, kernel._labelling(graphs)))

    return _changed(kernel, change)


def _without_warnings(kernel: Any, queries: Graphs) -> Any:
    """Warn of the labels of queries once, and return a kernel that says no more of them."""
    found: dict[int, Labelling] = {}

    def change(leaf: Any) -> Any:
        if not hasattr(leaf, "labelling_"):
            return leaf
        found[id(leaf.labelling_)] = leaf.labelling_
        return _labelled(leaf, ANY)

    quiet = _changed(kernel, change)
    for labelling in found.values():
        labelling.check(queries)
    return quiet


def _changed(kernel: Any, change: Callable[[Any], Any]) -> Any:
    """Return a copy of a fitted kernel, with other kernels in place of those it is made of."""
    if not isinstance(kernel, CombinedKernel):
        return change(kernel)
    twin = copy.copy(kernel)
    twin._take([(name, _changed(part, change)) for name, part in kernel._kept()])
    return twin


def _labelled(kernel: Any, labelling: Labelling) -> Any:
    twin = copy.copy(kernel)
    twin.labelling_ = labelling
    return twin


def _copied(kernel: Any) -> Any:
    """Return a copy of a fitted kernel, which does not change with it."""
    if not isinstance(kernel, KernelTransformer):
        return copy.deepcopy(kernel)
    twin: Any = clone(kernel)
    parameters = kernel.get_params(deep=False)
    for name, value in vars(kernel).items():
        if name not in parameters:
            setattr(twin, name, value)
    if isinstance(kernel, CombinedKernel):
        twin._take([(name, _copied(part)) for name, part in kernel._kept()])
        twin._own = dict(kernel._own)
    return twin


def _checked_sample(sample: Graphs | None, batch: Graphs) -> Graphs:
    """Return one graph that has all columns of an index; refuse graphs with other columns."""
    try:
        both = batch if sample is None else Graphs.concat([sample, batch])
    except ValueError as error:
        raise ValueError(
            f"these graphs (item 1) do not fit to those in the index (item 0): {error}"
        ) from None
    best = int(np.argmax(np.where(both.n_edges > 0, 2, both.n_nodes > 0)))
    return both[best : best + 1]


def _is_fitted(kernel: Any) -> bool:
    try:
        check_is_fitted(kernel)
    except NotFittedError:
        return False
    return True
