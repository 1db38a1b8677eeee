"""Data objects of PyTorch Geometric, read."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.offsets import offsets
from ..validation import Fold, OnInvalid
from .columns import MISSING, WEIGHT, Names, column_names, listed, names_of
from .directions import Directions

if TYPE_CHECKING:
    from ..batch import Graphs

# Where to_pyg puts labels and says that an id is None, and all that is read by default.
_LABELS = {"node": "x", "edge": "edge_type"}
NO_ID = "id_is_none"
_BY_DEFAULT = {*_LABELS.values(), "edge_weight", "edge_attributes", "node_attributes"}


def is_pyg(item: Any) -> bool:
    """Return whether an item looks like a Data object (not a data set), without PyTorch."""
    found = hasattr(item, "edge_index") and hasattr(item, "num_nodes")
    return found and not hasattr(item, "indices")


def from_pyg(
    cls: type[Graphs],
    graphs: Any,
    node_label: str | None = "x",
    edge_label: str | None = "edge_type",
    edge_attribute: Names = ("edge_weight", "edge_attributes"),
    *,
    node_attribute: Names = "node_attributes",
    ids: Sequence[Any] | None = None,
    directed: bool | None = None,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
) -> Graphs:
    """Build a batch from the graphs of a PyTorch Geometric data set.

    What :meth:`to_pyg` wrote is read by default, names and ids included. ``edge_weight`` becomes
    the edge attribute ``"weight"``.

    Parameters
    ----------
    graphs : torch_geometric.data.Data or iterable of them
    node_label, edge_label : str or None
        Tensor that holds the labels: integers in one column or several, or one-hot rows as in
        ``TUDataset``. Other floats are not labels: name them as attributes.
    edge_attribute, node_attribute : str, list of str or None
        Tensors that hold numbers; None reads none.
    ids : sequence, optional
        One id for each graph, see :class:`grafik.Graphs`.
    directed : bool or None
        Whether directions are kept or forgotten. By default graphs with an edge in one direction
        only are refused, unless :meth:`to_pyg` wrote them as directed graphs.
    on_invalid : {"drop", "raise"}
        What to do with self loops, see :class:`grafik.Graphs`.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How opposite edges become one, if directions are forgotten, which is then the default.
        Without `fold` they must agree.

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
    if directed is None and fold is None and items:
        directed = all(getattr(data, "directed", None) is True for data in items) or None
    directions = Directions.of(directed, fold)
    pairs, sizes = [], []
    for position, data in enumerate(items):
        pair = _edge_index(data, f"graph {position}")
        directions.refuse_one_way(pair[0], pair[1], position)
        pairs.append(pair.T)
        sizes.append(int(data.num_nodes))
    counts = [len(pair) for pair in pairs]
    node_values, node_names = _attributes(items, "node_attribute", node_attribute, sizes)
    edge_values, edge_names = _attributes(items, "edge_attribute", edge_attribute, counts)
    return cls(
        offsets(sizes),
        offsets(counts),
        np.concatenate([np.empty((0, 2), np.int64), *pairs]),
        node_labels=None if node_label is None else _labels(items, "node", node_label, sizes),
        edge_labels=None if edge_label is None else _labels(items, "edge", edge_label, counts),
        node_attributes=node_values,
        edge_attributes=edge_values,
        node_attribute_names=node_names,
        edge_attribute_names=edge_names,
        node_names=_of_all(items, "node_names", sizes),
        ids=_of_all(items, "id", None) if ids is None else ids,
        on_invalid=on_invalid,
        **directions.options(both_ways=True),
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
    outside = ((pair < 0) | (pair >= data.num_nodes)).any(axis=0)
    if outside.any():
        at, last = int(np.argmax(outside)), data.num_nodes - 1
        u, v = pair[:, at].tolist()
        ids = f"vertex ids run from 0 to {last}" if last >= 0 else "the graph has no vertices"
        raise ValueError(
            f"{graph}, edge {at} ({u}, {v}): there is no vertex {v if 0 <= u <= last else u}; {ids}"
        )
    return pair


def _array(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)


def _column(items: list[Any], name: str, sizes: list[int]) -> NDArray[Any] | None:
    """Return a tensor of all graphs as one array with two dimensions."""
    tensors = [getattr(data, name, None) for data in items]
    absent = [i for i, tensor in enumerate(tensors) if tensor is None and sizes[i] > 0]
    present = [i for i, tensor in enumerate(tensors) if tensor is not None]
    if not present:
        if name not in _BY_DEFAULT and any(sizes):
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


def _labels(items: list[Any], kind: str, name: str, sizes: list[int]) -> Any:
    column = _column(items, name, sizes)
    if column is None:
        return None
    written: list[Any] = [getattr(data, f"{kind}_label_values", None) for data in items]
    if name == _LABELS[kind] and all(values is not None for values in written):
        return _decoded(column, name, written, sizes)
    if column.dtype.kind in "iub":
        return column
    if ((column == 0) | (column == 1)).all() and (column.sum(axis=1) == 1).all():
        return np.asarray(np.argmax(column, axis=1))
    raise ValueError(
        f"{name!r} holds neither integers nor one-hot rows, so it is not a label: pass "
        f"as_graphs(graphs, {kind}_label=None), with {kind}_attribute={name!r} to keep it as an "
        "attribute"
    )


def _decoded(column: NDArray[Any], name: str, written: list[Any], sizes: list[int]) -> list[Any]:
    """Return the labels that integers stand for, given the labels that each graph counts."""
    n_values = np.repeat([len(values) for values in written], sizes)
    whole = column.dtype.kind in "iu" and column.shape[1] == 1
    if not whole or ((column[:, 0] < 0) | (column[:, 0] >= n_values)).any():
        raise ValueError(f"{name!r} must be integers that count the labels in ..._label_values")
    graph = np.repeat(np.arange(len(sizes)), sizes).tolist()
    return [written[g][code] for g, code in zip(graph, column[:, 0].tolist(), strict=True)]


def _attributes(
    items: list[Any], argument: str, wanted: Names, sizes: list[int]
) -> tuple[NDArray[Any] | None, list[str] | None]:
    """Return the tensors that were asked for side by side, and the names of their columns."""
    found: list[NDArray[Any]] = []
    names: list[str] = []
    own = False
    for tensor in names_of(wanted):
        column = _column(items, tensor, sizes)
        if column is None:
            continue
        found.append(column)
        width = column.shape[1]
        if tensor == f"{argument}s":  # written by to_pyg, which knows whether it has names
            written = _of_all(items, f"{argument}_names", [width] * len(items))
            own = own or written is None
            names += column_names(tensor, width) if written is None else written[:width]
        else:
            names += column_names(WEIGHT if tensor == "edge_weight" else tensor, width)
    if not found:
        return None, None
    return np.column_stack(found), None if own and len(found) == 1 else names


def _is_true(flag: Any) -> bool:
    """Tell whether a flag is set, also if a batch has turned it into a tensor."""
    return flag is True or (hasattr(flag, "numel") and flag.numel() == 1 and bool(flag))


def _of_all(items: list[Any], name: str, sizes: list[int] | None) -> list[Any] | None:
    """Return what to_pyg wrote under a name: one for each graph, or a list for each; else None."""
    found: list[Any] = [getattr(data, name, MISSING) for data in items]
    if sizes is None:
        found = [
            None if _is_true(getattr(data, NO_ID, False)) else one
            for data, one in zip(items, found, strict=True)
        ]
        plain = (str, int, float, tuple, type(None))
        return found if found and all(isinstance(value, plain) for value in found) else None
    for part, size in zip(found, sizes, strict=True):
        if not isinstance(part, (list, tuple)) or len(part) != size:
            return None
    return [value for part in found for value in part] or None
