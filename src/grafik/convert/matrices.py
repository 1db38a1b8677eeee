"""Adjacency matrices, sparse or dense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .columns import FOLD_HINT, listed, offsets, shown

if TYPE_CHECKING:
    from ..graphs import Graphs


def is_matrix(item: Any) -> bool:
    """Tell a SciPy sparse matrix, a SciPy sparse array or a NumPy matrix of numbers."""
    if isinstance(item, np.ndarray):
        return item.ndim == 2 and item.dtype.kind in "iubf"
    return hasattr(item, "tocoo") and getattr(item, "ndim", 0) == 2


def from_scipy(
    cls: type[Graphs],
    matrices: Any,
    node_labels: Any = None,
    *,
    weighted: bool = False,
    on_invalid: str = "drop",
    fold: str | None = None,
) -> Graphs:
    """Build a batch from adjacency matrices.

    Parameters
    ----------
    matrices : sparse matrix, 2-D array or iterable of them
        Square and symmetric; every entry other than zero is an edge.
    node_labels : sequence of sequences, optional
        For each graph one label per row.
    weighted : bool
        Whether to keep the entries as edge attribute.
    on_invalid : {"drop", "raise"}
        What to do with self loops, see :class:`grafik.Graphs`.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How opposite edges become one. By default a matrix that is not symmetric is refused.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> from scipy.sparse import diags_array
    >>> from grafik import Graphs
    >>> path = diags_array([1.0, 1.0], offsets=[-1, 1], shape=(4, 4))
    >>> Graphs.from_scipy([path, path @ path])
    Graphs(2 graphs, 8 vertices, 5 edges)
    """
    items = listed(matrices, is_matrix, "an adjacency matrix")
    pairs, values = [], []
    for position, matrix in enumerate(items):
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(
                f"graph {position}: an adjacency matrix must be square, got shape {matrix.shape}; "
                "for arrays of vertex pairs there is Graphs.from_edge_lists"
            )
        rows, columns, found = entries(matrix)
        if not np.isfinite(found).all():
            at = int(np.argmin(np.isfinite(found)))
            raise ValueError(
                f"graph {position}: entry ({rows[at]}, {columns[at]}) must be finite, "
                f"got {found[at]}"
            )
        if fold is None and (way := one_way(rows, columns)) is not None:
            raise ValueError(
                f"graph {position} is directed: it has an edge from {way[0]} to {way[1]} and none "
                f"back; make it symmetric, {FOLD_HINT}"
            )
        pairs.append(np.column_stack([rows, columns]))
        values.append(found)
    return cls(
        offsets([matrix.shape[0] for matrix in items]),
        offsets([len(pair) for pair in pairs]),
        np.concatenate([np.empty((0, 2), np.int64), *pairs]),
        node_labels=None if node_labels is None else flat_labels(node_labels, items),
        edge_attributes=np.concatenate([np.empty(0), *values]) if weighted else None,
        on_invalid=on_invalid,
        fold=fold,
        _both_ways=True,
    )


def one_way(u: NDArray[Any], v: NDArray[Any]) -> tuple[int, int] | None:
    """Return an edge that is not listed in the other direction too, if there is one."""
    width = int(max(u.max(initial=0), v.max(initial=0))) + 1
    there, back = u.astype(np.int64) * width + v, v.astype(np.int64) * width + u
    alone = np.setdiff1d(there, back)
    return None if len(alone) == 0 else divmod(int(alone[0]), width)


def flat_labels(node_labels: Any, items: list[Any]) -> list[Any]:
    """Put the labels of all graphs one after the other, if there are as many as vertices."""
    rows = [list(labels) for labels in node_labels]
    if len(rows) != len(items):
        raise ValueError(f"node_labels has {len(rows)} entries for {len(items)} graphs")
    for position, (row, item) in enumerate(zip(rows, items, strict=True)):
        if len(row) != item.shape[0]:
            raise ValueError(
                f"graph {position} has {item.shape[0]} vertices, "
                f"but its node_labels are {len(row)}: {shown(row)}"
            )
    return [label for row in rows for label in row]


def entries(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Return row, column and value of all entries other than zero."""
    if isinstance(matrix, np.ndarray):
        rows, columns = np.nonzero(matrix)
        return rows, columns, matrix[rows, columns]
    sparse = matrix.tocsr().tocoo()  # adds up what is stored in several pieces
    there = sparse.data != 0
    rows, columns = (ids[there].astype(np.int64) for ids in (sparse.row, sparse.col))
    return rows, columns, sparse.data[there]
