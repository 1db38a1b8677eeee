"""Models that are compared: they choose their own parameters inside each training part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_regressor

from ..arrays.checks import is_integer
from ..graphs.batch import Graphs
from ..large.fingerprint import described
from ..models.classifier import FiltrationClassifier
from ..models.search import EFFORTS
from .folds import Fold
from .header import MethodRecord
from .protocols import Protocol

# FiltrationClassifier as it is, and with other efforts than its default.
MODELS: dict[str, dict[str, Any]] = {
    "default": {},
    "default-quick": {"effort": "quick"},
    "default-thorough": {"effort": "thorough"},
}


@dataclass(frozen=True)
class ModelMethod:
    """A model with `fit` and `predict`, which sees the training part alone.

    Attributes
    ----------
    name : str
        Name on the command line and in result files.
    title : str
        Name in tables and pictures.
    model : estimator
        If it has ``best_params_``, ``best_score_`` and numbers of fits, results tell of them.
    ours : bool
        Whether it gets the seed of each unit, and folds that no group is torn apart by. Other
        models are used as they are.
    """

    name: str
    title: str
    model: Any
    ours: bool = False

    def normalized(self, wanted: bool) -> ModelMethod:
        """Return the method itself: models know whether their kernels are normalised."""
        return self

    def record(self, protocol: Protocol) -> MethodRecord:
        """Return what a result file says about the method; a protocol's grid is not tried."""
        return MethodRecord(self.title, self.text, {})

    @property
    def text(self) -> str:
        """The model with all its options, and for ours what it tries; as result files write it."""
        if not self.ours:
            return described(self.model)
        return f"{described(self.model)}, trying {described(EFFORTS[self.model.effort]._asdict())}"

    def result(
        self,
        graphs: Graphs,
        y: NDArray[np.int64],
        fold: Fold,
        inner: list[Fold] | None,
        seed: int,
    ) -> dict[str, Any]:
        """Fit the model to the training part, test it on the other, and tell how it went.

        Parameters
        ----------
        graphs : Graphs
        y : ndarray of int64
        fold : pair of ndarray
            Training and test positions.
        inner : list of (train, test), or None
            Folds of the training part that no group is torn apart by, if there are groups.
        seed : int
        """
        train, test = fold
        model = clone(self.model, safe=False)
        if self.ours:
            model.set_params(random_state=seed)
            if inner is not None:
                at = np.empty(len(y), np.intp)
                at[train] = np.arange(len(train))
                model.set_params(cv=[(at[a], at[b]) for a, b in inner])
        model.fit(graphs[train], y[train])
        predicted = np.asarray(model.predict(graphs[test]))
        if predicted.shape != test.shape:
            raise ValueError(
                f"{type(model).__name__} must predict one class for each of {len(test)} graphs, "
                f"got shape {predicted.shape}"
            )
        n_unconverged = _counted(model, "n_unconverged_") + (not getattr(model, "converged_", True))
        return {
            "params": plain(getattr(model, "best_params_", {})),
            "inner_accuracy": _score(model),
            "n_correct": int((predicted == y[test]).sum()),
            "n_test": len(test),
            "n_fits": max(_counted(model, "n_fits_") + 1, n_unconverged),
            "n_skipped": _counted(model, "n_skipped_"),
            "n_unconverged": n_unconverged,
        }


def _counted(model: Any, name: str) -> int:
    """Return what a model has counted; in a model of others, the name may stand for anything."""
    value = getattr(model, name, 0)
    return int(value) if is_integer(value) and 0 <= value < 2**31 else 0


def _score(model: Any) -> float | None:
    """Return the best score of a model, if it has one."""
    value = getattr(model, "best_score_", None)
    if not isinstance(value, (float, np.floating)) or not np.isfinite(value):
        return None
    return float(value)


def model_method(name: str) -> ModelMethod:
    """Return one of our models by its name in `MODELS`."""
    model = FiltrationClassifier(n_jobs=1, progress=False, **MODELS[name])
    return ModelMethod(name, f"grafik, {name.removeprefix('default-')}", model, ours=True)


def is_model(given: Any) -> bool:
    """Tell whether something can be fitted and predict classes; a class itself cannot."""
    found = not isinstance(given, type) and all(hasattr(given, one) for one in ("fit", "predict"))
    return found and not (isinstance(given, BaseEstimator) and is_regressor(given))


def plain(value: Any) -> Any:
    """Return parameters as JSON has them: numbers, texts, lists; anything else is described."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and np.isfinite(value):
        return value
    return described(value)
