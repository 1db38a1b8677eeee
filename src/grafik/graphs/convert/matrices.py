"""Adjacency matrices, sparse or dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays.gate import refuse_masked
from ...arrays.offsets import offsets
from ..validation import Fold, OnInvalid
from .columns import WEIGHT, listed
from .directions import Directions
from .edge_lists import flat_labels

if TYPE_CHECKING:
    from ..batch import Graphs

_KINDS = "iubf"  # of numbers that entries may be


def is_matrix(item: Any) -> bool:
    """Return whether an item is a SciPy sparse matrix or array, or a 2-D array of numbers."""
    if isinstance(item, np.ndarray):
        return item.ndim == 2 and item.dtype.kind in _KINDS
    return hasattr(item, "tocoo") and getattr(item, "ndim", 0) == 2


def from_scipy(
    cls: type[Graphs],
    matrices: Any,
    node_labels: Any = None,
    edge_attribute: str | None = "auto",
    *,
    ids: Sequence[Any] | None = None,
    directed: bool | None = None,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from adjacency matrices.

    Parameters
    ----------
    matrices : sparse matrix, 2-D array or iterable of them
        Square and symmetric; every nonzero entry is an edge, from its row to its column if
        directions are kept.
    node_labels : sequence of sequences, optional
        One label per row, for each graph.
    edge_attribute : str or None
        What the entries are called as an edge attribute; None leaves them out. By default they are
        called ``"weight"`` if any entry off the diagonal is neither 0 nor 1, and left out
        otherwise.
    ids : sequence, optional
        One id for each graph, see :class:`grafik.Graphs`.
    directed : bool or None
        Whether directions are kept or forgotten. By default matrices whose nonzero entries are not
        symmetric are refused.
    on_invalid : {"drop", "raise"}
        What to do with self loops, see :class:`grafik.Graphs`.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How the two entries of an edge become one, if directions are forgotten, which is then the
        default. Without `fold` they must agree.

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

    Entries other than 0 and 1 are weights:

    >>> Graphs.from_scipy(3 * path).edge_attributes.tolist()
    [[3.0], [3.0], [3.0]]
    """
    directions = Directions.of(directed, fold)
    items = listed(matrices, is_matrix, "an adjacency matrix")
    pairs, values = [], []
    for position, matrix in enumerate(items):
        rows, columns, found = entries(matrix, f"graph {position}")
        directions.refuse_one_way(rows, columns, position)
        pairs.append(np.column_stack([rows, columns]))
        values.append(found)
    edges = np.concatenate([np.empty((0, 2), np.int64), *pairs])
    weights = np.concatenate([np.empty(0), *values])
    name = weight_name(edge_attribute, edges, weights)
    return cls(
        offsets([matrix.shape[0] for matrix in items]),
        offsets([len(pair) for pair in pairs]),
        edges,
        node_labels=flat_labels(node_labels, [matrix.shape[0] for matrix in items]),
        edge_attributes=None if name is None else weights,
        edge_attribute_names=None if name is None else [name],
        ids=ids,
        on_invalid=on_invalid,
        **directions.options(both_ways=True),
    )


def weight_name(name: str | None, edges: NDArray[np.int64], weights: ArrayLike) -> str | None:
    """Return what the weights of edges are called, None if they are left out.

    By default (``"auto"``), weights that are all 1 are left out; those of self loops do not count.
    """
    if name is not None and not isinstance(name, str):
        raise ValueError(f"edge_attribute must be a name or None, got {name!r}")
    if name != "auto":
        return name
    return WEIGHT if (np.asarray(weights)[edges[:, 0] != edges[:, 1]] != 1).any() else None


def entries(
    matrix: Any, graph: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return row, column and value of all nonzero entries of a square matrix."""
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{graph}: an adjacency matrix must be square, got shape {matrix.shape}; "
            "for arrays of vertex pairs use Graphs.from_edge_lists"
        )
    refuse_masked(matrix, f"{graph}: the adjacency matrix")
    if isinstance(matrix, np.ndarray):
        matrix = np.asarray(matrix)
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns].astype(np.float64)
    else:
        if matrix.dtype.kind not in _KINDS:
            raise ValueError(
                f"{graph}: the entries of an adjacency matrix must be real numbers, got "
                f"{matrix.dtype}"
            )
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
