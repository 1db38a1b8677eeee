"""Adjacency matrices, sparse or dense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.offsets import offsets
from ..validation import Fold, OnInvalid
from .columns import listed, refuse_one_way
from .edge_lists import flat_labels

if TYPE_CHECKING:
    from ..batch import Graphs


def is_matrix(item: Any) -> bool:
    """Return whether an item is a SciPy sparse matrix or array, or a 2-D array of numbers."""
    if isinstance(item, np.ndarray):
        return item.ndim == 2 and item.dtype.kind in "iubf"
    return hasattr(item, "tocoo") and getattr(item, "ndim", 0) == 2


def from_scipy(
    cls: type[Graphs],
    matrices: Any,
    node_labels: Any = None,
    *,
    weighted: bool = False,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from adjacency matrices.

    Parameters
    ----------
    matrices : sparse matrix, 2-D array or iterable of them
        Square and symmetric; every nonzero entry is an edge.
    node_labels : sequence of sequences, optional
        One label per row, for each graph.
    weighted : bool
        Whether to keep the entries as an edge attribute.
    on_invalid : {"drop", "raise"}
        What to do with self loops, see :class:`grafik.Graphs`.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How the two entries of an edge become one. By default a matrix that is not symmetric is
        refused.

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
        rows, columns, found = entries(matrix, f"graph {position}")
        if fold is None:
            refuse_one_way(rows, columns, f"graph {position}", "make it symmetric")
        pairs.append(np.column_stack([rows, columns]))
        values.append(found)
    return cls(
        offsets([matrix.shape[0] for matrix in items]),
        offsets([len(pair) for pair in pairs]),
        np.concatenate([np.empty((0, 2), np.int64), *pairs]),
        node_labels=flat_labels(node_labels, [matrix.shape[0] for matrix in items]),
        edge_attributes=np.concatenate([np.empty(0), *values]) if weighted else None,
        on_invalid=on_invalid,
        fold=fold,
        _both_ways=True,
    )


def entries(
    matrix: Any, graph: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return row, column and value of all nonzero entries of a square matrix."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{graph}: an adjacency matrix must be square, got shape {matrix.shape}; "
            "for arrays of vertex pairs use Graphs.from_edge_lists"
        )
    if isinstance(matrix, np.ndarray):
        matrix = np.asarray(matrix)
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns].astype(np.float64)
    else:
        sparse = matrix.tocsr().tocoo()  # adds up entries that are stored in pieces
        there = sparse.data != 0
        rows, columns = (ids[there].astype(np.int64) for ids in (sparse.row, sparse.col))
        values = sparse.data[there].astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        at = int(np.argmin(finite))
        place = f"({rows[at]}, {columns[at]})"
        raise ValueError(f"{graph}: entry {place} must be finite, got {values[at]}")
    return rows, columns, values
