"""Data sets in TU format: a folder or zip of text files, one line per vertex, edge or graph."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.gate import as_array
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.labels import Labels
from ..graphs.validation import Fold, OnInvalid, Remedies
from ..system.callers import levels_to_the_user
from ..system.files import check_name, expanded, give_permissions
from ..system.memory import memory_for
from ..system.unfinished import unfinished
from .tu_files import Source, open_source
from .tu_tables import read_table
from .tu_words import PARTS

# Without graph labels or attributes, a graph number above this plus 100 per vertex is refused.
_MAX_EMPTY = 1_000_000
_ROWS = 1 << 14  # of a table that are written at a time

_REMEDIES = Remedies("read_tu(path, fold={})", "read_tu(path, ignore=['edge_labels'])")
_OPTIONAL = ("node_labels", "edge_labels", "node_attributes", "edge_attributes")


def read_tu(
    path: str | os.PathLike[str],
    *,
    target: Literal["labels", "attributes"] | None = None,
    ignore: Collection[str] = (),
    directed: bool = False,
    on_invalid: OnInvalid = "drop",
    fold: Fold | None = None,
    max_bytes: int = 4 * 2**30,
) -> tuple[Graphs, NDArray[Any] | None]:
    """Read a data set in TU format.

    Edges may be listed in one direction or in both, as the format does not say which. Each line of
    the graph indicator is a vertex, so isolated ones are not lost. Labels in several columns become
    tuples.

    Parameters
    ----------
    path : path
        Folder or zip that holds ``NAME_A.txt``, ``NAME_graph_indicator.txt`` and optionally
        ``NAME_node_labels.txt``, ``..._edge_labels``, ``..._node_attributes``,
        ``..._edge_attributes``, ``..._graph_labels`` and ``..._graph_attributes``. A zip is read
        without unpacking it to disk.
    target : {None, "labels", "attributes"}
        What `y` holds: the graph labels or the graph attributes (regression); by default the
        labels if there are any, else the attributes.
    ignore : collection of str
        Files not to read, such as ``["edge_labels"]``.
    directed : bool
        Whether each line of ``NAME_A.txt`` is an edge from its first vertex to its second.
    on_invalid : {"drop", "raise"}
        Whether self loops and repeated edges are dropped and counted in ``graphs.dropped``, or
        refused.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How the attributes of the two directions of an edge become one. By default they must agree.
    max_bytes : int
        A zip that would unpack to more than this is refused.

    Returns
    -------
    graphs : Graphs
    y : ndarray of shape (n_graphs,) or (n_graphs, c), or None
        Integers from the graph labels or floats from the graph attributes.

    Examples
    --------
    >>> import tempfile
    >>> from grafik import datasets
    >>> folder = tempfile.mkdtemp() + "/PAIR"
    >>> datasets.write_tu(folder, *datasets.triangle_pair())
    >>> graphs, y = datasets.read_tu(folder)
    >>> graphs, y
    (Graphs(2 graphs, 12 vertices, 18 edges), array([0, 1]))
    """
    if target not in (None, "labels", "attributes"):
        raise ValueError(f"target must be None, 'labels' or 'attributes', got {target!r}")
    known = PARTS[1:]
    if isinstance(ignore, str) or set(ignore) - set(known):
        raise ValueError(f"ignore must list some of {', '.join(known)}, got {ignore!r}")
    with open_source(path, max_bytes) as source:
        source.check_names(ignore)
        return _read(
            source, target, set(ignore), directed=directed, on_invalid=on_invalid, fold=fold
        )


def _read(
    source: Source, target: str | None, ignore: set[str], *, directed: bool, **rules: Any
) -> tuple[Graphs, NDArray[Any] | None]:
    indicator = _required(source, "graph_indicator", 1).ravel()
    pairs = _required(source, "A", 2)
    y, n_graphs = _read_target(source, target, ignore, indicator)
    _check_ids(indicator, n_graphs, source.file("graph_indicator"), "graph", "graphs")
    for column in pairs.T:
        _check_ids(column, len(indicator), source.file("A"), "vertex", "vertices")

    # Sort vertices by graph; in most data sets they are sorted already.
    order = np.argsort(indicator, kind="stable")
    node_ptr = np.searchsorted(indicator[order], np.arange(1, n_graphs + 2)).astype(np.int64)
    local = np.empty(len(indicator), np.int64)
    local[order] = np.arange(len(indicator)) - np.repeat(node_ptr[:-1], np.diff(node_ptr))

    first, second = indicator[pairs - 1].T
    apart = first != second
    if apart.any():
        line = int(np.argmax(apart))
        raise ValueError(
            f"{source.file('A')}, line {line + 1}: the edge joins vertex {pairs[line, 0]} of graph "
            f"{first[line]} to vertex {pairs[line, 1]} of graph {second[line]}"
        )
    edge_order = np.argsort(first, kind="stable")
    edge_ptr = np.searchsorted(first[edge_order], np.arange(1, n_graphs + 2)).astype(np.int64)

    columns: dict[str, Any] = {}
    for name in _OPTIONAL:
        kind = "integer" if name.endswith("labels") else "float"
        table = None if name in ignore else read_table(source, name, kind)
        if table is None:
            continue
        per_vertex = name.startswith("node")
        if per_vertex:
            _check_count(source, name, len(table), "graph_indicator", len(indicator))
        else:
            _check_count(source, name, len(table), "A", len(pairs))
        columns[name] = table[order if per_vertex else edge_order]
    graphs = Graphs(
        node_ptr,
        edge_ptr,
        local[pairs - 1][edge_order],
        **columns,
        directed=directed,
        _both_ways=not directed,
        **rules,
        _edge_name=lambda row: f"{source.file('A')}, line {edge_order[row] + 1}",
        _remedies=_REMEDIES,
    )
    return graphs, y


def _required(source: Source, name: str, columns: int) -> NDArray[np.int64]:
    table = read_table(source, name, "integer", columns)
    if table is None:
        raise FileNotFoundError(f"{source} has no file {source.name}_{name}.txt")
    return table


def _read_target(
    source: Source, target: str | None, ignore: set[str], indicator: NDArray[np.int64]
) -> tuple[NDArray[Any] | None, int]:
    """Return the target `y`, and the number of graphs."""
    n_graphs = int(indicator.max(initial=0))
    for name, kind in (("labels", "integer"), ("attributes", "float")):
        wanted = target in (None, name) and f"graph_{name}" not in ignore
        table = read_table(source, f"graph_{name}", kind) if wanted else None
        if table is not None:
            y = table.ravel() if table.shape[1] == 1 else table
            if len(y) > n_graphs:
                warnings.warn(
                    f"{source.file(f'graph_{name}')} has {len(y)} lines, but the last vertex "
                    f"belongs to graph {n_graphs}; the graphs after it have no vertices",
                    stacklevel=levels_to_the_user(),
                )
            return y, len(y)
    if target is not None:
        raise FileNotFoundError(f"{source} has no file {source.name}_graph_{target}.txt")
    if n_graphs > _MAX_EMPTY + 100 * len(indicator):
        line = int(np.argmax(indicator)) + 1
        raise ValueError(
            f"{source.file('graph_indicator')}, line {line}: graph {n_graphs} is too large a "
            f"number for {len(indicator)} vertices"
        )
    return None, n_graphs


def _check_ids(ids: NDArray[np.int64], n: int, file: str, one: str, many: str) -> None:
    bad = (ids < 1) | (ids > n)
    if bad.any():
        line = int(np.argmax(bad))
        raise ValueError(
            f"{file}, line {line + 1}: there is no {one} {ids[line]}; "
            f"the data set has {n} {many}, counted from 1"
        )


def _check_count(source: Source, name: str, found: int, other: str, needed: int) -> None:
    if found != needed:
        raise ValueError(
            f"{source.file(name)} has {found} lines, "
            f"but {source.file(other)} has {needed}; they must agree"
        )


def write_tu(folder: str | os.PathLike[str], graphs: Any, y: ArrayLike | None = None) -> None:
    """Write a data set in TU format; :func:`read_tu` returns the same graphs and `y`.

    Edges are written in both directions, those of directed graphs once: read these with
    ``read_tu(folder, directed=True)``. The format has no names and no ids; they are left out.

    The name of the folder is the name of the data set. The folder appears only when it is complete.

    Parameters
    ----------
    folder : path
        Must be empty, if it exists; its permissions stay.
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        Labels must be integers, or tuples of two or more integers, all of one length: the format
        has no others. (:meth:`grafik.Graphs.to_parquet` keeps labels of any kind.)
    y : array of shape (n_graphs,) or (n_graphs, c), optional
        Integers become graph labels, floats graph attributes.

    Examples
    --------
    >>> import os, tempfile
    >>> from grafik import datasets
    >>> folder = tempfile.mkdtemp() + "/CSL"
    >>> datasets.write_tu(folder, *datasets.csl())
    >>> sorted(os.listdir(folder))
    ['CSL_A.txt', 'CSL_graph_indicator.txt', 'CSL_graph_labels.txt']
    """
    target = expanded(folder).absolute()
    check_name(target)
    empty = target.is_dir() and not any(target.iterdir())
    # No folder can take the place of a link, wherever it leads.
    if target.is_symlink() or (target.exists() and not empty):
        raise FileExistsError(f"{target} already exists; choose another folder or remove it")
    with memory_for(f"writing {target}", "write fewer graphs to a folder"):
        _write(target, _files(as_graphs(graphs), y))


def _write(target: Path, files: dict[str, NDArray[Any]]) -> None:
    """Write a folder of tables as a whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(target, folder=True) as part:
        for name, table in files.items():
            path = part / f"{target.name}_{name}.txt"
            with path.open("w", encoding="ascii", newline="\n") as file:
                for start in range(0, len(table), _ROWS):
                    rows = table[start : start + _ROWS].tolist()
                    file.writelines(f"{', '.join(map(repr, row))}\n" for row in rows)
        give_permissions(part, target)
        if target.exists():
            target.rmdir()
        part.rename(target)


def _files(graphs: Graphs, y: ArrayLike | None) -> dict[str, NDArray[Any]]:
    """Return the table of each file."""
    twice = np.repeat(np.arange(len(graphs.edges)), 1 if graphs.directed else 2)
    offset = np.repeat(graphs.node_ptr[:-1], graphs.n_edges)[:, np.newaxis] + 1
    ends = (graphs.edges + offset)[twice]
    if not graphs.directed:
        ends[1::2] = ends[1::2, ::-1]
    files = {
        "A": ends,
        "graph_indicator": np.repeat(np.arange(1, len(graphs) + 1), graphs.n_nodes)[:, None],
    }
    for kind in ("node", "edge"):
        labels, values = getattr(graphs, f"{kind}_labels"), getattr(graphs, f"{kind}_attributes")
        again = twice if kind == "edge" else slice(None)
        if labels is not None:
            files[f"{kind}_labels"] = _integer_rows(labels, f"{kind}_labels")[again]
        if values is not None:
            files[f"{kind}_attributes"] = values[again]
    if y is not None:
        column = as_array(y, "y", "have as many columns everywhere")
        right = column.ndim == 1 or (column.ndim == 2 and column.shape[1] > 1)
        if not right or len(column) != len(graphs):
            raise ValueError(
                f"y must have shape ({len(graphs)},) or ({len(graphs)}, c) with c > 1, "
                f"got {column.shape}"
            )
        small = column.dtype.kind in "iu" and not (column > np.iinfo(np.int64).max).any()
        if not small and not (column.dtype.kind == "f" and np.isfinite(column).all()):
            raise ValueError("y must be integers or finite floats; write other classes as integers")
        name = "graph_attributes" if column.dtype.kind == "f" else "graph_labels"
        files[name] = column if column.ndim == 2 else column[:, np.newaxis]
    elif len(graphs) and graphs.n_nodes[-1] == 0:
        raise ValueError("the last graph has no vertices, which only the lines of y show: pass y")
    return files


def _integer_rows(labels: Labels, name: str) -> NDArray[np.int64]:
    """Return labels as a table of integers."""
    rows = [value if isinstance(value, tuple) else (value,) for value in labels.values]
    for value, row in zip(labels.values, rows, strict=True):
        whole = all(type(item) is int and -(2**63) <= item < 2**63 for item in row)
        if len(row) != len(rows[0]) or not whole or value in ((), row[:1]):
            raise ValueError(
                f"{name} holds {value!r}: the TU format has only integers, in equally many "
                "columns everywhere; replace the labels, or use Graphs.to_parquet"
            )
    return np.array(rows, np.int64)[labels.codes]
