"""Sweeps: the Gram matrices of a kernel, for the parameters that a protocol tries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..graphs.batch import Graphs
from ..kernels.kernel import FiltrationKernel
from ..kernels.normalised import RunningMean, gaussian_of
from ..models.gram_grid import Grid, filtration_grams
from .protocols import Protocol

# Parameters, and the Gram matrix of all graphs; the next step may overwrite the matrix.
Grams: TypeAlias = Iterator[tuple[dict[str, Any], NDArray[np.float64]]]
# Bytes that the matrices of several gammas may take together.
_MEMORY = 5e8
# Takes a kernel, graphs, the positions of those to learn from (None: all), and a protocol.
Sweep: TypeAlias = Callable[[Any, Graphs, NDArray[np.int64] | None, Protocol], Grams]


def as_it_is(
    kernel: Any, graphs: Graphs, train: NDArray[np.int64] | None, protocol: Protocol
) -> Grams:
    """Yield one matrix, of a user's kernel with the parameters that it has."""
    fresh = clone(kernel, safe=False)
    if train is None:
        yield {}, _checked_matrix(kernel, fresh.fit_transform(graphs), (len(graphs), len(graphs)))
        return
    if not hasattr(fresh, "transform"):
        raise TypeError(
            f"{type(kernel).__name__} must have fit and transform to be learned from the training "
            "part; or learn it from all graphs: thresholds_from='all'"
        )
    # Machines are trained on columns of training graphs; the others are never read.
    matrix = np.zeros((len(graphs), len(graphs)))
    found = fresh.fit(graphs[train]).transform(graphs)
    matrix[:, train] = _checked_matrix(kernel, found, (len(graphs), len(train)))
    yield {}, matrix


def _checked_matrix(kernel: Any, given: Any, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return the matrix of a user's kernel as floats, or refuse it."""
    try:
        found = np.asarray(given)
    except (ValueError, TypeError):  # such as rows of different lengths
        found = np.empty(0, object)
    name = type(kernel).__name__
    if found.shape != shape or found.dtype.kind not in "buif":
        about = [f"{getattr(given, part)}" for part in ("dtype", "shape") if hasattr(given, part)]
        raise ValueError(
            f"the matrix of {name} must be a dense array of numbers of shape {shape}, a row for "
            "each graph and a column for each graph that it was fitted to, got "
            f"{' '.join([type(given).__name__, *about])}; return kernel values, not features, "
            "as a NumPy array"
        )
    matrix = found.astype(np.float64, copy=False)
    finite = np.isfinite(matrix)
    if not finite.all():
        row, column = map(int, np.unravel_index(finite.argmin(), shape))
        raise ValueError(
            f"the matrix of {name} must be finite, got {matrix[row, column]} in row {row}, column "
            f"{column}; correct the kernel, or leave that graph out"
        )
    return matrix


def over_filtrations(
    kernel: FiltrationKernel,
    graphs: Graphs,
    train: NDArray[np.int64] | None,
    protocol: Protocol,
) -> Grams:
    """Sweep over levels and gammas, and over depths if the features have one."""
    depths = protocol.depths if has_depth(kernel) else None
    grid = Grid(protocol.levels, depths, protocol.gammas)
    return iter(filtration_grams(kernel, graphs, train, grid, kernel.normalize))


def over_means(
    kernels: Sequence[FiltrationKernel],
    graphs: Graphs,
    train: NDArray[np.int64] | None,
    protocol: Protocol,
) -> Grams:
    """Sweep over the mean of several normalised filtration kernels, all with the same parameters.

    The means of as many gammas as fit in memory are made from one pass over the graphs.
    """
    n, depths = len(graphs), protocol.depths
    at_once = max(1, int(_MEMORY // (8 * n * n * len(depths))))
    for n_levels in protocol.levels:
        # With one level there is no filtration, so the kernels are all the same.
        parts = kernels[:1] if n_levels == 1 else kernels
        gammas = protocol.gammas[:1] if n_levels == 1 else protocol.gammas
        for first in range(0, len(gammas), at_once):
            tried = gammas[first : first + at_once]
            means = {
                (depth, gamma): RunningMean(np.empty((n, n)), kernels[0].n_jobs)
                for depth in depths
                for gamma in tried
            }
            for kernel in parts:
                grid = Grid([n_levels], depths, tried)
                grams = filtration_grams(kernel, graphs, train, grid, True)
                # A weight with one value has one level too, where gamma does not matter.
                same = len(grams) < len(means)
                for found, gram in grams:
                    for gamma in tried if same else [found["gamma"]]:
                        means[found["depth"], gamma].add(gram)
            for (depth, gamma), mean in means.items():
                params = {"n_levels": n_levels, "depth": depth, "gamma": gamma}
                yield params, mean.finished()


def over_sigmas(
    inner: Sweep,
    kernel: Any,
    graphs: Graphs,
    train: NDArray[np.int64] | None,
    protocol: Protocol,
) -> Grams:
    """Sweep over Gaussians ``exp(-sigma (1 - K))`` of normalised kernels, themselves swept over."""
    out = np.empty((len(graphs), len(graphs)))
    for params, gram in inner(kernel, graphs, train, protocol):
        own = gram.diagonal().copy()
        for sigma in protocol.sigmas:
            yield {**params, "sigma": sigma}, gaussian_of(gram, sigma, own, own, out)


def has_depth(kernel: FiltrationKernel) -> bool:
    """Tell whether the features of a kernel have a depth."""
    return kernel.features is None or hasattr(kernel.features, "depth")


# The kernels below learn nothing from the graphs, so test graphs may be compared as well.


def once(kernel: Any, graphs: Graphs, train: object, protocol: Protocol) -> Grams:
    """Yield one matrix, of a kernel without parameters."""
    yield {}, clone(kernel).fit_transform(graphs)


def over_depths(kernel: Any, graphs: Graphs, train: object, protocol: Protocol) -> Grams:
    """Sweep over depths, and gammas if the kernel has one, in one pass over the graphs."""
    gammas = protocol.gammas if "gamma" in kernel.get_params() else None
    out = np.empty((len(graphs), len(graphs)))
    for depth, gamma, matrix in clone(kernel).gram_grid(graphs, protocol.depths, gammas, out=out):
        yield {"depth": depth} if gamma is None else {"depth": depth, "gamma": gamma}, matrix


def over_sizes(kernel: Any, graphs: Graphs, train: object, protocol: Protocol) -> Grams:
    """Sweep over sizes of graphlets."""
    for size in protocol.sizes:
        yield {"size": size}, clone(kernel).set_params(size=size).fit_transform(graphs)


def over_gaussians(kernel: Any, graphs: Graphs, train: object, protocol: Protocol) -> Grams:
    """Sweep over Gaussian kernels of the counts that a kernel multiplies."""
    products = clone(kernel).set_params(normalize=False).fit_transform(graphs)
    own = products.diagonal()
    squares = own[:, None] + own - 2 * products
    for gamma in protocol.gammas:
        yield {"gamma": gamma}, np.exp(-gamma * squares)
