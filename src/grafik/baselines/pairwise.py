"""What the kernels share that are no histogram kernels: the form of a scikit-learn transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..accept import as_graphs
from ..checks import checked_bool
from ..graphs import Graphs
from ..kernels import normalise
from ..memory import refuse_what_does_not_fit
from ..threads import n_threads


class PairwiseKernel(TransformerMixin, BaseEstimator):
    """A kernel that first describes each graph on its own, and then compares descriptions."""

    normalize: bool
    n_jobs: int | None

    def _describer(self) -> Any:
        """Return what describes a batch: a function of graphs and `n_jobs`, with checked options.

        It is kept by `fit`, so that options changed later do not mix two kinds of descriptions.
        """
        raise NotImplementedError

    def _compare(self, x: Any, y: Any) -> NDArray[np.float64]:
        """Return the kernel of the graphs described by `x` with those described by `y`."""
        raise NotImplementedError

    def _own(self, x: Any) -> NDArray[np.float64]:
        """Return the kernel of each graph with itself."""
        raise NotImplementedError

    def fit(self, graphs: Any, y: object = None) -> Any:
        """Describe the training graphs.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        PairwiseKernel
            Itself.
        """
        self._check_options()
        describer = self._describer()
        batch = as_graphs(graphs)
        if len(batch) == 0:
            raise ValueError("at least one graph is needed to fit, got none")
        self.training_ = describer(batch, self.n_jobs)
        self.describer_ = describer
        return self

    def fit_transform(self, graphs: Any, y: object = None) -> NDArray[np.float64]:
        """Fit, and return the Gram matrix of the training graphs.

        Returns
        -------
        ndarray of shape (n_graphs, n_graphs)
            Symmetric to the bit.
        """
        self.fit(graphs)
        return self._gram(self.training_)

    def transform(self, graphs: Any) -> NDArray[np.float64]:
        """Return the kernel of new graphs with all training graphs.

        Returns
        -------
        ndarray of shape (n_new_graphs, n_training_graphs)
        """
        return self._gram(self._describe_new(graphs))

    def diagonal(self, graphs: Any) -> NDArray[np.float64]:
        """Return the kernel of each new graph with itself.

        Returns
        -------
        ndarray of shape (n_new_graphs,)
        """
        own = self._own(self._describe_new(graphs))
        return (own > 0).astype(np.float64) if self.normalize else own

    def _describe_new(self, graphs: Any) -> Any:
        check_is_fitted(self)
        self._check_options()
        return self.describer_(as_graphs(graphs), self.n_jobs)

    def _gram(self, rows: Any) -> NDArray[np.float64]:
        columns = self.training_
        refuse_what_does_not_fit(
            24.0 * len(rows) * len(columns),
            f"the Gram matrix of {len(rows)} x {len(columns)} graphs",
            "fit fewer graphs, or get rows a part at a time: kernel.transform(graphs[:1000])",
        )
        matrix = self._compare(rows, columns)
        if self.normalize:
            normalise(matrix, self._own(rows), self._own(columns))
        return matrix

    def _check_options(self) -> None:
        checked_bool("normalize", self.normalize)
        n_threads(self.n_jobs)


def whole(graphs: Graphs) -> Any:
    """Return a filtration of one level, at which all edges are there."""
    from ..filtration import Filtration

    return Filtration(thresholds=(0.0,)).fit(graphs)
