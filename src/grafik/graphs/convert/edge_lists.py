"""Plain lists of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set, Sized
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays.gate import checked_integers, refuse_masked
from ...arrays.offsets import offsets
from ...system.memory import refuse_what_does_not_fit
from ..validation import Fold, OnInvalid, checked_floats, label_list
from .columns import in_short

if TYPE_CHECKING:
    from ..batch import Graphs

_LAST = np.iinfo(np.int64).max - 1
_EACH = 150  # bytes that an edge list takes, besides its edges


def from_edge_lists(
    cls: type[Graphs],
    edge_lists: Iterable[ArrayLike],
    n_nodes: ArrayLike | None = None,
    *,
    node_labels: Iterable[Sequence[Any]] | None = None,
    edge_labels: Iterable[Sequence[Any]] | None = None,
    node_attributes: Iterable[ArrayLike] | None = None,
    edge_attributes: Iterable[ArrayLike] | None = None,
    node_names: Iterable[Sequence[Any]] | None = None,
    node_attribute_names: Sequence[str] | None = None,
    edge_attribute_names: Sequence[str] | None = None,
    ids: Sequence[Any] | None = None,
    directed: bool = False,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from one list of vertex pairs per graph.

    Parameters
    ----------
    edge_lists : iterable of array of int, shape (n_edges, 2)
        The pairs of joined vertices of each graph; vertices are counted from 0.
    n_nodes : sequence of int, optional
        Number of vertices of each graph. By default the number of its node labels, node
        attributes or names; without these, the largest vertex id in an edge plus one.
    node_labels, edge_labels : iterable of sequences, optional
        The labels of each graph.
    node_attributes, edge_attributes : iterable of arrays, optional
        The attributes of each graph, one row per vertex or edge.
    node_names : iterable of sequences, optional
        What the vertices of each graph are called.
    node_attribute_names, edge_attribute_names, ids, directed, on_invalid, fold
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
    if not isinstance(edge_lists, Iterable):
        raise TypeError(f"expected a list of edge lists, got {in_short(edge_lists)}")
    if isinstance(edge_lists, Sized):
        refuse_what_does_not_fit(
            _EACH * len(edge_lists),
            f"reading {len(edge_lists)} edge lists",
            "make batches of fewer graphs",
        )
    pairs = [_pairs(edges, f"graph {i}") for i, edges in enumerate(edge_lists)]
    n_edges = [len(edges) for edges in pairs]
    node_rows, edge_rows = (
        None if values is None else _one_each(values, len(pairs), name)
        for values, name in (
            (node_attributes, "node_attributes"),
            (edge_attributes, "edge_attributes"),
        )
    )
    labels = None if node_labels is None else _one_each(node_labels, len(pairs), "node_labels")
    names = None if node_names is None else _one_each(node_names, len(pairs), "node_names")
    sizes = _sizes(pairs, n_nodes, labels or node_rows or names)
    return cls(
        offsets(sizes),
        offsets(n_edges),
        np.concatenate([np.empty((0, 2), np.int64), *pairs]),
        node_labels=flat_labels(labels, sizes),
        edge_labels=flat_labels(edge_labels, n_edges, "edge_labels"),
        node_attributes=_stacked(node_rows, sizes, "node_attributes", "vertex"),
        edge_attributes=_stacked(edge_rows, n_edges, "edge_attributes", "edge"),
        node_names=flat_labels(names, sizes, "node_names"),
        node_attribute_names=node_attribute_names,
        edge_attribute_names=edge_attribute_names,
        ids=ids,
        directed=directed,
        on_invalid=on_invalid,
        fold=fold,
    )


def _pairs(edges: ArrayLike, graph: str) -> NDArray[np.int64]:
    refuse_masked(edges, f"{graph}: an edge list")
    try:
        array = np.asarray(edges)
    except ValueError:  # not all are pairs
        array = np.asarray(0)
    if array.size == 0 and array.ndim > 0:
        return np.empty((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        paired = array.ndim == 2 and array.shape[1] == 2
        if paired and array.dtype.kind in "fO":
            _refuse_floats(array, graph)
        named = paired and array.dtype.kind in "UO"
        remedy = "; number them from 0 on, or keep names: as_graphs([nx.Graph(pairs), ...])"
        raise ValueError(
            f"{graph}: an edge list must hold vertex pairs, got {in_short(edges)}"
            f"{remedy if named else ''}"
        )
    if array.min() < 0:
        at = int(np.argmax((array < 0).any(axis=1)))
        raise ValueError(f"{graph}, edge {at}: vertex ids count from 0, got {array[at].tolist()}")
    if array.max() > _LAST:
        at = int(np.argmax((array > _LAST).any(axis=1)))
        raise ValueError(f"{graph}, edge {at}: there is no such vertex, got {array[at].tolist()}")
    return array.astype(np.int64)


def _refuse_floats(pairs: NDArray[Any], graph: str) -> None:
    """Name the first edge with a fraction, NaN or infinity; without these, the first float."""
    rows = enumerate(pairs.tolist())
    floats = [(at, one) for at, pair in rows for one in pair if isinstance(one, float)]
    odd = [(at, one) for at, one in floats if not one.is_integer()]
    remedy = "correct the edge, or leave it out" if odd else "write the ids as integers"
    for at, one in (odd or floats)[:1]:
        raise ValueError(f"{graph}, edge {at}: vertex ids must be integers, got {one}; {remedy}")


def _sizes(pairs: list[NDArray[np.int64]], n_nodes: Any, per_vertex: list[Any] | None) -> list[int]:
    if n_nodes is not None:
        found = checked_integers(_one_each(n_nodes, len(pairs), "n_nodes"), "n_nodes")
        if found.min(initial=0) < 0:
            raise ValueError(f"graph {np.argmin(found)} cannot have {found.min()} vertices")
        return [int(n) for n in found]
    if per_vertex is not None:
        return [len(part) for part in per_vertex]
    return [int(edges.max(initial=-1)) + 1 for edges in pairs]


def _one_each(values: Any, n_graphs: int, name: str) -> list[Any]:
    """Return a column as a list with one entry for each graph."""
    if isinstance(values, (str, Mapping, Set)) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list with one entry for each graph, got {values!r}")
    entries = list(values)
    if len(entries) != n_graphs:
        raise ValueError(f"{name} has {len(entries)} entries for {n_graphs} graphs")
    return entries


def flat_labels(labels: Any, sizes: list[int], name: str = "node_labels") -> list[Any] | None:
    """Return the labels of all graphs in one list; each graph must have the right number."""
    if labels is None:
        return None
    given = _one_each(labels, len(sizes), name)
    for i, row in enumerate(given):
        refuse_masked(row, f"{name} of graph {i}")
    rows = [list(label_list(row, f"{name} of graph {i}")) for i, row in enumerate(given)]
    for position, (row, n) in enumerate(zip(rows, sizes, strict=True)):
        if len(row) != n:
            raise ValueError(f"graph {position} needs {n} {name}, got {len(row)}")
    return [label for row in rows for label in row]


def _stacked(
    parts: list[Any] | None, sizes: list[int], name: str, kind: str
) -> NDArray[np.float64] | None:
    """Return the attributes of all graphs, one below the other."""
    if parts is None:
        return None
    rows = []
    for position, (part, n) in enumerate(zip(parts, sizes, strict=True)):
        if n == 0 and np.size(part) == 0:
            continue
        label = f"graph {position}, {kind} {{}}".format
        checked = checked_floats(part, n, f"{name} of graph {position}", label)
        if checked is None:
            raise ValueError(f"graph {position} needs {n} {name}, got None")
        rows.append(checked)
    widths = {row.shape[1] for row in rows}
    if len(widths) > 1:
        raise ValueError(f"{name} must have equally many columns everywhere, got {sorted(widths)}")
    return np.concatenate(rows) if rows else None
