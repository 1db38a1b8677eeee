"""The graphs that a model is fitted to: those that count, with their targets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from .graph_weights import GraphWeights, checked_sample_weight

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


class Training(NamedTuple):
    """Graphs of positive weight; the others are as if they had not been given.

    Attributes
    ----------
    graphs : Graphs
    y : ndarray of shape (n_graphs,)
        Their targets, as the user gave them.
    samples : ndarray of shape (n_graphs,), or None
        Their weights.
    rows : ndarray of int
        Their positions among all graphs that were given.
    everything : ndarray
        The targets of all graphs that were given.
    """

    graphs: Graphs
    y: NDArray[Any]
    samples: NDArray[np.float64] | None
    rows: NDArray[np.intp]
    everything: NDArray[Any]

    @classmethod
    def of(cls, X: Any, y: NDArray[Any], sample_weight: Any) -> Training:
        """Check that graphs, targets and weights fit together."""
        graphs = as_graphs(X)
        if len(graphs) != len(y):
            raise ValueError(f"there are {len(graphs)} graphs, but y has {len(y)} entries")
        samples = checked_sample_weight(sample_weight, len(y))
        if samples is None or samples.all():
            return cls(graphs, y, samples, np.arange(len(y)), y)
        rows = np.flatnonzero(samples)
        return cls(graphs[rows.tolist()], y[rows], samples[rows], rows, y)

    def weighted(self, classes: NDArray[np.float64] | str | None = None) -> GraphWeights:
        """Return how much graphs count, together with weights of classes."""
        return GraphWeights(self.samples, classes)

    def own(self, folds: list[Fold]) -> list[Fold]:
        """Return folds of all given graphs as folds of those that count."""
        place = np.full(len(self.everything), -1)
        place[self.rows] = np.arange(len(self.rows))
        found = [(place[train], place[test]) for train, test in folds]
        found = [(train[train >= 0], test[test >= 0]) for train, test in found]
        for number, (train, test) in enumerate(found):
            if not len(train) or not len(test):
                raise ValueError(
                    f"fold {number} of cv has {len(train)} training and {len(test)} test graphs of "
                    "positive weight; it needs both"
                )
        return found
