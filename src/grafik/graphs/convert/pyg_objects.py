"""Data objects of PyTorch Geometric, written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...system.optional import require
from .columns import WEIGHT
from .pyg import NO_ID

if TYPE_CHECKING:
    from ..batch import Graphs


def to_pyg(self: Graphs, y: ArrayLike | None = None) -> list[Any]:
    """Return the batch as objects of PyTorch Geometric, which :meth:`from_pyg` reads back.

    ======================  =====================================================================
    here                    in each ``torch_geometric.data.Data``
    ======================  =====================================================================
    edges                   ``edge_index``; every edge in both directions, unless directed
    number of vertices      ``num_nodes``
    ``node_labels``         ``x``: integers of shape (n, 1) that count ``node_label_values``
    ``edge_labels``         ``edge_type``: integers of shape (m,) that count ``edge_label_values``
    ``node_attributes``     ``node_attributes``: float64, and ``node_attribute_names``
    ``edge_attributes``     ``edge_weight`` of shape (m,) if the only one is called ``"weight"``,
                            else ``edge_attributes``, and ``edge_attribute_names``
    ``node_names``          ``node_names``: a list
    ``ids``                 ``id``; if some are None, ``id_is_none`` says which
    ``directed``            ``directed``: True, only if they are
    ======================  =====================================================================

    Parameters
    ----------
    y : array of shape (n_graphs,) or (n_graphs, c), optional
        Targets; each graph gets its own as ``y``, of shape (1,) or (1, c).

    Returns
    -------
    list of torch_geometric.data.Data

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.csl()
    >>> graphs.to_pyg(y)[0]  # doctest: +SKIP
    Data(edge_index=[2, 164], y=[1], num_nodes=41)
    """
    torch = require("torch", "to_pyg", "grafik[neural]")
    make = require("torch_geometric.data", "to_pyg", "grafik[neural]").Data
    targets = None if y is None else np.asarray(y)
    if targets is not None and (targets.ndim not in (1, 2) or len(targets) != len(self)):
        raise ValueError(
            f"y must have shape ({len(self)},) or ({len(self)}, c), got {targets.shape}"
        )
    results = []
    for position in range(len(self)):
        columns = _pyg_columns(self, position)
        if targets is not None:
            columns["y"] = targets[position : position + 1]
        results.append(
            make(
                **{
                    # A copy, because tensors could write to what is frozen here.
                    name: torch.as_tensor(np.array(value))
                    if isinstance(value, np.ndarray)
                    else value
                    for name, value in columns.items()
                }
            )
        )
    return results


def _pyg_columns(graphs: Graphs, position: int) -> dict[str, Any]:
    """Return what one graph is written as: arrays, and plain values."""
    graph = graphs[position]
    nodes, rows = (
        slice(int(pointer[position]), int(pointer[position + 1]))
        for pointer in (graphs.node_ptr, graphs.edge_ptr)
    )
    twice = 1 if graphs.directed else 2
    pairs = graph.edges if graphs.directed else np.concatenate([graph.edges, graph.edges[:, ::-1]])
    columns: dict[str, Any] = {"edge_index": pairs.T.astype(np.int64), "num_nodes": graph.n_nodes}
    if graphs.directed:
        columns["directed"] = True
    if graphs.node_labels is not None:
        columns["x"] = graphs.node_labels.codes[nodes, np.newaxis].astype(np.int64)
        columns["node_label_values"] = list(graphs.node_labels.values)
    if graphs.edge_labels is not None:
        columns["edge_type"] = np.tile(graphs.edge_labels.codes[rows].astype(np.int64), twice)
        columns["edge_label_values"] = list(graphs.edge_labels.values)
    if graph.node_attributes is not None:
        columns["node_attributes"] = graph.node_attributes
        if graph.node_attribute_names is not None:
            columns["node_attribute_names"] = graph.node_attribute_names
    if graph.edge_attributes is not None:
        values = np.tile(graph.edge_attributes, (twice, 1))
        if graph.edge_attribute_names == (WEIGHT,):
            columns["edge_weight"] = values[:, 0]
        else:
            columns["edge_attributes"] = values
            if graph.edge_attribute_names is not None:
                columns["edge_attribute_names"] = graph.edge_attribute_names
    if graph.node_names is not None:
        columns["node_names"] = graph.node_names
    if graphs.ids is not None:
        # PyTorch Geometric forgets what is None, and batches need the same entries in all graphs.
        some = next((one for one in graphs.ids if one is not None), None)
        if some is not None:
            columns["id"] = type(some)() if graph.id is None else graph.id
        if some is None or None in graphs.ids:
            columns[NO_ID] = graph.id is None
    return columns
