"""Plain lists of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .columns import offsets, shown

if TYPE_CHECKING:
    from ..graphs import Graphs


def from_edge_lists(
    cls: type[Graphs],
    edge_lists: Iterable[ArrayLike],
    n_nodes: Sequence[int] | None = None,
    *,
    node_labels: Iterable[Sequence[Any]] | None = None,
    edge_labels: Iterable[Sequence[Any]] | None = None,
    node_attributes: Iterable[ArrayLike] | None = None,
    edge_attributes: Iterable[ArrayLike] | None = None,
    on_invalid: str = "drop",
    fold: str | None = None,
) -> Graphs:
    """Build a batch from one list of vertex pairs per graph.

    Parameters
    ----------
    edge_lists : iterable of array of int, shape (n_edges, 2)
        For each graph the pairs of vertices that are joined, counted from 0.
    n_nodes : sequence of int, optional
        Number of vertices of each graph. By default as many as there are node labels or node
        attributes, or else up to the largest vertex that has an edge.
    node_labels, edge_labels : iterable of sequences, optional
        For each graph its labels.
    node_attributes, edge_attributes : iterable of arrays, optional
        For each graph its attributes, one row per vertex or edge.
    on_invalid, fold
        See :class:`grafik.Graphs`.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> from grafik import Graphs
    >>> Graphs.from_edge_lists([[(0, 1), (1, 2)], []], n_nodes=[3, 1])
    Graphs(2 graphs, 4 vertices, 2 edges)
    """
    pairs = [_pairs(edges, f"graph {i}") for i, edges in enumerate(edge_lists)]
    columns = {
        "node_labels": node_labels,
        "edge_labels": edge_labels,
        "node_attributes": node_attributes,
        "edge_attributes": edge_attributes,
    }
    per_graph = {
        name: None if values is None else _one_each(list(values), len(pairs), name)
        for name, values in columns.items()
    }
    sizes = _sizes(pairs, n_nodes, per_graph)
    for name, parts in per_graph.items():
        wanted = sizes if name.startswith("node") else [len(edges) for edges in pairs]
        for position, (part, n) in enumerate(zip(parts or [], wanted, strict=bool(parts))):
            if len(part) != n:
                raise ValueError(f"graph {position} needs {n} {name}, got {len(part)}")
    return cls(
        offsets(sizes),
        offsets([len(edges) for edges in pairs]),
        np.concatenate([np.empty((0, 2), np.int64), *pairs]),
        node_labels=_chained(per_graph["node_labels"]),
        edge_labels=_chained(per_graph["edge_labels"]),
        node_attributes=_stacked(per_graph["node_attributes"], "node_attributes"),
        edge_attributes=_stacked(per_graph["edge_attributes"], "edge_attributes"),
        on_invalid=on_invalid,
        fold=fold,
    )


def _pairs(edges: ArrayLike, graph: str) -> np.ndarray[Any, Any]:
    try:
        array = np.asarray(edges)
    except ValueError:
        array = np.asarray(0)
    if array.size == 0 and array.ndim > 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(f"{graph}: an edge list is pairs of vertex ids, got {shown(edges)}")
    if array.min() < 0:
        at = int(np.argmax((array < 0).any(axis=1)))
        raise ValueError(f"{graph}, edge {at}: vertex ids count from 0, got {array[at].tolist()}")
    return array.astype(np.int64)


def _sizes(
    pairs: list[Any], n_nodes: Sequence[int] | None, columns: dict[str, list[Any] | None]
) -> list[int]:
    if n_nodes is not None:
        return [int(n) for n in _one_each(list(n_nodes), len(pairs), "n_nodes")]
    told = columns["node_labels"] or columns["node_attributes"]
    if told is not None:
        return [len(part) for part in told]
    return [int(edges.max(initial=-1)) + 1 for edges in pairs]


def _one_each(values: list[Any], n_graphs: int, name: str) -> list[Any]:
    if len(values) != n_graphs:
        raise ValueError(f"{name} has {len(values)} entries for {n_graphs} graphs")
    return values


def _chained(parts: list[Any] | None) -> list[Any] | None:
    return None if parts is None else [value for part in parts for value in part]


def _stacked(parts: list[Any] | None, name: str) -> Any:
    if parts is None:
        return None
    rows = [np.asarray(part, float).reshape(len(part), -1) for part in parts if len(part)]
    widths = {row.shape[1] for row in rows}
    if len(widths) > 1:
        raise ValueError(f"{name} must have as many columns in every graph, got {sorted(widths)}")
    return np.concatenate(rows) if rows else None
