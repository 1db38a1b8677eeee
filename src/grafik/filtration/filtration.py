"""Filtrations: from edge weights to the level at which each edge enters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import weights
from ..arrays.keys import distinct_rows, ranks
from ..arrays.offsets import offsets
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.labels import Labels
from ..graphs.takes_graphs import TakesGraphs
from ..graphs.validation import directions_of, refuse_other_directions
from ..weights.names import is_ordered
from ..weights.read_names import names_read, refuse_other_names
from .ranked import Ranked
from .thresholds import choose_alphas, rule_for

# With at most this many thresholds, comparing with each in turn is faster than binary search.
_FEW = 32


class Filtration(TakesGraphs):
    r"""Builds up every graph of a batch in a few steps, by decreasing edge weight.

    .. math:: G_1 \subseteq G_2 \subseteq \dots \subseteq G_k = G, \qquad
              G_i = (V, \{e \in E : w(e) \geq \alpha_i\})

    The thresholds are learned from training graphs. The last filtration graph is always the whole
    graph: an edge below every threshold, which an unseen graph may have, enters at the last level.

    Parameters
    ----------
    weight : str or callable
        Edge weight `w`: a name (see :mod:`grafik.weights`), or a function from a batch to one
        number per edge, or to one key per edge. Keys are replaced by their ranks among the keys of
        the training graphs, counted from 0; a key that these do not have lies half a rank above
        the next smaller one, and so enters with it.
    thresholds : {"auto", "kmeans", "kmeans-distinct", "quantile", "distinct"} or sequence
        How the thresholds are chosen. ``"kmeans"`` clusters the weights of all training edges by
        exact one-dimensional k-means and takes the least weight of each cluster, as in the paper;
        ``"kmeans-distinct"`` counts each weight once per graph, as in the authors' code;
        ``"quantile"`` gives every level about the same number of new edges; with ``"distinct"``
        every weight that occurs is a threshold. ``"auto"`` is ``"distinct"`` for weights whose
        order means nothing, such as hashes, unless one level is asked for, and else ``"kmeans"``.
        A sequence has the thresholds themselves, decreasing; for keys they are ranks.
    n_levels : int
        Number of levels, the paper's `k`, for the first three rules. If there are fewer distinct
        weights, there are fewer levels.

    Attributes
    ----------
    alphas_ : ndarray of shape (n_levels_,)
        The thresholds, decreasing.
    n_levels_ : int
    directed_ : bool or None
        Whether the training graphs are directed; others are refused. None if they have no edge.
    attributes_ : tuple of str, or None
        Names of the attributes that the weight reads, if they have names; others are refused.
    keys_ : ndarray of int64, or None
        The different keys of the training graphs, increasing; None if the weight returns numbers.

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
        thresholds: str | Sequence[float] = "auto",
        n_levels: int = 3,
    ) -> None:
        self.weight = weight
        self.thresholds = thresholds
        self.n_levels = n_levels

    def fit(self, X: Any, y: object = None) -> Filtration:
        """Learn the thresholds.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        Filtration
            Itself.
        """
        self._fit(as_graphs(X))
        return self

    def fit_levels(self, X: Any, y: object = None) -> NDArray[np.int32]:
        """Fit, and return the levels of the same graphs; faster than `fit` and then `levels`.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        ndarray of int32, one per edge of the batch
        """
        return self.levels_of(self._fit(as_graphs(X)))

    def _fit(self, batch: Graphs) -> NDArray[Any]:
        found = weights.values(self.weight, batch)
        self.learn(found, batch)
        return found

    def learn(self, found: NDArray[Any], graphs: Graphs) -> None:
        """Learn from the weights or keys of the edges of graphs, where they are known already."""
        self.keys_ = distinct_rows(found) if found.ndim == 2 else None
        self.directed_ = directions_of(graphs)
        rule = self.thresholds
        if isinstance(rule, str):
            rule = rule_for(rule, is_ordered(self.weight), self.n_levels)
        self.alphas_ = choose_alphas(self.numbers(found), graphs, rule, self.n_levels)
        self.attributes_ = names_read(self.weight, graphs)

    def take_over(self, fitted: Filtration) -> None:
        """Take over what another filtration with the same weight has learned."""
        self.alphas_, self.directed_ = fitted.alphas_, fitted.directed_
        self.attributes_, self.keys_ = fitted.attributes_, fitted.keys_

    def settled(self) -> tuple[Any, list[float]]:
        """Return a weight and thresholds that make the same levels, whatever is fitted anew."""
        check_is_fitted(self)
        weight = self.weight if self.keys_ is None else Ranked(self.weight, self.keys_)
        return weight, self.alphas_.tolist()

    @property
    def n_levels_(self) -> int:
        """The actual number of levels."""
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
        batch = as_graphs(graphs)
        self.check(batch)
        return self.levels_of(weights.values(self.weight, batch))

    def check(self, graphs: Graphs) -> None:
        """Refuse graphs with other directions or attributes than those of the fit."""
        refuse_other_directions(graphs, self.directed_)
        refuse_other_names(self.weight, graphs, self.attributes_)

    def numbers(self, found: NDArray[Any]) -> NDArray[np.float64]:
        """Return weights as they are, and keys as ranks among those of the training graphs."""
        if len(found) and (self.keys_ is None) != (found.ndim == 1):
            if self.directed_ is None and len(self.alphas_) == 1:  # no edge has been seen
                return np.zeros(len(found))
            now, before = ("numbers", "keys") if found.ndim == 1 else ("keys", "numbers")
            raise ValueError(
                f"the weight returns {now} for these graphs, but it returned {before} when it was "
                "fitted, or was not fitted to graphs; a weight must always return the same kind"
            )
        if self.keys_ is None or found.ndim == 1:
            return found if found.ndim == 1 else np.zeros(0)
        return ranks(found, self.keys_)

    def levels_of(self, found: NDArray[Any]) -> NDArray[np.int32]:
        """Return the level at which an edge of each of these weights, or keys, enters."""
        numbers = self.numbers(found)
        if len(self.alphas_) <= _FEW:
            levels = np.zeros(len(numbers), np.int32)
            for alpha in self.alphas_[:-1]:
                levels += numbers < alpha
            return levels
        first = np.searchsorted(-self.alphas_, -numbers)
        return np.minimum(first, len(self.alphas_) - 1).astype(np.int32)

    def plot(self, graph: Any, feature: Any = None, **options: Any) -> dict[str, Any]:
        """Draw how a graph is built up; see :func:`grafik.plots.filtration`."""
        from ..plots import filtration

        check_is_fitted(self)
        return filtration(graph, self, feature, **options)

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
            raise ValueError(f"exactly one graph is needed, got {len(batch)}")
        levels = self.levels(batch)
        kept = [np.flatnonzero(levels <= level) for level in range(self.n_levels_)]
        rows = np.concatenate(kept)
        return Graphs(
            np.arange(self.n_levels_ + 1) * batch.node_ptr[-1],
            offsets([len(part) for part in kept]),
            batch.edges[rows],
            directed=batch.directed,
            reading=batch.reading,
            node_names=_repeated(batch.node_names, self.n_levels_),
            node_attribute_names=batch.node_attribute_names,
            edge_attribute_names=batch.edge_attribute_names,
            node_labels=_repeated(batch.node_labels, self.n_levels_),
            edge_labels=None if batch.edge_labels is None else batch.edge_labels.take(rows),
            node_attributes=_tiled(batch.node_attributes, self.n_levels_),
            edge_attributes=None if batch.edge_attributes is None else batch.edge_attributes[rows],
        )


def _repeated(labels: Labels | None, times: int) -> Labels | None:
    return None if labels is None else Labels.trusted(labels.values, np.tile(labels.codes, times))


def _tiled(values: NDArray[np.float64] | None, times: int) -> NDArray[np.float64] | None:
    return None if values is None else np.tile(values, (times, 1))
