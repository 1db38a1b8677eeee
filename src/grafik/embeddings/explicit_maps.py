"""Explicit maps of kernels, made of those of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import clone

from ..features.histograms import Histograms
from ..graphs.batch import Graphs
from ..kernels.combined import check_part
from ..kernels.gaussian import GaussianKernel
from ..kernels.kernel import FiltrationKernel
from ..kernels.mean import MeanKernel
from ..kernels.normalised import checked_sigma
from ..system.memory import refuse_what_does_not_fit
from .embedding import FiltrationEmbedding
from .projection import coordinates, training_coordinates

# Columns whose random directions are drawn at the same time.
_DRAWN = 1 << 12


class Vectors(NamedTuple):
    """Vectors of graphs, and the kernel of each graph with itself."""

    rows: csr_matrix
    own: NDArray[np.float64]


class Options(NamedTuple):
    """What maps are made with: options of the exact embedding, and of random features."""

    exact: dict[str, Any]
    n_components: int
    seed: tuple[int, ...]

    def below(self, number: int) -> Options:
        """Return options for a part, whose random directions are others."""
        return self._replace(seed=(*self.seed, number))


class FeatureMap:
    """Normalised vectors of a filtration kernel.

    Parameters
    ----------
    embedding : FiltrationEmbedding
        Exact and normalised.
    """

    def __init__(self, embedding: FiltrationEmbedding) -> None:
        self.embedding = embedding

    def fit(self, graphs: Graphs) -> Vectors:
        """Fit, and return the vectors of the same graphs."""
        found: Any = self.embedding._fit(graphs)
        counted, factors = found
        made = self.embedding
        unit = made.steps_ is not None
        rows = training_coordinates(counted, made.landmarks_, factors, unit, made.n_jobs)
        return _vectors(made, counted, rows)

    def transform(self, graphs: Graphs) -> Vectors:
        """Return the vectors of graphs."""
        made = self.embedding
        counted, unit = made.count(graphs), made.steps_ is not None
        rows = coordinates(counted, made.landmarks_, unit, made.n_jobs)
        return _vectors(made, counted, rows)

    def names(self) -> list[str]:
        """Return the names of the columns."""
        found: list[str] = self.embedding.get_feature_names_out().tolist()
        return found

    def embeddings(self) -> list[FiltrationEmbedding]:
        """Return the embedding."""
        return [self.embedding]


class MeanMap:
    """Vectors of the parts of a mean side by side, each times the root of its weight.

    Parameters
    ----------
    parts : list of (str, map)
    weights : sequence of float
    """

    def __init__(self, parts: list[tuple[str, ExplicitMap]], weights: Sequence[float]) -> None:
        self.parts, self.shares = parts, np.asarray(weights) / np.sum(weights)

    def fit(self, graphs: Graphs) -> Vectors:
        """Fit, and return the vectors of the same graphs."""
        return self._beside([part.fit(graphs) for _, part in self.parts])

    def transform(self, graphs: Graphs) -> Vectors:
        """Return the vectors of graphs."""
        return self._beside([part.transform(graphs) for _, part in self.parts])

    def names(self) -> list[str]:
        """Return the names of the columns, each after that of its part."""
        return [f"{name}: {column}" for name, part in self.parts for column in part.names()]

    def embeddings(self) -> list[FiltrationEmbedding]:
        """Return the embeddings of all parts."""
        return [one for _, part in self.parts for one in part.embeddings()]

    def _beside(self, found: list[Vectors]) -> Vectors:
        parts = list(zip(found, self.shares, strict=True))
        rows = [_normalised(vectors) * np.sqrt(share) for vectors, share in parts]
        own = sum(np.where(vectors.own > 0, share, 0.0) for vectors, share in parts)
        return Vectors(csr_matrix(hstack(rows)), np.asarray(own))


class GaussianMap:
    r"""Random Fourier features of normalised vectors.

    .. math:: z(x)_i = e^{-\frac{\sigma}{2} (1 - \|x\|^2)} \sqrt{2 / D}
              \cos(\langle w_i, x \rangle + b_i), \qquad
              w_i \sim N(0, \sigma I), \quad b_i \sim U(0, 2 \pi)

    A vector is shorter than 1 if features of its graph have no column. The first factor makes up
    for that: without it, products would be :math:`e^{-\frac{\sigma}{2} \|x - y\|^2}` on average,
    which is more than :math:`e^{-\sigma (1 - \langle x, y \rangle)}`.

    Parameters
    ----------
    inner : map
    sigma : float
    n_components : int
        `D`.
    seed : tuple of int
    """

    def __init__(
        self, inner: ExplicitMap, sigma: float, n_components: int, seed: tuple[int, ...]
    ) -> None:
        self.inner, self.sigma = inner, sigma
        self.n_components, self.seed = n_components, seed

    def fit(self, graphs: Graphs) -> Vectors:
        """Fit, and return the vectors of the same graphs."""
        return self._cosines(self.inner.fit(graphs))

    def transform(self, graphs: Graphs) -> Vectors:
        """Return the vectors of graphs."""
        return self._cosines(self.inner.transform(graphs))

    def names(self) -> list[str]:
        """Return the numbers of the columns."""
        return [f"random{i}" for i in range(self.n_components)]

    def embeddings(self) -> list[FiltrationEmbedding]:
        """Return the embeddings that the vectors within are made of."""
        return self.inner.embeddings()

    def _cosines(self, inner: Vectors) -> Vectors:
        n, width = len(inner.own), self.n_components
        refuse_what_does_not_fit(
            8.0 * width * (2 * n + _DRAWN),
            f"{width} random features of {n} graphs",
            "use a smaller n_components, or transform fewer graphs at a time",
        )
        angles, rows = np.zeros((n, width)), _normalised(inner)
        columns = rows.tocsc()
        missing = 1 - np.minimum(np.asarray(rows.power(2).sum(axis=1)).ravel(), 1)
        for number, start in enumerate(range(0, rows.shape[1], _DRAWN)):
            part = csr_matrix(columns[:, start : start + _DRAWN])
            draws = stream((*self.seed, 1, number))
            angles += part @ draws.standard_normal((part.shape[1], width))
        shifts = stream((*self.seed, 0)).uniform(0, 2 * np.pi, width)
        found = np.cos(angles * np.sqrt(self.sigma) + shifts) * np.sqrt(2 / width)
        alive = (inner.own > 0).astype(np.float64)
        scale = alive * np.exp(-self.sigma / 2 * missing)
        return Vectors(csr_matrix(found * scale[:, None]), alive)


ExplicitMap: TypeAlias = FeatureMap | MeanMap | GaussianMap


def stream(seed: tuple[int, ...]) -> np.random.Generator:
    """Return a source of random numbers for a seed, and for a place among maps within others."""
    # A list of numbers would give the same as one with zeros at the end.
    return np.random.default_rng(np.random.SeedSequence(seed[0], spawn_key=seed[1:]))


def explicit_map(name: str, kernel: Any, options: Options) -> ExplicitMap:
    """Return a map, not yet fitted, for a kernel; refuse one that has none.

    Parameters
    ----------
    name : str
        What messages call the kernel.
    kernel : kernel
    options : Options
    """
    if isinstance(kernel, GaussianKernel):
        ((part, inner),) = kernel._named()
        own = checked_sigma(kernel.sigma), options.n_components, options.seed
        return GaussianMap(explicit_map(f"{name}.{part}", inner, options.below(0)), *own)
    if isinstance(kernel, MeanKernel):
        named = kernel._named()
        parts = [
            (part, explicit_map(f"part {part!r}", one, options.below(number)))
            for number, (part, one) in enumerate(named)
        ]
        return MeanMap(parts, kernel._checked_weights(len(parts)))
    check_part(name, kernel)
    if not isinstance(kernel, FiltrationKernel):
        raise TypeError(
            f"{name} is a {type(kernel).__name__}, which has no explicit map; take kernels that "
            "count features, such as FiltrationKernel, and means and Gaussians of these"
        )
    return FeatureMap(_embedding(name, kernel, options.exact))


def _embedding(name: str, kernel: FiltrationKernel, exact: dict[str, Any]) -> FiltrationEmbedding:
    """Return the exact embedding of a filtration kernel, normalised."""
    if kernel.combine != "sum":
        raise ValueError(
            f"{name} has combine={kernel.combine!r}, which has no explicit map; set combine='sum'"
        )
    given = {
        one: getattr(kernel, one)
        for one in FiltrationKernel().get_params(deep=False)
        if one not in ("combine", "beta", "alpha_delta", "features", "depth", "n_jobs")
    }
    given |= {"normalize": True, "features": kernel.new_extractor(), "n_jobs": kernel.n_jobs}
    threads = exact["n_jobs"] if kernel.n_jobs is None else kernel.n_jobs
    found: FiltrationEmbedding = clone(FiltrationEmbedding(**{**given, **exact, "n_jobs": threads}))
    return found


def _vectors(embedding: FiltrationEmbedding, counted: Histograms, rows: Any) -> Vectors:
    alive = np.diff(counted.graph_ptr) > 0
    return Vectors(embedding._csr(counted, rows), alive.astype(np.float64))


def _normalised(vectors: Vectors) -> csr_matrix:
    """Return vectors divided by the roots of self-similarities."""
    rows = vectors.rows
    values = rows.data / np.repeat(np.sqrt(vectors.own), np.diff(rows.indptr))
    return csr_matrix((values, rows.indices, rows.indptr), rows.shape)
