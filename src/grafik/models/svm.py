"""Support vector machines on Gram matrices, for many values of C at a time.

Scores are found by scikit-learn's binding of libsvm, without the estimators around it, whose checks
and conversions take several times as long as a small fit. The binding is not a public interface: it
is used only if it gives what the estimators give; otherwise these are used. Many or large machines
for classes are fitted by a solver of our own, which takes the same steps and gives the same bits.
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

from ..arrays.compiled import has_kept
from .compiled_path import CLOSE, MEMORIES, Memories, can_predict, predict_path, predictions
from .decision import SupportVectors
from .graph_weights import EVEN, GraphWeights

# The most steps of the solver. Normalised kernels rarely need more, whatever C is; with entries in
# the millions it may never end.
MAX_ITER = 100_000
# Entries of matrices that machines are fitted to by libsvm before our own solver is loaded, or
# compiled, which takes longer than a few small fits.
_WORTH_LOADING, _WORTH_COMPILING = 3e7, 4e8
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
    weights: GraphWeights = EVEN,
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
    weights : GraphWeights
        How much graphs count, in fits and in scores. Class weights need classes 0, 1, ...

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
    known, wanted, counts = y[train], y[test], weights.of(test)
    scores, unconverged = list[float](), 0
    if regression:
        mean, scale = centre(known, weights.of(train))
        rows, wanted = gram[np.ix_(test, train)], (wanted - mean) / scale
        for machine in machines(gram, y, train, Cs, max_iter, True, weights):
            scores.append(r2_score(wanted, machine.predict(rows), sample_weight=counts))
            unconverged += not machine.converged
    elif (known == known[0]).all():
        # A fold of tiny data may hold one class only, which is then predicted for all graphs.
        score = np.average(wanted == known[0], weights=counts)
        return CPath(np.full(len(Cs), score), 0, len(Cs), 0)
    else:
        classes, codes = np.unique(known, return_inverse=True)
        # Classes without training graphs are never predicted.
        place = np.minimum(np.searchsorted(classes, wanted), len(classes) - 1)
        wanted = np.where(classes[place] == wanted, place, -1)
        costs = weights.costs(train, y)
        n_entries = len(Cs) * len(train) ** 2
        if _EFFORT.worth_compiling(n_entries) and can_predict(gram, costs):
            how = Cs, max_iter, costs, MEMORIES
            found, converged = predictions(gram, codes, train, test, *how)
        else:
            rows = gram[np.ix_(test, train)]
            each = [
                (machine.predict(rows), machine.converged)
                for machine in machines(gram, y, train, Cs, max_iter, False, weights)
            ]
            found, converged = (np.array(column) for column in zip(*each, strict=True))
        right, unconverged = found == wanted, int((~converged).sum())
        if counts is None:
            scores = right.mean(axis=1).tolist()
        else:
            scores = [float(np.average(one, weights=counts)) for one in right]
    skipped = len(Cs) - len(scores)
    path = np.array(scores + scores[-1:] * skipped)
    return CPath(path, len(scores), skipped, unconverged)


class _Effort:
    """How much has been fitted in this process."""

    def __init__(self) -> None:
        self.n_entries = 0.0

    def worth_compiling(self, n_entries: int) -> bool:
        """Tell whether there is so much to fit that our own solver pays, and works here."""
        self.n_entries += n_entries
        least = _WORTH_LOADING if _is_kept() else _WORTH_COMPILING
        return self.n_entries > least and solver_works()


_EFFORT = _Effort()


def machines(
    gram: NDArray[np.float64],
    y: NDArray[Any],
    train: NDArray[np.intp],
    Cs: Sequence[float],
    max_iter: int,
    regression: bool,
    weights: GraphWeights = EVEN,
) -> Iterator[Fit]:
    """Yield a machine for each C, until all larger C have the same solution.

    Machines predict numbers of the classes among the training graphs, or the standardised target.
    """
    inner, target, costs = gram[np.ix_(train, train)], y[train], weights.costs(train, y)
    if regression:
        mean, scale = centre(target, weights.of(train))
        target = (target - mean) / scale
    else:
        target = np.unique(target, return_inverse=True)[1].astype(np.float64)
    for C in Cs:
        machine = fit(inner, target, C, max_iter, regression, costs)
        yield machine
        if machine.converged and not machine.reaches_bound():
            return


class Fit(NamedTuple):
    """A fitted machine, as scoring needs it.

    Attributes
    ----------
    dual : ndarray of float64
        Dual coefficients; for two classes their signs depend on how it was fitted.
    bound : float, or ndarray of shape (n_support,)
        C, or C times the weight of each support vector, which no dual variable exceeds.
    converged : bool
    predict : callable
        Turns rows of the kernel with all training graphs into numbers, or into numbers of classes.
    decide : callable
        Turns such rows into decision values.
    """

    dual: NDArray[np.float64]
    bound: Any
    converged: bool
    predict: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    decide: Callable[[NDArray[np.float64]], NDArray[np.float64]]

    def reaches_bound(self) -> bool:
        """Tell whether any dual variable has reached its bound, for any pair of classes."""
        return bool((np.abs(self.dual) >= (1 - CLOSE) * self.bound).any())


def fit(
    gram: NDArray[np.float64],
    y: NDArray[np.float64],
    C: float,
    max_iter: int,
    regression: bool,
    costs: NDArray[np.float64] | None = None,
) -> Fit:
    """Fit a machine to numbers, or to the numbers 0, 1, ... of classes, in the fastest way."""
    way = _libsvm_fit if _libsvm_works() else _sklearn_fit
    return way(gram, y, C, max_iter, regression, costs)


def fit_machine(
    gram: NDArray[np.float64],
    y: NDArray[Any],
    C: float,
    max_iter: int,
    *,
    regression: bool = False,
    costs: NDArray[np.float64] | None = None,
) -> tuple[Any, bool]:
    """Return a fitted SVC or SVR, and whether it converged; it never warns."""
    model = (SVR if regression else SVC)(kernel="precomputed", C=C, max_iter=max_iter)
    with _few_checks(), _SILENCE.kept():
        model.fit(gram, y, sample_weight=costs)
    return model, model.fit_status_ == 0


def centre(y: NDArray[Any], weights: NDArray[np.float64] | None = None) -> tuple[float, float]:
    """Return the mean and the standard deviation of a target; the latter is 1 if it is constant."""
    if weights is None:
        return float(np.mean(y)), float(np.std(y)) or 1.0
    mean = float(np.average(y, weights=weights))
    return mean, float(np.sqrt(np.average((y - mean) ** 2, weights=weights))) or 1.0


def _sklearn_fit(
    gram: NDArray[np.float64],
    y: NDArray[np.float64],
    C: float,
    max_iter: int,
    regression: bool,
    costs: NDArray[np.float64] | None,
) -> Fit:
    model, converged = fit_machine(gram, y, C, max_iter, regression=regression, costs=costs)

    def predict(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        with _few_checks():
            found: NDArray[np.float64] = model.predict(rows)
            return found

    def decide(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return SupportVectors.of(model).decide(rows[:, model.support_])

    bound = C if costs is None else C * costs[model.support_]
    return Fit(model.dual_coef_, bound, converged, predict, decide)


def _libsvm_fit(
    gram: NDArray[np.float64],
    y: NDArray[np.float64],
    C: float,
    max_iter: int,
    regression: bool,
    costs: NDArray[np.float64] | None,
) -> Fit:
    from sklearn.svm import _libsvm

    kind = {"svm_type": _NUMBERS if regression else _CLASSES, "kernel": "precomputed"}
    weighted = {} if costs is None else {"sample_weight": costs}
    # Support vectors in four arrays, the intercept and two arrays for probabilities, which predict
    # needs; then whether the solver ended early.
    found = _libsvm.fit(gram, y, C=C, max_iter=max_iter, **weighted, **kind, **_OPTIONS)
    machine, ended_early = found[:7], found[7]
    support, _, n_support, dual, intercepts = machine[:5]

    def decide(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        # For two classes libsvm's values are positive for the first one, the estimator's for the
        # second.
        sign = -1.0 if not regression and len(intercepts) == 1 else 1.0
        sizes = np.array([len(support)] if regression else n_support, np.int64)
        return SupportVectors(sign * dual, sign * intercepts, sizes).decide(rows[:, support])

    return Fit(
        dual,
        C if costs is None else C * costs[support],
        ended_early == 0,
        lambda rows: _libsvm.predict(rows, *machine, **kind),
        decide,
    )


@cache
def _libsvm_works() -> bool:
    """Tell whether this version of scikit-learn has the binding, and it does what is expected."""
    x = np.arange(12.0)
    gram, costs = np.exp(-np.abs(np.subtract.outer(x, x)) / 3), 1 / (1 + x)
    classes, numbers = np.repeat([0.0, 2.0, 1.0], 4), np.sin(x)
    classifier = SVC(kernel="precomputed", C=5.0).fit(gram, classes, costs)
    regressor = SVR(kernel="precomputed", C=0.5).fit(gram, numbers)
    line = regressor.dual_coef_[0] @ gram[regressor.support_] + regressor.intercept_
    try:
        from sklearn.svm import _libsvm

        _libsvm.set_verbosity_wrap(0)
        of_classes = _libsvm_fit(gram, classes, 5.0, -1, False, costs)
        of_two = _libsvm_fit(gram, classes % 2, 5.0, -1, False, None)
        of_numbers = _libsvm_fit(gram, numbers, 0.5, -1, True, None)
        return bool(
            np.array_equal(of_classes.dual, classifier.dual_coef_)
            and np.array_equal(of_numbers.dual, regressor.dual_coef_)
            and np.array_equal(of_classes.predict(gram), classifier.predict(gram))
            and np.allclose(of_classes.decide(gram), classifier.decision_function(gram))
            and np.array_equal(of_two.decide(gram) > 0, of_two.predict(gram) == 1)
            and np.allclose(of_numbers.predict(gram), line, rtol=0, atol=1e-12)
            and np.allclose(of_numbers.decide(gram), line, rtol=0, atol=1e-12)
            and of_classes.converged
            and of_numbers.converged
            and not _libsvm_fit(gram, numbers, 4096.0, 1, True, None).converged
        )
    except Exception:  # whatever has changed
        return False


@cache
def _is_kept() -> bool:
    """Tell whether our own solver was compiled before, and is kept on disk."""
    return has_kept(predict_path)


@cache
def solver_works() -> bool:
    """Tell whether our own solver gives what libsvm gives, to the bit.

    Compilers of some processors fuse multiplications and additions, which changes last bits.
    """
    if not _libsvm_works():
        return False
    x, rows, memories = np.arange(40.0), np.arange(40), Memories()
    gram, y = np.exp(-np.abs(np.subtract.outer(x, x)) / 9), (x % 7).astype(np.intp) % 3
    for classes in (y, y % 2):
        for C in (0.5, 16.0):
            found, converged = predictions(gram, classes, rows, rows, [C], 10**6, None, memories)
            expected = _libsvm_fit(gram, classes.astype(np.float64), C, 10**6, False, None)
            if not converged.all() or not np.array_equal(found[0], expected.predict(gram)):
                return False
    memory = memories.take(len(x))
    dual = memory.alpha[: len(x)]
    return bool(np.array_equal(dual[dual != 0], expected.dual[0]))


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
