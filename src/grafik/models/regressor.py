"""FiltrationRegressor: graphs in, numbers out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from .model import FiltrationModel, checked_graphs
from .svm import centre


class FiltrationRegressor(RegressorMixin, FiltrationModel):
    """Predict a number for each graph by a filtration kernel and support vector regression.

    The kernel and `C` are chosen as by :class:`grafik.FiltrationClassifier`, which has the same
    parameters and attributes; scores are R^2. The target is standardised, so that `C` means the
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

    def fit(self, X: Any, y: Any) -> FiltrationRegressor:
        """Choose the kernel and fit the machine.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : sequence of float
            The target of each graph.

        Returns
        -------
        FiltrationRegressor
            Itself.
        """
        target = column_or_1d(y, dtype=np.float64)
        batch = checked_graphs(X, target)
        if not np.isfinite(target).all():
            place = int(np.argmin(np.isfinite(target)))
            raise ValueError(f"graph {place}: the target must be finite, got {target[place]}")
        with np.errstate(over="ignore", invalid="ignore"):
            mean, scale = centre(target)
        if not np.isfinite([mean, scale]).all():
            raise ValueError(f"targets up to {np.abs(target).max():.3g} are too large; divide them")
        learned, _, _ = self._learn(batch, (target - mean) / scale)
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
