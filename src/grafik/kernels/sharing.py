"""Several filtration kernels fitted to the same graphs: what they share is computed once."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from ..features import WeisfeilerLehman
from ..features.histograms import Histograms
from ..graphs.batch import Graphs
from ..graphs.labelling import Labelling
from ..weights.computing import values
from ..weights.unused import warn_of_unused
from .counting import FeatureCounter, labelling_of
from .gram import KernelOnHistograms
from .kernel import FiltrationKernel


def learn_together(kernels: Iterable[FiltrationKernel], graphs: Graphs) -> None:
    """Fit kernels to the same graphs, in place.

    Each weight is computed once. Histograms are counted once where kernels have the same features,
    and edges enter at the same levels; where only depths differ, the deepest are counted.

    Examples
    --------
    >>> from grafik import FiltrationKernel, datasets
    >>> from grafik.kernels.sharing import learn_together
    >>> graphs, y = datasets.csl(copies=1)
    >>> kernels = [FiltrationKernel(gamma=1.0), FiltrationKernel(gamma=8.0)]
    >>> learn_together(kernels, graphs)
    >>> kernels[0].histograms_ is kernels[1].histograms_
    True
    """
    several = list(kernels)
    for kernel in several:
        KernelOnHistograms.of(kernel)  # checks parameters
    counters = [FeatureCounter.of(kernel, kernel.new_extractor()) for kernel in several]
    _learn_labels(counters, graphs)
    built_up = [
        counter.filtration.weight
        for counter in counters
        if isinstance(counter.filtration.thresholds, str) and counter.filtration.n_levels != 1
    ]
    if built_up:
        warn_of_unused(built_up, graphs)
    values = _Weights(graphs)
    for counter in counters:
        counter.filtration.learn(values.of(counter.filtration.weight), graphs)
    found = _counted(counters, graphs, values, [None] * len(counters))
    for kernel, counter, histograms in zip(several, counters, found, strict=True):
        kernel._set(counter, histograms)


def count_together(kernels: Sequence[FiltrationKernel], graphs: Graphs) -> list[Histograms]:
    """Return the histograms of new graphs for each of several fitted kernels."""
    counters = [kernel.counter() for kernel in kernels]
    known = [kernel.histograms_ for kernel in kernels]
    for counter in counters:
        counter.filtration.check(graphs)
    for labelling in {id(counter.labelling): counter.labelling for counter in counters}.values():
        labelling.check(graphs)
    return _counted(counters, graphs, _Weights(graphs), known)


class _Weights:
    """The weights of all edges of a batch, each computed when it is first asked for."""

    def __init__(self, graphs: Graphs) -> None:
        self.graphs = graphs
        self.found: dict[Hashable, NDArray[np.float64]] = {}

    def of(self, weight: Any) -> NDArray[np.float64]:
        key = _key(weight)
        if key not in self.found:
            self.found[key] = values(weight, self.graphs)
        return self.found[key]


def _learn_labels(counters: list[FeatureCounter], graphs: Graphs) -> None:
    """Let counters remember the labels of training graphs, looked at once for each way to look."""
    found: dict[Hashable, Labelling] = {}
    for counter in counters:
        extractor = counter.extractor
        looks = tuple(
            bool(getattr(extractor, f"reads_{kind}_labels", True)) for kind in ("vertex", "edge")
        )
        if looks not in found:
            found[looks] = labelling_of(extractor, graphs)
        counter.set_labelling(found[looks])


def _counted(
    counters: list[FeatureCounter],
    graphs: Graphs,
    values: _Weights,
    known: Sequence[Histograms | None],
) -> list[Histograms]:
    """Return the histograms for each counter, whose thresholds are learned."""
    levels = [c.filtration.levels_of(values.of(c.filtration.weight)) for c in counters]
    keys = [
        _features_key(counter, entry, before)
        for counter, entry, before in zip(counters, levels, known, strict=True)
    ]
    result: dict[int, Histograms] = {}
    for key in dict.fromkeys(keys):
        members = [number for number, one in enumerate(keys) if one == key]
        deepest = max(members, key=lambda number: _depth(counters[number]))
        whole = counters[deepest]._counted(graphs, known[deepest], levels[deepest])
        by_depth = {_depth(counters[deepest]): whole}
        for number in members:
            depth = _depth(counters[number])
            if depth not in by_depth:
                by_depth[depth] = whole.up_to(depth)
            result[number] = by_depth[depth]
    return [result[number] for number in range(len(counters))]


def _features_key(
    counter: FeatureCounter, levels: NDArray[np.int32], known: Histograms | None
) -> Hashable:
    """Return what histograms of one batch depend on; depths that can be cut off do not count."""
    extractor = counter.extractor
    if _is_cut_by_depth(extractor):
        extractor = clone(extractor).set_params(depth=0)
    digest = hashlib.sha256(levels.tobytes()).digest()
    exact = known if getattr(extractor, "exact", False) else None
    return counter.filtration.n_levels_, digest, _key(extractor), id(exact)


def _depth(counter: FeatureCounter) -> int:
    """Return the depth of features; 0 where those of different depths are counted apart."""
    return int(counter.extractor.depth) if _is_cut_by_depth(counter.extractor) else 0


def _is_cut_by_depth(extractor: Any) -> bool:
    """Whether features of a small depth are a part of those of a great one, to the bit."""
    return type(extractor) is WeisfeilerLehman and not extractor.exact


def _key(value: Any) -> Hashable:
    """Return what is the same for weights, or extractors, that give the same."""
    if isinstance(value, BaseEstimator):
        parameters = value.get_params(deep=False).items()
        return type(value), tuple((name, _key(one)) for name, one in sorted(parameters))
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return type(value), value
    if isinstance(value, (list, tuple)):
        return type(value), tuple(map(_key, value))
    return "object", id(value)
