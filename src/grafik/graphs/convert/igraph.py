"""Graphs of python-igraph."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..validation import Fold, OnInvalid
from .columns import MISSING, WEIGHT, Names, Wanted, batch_columns, listed
from .directions import Directions
from .read_graphs import ReadGraph, table_of

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
    edge_label: str | None = "label",
    edge_attribute: Names = WEIGHT,
    *,
    node_attribute: Names = None,
    ids: Sequence[Any] | None = None,
    directed: bool | None = None,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from graphs of python-igraph.

    None counts as missing, because igraph writes None where a vertex or edge has no value. The
    vertex attribute ``"name"`` holds the names of vertices, where these differ.

    Parameters
    ----------
    graphs : igraph.Graph or iterable of them
    node_label, edge_label, edge_attribute, node_attribute, ids, directed, on_invalid, fold
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
    wanted = Wanted.of(node_label, edge_label, node_attribute, edge_attribute)
    directions = Directions.of(directed, fold)
    for position, graph in enumerate(items):
        directions.refuse(position, graph.is_directed(), graph.has_multiple())
    found = [
        ReadGraph(
            _names(graph),
            graph.get_edgelist(),
            graph.is_directed(),
            {name: _values(graph.vs, name) for name in wanted.names("node")},
            {name: _values(graph.es, name) for name in wanted.names("edge")},
        )
        for graph in items
    ]
    return cls(
        **batch_columns(table_of(found, directions), wanted),
        ids=ids,
        on_invalid=on_invalid,
        **directions.options(both_ways=False),
    )


def _values(sequence: Any, name: str) -> list[Any]:
    """Return an attribute of all vertices or edges of one graph."""
    if name not in sequence.attributes():
        return [MISSING] * len(sequence)
    return [MISSING if value is None else value for value in sequence[name]]


def _names(graph: Any) -> list[Any]:
    """Return what the vertices are called: by their numbers unless all have names."""
    names = _values(graph.vs, "name")
    return list(range(len(names))) if MISSING in names else names
