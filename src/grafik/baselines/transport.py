"""Exact optimal transport between many pairs of distributions, by POT's network simplex."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.offsets import offsets
from ..system.optional import require
from ..system.progress import progress_bar
from ..system.threads import run_blocks
from .vertex_distributions import Distributions

_MAX_ITERATIONS = 10_000_000
# The most pairs of points that are compared in one block.
_BLOCK = 10_000_000
# With fewer pairs a progress bar would only flash up.
_WORTH_SHOWING = 10_000

_Floats: TypeAlias = NDArray[np.float64]
Solver: TypeAlias = Callable[[_Floats, _Floats, _Floats], float]


def transport_distances(
    x: Distributions, y: Distributions, n_jobs: int | None, progress: bool | None
) -> NDArray[np.float64]:
    """Return the Wasserstein distance of each distribution of `x` to each of `y`.

    Equal distributions are compared once. In each pair, the one with the smaller digest comes
    first, whichever side it is on, so that both directions have the same bits.
    """
    if x.points.shape[1] != y.points.shape[1] and len(x.points) and len(y.points):
        raise ValueError(
            f"graphs must have points of {y.points.shape[1]} numbers like the training graphs, got "
            f"{x.points.shape[1]}; do they have other node attributes?"
        )
    solve = emd_solver()
    (_, rows, of_row), (_, columns, of_column) = (
        np.unique(side.digests, return_index=True, return_inverse=True) for side in (x, y)
    )
    same = x is y
    found = np.zeros((len(rows), len(columns)))
    sizes = [np.diff(side.ptr)[chosen] for side, chosen in ((x, rows), (y, columns))]
    # If both sides are the same, row i is compared with the columns before it.
    before = np.arange(len(rows)) if same else np.full(len(rows), len(columns))
    work = sizes[0] * (offsets(sizes[1])[before] + 1)

    total = int(before.sum())
    if progress is None and total < _WORTH_SHOWING:
        progress = False
    with progress_bar("comparing graphs", total, progress) as advance:

        def fill(start: int, stop: int) -> None:
            for i in range(start, stop):
                for j in range(before[i]):
                    found[i, j] = _distance(x, y, rows[i], columns[j], solve)
                advance(int(before[i]))

        # Blocks of about a second, so that an interrupt does not wait for long.
        run_blocks(fill, offsets(work), n_jobs, ns_per_unit=100.0, max_units=_BLOCK)
    if same:
        found += found.T
    return found[np.ix_(of_row, of_column)]


def _distance(x: Distributions, y: Distributions, i: int, j: int, solve: Solver) -> float:
    """Return the distance of one pair."""
    if x.digests[i] == y.digests[j]:
        return 0.0
    if x.digests[i] > y.digests[j]:
        x, y, i, j = y, x, j, i
    mine, theirs = slice(x.ptr[i], x.ptr[i + 1]), slice(y.ptr[j], y.ptr[j + 1])
    a, b = x.counts[mine], y.counts[theirs]
    if len(a) == 0 or len(b) == 0:
        return 1.0 if x.points.dtype.kind == "u" else np.inf
    n, m = a.sum(), b.sum()
    points = x.points[mine], y.points[theirs]
    costs = _hamming(*points) if x.points.dtype.kind == "u" else _euclidean(*points)
    # The simplex adds large costs of its own, next to which small ones would be lost. Scaling by a
    # power of two changes no bits.
    _, exponent = np.frexp(costs.max())
    costs = np.ldexp(costs, -exponent)
    # Both sides have the mass n m in integers, which balance exactly.
    least = max(solve(a * m, b * n, costs) / float(n * m), 0.0)
    return float(np.ldexp(least, exponent))


def emd_solver() -> Solver:
    """Return a function of two histograms and their costs: the least cost of a transport plan.

    It calls the compiled part of POT's `emd2`, as the checks and conversions around it take several
    times as long as small problems. That part is not a public interface: if it does not behave as
    expected, `emd2` is called.
    """
    ot = require("ot", "optimal transport", "grafik[transport]")

    def public(a: _Floats, b: _Floats, costs: _Floats) -> float:
        cost, log = ot.emd2(a, b, costs, numItermax=_MAX_ITERATIONS, log=True)
        return _checked(cost, log["warning"])

    def compiled(a: _Floats, b: _Floats, costs: _Floats) -> float:
        _, cost, _, _, code = emd_c(a, b, costs, _MAX_ITERATIONS, 1)
        return _checked(cost, None if code == 1 else f"code {code}")

    problem = np.array([1.0, 3.0]), np.array([2.0, 2.0]), np.array([[0.0, 5.0], [4.0, 1.0]])
    try:
        emd_c = ot.lp.emd_wrap.emd_c
        _, cost, _, _, code = emd_c(*problem, 1000, 1)
        known = (cost, code) == (6.0, 1)
    except Exception:  # whatever has changed
        known = False
    return compiled if known else public


def _checked(cost: float, trouble: str | None) -> float:
    if trouble is not None:
        raise RuntimeError(f"optimal transport found no solution, POT returned {trouble}")
    return float(cost)


@njit(cache=True, nogil=True)
def _hamming(x, y):
    """Return the share of columns in which the rows of two tables of labels differ."""
    costs = np.zeros((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            differing = 0
            for k in range(x.shape[1]):
                differing += x[i, k] != y[j, k]
            costs[i, j] = differing / x.shape[1]
    return costs


@njit(cache=True, nogil=True)
def _euclidean(x, y):
    """Return the distances between the rows of two tables."""
    costs = np.zeros((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            total = 0.0
            for k in range(x.shape[1]):
                total += (x[i, k] - y[j, k]) ** 2
            costs[i, j] = np.sqrt(total)
    return costs
