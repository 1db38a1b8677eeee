"""Weights by the cycles that an edge lies on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_integer
from ..arrays.offsets import offsets, part_of
from ..graphs.adjacency import Adjacency
from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from ..system.threads import new_flag, run_blocks
from .centrality import core_numbers
from .long_work import refuse_long_work
from .neighbourhoods import triangles

_BLOCK = 1_000_000_000  # nanoseconds, so that an interrupt does not wait for long
_PER_STEP = 4.5  # nanoseconds


class Cycles(BaseEstimator):
    r"""Number of cycles of exactly `length` edges through the edge.

    .. math:: w(e) = |\{C : C \text{ is a cycle of } l \text{ edges}, e \in C\}|

    where `l` is the length. Cycles visit no vertex twice; they may have chords. Those of length
    three are triangles. The counts are exact: walks of two and three steps are counted, and those
    that visit a vertex twice are taken off, so no cycle is looked at by itself. Directed graphs are
    refused, and so are graphs whose cycles would take much longer than a minute.

    Parameters
    ----------
    length : {3, 4, 5, 6}
        Number of edges of the cycles.

    Examples
    --------
    A hexagon with a chord that cuts it into two squares:

    >>> from grafik import Graphs, weights
    >>> edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (0, 3)]
    >>> graphs = Graphs.from_edge_lists([edges])
    >>> [tuple(edge) for edge in graphs.edges.tolist()][1]
    (0, 3)
    >>> weights.Cycles(length=4)(graphs).tolist()
    [1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    >>> weights.Cycles(length=6)(graphs).tolist()
    [1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, length: int = 6) -> None:
        self.length = length

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the weights of all edges."""
        length = checked_integer("length", self.length, 3, 6)
        refuse_directed(graphs, "the weight 'cycles'")
        if length == 3:
            return triangles(graphs)
        from .cycles_loops import count_cycles

        lists = _lists_on_cycles(graphs)
        steps = _steps(graphs, lists)
        refuse_long_work(
            graphs,
            np.bincount(part_of(graphs.node_ptr), steps, len(graphs)) * _PER_STEP * 1e-9,
            f"the weight {self}",
            "choose another weight, such as 'triangles'",
        )
        counts, flag = np.zeros(len(graphs.edges), np.int64), new_flag()

        def work(start: int, stop: int) -> None:
            count_cycles(start, stop, graphs.node_ptr, graphs.edge_ptr, lists, length, counts, flag)

        cost = offsets(np.bincount(part_of(graphs.node_ptr), steps, len(graphs)).astype(np.int64))
        size = int(_BLOCK / _PER_STEP)
        run_blocks(work, cost, None, ns_per_unit=_PER_STEP, max_units=size, flag=flag)
        return counts.astype(np.float64)


def _lists_on_cycles(graphs: Graphs) -> Adjacency:
    """Return the neighbour lists without trees that hang on a graph: no cycle visits them."""
    indptr, neighbors, edge_ids = graphs.adjacency
    deep = core_numbers(graphs) > 1
    base = np.repeat(graphs.node_ptr[:-1], 2 * graphs.n_edges)
    kept = deep[base + neighbors] & deep[part_of(indptr)]
    starts = np.concatenate([[0], np.cumsum(kept)])[indptr]
    return Adjacency(starts, neighbors[kept], edge_ids[kept])


def _steps(graphs: Graphs, lists: Adjacency) -> NDArray[np.float64]:
    """Return how many steps the walks from each vertex take, at most."""
    degrees = np.diff(lists.indptr)
    n_kept = np.diff(lists.indptr[graphs.node_ptr])  # entries of lists, for each graph
    near = np.repeat(graphs.node_ptr[:-1], n_kept) + lists.neighbors
    own = part_of(lists.indptr)
    two = np.bincount(own, degrees[near].astype(np.float64), len(degrees))
    three = np.bincount(own, two[near], len(degrees))
    # All steps from vertices within two steps are counted together, however one gets there.
    most = np.repeat(n_kept, graphs.n_nodes)
    return np.asarray(2.0 * np.minimum(three, most) + 2.0 * two + 1.0)
