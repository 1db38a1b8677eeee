"""FiltrationKernel: the kernel of graphs, for scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import check_buffer, checked_number
from ..features.histograms import Histograms
from ..graphs.as_graphs import as_graphs, as_training_graphs
from ..graphs.batch import Graphs
from .counting import FeatureCounter, as_own_extractor, deepest
from .gram import KernelOnHistograms
from .kernel_transformer import KernelTransformer

# Bytes that a block of a Gram matrix may take.
MEMORY = 1e9


class FiltrationKernel(KernelTransformer):
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
        to an iterable of hashables; by default ``WeisfeilerLehman(depth=5)``, in which edge labels
        count if the training graphs have them.
    weight, thresholds, n_levels
        How graphs are built up, see :class:`grafik.Filtration`.
    scale : {"unit", "raw"}
        Whether distances are measured on thresholds mapped to the interval from 0 to 1, so that
        `gamma` means the same for all weights, or on the thresholds as they are (the paper's text).
    gamma : float
        How much it matters at which levels a feature occurs; with 0, only masses count.
    combine : {"sum", "product"}
        Whether the base kernels are added up, or multiplied (Appendix B of the paper).
    beta : float
        For products, how much differences of mass matter.
    alpha_delta : float or None
        For products, where on the scaled axis the mass of a missing feature lies (Appendix A); by
        default at the last threshold.
    normalize : bool
        Whether to normalise, so that the kernel of each graph with itself is 1. In a
        sum, a graph without features has 0 everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.
    depth : int or None
        Depth of the default features; None is 5. `features` that you pass have their own.
    mass : {"linear", "min"}
        How the masses of a shared feature are compared, in a sum: multiplied, or by the smaller
        one, :math:`\min(\|\phi_f(G)\|_1, \|\phi_f(G')\|_1)`, so that a few frequent features do
        not drown the rest. With one level, the latter is histogram intersection: with
        Weisfeiler-Lehman labels, the optimal assignment kernel
        (:class:`grafik.baselines.WLOptimalAssignment`).

    Attributes
    ----------
    filtration_ : Filtration
    extractor_ : extractor
        Both are also applied to new graphs. With Weisfeiler-Lehman labels,
        ``extractor_.edge_labels`` says whether edge labels count.
    alphas_ : ndarray
        Thresholds learned from the training graphs, decreasing.
    histograms_ : Histograms
        Filtration histograms of the training graphs.
    labelling_ : Labelling
        The labels of the training graphs, which those of new graphs must match.

    References
    ----------
    Schulz, Welke, Wrobel: Graph Filtration Kernels, AAAI 2022.

    Examples
    --------
    Triangle weights tell two 3-regular graphs apart that look alike without a filtration:

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
    >>> FiltrationKernel(labels, "triangles", n_levels=2, mass="min").fit_transform(graphs)
    array([[24., 18.],
           [18., 24.]])
    """

    def __init__(
        self,
        features: Any = None,
        weight: Any = "degree",
        thresholds: str | Sequence[float] = "auto",
        n_levels: int = 3,
        scale: str = "unit",
        gamma: float = 1.0,
        combine: str = "sum",
        beta: float = 1.0,
        alpha_delta: float | None = None,
        normalize: bool = False,
        n_jobs: int | None = None,
        depth: int | None = None,
        mass: str = "linear",
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
        self.depth: Any = depth
        self.mass = mass

    def fit(self, X: Any, y: object = None) -> FiltrationKernel:
        """Learn the thresholds and the histograms of the training graphs.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        FiltrationKernel
            Itself.
        """
        KernelOnHistograms.of(self)  # checks parameters
        return self._learn(as_training_graphs(X))

    def fit_transform(self, X: Any, y: object = None, client: Any = None) -> NDArray[np.float64]:
        """Fit, and return the Gram matrix of the training graphs.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored
        client : dask.distributed.Client, optional
            Let the workers of a cluster do the work; the result is the same.

        Returns
        -------
        ndarray of shape (n_graphs, n_graphs)
            Symmetric to the bit, and positive semi-definite.
        """
        kernel = KernelOnHistograms.of(self)
        batch = as_training_graphs(X)
        kernel.refuse_too_large(len(batch), len(batch))
        x = self.fit(batch).histograms_
        kernel = kernel.at(self.alphas_)
        if client is None:
            return kernel.gram(x, x)
        from ..distributed import gram_on

        return gram_on(client, kernel, x, x)

    def transform(self, X: Any, client: Any = None) -> NDArray[np.float64]:
        """Return the kernel of new graphs with all training graphs.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        client : dask.distributed.Client, optional
            As for :meth:`fit_transform`.

        Returns
        -------
        ndarray of shape (n_new_graphs, n_training_graphs)
        """
        x, kernel = self.count(X), self.on_histograms()
        if client is None:
            kernel.refuse_too_large(len(x), len(self.histograms_))
            return kernel.gram(x, self.histograms_)
        from ..distributed import gram_on

        return gram_on(client, kernel, x, self.histograms_)

    def gram_to(
        self,
        path: str | os.PathLike[str],
        graphs: Any,
        *,
        memory: float = MEMORY,
        client: Any = None,
        progress: bool | None = None,
    ) -> np.memmap[Any, Any]:
        """Fit, and write the Gram matrix of the training graphs to a file, block by block.

        The matrix has the same bits as that of :meth:`fit_transform`, and need not fit in memory.
        Finished blocks are kept in the folder ``path + ".part"`` until the file is complete. If the
        call is interrupted, the same call goes on from there. Other graphs, parameters or versions
        are refused.

        Parameters
        ----------
        path : path of the file
            It ends with ``.npy``. An existing file is replaced at the end.
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        memory : float
            Bytes that the work may take, besides the histograms of all graphs (for molecules, about
            20 kB each).
        client : dask.distributed.Client, optional
            Let the workers of a cluster do the work; the result is the same.
        progress : bool or None
            Whether to show a progress bar on standard error; None shows it on a terminal only.

        Returns
        -------
        memmap of shape (n_graphs, n_graphs)
            The file, mapped into memory, read-only.

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
        from ..distributed import write_gram_on
        from ..large.gram_file import checked_target

        checked_target(path)
        x = self.fit(graphs).histograms_
        how = {"memory": memory, "progress": progress}
        return write_gram_on(client, path, self.on_histograms(), x, x, **how)

    def transform_to(
        self,
        path: str | os.PathLike[str],
        graphs: Any,
        *,
        memory: float = MEMORY,
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
            The same bits as those of :meth:`transform`.
        """
        from ..distributed import write_gram_on

        x, how = self.count(graphs), {"memory": memory, "progress": progress}
        return write_gram_on(client, path, self.on_histograms(), x, self.histograms_, **how)

    def diagonal(self, graphs: Any) -> NDArray[np.float64]:
        """Return the kernel of each new graph with itself.

        Returns
        -------
        ndarray of shape (n_new_graphs,)
        """
        kernel = KernelOnHistograms.of(self)
        found = kernel.self_similarities(self.count(graphs))
        return (found > 0).astype(np.float64) if kernel.normalize else found

    def count(self, graphs: Any) -> Histograms:
        """Return the histograms of new graphs, by the thresholds of the training graphs.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes

        Returns
        -------
        Histograms
        """
        return self.counter().count(as_graphs(graphs), known=self.histograms_)

    def counter(self) -> FeatureCounter:
        """Return what turns new graphs into histograms; for code that builds on the kernel."""
        check_is_fitted(self)
        return FeatureCounter(self.filtration_, self.extractor_, self.n_jobs, self.labelling_)

    def on_histograms(self) -> KernelOnHistograms:
        """Return what compares histograms; for code that builds on the kernel."""
        check_is_fitted(self)
        return KernelOnHistograms.of(self).at(self.alphas_)

    def gram_grid(
        self,
        graphs: Any,
        depths: Iterable[int] | None = None,
        gammas: Iterable[float] | None = None,
        out: NDArray[np.float64] | None = None,
    ) -> Iterator[tuple[int | None, float | None, NDArray[np.float64]]]:
        """Yield many Gram matrices of the same graphs from one feature pass, one at a time.

        Each is what :meth:`fit_transform` returns with these parameters; the kernel itself is not
        changed.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        depths : iterable of int, optional
            Depths, if features have one; by default that of the kernel.
        gammas : iterable of float, optional
            By default the kernel's own.
        out : ndarray of float64, shape (n_graphs, n_graphs), optional
            Matrix that each result is written to, instead of a new one. This is faster for sums,
            but each matrix overwrites the one before.

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
        kernel = KernelOnHistograms.of(self)
        batch = as_training_graphs(graphs)
        values = [checked_number("gamma", g) for g in ([self.gamma] if gammas is None else gammas)]
        extractor, wanted = deepest(self.new_extractor(), depths)
        if out is not None:
            check_buffer(out, len(batch))
        kernel.refuse_too_large(len(batch), len(batch), more=len(wanted) > 1)
        counter = FeatureCounter.of(self, extractor)
        x = counter.fit(batch)
        return kernel.at(counter.filtration.alphas_).grid(x, wanted, values, out)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted kernel to a file, to be read by :func:`grafik.load`.

        Parameters
        ----------
        path : path of the file; an existing file is replaced

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

    def learned(self, counter: FeatureCounter, histograms: Histograms) -> FiltrationKernel:
        """Return a fitted copy of the kernel; for code that builds on it.

        Parameters
        ----------
        counter : FeatureCounter
            With a fitted filtration.
        histograms : Histograms
            Of the training graphs.
        """
        twin: FiltrationKernel = clone(self)
        return twin._set(counter, histograms)

    def _learn(self, batch: Graphs) -> FiltrationKernel:
        counter = FeatureCounter.of(self, self.new_extractor())
        return self._set(counter, counter.fit(batch))

    def new_extractor(self) -> Any:
        """Return what counts features; kernels with features of their own override this."""
        return as_own_extractor(self.features, self.depth)

    def _set(self, counter: FeatureCounter, histograms: Histograms) -> FiltrationKernel:
        self.filtration_, self.extractor_ = counter.filtration, counter.extractor
        self.alphas_, self.histograms_ = counter.filtration.alphas_, histograms
        self.labelling_ = counter.labelling
        return self
