"""What all kernels but histogram kernels share: the form of a scikit-learn transformer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import (
    check_buffer,
    checked_bool,
    checked_depths,
    checked_integer,
    checked_number,
)
from ..features.weisfeiler_lehman import MAX_DEPTH, edge_labels_count
from ..graphs.as_graphs import as_graphs, as_training_graphs
from ..graphs.batch import Graphs
from ..graphs.labelling import Labelling
from ..graphs.validation import directions_of, refuse_other_directions
from ..kernels.kernel_transformer import KernelTransformer
from ..kernels.sums import normalise
from ..system.memory import memory_for, refuse_large_gram
from ..system.threads import n_threads
from .shared_features import products, squares

# Matrices in memory at the same time while one is computed.
_AT_ONCE = 3
_WAY_OUT = "take a smaller depth, or fewer graphs at a time"


class PairwiseKernel(KernelTransformer, ABC):
    """A kernel that first describes each graph on its own, and then compares descriptions.

    Descriptions are made round by round, so that those of few rounds are a part of those of many.
    By default they are vectors, and the kernel is their inner product.
    """

    depth: int
    normalize: bool
    n_jobs: int | None

    _own = staticmethod(squares)

    @abstractmethod
    def _describer(self, depth: int) -> Any:
        """Return what describes a batch: a function of graphs and `n_jobs`, with checked options.

        It is kept by `fit`, so that options changed later do not mix two kinds of descriptions.
        """

    def _compare(
        self, x: Any, y: Any, depths: Sequence[int], gammas: Sequence[Any]
    ) -> Iterator[tuple[int, Any, NDArray[np.float64]]]:
        """Yield depth, gamma and the kernel of the graphs described by `x` with those by `y`.

        Each gamma comes with all depths, in increasing order; each matrix is a new one.
        """
        for depth, matrix in zip(depths, products(x, y, depths, self.n_jobs), strict=True):
            yield depth, None, matrix

    @memory_for("describing or comparing graphs", _WAY_OUT)
    def fit(self, X: Any, y: object = None) -> Any:
        """Describe the training graphs.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        PairwiseKernel
            Itself.
        """
        describer = self._checked_describer()
        batch = as_training_graphs(X)
        describer = _decided(describer, batch)
        return self._set(describer, describer(batch, self.n_jobs), batch)

    def _set(self, describer: Any, training: Any, batch: Graphs) -> Any:
        self.describer_, self.training_ = describer, training
        self.directed_, self.labelling_ = directions_of(batch), self._labelling(batch)
        return self

    @memory_for("describing or comparing graphs", _WAY_OUT)
    def fit_transform(self, X: Any, y: object = None) -> NDArray[np.float64]:
        """Fit, and return the Gram matrix of the training graphs, symmetric to the bit."""
        describer = self._checked_describer()
        batch = as_training_graphs(X)
        refuse_large_gram(len(batch), len(batch), _AT_ONCE)
        describer = _decided(describer, batch)
        training = describer(batch, self.n_jobs)
        matrix = self._gram(training, training, describer.depth)
        self._set(describer, training, batch)
        return matrix

    @memory_for("describing or comparing graphs", _WAY_OUT)
    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the kernel of new graphs, the rows, with all training graphs, the columns."""
        rows = self._describe_new(X)
        refuse_large_gram(len(rows), len(self.training_), _AT_ONCE)
        return self._gram(rows, self.training_, self.describer_.depth)

    def diagonal(self, graphs: Any) -> NDArray[np.float64]:
        """Return the kernel of each new graph with itself."""
        return self._diagonal(self._describe_new(graphs))

    def compare(self, x: Any, y: Any) -> NDArray[np.float64]:
        """Return the kernel of graphs with others, none of which need be training graphs."""
        rows, columns = self._describe_new(x), self._describe_new(y)
        return self._gram(rows, columns, self.describer_.depth)

    def training_diagonal(self) -> NDArray[np.float64]:
        """Return the kernel of each training graph with itself; for kernels made of this one."""
        check_is_fitted(self)
        return self._diagonal(self.training_)

    def _diagonal(self, x: Any) -> NDArray[np.float64]:
        own = self._own(x, self.describer_.depth)
        return (own > 0).astype(np.float64) if self.normalize else own

    def gram_grid(
        self,
        graphs: Any,
        depths: Iterable[int] | None = None,
        gammas: Iterable[float] | None = None,
        out: NDArray[np.float64] | None = None,
    ) -> Iterator[tuple[int | None, float | None, NDArray[np.float64]]]:
        """Compute many Gram matrices of one set of graphs from one pass over them, one at a time.

        Like :meth:`grafik.FiltrationKernel.gram_grid`, with None for gamma if there is none.

        Examples
        --------
        >>> from grafik import datasets
        >>> from grafik.baselines import WassersteinWL
        >>> graphs, y = datasets.csl(copies=1)
        >>> for depth, gamma, K in WassersteinWL().gram_grid(graphs, [0, 2], gammas=[0.5, 2.0]):
        ...     print(depth, gamma, K.shape)
        0 0.5 (10, 10)
        2 0.5 (10, 10)
        0 2.0 (10, 10)
        2 2.0 (10, 10)
        """
        wanted = None if depths is None else checked_depths(depths, MAX_DEPTH)
        describer = self._checked_describer(None if wanted is None else max(wanted, default=0))
        rounds = [describer.depth] if wanted is None else wanted
        values: list[float | None] = [None]
        if hasattr(self, "gamma"):
            given = [self.gamma] if gammas is None else gammas
            values = [checked_number("gamma", gamma) for gamma in given]
        elif gammas is not None:
            raise ValueError(f"{self} has no gamma, so gammas must be None")
        batch = as_training_graphs(graphs)
        if out is not None:
            check_buffer(out, len(batch))
        kept = len(rounds) if len(values) > 1 else int(len(rounds) > 1)
        refuse_large_gram(len(batch), len(batch), _AT_ONCE + kept)
        x = _decided(describer, batch)(batch, self.n_jobs)
        # A clone, so that parameters changed on the way do not change the rest of the grid.
        grid = clone(self)._kernels(x, x, rounds, values)

        def written() -> Iterator[tuple[int | None, float | None, NDArray[np.float64]]]:
            for depth, gamma, matrix in grid:
                if out is not None:
                    out[:] = matrix
                yield None if wanted is None else depth, gamma, matrix if out is None else out

        return written()

    def _checked_describer(self, depth: int | None = None) -> Any:
        self._check_options()
        own = checked_integer("depth", self.depth, 0, MAX_DEPTH)
        return self._describer(own if depth is None else depth)

    def _describe_new(self, graphs: Any) -> Any:
        check_is_fitted(self)
        self._check_options()
        batch = as_graphs(graphs)
        refuse_other_directions(batch, self.directed_)
        self.labelling_.check(batch)
        return self.describer_(batch, self.n_jobs)

    def _labelling(self, batch: Graphs) -> Labelling:
        """Return the labels that those of new graphs must match."""
        return Labelling.of(batch, edges=bool(getattr(self, "edge_labels", False)))

    def _gram(self, x: Any, y: Any, depth: int) -> NDArray[np.float64]:
        ((_, _, matrix),) = self._kernels(x, y, [depth], [getattr(self, "gamma", None)])
        return matrix

    def _kernels(
        self, x: Any, y: Any, depths: Sequence[int], gammas: Sequence[Any]
    ) -> Iterator[tuple[int, Any, NDArray[np.float64]]]:
        for depth, gamma, matrix in self._compare(x, y, depths, gammas):
            if self.normalize:
                normalise(matrix, self._own(x, depth), self._own(y, depth))
            yield depth, gamma, matrix

    def _check_options(self) -> None:
        checked_bool("normalize", self.normalize)
        n_threads(self.n_jobs)


def _decided(describer: Any, batch: Graphs) -> Any:
    """Return a describer that knows, by the training graphs, whether edge labels count."""
    if not hasattr(describer, "edge_labels"):
        return describer
    return replace(describer, edge_labels=edge_labels_count(describer.edge_labels, batch))
