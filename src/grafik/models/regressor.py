"""FiltrationRegressor: graphs in, numbers out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from .model import FiltrationModel
from .svm import MAX_ITER, centre
from .targets import as_numbers, refuse_pair
from .training import Training


class FiltrationRegressor(RegressorMixin, FiltrationModel):
    """Predict a number for each graph by a filtration kernel and support vector regression.

    The kernel and `C` are chosen as by :class:`grafik.FiltrationClassifier`, which has the same
    parameters, but for `class_weight`, and attributes; scores are R^2 unless `scoring` asks for
    something else. The target is standardised, so that `C` means the
    same in every unit.

    Examples
    --------
    >>> from grafik import FiltrationRegressor, datasets
    >>> graphs, _ = datasets.random_graphs(60, n_nodes=20, density=(0.1, 0.4))
    >>> model = FiltrationRegressor(levels=[1], depths=[0, 1]).fit(graphs[:40], graphs.n_edges[:40])
    >>> model.score(graphs[40:], graphs.n_edges[40:]) > 0.9
    True
    """

    _regression = True

    mean_: float
    scale_: float

    def __init__(
        self,
        features: Any = None,
        weight: Any = None,
        thresholds: Any = None,
        scale: str = "unit",
        combine: str = "sum",
        beta: float = 1.0,
        normalize: bool = True,
        levels: Iterable[int] | None = None,
        depths: Iterable[int] | None = None,
        gammas: Iterable[float] | None = None,
        Cs: Iterable[float] | None = None,
        scoring: Any = None,
        cv: Any = None,
        max_iter: int = MAX_ITER,
        random_state: Any = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
        mass: Any = None,
        sigmas: Iterable[float | None] | None = None,
        effort: str = "standard",
        max_seconds: float | None = None,
    ) -> None:
        self.features = features
        self.weight = weight
        self.thresholds = thresholds
        self.scale = scale
        self.combine = combine
        self.beta = beta
        self.normalize = normalize
        self.levels = levels
        self.depths = depths
        self.gammas = gammas
        self.Cs = Cs
        self.scoring = scoring
        self.cv = cv
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.mass = mass
        self.sigmas = sigmas
        self.effort = effort
        self.max_seconds = max_seconds

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FiltrationRegressor:
        """Choose the kernel and fit the machine.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : sequence of float
            The target of each graph.
        sample_weight : sequence of float, optional
            As for :meth:`grafik.FiltrationClassifier.fit`. The target is standardised by its
            weighted mean and deviation.

        Returns
        -------
        FiltrationRegressor
            Itself.
        """
        refuse_pair(X, y)
        training = Training.of(X, as_numbers(y), sample_weight)
        with np.errstate(over="ignore", invalid="ignore"):
            mean, scale = centre(training.y, training.samples)
        if not np.isfinite([mean, scale]).all():
            raise ValueError(
                f"targets up to {np.abs(training.y).max():.3g} are too large; divide them"
            )
        standard = (training.y - mean) / scale
        learned, _, _ = self._learn(training, standard, training.weighted())
        # All at once, so that a fit that fails leaves the model as it was.
        self.__dict__.update(learned, mean_=mean, scale_=scale)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted number for each graph.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes

        Returns
        -------
        ndarray of shape (n_graphs,)
        """
        found = self._decide(X)
        return found * self.scale_ + self.mean_

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R^2, or what `scoring` asks for.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : sequence of float
            The target of each graph.
        sample_weight : sequence of float, optional
            How much each graph counts, if the score can be weighted.

        Returns
        -------
        float
        """
        return self._score(X, as_numbers(y), sample_weight)
