"""Telling features of a class: those that add most to its distance from the other classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..features.histograms import Histograms
from ..kernels.kernel import FiltrationKernel
from ..kernels.postings import postings_of


class TellingFeature(NamedTuple):
    """A feature that the graphs of a class have more of than others.

    Attributes
    ----------
    depth, feature : int
        As in the keys of :class:`grafik.Histograms`.
    distance : float
        What it adds to the squared distance between the class and the others.
    weights : (float, float)
        Mean mass in the class and in the others; normalised if the kernel is: divided by the root
        of each graph's kernel with itself, or where the smaller mass counts, by that kernel.
    graphs : list of int
        The graphs that have it.
    """

    depth: int
    feature: int
    distance: float
    weights: tuple[float, float]
    graphs: list[int]


class Contrast(NamedTuple):
    """How a class differs from all others together.

    Attributes
    ----------
    distance : float
        What all features add up to: the squared distance between the two means in the space of the
        kernel.
    features : list of TellingFeature
        The features that the class has more of, and in no smaller a share of its graphs, and that
        add most, the largest first.
    """

    distance: float
    features: list[TellingFeature]


def telling_features(
    kernel: FiltrationKernel, codes: NDArray[np.int64], n_classes: int, top: int
) -> list[Contrast | None]:
    r"""Find the features that tell a class from the others.

    .. math:: D_f(c) = \operatorname{mean}_{g, g' \in c} k_f(g, g')
              + \operatorname{mean}_{h, h' \notin c} k_f(h, h')
              - 2 \operatorname{mean}_{g \in c, h \notin c} k_f(g, h)

    where :math:`k_f` is the contribution of feature `f` to the kernel, as
    :func:`grafik.explain_pair` gives it. As each :math:`k_f` is a kernel, this is the squared
    distance of two means (the maximum mean discrepancy [1]_) and never negative. It is 0 for
    features that both sides have alike. Over all features it adds up to the squared distance of the
    means in the space of the kernel itself.

    Parameters
    ----------
    kernel : FiltrationKernel
        A sum kernel, fitted to the graphs.
    codes : ndarray of shape (n_graphs,)
        Class of each graph, counted from 0.
    n_classes, top : int
        Number of classes, and the most features to return for each.

    Returns
    -------
    list of Contrast or None
        One for each class; None if the class has no graphs, or all of them.

    References
    ----------
    .. [1] Gretton, Borgwardt, Rasch, Schoelkopf, Smola: A Kernel Two-Sample Test, JMLR 2012.

    Examples
    --------
    >>> from grafik import FiltrationKernel, datasets
    >>> from grafik.report.class_features import telling_features
    >>> graphs, y = datasets.triangle_pair()
    >>> kernel = FiltrationKernel(weight="triangles", n_levels=2, normalize=True)
    >>> K = kernel.fit_transform(graphs)
    >>> first, second = telling_features(kernel, y, n_classes=2, top=3)
    >>> bool(abs(first.distance - (K[0, 0] + K[1, 1] - 2 * K[0, 1])) < 1e-12)
    True
    """
    sizes = np.bincount(codes, minlength=n_classes)
    rows = postings_of(kernel.histograms_)
    distances, mine, theirs = _contrasts(kernel, codes, sizes)
    feature_of = np.repeat(np.arange(len(rows.features)), np.diff(rows.row_ptr))
    found: list[Contrast | None] = []
    for c in range(n_classes):
        if sizes[c] in (0, len(codes)):
            found.append(None)
            continue
        # A few graphs that have much of a feature may outweigh that the class has it more rarely.
        having = np.bincount(feature_of[codes[rows.graphs] == c], minlength=len(distances))
        others = np.diff(rows.row_ptr) - having
        rarer = having * (len(codes) - sizes[c]) < others * sizes[c]
        more = np.flatnonzero((mine[:, c] > theirs[:, c]) & (distances[:, c] > 0) & ~rarer)
        # Rounding keeps features that always occur together in a fixed order.
        keys = np.round(distances[more, c], 12)
        order = np.lexsort((rows.features[more], rows.depths[more], -keys))
        features = [
            TellingFeature(
                int(rows.depths[f]),
                int(rows.features[f]),
                float(distances[f, c]),
                (float(mine[f, c]), float(theirs[f, c])),
                rows.graphs[rows.row_ptr[f] : rows.row_ptr[f + 1]].tolist(),
            )
            for f in more[order[:top]]
        ]
        found.append(Contrast(float(distances[:, c].sum()), features))
    return found


def _contrasts(
    kernel: FiltrationKernel, codes: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return distances, and mean weights in each class and in the others, by feature and class.

    A feature has few distinct normalised histograms, so masses are first added up for each of them.
    Where the smaller mass counts, this is done for each step from one mass to the next:
    ``min(m, n)`` is the sum of the steps that both masses reach.
    """
    histograms = kernel.histograms_
    rows = postings_of(histograms)
    compared = kernel.on_histograms()
    gaps, rate = -np.diff(compared.axis.points), compared.rate
    own = compared.self_similarities(histograms)
    unit = np.sqrt(np.where(own > 0, own, 1.0)) if kernel.normalize else np.ones(len(own))
    unit, n_classes = unit[rows.graphs], len(sizes)
    masses = rows.masses / (unit**2 if compared.smaller else unit)
    n_mine, n_theirs = np.maximum(sizes, 1), np.maximum(len(codes) - sizes, 1)
    found = np.zeros((3, len(rows.features), n_classes))
    for f in range(len(rows.features)):
        part = slice(rows.row_ptr[f], rows.row_ptr[f + 1])
        examples = rows.example[rows.class_ptr[f] : rows.class_ptr[f + 1]]
        places = rows.classes[part] * n_classes + codes[rows.graphs[part]]
        sums = np.bincount(places, masses[part], minlength=len(examples) * n_classes)
        sums = sums.reshape(len(examples), n_classes)
        mine, theirs = sums / n_mine, (sums.sum(axis=1, keepdims=True) - sums) / n_theirs
        base, steps = _base(histograms, examples, gaps, rate), [mine - theirs]
        if compared.smaller:
            shape = len(examples), n_classes
            steps = _steps(rows.masses[part], places, unit[part], shape, (n_mine, n_theirs))
        squares = [(apart * (base @ apart)).sum(axis=0) for apart in steps]
        found[0, f] = np.maximum(sum(squares), 0.0)
        found[1, f], found[2, f] = mine.sum(axis=0), theirs.sum(axis=0)
    return found[0], found[1], found[2]


def _steps(
    masses: NDArray[np.float64],
    places: NDArray[np.int64],
    unit: NDArray[np.float64],
    shape: tuple[int, int],
    sizes: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> list[NDArray[np.float64]]:
    """Return how much more of each histogram reaches each step, times the root of its width."""
    levels, step = np.unique(masses, return_inverse=True)
    ends = np.bincount(step * np.prod(shape) + places, 1.0 / unit, len(levels) * np.prod(shape))
    mine = ends.reshape(len(levels), *shape)[::-1].cumsum(axis=0)[::-1]
    theirs = mine.sum(axis=2, keepdims=True) - mine
    widths = np.diff(levels, prepend=0.0)[:, None, None]
    return list((mine / sizes[0] - theirs / sizes[1]) * np.sqrt(widths))


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
