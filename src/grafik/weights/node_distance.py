"""Weights by node attributes: how different the two ends of an edge are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_choice
from ..graphs.batch import Graphs
from ..graphs.chosen_columns import Columns, chosen_attributes, positions
from .edges import ends_of

_LARGEST = np.finfo(np.float64).max


class NodeDistance(BaseEstimator):
    r"""Distance between the attributes of the two ends.

    .. math:: w(\{u, v\}) = -\|x(u) - x(v)\|_p

    so that edges between similar vertices enter early. It does not change when all attributes of a
    graph are moved by the same vector; the Euclidean distance (`norm` 2) does not change when they
    are turned either. So it suits coordinates, whose absolute values mean nothing.

    Columns count as they are: one with large numbers outweighs the others. Bring them to one scale
    before, or choose some with `columns`. Distances too large for a float become the largest float,
    1.8e308.

    Parameters
    ----------
    norm : {2, 1, inf}
        Euclidean distance, sum of differences, or largest difference.
    columns : int, str, sequence of these, or None
        Node attributes that count, by number or by name; by default all.
    first : {"small", "large"}
        Which edges enter first: by default those with small distances, whose weight is minus the
        distance. With ``"large"`` the weight is the distance.

    Examples
    --------
    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists(
    ...     [[(0, 1), (1, 2)]], node_attributes=[[[0, 0], [3, 4], [3, 6]]])
    >>> weights.NodeDistance()(graphs).tolist()
    [-5.0, -2.0]
    >>> weights.NodeDistance(norm=1, first="large")(graphs).tolist()
    [7.0, 2.0]
    >>> weights.NodeDistance(columns=0)(graphs).tolist()
    [-3.0, 0.0]
    """

    def __init__(self, norm: float = 2, columns: Columns = None, first: str = "small") -> None:
        self.norm = norm
        self.columns = columns
        self.first = first

    @property
    def negated(self) -> bool:
        """Whether weights are minus the distances."""
        return self.first == "small"

    def reads(self, graphs: Graphs) -> tuple[str, ...] | None:
        """Return the names of the columns; None if they have no names."""
        names = graphs.node_attribute_names
        if names is None:
            return None
        return tuple(names[i] for i in positions(self.columns, len(names), names))

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the weights of all edges."""
        checked_choice("norm", self.norm, (2, 1, np.inf))
        checked_choice("first", self.first, ("small", "large"))
        if len(graphs.edges) == 0 and graphs.node_attributes is None:
            return np.zeros(0)
        values = chosen_attributes(graphs, self.columns, "choose another weight")
        u, v = ends_of(graphs)
        with np.errstate(over="ignore"):
            apart = np.minimum(np.abs(values[u] - values[v]), _LARGEST)
            distances = np.minimum(_norms(apart, self.norm), _LARGEST)
        # Subtracting from zero makes no -0.0.
        return 0.0 - distances if self.first == "small" else distances


def _norms(apart: NDArray[np.float64], norm: float) -> NDArray[np.float64]:
    """Return the norm of each row of numbers that are not negative."""
    largest: NDArray[np.float64] = apart.max(axis=1, initial=0.0)
    if norm == np.inf:
        return largest
    # Sorted and added one by one, so that no bit depends on the order of columns.
    ordered = np.sort(apart, axis=1).T
    if norm == 1:
        return _sum(ordered)
    # Squares of large numbers overflow, and those of small ones vanish. Powers of two change no
    # digit, unlike other factors.
    exponents = np.frexp(largest)[1]
    lengths = np.sqrt(_sum(np.ldexp(ordered, -exponents) ** 2))
    return np.ldexp(lengths, exponents)


def _sum(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.zeros(rows.shape[1])
    for row in rows:
        total += row
    return total
