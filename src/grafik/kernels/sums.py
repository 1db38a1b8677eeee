"""Gram matrices from filtration histograms: sums of base kernels over features."""

from __future__ import annotations

from threading import local

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.compiled import loop
from ..arrays.offsets import offsets, part_of
from ..features.histograms import Histograms
from ..filtration.axis import LARGEST, unit_axis
from ..system.threads import run_blocks
from .base_kernel import exponential
from .matching import Pairs, matched
from .tiles import (
    ONE_STEP,
    Far,
    Running,
    Scratch,
    Tables,
    add_tile,
    memory_for_lines,
    run_tiles,
    tile_of,
)

# Base kernels are made in chunks of this many.
_CHUNK = 1 << 12


def wasserstein(x: ArrayLike, y: ArrayLike, alphas: ArrayLike) -> float:
    r"""Wasserstein distance between two filtration histograms, after normalising both.

    .. math:: W_1(\hat x, \hat y) = \sum_{i<k} (\alpha_i - \alpha_{i+1})
              \Bigl|\sum_{j \leq i} \hat x_j - \hat y_j\Bigr|

    Parameters
    ----------
    x, y : array of shape (n_levels,)
        Not negative, and not all zero.
    alphas : array of shape (n_levels,)
        Decreasing thresholds, on which the mass is moved.

    Returns
    -------
    float

    Examples
    --------
    >>> from grafik import wasserstein
    >>> wasserstein([2, 0, 0], [0, 0, 7], alphas=[5.0, 3.0, 1.0])
    4.0
    """
    points = np.asarray(alphas, np.float64)
    if points.ndim != 1 or not np.isfinite(points).all() or not (points[1:] < points[:-1]).all():
        raise ValueError(f"alphas must be finite and decrease, got {alphas!r}")
    sums = []
    for name, values in (("x", x), ("y", y)):
        array = np.asarray(values, np.float64)
        if array.shape != points.shape:
            raise ValueError(f"{name} must have shape {points.shape}, got {array.shape}")
        if not np.isfinite(array).all() or (array < 0).any() or not array.any():
            raise ValueError(
                f"{name} must be finite, not negative and not all zero, got {values!r}"
            )
        scaled = array / array.max()  # a sum of large numbers may overflow
        sums.append(np.cumsum(scaled) / scaled.sum())
    axis, length = unit_axis(points)
    between = np.abs(sums[0] - sums[1])[:-1]
    moved = float(((axis[:-1] - axis[1:]) * between).sum())
    if length == LARGEST:  # the span itself may be larger
        moved, length = 2 * moved, float(points[0] / 2 - points[-1] / 2)
    return min(moved * length, LARGEST)


def sum_gram(
    x: Histograms,
    y: Histograms,
    alphas: NDArray[np.float64],
    gamma: float,
    *,
    smaller: bool = False,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    r"""Gram matrix of the filtration kernel (Definition 3 of the paper).

    .. math:: K(G, G') = \sum_f e^{-\gamma W_1(\hat\phi_f(G), \hat\phi_f(G'))}
              \|\phi_f(G)\|_1 \, \|\phi_f(G')\|_1

    Every entry is added up in the order of depth and feature, so it depends on its two graphs
    alone, to the last bit.

    Parameters
    ----------
    x, y : Histograms
        Of the graphs of the rows and of the columns.
    alphas : ndarray of shape (n_levels,)
        Thresholds, mapped to the interval from 1 to 0.
    gamma : float
    smaller : bool
        Whether the smaller one of both masses counts, in place of their product.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.
    """
    matrix = np.empty((len(x), len(y)))
    pairs = matched(x, y, alphas, n_jobs)
    add_up(pairs, gamma, matrix, n_jobs, smaller=smaller, base=pairs.distances)
    if x is y:
        np.fill_diagonal(matrix, sum_diagonal(x, smaller=smaller))
    return matrix


class RunningSums:
    """What adding up a Gram matrix in several steps keeps between them: a matrix of its own.

    Parameters
    ----------
    n_graphs, n_steps : int
    """

    def __init__(self, n_graphs: int, n_steps: int) -> None:
        self.n_steps = n_steps
        self.matrix = np.empty((n_graphs, n_graphs) if n_steps > 1 else (0, 0))

    def at(self, step: int) -> Running:
        """Return the matrix, whether this step starts from it, and whether it writes to it."""
        return Running(self.matrix, step > 0, step + 1 < self.n_steps)


def add_up(
    pairs: Pairs,
    gamma: float,
    out: NDArray[np.float64],
    n_jobs: int | None,
    running: Running = ONE_STEP,
    smaller: bool = False,
    base: NDArray[np.float64] | None = None,
) -> None:
    """Write the sums over all shared features to a matrix, on top of running sums if there are.

    The diagonal of a symmetric matrix lacks the features that only one graph has. Base kernels are
    written to `base`, which may be the distances themselves if these are not needed any more.
    """
    base = np.empty_like(pairs.distances) if base is None else base
    _fill_base(pairs, gamma, base, n_jobs)
    tables, far = Tables(pairs.table_ptr, base), Far.of(pairs, gamma)
    memory = local()  # each thread keeps its own from tile to tile

    def add(first: int, last: int) -> None:
        tile = tile_of(first, last, pairs)
        if not hasattr(memory, "lines"):
            memory.lines = memory_for_lines(tile, pairs)
        scratch = Scratch.of(tile, pairs, smaller, len(out), memory.lines)
        add_tile(tile, pairs, tables, far, scratch, running, out)

    run_tiles(add, out.shape[1], n_jobs)


def sum_diagonal(
    x: Histograms, depth: int | None = None, smaller: bool = False
) -> NDArray[np.float64]:
    """Return the kernel of each graph with itself: the squares of its masses, added up.

    Where of two masses the smaller one counts, these are the masses themselves.
    """
    power = 1 if smaller else 2
    deepest = np.iinfo(np.int32).max if depth is None else depth
    masses = x.masses if depth is None else np.where(x.depths <= deepest, x.masses, 0)
    largest = int(masses.max(initial=0))
    if largest**power * len(masses) < 2**53:
        terms = masses if smaller else masses * masses  # a power takes much longer
        return np.diff(offsets(terms)[x.graph_ptr]).astype(np.float64)
    floats = masses.astype(np.float64) ** power
    sums = np.asarray(np.bincount(part_of(x.graph_ptr), floats, len(x)), np.float64)
    # Below 2^53 sums are exact in any order; above, this is the order of the other entries.
    for graph in np.flatnonzero(sums >= 2.0**53):
        rows = slice(int(x.graph_ptr[graph]), int(x.graph_ptr[graph + 1]))
        order = np.lexsort((x.features[rows], x.depths[rows]))
        kept = order[x.depths[rows][order] <= deepest]
        sums[graph] = np.cumsum(x.masses[rows][kept].astype(np.float64) ** power)[-1]
    return sums


def normalise(
    matrix: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> None:
    """Divide by the geometric means of self-similarities, in place; 0 where one of them is 0."""
    # To look for zeros takes longer than to divide.
    nowhere_zero = rows.min(initial=1.0) * columns.min(initial=1.0) > 0
    for start in range(0, len(matrix), 32):  # few rows at a time stay in the cache
        part = matrix[start : start + 32]
        scale = rows[start : start + 32, None] * columns[None, :]
        np.sqrt(scale, out=scale)
        np.divide(part, scale, out=part, where=True if nowhere_zero else scale > 0)


def _fill_base(pairs: Pairs, gamma: float, base: NDArray[np.float64], n_jobs: int | None) -> None:
    """Fill the tables of base kernels, from those of distances."""

    def fill(start: int, stop: int) -> None:
        part = slice(start * _CHUNK, stop * _CHUNK)
        if base is not pairs.distances:
            base[part] = pairs.distances[part]
        _exponentials(base[part], gamma)

    run_blocks(fill, np.arange(-(-len(base) // _CHUNK) + 1), n_jobs, ns_per_unit=8.0 * _CHUNK)


@loop
def _exponentials(values, gamma):
    """Turn distances into base kernels; they have the bits that the loop below would compute."""
    for at in range(len(values)):
        values[at] = exponential(values[at], gamma)
