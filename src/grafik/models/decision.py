"""A fitted support vector machine in a few arrays: all that prediction needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from ..arrays.offsets import offsets

# Bounds of the logarithm of the slope. With a slope of 0 all classes would be equally likely.
_SLOPES = -7.0, 7.0
_FLAT = 1e-9  # a difference of scores that changes no probability by more than rounding does


@dataclass(frozen=True)
class SupportVectors:
    """How the support vectors of a machine decide, whether it was fitted or read from a file.

    Attributes
    ----------
    coefficients : ndarray of shape (n_classes - 1, n_support) or (1, n_support)
        As scikit-learn's ``dual_coef_``.
    intercepts : ndarray
        One for each pair of classes; one for two classes and for regression.
    n_support : ndarray of int
        Number of support vectors of each class, which follow one after the other; for regression
        there is one number.
    """

    coefficients: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    n_support: NDArray[np.int64]

    def __post_init__(self) -> None:
        n_classes, sizes = len(self.n_support), self.n_support
        n_pairs = n_classes * (n_classes - 1) // 2
        if self.n_support.ndim != 1 or n_classes == 0 or (sizes < 0).any():
            raise ValueError(f"n_support must hold a count for each class, got {sizes}")
        # As integers of Python, whose sum does not wrap around.
        shapes = (max(1, n_classes - 1), sum(sizes.tolist())), (max(1, n_pairs),)
        if (self.coefficients.shape, self.intercepts.shape) != shapes:
            raise ValueError(
                f"coefficients and intercepts must have shapes {shapes}, "
                f"got {self.coefficients.shape} and {self.intercepts.shape}"
            )
        for name in ("coefficients", "intercepts"):
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} must be finite")

    @classmethod
    def of(cls, model: Any) -> SupportVectors:
        """Return the arrays of a fitted SVC or SVR."""
        n_support = np.array(model.n_support_, np.int64)
        return cls(model.dual_coef_.copy(), np.array(model.intercept_), n_support)

    def decide(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decision values for rows of the kernel with all support vectors.

        For two classes, and for regression, each row has one value. For more classes it has one
        for each: the number of other classes that it wins against, and how clearly, as in
        scikit-learn.
        """
        rows = np.ascontiguousarray(rows)
        if len(self.intercepts) == 1:
            value: NDArray[np.float64] = _products(rows, self.coefficients[0]) + self.intercepts[0]
            return value
        n_classes = len(self.n_support)
        votes, margins = np.zeros((2, len(rows), n_classes))
        for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
            found = np.full(len(rows), self.intercepts[pair])
            for mine, coefficients in self._between(i, j):
                found += _products(rows[:, mine], coefficients)
            votes[:, i] += found >= 0
            votes[:, j] += found < 0
            margins[:, i] += found
            margins[:, j] -= found
        values: NDArray[np.float64] = votes + margins / (3 * (np.abs(margins) + 1))
        return values

    def linear(self, i: int, j: int) -> tuple[NDArray[np.float64], float]:
        """Return what decides between two classes: a coefficient per support vector, an intercept.

        The sum is positive for class `i`. The decision value of two classes is that of (1, 0).
        """
        if j < i:
            coefficients, intercept = self.linear(j, i)
            return -coefficients, -intercept
        if len(self.intercepts) == 1:
            return -self.coefficients[0], -float(self.intercepts[0])
        found = np.zeros(self.coefficients.shape[1])
        for mine, coefficients in self._between(i, j):
            found[mine] = coefficients
        pairs = list(combinations(range(len(self.n_support)), 2))
        return found, float(self.intercepts[pairs.index((i, j))])

    def _between(self, i: int, j: int) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield the support vectors of two of several classes, i < j, and their coefficients."""
        start = offsets(self.n_support)
        for own, other in ((i, j - 1), (j, i)):
            mine = slice(int(start[own]), int(start[own + 1]))
            yield mine, self.coefficients[other, mine]


def winners(decisions: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the class that each graph belongs to by its decision values."""
    if decisions.ndim == 1:
        return (decisions >= 0).astype(np.intp)  # as in libsvm
    best: NDArray[np.intp] = np.argmax(decisions, axis=1)
    return best


def probabilities(decisions: NDArray[np.float64], slope: float) -> NDArray[np.float64]:
    """Turn decision values into probabilities; the likeliest class is the one that wins."""
    scores = slope * _columns(decisions)
    scores -= scores.max(axis=1, keepdims=True)
    likely: NDArray[np.float64] = np.exp(scores)
    likely /= likely.sum(axis=1, keepdims=True)
    return likely


def calibrated_slope(
    decisions: NDArray[np.float64],
    codes: NDArray[np.intp],
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Return the slope with which decision values of unseen graphs predict their classes best.

    This is temperature scaling, and the slope is the inverse of the temperature: the likelihood of
    the classes is maximised over one number, so that probabilities never contradict predictions. As
    in Platt scaling no target is 0 or 1: it is as if one more graph of each class had been seen,
    and one that looked like it but was of another class. If no slope is better than another it is
    1. A graph of weight 2 counts as two.
    """
    columns = _columns(decisions)
    # Even the steepest slope gives all classes the same probability.
    if np.exp(_SLOPES[1]) * np.ptp(columns, axis=1).max(initial=0.0) < _FLAT:
        return 1.0
    n_classes = columns.shape[1]
    doubt = 1 / (np.bincount(codes, weights, minlength=n_classes)[codes] + 2)
    targets = np.repeat(doubt[:, None] / (n_classes - 1), n_classes, axis=1)
    targets[np.arange(len(codes)), codes] = 1 - doubt

    def loss(power: float) -> float:
        scores = np.exp(power) * columns
        largest = scores.max(axis=1, keepdims=True)
        total = largest[:, 0] + np.log(np.exp(scores - largest).sum(axis=1))
        return float(np.average(total - (targets * scores).sum(axis=1), weights=weights))

    found = minimize_scalar(loss, bounds=_SLOPES, method="bounded", options={"xatol": 1e-9})
    return float(np.exp(found.x))


def _columns(decisions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return decision values with a column for each class, even if there are two."""
    if decisions.ndim == 2:
        return decisions
    return np.column_stack([np.zeros(len(decisions)), decisions])


def _products(rows: NDArray[np.float64], vector: NDArray[np.float64]) -> NDArray[np.float64]:
    # Not by BLAS, where the last bits of a row may depend on the number of rows.
    found: NDArray[np.float64] = np.einsum("ij,j->i", rows, vector)
    return found
