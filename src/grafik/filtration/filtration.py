"""Filtrations: from edge weights to the level at which each edge enters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .. import weights
from ..arrays.checks import checked_integer
from ..arrays.offsets import offsets, part_of
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.labels import Labels

_RULES = ("kmeans", "kmeans-distinct", "quantile", "distinct")
_MAX_CLUSTERS = 255
# Up to so many (number of distinct weights)^2 (number of levels), k-means tabulates the cost of
# every interval of weights. Beyond it, one that counts every edge is faster.
_MAX_TABLE = 1 << 22
# Whole numbers in a range of this size are counted in a table.
_FEW_INTEGERS = 1 << 20
# Up to so many thresholds, comparing with one after the other is faster than searching.
_FEW = 32

LARGEST = float(np.finfo(np.float64).max)


class Filtration(BaseEstimator):
    r"""Builds up every graph of a batch in a few steps, by decreasing edge weight.

    .. math:: G_1 \subseteq G_2 \subseteq \dots \subseteq G_k = G, \qquad
              G_i = (V, \{e \in E : w(e) \geq \alpha_i\})

    The thresholds are learned from training graphs. The last filtration graph is always the whole
    graph: an edge below every threshold, as an unseen graph may have, enters at the last level.

    Parameters
    ----------
    weight : str or callable
        Edge weight `w`: a name (see :mod:`grafik.weights`), or a function from a batch to one
        number per edge.
    thresholds : {"kmeans", "kmeans-distinct", "quantile", "distinct"} or decreasing sequence
        How the thresholds are chosen. ``"kmeans"`` clusters the weights of all training edges by
        exact one-dimensional k-means and takes the least weight of each cluster, as in the paper;
        ``"kmeans-distinct"`` counts each weight once per graph, as in the authors' code;
        ``"quantile"`` gives every level about as many new edges; with ``"distinct"`` every weight
        that occurs is a threshold.
    n_levels : int
        Number of levels, the paper's `k`, for the first three rules. Where there are fewer distinct
        weights, there are fewer levels.

    Attributes
    ----------
    alphas_ : ndarray of shape (n_levels_,)
        The thresholds, decreasing.
    n_levels_ : int

    Examples
    --------
    >>> from grafik import Filtration, datasets
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> filtration = Filtration("degree", n_levels=2).fit(graphs)
    >>> filtration.alphas_
    array([3., 2.])
    >>> steps = filtration.graphs(graphs[0])
    >>> steps.n_edges
    array([ 5, 11])
    >>> steps.to_networkx()[0].number_of_edges()
    5
    """

    def __init__(
        self,
        weight: Any = "degree",
        thresholds: str | Sequence[float] = "kmeans",
        n_levels: int = 3,
    ) -> None:
        self.weight = weight
        self.thresholds = thresholds
        self.n_levels = n_levels

    def fit(self, graphs: Any, y: object = None) -> Filtration:
        """Learn the thresholds.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        Filtration
            Itself.
        """
        self._fit(as_graphs(graphs))
        return self

    def fit_levels(self, graphs: Any, y: object = None) -> NDArray[np.int32]:
        """Fit, and return the levels of the same graphs; faster than one after the other.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        ndarray of int32, one per edge of the batch
        """
        return self._levels(self._fit(as_graphs(graphs)))

    def _fit(self, batch: Graphs) -> NDArray[np.float64]:
        found = weights.compute(self.weight, batch)
        self.alphas_ = choose_alphas(found, batch, self.thresholds, self.n_levels)
        return found

    @property
    def n_levels_(self) -> int:
        """Number of levels that there really are."""
        check_is_fitted(self)
        return len(self.alphas_)

    def levels(self, graphs: Any) -> NDArray[np.int32]:
        """Return the level, counted from 0, at which each edge of a batch enters.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes

        Returns
        -------
        ndarray of int32, one per edge of the batch
        """
        check_is_fitted(self)
        return self._levels(weights.compute(self.weight, as_graphs(graphs)))

    def _levels(self, found: NDArray[np.float64]) -> NDArray[np.int32]:
        if len(self.alphas_) <= _FEW:
            levels = np.zeros(len(found), np.int32)
            for alpha in self.alphas_[:-1]:
                levels += found < alpha
            return levels
        first = np.searchsorted(-self.alphas_, -found)
        return np.minimum(first, len(self.alphas_) - 1).astype(np.int32)

    def graphs(self, graph: Any) -> Graphs:
        """Return the filtration graphs of one graph, the sparsest first.

        Parameters
        ----------
        graph : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes

        Returns
        -------
        Graphs
            As many graphs as there are levels, all with the vertices of `graph`.
        """
        batch = as_graphs(graph)
        if len(batch) != 1:
            raise ValueError(f"the filtration graphs are those of one graph, got {len(batch)}")
        levels = self.levels(batch)
        kept = [np.flatnonzero(levels <= level) for level in range(self.n_levels_)]
        rows = np.concatenate(kept)
        return Graphs(
            np.arange(self.n_levels_ + 1) * batch.node_ptr[-1],
            offsets([len(part) for part in kept]),
            batch.edges[rows],
            node_labels=_repeated(batch.node_labels, self.n_levels_),
            edge_labels=None if batch.edge_labels is None else batch.edge_labels.take(rows),
            node_attributes=_tiled(batch.node_attributes, self.n_levels_),
            edge_attributes=None if batch.edge_attributes is None else batch.edge_attributes[rows],
        )


def choose_alphas(
    found: NDArray[np.float64], graphs: Graphs, rule: str | Sequence[float], n_levels: int
) -> NDArray[np.float64]:
    """Choose thresholds for the weights of a batch; at least one, strictly decreasing."""
    if not isinstance(rule, str):
        return _given(rule)
    if rule not in _RULES:
        raise ValueError(
            f"thresholds must be {', '.join(map(repr, _RULES))} or a decreasing sequence, "
            f"got {rule!r}"
        )
    if rule != "distinct":
        checked_integer("n_levels", n_levels, 1)
    if len(found) == 0:
        return np.zeros(1)
    distinct, counts = _counted(found)
    if rule == "distinct" or len(distinct) <= n_levels:
        return distinct[::-1].copy()
    if rule == "quantile":
        shares = np.arange(n_levels) / n_levels
        return np.unique(np.quantile(found, shares, method="higher"))[::-1].copy()
    if n_levels > _MAX_CLUSTERS:
        raise ValueError(
            f"{rule!r} finds at most {_MAX_CLUSTERS} levels, got n_levels={n_levels}; "
            "use thresholds='quantile' or 'distinct'"
        )
    if rule == "kmeans-distinct":
        graph = part_of(graphs.edge_ptr)
        found = np.unique(np.column_stack([graph, found]), axis=0)[:, 1]
        distinct, counts = _counted(found)
    # Squares of large weights overflow, and the clusters do not depend on the unit.
    half = distinct / 2
    unit = (half - half[0]) / (half[-1] - half[0])
    if len(unit) ** 2 * n_levels <= _MAX_TABLE:
        starts = _weighted_clusters(unit, counts, n_levels)
    else:
        starts = _clusters(np.repeat(unit, counts), n_levels)
        starts = np.unique(np.searchsorted(np.cumsum(counts), starts, side="right"))
    return distinct[starts][::-1].copy()


def _counted(found: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct weights, sorted, and how often each occurs."""
    low, high = float(found.min()), float(found.max())
    if high - low < _FEW_INTEGERS and (found == np.rint(found)).all():
        counts = np.bincount((found - low).astype(np.int64))
        present = np.flatnonzero(counts)
        return low + present, counts[present]
    return np.unique(found, return_counts=True)


def _weighted_clusters(
    points: NDArray[np.float64], counts: NDArray[np.int64], n_clusters: int
) -> NDArray[np.int64]:
    """Cluster sorted points by exact one-dimensional k-means; return where clusters start.

    By dynamic programming over the cost of every interval, so for few points only. Of equally good
    clusterings the one with the latest starts is taken.
    """
    n = len(points)
    # Measured from the first point of each interval, so that nothing cancels.
    apart = np.triu(points[None, :] - points[:, None])
    mass = np.cumsum(np.triu(np.broadcast_to(counts, (n, n))), axis=1)
    moment, second = (np.cumsum(counts * apart**power, axis=1) for power in (1, 2))
    cost = np.full((n, n), np.inf)  # of one cluster from point i to point j
    i, j = np.triu_indices(n)
    cost[i, j] = np.maximum(second[i, j] - moment[i, j] ** 2 / mass[i, j], 0.0)
    best, starts = cost[0], np.zeros((n_clusters, n), np.int64)
    for cluster in range(1, n_clusters):
        total = np.full((n, n), np.inf)
        np.add(best[:-1, None], cost[1:], out=total[1:])
        starts[cluster] = n - 1 - np.argmin(total[::-1], axis=0)
        best = np.min(total, axis=0)
    chosen, end = [], n - 1
    for cluster in range(n_clusters - 1, -1, -1):
        chosen.append(int(starts[cluster, end]))
        end = chosen[-1] - 1
    return np.array(chosen[::-1])


def _clusters(points: NDArray[np.float64], n_clusters: int) -> NDArray[np.int64]:
    """Do the same for many points, of which each counts once."""
    from ckmeans import ckmeans

    return offsets([len(cluster) for cluster in ckmeans(points, n_clusters)])[:-1]


def _given(values: Any) -> NDArray[np.float64]:
    try:
        alphas = np.array([float(value) for value in values])
    except (TypeError, ValueError, OverflowError):
        alphas = np.empty(0)
    if len(alphas) == 0 or any(isinstance(value, str) for value in values):
        raise ValueError(f"thresholds must be numbers, at least one, got {values!r}")
    if not np.isfinite(alphas).all() or not (alphas[1:] < alphas[:-1]).all():
        raise ValueError(f"thresholds must be finite and decrease, got {values!r}")
    return alphas


def unit_axis(alphas: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Map thresholds to the interval from 1 to 0; return them and the length that became 1."""
    if len(alphas) == 1:
        return np.zeros(1), 1.0
    with np.errstate(over="ignore"):
        length = float(alphas[0] - alphas[-1])
    if np.isfinite(length):
        return (alphas - alphas[-1]) / length, length
    half = alphas / 2  # the difference of two large numbers has overflowed
    return (half - half[-1]) / (half[0] - half[-1]), LARGEST


def _repeated(labels: Labels | None, times: int) -> Labels | None:
    return None if labels is None else Labels.trusted(labels.values, np.tile(labels.codes, times))


def _tiled(values: NDArray[np.float64] | None, times: int) -> NDArray[np.float64] | None:
    return None if values is None else np.tile(values, (times, 1))
