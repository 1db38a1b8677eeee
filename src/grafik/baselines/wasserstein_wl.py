"""Wasserstein Weisfeiler-Lehman kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import weights
from ..arrays.checks import checked_bool, checked_choice, checked_number
from ..graphs.batch import Graphs
from ..graphs.labelling import ANY, Labelling
from ..system.optional import require
from .label_counts import LabelCounts
from .pairwise_kernel import PairwiseKernel
from .shared_features import Vectors, intersections, totals
from .transport import transport_distances
from .vertex_distributions import Attributes, Distributions, LabelSequences


class WassersteinWL(PairwiseKernel):
    r"""Wasserstein Weisfeiler-Lehman kernel (W-WL).

    .. math:: K(G, G') = e^{-\gamma D(G, G')}, \qquad
              D(G, G') = \min_{P} \sum_{v, v'} P_{vv'} \, d(x(v), x(v'))

    over all transport plans `P` from the vertices of `G`, each with mass :math:`1/|V|`, to those of
    `G'`. With ``embedding="categorical"`` a vertex is embedded as the sequence of its
    Weisfeiler-Lehman labels, and `d` is the share of rounds in which the labels differ (Hamming
    distance). With ``embedding="continuous"`` it is embedded as its attributes in rounds 0 to `h`,

    .. math:: a_{i+1}(v) = \frac{1}{2} \Bigl(a_i(v) +
              \frac{1}{\deg v} \sum_{u \in N(v)} w(uv) \, a_i(u)\Bigr)

    and `d` is the Euclidean distance. Attributes are taken as they are; bring them to one scale
    first if they differ. An isolated vertex has no second term. Directed graphs are refused with
    ``"continuous"``; labels tell in- and out-neighbours apart.

    Prefer it where graphs vary in size, which it ignores, and for continuous attributes. Two
    graphs with `n` distinct embeddings cost :math:`O(n^3 \log n)` by optimal transport. Labels are
    easier: those of later rounds refine those of earlier ones, so the Hamming distance is that of a
    tree, and the optimal transport is known:

    .. math:: D(G, G') = 1 - \frac{1}{h + 1} \sum_{i=0}^{h} \sum_\ell
              \min\Bigl(\frac{\phi_{i\ell}(G)}{|V|}, \frac{\phi_{i\ell}(G')}{|V'|}\Bigr)

    which costs no more than :class:`WLOptimalAssignment`. Positive semi-definite for labels; not in
    general for attributes.

    A graph without vertices is at distance 0 from others of its kind; from all others at distance 1
    for labels (as if it had one vertex with a label of its own), and infinitely far for attributes.

    Parameters
    ----------
    depth : int
        Number of rounds `h`.
    gamma : float
        How much distances matter.
    embedding : {"categorical", "continuous"}
        Whether vertices are compared by labels or by attributes.
    edge_weight : str, callable or None
        For attributes, the weight `w` of each edge: a weight of :mod:`grafik.weights`, such as
        ``weights.Attribute()`` for the edge attributes; by default 1.
    solver : {"auto", "emd"}
        Whether labels are compared by the formula above, or like attributes by POT's network
        simplex, which gives the same distances.
    normalize : bool
        Whether to divide by the kernel of each graph with itself, which is 1 already; so this
        changes nothing.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.
    progress : bool or None
        Whether to show a progress bar on standard error; None shows it on a terminal only.

    Attributes
    ----------
    training_
        Embeddings of the vertices of each training graph.

    References
    ----------
    Togninalli, Ghisu, Llinares-Lopez, Rieck, Borgwardt: Wasserstein Weisfeiler-Lehman Graph
    Kernels, NeurIPS 2019.

    Examples
    --------
    At depth 0 the vertices of a path and a triangle are all alike, at depth 1 two thirds differ:

    >>> from grafik import Graphs
    >>> from grafik.baselines import WassersteinWL
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]])
    >>> kernel = WassersteinWL(depth=1).fit(graphs)
    >>> kernel.distances(graphs).round(3)
    array([[0.   , 0.333],
           [0.333, 0.   ]])
    >>> kernel.transform(graphs).round(3)
    array([[1.   , 0.717],
           [0.717, 1.   ]])
    """

    def __init__(
        self,
        depth: int = 5,
        gamma: float = 1.0,
        embedding: str = "categorical",
        edge_weight: Any = None,
        solver: str = "auto",
        normalize: bool = False,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.depth = depth
        self.gamma = gamma
        self.embedding = embedding
        self.edge_weight = edge_weight
        self.solver = solver
        self.normalize = normalize
        self.n_jobs = n_jobs
        self.progress = progress

    def distances(self, graphs: Any) -> NDArray[np.float64]:
        """Return the distances `D` of new graphs to all training graphs.

        Kernels for other values of `gamma` are ``np.exp(-gamma * distances)``.

        Returns
        -------
        ndarray of shape (n_new_graphs, n_training_graphs)
        """
        x = self._describe_new(graphs)
        (found,) = self._distances(x, self.training_, [self.describer_.depth])
        return found

    def _distances(self, x: Any, y: Any, depths: Sequence[int]) -> Iterator[NDArray[np.float64]]:
        if not isinstance(x, Distributions):
            yield from _tree_distances(x, y, depths, self.n_jobs)
            return
        for depth in depths:
            rows = x.up_to(depth)
            columns = rows if x is y else y.up_to(depth)
            yield transport_distances(rows, columns, self.n_jobs, self.progress)

    def _labelling(self, batch: Graphs) -> Labelling:
        return ANY if self.embedding == "continuous" else super()._labelling(batch)

    def _describer(self, depth: int) -> Any:
        checked_choice("embedding", self.embedding, ("categorical", "continuous"))
        if self.embedding == "continuous" or self.solver == "emd":
            require("ot", "optimal transport", "grafik[transport]")
        if self.embedding == "continuous":
            weight = self.edge_weight
            if isinstance(weight, str):
                checked_choice("edge_weight", weight, tuple(weights.NAMES))
            return Attributes(depth, clone(weight, safe=False))
        if self.edge_weight is not None:
            raise ValueError(
                "edge_weight is for embedding='continuous', got "
                f"edge_weight={self.edge_weight!r} and embedding='categorical'"
            )
        return LabelCounts(depth) if self.solver == "auto" else LabelSequences(depth)

    def _compare(
        self, x: Any, y: Any, depths: Sequence[int], gammas: Sequence[Any]
    ) -> Iterator[tuple[int, Any, NDArray[np.float64]]]:
        distances: Iterable[NDArray[np.float64]] = self._distances(x, y, depths)
        if len(gammas) > 1:
            distances = list(distances)
        for gamma in gammas:
            for depth, found in zip(depths, distances, strict=True):
                far = np.isinf(found)
                matrix = np.where(far, 0.0, found)  # with gamma = 0, infinity would give NaN
                matrix *= -float(gamma)
                np.exp(matrix, out=matrix)
                matrix[far] = 0.0
                yield depth, gamma, matrix

    @staticmethod
    def _own(x: Any, depth: int) -> NDArray[np.float64]:
        return np.ones(len(x))

    def _check_options(self) -> None:
        super()._check_options()
        checked_number("gamma", self.gamma)
        checked_choice("solver", self.solver, ("auto", "emd"))
        if self.progress is not None:
            checked_bool("progress", self.progress)


def _tree_distances(
    x: Vectors, y: Vectors, depths: Sequence[int], n_jobs: int | None
) -> Iterator[NDArray[np.float64]]:
    """Yield distances of labels by the formula for trees, rounded once."""
    sizes = [totals(side, 0) for side in (x, y)]
    empty = [size == 0 for size in sizes]
    for depth, found in zip(depths, intersections(x, y, depths, n_jobs, *sizes), strict=True):
        whole = np.outer((depth + 1) * sizes[0], sizes[1])
        np.subtract(whole, found, out=found)
        np.divide(found, whole, out=found, where=whole > 0)
        found[empty[0]], found[:, empty[1]] = 1.0, 1.0
        found[np.ix_(*empty)] = 0.0
        yield found
