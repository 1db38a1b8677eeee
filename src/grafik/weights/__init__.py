"""Edge weights: functions that turn a batch of graphs into one number per edge.

Weights say when an edge enters a filtration: the bigger, the earlier. Isomorphic graphs get the
same weights to the last bit, in whatever order their vertices are listed. Any function that takes
:class:`grafik.Graphs` and returns one finite number per edge, in the order of ``graphs.edges``, is
a weight too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_bool, checked_integer
from ..graphs import validation as gate
from ..graphs.batch import Graphs
from ..system.optional import require

Weight: TypeAlias = Callable[[Graphs], ArrayLike]


def degree(graphs: Graphs) -> NDArray[np.float64]:
    r"""Degree of the end with more neighbours.

    .. math:: w(\{u, v\}) = \max(\deg u, \deg v)

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
    from .loops import larger_degrees

    larger: NDArray[np.float64] = larger_degrees(graphs.node_ptr, graphs.edge_ptr, graphs.edges)
    return larger


class Walks(BaseEstimator):
    r"""Number of walks between the two ends, of length at most `length`.

    .. math:: w(\{u, v\}) = \sum_{l=1}^{\lambda} (A^l)_{uv}

    This is the random walk weight :math:`w_{rw}` of the paper, and `length` its :math:`\lambda`.

    Counts are exact below 2^53. Above, floats have gaps, and equal counts that were added up along
    different ways could differ in the last bits; so they are rounded to 30 significant bits. What
    is too large for a float becomes the largest float, 1.8e308.

    Parameters
    ----------
    length : int
        Number of steps of the longest walks, at least 1.

    Examples
    --------
    A triangle with a tail; in two steps one gets around the triangle, but not along the tail:

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
        from .loops import EXACT, LARGEST, count_walks

        length = checked_integer("length", self.length, 1)
        walks: NDArray[np.float64] = count_walks(
            graphs.node_ptr, graphs.edge_ptr, *graphs.adjacency, *_inner_lists(graphs), length
        )
        large = walks >= EXACT
        with np.errstate(over="ignore"):  # the largest float may be rounded up
            walks[large] = np.minimum(_rounded(walks[large], 30), LARGEST)
        return walks


def triangles(graphs: Graphs) -> NDArray[np.float64]:
    r"""Count the triangles through the edge.

    .. math:: w(\{u, v\}) = |N(u) \cap N(v)|

    Parameters
    ----------
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)

    Examples
    --------
    Two triangles that share the edge (1, 2):

    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]])
    >>> weights.triangles(graphs).tolist()
    [1.0, 1.0, 2.0, 1.0, 1.0]
    """
    from .loops import common_neighbors

    counts: NDArray[np.int64] = common_neighbors(
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.edges,
        graphs.adjacency.indptr,
        graphs.adjacency.neighbors,
    )
    return counts.astype(np.float64)


def core(graphs: Graphs) -> NDArray[np.float64]:
    r"""Core number of the end that lies deeper.

    .. math:: w(\{u, v\}) = \max(c(u), c(v))

    where the core number :math:`c(v)` is the largest k for which `v` lies in a subgraph in which
    all vertices have at least k neighbours.

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

    found: Any = rustworkx.core_number(_rustworkx_graph(*_ends(graphs)))
    numbers = np.zeros(int(graphs.node_ptr[-1]), np.int64)
    numbers[np.fromiter(found.keys(), np.int64)] = np.fromiter(found.values(), np.int64)
    return _larger_end(graphs, numbers)


def betweenness(graphs: Graphs) -> NDArray[np.float64]:
    r"""Fraction of the shortest paths that lead over the edge.

    .. math:: w(e) = \frac{2}{n (n - 1)} \sum_{\{s, t\}} \frac{\sigma_{st}(e)}{\sigma_{st}}

    where :math:`\sigma_{st}` is the number of shortest paths from `s` to `t`, and
    :math:`\sigma_{st}(e)` the number of those over `e`: the normalised edge betweenness of
    networkx.

    The sum has fractions in it, so its last bits depend on the order of the vertices. It is rounded
    to the precision of float32: equal values stay equal, unless the sum falls within 1e-15 or so
    of where rounding turns. The time grows with the number of vertices times that of edges.

    Parameters
    ----------
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)

    Examples
    --------
    All 16 paths between the two halves of 4 vertices lead over the bridge, out of 28 pairs:

    >>> from grafik import Graphs, weights
    >>> halves = [(0, 1), (1, 2), (0, 2), (2, 3), (4, 5), (5, 6), (4, 6), (4, 7)]
    >>> graphs = Graphs.from_edge_lists([[*halves, (3, 7)]])
    >>> weights.betweenness(graphs).max().round(3)
    np.float64(0.571)
    """
    import rustworkx

    result = np.zeros(len(graphs.edges))
    u, v = graphs.edges.T
    for graph, n, rows in _with_edges(graphs):
        found = rustworkx.graph_edge_betweenness_centrality(
            _rustworkx_graph(u[rows], v[rows], n),
            # Threads would add up in another order each time.
            parallel_threshold=n + 1,
        )
        result[rows] = np.fromiter((found[i] for i in range(len(found))), np.float64, len(found))
        if not np.isfinite(result[rows]).all():
            raise ValueError(
                f"graph {graph} has more than 1e308 shortest paths between two vertices; "
                "betweenness cannot count them"
            )
    return result.astype(np.float32).astype(np.float64)


def jaccard(graphs: Graphs) -> NDArray[np.float64]:
    r"""Shared neighbours of the two ends, over all their neighbours.

    .. math:: w(\{u, v\}) = \frac{|N(u) \cap N(v)|}{|N(u) \cup N(v)|}

    Parameters
    ----------
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)

    Examples
    --------
    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]])
    >>> weights.jaccard(graphs).tolist()
    [0.25, 0.25, 0.5, 0.25, 0.25]
    """
    shared = triangles(graphs)
    # Each end is a neighbour of the other, so there are at least two neighbours.
    return shared / (_degree_sum(graphs) - shared)


def curvature(graphs: Graphs) -> NDArray[np.float64]:
    r"""Forman curvature, augmented by triangles.

    .. math:: w(\{u, v\}) = 4 - \deg u - \deg v + 3 |N(u) \cap N(v)|

    Edges inside of dense parts have large weights, bridges between hubs very negative ones.

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
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2), (2, 3)]])
    >>> weights.curvature(graphs).tolist()
    [3.0, 2.0, 2.0, 0.0]
    """
    return 4 - _degree_sum(graphs) + 3 * triangles(graphs)


class Attribute(BaseEstimator):
    """A column of the edge attributes.

    Parameters
    ----------
    column : int
        Which one, counted from 0.
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


def canonical(graphs: Graphs) -> NDArray[np.float64]:
    r"""Position of the edge in the adjacency matrix of the canonical form (Theorem 3).

    .. math:: w(\{u, v\}) = i n - \frac{i (i - 1)}{2} + (j - i) + 1

    where :math:`i < j` are the ends in the canonical order, counted from 0: the index, counted
    from 1, in the upper triangle with its diagonal, row by row. Two graphs of equal size are
    isomorphic if and only if their edges have the same weights.

    If vertices have labels, the canonical order goes by them first, so that graphs whose labels
    cannot be matched may get other weights. Edge labels play no part. Needs igraph:
    ``pip install 'grafik[canonical]'``. Fast on most graphs, but the worst case is exponential.

    Parameters
    ----------
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)

    Examples
    --------
    Two ways to write down a path, and a triangle with an isolated vertex:

    >>> from grafik import Graphs, weights
    >>> lists = [[(0, 1), (1, 2), (2, 3)], [(0, 3), (3, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]]
    >>> graphs = Graphs.from_edge_lists(lists, n_nodes=[4, 4, 4])
    >>> one, other, third = map(sorted, weights.canonical(graphs).reshape(3, 3).tolist())
    >>> one == other, one == third
    (True, False)
    """
    igraph = require("igraph", "the canonical weight", "grafik[canonical]")
    result = np.zeros(len(graphs.edges))
    for graph, n, rows in _with_edges(graphs):
        given = igraph.Graph(n=n, edges=graphs.edges[rows].tolist())
        # Versions of igraph differ in which way a permutation maps: let it carry the edges along.
        given.es["row"] = range(rows.stop - rows.start)
        form = given.permute_vertices(given.canonical_permutation(color=_colours(graphs, graph)))
        ends = np.sort(np.array(form.get_edgelist(), np.int64), axis=1)
        i, j = ends.T
        result[rows][form.es["row"]] = i * n - i * (i - 1) // 2 + (j - i) + 1
    return result


NAMES: dict[str, Weight] = {
    "degree": degree,
    "walks": Walks(),
    "triangles": triangles,
    "core": core,
    "betweenness": betweenness,
    "jaccard": jaccard,
    "curvature": curvature,
    "attribute": Attribute(),
    "canonical": canonical,
}


def compute(weight: str | Weight, graphs: Graphs) -> NDArray[np.float64]:
    """Apply a weight, and check what it returns.

    Parameters
    ----------
    weight : str or callable
        A name of :data:`NAMES`, or a callable that takes graphs and returns one number per edge.
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)
        Finite, and not shared with anything.

    Examples
    --------
    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (0, 2)], [(0, 1)]])
    >>> weights.compute("degree", graphs).tolist()
    [2.0, 2.0, 2.0, 1.0]
    >>> weights.compute(lambda graphs: graphs.edges[:, 0] == 0, graphs).tolist()
    [1.0, 1.0, 0.0, 1.0]
    >>> weights.compute("size", graphs)
    Traceback (most recent call last):
    ValueError: weight must be one of 'degree', 'walks', ..., got 'size'
    """
    if isinstance(weight, str):
        gate.checked_choice("weight", weight, tuple(NAMES))
        weight = NAMES[weight]
    if not callable(weight) or isinstance(weight, type):
        raise TypeError(f"weight must be a name, a function or a callable object, got {weight!r}")
    result = weight(graphs)
    if np.ma.is_masked(result):
        raise ValueError("a weight must return a number for every edge, got a masked array")
    try:
        given = np.asarray(result)
    except ValueError:  # rows of different lengths
        raise ValueError("a weight must return one number per edge, got nested lists") from None
    if given.dtype.kind not in "fiub":
        raise ValueError(f"a weight must return real numbers, got an array of {given.dtype}")
    if given.shape != (len(graphs.edges),):
        raise ValueError(
            f"a weight must return one number per edge, an array of shape ({len(graphs.edges)},), "
            f"got shape {given.shape}"
        )
    with np.errstate(over="ignore"):  # refused below
        values = given.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        name = gate.namer(graphs.edge_ptr, "edge")(row)
        ends = tuple(graphs.edges[row].tolist())
        raise ValueError(f"{name} {ends}: the weight must be finite, got {given[row]}")
    return values


def _with_edges(graphs: Graphs) -> Iterator[tuple[int, int, slice]]:
    """Yield position, number of vertices and rows of the edges, for each graph that has edges."""
    n_nodes, edge_ptr = graphs.n_nodes.tolist(), graphs.edge_ptr.tolist()
    for graph, (start, stop) in enumerate(pairwise(edge_ptr)):
        if start < stop:
            yield graph, n_nodes[graph], slice(start, stop)


def _ends(graphs: Graphs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two ends of each edge, as rows in the vertex arrays of the batch."""
    base = np.repeat(graphs.node_ptr[:-1], graphs.n_edges)
    u, v = graphs.edges.T
    return base + u, base + v


def _larger_end(graphs: Graphs, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    u, v = _ends(graphs)
    return np.maximum(numbers[u], numbers[v]).astype(np.float64)


def _degree_sum(graphs: Graphs) -> NDArray[np.float64]:
    u, v = _ends(graphs)
    degrees = graphs.degrees
    return (degrees[u] + degrees[v]).astype(np.float64)


def _inner_lists(graphs: Graphs) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the neighbour lists without neighbours of degree one."""
    indptr, neighbors, _ = graphs.adjacency
    rows = np.repeat(graphs.node_ptr[:-1], 2 * graphs.n_edges) + neighbors
    kept = graphs.degrees[rows] > 1
    return np.concatenate([[0], np.cumsum(kept)])[indptr], neighbors[kept]


def _rounded(values: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Round to a number of significant bits."""
    mantissa, exponent = np.frexp(values)
    rounded: NDArray[np.float64] = np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits)
    return rounded


def _rustworkx_graph(u: NDArray[Any], v: NDArray[Any], n: int = 0) -> Any:
    """Build a graph with at least n vertices, whose edges keep their order."""
    import rustworkx

    graph = rustworkx.PyGraph()
    graph.add_nodes_from([None] * n)
    graph.extend_from_edge_list(list(zip(u.tolist(), v.tolist(), strict=True)))
    return graph


def _colours(graphs: Graphs, graph: int) -> list[int] | None:
    """Rank the labels of one graph by their hashes, an order that all graphs share."""
    if graphs.node_labels is None:
        return None
    hashes = graphs.node_labels.hashes[graphs.node_ptr[graph] : graphs.node_ptr[graph + 1]]
    ranks: list[int] = np.unique(hashes, return_inverse=True)[1].tolist()
    return ranks
