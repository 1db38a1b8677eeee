"""Graphs in the form that GraKeL takes: (graph, node labels, edge labels)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arrays.offsets import offsets
from ..labels import content
from ..validation import Fold, OnInvalid, namer
from .columns import MISSING, complete, in_short, vertex_names
from .directions import Directions
from .matrices import entries, is_matrix, weight_name

if TYPE_CHECKING:
    from ..batch import Graphs

_EMPTY = "as the dictionary is empty; leave it out, or pass None, if there are no labels"


def is_grakel_object(item: Any) -> bool:
    """Return whether an item is a GraKeL graph object, without importing GraKeL."""
    module = sys.modules.get("grakel.graph")
    return module is not None and isinstance(item, module.Graph)


def is_grakel(item: Any) -> bool:
    """Return whether an item is a GraKeL graph, or a tuple or list that starts with a graph."""
    if is_grakel_object(item):
        return True
    if not isinstance(item, (tuple, list)) or not 1 <= len(item) <= 3:
        return False
    graph, *labels = item
    if not all(column is None or isinstance(column, dict) for column in labels):
        return False
    if isinstance(graph, list):
        return all(isinstance(row, (tuple, list)) for row in graph)
    return isinstance(graph, (dict, set, frozenset)) or is_matrix(graph)


def from_grakel(
    cls: type[Graphs],
    graphs: Iterable[Any],
    *,
    edge_attribute: str | None = "auto",
    ids: Sequence[Any] | None = None,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from graphs in GraKeL's form.

    Parameters
    ----------
    graphs : iterable
        Each item is a ``grakel.Graph`` or a tuple ``(graph, node_labels, edge_labels)``, in which
        labels may be left out. The graph is an adjacency matrix, a dictionary from vertex to
        neighbours or from pair to weight, or a set or list of tuples ``(u, v)`` or
        ``(u, v, weight)``; the labels are dictionaries from vertex and from pair. With pairs, the
        keys of the node labels count as vertices too, so that isolated ones are not lost.
    edge_attribute : str or None
        What the weights of edges are called as an edge attribute; None leaves them out. By default
        they are called ``"weight"`` if any of them is not 1, and left out otherwise.
    ids : sequence, optional
        One id for each graph, see :class:`grafik.Graphs`.
    on_invalid : {"drop", "raise"}
        What to do with self loops, see :class:`grafik.Graphs`.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How opposite edges become one. By default adjacency matrices that are not symmetric are
        refused; pairs may be listed in one direction or in both.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> from grafik import Graphs
    >>> path = ({(0, 1), (1, 0), (1, 2), (2, 1)}, {0: "C", 1: "C", 2: "O"})
    >>> Graphs.from_grakel([path, ([[0, 1], [1, 0]], {0: "C", 1: "C"})])
    Graphs(2 graphs, 5 vertices, 3 edges, 2 node labels)
    """
    directions = Directions.of(None, fold)
    given = [graphs] if is_grakel_object(graphs) else graphs
    if not isinstance(given, Iterable):
        raise TypeError(f"expected graphs, got {in_short(given)}")
    items = []
    for position, item in enumerate(given):
        if not is_grakel(item):
            raise TypeError(f"graph {position} is {in_short(item)}, not a graph in GraKeL's form")
        items.append(_read(item, position, directions))
    node_ptr = offsets([len(item.node_labels) for item in items])
    edge_ptr = offsets([len(item.edges) for item in items])
    node_labels = list(chain.from_iterable(item.node_labels for item in items))
    edge_labels = list(chain.from_iterable(item.edge_labels for item in items))
    edges = np.array([pair for item in items for pair in item.edges], np.int64).reshape(-1, 2)
    weights = np.array([weight for item in items for weight in item.weights], np.float64)
    name = weight_name(edge_attribute, edges, weights)
    return cls(
        node_ptr,
        edge_ptr,
        edges,
        node_labels=complete(node_labels, "label", namer(node_ptr, "vertex"), warn=False),
        edge_labels=complete(edge_labels, "label", namer(edge_ptr, "edge"), warn=False),
        edge_attributes=None if name is None else weights,
        edge_attribute_names=None if name is None else [name],
        node_names=vertex_names(item.vertices for item in items),
        ids=ids,
        on_invalid=on_invalid,
        **directions.options(both_ways=True),
    )


class _Item(NamedTuple):
    """One graph with its vertices numbered."""

    vertices: list[Any]
    edges: list[tuple[int, int]]
    weights: list[Any]
    node_labels: list[Any]
    edge_labels: list[Any]


def _read(item: Any, position: int, directions: Directions) -> _Item:
    name = f"graph {position}"
    graph, node_labels, edge_labels = (*_parts(item), None, None)[:3]
    # An empty dictionary is one that lacks labels; only without dictionary there are none.
    labelled = isinstance(node_labels, dict), isinstance(edge_labels, dict)
    node_labels, edge_labels = node_labels or {}, edge_labels or {}
    if isinstance(graph, list) and graph and isinstance(graph[0], list):
        if len({len(row) for row in graph}) > 1:
            raise ValueError(f"{name}: the rows of its matrix have different lengths")
        graph = np.array(graph)
    if is_matrix(graph):
        rows, columns, values = entries(graph, name)
        directions.refuse_one_way(rows, columns, position, "make it symmetric")
        triples = list(zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True))
        vertices: list[Any] = list(range(graph.shape[0]))
    else:
        triples, known = _triples(graph, name)
        ends = (end for u, v, _ in triples for end in (u, v))
        vertices = _ordered({*ends, *(known or node_labels)})
    index = {vertex: number for number, vertex in enumerate(vertices)}
    for vertex in node_labels:
        if vertex not in index:
            raise ValueError(f"{name} has a label for {vertex!r}, which is not a vertex of it")
    if labelled[0]:
        for vertex in vertices:
            if vertex not in node_labels:
                others = "but others have" if node_labels else _EMPTY
                raise ValueError(f"{name}, vertex {vertex!r} has no label, {others}")
    labels = _undirected(edge_labels, {frozenset((u, v)) for u, v, _ in triples}, name)
    if labelled[1] and not edge_labels and triples:
        u, v, _ = triples[0]
        raise ValueError(f"{name}, edge ({u!r}, {v!r}) has no label, {_EMPTY}")
    # A self loop will be dropped, so it may lack a label.
    spare = None if edge_labels else MISSING
    return _Item(
        vertices,
        [(index[u], index[v]) for u, v, _ in triples],
        [_weight(triple, name) for triple in triples],
        [node_labels.get(vertex, MISSING) for vertex in vertices],
        [labels.get(frozenset((u, v)), spare if u == v else MISSING) for u, v, _ in triples],
    )


def _weight(triple: tuple[Any, Any, Any], name: str) -> float:
    u, v, weight = triple
    if not isinstance(weight, (int, float, np.integer, np.floating, np.bool_)) or not np.isfinite(
        weight
    ):
        raise ValueError(
            f"{name}, edge ({u!r}, {v!r}): a weight must be a finite number, got {weight!r}"
        )
    return float(weight)


def _parts(item: Any) -> tuple[Any, ...]:
    """Return graph, node labels and edge labels of a tuple, a list or a grakel.Graph."""
    if isinstance(item, (tuple, list)):
        return tuple(item)
    if item.edge_dictionary is not None:
        return item.edge_dictionary, item.node_labels, item.edge_labels
    return item.adjacency_matrix, item.index_node_labels, item.index_edge_labels


def _undirected(
    edge_labels: dict[Any, Any], edges: set[frozenset[Any]], name: str
) -> dict[frozenset[Any], Any]:
    """Return the label of each edge; labels of its two directions must agree."""
    labels: dict[frozenset[Any], Any] = {}
    for key, label in edge_labels.items():
        if not isinstance(key, (tuple, frozenset)) or len(key) != 2:
            raise ValueError(
                f"{name}: edge labels are by pairs of vertices, not by {in_short(key)}"
            )
        u, v = key
        pair = frozenset(key)
        if pair not in edges:
            raise ValueError(f"{name} has a label for ({u!r}, {v!r}), which is not an edge of it")
        if pair in labels and content(labels[pair]) != content(label):
            raise ValueError(
                f"{name}, edge ({u!r}, {v!r}) has the labels {labels[pair]!r} and {label!r}"
            )
        labels[pair] = label
    return labels


def _triples(graph: Any, name: str) -> tuple[list[tuple[Any, Any, Any]], list[Any]]:
    """Return the edges as (u, v, weight), and the vertices if the form lists them."""
    if isinstance(graph, dict):
        if all(isinstance(key, tuple) and len(key) == 2 for key in graph):
            return [(u, v, weight) for (u, v), weight in graph.items()], []
        triples = []
        for u, neighbours in graph.items():
            if isinstance(neighbours, str) or not isinstance(neighbours, Iterable):
                raise ValueError(
                    f"{name}, vertex {u!r}: its neighbours must be a list of vertices, or a "
                    f"dictionary of weights, got {in_short(neighbours)}"
                )
            neighbours = neighbours if isinstance(neighbours, dict) else list(neighbours)
            for v in neighbours:
                _refuse_unhashable(v, f"{name}, neighbour of {u!r}")
            weights = neighbours if isinstance(neighbours, dict) else dict.fromkeys(neighbours, 1.0)
            triples += [(u, v, weight) for v, weight in weights.items()]
        return triples, list(graph)
    # The order of a set differs between processes.
    for edge in (edges := sorted(graph, key=repr) if isinstance(graph, Set) else graph):
        if not isinstance(edge, tuple) or len(edge) not in (2, 3):
            raise ValueError(f"{name}: an edge is (u, v) or (u, v, weight), got {in_short(edge)}")
        for end in edge[:2]:
            _refuse_unhashable(end, f"{name}, edge {in_short(edge)}")
    return [(edge[0], edge[1], edge[2] if len(edge) == 3 else 1.0) for edge in edges], []


def _refuse_unhashable(vertex: Any, where: str) -> None:
    """Refuse a list, for example, which cannot be looked up."""
    try:
        hash(vertex)
    except TypeError:
        raise ValueError(f"{where}: a vertex must be hashable, got {in_short(vertex)}") from None


def _ordered(vertices: set[Any]) -> list[Any]:
    """Return vertices sorted, because the order of a set differs between processes."""
    if all(isinstance(vertex, (int, np.integer)) for vertex in vertices):
        return sorted(vertices)
    return sorted(vertices, key=lambda vertex: (type(vertex).__name__, repr(vertex)))
