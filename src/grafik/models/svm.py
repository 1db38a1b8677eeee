"""Support vector machines on Gram matrices, for many values of C at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.svm import SVC, SVR

from . import libsvm

# Steps of the solver. Normalised kernels rarely need more, whatever C; kernels with entries in the
# millions may never end.
MAX_ITER = 100_000
# A dual variable that is this close to C, relatively, may have reached it.
_CLOSE = 1e-6


class Path(NamedTuple):
    """What machines with increasing C score.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_Cs,)
        Accuracy, or R^2 for regression.
    n_fits, n_skipped : int
        How many were fitted, and for how many it was known before what they would be.
    n_unconverged : int
        How many of the fits ended at the bound on iterations.
    """

    scores: NDArray[np.float64]
    n_fits: int
    n_skipped: int
    n_unconverged: int


def score_path(
    gram: NDArray[np.float64],
    y: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    Cs: Sequence[float],
    max_iter: int = MAX_ITER,
    *,
    regression: bool = False,
) -> Path:
    """Fit a machine on some graphs for each C, and score it on others.

    Once no dual variable reaches C, every larger C has the same solution and is not fitted.

    Parameters
    ----------
    gram : ndarray of shape (n_graphs, n_graphs)
    y : ndarray of shape (n_graphs,)
        Classes, or numbers for regression.
    train, test : ndarray of int
        Rows of `gram`.
    Cs : sequence of float
        Increasing.
    max_iter : int
        Bound on the steps of the solver.
    regression : bool
        Whether `y` holds numbers. They are standardised by those of `train`, so that C means the
        same in every unit.

    Returns
    -------
    Path

    Examples
    --------
    One dual variable of each class is enough here, and no larger than 2:

    >>> import numpy as np
    >>> from grafik.models.svm import score_path
    >>> x, y = np.array([-2.0, -1.0, 1.0, 2.0, 3.0]), np.array([0, 0, 1, 1, 1])
    >>> score_path(np.outer(x, x), y, np.arange(4), np.array([4]), [0.125, 1.0, 10.0, 100.0])
    Path(scores=array([1., 1., 1., 1.]), n_fits=2, n_skipped=2, n_unconverged=0)
    """
    inner, rows = gram[np.ix_(train, train)], gram[np.ix_(test, train)]
    known, wanted = y[train], y[test]
    if regression:
        mean, scale = centre(known)
        known, wanted = (known - mean) / scale, (wanted - mean) / scale
    elif (known == known[0]).all():
        # A fold of tiny data may hold one class; there is nothing to tell apart.
        return Path(np.full(len(Cs), np.mean(wanted == known[0])), 0, len(Cs), 0)
    else:
        # Classes that are not there to learn from are never predicted.
        classes, known = np.unique(known, return_inverse=True)
        wanted = np.where(np.isin(wanted, classes), np.searchsorted(classes, wanted), -1)
    known = known.astype(np.float64)
    scores, unconverged = list[float](), 0
    for C in Cs:
        model, converged, found = _fit_and_predict(inner, known, rows, C, max_iter, regression)
        unconverged += not converged
        scores.append(r2_score(wanted, found) if regression else float(np.mean(found == wanted)))
        if converged and not reaches_bound(model):
            break
    skipped = len(Cs) - len(scores)
    path = np.array(scores + scores[-1:] * skipped)
    return Path(path, len(scores), skipped, unconverged)


def fit_machine(
    gram: NDArray[np.float64], y: NDArray[Any], C: float, max_iter: int, *, regression: bool = False
) -> tuple[Any, bool]:
    """Return a fitted SVC or SVR, and whether it converged; it never warns."""
    model = (SVR if regression else SVC)(kernel="precomputed", C=C, max_iter=max_iter)
    with _few_checks(), _SILENCE.kept():
        model.fit(gram, y)
    return model, model.fit_status_ == 0


def reaches_bound(model: Any) -> bool:
    """Tell whether a dual variable of a machine is C: of any pair, if there are many classes."""
    largest = np.max(np.abs(model.dual_coef_), initial=0.0)
    return bool(largest >= (1 - _CLOSE) * model.C)


def centre(y: NDArray[Any]) -> tuple[float, float]:
    """Return the mean and the standard deviation of a target; 1 for a constant one."""
    return float(np.mean(y)), float(np.std(y)) or 1.0


def _fit_and_predict(
    gram: NDArray[np.float64],
    y: NDArray[np.float64],
    rows: NDArray[np.float64],
    C: float,
    max_iter: int,
    regression: bool,
) -> tuple[Any, bool, NDArray[Any]]:
    """Return a machine, whether it converged, and what it predicts; the shortest way there is."""
    if libsvm.is_usable():
        machine = libsvm.fit(gram, y, C, max_iter, regression)
        return machine, machine.status == 0, libsvm.predict(machine, rows)
    model, converged = fit_machine(gram, y, C, max_iter, regression=regression)
    with _few_checks():
        return model, converged, model.predict(rows)


def _few_checks() -> Any:
    """Spare scikit-learn checks of what was checked before; they take a third of a small fit."""
    return sklearn.config_context(assume_finite=True, skip_parameter_validation=True)


class _Silence:
    """Keeps warnings of early ends away while any thread fits; they are counted instead.

    Filters of warnings belong to the process. If each thread kept its own, one that ends later than
    another would put back the wrong ones.
    """

    def __init__(self) -> None:
        self._lock, self._inside, self._filters = Lock(), 0, warnings.catch_warnings()

    @contextmanager
    def kept(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                self._filters = warnings.catch_warnings()
                self._filters.__enter__()
                warnings.simplefilter("ignore", ConvergenceWarning)
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._filters.__exit__(None, None, None)


_SILENCE = _Silence()
