"""Weights by how central an edge or its ends are: degree, core number and betweenness."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import offsets
from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from ..system.threads import new_flag, run_blocks
from .edges import ends_of

_BLOCK = 100_000_000  # vertices times edges of graphs whose paths are counted in one go


def degree(graphs: Graphs) -> NDArray[np.float64]:
    r"""Degree of the end with more neighbours.

    .. math:: w(\{u, v\}) = \max(\deg u, \deg v)

    In directed graphs the degree is the number of all edges, in and out.

    Parameters
    ----------
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)

    Examples
    --------
    A path of four vertices:

    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (2, 3)]])
    >>> weights.degree(graphs).tolist()
    [2.0, 2.0, 2.0]
    """
    u, v = ends_of(graphs)
    degrees = graphs.degrees
    return np.maximum(degrees[u], degrees[v]).astype(np.float64)


def core(graphs: Graphs) -> NDArray[np.float64]:
    r"""Core number of the end that lies deeper.

    .. math:: w(\{u, v\}) = \max(c(u), c(v))

    where the core number :math:`c(v)` is the largest k for which `v` lies in a subgraph in which
    all vertices have at least k neighbours. Directed graphs are refused.

    Parameters
    ----------
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)

    Examples
    --------
    A triangle with a tail:

    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]])
    >>> weights.core(graphs).tolist()
    [2.0, 2.0, 2.0, 2.0, 1.0]
    """
    refuse_directed(graphs, "the weight 'core'")
    numbers = core_numbers(graphs)
    u, v = ends_of(graphs)
    return np.maximum(numbers[u], numbers[v]).astype(np.float64)


def core_numbers(graphs: Graphs, n_jobs: int | None = None) -> NDArray[np.int64]:
    """Return the core number of each vertex of a batch: the deepest core that it is in.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.weights.centrality import core_numbers
    >>> core_numbers(Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2), (2, 3)]])).tolist()
    [2, 2, 2, 1]
    """
    from .centrality_loops import Peeling, peel

    adjacency, numbers = graphs.adjacency, graphs.degrees.copy()
    n, n_degrees = int(graphs.n_nodes.max(initial=0)), int(numbers.max(initial=0)) + 2

    def work(start: int, stop: int) -> None:
        room = Peeling._make(np.empty(size, np.int64) for size in (n_degrees, n_degrees, n, n))
        peel(start, stop, graphs.node_ptr, adjacency, numbers, room)

    run_blocks(work, graphs.node_ptr + graphs.edge_ptr, n_jobs, ns_per_unit=20.0)
    return numbers


def betweenness(graphs: Graphs) -> NDArray[np.float64]:
    r"""Fraction of the shortest paths that use the edge.

    .. math:: w(e) = \frac{2}{n (n - 1)} \sum_{\{s, t\}} \frac{\sigma_{st}(e)}{\sigma_{st}}

    where :math:`\sigma_{st}` is the number of shortest paths from `s` to `t`, and
    :math:`\sigma_{st}(e)` the number of those that use `e`: the normalised edge betweenness of
    networkx.

    The terms are fractions, so the last bits of the sum depend on the order of the vertices. It is
    rounded to the precision of float32, so that equal values stay equal unless they lie within
    about 1e-15 of a rounding boundary. The time grows with the number of vertices times that of
    edges, where trees that hang on a graph do not count. Directed graphs are refused.

    Parameters
    ----------
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)

    Examples
    --------
    Of 28 pairs of vertices, the 16 with one vertex in each half are joined over the bridge:

    >>> from grafik import Graphs, weights
    >>> halves = [(0, 1), (1, 2), (0, 2), (2, 3), (4, 5), (5, 6), (4, 6), (4, 7)]
    >>> graphs = Graphs.from_edge_lists([[*halves, (3, 7)]])
    >>> weights.betweenness(graphs).max().round(3)
    np.float64(0.571)
    """
    from .centrality_loops import add_shortest_paths, room_for_paths

    refuse_directed(graphs, "the weight 'betweenness'")
    adjacency, sums, flag = graphs.adjacency, np.zeros(len(graphs.edges)), new_flag()
    n, m = int(graphs.n_nodes.max(initial=0)), int(graphs.n_edges.max(initial=0))

    def work(start: int, stop: int) -> None:
        room, where = room_for_paths(n, m), (graphs.node_ptr, graphs.edge_ptr)
        failed = add_shortest_paths(start, stop, *where, adjacency, sums, room, flag)
        if failed >= 0:
            raise ValueError(
                f"graph {failed} has more than 1e308 shortest paths between two vertices; "
                "betweenness cannot count them"
            )

    # Blocks of about a second, so that an interrupt does not wait for long.
    cost = offsets(graphs.n_nodes * graphs.n_edges)
    how: dict[str, Any] = {"ns_per_unit": 10.0, "max_units": _BLOCK, "what": "betweenness"}
    run_blocks(work, cost, None, **how, flag=flag)
    pairs = graphs.n_nodes * (graphs.n_nodes - 1)
    fractions = sums / np.repeat(pairs, graphs.n_edges)
    return fractions.astype(np.float32).astype(np.float64)
