"""Conversion from and to networkx graphs."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays.offsets import offsets
from ...system.optional import require
from ..labels import Label
from ..validation import Fold, OnInvalid
from .columns import MISSING, WEIGHT, Names, Table, Wanted, batch_columns, listed, names_of
from .directions import Directions

if TYPE_CHECKING:
    from ..batch import Graphs


def is_networkx(item: Any) -> bool:
    """Return whether an item is a networkx graph of any kind, without importing networkx."""
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(item, networkx.Graph)


def from_networkx(
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
    """Build a batch from networkx graphs.

    Vertices keep the order in which networkx iterates over them, and their names, unless these are
    the numbers 0, 1, ... in order. Names that are no labels become text.

    Parameters
    ----------
    graphs : networkx.Graph or iterable of them
    node_label, edge_label : str or None
        Attribute that holds the label; None reads none. If no vertex (edge) has it, the batch has
        no labels; if only some have it, that is an error.
    edge_attribute, node_attribute : str, list of str or None
        Attributes that hold numbers, or equally long lists of numbers; None reads none. By default
        edges have the attribute ``"weight"``, if all of them do.
    ids : sequence, optional
        One id for each graph, see :class:`grafik.Graphs`.
    directed : bool or None
        Whether directions are kept or forgotten. By default directed graphs are refused. Where
        they are kept, the edges of an undirected graph lead both ways.
    on_invalid : {"drop", "raise"}
        What to do with self loops, see :class:`grafik.Graphs`.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How parallel edges become one, or opposite ones if directions are forgotten, which is then
        the default. Without `fold`, multigraphs are refused, and opposite edges must agree.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> import networkx as nx
    >>> from grafik import Graphs
    >>> water = nx.Graph([("O", "H1"), ("O", "H2")])
    >>> nx.set_node_attributes(water, {"O": 8, "H1": 1, "H2": 1}, "atomic number")
    >>> graphs = Graphs.from_networkx([water], node_label="atomic number")
    >>> graphs
    Graphs(1 graph, 3 vertices, 2 edges, 2 node labels)
    >>> graphs[0].node_names
    ['O', 'H1', 'H2']

    A road network with the lengths of roads:

    >>> roads = nx.Graph()
    >>> roads.add_weighted_edges_from([("Bonn", "Siegburg", 12.0), ("Bonn", "Bornheim", 10.5)])
    >>> graphs = Graphs.from_networkx(roads)
    >>> graphs.edge_attribute_names, graphs.edge_attributes.tolist()
    (('weight',), [[12.0], [10.5]])
    """
    items = listed(graphs, is_networkx, "a networkx graph")
    wanted = Wanted.of(node_label, edge_label, node_attribute, edge_attribute)
    directions = Directions.of(directed, fold)
    sizes, degrees, tails, twice = array("q"), array("q"), array("i"), array("b")
    node_columns: dict[str, list[Any]] = {name: [] for name in wanted.names("node")}
    edge_columns: dict[str, list[Any]] = {name: [] for name in wanted.names("edge")}
    for position, graph in enumerate(items):
        is_directed, is_multigraph = graph.is_directed(), graph.is_multigraph()
        directions.refuse(position, is_directed, is_multigraph)
        index = dict(zip(graph, range(len(graph)), strict=True))
        sizes.append(len(index))
        # An undirected networkx graph shows each edge from both of its ends.
        twice.append(not is_directed and not directed)
        rows = [row for _, row in graph.adjacency()]
        if is_multigraph:
            heads = [[index[v] for v, edges in row.items() for _ in edges] for row in rows]
            tails.extend(chain.from_iterable(heads))
            degrees.extend(map(len, heads))
            data = [values for row in rows for edges in row.values() for values in edges.values()]
        else:
            tails.extend(map(index.__getitem__, chain.from_iterable(rows)))
            degrees.extend(map(len, rows))
            data = [values for row in rows for values in row.values()] if edge_columns else []
        for name, column in edge_columns.items():
            column.extend([values.get(name, MISSING) for values in data])
        if node_columns:
            vertices = [values for _, values in graph.nodes(data=True)]
            for name, column in node_columns.items():
                column.extend([values.get(name, MISSING) for values in vertices])

    node_ptr, row_ptr = offsets(sizes), offsets(degrees)
    local = np.arange(node_ptr[-1]) - np.repeat(node_ptr[:-1], np.diff(node_ptr))
    u, v = np.repeat(local, np.diff(row_ptr)), np.frombuffer(tails, np.int32)
    graph_ptr = row_ptr[node_ptr]
    once = (u <= v) | np.repeat(np.frombuffer(twice, np.int8) == 0, np.diff(graph_ptr))
    edge_columns = {name: list(compress(values, once)) for name, values in edge_columns.items()}
    table = Table(
        node_ptr,
        offsets(once)[graph_ptr],
        np.column_stack([u[once], v[once]]),
        node_columns,
        edge_columns,
        lambda graph: list(items[graph]),
    )
    return cls(
        **batch_columns(table, wanted),
        ids=ids,
        on_invalid=on_invalid,
        **directions.options(both_ways=False),
    )


def to_networkx(
    self: Graphs,
    node_label: str = "label",
    edge_label: str = "label",
    node_attribute: Names = None,
    edge_attribute: Names = None,
    *,
    names: bool = True,
) -> list[Any]:
    """Return the batch as networkx graphs.

    Directed graphs become ``networkx.DiGraph``. An id goes to ``graph.graph["id"]``.

    Parameters
    ----------
    node_label, edge_label : str
        Names of the attributes that will hold the labels, if there are any.
    node_attribute, edge_attribute : str or list of str, optional
        Names of the attributes that will hold the numbers, if there are any: one for each column,
        or one for all, which holds a tuple if there are several. By default the names that the
        batch has for its columns, else ``"attribute"``.
    names : bool
        Whether vertices are called by their names, if they have any; else by 0, 1, ...

    Returns
    -------
    list of networkx.Graph or networkx.DiGraph

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.triangle_pair()
    >>> graphs.to_networkx()[0].degree(0)
    3
    """
    networkx = require("networkx", "to_networkx", "networkx")
    columns = {
        kind: _written_columns(self, kind, label, chosen)
        for kind, label, chosen in (
            ("node", node_label, node_attribute),
            ("edge", edge_label, edge_attribute),
        )
    }
    results = []
    for position, graph in enumerate(self):
        result = networkx.DiGraph() if self.directed else networkx.Graph()
        own = graph.node_names if names else None
        vertices = _hashable(own, position) if own is not None else list(range(graph.n_nodes))
        result.add_nodes_from(vertices)
        pairs = [(vertices[u], vertices[v]) for u, v in graph.edges.tolist()]
        result.add_edges_from(pairs)
        for kind, items, put in (
            ("node", vertices, networkx.set_node_attributes),
            ("edge", pairs, networkx.set_edge_attributes),
        ):
            pointer = getattr(self, f"{kind}_ptr")
            start, stop = int(pointer[position]), int(pointer[position + 1])
            for name, values in columns[kind].items():
                put(result, dict(zip(items, values[start:stop], strict=True)), name)
        if self.ids is not None:
            result.graph["id"] = graph.id
        results.append(result)
    return results


def _written_columns(graphs: Graphs, kind: str, label: str, chosen: Names) -> dict[str, list[Any]]:
    """Return the attributes of all vertices or edges by the names that they will have."""
    labels, values = getattr(graphs, f"{kind}_labels"), getattr(graphs, f"{kind}_attributes")
    columns: dict[str, list[Any]] = {} if labels is None else {label: list(labels)}
    if values is None:
        return columns
    names = names_of(chosen) or list(getattr(graphs, f"{kind}_attribute_names") or ["attribute"])
    if len(names) not in (1, values.shape[1]) or len(set(names)) < len(names):
        raise ValueError(
            f"{kind}_attribute must be one name, or {values.shape[1]} different ones, got {names}"
        )
    if set(names) & set(columns):
        raise ValueError(
            f"the {kind} labels and a {kind} attribute would both be called {label!r}; "
            f"pass another {kind}_label"
        )
    if len(names) < values.shape[1]:
        return {**columns, names[0]: [tuple(row) for row in values.tolist()]}
    return {**columns, **dict(zip(names, values.T.tolist(), strict=True))}


def _hashable(names: list[Label], position: int) -> list[Label]:
    """Return names of vertices, which networkx must tell apart."""
    if None in names or len(set(names)) < len(names):
        same = next(name for i, name in enumerate(names) if name is None or name in names[:i])
        raise ValueError(
            f"graph {position}: networkx cannot have {same!r} among the names of its vertices, "
            "as it takes 1, 1.0 and True for one name, and None for none; pass names=False"
        )
    return names
