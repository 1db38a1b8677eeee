"""Whether two methods really differ, by their accuracies on the same folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
    """Return the p-value of Wilcoxon's signed rank test, two-sided; 1 if no fold differs.

    It is exact also with ties: the share of all signs of the differences whose sum of ranks is as
    far out. (What SciPy chooses for ties depends on its version.)
    """
    from scipy import stats

    differences = np.round((a - b).ravel(), 12)
    differences = differences[differences != 0]
    twice = np.rint(2 * stats.rankdata(np.abs(differences))).astype(np.int64)  # whole despite ties
    shares = np.ones(1)  # of the signs so far, by their sum
    for rank in twice:
        none = np.zeros(rank)
        shares = (np.concatenate([shares, none]) + np.concatenate([none, shares])) / 2
    mine = twice[differences > 0].sum()
    return min(1.0, 2 * float(min(shares[: mine + 1].sum(), shares[mine:].sum())))
