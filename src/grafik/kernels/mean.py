"""MeanKernel: the mean of several kernels, each normalised."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..weights.several import several_weights
from .combined import CombinedKernel, check_part
from .combined_gram import Compared, MeanOnHistograms
from .kernel import FiltrationKernel

# If all weights are smaller, a power of 2 makes them larger: their products would vanish.
_TINY = 2.0**-500


class MeanKernel(CombinedKernel):
    r"""Mean of normalised kernels: several filtrations, or a filtration beside other features.

    .. math:: K(G, G') = \sum_i w_i \, \frac{K_i(G, G')}{\sqrt{K_i(G, G) \, K_i(G', G')}}, \qquad
              \sum_i w_i = 1

    It is positive semi-definite if its parts are. A part adds nothing for a graph that has no
    features in it, so the kernel of such a graph with itself is less than 1.

    Parameters
    ----------
    parts : list or str
        Kernels, or pairs of a name and a kernel: :class:`grafik.FiltrationKernel`, kernels of
        :mod:`grafik.baselines`, other means and Gaussians, or estimators of scikit-learn's form
        with `fit`, `transform` and `diagonal`. They count as normalised, whatever their parameter
        `normalize` says. A text such as ``"degree+curvature"`` stands for filtration kernels with
        these weights.
    weights : list of float, or None
        How much each part counts, positive; they are divided by their sum. None is equally much.
    n_jobs : int or None
        Number of threads, for parts that do not say it themselves; None is one, -1 as many as there
        are processors. The result is the same for any number.

    Attributes
    ----------
    parts_ : list of (str, kernel)
        The fitted parts, with their names.

    Examples
    --------
    >>> from grafik import FiltrationKernel, MeanKernel, datasets
    >>> from grafik.baselines import ShortestPath
    >>> graphs, y = datasets.triangle_pair()
    >>> MeanKernel([FiltrationKernel(weight="triangles"), ShortestPath()]).fit_transform(graphs)
    array([[1.        , 0.82142857],
           [0.82142857, 1.        ]])

    Parameters of parts are set by name, as in scikit-learn's ``FeatureUnion``:

    >>> kernel = MeanKernel.of_weights("degree+curvature", n_levels=4)
    >>> kernel.set_params(curvature__gamma=8.0).get_params()["curvature__gamma"]
    8.0
    >>> [name for name, part in kernel.fit(graphs).parts_]
    ['degree', 'curvature']
    """

    def __init__(
        self,
        parts: Any,
        weights: Sequence[float] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.parts = parts
        self.weights = weights
        self.n_jobs = n_jobs

    @classmethod
    def of_weights(
        cls,
        weight: str,
        *,
        weights: Sequence[float] | None = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> MeanKernel:
        """Return the mean of filtration kernels with several weights.

        Parameters
        ----------
        weight : str
            Names of weights with a plus between them, as in ``"degree+curvature+jaccard"``.
        weights, n_jobs
            As for :class:`MeanKernel`.
        **options
            Parameters of :class:`grafik.FiltrationKernel`, the same for all.

        Examples
        --------
        >>> from grafik import MeanKernel
        >>> MeanKernel.of_weights("degree+core", gamma=8.0)
        MeanKernel(parts=[('degree', FiltrationKernel(gamma=8.0)),
                          ('core', FiltrationKernel(gamma=8.0, weight='core'))])
        """
        names = several_weights(weight)
        parts = [(name, FiltrationKernel(weight=name, **options)) for name in names]
        return cls(parts, weights, n_jobs)

    def learned(self, parts: Sequence[Any]) -> MeanKernel:
        """Return a fitted copy of the kernel; for code that builds on it.

        Parameters
        ----------
        parts : list of kernels, or of pairs of a name and a kernel
            Fitted to the same graphs, one for each part, in the order of `parts`.
        """
        names = [name for name, _ in self._named()]
        if len(parts) != len(names):
            raise ValueError(f"{len(names)} fitted parts are needed, got {len(parts)}")
        kernels = [part[1] if isinstance(part, tuple) else part for part in parts]
        twin: MeanKernel = self._learned(list(zip(names, kernels, strict=True)))
        return twin

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, also those of parts, by ``name__parameter``.

        Parameters
        ----------
        deep : bool
            Whether to return those of parts too.

        Returns
        -------
        dict
        """
        found: dict[str, Any] = super().get_params(deep=False)
        if not deep:
            return found
        try:
            named = self._named()
        except (TypeError, ValueError):
            return (
                found  # `fit` explains what is wrong; here it would keep a kernel from being shown
            )
        for name, part in named:
            found[name] = part
            inner = part.get_params(deep=True).items()
            found |= {f"{name}__{key}": value for key, value in inner}
        return found

    def set_params(self, **params: Any) -> MeanKernel:
        """Set parameters, parts by name, and those of parts by ``name__parameter``.

        Returns
        -------
        MeanKernel
            Itself.
        """
        own = self._get_param_names()
        before = {name: getattr(self, name) for name in own}
        try:
            for name in own:
                if name in params:
                    setattr(self, name, params.pop(name))
            if params:
                named = self._named()
                replaced = {name: params.pop(name) for name, _ in named if name in params}
                self.parts = [(name, replaced.get(name, part)) for name, part in named]
                super().set_params(**params)
        except Exception:
            for name, value in before.items():
                setattr(self, name, value)
            raise
        return self

    def _named(self) -> list[tuple[str, Any]]:
        parts = self.parts
        if isinstance(parts, str):
            parts = [FiltrationKernel(weight=name) for name in several_weights(parts)]
        if not isinstance(parts, (list, tuple)) or len(parts) == 0:
            raise ValueError(
                "parts must be a list of kernels, or of pairs of a name and a kernel, or a text "
                f"such as 'degree+curvature', got {parts!r}"
            )
        pairs = [part if _is_pair(part) else (None, part) for part in parts]
        for number, (name, part) in enumerate(pairs):
            check_part(f"part {number if name is None else repr(name)}", part)
        taken = {name for name, _ in pairs if name is not None}
        made = _made([None if name else _base_name(part) for name, part in pairs], taken)
        named = [(name or made[i], part) for i, (name, part) in enumerate(pairs)]
        names = [name for name, _ in named]
        for name in names:
            if "__" in name or name in self._get_param_names():
                raise ValueError(
                    f"a part cannot be called {name!r}; choose a name without __ that is none of "
                    f"{', '.join(self._get_param_names())}"
                )
            if names.count(name) > 1:
                raise ValueError(f"two parts are called {name!r}; names must differ")
        return named

    def _take(self, fitted: list[tuple[str, Any]]) -> None:
        self.parts_ = fitted

    def _kept(self) -> list[tuple[str, Any]]:
        return self.parts_

    def _compared(self, parts: tuple[Compared, ...]) -> MeanOnHistograms:
        return MeanOnHistograms(parts, self._checked_weights(len(parts)), self.n_jobs)

    def _checked_weights(self, n: int) -> tuple[float, ...]:
        if self.weights is None:
            return (1.0,) * n
        try:
            found = np.asarray(self.weights, np.float64)
            numbers = all(map(_is_number, self.weights))
        except (TypeError, ValueError):
            found, numbers = np.empty(0), False
        fine = numbers and found.shape == (n,) and np.isfinite(found).all() and (found > 0).all()
        if not fine or not math.isfinite(sum(found.tolist())):
            raise ValueError(
                f"weights must be {n} positive finite number{'' if n == 1 else 's'}, one for each "
                f"part, or None, got {self.weights!r}"
            )
        if found.max() < _TINY:
            found = np.ldexp(found, -np.frexp(found.max())[1])
        return tuple(found.tolist())


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_pair(part: Any) -> bool:
    return isinstance(part, (tuple, list)) and len(part) == 2 and isinstance(part[0], str)


def _base_name(part: Any) -> str:
    """Return the name of a part without one: its weight, or else its class in small letters."""
    if type(part) is not FiltrationKernel:
        return type(part).__name__.lower()
    weight: Any = part.weight
    if isinstance(weight, BaseEstimator):
        return type(weight).__name__.lower()
    named: str = weight if isinstance(weight, str) else getattr(weight, "__name__", "kernel")
    return named


def _made(names: list[str | None], taken: set[str]) -> list[str]:
    """Return names that are not taken, numbered where several are the same."""
    times, number, result = Counter(names), Counter[str](), list[str]()
    for name in names:
        if name is None:
            result.append("")
            continue
        made = name
        while made in taken or (made == name and times[name] > 1):
            number[name] += 1
            made = f"{name}-{number[name]}"
        result.append(made)
    return result
