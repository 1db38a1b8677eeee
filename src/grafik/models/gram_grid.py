"""The Gram matrices of filtration kernels that are tried when one is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..arrays.checks import checked_integer, checked_number
from ..filtration.filtration import Filtration
from ..filtration.thresholds import choose_alphas, depends_on_n_levels
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..kernels.counting import FeatureCounter, decided, deepest, labelling_of
from ..kernels.gram import KernelOnHistograms
from ..kernels.kernel import FiltrationKernel
from ..weights import compute

# What a classifier or a regressor tries by default.
LEVELS, GAMMAS, CS = (1, 2, 3, 5, 8), (0.125, 1.0, 8.0), (0.5, 2.0, 8.0, 32.0, 256.0)
# Depths to try for Weisfeiler-Lehman labels, the default features.
DEPTHS = (1, 3, 5)


def filtration_grams(
    kernel: FiltrationKernel,
    graphs: Any,
    train: NDArray[np.intp] | None,
    levels: Iterable[int],
    depths: Iterable[int] | None,
    gammas: Iterable[float],
    normalize: bool,
    weights: Sequence[Any] | None = None,
) -> Candidates:
    """Return the Gram matrices for all numbers of levels, depths and gammas, made one by one.

    Thresholds are learned from `train`, and an entry depends on these and its two graphs alone. So
    the other graphs have the rows that they would have as unseen graphs.

    Parameters
    ----------
    kernel : FiltrationKernel
        Has all parameters that are not varied; it is not changed.
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
    train : ndarray of int, or None
        Graphs that thresholds are learned from; None is all of them.
    levels : iterable of int
        Numbers of levels. Those that give the same thresholds as a smaller one are left out. If
        thresholds do not depend on it, there is only one: the number of thresholds.
    depths : iterable of int, or None
        Depths of features; None for that of the kernel's features.
    gammas : iterable of float
        With one level, gamma does not matter and only the smallest is taken.
    normalize : bool
        Whether to divide by the kernel of each graph with itself.
    weights : sequence, optional
        Edge weights to try, in place of the kernel's.

    Returns
    -------
    Candidates
        An iterable over (parameters, matrix) that knows its length. All matrices are written to
        the same memory.

    Examples
    --------
    >>> from grafik import FiltrationKernel, datasets
    >>> from grafik.models.gram_grid import filtration_grams
    >>> graphs, y = datasets.csl(copies=1)
    >>> kernel = FiltrationKernel(weight="triangles")
    >>> for parameters, K in filtration_grams(kernel, graphs, None, [1, 3, 9], [1], [0.5, 1], True):
    ...     print(parameters, K.shape)
    {'n_levels': 1, 'depth': 1, 'gamma': 0.5} (10, 10)
    {'n_levels': 3, 'depth': 1, 'gamma': 0.5} (10, 10)
    {'n_levels': 3, 'depth': 1, 'gamma': 1.0} (10, 10)
    """
    batch = as_graphs(graphs)
    if len(batch) == 0 or (train is not None and len(train) == 0):
        raise ValueError("at least one graph is needed to learn thresholds, got none")
    numbers = sorted({checked_integer("a number of levels", n, 1) for n in levels})
    rates = sorted({checked_number("gamma", gamma) for gamma in gammas})
    if "weight" not in kernel.get_params(deep=False):
        raise ValueError(f"{kernel} has no weight and no levels, so there is nothing to vary")
    extractor, steps = deepest(kernel.new_extractor(), depths)
    for name, given in (("levels", numbers), ("gammas", rates), ("depths", steps)):
        if not given:
            raise ValueError(f"{name} must hold at least one number, got none")
    compared = KernelOnHistograms.of(clone(kernel).set_params(normalize=normalize))
    compared.refuse_too_large(len(batch), len(batch), more=len(steps) > 1)
    known = batch if train is None else batch[list(train)]
    extractor = decided(extractor, labelling_of(extractor, known))
    found = [
        filtered
        for weight in ([kernel.weight] if weights is None else weights)
        for filtered in _filtrations(weight, kernel.thresholds, batch, known, train, numbers)
    ]
    return Candidates(compared, extractor, batch, found, steps, rates, weights is not None)


def simplest(parameters: dict[str, Any]) -> tuple[Any, ...]:
    """Return a key that sorts parameters by the number of levels, then depth, then gamma."""
    return tuple(parameters.get(name, 0) for name in ("n_levels", "depth", "gamma"))


class _Filtered(NamedTuple):
    """Thresholds for one weight, and the level at which each edge of the batch enters."""

    weight: Any
    n_levels: int
    filtration: Filtration
    levels: NDArray[np.int32]


@dataclass(frozen=True)
class Candidates:
    """Gram matrices with their parameters, computed during the iteration."""

    kernel: KernelOnHistograms
    extractor: Any
    graphs: Graphs
    filtered: list[_Filtered]
    depths: Sequence[int | None]
    gammas: list[float]
    several_weights: bool

    def __len__(self) -> int:
        return len(self.depths) * sum(len(self._gammas(one.filtration)) for one in self.filtered)

    def __iter__(self) -> Iterator[tuple[dict[str, Any], NDArray[np.float64]]]:
        out = np.empty((len(self.graphs),) * 2)
        for weight, n_levels, filtration, levels in self.filtered:
            counter = FeatureCounter(
                filtration, clone(self.extractor, safe=False), self.kernel.n_jobs
            )
            x = counter.count(self.graphs, levels=levels)
            kernel, gammas = self.kernel.at(filtration.alphas_), self._gammas(filtration)
            for depth, gamma, gram in kernel.grid(x, self.depths, gammas, out):
                parameters = {"weight": weight} if self.several_weights else {}
                parameters["n_levels"] = n_levels
                if depth is not None:
                    parameters["depth"] = depth
                yield {**parameters, "gamma": gamma}, gram

    def _gammas(self, filtration: Filtration) -> list[float]:
        return self.gammas[:1] if filtration.n_levels_ == 1 else self.gammas


def _filtrations(
    weight: Any,
    thresholds: str | Sequence[float],
    graphs: Graphs,
    known: Graphs,
    train: NDArray[np.intp] | None,
    levels: list[int],
) -> Iterator[_Filtered]:
    """Yield a filtration for each number of levels; those with equal thresholds come once."""
    values = compute(weight, graphs)
    mine = values if train is None else _of_edges(values, graphs, train)
    seen = set[bytes]()
    for number in levels:
        filtration = Filtration(weight, thresholds, number)
        filtration.alphas_ = choose_alphas(mine, known, thresholds, number)
        if filtration.alphas_.tobytes() not in seen:
            seen.add(filtration.alphas_.tobytes())
            counted = number if depends_on_n_levels(thresholds) else filtration.n_levels_
            yield _Filtered(weight, counted, filtration, filtration.levels_of(values))


def _of_edges(
    values: NDArray[np.float64], graphs: Graphs, which: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the weights of the edges of some graphs, in the order of these graphs."""
    return np.concatenate([values[graphs.edge_ptr[g] : graphs.edge_ptr[g + 1]] for g in which])
