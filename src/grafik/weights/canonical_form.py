"""Weights that tell all graphs apart: positions in the canonical form of the graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..system.optional import require
from .edges import with_edges


def canonical(graphs: Graphs) -> NDArray[np.float64]:
    r"""Position of the edge in the adjacency matrix of the canonical form (Theorem 3).

    .. math:: w(\{u, v\}) = i n - \frac{i (i - 1)}{2} + (j - i) + 1

    where :math:`i < j` are the ends in the canonical order, counted from 0: the index, counted
    from 1, in the upper triangle with its diagonal, row by row. Two graphs of equal size are
    isomorphic if and only if their edges have the same weights. In directed graphs, where edges
    lead from :math:`i` to :math:`j`, it is the index :math:`i n + j + 1` in the whole matrix.

    If vertices have labels, the canonical order sorts by them first, so graphs that are isomorphic
    only without their labels may get different weights. Edge labels are ignored. Needs igraph:
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
    for one in with_edges(graphs):
        n, rows = one.n_nodes, one.rows
        given = igraph.Graph(n=n, edges=graphs.edges[rows].tolist(), directed=graphs.directed)
        # Versions of igraph differ in the direction of a permutation: let it carry the edges along.
        given.es["row"] = range(rows.stop - rows.start)
        colours = _colours(graphs, one.graph)
        form = given.permute_vertices(given.canonical_permutation(color=colours))
        i, j = np.array(form.get_edgelist(), np.int64).T
        if not graphs.directed:
            i, j = np.minimum(i, j), np.maximum(i, j)
            j -= i * (i + 1) // 2  # places below the diagonal do not count
        result[rows][form.es["row"]] = i * n + j + 1
    return result


def _colours(graphs: Graphs, graph: int) -> list[int] | None:
    """Return the ranks of one graph's labels by hash, an order that all graphs share."""
    if graphs.node_labels is None:
        return None
    hashes = graphs.node_labels.hashes[graphs.node_ptr[graph] : graphs.node_ptr[graph + 1]]
    ranks: list[int] = np.unique(hashes, return_inverse=True)[1].tolist()
    return ranks


canonical.ordered = False  # type: ignore[attr-defined]
