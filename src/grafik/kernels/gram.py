"""The filtration kernel of graphs whose features are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_bool, checked_number
from ..features.histograms import Histograms
from ..filtration.axis import Axis
from ..system.memory import memory_for, refuse_large_gram
from .matching import Pairs, matched
from .sums import RunningSums, add_up, normalise, sum_diagonal, sum_gram

# Greater than every depth.
_ALL = np.iinfo(np.int32).max
# Peak memory of computing one matrix, in matrices of its size.
_MATRICES = {"sum": 1, "product": 12}

# What to do where the system gives no memory for a matrix.
WAY_OUT = "compare fewer graphs at a time, or write the matrix to a file: kernel.gram_to"


@dataclass(frozen=True)
class KernelOnHistograms:
    """How histograms are compared: all that a kernel value depends on besides the two graphs.

    It holds no graph and no user code, so it can be sent to any worker.

    Parameters
    ----------
    scale, gamma, combine, beta, alpha_delta, normalize, n_jobs, mass
        As for :class:`grafik.FiltrationKernel`.
    alphas : ndarray of shape (n_levels,)
        Thresholds, decreasing.

    Examples
    --------
    >>> from grafik import FiltrationKernel, datasets
    >>> graphs, y = datasets.triangle_pair()
    >>> kernel = FiltrationKernel(weight="triangles", normalize=True).fit(graphs)
    >>> x = kernel.histograms_
    >>> (kernel.on_histograms().gram(x, x) == kernel.fit_transform(graphs)).all()
    np.True_
    """

    scale: str
    gamma: float
    combine: str
    beta: float
    alpha_delta: float | None
    normalize: bool
    n_jobs: int | None
    mass: str
    alphas: NDArray[np.float64]

    @classmethod
    def of(cls, estimator: Any) -> KernelOnHistograms:
        """Check the parameters of an estimator, and return its kernel, not yet with thresholds.

        For a sum, the estimator needs only scale, gamma, normalize and n_jobs.
        """
        combine = getattr(estimator, "combine", "sum")
        mass = getattr(estimator, "mass", "linear")
        _check_word("combine", combine, "sum", "product")
        _check_word("mass", mass, "linear", "min")
        if combine == "product" and mass == "min":
            raise ValueError(
                "mass='min' is for sums, but combine is 'product', which compares masses by beta; "
                "set combine='sum' or mass='linear'"
            )
        _check_word("scale", estimator.scale, "unit", "raw")
        alpha_delta = getattr(estimator, "alpha_delta", None)
        if alpha_delta is not None:
            alpha_delta = checked_number("alpha_delta", alpha_delta, least=-np.inf)
        return cls(
            scale=estimator.scale,
            gamma=checked_number("gamma", estimator.gamma),
            combine=combine,
            beta=checked_number("beta", getattr(estimator, "beta", 1.0)),
            alpha_delta=alpha_delta,
            normalize=checked_bool("normalize", estimator.normalize),
            n_jobs=estimator.n_jobs,
            mass=mass,
            alphas=np.zeros(1),
        )

    def at(self, alphas: NDArray[np.float64]) -> KernelOnHistograms:
        """Return the same kernel for other thresholds."""
        return replace(self, alphas=alphas)

    def normalised(self) -> KernelOnHistograms:
        """Return the same kernel, normalised."""
        return replace(self, normalize=True)

    @cached_property
    def axis(self) -> Axis:
        """The axis on which distances are measured."""
        delta = self.alpha_delta if self.combine == "product" else None
        return Axis.of(self.alphas, self.scale, delta)

    @property
    def rate(self) -> float:
        """Gamma for distances on the axis."""
        return self.axis.rate(self.gamma)

    @property
    def smaller(self) -> bool:
        """Whether of two masses the smaller one counts, and not their product."""
        return self.mass == "min"

    @property
    def n_matrices(self) -> int:
        """Peak memory of computing one matrix, in matrices of its size."""
        return _MATRICES[self.combine]

    def refuse_too_large(self, n_rows: int, n_columns: int, more: int = 0) -> None:
        """Refuse a matrix that does not fit in memory together with `more` others."""
        refuse_large_gram(n_rows, n_columns, self.n_matrices + more)

    @memory_for("comparing graphs", WAY_OUT)
    def gram(self, x: Histograms, y: Histograms) -> NDArray[np.float64]:
        """Return the kernel of each graph of `x` with each of `y`."""
        if self.combine == "product":
            return self._product(x, y, self.gamma)
        how: dict[str, Any] = {"smaller": self.smaller, "n_jobs": self.n_jobs}
        matrix = sum_gram(x, y, self.axis.points, self.rate, **how)
        if self.normalize:
            normalise(matrix, self.self_similarities(x), self.self_similarities(y))
        return matrix

    def self_similarities(self, x: Histograms) -> NDArray[np.float64]:
        """Return the kernel of each graph with itself, before it is normalised."""
        if self.combine == "product":
            return np.ones(len(x))
        return sum_diagonal(x, smaller=self.smaller)

    def grid(
        self,
        x: Histograms,
        depths: Sequence[int | None],
        gammas: Sequence[float],
        out: NDArray[np.float64] | None = None,
        steps: Sequence[Pairs] | None = None,
        wanted: Sequence[int | None] | None = None,
    ) -> Iterator[tuple[int | None, float, NDArray[np.float64]]]:
        """Yield the Gram matrices for every gamma and all depths, increasing.

        Parameters
        ----------
        x : Histograms
            With features of all depths.
        depths : sequence of int or None
            Features up to this depth count; None is all features.
        gammas : sequence of float
        out : ndarray of float64, shape (n_graphs, n_graphs), optional
            Matrix that each result is written to, instead of a new one.
        steps : sequence of Pairs, optional
            What :meth:`steps` returned for the same histograms, depths and thresholds.
        wanted : sequence of int or None, optional
            Only matrices of these depths are finished and yielded; by default all.
        """
        wanted = depths if wanted is None else wanted
        if self.combine == "product":
            parts = [x if depth is None else x.up_to(depth) for depth in wanted]
            for gamma in gammas:
                for depth, part in zip(wanted, parts, strict=True):
                    matrix = self._product(part, part, gamma)
                    if out is not None:
                        out[:] = matrix
                    yield depth, gamma, matrix if out is None else out
            return
        steps = self.steps(x, depths) if steps is None else steps
        sums = RunningSums(len(x), len(steps))
        owns = {depth: sum_diagonal(x, depth, self.smaller) for depth in wanted}
        for gamma in gammas:
            for step, (depth, pairs) in enumerate(zip(depths, steps, strict=True)):
                matrix = np.empty((len(x),) * 2) if out is None else out
                rate = self.axis.rate(gamma)
                add_up(pairs, rate, matrix, self.n_jobs, sums.at(step), self.smaller)
                if depth not in wanted:
                    continue
                np.fill_diagonal(matrix, owns[depth])
                if self.normalize:
                    normalise(matrix, owns[depth], owns[depth])
                yield depth, gamma, matrix

    def steps(self, x: Histograms, depths: Sequence[int | None]) -> list[Pairs]:
        """Match the features of graphs with each other, from one depth to the next.

        This depends neither on gamma nor on how masses are compared. For products it is empty.
        """
        if self.combine == "product":
            return []
        above = [_ALL if depth is None else depth + 1 for depth in depths]
        return [
            matched(x, x, self.axis.points, self.n_jobs, between)
            for between in pairwise([0, *above])
        ]

    def _product(self, x: Histograms, y: Histograms, gamma: float) -> NDArray[np.float64]:
        points, _, delta = axis = self.axis
        from .products import product_gram

        return product_gram(x, y, points, axis.rate(gamma), self.beta, delta, n_jobs=self.n_jobs)


def _check_word(name: str, value: Any, one: str, other: str) -> None:
    """Refuse what is neither of two words."""
    if not isinstance(value, str) or value not in (one, other):
        raise ValueError(f"{name} must be {one!r} or {other!r}, got {value!r}")
