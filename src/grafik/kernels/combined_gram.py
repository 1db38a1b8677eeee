"""Means and Gaussians of kernels, on graphs whose features are counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..features.histograms import Histograms
from ..graphs.batch import Graphs
from ..system.memory import memory_for, refuse_large_gram
from .gram import WAY_OUT, KernelOnHistograms
from .kernel_transformer import KernelTransformer
from .normalised import RunningMean, gaussian_of


class Sides:
    """What each part of a combined kernel knows of the same graphs: histograms, for most.

    It is used as histograms are: it has a length, and it can be cut into consecutive graphs.

    Parameters
    ----------
    parts : sequence of Histograms, Sides or WholeGraphs
        One for each part; those that are the same object stay so in a cut.
    """

    def __init__(self, parts: Any) -> None:
        self.parts = tuple(parts)

    def __len__(self) -> int:
        return len(self.parts[0])

    def between(self, start: int, stop: int) -> Sides:
        """Return what is known of consecutive graphs."""
        return self._each(lambda part: part.between(start, stop), {})

    def of_graphs(self, numbers: NDArray[np.int64]) -> Sides:
        """Return what is known of some graphs, in the given order."""
        return self._each(lambda part: part.of_graphs(numbers), {})

    def histograms(self) -> list[Histograms]:
        """Return all different histograms."""
        return list({id(one): one for one in self._leaves()}.values())

    def _each(self, made: Any, known: dict[int, Any]) -> Sides:
        found = []
        for part in self.parts:
            if isinstance(part, Sides):
                found.append(part._each(made, known))
                continue
            if id(part) not in known:
                known[id(part)] = made(part)
            found.append(known[id(part)])
        return Sides(found)

    def _leaves(self) -> Iterator[Any]:
        for part in self.parts:
            if isinstance(part, Sides):
                yield from part._leaves()
            else:
                yield part


@dataclass(frozen=True)
class MeanOnHistograms:
    """The mean of kernels that are normalised, on histograms.

    It holds no graph and no user code, if its parts hold none, so it can be sent to any worker.

    Parameters
    ----------
    parts : tuple of kernels on histograms
    weights : tuple of float
        How much each part counts.
    n_jobs : int or None
    """

    parts: tuple[Compared, ...]
    weights: tuple[float, ...]
    n_jobs: int | None

    normalize: ClassVar[bool] = False

    @property
    def n_matrices(self) -> int:
        """Peak memory of computing one matrix, in matrices of its size."""
        return 1 + max(part.n_matrices for part in self.parts)

    def serial(self) -> MeanOnHistograms:
        """Return the same kernel, which uses one thread."""
        return MeanOnHistograms(tuple(serial(part) for part in self.parts), self.weights, None)

    def refuse_too_large(self, n_rows: int, n_columns: int) -> None:
        """Refuse a matrix that does not fit in memory."""
        refuse_large_gram(n_rows, n_columns, self.n_matrices)

    @memory_for("comparing graphs", WAY_OUT)
    def gram(self, x: Sides, y: Sides) -> NDArray[np.float64]:
        """Return the kernel of each graph of `x` with each of `y`."""
        mean = RunningMean(np.empty((len(x), len(y))), self.n_jobs)
        for part, weight, rows, columns in self._pairs(x, y):
            if isinstance(part, KernelOnGraphs) and part.normalize:
                mean.add(part.gram(rows, columns), weight)  # nothing is left to divide by
            else:
                gram, *own = _with_own(part, rows, columns)
                mean.add(gram, weight, *own)
        return mean.finished()

    def self_similarities(self, x: Sides) -> NDArray[np.float64]:
        """Return the kernel of each graph with itself: the share of the parts that have one."""
        total = np.zeros(len(x))
        for part, weight, rows, _ in self._pairs(x, x):
            total += np.where(part.self_similarities(rows) > 0, weight, 0.0)
        return np.asarray(total / float(np.cumsum(self.weights)[-1]))

    def _pairs(self, x: Sides, y: Sides) -> Iterator[tuple[Any, float, Any, Any]]:
        return zip(self.parts, self.weights, x.parts, y.parts, strict=True)


@dataclass(frozen=True)
class GaussianOnHistograms:
    """The Gaussian of a kernel that is normalised, on histograms.

    Parameters
    ----------
    part : kernel on histograms
    sigma : float
    n_jobs : int or None
    """

    part: Compared
    sigma: float
    n_jobs: int | None

    normalize: ClassVar[bool] = True

    @property
    def n_matrices(self) -> int:
        """Peak memory of computing one matrix, in matrices of its size."""
        return self.part.n_matrices

    def serial(self) -> GaussianOnHistograms:
        """Return the same kernel, which uses one thread."""
        return GaussianOnHistograms(serial(self.part), self.sigma, None)

    def refuse_too_large(self, n_rows: int, n_columns: int) -> None:
        """Refuse a matrix that does not fit in memory."""
        refuse_large_gram(n_rows, n_columns, self.n_matrices)

    @memory_for("comparing graphs", WAY_OUT)
    def gram(self, x: Sides, y: Sides) -> NDArray[np.float64]:
        """Return the kernel of each graph of `x` with each of `y`."""
        gram, rows, columns = _with_own(self.part, x.parts[0], y.parts[0])
        return gaussian_of(gram, self.sigma, rows, columns, out=gram, n_jobs=self.n_jobs)

    def self_similarities(self, x: Sides) -> NDArray[np.float64]:
        """Return the kernel of each graph with itself: 1, or 0 where the part has none."""
        return (self.part.self_similarities(x.parts[0]) > 0).astype(np.float64)


class WholeGraphs:
    """Graphs, for a part that takes these and no histograms.

    Parameters
    ----------
    graphs : Graphs or None
        None for training graphs that the part keeps itself.
    own : ndarray, optional
        The kernel of each graph with itself, if it is known.
    """

    def __init__(self, graphs: Graphs | None, own: NDArray[np.float64] | None = None) -> None:
        self.graphs, self.own = graphs, own

    def __len__(self) -> int:
        known = self.own if self.graphs is None else self.graphs
        return 0 if known is None else len(known)


@dataclass(frozen=True)
class KernelOnGraphs:
    """A kernel with `fit`, `transform` and `diagonal`, of which nothing else is known.

    Parameters
    ----------
    estimator : kernel
        Fitted; or to be fitted when the matrix of training graphs is asked for.
    normalize : bool
        Whether its matrices are normalised.
    name : str
        What messages call it.
    """

    estimator: Any
    normalize: bool
    name: str

    n_matrices: ClassVar[int] = 3

    @property
    def foreign(self) -> bool:
        """Whether it is of another library, so that its numbers may be of any size."""
        return not isinstance(self.estimator, KernelTransformer)

    def gram(self, x: WholeGraphs, y: WholeGraphs) -> NDArray[np.float64]:
        """Return the kernel of graphs with all training graphs, which `y` must stand for."""
        symmetric = x is y
        gram = np.asarray(self._rows(x.graphs, symmetric), np.float64)
        if gram.shape != (len(x), len(y)):
            raise ValueError(
                f"{self._called} must give a matrix of shape {(len(x), len(y))}, got {gram.shape}"
            )
        if symmetric and not self.foreign:
            x.own = np.ascontiguousarray(np.diagonal(gram))
        return gram

    def self_similarities(self, x: WholeGraphs) -> NDArray[np.float64]:
        """Return the kernel of each graph with itself."""
        if x.own is None:
            own = np.asarray(self.estimator.diagonal(x.graphs), np.float64)
            if self.foreign:
                self._check_own(own, len(x))
            x.own = own
        return x.own

    def scaled(
        self,
        gram: NDArray[np.float64],
        rows: NDArray[np.float64],
        columns: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the same after graphs were scaled, so that products neither overflow nor vanish.

        Factors are powers of 2, so that no digit changes of what is divided later.
        """
        (x, x_own), (y, y_own) = _near_one(rows), _near_one(columns)
        with np.errstate(over="ignore", under="ignore"):
            found = np.ldexp(gram, x[:, None] + y)
        if not np.isfinite(found).all():
            raise ValueError(
                f"{self._called} must give finite kernels, not far above those of graphs with "
                f"themselves, got {gram[~np.isfinite(found)][0]}"
            )
        return found, x_own, y_own

    @property
    def _called(self) -> str:
        return f"part {self.name!r}, {self.estimator},"

    def _rows(self, graphs: Graphs | None, symmetric: bool) -> Any:
        if not symmetric:
            return self.estimator.transform(graphs)
        if hasattr(self.estimator, "fit_transform"):
            return self.estimator.fit_transform(graphs)
        self.estimator.fit(graphs)
        return self.estimator.transform(graphs)

    def _check_own(self, own: NDArray[np.float64], n: int) -> None:
        if own.shape != (n,):
            raise ValueError(f"{self._called} must give {n} numbers as diagonal, got {own.shape}")
        wrong = np.flatnonzero(~(np.isfinite(own) & (own >= 0)))
        if len(wrong):
            raise ValueError(
                f"{self._called} must give finite kernels of at least 0 of graphs with themselves, "
                f"got {own[wrong[0]]} for graph {wrong[0]}"
            )


def _near_one(own: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return binary exponents for graphs, and self-similarities from 1/2 to 2."""
    shift = -(np.frexp(own)[1] // 2)
    return shift, np.ldexp(own, 2 * shift)


# What compares graphs, and what it knows of them.
Compared: TypeAlias = KernelOnHistograms | MeanOnHistograms | GaussianOnHistograms | KernelOnGraphs
Counted: TypeAlias = Histograms | Sides


def serial(kernel: Any) -> Any:
    """Return a kernel on histograms that uses one thread."""
    if isinstance(kernel, KernelOnHistograms):
        return replace(kernel, n_jobs=None)
    return kernel if isinstance(kernel, KernelOnGraphs) else kernel.serial()


def all_histograms(counted: Counted) -> list[Histograms]:
    """Return all different histograms that a kernel compares."""
    return counted.histograms() if isinstance(counted, Sides) else [counted]


def _with_own(
    part: Any, x: Any, y: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return a matrix and what it has to be divided by: the kernel of each graph with itself.

    What is divided already has 1 there, or 0 for graphs without self-similarity.
    """
    # Dividing later, together with other work, is faster and gives the same bits.
    later = isinstance(part, KernelOnHistograms)
    gram = (replace(part, normalize=False) if later else part).gram(x, y)
    rows = part.self_similarities(x)
    columns = rows if x is y else part.self_similarities(y)
    if isinstance(part, KernelOnGraphs) and part.foreign:
        return part.scaled(gram, rows, columns)
    if part.normalize and not later:
        rows, columns = (rows > 0).astype(np.float64), (columns > 0).astype(np.float64)
    return gram, rows, columns
