"""Graphs of rustworkx, whose vertices and edges carry any Python object."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..labels import content
from ..validation import Fold, OnInvalid
from .columns import MISSING, WEIGHT, Names, Wanted, batch_columns, listed
from .directions import Directions
from .read_graphs import ReadGraph, table_of

if TYPE_CHECKING:
    from ..batch import Graphs

LabelOf: TypeAlias = str | Callable[[Any], Any] | None

# Where vertices have their names: by custom, and in graphs that rustworkx made of networkx graphs.
_NAME_KEYS = ("name", "__networkx_node__")


def is_rustworkx(item: Any) -> bool:
    """Return whether an item is a rustworkx graph, without importing rustworkx."""
    rustworkx = sys.modules.get("rustworkx")
    return rustworkx is not None and isinstance(item, (rustworkx.PyGraph, rustworkx.PyDiGraph))


def from_rustworkx(
    cls: type[Graphs],
    graphs: Any,
    node_label: LabelOf = "label",
    edge_label: LabelOf = "label",
    edge_attribute: Names = WEIGHT,
    *,
    node_attribute: Names = None,
    ids: Sequence[Any] | None = None,
    directed: bool | None = None,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from graphs of rustworkx.

    A payload that is a dictionary holds attributes by name, as in networkx; ``"name"`` is the name
    of a vertex. A payload that is a number is the attribute of its edge (or vertex, if one is asked
    for). Any other payload of a vertex is its name.

    Parameters
    ----------
    graphs : rustworkx.PyGraph, rustworkx.PyDiGraph or iterable of them
    node_label, edge_label : str, callable or None
        Key of the label in dictionaries, or a function that returns the label for a payload.
    edge_attribute, node_attribute, ids, directed, on_invalid, fold
        As for :meth:`grafik.Graphs.from_networkx`.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> import rustworkx as rx
    >>> from grafik import Graphs
    >>> triangle = rx.PyGraph()
    >>> _ = triangle.add_nodes_from(["C", "C", "O"])
    >>> _ = triangle.add_edges_from([(0, 1, 1.0), (1, 2, 2.0), (2, 0, 1.0)])
    >>> graphs = Graphs.from_rustworkx(triangle, node_label=str)
    >>> graphs
    Graphs(1 graph, 3 vertices, 3 edges, 2 node labels, 1 edge attribute)
    >>> graphs.edge_attributes.tolist()
    [[1.0], [1.0], [2.0]]
    """
    items = listed(graphs, is_rustworkx, "a rustworkx graph")
    functions = {
        f"{kind}_label": label
        for kind, label in (("node", node_label), ("edge", edge_label))
        if callable(label)
    }
    wanted = Wanted.of(
        "payload" if callable(node_label) else node_label,
        "payload" if callable(edge_label) else edge_label,
        node_attribute,
        edge_attribute,
    )
    directions = Directions.of(directed, fold)
    found = []
    for position, graph in enumerate(items):
        is_directed = hasattr(graph, "in_degree")
        directions.refuse(position, is_directed, graph.has_parallel_edges())
        indices = list(graph.node_indices())
        place = {index: number for number, index in enumerate(indices)}
        payloads = graph.nodes()
        node_columns, edge_columns = (
            {
                name: _values(
                    every,
                    name,
                    functions.get(f"{kind}_label") if name == "payload" else None,
                    name in getattr(wanted, f"{kind}_attribute"),
                )
                for name in wanted.names(kind)
            }
            for kind, every in (("node", payloads), ("edge", graph.edges()))
        )
        used = "node_label" in functions or bool(wanted.node_attribute)
        names = _names(payloads, indices, None if used else position)
        edges = [(place[u], place[v]) for u, v in graph.edge_list()]
        found.append(ReadGraph(names, edges, is_directed, node_columns, edge_columns))
    return cls(
        **batch_columns(table_of(found, directions), wanted),
        ids=ids,
        on_invalid=on_invalid,
        **directions.options(both_ways=False),
    )


def _values(
    payloads: list[Any], name: str, function: Callable[[Any], Any] | None, number: bool
) -> list[Any]:
    """Return what payloads hold under a name, or what a function finds in them."""
    if function is not None:
        return [function(payload) for payload in payloads]
    return [
        payload.get(name, MISSING)
        if isinstance(payload, dict)
        else payload
        if number and _is_number(payload)
        else MISSING
        for payload in payloads
    ]


def _is_number(payload: Any) -> bool:
    return isinstance(payload, (int, float, np.number)) and not isinstance(payload, bool)


def _names(payloads: list[Any], indices: list[int], position: int | None) -> list[Any]:
    """Return what vertices are called: by their payloads if these are names, else by numbers.

    Plain payloads of the graph at `position` are names; None if they are something else.
    """
    if payloads and all(isinstance(payload, dict) for payload in payloads):
        for key in _NAME_KEYS:
            if all(key in payload for payload in payloads):
                return [payload[key] for payload in payloads]
        return indices
    if position is None:
        return indices
    first: dict[bytes, int] = {}
    for number, payload in enumerate(payloads):
        try:
            written = content(payload)
        except ValueError:
            return indices
        if payload is None:
            return indices
        other = first.setdefault(written, number)
        if other < number:
            raise ValueError(
                f"graph {position}, vertices {indices[other]} and {indices[number]} have the same "
                f"payload {payload!r}, so payloads are no names; if they are labels, read "
                "them with as_graphs(graphs, node_label=str), or another function from payload to "
                "label"
            )
    return payloads
