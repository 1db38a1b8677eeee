"""Support vector machines on Gram matrices, for many values of C at a time.

Scores are found by scikit-learn's binding of libsvm, without the estimators around it, whose checks
and conversions take several times as long as a small fit. The binding is not a public interface: it
is used only if it gives what the estimators give; otherwise these are used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.svm import SVC, SVR

# The most steps of the solver. Normalised kernels rarely need more, whatever C is; with entries in
# the millions it may never end.
MAX_ITER = 100_000
# A dual variable that is this close to C, relatively, counts as having reached it.
_CLOSE = 1e-6
_CLASSES, _NUMBERS = 0, 3  # libsvm's C-SVC and epsilon-SVR
# The defaults of scikit-learn's estimators.
_OPTIONS: dict[str, Any] = {"tol": 1e-3, "epsilon": 0.1, "shrinking": 1, "cache_size": 200.0}


class CPath(NamedTuple):
    """Scores of machines with increasing C.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_Cs,)
        Accuracy, or R^2 for regression.
    n_fits, n_skipped : int
        Number of machines that were fitted, and of those whose scores were known without a fit.
    n_unconverged : int
        Number of fits that ended at the bound on iterations.
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
) -> CPath:
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
    CPath

    Examples
    --------
    The solution for C = 1 has dual variables of 0.5, so larger C need no fit:

    >>> import numpy as np
    >>> from grafik.models.svm import score_path
    >>> x, y = np.array([-2.0, -1.0, 1.0, 2.0, 3.0]), np.array([0, 0, 1, 1, 1])
    >>> score_path(np.outer(x, x), y, np.arange(4), np.array([4]), [0.125, 1.0, 10.0, 100.0])
    CPath(scores=array([1., 1., 1., 1.]), n_fits=2, n_skipped=2, n_unconverged=0)
    """
    inner, rows = gram[np.ix_(train, train)], gram[np.ix_(test, train)]
    known, wanted = y[train], y[test]
    if regression:
        mean, scale = centre(known)
        known, wanted = (known - mean) / scale, (wanted - mean) / scale
    elif (known == known[0]).all():
        # A fold of tiny data may hold one class only, which is then predicted for all graphs.
        return CPath(np.full(len(Cs), np.mean(wanted == known[0])), 0, len(Cs), 0)
    else:
        # Classes without training graphs are never predicted.
        classes, known = np.unique(known, return_inverse=True)
        wanted = np.where(np.isin(wanted, classes), np.searchsorted(classes, wanted), -1)
    known = known.astype(np.float64)
    scores, unconverged = list[float](), 0
    for C in Cs:
        machine = fit(inner, known, C, max_iter, regression)
        found = machine.predict(rows)
        unconverged += not machine.converged
        scores.append(r2_score(wanted, found) if regression else float(np.mean(found == wanted)))
        if machine.converged and not machine.reaches_bound():
            break
    skipped = len(Cs) - len(scores)
    path = np.array(scores + scores[-1:] * skipped)
    return CPath(path, len(scores), skipped, unconverged)


class Fit(NamedTuple):
    """A fitted machine, as scoring needs it.

    Attributes
    ----------
    dual : ndarray of float64
        Dual coefficients; for two classes their signs depend on how it was fitted.
    bound : float
        C, which no dual variable exceeds.
    converged : bool
    predict : callable
        Turns rows of the kernel with all training graphs into numbers, or into numbers of classes.
    """

    dual: NDArray[np.float64]
    bound: float
    converged: bool
    predict: Callable[[NDArray[np.float64]], NDArray[np.float64]]

    def reaches_bound(self) -> bool:
        """Tell whether any dual variable has reached C, for any pair of classes."""
        return bool(np.max(np.abs(self.dual), initial=0.0) >= (1 - _CLOSE) * self.bound)


def fit(
    gram: NDArray[np.float64], y: NDArray[np.float64], C: float, max_iter: int, regression: bool
) -> Fit:
    """Fit a machine to numbers, or to the numbers 0, 1, ... of classes, in the fastest way."""
    return (_libsvm_fit if _libsvm_works() else _sklearn_fit)(gram, y, C, max_iter, regression)


def fit_machine(
    gram: NDArray[np.float64], y: NDArray[Any], C: float, max_iter: int, *, regression: bool = False
) -> tuple[Any, bool]:
    """Return a fitted SVC or SVR, and whether it converged; it never warns."""
    model = (SVR if regression else SVC)(kernel="precomputed", C=C, max_iter=max_iter)
    with _few_checks(), _SILENCE.kept():
        model.fit(gram, y)
    return model, model.fit_status_ == 0


def centre(y: NDArray[Any]) -> tuple[float, float]:
    """Return the mean and the standard deviation of a target; the latter is 1 if it is constant."""
    return float(np.mean(y)), float(np.std(y)) or 1.0


def _sklearn_fit(
    gram: NDArray[np.float64], y: NDArray[np.float64], C: float, max_iter: int, regression: bool
) -> Fit:
    model, converged = fit_machine(gram, y, C, max_iter, regression=regression)

    def predict(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        with _few_checks():
            found: NDArray[np.float64] = model.predict(rows)
            return found

    return Fit(model.dual_coef_, C, converged, predict)


def _libsvm_fit(
    gram: NDArray[np.float64], y: NDArray[np.float64], C: float, max_iter: int, regression: bool
) -> Fit:
    from sklearn.svm import _libsvm

    kind = {"svm_type": _NUMBERS if regression else _CLASSES, "kernel": "precomputed"}
    # Support vectors in four arrays, the intercept and two arrays for probabilities, which predict
    # needs; then whether the solver ended early.
    found = _libsvm.fit(gram, y, C=C, max_iter=max_iter, **kind, **_OPTIONS)
    machine, dual, ended_early = found[:7], found[3], found[7]
    return Fit(dual, C, ended_early == 0, lambda rows: _libsvm.predict(rows, *machine, **kind))


@cache
def _libsvm_works() -> bool:
    """Tell whether this version of scikit-learn has the binding, and it does what is expected."""
    x = np.arange(12.0)
    gram = np.exp(-np.abs(np.subtract.outer(x, x)) / 3)
    classes, numbers = np.repeat([0.0, 2.0, 1.0], 4), np.sin(x)
    classifier = SVC(kernel="precomputed", C=5.0).fit(gram, classes)
    regressor = SVR(kernel="precomputed", C=0.5).fit(gram, numbers)
    line = regressor.dual_coef_[0] @ gram[regressor.support_] + regressor.intercept_
    try:
        from sklearn.svm import _libsvm

        _libsvm.set_verbosity_wrap(0)
        of_classes = _libsvm_fit(gram, classes, 5.0, -1, False)
        of_numbers = _libsvm_fit(gram, numbers, 0.5, -1, True)
        return bool(
            np.array_equal(of_classes.dual, classifier.dual_coef_)
            and np.array_equal(of_numbers.dual, regressor.dual_coef_)
            and np.array_equal(of_classes.predict(gram), classes)
            and np.allclose(of_numbers.predict(gram), line, rtol=0, atol=1e-12)
            and of_classes.converged
            and of_numbers.converged
            and not _libsvm_fit(gram, numbers, 4096.0, 1, True).converged
        )
    except Exception:  # whatever has changed
        return False


def _few_checks() -> Any:
    """Return a context without scikit-learn's checks, which take a third of a small fit."""
    return sklearn.config_context(assume_finite=True, skip_parameter_validation=True)


class _Silence:
    """Hides convergence warnings while any thread fits; fits that end early are counted instead.

    Warning filters belong to the process. If each thread changed and restored them, a thread that
    ends later than another would restore the wrong ones.
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
