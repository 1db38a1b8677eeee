"""Weights by how central an edge or its ends are: degree, core number and betweenness."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from .edges import ends_of, with_edges


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
    from .centrality_loops import larger_degrees

    larger: NDArray[np.float64] = larger_degrees(graphs.node_ptr, graphs.edge_ptr, graphs.edges)
    return larger


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
    import rustworkx

    refuse_directed(graphs, "the weight 'core'")
    u, v = ends_of(graphs)
    found: Any = rustworkx.core_number(_rustworkx_graph(u, v))
    numbers = np.zeros(int(graphs.node_ptr[-1]), np.int64)
    numbers[np.fromiter(found.keys(), np.int64)] = np.fromiter(found.values(), np.int64)
    return np.maximum(numbers[u], numbers[v]).astype(np.float64)


def betweenness(graphs: Graphs) -> NDArray[np.float64]:
    r"""Fraction of the shortest paths that use the edge.

    .. math:: w(e) = \frac{2}{n (n - 1)} \sum_{\{s, t\}} \frac{\sigma_{st}(e)}{\sigma_{st}}

    where :math:`\sigma_{st}` is the number of shortest paths from `s` to `t`, and
    :math:`\sigma_{st}(e)` the number of those that use `e`: the normalised edge betweenness of
    networkx.

    The terms are fractions, so the last bits of the sum depend on the order of the vertices. It is
    rounded to the precision of float32, so that equal values stay equal unless they lie within
    about 1e-15 of a rounding boundary. The time grows with the number of vertices times that of
    edges. Directed graphs are refused.

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
    import rustworkx

    refuse_directed(graphs, "the weight 'betweenness'")
    result = np.zeros(len(graphs.edges))
    u, v = graphs.edges.T
    for one in with_edges(graphs):
        rows = one.rows
        found = rustworkx.graph_edge_betweenness_centrality(
            _rustworkx_graph(u[rows], v[rows], one.n_nodes),
            # Threads would add the terms in a different order each time.
            parallel_threshold=one.n_nodes + 1,
        )
        result[rows] = np.fromiter((found[i] for i in range(len(found))), np.float64, len(found))
        if not np.isfinite(result[rows]).all():
            raise ValueError(
                f"graph {one.graph} has more than 1e308 shortest paths between two vertices; "
                "betweenness cannot count them"
            )
    return result.astype(np.float32).astype(np.float64)


def _rustworkx_graph(u: NDArray[Any], v: NDArray[Any], n: int = 0) -> Any:
    """Return a graph with at least n vertices, whose edges keep their order."""
    import rustworkx

    graph = rustworkx.PyGraph()
    graph.add_nodes_from([None] * n)
    graph.extend_from_edge_list(list(zip(u.tolist(), v.tolist(), strict=True)))
    return graph
