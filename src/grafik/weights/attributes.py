"""Weights that come with the data: a column of the edge attributes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_bool, checked_integer
from ..graphs.batch import Graphs


class Attribute(BaseEstimator):
    """A column of the edge attributes.

    Parameters
    ----------
    column : int
        Number of the column, counted from 0.
    small_first : bool
        Let edges with small values enter early, as for distances: the weight is minus the value.
        Otherwise the weight is the value.

    Examples
    --------
    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)]], edge_attributes=[[1.5, 0.25]])
    >>> weights.Attribute()(graphs).tolist()
    [-1.5, -0.25]
    >>> weights.Attribute(small_first=False)(graphs).tolist()
    [1.5, 0.25]
    """

    def __init__(self, column: int = 0, small_first: bool = True) -> None:
        self.column = column
        self.small_first = small_first

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the weights of all edges."""
        column = checked_integer("column", self.column, 0)
        small_first = checked_bool("small_first", self.small_first)
        values = graphs.edge_attributes
        if values is None:
            if len(graphs.edges) == 0:
                return np.zeros(0)
            raise ValueError(
                "the graphs have no edge attributes; pass edge_attributes when you build them, "
                "or choose another weight"
            )
        if column >= values.shape[1]:
            raise ValueError(
                f"column must be less than {values.shape[1]}, the number of edge attributes, "
                f"got {column}"
            )
        # Adding zero makes -0.0 and 0.0 one value.
        return 0.0 - values[:, column] if small_first else values[:, column] + 0.0
