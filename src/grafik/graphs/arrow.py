"""Batches of graphs as Arrow tables: one row per graph, one list per column."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import offsets
from ..system.optional import require
from .labels import Label, Labels

if TYPE_CHECKING:
    from .batch import Graphs

# Where the schema of a table keeps what is said once for all graphs, as JSON.
ABOUT_KEY = b"grafik.about"
_COLUMNS = (
    *("n_nodes", "u", "v", "node_labels", "edge_labels", "node_attributes", "edge_attributes"),
    *("node_names", "id"),
)
_ABOUT = ("directed", "node_attribute_names", "edge_attribute_names")


def require_arrow() -> tuple[Any, Any]:
    """Return pyarrow and its part for Parquet files, or say how to get them."""
    pa, pq = (
        require(name, "a Parquet file", "grafik[parquet]")
        for name in ("pyarrow", "pyarrow.parquet")
    )
    return pa, pq


def arrow_file(path: str | os.PathLike[str], mode: str = "rb") -> Any:
    """Open a file for pyarrow, which takes names for UTF-8 unless they are bytes."""
    pa, _ = require_arrow()
    return pa.OSFile(os.fsencode(path), mode)


def to_table(graphs: Graphs) -> Any:
    """Return a batch as an Arrow table."""
    import pyarrow as pa

    columns = {
        "n_nodes": pa.array(graphs.n_nodes, pa.int32()),
        "u": _lists(graphs.edge_ptr, pa.array(graphs.edges[:, 0])),
        "v": _lists(graphs.edge_ptr, pa.array(graphs.edges[:, 1])),
    }
    for kind, pointer in (("node", graphs.node_ptr), ("edge", graphs.edge_ptr)):
        labels, values = getattr(graphs, f"{kind}_labels"), getattr(graphs, f"{kind}_attributes")
        if labels is not None:
            columns[f"{kind}_labels"] = _lists(pointer, _labels_to_arrow(labels))
        if values is not None:
            flat = pa.array(values.reshape(-1))
            rows = pa.FixedSizeListArray.from_arrays(flat, values.shape[1])
            columns[f"{kind}_attributes"] = _lists(pointer, rows)
    if graphs.node_names is not None:
        columns["node_names"] = _lists(graphs.node_ptr, _labels_to_arrow(graphs.node_names))
    if graphs.ids is not None:
        columns["id"] = _labels_to_arrow(graphs.ids)
    about = {name: getattr(graphs, name) for name in _ABOUT}
    if graphs.reading is not None:
        about["reading"] = graphs.reading
    return pa.table(columns).replace_schema_metadata({ABOUT_KEY: json.dumps(about)})


def _lists(pointer: NDArray[np.int64], values: Any) -> Any:
    import pyarrow as pa

    return pa.LargeListArray.from_arrays(pa.array(pointer), values)


def _labels_to_arrow(labels: Labels) -> Any:
    import pyarrow as pa

    words = pa.array([json.dumps(value) for value in labels.values], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(labels.codes), words)


def from_table(table: Any) -> Graphs:
    """Return the batch that a table holds; everything in it is checked."""
    from .batch import Graphs

    for name in table.column_names:
        # The names of columns have no checksum, and a damaged one would not be read.
        if name not in _COLUMNS:
            raise ValueError(f"there is a column {name!r}, which no batch has")
        if table.column_names.count(name) > 1:
            raise ValueError(f"there are several columns {name!r}")
    sizes = _column(table, "n_nodes")
    _expect(str(sizes.type) == "int32" and sizes.null_count == 0, "n_nodes", "int32", sizes)
    for row in np.flatnonzero(sizes.to_numpy() < 0)[:1].tolist():
        raise ValueError(f"column n_nodes says that graph {row} has {sizes[row]} vertices")
    node_ptr = offsets(sizes.to_numpy())
    edge_ptr, u = _flat(table, "u")
    other_ptr, v = _flat(table, "v")
    for name, ends in (("u", u), ("v", v)):
        _expect(str(ends.type) == "int32", name, "lists of int32", ends)
    if not np.array_equal(edge_ptr, other_ptr):
        raise ValueError("columns u and v have different lengths")
    columns: dict[str, Any] = {}
    for name, decode in (
        ("node_labels", _labels_from_arrow),
        ("edge_labels", _labels_from_arrow),
        ("node_attributes", _floats_from_arrow),
        ("edge_attributes", _floats_from_arrow),
        ("node_names", _labels_from_arrow),
    ):
        if name in table.column_names:
            found, values = _flat(table, name)
            if not np.array_equal(found, node_ptr if name.startswith("node") else edge_ptr):
                raise ValueError(f"column {name} does not fit the number of vertices or edges")
            columns[name] = decode(values, name)
    if "id" in table.column_names:
        columns["ids"] = _labels_from_arrow(_column(table, "id"), "id")
    edges = np.column_stack([u.to_numpy(), v.to_numpy()])
    about = _about(table.schema.metadata)
    return Graphs(node_ptr, edge_ptr, edges, on_invalid="raise", **columns, **about)


def _about(metadata: dict[bytes, bytes] | None) -> dict[str, Any]:
    """Return what is said once for all graphs."""
    try:
        about = json.loads((metadata or {})[ABOUT_KEY])
        return {name: about[name] for name in _ABOUT} | {"reading": about.get("reading")}
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"the schema does not say whether graphs are directed: {error}") from error


def _column(table: Any, name: str) -> Any:
    """Return a column in one piece."""
    import pyarrow as pa

    if name not in table.column_names:
        raise ValueError(f"there is no column {name}")
    column = table.column(name)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _flat(table: Any, name: str) -> tuple[NDArray[np.int64], Any]:
    """Return where each list of a column starts, and the lists one after the other."""
    column = _column(table, name)
    _expect(hasattr(column, "offsets"), name, "lists", column)
    values = column.flatten()
    if column.null_count or values.null_count:
        raise ValueError(f"column {name} has nulls")
    return offsets(np.diff(column.offsets.to_numpy())), values


def _expect(right: bool, name: str, wanted: str, found: Any) -> None:
    if not right:
        raise ValueError(
            f"column {name} must hold {wanted} without nulls, not {found.type}; if another program "
            "has written the file, write it again with Graphs.to_parquet"
        )


def _labels_from_arrow(column: Any, name: str) -> Labels:
    """Return the labels of a column; each distinct one is decoded once."""
    encoded = column if hasattr(column, "dictionary") else column.dictionary_encode()
    words = encoded.dictionary
    if encoded.null_count:
        raise ValueError(f"column {name} has nulls")
    right = str(words.type) in ("string", "large_string", "string_view") and not words.null_count
    _expect(right, name, "lists of string", words)
    try:
        values = [_tuples(json.loads(word)) for word in words.to_pylist()]
    except (ValueError, RecursionError) as error:
        raise ValueError(f"column {name} holds a label that is not JSON: {error}") from error
    distinct = Labels(values, f"column {name}, distinct label {{}}".format)
    codes = distinct.codes[encoded.indices.to_numpy()]
    return Labels.trusted(distinct.values, codes).compact()


def _floats_from_arrow(column: Any, name: str) -> NDArray[np.float64]:
    size = getattr(column.type, "list_size", 0)
    values = column.flatten() if size else column
    right = size > 0 and str(values.type) == "double" and not values.null_count
    _expect(right, name, "lists of equally long lists of double", column)
    return np.asarray(values.to_numpy()).reshape(len(column), size)


def _tuples(value: Any) -> Label:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
