"""Data objects of PyTorch Geometric."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.offsets import offsets
from ..validation import Fold, OnInvalid
from .columns import listed, names_of, refuse_one_way

if TYPE_CHECKING:
    from ..batch import Graphs


def is_pyg(item: Any) -> bool:
    """Return whether an item looks like a Data object (not a data set), without PyTorch."""
    found = hasattr(item, "edge_index") and hasattr(item, "num_nodes")
    return found and not hasattr(item, "indices")


def from_pyg(
    cls: type[Graphs],
    graphs: Any,
    node_label: str | None = "x",
    edge_label: str | None = None,
    edge_attribute: str | Sequence[str] | None = None,
    *,
    node_attribute: str | Sequence[str] | None = None,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from the graphs of a PyTorch Geometric data set.

    Parameters
    ----------
    graphs : torch_geometric.data.Data or iterable of them
        Undirected, that is, with every edge in both directions.
    node_label, edge_label : str or None
        Tensor that holds the labels: integers in one column or several, or one-hot rows as in
        ``TUDataset``. Other floats are not labels: name them as attributes.
    edge_attribute, node_attribute : str, list of str or None
        Tensors that hold numbers.
    on_invalid : {"drop", "raise"}
        What to do with self loops, see :class:`grafik.Graphs`.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How opposite edges become one. By default directed graphs are refused.

    Returns
    -------
    Graphs

    Examples
    --------
    >>> from types import SimpleNamespace as Data  # stands for torch_geometric.data.Data
    >>> import numpy as np
    >>> from grafik import Graphs
    >>> data = Data(edge_index=np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3, x=np.eye(3))
    >>> graphs = Graphs.from_pyg([data])
    >>> graphs[0].node_labels
    [0, 1, 2]
    """
    items = listed(graphs, is_pyg, "a Data object of PyTorch Geometric")
    pairs, sizes = [], []
    for position, data in enumerate(items):
        pair = _edge_index(data, f"graph {position}")
        if fold is None:
            remedy = "apply torch_geometric.transforms.ToUndirected"
            refuse_one_way(pair[0], pair[1], f"graph {position}", remedy)
        pairs.append(pair.T)
        sizes.append(int(data.num_nodes))
    counts = [len(pair) for pair in pairs]
    return cls(
        offsets(sizes),
        offsets(counts),
        np.concatenate([np.empty((0, 2), np.int64), *pairs]),
        node_labels=None if node_label is None else _labels(items, node_label, sizes),
        edge_labels=None if edge_label is None else _labels(items, edge_label, counts),
        node_attributes=_attributes(items, names_of(node_attribute), sizes),
        edge_attributes=_attributes(items, names_of(edge_attribute), counts),
        on_invalid=on_invalid,
        fold=fold,
        _both_ways=True,
    )


def _edge_index(data: Any, graph: str) -> NDArray[Any]:
    """Return the two rows of endpoints of one graph."""
    if getattr(data, "ptr", None) is not None:
        raise ValueError(f"{graph} is a Batch of several graphs; pass batch.to_data_list()")
    if not isinstance(data.num_nodes, (int, np.integer)) or data.num_nodes < 0:
        raise ValueError(f"{graph}: num_nodes must be a number, got {data.num_nodes!r}")
    pair = None if data.edge_index is None else _array(data.edge_index)
    if pair is None or pair.ndim != 2 or len(pair) != 2 or pair.dtype.kind not in "iu":
        shape = "None" if pair is None else f"{pair.dtype} of shape {pair.shape}"
        raise ValueError(f"{graph}: edge_index must be integers of shape (2, n_edges), got {shape}")
    return pair


def _array(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)


def _column(items: list[Any], name: str, sizes: list[int]) -> NDArray[Any] | None:
    """Return a tensor of all graphs as one array with two dimensions."""
    tensors = [getattr(data, name, None) for data in items]
    absent = [i for i, tensor in enumerate(tensors) if tensor is None and sizes[i] > 0]
    present = [i for i, tensor in enumerate(tensors) if tensor is not None]
    if not present:
        if name != "x" and any(sizes):
            warnings.warn(f"no graph has {name!r}; it is left out", stacklevel=4)
        return None
    if absent:
        raise ValueError(
            f"graph {absent[0]} has no {name!r}, but graph {present[0]} has; "
            "give it to all of them or to none"
        )
    arrays = []
    for position in present:
        array, size = _array(tensors[position]), sizes[position]
        if array.ndim == 0 or array.ndim > 2 or len(array) != size:
            raise ValueError(
                f"graph {position}: {name!r} needs {size} rows, got shape {array.shape}"
            )
        arrays.append(array.reshape(size, -1) if size else array.reshape(0, *array.shape[1:]))
    filled = [array for array in arrays if len(array)]
    for position, array in zip(present, arrays, strict=True):
        if len(array) and array.shape[1] != filled[0].shape[1]:
            raise ValueError(
                f"graph {position}: {name!r} has {array.shape[1]} columns, "
                f"others have {filled[0].shape[1]}"
            )
    return np.concatenate(filled) if filled else None


def _labels(items: list[Any], name: str, sizes: list[int]) -> NDArray[Any] | None:
    column = _column(items, name, sizes)
    if column is None or column.dtype.kind in "iub":
        return column
    if ((column == 0) | (column == 1)).all() and (column.sum(axis=1) == 1).all():
        return np.asarray(np.argmax(column, axis=1))
    raise ValueError(
        f"{name!r} holds neither integers nor one-hot rows, so it is not a label: pass "
        f"node_label=None (edge_label=None), and name it as an attribute to keep it"
    )


def _attributes(items: list[Any], names: list[str], sizes: list[int]) -> NDArray[Any] | None:
    columns = [_column(items, name, sizes) for name in names]
    found = [column for column in columns if column is not None]
    return np.column_stack(found) if found else None
