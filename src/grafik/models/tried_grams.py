"""Gram matrices of the kernels that are tried: what several of them need is computed once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..features.histograms import Histograms
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..kernels.counting import FeatureCounter
from ..kernels.gram import KernelOnHistograms
from ..kernels.matching import Pairs
from ..kernels.normalised import RunningMean
from ..system.memory_limits import available
from ..weights.computing import values

# Share of the free memory for what might be needed again.
_KEPT = 0.25
# Free memory where the system does not tell.
_UNKNOWN = 1e9
# Bytes of a row of histograms, and of a run in it.
_ROW, _RUN = 28, 12


class Filtered(NamedTuple):
    """Thresholds for one weight, and the level at which each edge of the batch enters."""

    weight: Any
    filtration: Filtration
    levels: NDArray[np.int32]

    @property
    def key(self) -> bytes:
        """Equal for filtrations that build up all graphs in the same way, on the same axis."""
        return self.filtration.alphas_.tobytes() + self.levels.tobytes()


class TriedGrams:
    """The Gram matrices of one batch for many filtrations, depths, gammas and masses.

    Weights of edges are computed once per weight, features are counted once per filtration, and
    matrices that are parts of several means are computed once, as long as there is memory for that.

    Parameters
    ----------
    kernel : KernelOnHistograms
        How histograms are compared; thresholds, gamma and mass are those of each call.
    extractor : extractor of :mod:`grafik.features`
        Set to the greatest depth.
    graphs : Graphs
    train : ndarray of int, or None
        Graphs that thresholds are learned from; None is all of them.
    """

    def __init__(
        self,
        kernel: KernelOnHistograms,
        extractor: Any,
        graphs: Graphs,
        train: NDArray[np.intp] | None = None,
    ) -> None:
        self.kernel, self.extractor, self.graphs, self.train = kernel, extractor, graphs, train
        self.known = graphs if train is None else graphs[list(train)]
        self._values = dict[Any, tuple[Any, NDArray[np.float64]]]()
        self._filtered = dict[Any, Filtered]()
        self._counted = dict[bytes, tuple[int | None, Histograms]]()
        self._steps = dict[bytes, list[tuple[tuple[int | None, ...], list[Pairs]]]]()
        self._kept = dict[Any, NDArray[np.float64]]()
        self._scratch = np.empty((0, 0))
        self._left = _KEPT * (available() or _UNKNOWN)

    def filtered(self, weight: Any, thresholds: Any, n_levels: int) -> Filtered:
        """Learn thresholds, and return the levels of all edges."""
        rule = thresholds if isinstance(thresholds, str) else tuple(thresholds)
        key = weight if isinstance(weight, str) else id(weight), rule, n_levels
        if key not in self._filtered:
            self._filtered[key] = self._build(weight, thresholds, n_levels)
        return self._filtered[key]

    def _build(self, weight: Any, thresholds: Any, n_levels: int) -> Filtered:
        values = self.values(weight)
        mine = values if self.train is None else _of_edges(values, self.graphs, self.train)
        filtration = Filtration(weight, thresholds, n_levels)
        filtration.learn(mine, self.known)
        return Filtered(weight, filtration, filtration.levels_of(values))

    def values(self, weight: Any) -> NDArray[np.float64]:
        """Return the weights of all edges, computed once."""
        key = weight if isinstance(weight, str) else id(weight)
        if key not in self._values:
            self._values[key] = weight, values(weight, self.graphs)
        return self._values[key][1]

    def each(
        self,
        filtered: Filtered,
        mass: str,
        depths: Sequence[int | None],
        gammas: Sequence[float],
        out: NDArray[np.float64],
    ) -> Iterator[tuple[int | None, float, NDArray[np.float64]]]:
        """Yield the matrices of one filtration, for every gamma all depths, all in `out`."""
        return self._kernel(filtered, mass).grid(
            self._histograms(filtered, depths[-1]), depths, gammas, out
        )

    def one(
        self, filtered: Filtered, mass: str, depths: Sequence[int | None], gamma: float
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the matrix of one filtration for each depth; the next may overwrite it."""
        key = filtered.key, mass, gamma
        missing = [depth for depth in depths if (*key, depth) not in self._kept]
        found = iter(list[NDArray[np.float64]]())
        keep = bool(missing) and self._reserve(len(missing) * 8.0 * len(self.graphs) ** 2)
        if missing:
            found = self._computed(filtered, mass, missing, gamma, keep)
        for depth in depths:
            if depth not in missing:
                yield self._kept[*key, depth]
                continue
            gram = next(found)
            if keep:
                self._kept[*key, depth] = gram
            yield gram

    def together(
        self,
        several: Sequence[Filtered],
        mass: str,
        depths: Sequence[int | None],
        gamma: float,
        outs: Sequence[NDArray[np.float64]],
    ) -> None:
        """Write the mean over several filtrations to a matrix for each depth."""
        means = [RunningMean(out, self.kernel.n_jobs) for out in outs]
        for filtered in several:
            for mean, gram in zip(means, self.one(filtered, mass, depths, gamma), strict=True):
                own = None if self.kernel.normalize else gram.diagonal().copy()
                mean.add(gram, rows=own, columns=own)
        for mean in means:
            mean.finished()

    def _computed(
        self,
        filtered: Filtered,
        mass: str,
        depths: Sequence[int | None],
        gamma: float,
        keep: bool,
    ) -> Iterator[NDArray[np.float64]]:
        if not keep and not len(self._scratch):
            self._scratch = np.empty((len(self.graphs),) * 2)
        out, kernel = None if keep else self._scratch, self._kernel(filtered, mass)
        x = self._histograms(filtered, depths[-1])
        through, steps = self._matched(filtered, kernel, x, depths)
        grid = kernel.grid(x, through, [gamma], out, steps, wanted=depths)
        yield from (gram for _, _, gram in grid)

    def _matched(
        self,
        filtered: Filtered,
        kernel: KernelOnHistograms,
        x: Histograms,
        depths: Sequence[int | None],
    ) -> tuple[Sequence[int | None], list[Pairs]]:
        """Match features from depth to depth, unless that was done for these depths and others."""
        for known, steps in self._steps.get(filtered.key, []):
            if set(depths) <= set(known):
                through = known[: known.index(depths[-1]) + 1]
                return through, steps[: len(through)]
        steps = kernel.steps(x, depths)
        if self._reserve(sum(map(_size, steps))):
            self._steps.setdefault(filtered.key, []).append((tuple(depths), steps))
        return depths, steps

    def histograms_of(self, filtered: Filtered, depth: int | None, which: list[int]) -> Histograms:
        """Return the histograms of some graphs, up to a depth."""
        found = self._histograms(filtered, depth).of_graphs(np.array(which))
        return found if depth is None else found.up_to(depth)

    def _kernel(self, filtered: Filtered, mass: str) -> KernelOnHistograms:
        return replace(self.kernel, mass=mass, alphas=filtered.filtration.alphas_)

    def _histograms(self, filtered: Filtered, depth: int | None) -> Histograms:
        """Count the features up to a depth, unless that was done before."""
        known, found = self._counted.get(filtered.key, (None, None))
        if found is not None and (depth is None or (known is not None and known >= depth)):
            return found
        extractor = clone(self.extractor, safe=False)
        if depth is not None:
            extractor.set_params(depth=depth)
        counter = FeatureCounter(filtered.filtration, extractor, self.kernel.n_jobs)
        found = counter.count(self.graphs, levels=filtered.levels)
        # Ordered by feature, they take as much again.
        if self._reserve(2.0 * (_ROW * len(found.features) + _RUN * len(found.run_levels))):
            self._counted[filtered.key] = depth, found
        return found

    def _reserve(self, size: float) -> bool:
        """Tell whether there is room to keep something, and take that room."""
        fits = size <= self._left
        self._left -= size if fits else 0.0
        return fits


def _size(pairs: Pairs) -> float:
    sides = (pairs.x,) if pairs.half else (pairs.x, pairs.y)
    own = sum(one.profiles.lines.nbytes + one.class_ptr.nbytes + one.origin.nbytes for one in sides)
    return float(pairs.distances.nbytes + pairs.table_ptr.nbytes + own)


def _of_edges(values: NDArray[Any], graphs: Graphs, which: Iterable[Any]) -> NDArray[Any]:
    """Return the numbers of the edges of some graphs, in the order of these graphs."""
    parts = [values[graphs.edge_ptr[g] : graphs.edge_ptr[g + 1]] for g in which]
    return np.concatenate([values[:0], *parts])
