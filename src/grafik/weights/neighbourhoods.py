"""Weights by the neighbours that the two ends of an edge share: triangles, jaccard, curvature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from ..system.threads import watched
from .edges import ends_of


def triangles(graphs: Graphs) -> NDArray[np.float64]:
    r"""Count the triangles through the edge.

    .. math:: w(\{u, v\}) = |N(u) \cap N(v)|

    Directed graphs are refused.

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
    refuse_directed(graphs, "the weight 'triangles'")
    return _triangles(graphs)


def _triangles(graphs: Graphs) -> NDArray[np.float64]:
    from .neighbourhoods_loops import common_neighbors

    counts = np.zeros(len(graphs.edges))
    batch = graphs.node_ptr, graphs.edge_ptr, graphs.edges, graphs.adjacency
    watched(lambda flag: common_neighbors(*batch, counts, flag))
    return counts


def jaccard(graphs: Graphs) -> NDArray[np.float64]:
    r"""Shared neighbours of the two ends, over all their neighbours.

    .. math:: w(\{u, v\}) = \frac{|N(u) \cap N(v)|}{|N(u) \cup N(v)|}

    Directed graphs are refused.

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
    refuse_directed(graphs, "the weight 'jaccard'")
    shared = _triangles(graphs)
    # Each end is a neighbour of the other, so there are at least two neighbours.
    return shared / (_degree_sum(graphs) - shared)


def curvature(graphs: Graphs) -> NDArray[np.float64]:
    r"""Forman curvature, augmented by triangles.

    .. math:: w(\{u, v\}) = 4 - \deg u - \deg v + 3 |N(u) \cap N(v)|

    Edges inside dense parts have large weights, bridges between hubs very negative ones. Directed
    graphs are refused.

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
    refuse_directed(graphs, "the weight 'curvature'")
    return 4 - _degree_sum(graphs) + 3 * _triangles(graphs)


def _degree_sum(graphs: Graphs) -> NDArray[np.float64]:
    u, v = ends_of(graphs)
    degrees = graphs.degrees
    return (degrees[u] + degrees[v]).astype(np.float64)
