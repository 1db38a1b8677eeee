"""Which features are telling for a class: what they add to its graphs being alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..estimators import FiltrationKernel, bounded_rate
from ..histograms import Histograms


class TellingFeature(NamedTuple):
    """A feature that makes the graphs of a class more like each other than like other graphs.

    Attributes
    ----------
    depth, feature : int
        As in the keys of :class:`grafik.Histograms`.
    score : float
        See :func:`telling_features`.
    graphs : list of int
        The graphs that have it.
    """

    depth: int
    feature: int
    score: float
    graphs: list[int]


class Likeness(NamedTuple):
    """How alike the graphs of a class are, and what makes them so.

    Attributes
    ----------
    within, between : float
        Mean kernel of two different graphs of the class, and of one of the class with one that is
        not. The scores of all features add up to the difference.
    features : list of TellingFeature
        Those of the largest positive scores.
    """

    within: float
    between: float
    features: list[TellingFeature]


def telling_features(
    kernel: FiltrationKernel,
    histograms: Histograms,
    codes: NDArray[np.int64],
    n_classes: int,
    top: int,
) -> list[Likeness | None]:
    r"""Find the features that add most to the graphs of a class being alike.

    .. math:: T_f(c) = \operatorname{mean}_{g \neq h \in c} k_f(g, h)
              - \operatorname{mean}_{g \in c, h \notin c} k_f(g, h)

    where :math:`k_f(g, h)` is the contribution of feature `f` to the kernel, as
    :func:`grafik.explain_pair` gives it.

    Parameters
    ----------
    kernel : FiltrationKernel
        A fitted sum kernel.
    histograms : Histograms
        Of all graphs.
    codes : ndarray of shape (n_graphs,)
        Class of each.
    n_classes, top : int
        Number of classes, and of features that are wanted for each.

    Returns
    -------
    list of Likeness or None
        For each class; None if it has fewer than two graphs, or there are no others.
    """
    rows = histograms.by_feature()
    sizes = np.bincount(codes, minlength=n_classes)
    within, between, which = _means(kernel, histograms, codes, sizes)
    scores = within - between
    found: list[Likeness | None] = []
    for c in range(n_classes):
        if sizes[c] < 2 or sizes[c] == len(codes):
            found.append(None)
            continue
        keys = np.lexsort((rows.features[which], rows.depths[which], -scores[:, c]))[:top]
        features = [
            TellingFeature(
                int(rows.depths[which[f]]),
                int(rows.features[which[f]]),
                float(scores[f, c]),
                rows.graphs[rows.row_ptr[which[f]] : rows.row_ptr[which[f] + 1]].tolist(),
            )
            for f in keys
            if scores[f, c] > 0
        ]
        found.append(Likeness(float(within[:, c].sum()), float(between[:, c].sum()), features))
    return found


def _means(
    kernel: FiltrationKernel,
    histograms: Histograms,
    codes: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return what each feature of several graphs adds to both means of each class, and which.

    Few normalised histograms of a feature differ, so masses are added up by these before they meet.
    """
    rows = histograms.by_feature()
    axis, length, _ = kernel._axis(kernel.alphas_)
    gaps, rate = axis[:-1] - axis[1:], bounded_rate(kernel.gamma, length)
    own = kernel._self_similarities(histograms)
    unit = np.sqrt(np.where(own > 0, own, 1.0)) if kernel.normalize else np.ones(len(own))
    masses = rows.masses / unit[rows.graphs]
    n_classes = len(sizes)
    which = np.flatnonzero(np.diff(rows.row_ptr) > 1)
    within, between = np.zeros((2, len(which), n_classes))
    pairs_within = np.maximum(sizes * (sizes - 1), 1)
    pairs_between = np.maximum(sizes * (len(codes) - sizes), 1)
    for place, f in enumerate(which):
        part = slice(rows.row_ptr[f], rows.row_ptr[f + 1])
        mine, mass, shape = codes[rows.graphs[part]], masses[part], rows.classes[part]
        examples = rows.example[rows.class_ptr[f] : rows.class_ptr[f + 1]]
        base = _base(histograms, examples, gaps, rate)
        sums = np.bincount(shape * n_classes + mine, mass, minlength=len(base) * n_classes)
        sums = sums.reshape(len(base), n_classes)
        together = sums.T @ base @ sums
        selves = np.bincount(mine, mass**2, minlength=n_classes)
        same = np.diagonal(together)
        within[place] = (same - selves) / pairs_within
        between[place] = (together.sum(axis=1) - same) / pairs_between
    return within, between, which


def _base(
    histograms: Histograms, rows: NDArray[np.int64], gaps: NDArray[np.float64], rate: float
) -> NDArray[np.float64]:
    """Return the base kernels of all pairs of rows."""
    if len(rows) == 1:
        return np.ones((1, 1))
    counts = np.array([histograms._counts(row) for row in rows], np.float64)
    parts = (np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True))[:, :-1]
    apart = np.zeros((len(rows), len(rows)))
    for level, gap in enumerate(gaps):
        apart += gap * np.abs(parts[:, None, level] - parts[None, :, level])
    return np.exp(-(rate * apart))
