"""Conversion from and to networkx graphs."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.offsets import offsets
from ...system.optional import require
from ..validation import Fold, OnInvalid
from .columns import MISSING, attribute_columns, label_column, listed, names_of, refuse_kind

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
    edge_label: str | None = None,
    edge_attribute: str | Sequence[str] | None = None,
    *,
    node_attribute: str | Sequence[str] | None = None,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from networkx graphs.

    Vertices keep the order in which networkx iterates over them.

    Parameters
    ----------
    graphs : networkx.Graph or iterable of them
    node_label, edge_label : str or None
        Attribute that holds the label. If no vertex (edge) has it, the batch has no labels; if
        only some have it, that is an error.
    edge_attribute, node_attribute : str, list of str or None
        Attributes that hold numbers, or equally long lists of numbers.
    on_invalid : {"drop", "raise"}
        What to do with self loops, see :class:`grafik.Graphs`.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How parallel or opposite edges become one. By default directed graphs and multigraphs are
        refused.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> import networkx as nx
    >>> from grafik import Graphs
    >>> water = nx.Graph([("O", "H1"), ("O", "H2")])
    >>> nx.set_node_attributes(water, {"O": 8, "H1": 1, "H2": 1}, "atomic number")
    >>> Graphs.from_networkx([water], node_label="atomic number")
    Graphs(1 graph, 3 vertices, 2 edges, 2 node labels)
    """
    items = listed(graphs, is_networkx, "a networkx graph")
    sizes, degrees, tails = array("q"), array("q"), array("i")
    node_columns = _columns(node_label, node_attribute)
    edge_columns = _columns(edge_label, edge_attribute)
    for position, graph in enumerate(items):
        index = dict(zip(graph, range(len(graph)), strict=True))
        sizes.append(len(index))
        if not graph.is_directed() and not graph.is_multigraph():
            rows = [row for _, row in graph.adjacency()]
            tails.extend(map(index.__getitem__, chain.from_iterable(rows)))
            data = [values for row in rows for values in row.values()] if edge_columns else []
        elif fold is None:
            refuse_kind(f"graph {position}", graph.is_directed())
        else:
            rows = [[] for _ in index]
            for u, v, values in graph.edges(data=True):
                low, high = sorted((index[u], index[v]))
                rows[low].append((high, values))
            tails.extend(high for row in rows for high, _ in row)
            data = [values for row in rows for _, values in row]
        degrees.extend(map(len, rows))
        for name, column in edge_columns.items():
            column.extend([values.get(name, MISSING) for values in data])
        if node_columns:
            vertices = [values for _, values in graph.nodes(data=True)]
            for name, column in node_columns.items():
                column.extend([values.get(name, MISSING) for values in vertices])

    node_ptr, row_ptr = offsets(sizes), offsets(degrees)
    local = np.arange(node_ptr[-1]) - np.repeat(node_ptr[:-1], np.diff(node_ptr))
    u, v = np.repeat(local, np.diff(row_ptr)), np.frombuffer(tails, np.int32)
    once = u <= v  # an undirected networkx graph shows each edge from both of its ends
    edge_ptr = offsets(once)[row_ptr[node_ptr]]
    edges = np.column_stack([u[once], v[once]])
    edge_columns = {name: list(compress(values, once)) for name, values in edge_columns.items()}

    def node_name(row: int) -> str:
        graph = int(np.searchsorted(node_ptr, row, "right")) - 1
        return f"graph {graph}, vertex {list(items[graph])[row - node_ptr[graph]]!r}"

    def edge_name(row: int) -> str:
        graph = int(np.searchsorted(edge_ptr, row, "right")) - 1
        nodes = list(items[graph])
        return f"graph {graph}, edge ({nodes[edges[row, 0]]!r}, {nodes[edges[row, 1]]!r})"

    return cls(
        node_ptr,
        edge_ptr,
        edges,
        node_labels=label_column(node_columns, node_label, node_name, warn=node_label != "label"),
        edge_labels=label_column(edge_columns, edge_label, edge_name),
        node_attributes=attribute_columns(node_columns, names_of(node_attribute), node_name),
        edge_attributes=attribute_columns(edge_columns, names_of(edge_attribute), edge_name),
        on_invalid=on_invalid,
        fold=fold,
        _node_name=node_name,
        _edge_name=edge_name,
    )


def _columns(label: str | None, attribute: str | Sequence[str] | None) -> dict[str, list[Any]]:
    return {name: [] for name in [*names_of(label), *names_of(attribute)]}


def to_networkx(
    self: Graphs,
    node_label: str = "label",
    edge_label: str = "label",
    node_attribute: str = "attribute",
    edge_attribute: str = "attribute",
) -> list[Any]:
    """Return the batch as networkx graphs with vertices 0, 1, ...

    Parameters
    ----------
    node_label, edge_label : str
        Names of the attributes that will hold the labels, if there are any.
    node_attribute, edge_attribute : str
        Names of the attributes that will hold the numbers, if there are any: a float if there is
        one column, else a tuple.

    Returns
    -------
    list of networkx.Graph

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.triangle_pair()
    >>> graphs.to_networkx()[0].degree(0)
    3
    """
    networkx = require("networkx", "to_networkx", "networkx")
    results = []
    for graph in self:
        result = networkx.empty_graph(graph.n_nodes)
        pairs = graph.edges.tolist()
        result.add_edges_from(pairs)
        for name, values in (
            (node_label, graph.node_labels),
            (node_attribute, _values(graph.node_attributes)),
        ):
            if values is not None:
                networkx.set_node_attributes(result, dict(enumerate(values)), name)
        for name, values in (
            (edge_label, graph.edge_labels),
            (edge_attribute, _values(graph.edge_attributes)),
        ):
            if values is not None:
                ends = map(tuple, pairs)
                networkx.set_edge_attributes(result, dict(zip(ends, values, strict=True)), name)
        results.append(result)
    return results


def _values(attributes: NDArray[np.float64] | None) -> list[Any] | None:
    if attributes is None or attributes.shape[1] == 1:
        return None if attributes is None else attributes[:, 0].tolist()
    return [tuple(row) for row in attributes.tolist()]
