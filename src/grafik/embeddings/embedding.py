"""FiltrationEmbedding: graphs as sparse vectors whose products are the filtration kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn import get_config
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import checked_integer, checked_number
from ..arrays.offsets import part_of
from ..arrays.sparse_rows import SparseRows
from ..features import WeisfeilerLehman
from ..features.histograms import Histograms
from ..filtration.thresholds import depends_on_n_levels
from ..graphs.as_graphs import as_graphs, as_training_graphs
from ..graphs.batch import Graphs
from ..graphs.takes_graphs import TakesGraphs
from ..kernels.counting import FeatureCounter, as_own_extractor
from ..kernels.gram import KernelOnHistograms
from ..system.memory import memory_for
from ..system.optional import require
from .column_names import column_names
from .hashed import bin_histograms, draw_grids
from .landmarks import Factors, choose_landmarks
from .projection import coordinates, training_coordinates
from .steps import reach_steps, steps_of

MAX_COMPONENTS, MAX_BINS = 2**31 - 1, 1024
NOTHING = Graphs([0], [0], [])
_WAY_OUT = "take fewer graphs at a time: a vector depends on its own graph alone"


class FiltrationEmbedding(TransformerMixin, TakesGraphs):
    r"""Sparse vectors of graphs, whose products are the filtration kernel.

    .. math:: \langle z(G), z(G') \rangle = K(G, G') = \sum_f
              e^{-\gamma W_1(\hat\phi_f(G), \hat\phi_f(G'))}
              \|\phi_f(G)\|_1 \, \|\phi_f(G')\|_1

    or with the smaller mass in place of the product of both (``mass="min"``). So linear models do
    what kernel machines do with :class:`grafik.FiltrationKernel`, in time linear in the number of
    graphs. With one level, vectors count features: they are the Weisfeiler-Lehman feature vectors.

    Parameters
    ----------
    features, weight, thresholds, n_levels, scale, gamma, normalize
        As for :class:`grafik.FiltrationKernel`.
    method : {"exact", "hashed"}
        ``"exact"``: each feature gets a column for each of the normalised histograms that it has
        in the training graphs, its landmarks, by pivoted Cholesky factorisation of their base
        kernels. Products of training graphs, and of a new graph with a training graph, are the
        kernel; new graphs are projected on the landmarks. ``"hashed"``: random grids over the
        histograms, hashed with random signs into `n_components` columns. The expected value of
        products, over `random_state`, is the kernel. A vector depends on its graph, the parameters
        and the thresholds alone. With `thresholds` given as numbers, or with one level, there is
        nothing to fit; then edge labels count wherever graphs have them, unless `features` say no.
    min_graphs : int
        For ``"exact"``: features that occur in fewer training graphs are left out. With 2, products
        of different graphs stay the same, and far fewer columns are left.
    rank : int or None
        For ``"exact"``: how many landmarks a feature may have; None is as many as needed.
    tol : float
        For ``"exact"``: the largest error of a base kernel, if `rank` is None.
    n_components : int
        For ``"hashed"``: number of columns.
    n_bins : int
        For ``"hashed"``: number of random grids for each feature.
    random_state : int
        Seed of the grids and the hash function of ``"hashed"``. It must be an integer, so that the
        vectors are the same everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.
    depth : int or None
        As for :class:`grafik.FiltrationKernel`.
    mass : {"linear", "min"}
        As for :class:`grafik.FiltrationKernel`; ``"min"`` needs ``method="exact"``. There, each
        landmark then has a column for every step from one mass of its feature to the next larger
        one in the training graphs: ``min(m, m')`` is the sum of the steps that both masses reach.
        A new graph whose mass lies within a step has a part of it. So its products with training
        graphs are still the kernel; only of two new graphs whose masses lie within the same step,
        or above the last one, the product is smaller.

    Attributes
    ----------
    filtration_ : Filtration
    extractor_ : extractor
        With Weisfeiler-Lehman labels, ``extractor_.edge_labels`` says whether edge labels count.
    labelling_ : Labelling
        The labels of the training graphs, which those of new graphs must match.
    alphas_ : ndarray
        Thresholds learned from the training graphs, decreasing.
    landmarks_ : Landmarks
        For ``"exact"``: what new graphs are projected on.
    steps_ : Steps or None
        With ``mass="min"``: the masses of each feature of the landmarks.
    column_ptr_ : ndarray of int64
        For ``"exact"``: columns ``column_ptr_[f]:column_ptr_[f + 1]`` belong to feature `f` of the
        landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik import FiltrationEmbedding, FiltrationKernel, datasets
    >>> graphs, y = datasets.csl()
    >>> Z = FiltrationEmbedding(weight="walks").fit_transform(graphs)
    >>> np.allclose((Z @ Z.T).toarray(), FiltrationKernel(weight="walks").fit_transform(graphs))
    True

    Nothing needs to be fitted here:

    >>> hashed = FiltrationEmbedding(weight="walks", thresholds=[200, 100, 0], method="hashed")
    >>> hashed.transform(graphs).shape
    (100, 65536)
    """

    def __init__(
        self,
        features: Any = None,
        weight: Any = "degree",
        thresholds: str | Sequence[float] = "auto",
        n_levels: int = 3,
        scale: str = "unit",
        gamma: float = 1.0,
        normalize: bool = False,
        method: str = "exact",
        min_graphs: int = 1,
        rank: int | None = None,
        tol: float = 1e-12,
        n_components: int = 2**16,
        n_bins: int = 4,
        random_state: int = 0,
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
        self.normalize = normalize
        self.method = method
        self.min_graphs = min_graphs
        self.rank = rank
        self.tol = tol
        self.n_components = n_components
        self.n_bins = n_bins
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.depth = depth
        self.mass = mass

    def fit(self, X: Any, y: object = None) -> FiltrationEmbedding:
        """Learn the thresholds and, for ``"exact"``, the landmarks.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        FiltrationEmbedding
            Itself.
        """
        self._fit(X)
        return self

    @memory_for("making vectors", _WAY_OUT)
    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Fit, and return the vectors of the training graphs.

        Returns
        -------
        sparse matrix or data frame
            As from :meth:`transform`.
        """
        batch = as_training_graphs(X)
        fitted = self._fit(batch)
        if fitted is None:
            return self._as_asked(self._vectors(batch), X)
        counted, factors = fitted
        unit = self.steps_ is not None
        rows = training_coordinates(counted, self.landmarks_, factors, unit, self.n_jobs)
        return self._as_asked(self._csr(counted, rows), X)

    @memory_for("making vectors", _WAY_OUT)
    def transform(self, X: Any) -> Any:
        """Return the vectors of graphs.

        Returns
        -------
        sparse matrix of float64, shape (n_graphs, n_columns), in CSR format
            A row depends on its graph and on what was fitted, not on other graphs. After
            ``set_output(transform="pandas")`` it is a data frame with sparse columns and the names
            of :meth:`get_feature_names_out`.
        """
        return self._as_asked(self._vectors(X), X)

    def _vectors(self, X: Any) -> csr_matrix:
        kernel = self._kernel()
        if self.method == "exact":
            counted = self.count(X)
            unit = self.steps_ is not None
            rows = coordinates(counted, self.landmarks_, unit, self.n_jobs)
            return self._csr(counted, rows)
        counter = self._fixed()
        counted = counter.count(as_graphs(X))
        kernel = kernel.at(counter.filtration.alphas_)
        grids = draw_grids(kernel.axis.points, kernel.rate, self.n_bins, int(self.random_state))
        rows = bin_histograms(counted, grids, self.n_components, self.n_jobs)
        return rows.to_csr(self.n_components, self._scale(counted, grids.n_bins))

    def _as_asked(self, vectors: csr_matrix, X: Any) -> Any:
        """Return vectors as a data frame with sparse columns, if scikit-learn was told so."""
        own = getattr(self, "_sklearn_output_config", {})
        if own.get("transform", get_config()["transform_output"]) != "pandas":
            return vectors
        pandas = require("pandas", "data frames", "pandas")
        index = X.index if isinstance(X, (pandas.DataFrame, pandas.Series)) else None
        return pandas.DataFrame.sparse.from_spmatrix(vectors, index=index)

    def count(self, X: Any) -> Histograms:
        """Return the histograms that the vectors of ``"exact"`` are made of."""
        check_is_fitted(self, "landmarks_")
        counter = FeatureCounter(self.filtration_, self.extractor_, self.n_jobs, self.labelling_)
        return counter.count(as_graphs(X), known=self.known_)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Return the names of the columns.

        With ``"exact"``, a column is named after its feature: for Weisfeiler-Lehman labels by the
        tree (:mod:`grafik.features.wl_trees`), else by the extractor's own name. If a feature has
        several landmarks, the normalised histogram follows; if it has several masses, the one that
        a training graph needs for this column. With ``"hashed"``, columns are numbered.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects, all different

        Examples
        --------
        >>> from grafik import FiltrationEmbedding, datasets
        >>> from grafik.features import WeisfeilerLehman
        >>> graphs, y = datasets.triangle_pair()
        >>> embedding = FiltrationEmbedding(WeisfeilerLehman(depth=1), n_levels=1).fit(graphs)
        >>> embedding.get_feature_names_out().tolist()
        ['*', '*(3x*)']
        """
        self._kernel()
        if self.method == "hashed":
            return np.array([f"hashed{i}" for i in range(self.n_components)], dtype=object)
        check_is_fitted(self, "landmarks_")
        fitted = self.filtration_, self.extractor_, self.known_, self.landmarks_, self.steps_
        return column_names(self.graphs_, *fitted)

    @memory_for("learning vectors", "take fewer graphs, a smaller rank, or method='hashed'")
    def _fit(self, graphs: Any) -> tuple[Histograms, Factors] | None:
        """Fit; for ``"exact"``, return the histograms of the training graphs and their factors."""
        kernel = self._kernel()
        batch = as_training_graphs(graphs)
        counter, fitted = self._counter(), None
        if self.method == "exact":
            counted = counter.fit(batch)
            kernel = kernel.at(counter.filtration.alphas_)
            how = self.min_graphs, self.rank, float(self.tol), self.n_jobs
            found = choose_landmarks(counted, kernel, *how)
            self.landmarks_, factors = found
            self.steps_ = steps_of(counted, self.landmarks_) if kernel.smaller else None
            self.column_ptr_ = (self.steps_ or self.landmarks_).column_ptr
            fitted = counted, factors
            self.known_, self.graphs_ = counted.up_to(-1), batch
        else:
            counter.learn_labels(batch)
            counter.warn_of_unused(batch)
            counter.filtration.fit(batch)
        self.labelling_ = counter.labelling
        self.filtration_, self.extractor_ = counter.filtration, counter.extractor
        self.alphas_ = counter.filtration.alphas_
        return fitted

    def _csr(self, counted: Histograms, rows: SparseRows) -> csr_matrix:
        if self.steps_ is not None:
            rows = reach_steps(counted, self.landmarks_, self.steps_, rows, self.n_jobs)
        return rows.to_csr(int(self.column_ptr_[-1]), self._scale(counted))

    def _scale(self, counted: Histograms, n_bins: int = 1) -> NDArray[np.float64] | None:
        """Return the factor of the vector of each graph; None if all are 1."""
        if not self.normalize:
            return None if n_bins == 1 else np.full(len(counted), 1 / np.sqrt(n_bins))
        smaller = self.method == "exact" and self.steps_ is not None
        added = counted.masses.astype(np.float64) ** (1 if smaller else 2)
        own = np.bincount(part_of(counted.graph_ptr), added, len(counted))
        return np.asarray(1.0 / np.sqrt(np.where(own > 0, own, 1.0) * n_bins))

    def _counter(self) -> FeatureCounter:
        return FeatureCounter.of(self, as_own_extractor(self.features, self.depth))

    def _fixed(self) -> FeatureCounter:
        """Return the fitted counter, or one that needs no training graphs."""
        counter = self._counter()
        if not self._needs_fit():
            counter.filtration.fit(NOTHING)
        # The ranks of keys are those among the training graphs.
        if self._needs_fit() or counter.filtration.keys_ is not None:
            check_is_fitted(self, "filtration_")
            return FeatureCounter(self.filtration_, self.extractor_, self.n_jobs, self.labelling_)
        if hasattr(self, "labelling_"):
            counter.set_labelling(self.labelling_)
        return counter

    def _needs_fit(self) -> bool:
        if self.method == "exact":
            return True
        by_rule = isinstance(self.thresholds, str)
        return by_rule and (not depends_on_n_levels(self.thresholds) or self.n_levels != 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = bool(self._needs_fit())
        return tags

    def _kernel(self) -> KernelOnHistograms:
        """Check the parameters; return the kernel of the vectors, not yet with thresholds."""
        if self.method not in ("exact", "hashed"):
            raise ValueError(f"method must be 'exact' or 'hashed', got {self.method!r}")
        checked_integer("min_graphs", self.min_graphs, 1)
        if self.rank is not None:
            checked_integer("rank", self.rank, 1)
        checked_number("tol", self.tol)
        checked_integer("n_components", self.n_components, 1, MAX_COMPONENTS)
        checked_integer("n_bins", self.n_bins, 1, MAX_BINS)
        checked_integer("random_state", self.random_state, 0, 2**64 - 1)
        exact = isinstance(self.features, WeisfeilerLehman) and self.features.exact
        if self.method == "hashed" and exact:
            raise ValueError(
                "WeisfeilerLehman(exact=True) numbers labels as they come, so that vectors would "
                "depend on other graphs; use exact=False or method='exact'"
            )
        kernel = KernelOnHistograms.of(self)
        if self.method == "hashed" and kernel.smaller:
            raise ValueError(
                "mass='min' has no hashed map, as a column would be needed for each unit of mass; "
                "set method='exact' or mass='linear'"
            )
        return kernel
