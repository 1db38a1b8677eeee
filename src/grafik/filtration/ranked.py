"""A weight whose keys were ranked before, so that it returns numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .. import weights
from ..arrays.keys import ranks
from ..graphs.batch import Graphs
from ..weights.read_names import names_read


class Ranked(BaseEstimator):
    """The ranks that a weight's keys have among the keys of training graphs.

    Parameters
    ----------
    weight : callable
        Returns keys.
    keys : ndarray of int64
        Those of the training graphs, distinct and increasing.
    """

    def __init__(self, weight: Any, keys: NDArray[np.int64]) -> None:
        self.weight = weight
        self.keys = keys

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the ranks of all edges."""
        return ranks(weights.values(self.weight, graphs), self.keys)

    def reads(self, graphs: Graphs) -> tuple[str, ...] | None:
        """Return the names of the attributes that the weight reads."""
        return names_read(self.weight, graphs)
