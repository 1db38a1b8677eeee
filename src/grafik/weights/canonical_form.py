"""Weights that tell all graphs apart: positions in the canonical form of the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import part_of
from ..graphs.batch import Graphs
from ..system.optional import require
from .edges import with_edges

_MANY = 100  # twins that the search for a canonical form still puts in order by itself


def canonical(graphs: Graphs) -> NDArray[np.float64]:
    r"""Position of the edge in the adjacency matrix of the canonical form (Theorem 3).

    .. math:: w(\{u, v\}) = i n - \frac{i (i - 1)}{2} + (j - i) + 1

    where :math:`i < j` are the ends in the canonical order, counted from 0: the index, counted
    from 1, in the upper triangle with its diagonal, row by row. Two graphs of equal size are
    isomorphic if and only if their edges have the same weights. In directed graphs, where edges
    lead from :math:`i` to :math:`j`, it is the index :math:`i n + j + 1` in the whole matrix.

    If vertices have labels, the canonical order sorts by them first, so graphs that are isomorphic
    only without their labels may get different weights, and so may those that are isomorphic only
    without the labels of their edges. Where many vertices have the same neighbours, as the leaves
    of a star, they are put in an order beforehand, so that the search for the canonical form need
    not find one. Needs igraph: ``pip install 'grafik[canonical]'``. Fast on most graphs, but the
    worst case is exponential.

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
    result, vertex_colours = np.zeros(len(graphs.edges)), _colours(graphs)
    edge_colours = _edge_colours(graphs)
    for one in with_edges(graphs):
        n, rows = one.n_nodes, one.rows
        edges, between = graphs.edges[rows], edge_colours[rows]
        colours = vertex_colours[graphs.node_ptr[one.graph] : graphs.node_ptr[one.graph + 1]]
        pairs = edges
        if between.any():  # each edge becomes a vertex of its colour, between its ends
            middle = n + np.arange(len(edges))
            halves = (edges[:, 0], middle), (middle, edges[:, 1])
            pairs = np.concatenate([np.column_stack(half) for half in halves])
            colours = np.concatenate([colours, colours.max() + 1 + between])
        given = igraph.Graph(n=len(colours), edges=pairs.tolist(), directed=graphs.directed)
        # Versions of igraph differ in the direction of a permutation: let it carry names along.
        given.vs["old"] = range(len(colours))
        form = given.permute_vertices(given.canonical_permutation(color=colours.tolist()))
        order = np.array(form.vs["old"])
        place = np.empty(n, np.int64)
        place[order[order < n]] = np.arange(n)
        i, j = place[edges].T
        if not graphs.directed:
            i, j = np.minimum(i, j), np.maximum(i, j)
            j = j - i * (i + 1) // 2  # places below the diagonal do not count
        result[rows] = i * n + j + 1
    return result


def _edge_colours(graphs: Graphs) -> NDArray[np.int64]:
    """Rank the edges of each graph by their labels; 0 for all where a graph has only one."""
    from ..graphs.label_hashes import edge_hashes

    labels, graph = edge_hashes(graphs), part_of(graphs.edge_ptr)
    order = np.lexsort((labels, graph))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(_changes(graph[order], labels[order])) - 1
    first = graphs.edge_ptr[:-1][graphs.n_edges > 0]
    return ranks - np.repeat(ranks[order][first], graphs.n_edges[graphs.n_edges > 0])


def _colours(graphs: Graphs) -> NDArray[np.int64]:
    """Rank the vertices of each graph by label and, where there are many twins, among these.

    The order of labels is that of their hashes, which all graphs share.
    """
    from ..graphs.label_hashes import vertex_hashes

    labels, graph = vertex_hashes(graphs), part_of(graphs.node_ptr)
    among = _among_twins(graphs, labels, graph)
    many = np.bincount(graph[among > 0], minlength=len(graphs)) >= _MANY
    among[~many[graph]] = 0
    order = np.lexsort((among, labels, graph))
    new = _changes(graph[order], labels[order], among[order])
    colours = np.empty(len(order), np.int64)
    colours[order] = np.cumsum(new) - 1
    # A graph that has no vertex has no first one either.
    first = graphs.node_ptr[:-1][graphs.n_nodes > 0]
    return colours - np.repeat(colours[order][first], graphs.n_nodes[graphs.n_nodes > 0])


def _among_twins(
    graphs: Graphs, labels: NDArray[np.uint64], graph: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count up vertices of the same label that have the same neighbours, but for each other.

    To swap two of them changes nothing, so any order of them leads to the same canonical form.
    Neighbours are compared by sums of random 64-bit numbers, one for each vertex, times the label
    of the edge. Where labels of edges differ, only those that are not neighbours are found.
    """
    from ..graphs.label_hashes import arcs_along_neighbors, edge_hashes

    numbers = np.random.default_rng(0).integers(
        0, 2**64, (2, int(graphs.n_nodes.max(initial=0))), np.uint64
    )
    indptr, neighbors, _ = graphs.adjacency
    added = numbers[0][neighbors]
    own = numbers[0][np.arange(len(graph)) - graphs.node_ptr[graph]]
    arcs = arcs_along_neighbors(graphs)
    if graphs.directed:
        back = arcs % 2 == 1
        added[back] = numbers[1][neighbors[back]]
        own += numbers[1][np.arange(len(graph)) - graphs.node_ptr[graph]]
    several = np.bincount(part_of(graphs.edge_ptr), _edge_colours(graphs), len(graphs)) > 0
    between = edge_hashes(graphs)[arcs // 2] | np.uint64(1)
    added *= np.where(np.repeat(several, 2 * graphs.n_edges), between, np.uint64(1))
    own[several[graph]] = np.flatnonzero(several[graph])
    before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(added, dtype=np.uint64)])
    around = before[indptr[1:]] - before[indptr[:-1]]
    among = np.zeros(len(graph), np.int64)
    # No vertex has twins of both kinds.
    for sums in (around, around + own):
        order = np.lexsort((sums, labels, graph))
        starts = np.flatnonzero(_changes(graph[order], labels[order], sums[order]))
        sizes = np.diff(np.append(starts, len(order)))
        among[order] += np.arange(len(order)) - np.repeat(starts, sizes)
    return among


def _changes(*columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell where rows differ from the row before."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return new


canonical.ordered = False  # type: ignore[attr-defined]
