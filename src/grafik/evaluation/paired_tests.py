"""Whether two methods really differ, by their accuracies on the same folds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

# With at most this many folds, all signs of their differences are tried.
_ALL_SIGNS = 13


def corrected_t_test(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    r"""Return the p-value of the corrected resampled t-test, two-sided.

    .. math:: t = \frac{\bar d}{\sqrt{\bigl(\frac{1}{J} + \frac{n_2}{n_1}\bigr) s^2}}

    with the mean and the variance of the `J` differences of paired folds, the ratio
    :math:`n_2 / n_1` of test to training graphs, and J - 1 degrees of freedom.

    Parameters
    ----------
    a, b : ndarray of shape (repeats, n_splits)
        Accuracies of two methods on the same folds.

    References
    ----------
    Nadeau, Bengio: Inference for the Generalization Error, Machine Learning 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.evaluation.paired_tests import corrected_t_test
    >>> a, b = np.array([[0.9, 0.8, 0.9]]), np.array([[0.6, 0.6, 0.5]])
    >>> round(corrected_t_test(a, b), 4)
    0.0814
    """
    from scipy import stats  # takes half a second, too long for reading results

    differences = (a - b).ravel()
    variance = float(differences.var(ddof=1))
    # Rounding may give differences that are all the same a variance above 0.
    if np.ptp(differences) < 1e-12:
        return 1.0 if abs(differences[0]) < 1e-12 else 0.0
    share = 1 / (a.shape[1] - 1)
    t = differences.mean() / np.sqrt((1 / differences.size + share) * variance)
    return float(2 * stats.t.sf(abs(t), differences.size - 1))


def signed_rank_test(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the p-value of Wilcoxon's signed rank test, two-sided; 1 if no fold differs."""
    from scipy import stats

    differences = np.round((a - b).ravel(), 12)
    if not differences.any():
        return 1.0
    if differences.size <= _ALL_SIGNS:
        return _over_all_signs(differences[differences != 0], stats)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about few folds and ties, which are expected
        return float(stats.wilcoxon(differences).pvalue)


def _over_all_signs(differences: NDArray[np.float64], stats: Any) -> float:
    """Return the share of all signs whose rank sum is as far out; SciPy finds it by a slow loop."""
    twice = np.rint(2 * stats.rankdata(np.abs(differences))).astype(np.int64)  # whole despite ties
    sums = np.zeros(1, np.int64)
    for rank in twice:
        sums = np.concatenate([sums, sums + rank])
    mine = twice[differences > 0].sum()
    return min(1.0, 2 * float(min((sums <= mine).mean(), (sums >= mine).mean())))
