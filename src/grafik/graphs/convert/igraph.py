"""Graphs of python-igraph."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.offsets import offsets
from ..validation import Fold, OnInvalid, namer
from .columns import MISSING, attribute_columns, label_column, listed, names_of, refuse_kind

if TYPE_CHECKING:
    from ..batch import Graphs


def is_igraph(item: Any) -> bool:
    """Return whether an item is a python-igraph graph, without importing igraph."""
    igraph = sys.modules.get("igraph")
    return igraph is not None and isinstance(item, igraph.Graph)


def from_igraph(
    cls: type[Graphs],
    graphs: Any,
    node_label: str | None = "label",
    edge_label: str | None = None,
    edge_attribute: str | Sequence[str] | None = None,
    *,
    node_attribute: str | Sequence[str] | None = None,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from graphs of python-igraph.

    None counts as missing, because igraph writes None where a vertex or edge has no value.

    Parameters
    ----------
    graphs : igraph.Graph or iterable of them
    node_label, edge_label, edge_attribute, node_attribute, on_invalid, fold
        As for :meth:`grafik.Graphs.from_networkx`.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> import igraph
    >>> from grafik import Graphs
    >>> Graphs.from_igraph([igraph.Graph.Ring(5), igraph.Graph.Full(4)])
    Graphs(2 graphs, 9 vertices, 11 edges)
    """
    items = listed(graphs, is_igraph, "an igraph graph")
    for position, graph in enumerate(items):
        if fold is None and (graph.is_directed() or graph.has_multiple()):
            refuse_kind(f"graph {position}", graph.is_directed())
    node_ptr = offsets([graph.vcount() for graph in items])
    edge_ptr = offsets([graph.ecount() for graph in items])
    edges = [pair for graph in items for pair in graph.get_edgelist()]
    wanted = {
        "vs": [*names_of(node_label), *names_of(node_attribute)],
        "es": [*names_of(edge_label), *names_of(edge_attribute)],
    }
    columns = {
        part: {name: [v for g in items for v in _values(getattr(g, part), name)] for name in names}
        for part, names in wanted.items()
    }
    node_name, edge_name = namer(node_ptr, "vertex"), namer(edge_ptr, "edge")
    warn = node_label != "label"
    return cls(
        node_ptr,
        edge_ptr,
        np.array(edges, np.int64).reshape(-1, 2),
        node_labels=label_column(columns["vs"], node_label, node_name, warn=warn),
        edge_labels=label_column(columns["es"], edge_label, edge_name),
        node_attributes=attribute_columns(columns["vs"], names_of(node_attribute), node_name),
        edge_attributes=attribute_columns(columns["es"], names_of(edge_attribute), edge_name),
        on_invalid=on_invalid,
        fold=fold,
    )


def _values(sequence: Any, name: str) -> list[Any]:
    """Return an attribute of all vertices or edges of one graph."""
    if name not in sequence.attributes():
        return [MISSING] * len(sequence)
    return [MISSING if value is None else value for value in sequence[name]]
