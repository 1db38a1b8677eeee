"""Weights that come with the data: a column of the edge attributes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_choice, checked_integer
from ..graphs.batch import Graphs


class Attribute(BaseEstimator):
    """A column of the edge attributes.

    Parameters
    ----------
    column : int or str
        The column: its number, counted from 0, or its name (``graphs.edge_attribute_names``).
    first : {"large", "small"}
        Which edges enter first. By default those with large values, as for strengths: the weight is
        the value. ``"small"`` is for distances: the weight is minus the value.

    Examples
    --------
    >>> import networkx as nx
    >>> from grafik import as_graphs, weights
    >>> roads = nx.Graph()
    >>> roads.add_edge("Bonn", "Siegburg", lanes=4, distance=12.5)
    >>> roads.add_edge("Bonn", "Bornheim", lanes=2, distance=10.0)
    >>> graphs = as_graphs(roads, edge_attribute=["lanes", "distance"])
    >>> weights.Attribute()(graphs).tolist()
    [4.0, 2.0]
    >>> weights.Attribute("distance", first="small")(graphs).tolist()
    [-12.5, -10.0]
    """

    def __init__(self, column: int | str = 0, first: Literal["large", "small"] = "large") -> None:
        self.column = column
        self.first = first

    @property
    def negated(self) -> bool:
        """Whether weights are minus the numbers that users know."""
        return self.first == "small"

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the weights of all edges."""
        checked_choice("first", self.first, ("large", "small"))
        if not isinstance(self.column, str):
            checked_integer("column", self.column, 0)
        values = graphs.edge_attributes
        if len(graphs.edges) == 0:
            return np.zeros(0)
        if values is None:
            raise ValueError(
                "the graphs have no edge attributes; name them when you convert graphs, such as "
                "as_graphs(graphs, edge_attribute='weight'), which also reads matrices whose "
                "entries are all 1; or pass edge_attributes to Graphs, or choose another weight"
            )
        column = values[:, self._place(graphs, values.shape[1])]
        # Adding zero makes -0.0 and 0.0 one value.
        return 0.0 - column if self.negated else column + 0.0

    def reads(self, graphs: Graphs) -> tuple[str, ...] | None:
        """Return the name of the column; None if columns have no names."""
        names, values = graphs.edge_attribute_names, graphs.edge_attributes
        if names is None or values is None:
            return None
        return (names[self._place(graphs, values.shape[1])],)

    def _place(self, graphs: Graphs, n_columns: int) -> int:
        """Return the number of the column."""
        names = graphs.edge_attribute_names
        if isinstance(self.column, str):
            if names is None or self.column not in names:
                have = f"are {', '.join(map(repr, names))}" if names else "have no names"
                raise ValueError(
                    f"there is no edge attribute {self.column!r}; the {n_columns} edge attributes "
                    f"of these graphs {have}"
                )
            return names.index(self.column)
        if self.column >= n_columns:
            raise ValueError(
                f"column must be less than {n_columns}, the number of edge attributes, "
                f"got {self.column}"
            )
        return self.column
