"""scikit-learn's binding of libsvm, without the estimators around it.

Their checks and conversions take several times as long as a small fit itself. The binding is no
public interface; so it is used only as long as it gives what the estimators give.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC, SVR

_CLASSES, _NUMBERS = 0, 3  # libsvm's C-SVC and epsilon-SVR
# As scikit-learn's estimators have them by default.
_OPTIONS: dict[str, Any] = {"tol": 1e-3, "epsilon": 0.1, "shrinking": 1, "cache_size": 200.0}


class Machine(NamedTuple):
    """A fitted machine, as libsvm wants it back."""

    support: NDArray[np.int32]
    vectors: NDArray[np.float64]
    n_support: NDArray[np.int32]
    dual_coef_: NDArray[np.float64]
    intercept: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    status: int
    C: float
    regression: bool


def fit(
    gram: NDArray[np.float64], y: NDArray[np.float64], C: float, max_iter: int, regression: bool
) -> Machine:
    """Fit a machine to a Gram matrix, and to numbers or the numbers 0, 1, ... of classes."""
    from sklearn.svm import _libsvm

    kind = _NUMBERS if regression else _CLASSES
    found = _libsvm.fit(
        gram, y, svm_type=kind, kernel="precomputed", C=C, max_iter=max_iter, **_OPTIONS
    )
    return Machine._make([*found[:8], C, regression])


def predict(machine: Machine, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers, or the numbers of classes, that a machine predicts."""
    from sklearn.svm import _libsvm

    found: NDArray[np.float64] = _libsvm.predict(
        rows,
        *machine[:7],
        svm_type=_NUMBERS if machine.regression else _CLASSES,
        kernel="precomputed",
    )
    return found


@cache
def is_usable() -> bool:
    """Tell whether this version of scikit-learn has the binding, and it does what is expected."""
    x = np.arange(12.0)
    gram = np.exp(-np.abs(np.subtract.outer(x, x)) / 3)
    classes, numbers = np.repeat([0.0, 2.0, 1.0], 4), np.sin(x)
    try:
        from sklearn.svm import _libsvm

        _libsvm.set_verbosity_wrap(0)
        machine, model = fit(gram, classes, 5.0, -1, False), SVC(kernel="precomputed", C=5.0)
        usable = np.array_equal(machine.dual_coef_, model.fit(gram, classes).dual_coef_)
        usable &= np.array_equal(predict(machine, gram), classes)
        machine, model = fit(gram, numbers, 0.5, -1, True), SVR(kernel="precomputed", C=0.5)
        usable &= np.array_equal(machine.dual_coef_, model.fit(gram, numbers).dual_coef_)
        lines = machine.dual_coef_[0] @ gram[machine.support] + machine.intercept
        usable &= np.allclose(predict(machine, gram), lines, rtol=0, atol=1e-12)
        usable &= (machine.status, fit(gram, numbers, 4096.0, 1, True).status) == (0, 1)
        return bool(usable)
    except Exception:  # whatever it may be that has changed
        return False
