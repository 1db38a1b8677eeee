"""Neighbour lists of a batch of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import frozen

if TYPE_CHECKING:
    from .batch import Graphs


class Adjacency(NamedTuple):
    """All neighbour lists of a batch, one after the other (compressed sparse rows).

    Attributes
    ----------
    indptr : ndarray of int64, shape (total vertices + 1,)
        The neighbours of vertex `v` of graph `g` are those from ``indptr[node_ptr[g] + v]`` up to
        ``indptr[node_ptr[g] + v + 1]``.
    neighbors : ndarray of int32
        Local ids, sorted within each list.
    edge_ids : ndarray of int32
        Position of the edge among the edges of its graph.

    In directed graphs, neighbours are those at the other end of any edge, in or out; where edges
    lead both ways, the neighbour comes twice.
    """

    indptr: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    edge_ids: NDArray[np.int32]


def neighbour_lists(graphs: Graphs) -> Adjacency:
    """Return the neighbour lists of all vertices, built in linear time unless directed."""
    from scipy.sparse import coo_array

    n_edges = graphs.n_edges
    offset = np.repeat(graphs.node_ptr[:-1], n_edges)
    u, v = graphs.edges.T
    position = np.arange(len(u), dtype=np.int64) - np.repeat(graphs.edge_ptr[:-1], n_edges)
    # Neighbours below a vertex come first and those above it second, so each list is sorted.
    rows = np.concatenate([offset + v, offset + u])
    columns = np.concatenate([u, v])
    if graphs.directed:  # a sparse matrix would add up two edges between the same vertices
        order = np.lexsort((columns, rows))
        indptr = np.searchsorted(rows[order], np.arange(graphs.node_ptr[-1] + 1))
        ids = np.tile(position.astype(np.int32), 2)[order]
        return Adjacency(frozen(indptr.astype(np.int64)), frozen(columns[order]), frozen(ids))
    shape = (int(graphs.node_ptr[-1]), int(graphs.n_nodes.max(initial=1)))
    matrix = coo_array((np.tile(position.astype(np.int32), 2), (rows, columns)), shape).tocsr()
    return Adjacency(
        frozen(matrix.indptr.astype(np.int64)),
        frozen(matrix.indices.astype(np.int32, copy=False)),
        frozen(matrix.data),
    )
