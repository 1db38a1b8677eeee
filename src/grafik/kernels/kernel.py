"""Estimators: filtration kernels for scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import check_buffer, checked_bool, checked_depths, checked_number
from ..features import WeisfeilerLehman, as_extractor
from ..features.histograms import Histograms
from ..filtration.filtration import LARGEST, Filtration, unit_axis
from ..graphs.as_graphs import as_graphs, as_training_graphs
from ..graphs.batch import Graphs
from ..system.memory import keep_freed, refuse_large_gram
from .matching import matched
from .products import product_gram
from .sums import RunningSums, add_up, normalise, sum_diagonal, sum_gram

# Above every depth.
_ALL = np.iinfo(np.int32).max
# How many times farther than the thresholds from each other `alpha_delta` may be from them.
_FARTHEST = 1e200
# What a block of a Gram matrix may take, in bytes.
_MEMORY = 1e9


class FiltrationKernel(TransformerMixin, BaseEstimator):
    r"""Filtration kernel: which features graphs share, when these appear, and for how long.

    .. math:: K(G, G') = \sum_f e^{-\gamma W_1(\hat\phi_f(G), \hat\phi_f(G'))}
              \|\phi_f(G)\|_1 \, \|\phi_f(G')\|_1

    where :math:`\phi_f(G)` counts feature `f` in every filtration graph of `G` and
    :math:`\hat\phi_f(G)` is the same with mass 1. A transformer from graphs to rows of a Gram
    matrix, to go before ``SVC(kernel="precomputed")``.

    Parameters
    ----------
    features : extractor, callable or None
        What is counted: an extractor of :mod:`grafik.features`, or a function from a networkx graph
        to an iterable of hashables; by default ``WeisfeilerLehman(depth=5)``.
    weight, thresholds, n_levels
        How graphs are built up, see :class:`grafik.Filtration`.
    scale : {"unit", "raw"}
        Whether distances are measured on thresholds mapped to the interval from 0 to 1, so that
        `gamma` means the same for all weights, or on the thresholds as they are (the paper's text).
    gamma : float
        How much it matters when a feature lives; 0 is the kernel that only counts.
    combine : {"sum", "product"}
        Whether the base kernels are added up, or multiplied (Appendix B of the paper).
    beta : float
        For products, how much differences of mass matter.
    alpha_delta : float or None
        For products, where on the scaled axis the mass of a feature lies that a graph lacks
        (Appendix A); by default at the last threshold.
    normalize : bool
        Whether to divide by the kernel of each graph with itself, so that all of these become 1. A
        graph that has nothing in common even with itself has 0 everywhere.
    n_jobs : int or None
        Number of threads for Weisfeiler-Lehman labels and for the matrix; None is one, -1 as many
        as there are processors. The result is the same for any number.

    Attributes
    ----------
    filtration_ : Filtration
    extractor_ : extractor
        Those that new graphs go through.
    alphas_ : ndarray
        Thresholds learned from the training graphs, decreasing.
    histograms_ : Histograms
        Filtration histograms of the training graphs.

    References
    ----------
    Schulz, Welke, Wrobel: Graph Filtration Kernels, AAAI 2022.

    Examples
    --------
    Triangle weights tell the two 3-regular graphs apart, which look alike without filtration:

    >>> from grafik import FiltrationKernel, datasets
    >>> from grafik.features import WeisfeilerLehman
    >>> graphs, y = datasets.triangle_pair()
    >>> labels = WeisfeilerLehman(depth=1)
    >>> FiltrationKernel(labels, n_levels=1).fit_transform(graphs)
    array([[72., 72.],
           [72., 72.]])
    >>> FiltrationKernel(labels, weight="triangles", n_levels=2).fit_transform(graphs)
    array([[216., 180.],
           [180., 216.]])
    """

    def __init__(
        self,
        features: Any = None,
        weight: Any = "degree",
        thresholds: str | Sequence[float] = "kmeans",
        n_levels: int = 3,
        scale: str = "unit",
        gamma: float = 1.0,
        combine: str = "sum",
        beta: float = 1.0,
        alpha_delta: float | None = None,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.features = features
        self.weight = weight
        self.thresholds = thresholds
        self.n_levels = n_levels
        self.scale = scale
        self.gamma = gamma
        self.combine = combine
        self.beta = beta
        self.alpha_delta = alpha_delta
        self.normalize = normalize
        self.n_jobs = n_jobs

    def fit(self, graphs: Any, y: object = None) -> FiltrationKernel:
        """Learn the thresholds and the histograms of the training graphs.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        FiltrationKernel
            Itself.
        """
        self._check_parameters()
        batch = as_training_graphs(graphs)
        filtration, extractor = self._filtration(), self._extractor()
        levels = filtration.fit_levels(batch)
        self.histograms_ = self._count(batch, filtration, extractor, levels=levels)
        self.filtration_, self.extractor_ = filtration, extractor
        self.alphas_ = filtration.alphas_
        return self

    def fit_transform(
        self, graphs: Any, y: object = None, client: Any = None
    ) -> NDArray[np.float64]:
        """Fit, and return the Gram matrix of the training graphs.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored
        client : dask.distributed.Client, optional
            Let the workers of a cluster compute the matrix; it has the same bits.

        Returns
        -------
        ndarray of shape (n_graphs, n_graphs)
            Symmetric to the bit, and positive semi-definite.
        """
        self._check_parameters()
        batch = as_training_graphs(graphs)
        _refuse_too_large(len(batch), len(batch), self.combine)
        self.fit(batch)
        return self._gram_on(client, self.histograms_)

    def transform(self, graphs: Any, client: Any = None) -> NDArray[np.float64]:
        """Return the kernel of new graphs with all training graphs.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        client : dask.distributed.Client, optional
            As for :meth:`fit_transform`.

        Returns
        -------
        ndarray of shape (n_new_graphs, n_training_graphs)
        """
        return self._gram_on(client, self._count_new(graphs))

    def gram_to(
        self,
        path: str | os.PathLike[str],
        graphs: Any,
        *,
        memory: float = _MEMORY,
        client: Any = None,
        progress: bool | None = None,
    ) -> np.memmap[Any, Any]:
        """Fit, and write the Gram matrix of the training graphs to a file, block by block.

        The matrix has the bits of :meth:`fit_transform`, and need not fit in memory. What is done
        stands in the folder ``path + ".part"`` until the file is complete: the same call, after
        whatever ended the one before, goes on there. Other graphs, parameters or versions are
        refused.

        Parameters
        ----------
        path : path of the file
            It ends with ``.npy``. What is there is replaced at the end.
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        memory : float
            Bytes that the work may take, beside the histograms of all graphs (for molecules, about
            20 kB each).
        client : dask.distributed.Client, optional
            Let the workers of a cluster compute the blocks.
        progress : bool or None
            Whether to show a progress bar; by default where standard error is a terminal.

        Returns
        -------
        memmap of shape (n_graphs, n_graphs)
            The file, mapped into memory, to read from.

        Examples
        --------
        >>> import tempfile
        >>> from grafik import FiltrationKernel, datasets
        >>> graphs, y = datasets.csl(copies=1)
        >>> kernel = FiltrationKernel(weight="triangles")
        >>> K = kernel.gram_to(tempfile.mkdtemp() + "/K.npy", graphs)
        >>> (K == kernel.fit_transform(graphs)).all()
        np.True_
        """
        from ..large.gram_file import checked_target

        checked_target(path)
        self.fit(graphs)
        return self._write(path, self.histograms_, memory, client, progress)

    def transform_to(
        self,
        path: str | os.PathLike[str],
        graphs: Any,
        *,
        memory: float = _MEMORY,
        client: Any = None,
        progress: bool | None = None,
    ) -> np.memmap[Any, Any]:
        """Write the kernel of new graphs with all training graphs to a file, block by block.

        Parameters
        ----------
        path, graphs, memory, client, progress
            As for :meth:`gram_to`.

        Returns
        -------
        memmap of shape (n_new_graphs, n_training_graphs)
            With the bits of :meth:`transform`.
        """
        return self._write(path, self._count_new(graphs), memory, client, progress)

    def diagonal(self, graphs: Any) -> NDArray[np.float64]:
        """Return the kernel of each new graph with itself.

        Returns
        -------
        ndarray of shape (n_new_graphs,)
        """
        self._check_parameters()
        found = self._self_similarities(self._count_new(graphs))
        return (found > 0).astype(np.float64) if self.normalize else found

    def gram_grid(
        self,
        graphs: Any,
        depths: Iterable[int] | None = None,
        gammas: Iterable[float] | None = None,
        out: NDArray[np.float64] | None = None,
    ) -> Iterator[tuple[int | None, float | None, NDArray[np.float64]]]:
        """Compute many Gram matrices of one set of graphs from one feature pass, one at a time.

        Each is what :meth:`fit_transform` gives with these parameters; the kernel itself stays as
        it is.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        depths : iterable of int, optional
            Depths of features that have one; by default that of `features`.
        gammas : iterable of float, optional
            By default the kernel's own.
        out : ndarray of float64, shape (n_graphs, n_graphs), optional
            Matrix that each result is written to, in place of a new one. Faster for sums, if you
            are done with each matrix before you ask for the next.

        Yields
        ------
        depth, gamma, matrix
            For every gamma all depths, increasing.

        Examples
        --------
        >>> from grafik import FiltrationKernel, datasets
        >>> graphs, y = datasets.csl(copies=1)
        >>> kernel = FiltrationKernel(weight="triangles")
        >>> for depth, gamma, K in kernel.gram_grid(graphs, depths=[0, 2], gammas=[1.0]):
        ...     print(depth, gamma, K.shape)
        0 1.0 (10, 10)
        2 1.0 (10, 10)
        """
        self._check_parameters()
        batch = as_training_graphs(graphs)
        values = [checked_number("gamma", g) for g in ([self.gamma] if gammas is None else gammas)]
        extractor = self._extractor()
        wanted: Sequence[int | None] = [None]
        if depths is not None:
            if not hasattr(extractor, "depth"):
                raise ValueError(f"{extractor} has no depth, so depths must be None")
            several = checked_depths(depths)
            extractor.set_params(depth=max(several, default=0))
            wanted = several
        if out is not None:
            check_buffer(out, len(batch))
        _refuse_too_large(len(batch), len(batch), self.combine, more=len(wanted) > 1)
        filtration = self._filtration()
        levels = filtration.fit_levels(batch)
        histograms = self._count(batch, filtration, extractor, levels=levels)
        # A clone, so that parameters changed on the way do not change the rest of the grid.
        twin: FiltrationKernel = clone(self)
        return twin._grid(histograms, filtration.alphas_, wanted, values, out)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted kernel to a file, to be read by :func:`grafik.load`.

        Parameters
        ----------
        path : path of the file; what is there is replaced

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import grafik
        >>> graphs, y = grafik.datasets.csl(copies=1)
        >>> kernel = grafik.FiltrationKernel(weight="triangles").fit(graphs)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "kernel.grafik"
        >>> kernel.save(path)
        >>> (grafik.load(path).transform(graphs) == kernel.transform(graphs)).all()
        np.True_
        """
        from ..models.saving import save

        check_is_fitted(self)
        save(self, path)

    def _grid(
        self,
        histograms: Histograms,
        alphas: NDArray[np.float64],
        depths: Sequence[int | None],
        gammas: Sequence[float],
        out: NDArray[np.float64] | None,
    ) -> Iterator[tuple[int | None, float, NDArray[np.float64]]]:
        if self.combine == "product":
            parts = [histograms if depth is None else histograms.up_to(depth) for depth in depths]
            for gamma in gammas:
                for depth, part in zip(depths, parts, strict=True):
                    matrix = self._product(part, part, alphas, gamma)
                    if out is not None:
                        out[:] = matrix
                    yield depth, gamma, matrix if out is None else out
            return
        axis, length, _ = self._axis(alphas)
        above = [_ALL if depth is None else depth + 1 for depth in depths]
        steps = [
            matched(histograms, histograms, axis, self.n_jobs, between)
            for between in pairwise([0, *above])
        ]
        sums = RunningSums(len(histograms), len(steps))
        for gamma in gammas:
            for step, (depth, pairs) in enumerate(zip(depths, steps, strict=True)):
                matrix = np.empty((len(histograms),) * 2) if out is None else out
                add_up(pairs, bounded_rate(gamma, length), matrix, self.n_jobs, sums.at(step))
                own = sum_diagonal(histograms, depth)
                np.fill_diagonal(matrix, own)
                if self.normalize:
                    normalise(matrix, own, own)
                yield depth, gamma, matrix

    def _gram_on(self, client: Any, rows: Histograms) -> NDArray[np.float64]:
        """Return the kernel with all training graphs, computed here or on a cluster."""
        if client is None:
            return self._gram(rows)
        from ..distributed import gram_on
        from ..large.blocks import Cut, size_of_blocks

        self._check_parameters()
        _refuse_too_large(len(rows), len(self.histograms_), "sum")
        sides = rows, self.histograms_
        size = size_of_blocks(sides, _matrices(self.combine), _MEMORY)
        return gram_on(client, self._bare(), Cut(*sides, size))

    def _write(
        self,
        path: str | os.PathLike[str],
        rows: Histograms,
        memory: float,
        client: Any,
        progress: bool | None,
    ) -> np.memmap[Any, Any]:
        from ..large.gram_file import write_gram

        self._check_parameters()
        how: dict[str, Any] = {"memory": memory, "progress": progress}
        if client is not None:
            from ..distributed import writing_on

            how["write"] = writing_on(client)
        matrices = _matrices(self.combine)
        return write_gram(path, self._bare(), rows, self.histograms_, matrices=matrices, **how)

    def _bare(self) -> FiltrationKernel:
        """Return a kernel that compares as this one does, with no graph and no code of the user."""
        names = ("scale", "gamma", "combine", "beta", "alpha_delta", "normalize", "n_jobs")
        kernel = FiltrationKernel(**{name: getattr(self, name) for name in names})
        kernel.alphas_ = self.alphas_
        return kernel

    def _gram(self, rows: Histograms, columns: Histograms | None = None) -> NDArray[np.float64]:
        """Return the kernel of counted graphs with others, by default the training graphs."""
        self._check_parameters()
        columns = self.histograms_ if columns is None else columns
        _refuse_too_large(len(rows), len(columns), self.combine)
        if self.combine == "product":
            return self._product(rows, columns, self.alphas_, self.gamma)
        axis, length, _ = self._axis(self.alphas_)
        rate = bounded_rate(self.gamma, length)
        matrix = sum_gram(rows, columns, axis, rate, n_jobs=self.n_jobs)
        if self.normalize:
            own = (self._self_similarities(side) for side in (rows, columns))
            normalise(matrix, *own)
        return matrix

    def _product(
        self, x: Histograms, y: Histograms, alphas: NDArray[np.float64], gamma: float
    ) -> NDArray[np.float64]:
        axis, length, delta = self._axis(alphas)
        rate = bounded_rate(gamma, length)
        return product_gram(x, y, axis, rate, float(self.beta), delta, n_jobs=self.n_jobs)

    def _axis(self, alphas: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, float]:
        """Return thresholds between 1 and 0, the length that became 1, and where `alpha_delta` is.

        Lengths are those on the scale that was asked for.
        """
        axis, length = unit_axis(alphas)
        if self.combine == "sum" or self.alpha_delta is None:
            return axis, length if self.scale == "raw" else 1.0, 0.0
        points = alphas if self.scale == "raw" else axis
        delta = float(self.alpha_delta)
        together = np.unique([*points, delta])[::-1]
        places, whole = unit_axis(together)
        if not whole < _FARTHEST * (length if self.scale == "raw" else 1.0):
            raise ValueError(f"alpha_delta={delta} is too far from the thresholds {points}")
        place_of = dict(zip(together.tolist(), places.tolist(), strict=True))
        return np.array([place_of[p] for p in points.tolist()]), whole, place_of[delta]

    def _self_similarities(self, histograms: Histograms) -> NDArray[np.float64]:
        if self.combine == "product":
            return np.ones(len(histograms))
        return sum_diagonal(histograms)

    def _count_new(self, graphs: Any) -> Histograms:
        """Count the features of new graphs, by the thresholds of the training graphs."""
        check_is_fitted(self)
        return self._count(as_graphs(graphs), self.filtration_, self.extractor_, self.histograms_)

    def _count(
        self,
        batch: Graphs,
        filtration: Filtration,
        extractor: Any,
        known: Histograms | None = None,
        levels: NDArray[np.int32] | None = None,
    ) -> Histograms:
        keep_freed()
        if isinstance(extractor, WeisfeilerLehman):
            return extractor.histograms(
                batch, filtration, n_jobs=self.n_jobs, known=known, levels=levels
            )
        found = extractor.histograms(batch, filtration)
        if not isinstance(found, Histograms):
            raise TypeError(f"{extractor} must return Histograms, got {type(found).__name__}")
        if (len(found), found.n_levels) != (len(batch), filtration.n_levels_):
            raise ValueError(
                f"{extractor} must return histograms of {len(batch)} graphs and "
                f"{filtration.n_levels_} levels, got {len(found)} and {found.n_levels}"
            )
        return found

    def _filtration(self) -> Filtration:
        return Filtration(
            clone(self.weight, safe=False), thresholds=self.thresholds, n_levels=self.n_levels
        )

    def _extractor(self) -> Any:
        if self.features is None:
            return WeisfeilerLehman()
        return clone(as_extractor(self.features), safe=False)

    def _check_parameters(self) -> None:
        if self.combine not in ("sum", "product"):
            raise ValueError(f"combine must be 'sum' or 'product', got {self.combine!r}")
        checked_number("gamma", self.gamma)
        checked_number("beta", self.beta)
        if self.alpha_delta is not None:
            checked_number("alpha_delta", self.alpha_delta, least=-np.inf)
        checked_bool("normalize", self.normalize)
        if self.scale not in ("unit", "raw"):
            raise ValueError(f"scale must be 'unit' or 'raw', got {self.scale!r}")


def _refuse_too_large(n_rows: int, n_columns: int, combine: str, more: int = 0) -> None:
    """Refuse a matrix that does not fit, with as many more as are kept beside it."""
    refuse_large_gram(n_rows, n_columns, _matrices(combine) + more)


def _matrices(combine: str) -> int:
    """Return how many matrices there are at the same time while one is computed."""
    return 1 if combine == "sum" else 12


def bounded_rate(gamma: float, length: float) -> float:
    """Return gamma for an axis of length 1 instead of `length`; never infinite."""
    return min(float(gamma) * length, LARGEST)
