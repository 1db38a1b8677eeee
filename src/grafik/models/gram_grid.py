"""Which Gram matrices of filtration kernels are tried when one is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..arrays.checks import checked_integer, checked_number
from ..filtration.filtration import choose_alphas
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..kernels.kernel import FiltrationKernel
from ..weights import compute


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

    Thresholds are learned from `train`, and an entry depends on these and its two graphs alone; so
    the rows of the other graphs are those that they would have as unseen graphs.

    Parameters
    ----------
    kernel : FiltrationKernel
        Says all that is not varied; it is not changed.
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
    train : ndarray of int, or None
        From which graphs thresholds are learned; None is all of them.
    levels : iterable of int
        Numbers of levels. Those that give the same thresholds as a smaller one are left out. Where
        thresholds do not depend on it, there is one, which is how many there are.
    depths : iterable of int, or None
        Depths of features; None for that of the kernel's features.
    gammas : iterable of float
        Where there is one level, gamma does not matter and only the smallest is taken.
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
    known = batch if train is None else batch[list(train)]
    if len(known) == 0:
        raise ValueError("at least one graph is needed to learn thresholds, got none")
    numbers = sorted({checked_integer("a number of levels", n, 1) for n in levels})
    rates = sorted({checked_number("gamma", gamma) for gamma in gammas})
    steps = None if depths is None else sorted({checked_integer("a depth", d, 0) for d in depths})
    for name, given in (("levels", numbers), ("gammas", rates), ("depths", steps)):
        if given == []:
            raise ValueError(f"{name} must hold at least one number, got none")
    template = clone(kernel).set_params(normalize=normalize)
    found = [
        filtration
        for weight in ([kernel.weight] if weights is None else weights)
        for filtration in _filtrations(template, weight, batch, known, train, numbers)
    ]
    return Candidates(template, batch, found, steps, rates, weights is not None)


def simplest(parameters: dict[str, Any]) -> tuple[Any, ...]:
    """Return what orders parameters: few levels, then a small depth, then a small gamma."""
    return tuple(parameters.get(name, 0) for name in ("n_levels", "depth", "gamma"))


@dataclass(frozen=True)
class _Filtration:
    weight: Any
    values: NDArray[np.float64]
    n_levels: int
    alphas: NDArray[np.float64]


@dataclass(frozen=True)
class Candidates:
    """Gram matrices with their parameters, made while one iterates over them."""

    kernel: FiltrationKernel
    graphs: Graphs
    filtrations: list[_Filtration]
    depths: list[int] | None
    gammas: list[float]
    several_weights: bool

    def __len__(self) -> int:
        n_depths = 1 if self.depths is None else len(self.depths)
        return n_depths * sum(len(self._gammas(f)) for f in self.filtrations)

    def __iter__(self) -> Iterator[tuple[dict[str, Any], NDArray[np.float64]]]:
        out = np.empty((len(self.graphs),) * 2)
        for filtration in self.filtrations:
            kernel = clone(self.kernel).set_params(
                weight=_Known(filtration.values), thresholds=filtration.alphas.tolist()
            )
            grid = kernel.gram_grid(self.graphs, self.depths, self._gammas(filtration), out=out)
            for depth, gamma, gram in grid:
                parameters = {"weight": filtration.weight} if self.several_weights else {}
                parameters["n_levels"] = filtration.n_levels
                if depth is not None:
                    parameters["depth"] = depth
                yield {**parameters, "gamma": gamma}, gram

    def _gammas(self, filtration: _Filtration) -> list[float]:
        return self.gammas[:1] if len(filtration.alphas) == 1 else self.gammas


class _Known:
    """Edge weights that were computed before, for the one batch that they belong to."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.values = values

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        return self.values

    def __deepcopy__(self, memo: object) -> _Known:
        return self


def _filtrations(
    kernel: FiltrationKernel,
    weight: Any,
    graphs: Graphs,
    known: Graphs,
    train: NDArray[np.intp] | None,
    levels: list[int],
) -> Iterator[_Filtration]:
    """Choose thresholds for each number of levels, each set of thresholds once."""
    values = compute(weight, graphs)
    mine = values if train is None else _of_edges(values, graphs, train)
    counted = isinstance(kernel.thresholds, str) and kernel.thresholds != "distinct"
    seen = set[bytes]()
    for number in levels:
        alphas = choose_alphas(mine, known, kernel.thresholds, number)
        if alphas.tobytes() not in seen:
            seen.add(alphas.tobytes())
            yield _Filtration(weight, values, number if counted else len(alphas), alphas)


def _of_edges(
    values: NDArray[np.float64], graphs: Graphs, which: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the weights of the edges of some graphs, in the order of these."""
    return np.concatenate([values[graphs.edge_ptr[g] : graphs.edge_ptr[g + 1]] for g in which])
