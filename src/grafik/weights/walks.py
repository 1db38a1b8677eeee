"""The weight of the paper: the number of walks between the two ends of an edge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_integer
from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from ..system.threads import Flag, watched


class Walks(BaseEstimator):
    r"""Number of walks between the two ends, of length at most `length`.

    .. math:: w(\{u, v\}) = \sum_{l=1}^{\lambda} (A^l)_{uv}

    This is the random walk weight :math:`w_{rw}` of the paper, and `length` its :math:`\lambda`.

    Counts below 2^53 are exact. Above, floats have gaps, and equal counts that were added up in
    different orders could differ in the last bits; so they are rounded to 30 significant bits.
    Counts too large for a float become the largest float, 1.8e308. Directed graphs are refused.

    Parameters
    ----------
    length : int
        Number of steps of the longest walks, at least 1.

    Examples
    --------
    A triangle with a tail; two steps also join the ends of its sides, but not those of the tail:

    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (0, 2), (2, 3)]])
    >>> weights.Walks(length=2)(graphs).tolist()
    [2.0, 2.0, 2.0, 1.0]
    >>> weights.Walks(length=3)(graphs).tolist()
    [5.0, 6.0, 6.0, 4.0]
    """

    def __init__(self, length: int = 7) -> None:
        self.length = length

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the weights of all edges."""
        from .walks_loops import EXACT, LARGEST, count_few_walks, count_walks

        length = checked_integer("length", self.length, 1)
        refuse_directed(graphs, "the weight 'walks'")
        walks = np.zeros(len(graphs.edges))
        shape = graphs.node_ptr, graphs.edge_ptr, graphs.adjacency

        def count(flag: Flag) -> None:
            counted = count_few_walks(*shape, length, walks, flag)
            if not counted.all():
                count_walks(*shape, inner_lists(graphs), length, counted, walks, flag)

        watched(count)
        large = walks >= EXACT
        with np.errstate(over="ignore"):  # the largest float may be rounded up
            walks[large] = np.minimum(_rounded(walks[large], 30), LARGEST)
        return walks


class InnerLists(NamedTuple):
    """The neighbour lists of a batch, without neighbours of degree one."""

    indptr: NDArray[np.int64]
    neighbors: NDArray[np.int32]


def inner_lists(graphs: Graphs) -> InnerLists:
    """Return all neighbour lists without neighbours of degree one."""
    indptr, neighbors = graphs.adjacency.indptr, graphs.adjacency.neighbors
    rows = np.repeat(graphs.node_ptr[:-1], 2 * graphs.n_edges) + neighbors
    kept = graphs.degrees[rows] > 1
    return InnerLists(np.concatenate([[0], np.cumsum(kept)])[indptr], neighbors[kept])


def _rounded(values: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Round to a number of significant bits."""
    mantissa, exponent = np.frexp(values)
    rounded: NDArray[np.float64] = np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits)
    return rounded
