"""Batches of graphs as tensors: one-hot labels, edges, levels, and the graph of each vertex."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ..arrays.offsets import offsets, part_of, ranges
from ..graphs.batch import Graphs
from ..graphs.labelling import Labelling

_STRANGE = -1  # the column of a label that was not seen in training


class Encoded(NamedTuple):
    """Graphs from which batches are made.

    Attributes
    ----------
    graphs : Graphs
    levels : ndarray of int32
        The level at which each edge enters.
    columns : ndarray of int64
        The column of each vertex's label; -1 if it was not seen in training.
    n_columns : int
    directed : bool
        Whether the network tells directions apart.
    """

    graphs: Graphs
    levels: NDArray[np.int32]
    columns: NDArray[np.int64]
    n_columns: int
    directed: bool

    def batch(self, positions: NDArray[np.intp]) -> tuple[Any, Any, Any, Any, int]:
        """Return some graphs as :class:`grafik.neural.FiltrationGIN` takes them."""
        graphs = self.graphs
        node_ptr = offsets(graphs.n_nodes[positions])
        edge_ptr = offsets(graphs.n_edges[positions])
        vertices = ranges(graphs.node_ptr[positions], node_ptr)
        rows = ranges(graphs.edge_ptr[positions], edge_ptr)
        edges = (graphs.edges[rows] + node_ptr[part_of(edge_ptr), np.newaxis]).T
        levels = self.levels[rows].astype(np.int64)
        if not self.directed:
            edges, levels = np.hstack([edges, edges[::-1]]), np.tile(levels, 2)
        columns = self.columns[vertices]
        x = torch.zeros(len(columns), self.n_columns)
        known = np.flatnonzero(columns != _STRANGE)
        x[torch.as_tensor(known), torch.as_tensor(columns[known])] = 1.0
        graph_of = torch.as_tensor(part_of(node_ptr))
        return x, torch.as_tensor(edges), torch.as_tensor(levels), graph_of, len(positions)


def n_columns_of(labelling: Labelling) -> int:
    """Return how many features vertices have: one for each label, or 1 without labels."""
    return 1 if labelling.vertices is None else max(len(labelling.vertices.hashes), 1)


def label_columns(graphs: Graphs, labelling: Labelling) -> NDArray[np.int64]:
    """Return the column of each vertex's label: its place among the hashes of training labels.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.graphs.labelling import Labelling
    >>> from grafik.neural.batches import label_columns
    >>> train = Graphs.from_edge_lists([[(0, 1)]], node_labels=[["C", "O"]])
    >>> new = Graphs.from_edge_lists([[(0, 1)]], node_labels=[["O", "Fe"]])
    >>> sorted(label_columns(train, Labelling.of(train)))
    [np.int64(0), np.int64(1)]
    >>> label_columns(new, Labelling.of(train))[1]
    np.int64(-1)
    """
    hashes = None if labelling.vertices is None else labelling.vertices.hashes
    if hashes is None or not len(hashes) or graphs.node_labels is None:
        return np.zeros(int(graphs.node_ptr[-1]), np.int64)
    own = graphs.node_labels.hashes
    places = np.minimum(np.searchsorted(hashes, own), len(hashes) - 1)
    return np.where(hashes[places] == own, places, _STRANGE)
