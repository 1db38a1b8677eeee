"""Rules by which the thresholds of a filtration are chosen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer
from ..arrays.kmeans import MAX_CLUSTERS, cluster_starts
from ..arrays.offsets import part_of
from ..graphs.batch import Graphs
from ..system.callers import levels_to_the_user
from ..system.threads import left_if_interrupted

# The rule that is chosen for a weight, and the one that is chosen for most of them.
AUTO, USUAL = "auto", "kmeans"
# Whole numbers in a range of at most this size are counted in a table.
_FEW_INTEGERS = 1 << 20


class Weighted(NamedTuple):
    """The weights of all edges of a batch.

    Attributes
    ----------
    weights : ndarray of shape (n_edges,)
    graphs : Graphs
    distinct : ndarray
        The different weights, increasing.
    counts : ndarray
        How often each of them occurs.
    """

    weights: NDArray[np.float64]
    graphs: Graphs
    distinct: NDArray[np.float64]
    counts: NDArray[np.int64]


class Rule(NamedTuple):
    """A rule for thresholds.

    Attributes
    ----------
    choose : callable or None
        Takes :class:`Weighted` and a number of levels less than the number of distinct weights;
        returns decreasing thresholds. None if every weight is a threshold, so that the number of
        levels does not matter.
    sentence : str
        What the rule does, with ``{}`` for the number of levels.
    """

    choose: Callable[[Weighted, int], NDArray[np.float64]] | None
    sentence: str


def choose_alphas(
    found: NDArray[np.float64], graphs: Graphs, rule: str | Sequence[float], n_levels: int
) -> NDArray[np.float64]:
    """Return thresholds for the weights of a batch: at least one, strictly decreasing.

    Examples
    --------
    >>> from grafik import datasets, weights
    >>> from grafik.filtration.thresholds import choose_alphas
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> choose_alphas(weights.degree(graphs), graphs, "quantile", 1)
    array([2.])
    """
    if not isinstance(rule, str):
        return given_alphas(rule)
    if rule not in RULES:
        raise ValueError(
            f"thresholds must be {', '.join(map(repr, [AUTO, *RULES]))} or a decreasing sequence, "
            f"got {rule!r}"
        )
    choose = RULES[rule].choose
    if choose is not None:
        checked_integer("n_levels", n_levels, 1)
    if len(found) == 0:
        return np.zeros(1)
    distinct, counts = _counted(found)
    if choose is None or len(distinct) <= n_levels:
        return distinct[::-1].copy()
    return choose(Weighted(found, graphs, distinct, counts), n_levels)


def rule_for(rule: str, ordered: bool, n_levels: int) -> str:
    """Return the rule that "auto" is for a weight, or the rule that was given.

    Levels that put together weights whose order means nothing mean nothing either, so those who ask
    for some of these are warned.

    Examples
    --------
    >>> from grafik.filtration.thresholds import rule_for
    >>> rule_for("auto", ordered=False, n_levels=3), rule_for("auto", ordered=True, n_levels=3)
    ('distinct', 'kmeans')
    """
    if rule == AUTO:
        return USUAL if ordered or n_levels == 1 else "distinct"
    if not ordered and n_levels != 1 and rule in RULES and RULES[rule].choose is not None:
        warnings.warn(
            f"thresholds={rule!r} puts together edges whose weights are close, but the order of "
            "this weight means nothing; use thresholds='auto' or 'distinct'",
            stacklevel=levels_to_the_user(),
        )
    return rule


def depends_on_n_levels(rule: str | Sequence[float]) -> bool:
    """Tell whether a rule depends on the number of levels; thresholds given as numbers do not."""
    return isinstance(rule, str) and (rule not in RULES or RULES[rule].choose is not None)


def given_alphas(values: Any) -> NDArray[np.float64]:
    """Return thresholds that were given as numbers, or refuse them."""
    try:
        alphas = np.array([float(value) for value in values])
    except (TypeError, ValueError, OverflowError):
        alphas = np.empty(0)
    if len(alphas) == 0 or any(isinstance(value, str) for value in values):
        raise ValueError(f"thresholds must be numbers, at least one, got {values!r}")
    if not np.isfinite(alphas).all() or not (alphas[1:] < alphas[:-1]).all():
        raise ValueError(f"thresholds must be finite and decrease, got {values!r}")
    return alphas


def _quantile(weighted: Weighted, n_levels: int) -> NDArray[np.float64]:
    shares = np.arange(n_levels) / n_levels
    return np.unique(np.quantile(weighted.weights, shares, method="higher"))[::-1].copy()


def _kmeans(weighted: Weighted, n_levels: int) -> NDArray[np.float64]:
    """Return the least weight of each cluster of exact one-dimensional k-means."""
    distinct, counts = weighted.distinct, weighted.counts
    if n_levels > MAX_CLUSTERS:
        raise ValueError(
            f"k-means finds at most {MAX_CLUSTERS} levels, got n_levels={n_levels}; "
            "use thresholds='quantile' or 'distinct'"
        )
    starts = left_if_interrupted(lambda: cluster_starts(distinct, counts, n_levels))
    return distinct[starts][::-1].copy()


def _kmeans_distinct(weighted: Weighted, n_levels: int) -> NDArray[np.float64]:
    """Return the same as `_kmeans`, with each weight counted once per graph."""
    distinct = weighted.distinct
    numbers = np.searchsorted(distinct, weighted.weights)
    pairs = np.unique(part_of(weighted.graphs.edge_ptr) * len(distinct) + numbers)
    counts = np.bincount(pairs % len(distinct))
    return _kmeans(weighted._replace(counts=counts), n_levels)


# The only place that knows all rules.
RULES = {
    "kmeans": Rule(_kmeans, "at most {}, by exact k-means of the weights of all edges"),
    "kmeans-distinct": Rule(
        _kmeans_distinct, "at most {}, by exact k-means of the different weights of each graph"
    ),
    "quantile": Rule(_quantile, "at most {}, with about as many new edges each"),
    "distinct": Rule(None, "every weight that occurs is one"),
}


def _counted(found: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct weights, sorted, and how often each occurs."""
    low, high = float(found.min()), float(found.max())
    if high - low < _FEW_INTEGERS and (found == np.rint(found)).all():
        counts = np.bincount((found - low).astype(np.int64))
        present = np.flatnonzero(counts)
        return low + present, counts[present]
    return np.unique(found, return_counts=True)
