"""KernelEmbedding: vectors of graphs whose products are a mean or a Gaussian of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import checked_integer
from ..graphs.as_graphs import as_graphs, as_training_graphs
from ..graphs.takes_graphs import TakesGraphs
from ..system.memory import memory_for
from .explicit_maps import Options, explicit_map

_WAY_OUT = "take fewer graphs at a time, or a smaller rank"
# Random features of a Gaussian, at most.
_MOST = 2**20


class KernelEmbedding(TransformerMixin, TakesGraphs):
    r"""Sparse vectors of graphs, whose products are a normalised kernel or close to it.

    - A filtration kernel: the vectors of :class:`grafik.FiltrationEmbedding`, normalised.
    - A :class:`grafik.MeanKernel`: vectors of its parts side by side, each times the root of its
      weight. Products are those of the kernel as exactly as for its parts.
    - A :class:`grafik.GaussianKernel`: random Fourier features [1]_ of the vectors `x` of the
      kernel within, :math:`e^{-\frac{\sigma}{2} (1 - \|x\|^2)} \sqrt{2 / D}
      \cos(\langle w_i, x \rangle + b_i)` with :math:`w_i \sim N(0, \sigma I)` and `b_i` uniform.
      Products have :math:`e^{-\sigma (1 - \langle x, y \rangle)}` as expected value over
      `random_state`, and differ from it by about :math:`1 / \sqrt{D}`. That is the Gaussian as far
      as :math:`\langle x, y \rangle` is the kernel within: with training graphs, if `min_graphs`
      and `rank` drop nothing. If the kernel within has a Gaussian itself, it is only close.

    Parameters
    ----------
    kernel : kernel
        Of kernels that count features: :class:`grafik.FiltrationKernel` with ``combine="sum"``,
        histogram kernels of :mod:`grafik.baselines`, and means and Gaussians of these. It is not
        fitted.
    n_components : int
        `D`, the number of columns for each Gaussian.
    min_graphs, rank, tol
        As for :class:`grafik.FiltrationEmbedding`.
    random_state : int
        Seed of the random features.
    n_jobs : int or None
        Number of threads, for kernels that do not say it themselves.

    Attributes
    ----------
    map_ : MeanMap, GaussianMap or FeatureMap
        What turns graphs into vectors.

    References
    ----------
    .. [1] Rahimi, Recht: Random Features for Large-Scale Kernel Machines, NIPS 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik import KernelEmbedding, MeanKernel, datasets
    >>> graphs, y = datasets.csl(copies=2)
    >>> kernel = MeanKernel("degree+walks")
    >>> Z = KernelEmbedding(kernel).fit_transform(graphs)
    >>> np.allclose((Z @ Z.T).toarray(), kernel.fit_transform(graphs))
    True
    """

    def __init__(
        self,
        kernel: Any,
        n_components: int = 1024,
        min_graphs: int = 1,
        rank: int | None = None,
        tol: float = 1e-12,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.min_graphs = min_graphs
        self.rank = rank
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> KernelEmbedding:
        """Learn the thresholds and landmarks of all parts.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        KernelEmbedding
            Itself.
        """
        self.fit_transform(X)
        return self

    @memory_for("making vectors", _WAY_OUT)
    def fit_transform(self, X: Any, y: object = None) -> csr_matrix:
        """Fit, and return the vectors of the training graphs.

        Returns
        -------
        sparse matrix of float64, shape (n_graphs, n_columns), in CSR format
        """
        made = explicit_map("kernel", self.kernel, self._options())
        found = made.fit(as_training_graphs(X))
        self.map_ = made
        return found.rows

    @memory_for("making vectors", _WAY_OUT)
    def transform(self, X: Any) -> csr_matrix:
        """Return the vectors of graphs.

        Returns
        -------
        sparse matrix of float64, shape (n_graphs, n_columns), in CSR format
            A row depends on its graph and on what was fitted, not on other graphs.
        """
        check_is_fitted(self)
        return self.map_.transform(as_graphs(X)).rows

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the columns: those of parts follow their names.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects, all different

        Examples
        --------
        >>> from grafik import KernelEmbedding, MeanKernel, datasets
        >>> graphs, y = datasets.triangle_pair()
        >>> kernel = MeanKernel.of_weights("degree+core", n_levels=1, depth=1)
        >>> KernelEmbedding(kernel).fit(graphs).get_feature_names_out().tolist()
        ['degree: *', 'degree: *(3x*)', 'core: *', 'core: *(3x*)']
        """
        check_is_fitted(self)
        return np.array(self.map_.names(), dtype=object)

    def _options(self) -> Options:
        exact = {
            "method": "exact",
            "min_graphs": self.min_graphs,
            "rank": self.rank,
            "tol": self.tol,
            "n_jobs": self.n_jobs,
        }
        n_components = checked_integer("n_components", self.n_components, 1, _MOST)
        seed = checked_integer("random_state", self.random_state, 0)
        return Options(exact, n_components, (seed,))
