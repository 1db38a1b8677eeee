"""The Gram matrices of a grid of kernels, of which all are tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..arrays.checks import checked_integer, checked_list, checked_number
from ..filtration.thresholds import depends_on_n_levels
from ..graphs.as_graphs import as_graphs
from ..kernels.counting import decided, deepest, labelling_of
from ..kernels.gram import KernelOnHistograms
from ..kernels.kernel import FiltrationKernel
from ..kernels.normalised import gaussian_of
from .choice import weights_of
from .tried_grams import Filtered, TriedGrams

# What a classifier or a regressor tries if the user gives some of these values.
LEVELS, GAMMAS, CS = (1, 2, 3, 5, 8), (0.125, 1.0, 8.0), (0.5, 2.0, 8.0, 32.0, 256.0)
# Depths to try for Weisfeiler-Lehman labels, the default features.
DEPTHS = (1, 3, 5)
# Weights that a message names where a list of weights is needed.
WEIGHTS = ("degree", "walks")


class Grid(NamedTuple):
    """Values of which all combinations are tried.

    Attributes
    ----------
    levels : iterable of int
        Numbers of levels. Those that give the same thresholds as a smaller one are left out. If
        thresholds do not depend on it, there is only one: the number of thresholds.
    depths : iterable of int, or None
        Depths of features; None for that of the kernel's features.
    gammas : iterable of float
        With one level, gamma does not matter and only the smallest is taken.
    weights : sequence, optional
        Edge weights, in place of the kernel's; several joined by "+" are used together.
    rules : sequence of str, optional
        Rules for thresholds, in place of the kernel's.
    masses : sequence of str, optional
        In place of the kernel's.
    sigmas : sequence of float or None, optional
        Of the Gaussian on top; None is without one.
    """

    levels: Iterable[int] = LEVELS
    depths: Iterable[int] | None = None
    gammas: Iterable[float] = GAMMAS
    weights: Sequence[Any] | None = None
    rules: Sequence[str] | None = None
    masses: Sequence[str] | None = None
    sigmas: Sequence[float | None] | None = None


def filtration_grams(
    kernel: FiltrationKernel,
    graphs: Any,
    train: NDArray[np.intp] | None,
    grid: Grid,
    normalize: bool,
) -> Candidates:
    """Return the Gram matrices of all kernels of a grid, made one by one.

    Thresholds are learned from `train`, and an entry depends on these and its two graphs alone. So
    the other graphs have the rows that they would have as unseen graphs.

    Parameters
    ----------
    kernel : FiltrationKernel
        Has all parameters that are not varied; it is not changed.
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
    train : ndarray of int, or None
        Graphs that thresholds are learned from; None is all of them.
    grid : Grid
    normalize : bool
        Whether to divide by the kernel of each graph with itself. Several filtrations together, and
        those below a Gaussian, always are.

    Returns
    -------
    Candidates
        An iterable over (parameters, matrix) that knows its length. All matrices are written to
        the same memory.

    Examples
    --------
    >>> from grafik import FiltrationKernel, datasets
    >>> from grafik.models.gram_grid import Grid, filtration_grams
    >>> graphs, y = datasets.csl(copies=1)
    >>> kernel = FiltrationKernel(weight="triangles")
    >>> for parameters, K in filtration_grams(
    ...     kernel, graphs, None, Grid([1, 3, 9], [1], [0.5, 1]), True
    ... ):
    ...     print(parameters, K.shape)
    {'n_levels': 1, 'depth': 1, 'gamma': 0.5} (10, 10)
    {'n_levels': 3, 'depth': 1, 'gamma': 0.5} (10, 10)
    {'n_levels': 3, 'depth': 1, 'gamma': 1.0} (10, 10)
    """
    batch = as_graphs(graphs)
    if len(batch) == 0 or (train is not None and len(train) == 0):
        raise ValueError("at least one graph is needed to learn thresholds, got none")
    levels = checked_list("levels", grid.levels, LEVELS)
    numbers = sorted({checked_integer("a number of levels", n, 1) for n in levels})
    gammas = checked_list("gammas", grid.gammas, GAMMAS)
    rates = sorted({checked_number("gamma", gamma) for gamma in gammas})
    if "weight" not in kernel.get_params(deep=False):
        raise ValueError(f"{kernel} has no weight and no levels, so there is nothing to vary")
    extractor, steps = deepest(kernel.new_extractor(), grid.depths)
    several = [] if grid.weights is None else checked_list("weight", grid.weights, WEIGHTS)
    plain = (
        kernel if normalize is kernel.normalize else clone(kernel).set_params(normalize=normalize)
    )
    compared = KernelOnHistograms.of(plain)
    compared.refuse_too_large(len(batch), len(batch), more=len(steps) > 1)
    known = batch if train is None else batch[list(train)]
    extractor = decided(extractor, labelling_of(extractor, known))
    grams = TriedGrams(compared, extractor, batch, train)
    found = [
        one
        for weight in (several or [kernel.weight])
        for rule in ([kernel.thresholds] if grid.rules is None else grid.rules)
        for one in _filtrations(grams, weight, rule, numbers)
    ]
    return Candidates(grams, found, steps, rates, grid)


class _Built(NamedTuple):
    """One filtration or several together, and what they are called."""

    weight: Any
    rule: Any
    n_levels: int
    several: list[Filtered]


@dataclass(frozen=True)
class Candidates:
    """Gram matrices with their parameters, computed during the iteration."""

    grams: TriedGrams
    built: list[_Built]
    depths: Sequence[int | None]
    gammas: list[float]
    grid: Grid

    def __len__(self) -> int:
        each = len(self.depths) * len(self._masses) * len(self.grid.sigmas or [None])
        return each * sum(len(self._gammas(one)) for one in self.built)

    def __iter__(self) -> Iterator[tuple[dict[str, Any], NDArray[np.float64]]]:
        out = np.empty((len(self.grams.graphs),) * 2)
        top = np.empty_like(out) if self.grid.sigmas else out
        for one in self.built:
            for mass in self._masses:
                for depth, gamma, gram in self._matrices(one, mass, out):
                    parameters = self._parameters(one, mass, depth, gamma)
                    if not self.grid.sigmas:
                        yield parameters, gram
                    own = gram.diagonal().copy()
                    for sigma in self.grid.sigmas or ():
                        if sigma is not None:
                            gaussian_of(gram, sigma, own, own, top, self.grams.kernel.n_jobs)
                        yield {**parameters, "sigma": sigma}, gram if sigma is None else top

    def _matrices(
        self, one: _Built, mass: str, out: NDArray[np.float64]
    ) -> Iterator[tuple[int | None, float, NDArray[np.float64]]]:
        if len(one.several) == 1:
            yield from self.grams.each(one.several[0], mass, self.depths, self._gammas(one), out)
            return
        outs = [out, *(np.empty_like(out) for _ in self.depths[1:])]
        for gamma in self._gammas(one):
            self.grams.together(one.several, mass, self.depths, gamma, outs)
            for depth, gram in zip(self.depths, outs, strict=True):
                yield depth, gamma, gram

    def _parameters(
        self, one: _Built, mass: str, depth: int | None, gamma: float
    ) -> dict[str, Any]:
        found: dict[str, Any] = {} if self.grid.weights is None else {"weight": one.weight}
        if self.grid.rules is not None:
            found["thresholds"] = one.rule
        found["n_levels"] = one.n_levels
        if depth is not None:
            found["depth"] = depth
        found["gamma"] = gamma
        if self.grid.masses is not None:
            found["mass"] = mass
        return found

    @property
    def _masses(self) -> Sequence[str]:
        return [self.grams.kernel.mass] if self.grid.masses is None else self.grid.masses

    def _gammas(self, one: _Built) -> list[float]:
        flat = all(part.filtration.n_levels_ == 1 for part in one.several)
        return self.gammas[:1] if flat else self.gammas


def _filtrations(grams: TriedGrams, weight: Any, rule: Any, levels: list[int]) -> Iterator[_Built]:
    """Yield filtrations for each number of levels; those with equal thresholds come once."""
    seen = set[tuple[bytes, ...]]()
    for number in levels:
        several = [grams.filtered(one, rule, number) for one in weights_of(weight)]
        alphas = tuple(one.filtration.alphas_.tobytes() for one in several)
        if alphas not in seen:
            seen.add(alphas)
            most = max(one.filtration.n_levels_ for one in several)
            yield _Built(weight, rule, number if depends_on_n_levels(rule) else most, several)
