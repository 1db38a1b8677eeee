"""What each single feature contributes to the kernel of one graph with others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.offsets import part_of
from ..features.histograms import Histograms
from ..kernels.gram import KernelOnHistograms
from ..kernels.products import far_off
from ..kernels.wasserstein import axis_of, distance, lines_of, profiles_of

# Depth and hash of a feature.
Key: TypeAlias = tuple[int, int]


class Terms(NamedTuple):
    """The terms that kernel values are made of: one for each feature and graph on the other side.

    Attributes
    ----------
    rows : ndarray of int64, shape (n_terms,)
        Row of the feature in the histograms of the one graph; -1 if it lacks the feature.
    other_rows : ndarray of int64, shape (n_terms,)
        Row in the histograms of the others; -1 if that graph lacks the feature.
    columns : ndarray of int64, shape (n_terms,)
        Number of the other graph.
    distances : ndarray of float64, shape (n_terms,)
        Wasserstein distance, on the scale of the kernel.
    values : ndarray of float64, shape (n_terms,)
        The values of a column add up to the kernel, for products to its logarithm.
    """

    rows: NDArray[np.int64]
    other_rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    distances: NDArray[np.float64]
    values: NDArray[np.float64]


def kernel_terms(kernel: KernelOnHistograms, x: Histograms, y: Histograms) -> Terms:
    """Split the kernel of one graph with each of the others into terms.

    Parameters
    ----------
    kernel : KernelOnHistograms
    x, y : Histograms
        Histograms of the one graph, and of the others.
    """
    (points, length, delta), rate = kernel.axis, kernel.rate
    partners, graphs = _partners(x, y), part_of(y.graph_ptr)
    theirs = np.flatnonzero(partners >= 0)
    mine = partners[theirs]
    apart = _distances(x, mine, y, theirs, points)
    values: NDArray[np.float64]
    if kernel.combine == "sum":
        compare = np.minimum if kernel.smaller else np.multiply
        both = compare(x.masses[mine].astype(np.float64), y.masses[theirs])
        values = np.exp(-(rate * apart)) * both
        if kernel.normalize:
            own, others = (kernel.self_similarities(side) for side in (x, y))
            values = values / np.sqrt(own[0] * others)[graphs[theirs]]
        return Terms(mine, theirs, graphs[theirs], apart * length, values)

    present = np.zeros((len(x.features), len(y)), bool)
    present[mine, graphs[theirs]] = True
    only_mine, columns = np.nonzero(~present)
    only_theirs = np.flatnonzero(partners < 0)
    far_x, far_y = (far_off(side, np.arange(len(side.features)), points, delta) for side in (x, y))
    rows = np.concatenate([mine, only_mine, np.full(len(only_theirs), -1)])
    other_rows = np.concatenate([theirs, np.full(len(only_mine), -1), only_theirs])
    apart = np.concatenate([apart, far_x[only_mine], far_y[only_theirs]])
    # Row -1 is the last one, which has mass 0.
    masses, other_masses = (
        np.append(side.masses, 0)[which].astype(np.float64)
        for side, which in ((x, rows), (y, other_rows))
    )
    with np.errstate(over="ignore"):  # minus infinity is the logarithm of 0
        values = -(rate * apart + kernel.beta * (masses - other_masses) ** 2)
    columns = np.concatenate([graphs[theirs], columns, graphs[only_theirs]])
    return Terms(rows, other_rows, columns, apart * length, values)


def by_feature(
    kernel: KernelOnHistograms, x: Histograms, y: Histograms, coefficients: NDArray[np.float64]
) -> tuple[dict[Key, float], float]:
    """Return what each feature contributes to a weighted sum of kernels, and the rest."""
    terms = kernel_terms(kernel, x, y)
    parts, base = terms.values, 0.0
    if kernel.combine == "product":
        parts, base = _lost(terms, len(coefficients)), float(coefficients.sum())
    sums: dict[Key, float] = {}
    weighted = (coefficients[terms.columns] * parts).tolist()
    for key, part in zip(term_keys(terms, x, y), weighted, strict=True):
        sums[key] = sums.get(key, 0.0) + part
    return sums, base


def _lost(terms: Terms, n_columns: int) -> NDArray[np.float64]:
    """Return the share of each feature in K - 1 for each product K, in proportion to logarithms."""
    largest = np.zeros(n_columns)
    np.minimum.at(largest, terms.columns, terms.values)
    scale = np.where(largest == 0, -1.0, largest)
    parts = terms.values / scale[terms.columns]  # sums of large numbers may overflow
    whole = np.bincount(terms.columns, parts, minlength=n_columns)
    with np.errstate(over="ignore"):
        lost = np.expm1(whole * scale) / np.where(whole == 0, 1.0, whole)
    return np.asarray(parts * lost[terms.columns])


def term_keys(terms: Terms, x: Histograms, y: Histograms) -> Iterable[Key]:
    """Return depth and hash of the feature of each term."""
    # Rows of both graphs one after the other: where the first lacks a feature, the other has it.
    rows = np.where(terms.rows >= 0, terms.rows, len(x.features) + terms.other_rows)
    depths, features = (
        np.concatenate([getattr(side, name) for side in (x, y)])[rows]
        for name in ("depths", "features")
    )
    return keys(depths, features)


def keys(depths: NDArray[Any], features: NDArray[Any]) -> Iterable[Key]:
    """Return columns of depths and hashes as pairs."""
    return zip(depths.tolist(), features.tolist(), strict=True)


def _partners(x: Histograms, y: Histograms) -> NDArray[np.int64]:
    """Return for each row of `y` the row of `x` that has the same feature, or -1."""
    found = np.full(len(y.features), -1, np.int64)
    order = np.lexsort((x.features, x.depths))
    for depth in np.unique(x.depths):
        mine = order[x.depths[order] == depth]
        theirs = np.flatnonzero(y.depths == depth)
        place = np.searchsorted(x.features[mine], y.features[theirs])
        place = np.minimum(place, len(mine) - 1)
        same = x.features[mine[place]] == y.features[theirs]
        found[theirs[same]] = mine[place[same]]
    return found


def _distances(
    x: Histograms,
    rows_x: NDArray[np.int64],
    y: Histograms,
    rows_y: NDArray[np.int64],
    points: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the distance between each row of `x` and the row of `y` at the same place."""
    every = np.arange(len(x.features))
    profiles_x = profiles_of(every, x.runs, None)
    profiles_y = profiles_of(rows_y, y.runs, None)
    found = np.empty(len(rows_x))
    _measure(rows_x, profiles_x, profiles_y, axis_of(points), found)
    return found


@njit(cache=True, nogil=True)
def _measure(rows, x, y, axis, out):
    """Write the distance of each histogram of `y` to its row of `x` to `out`."""
    x_lines, x_ptr, y_lines, y_ptr = x.lines, x.ptr, y.lines, y.ptr
    for at in range(len(rows)):
        out[at] = distance(x_lines, lines_of(x_ptr, rows[at]), y_lines, lines_of(y_ptr, at), axis)
