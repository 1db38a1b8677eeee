"""The edges of a batch, in the forms that weights need."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs


class GraphEdges(NamedTuple):
    """The position of a graph in its batch, its number of vertices, and the rows of its edges."""

    graph: int
    n_nodes: int
    rows: slice


def with_edges(graphs: Graphs) -> Iterator[GraphEdges]:
    """Yield the graphs that have edges."""
    n_nodes, edge_ptr = graphs.n_nodes.tolist(), graphs.edge_ptr.tolist()
    for graph, (start, stop) in enumerate(pairwise(edge_ptr)):
        if start < stop:
            yield GraphEdges(graph, n_nodes[graph], slice(start, stop))


def ends_of(graphs: Graphs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two ends of each edge, as rows in the vertex arrays of the batch."""
    base = np.repeat(graphs.node_ptr[:-1], graphs.n_edges)
    u, v = graphs.edges.T
    return base + u, base + v
