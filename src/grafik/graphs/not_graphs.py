"""What people hand over in place of graphs, and what to say to them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from .batch import Graphs
from .convert.columns import in_short
from .convert.smiles import is_missing, is_molecule
from .graph import Graph

_TU = "graphs, y = datasets.read_tu(path)"
_TABLE = "graphs, y = datasets.read_csv(path, smiles='the column of SMILES')"
_READERS = {
    ".parquet": "graphs = Graphs.from_parquet(path)",
    ".zip": _TU,
    ".csv": _TABLE,
    ".tsv": _TABLE,
    ".gz": _TABLE,
    ".sdf": "graphs, y = datasets.read_sdf(path)",
    ".g6": "graphs = datasets.read_graph6(path)",
    ".smi": "graphs = as_graphs([line.split()[0] for line in Path(path).read_text().splitlines()])",
    ".graphml": "graphs = as_graphs(networkx.read_graphml(path))",
    ".gml": "graphs = as_graphs(networkx.read_gml(path))",
}
_OTHER = "graphs = as_graphs([...]) of what the library that wrote it reads, such as networkx"


def refuse_path(graphs: Any) -> None:
    """Refuse the path of a file or folder; a text that may be a molecule is none."""
    if not isinstance(graphs, (str, os.PathLike)):
        return
    path = Path(os.fsdecode(graphs))
    reader = _reader(path)
    if isinstance(graphs, os.PathLike) or reader is not None or _exists(path):
        if reader is None:
            reader = _OTHER if path.suffix and not path.is_dir() else _TU
        raise TypeError(
            f"expected graphs, got the path {str(path)!r}; read the file first: {reader}"
        )


def _reader(path: Path) -> str | None:
    """Return what reads a file with such a name; None if nothing is known to."""
    inside = Path(path.name.lower().removesuffix(".gz")).suffix
    return _READERS.get(inside) or _READERS.get(path.suffix.lower())


def _exists(path: Path) -> bool:
    """Whether there is such a file or folder, and its name is no molecule, as a folder "C" is."""
    if set(str(path)) <= set("BCNOPSFIclbrnops123456789=#()[]@+-"):
        return False
    try:
        return path.exists()
    except (OSError, ValueError):  # a long molecule
        return False


def listed_graphs(graphs: Any) -> list[Any]:
    """Return the items of a list, a column or an array of graphs; refuse what is none of these."""
    if hasattr(graphs, "iloc") and getattr(graphs, "ndim", 1) == 2:
        if graphs.shape[1] != 1:
            columns = list(map(str, graphs.columns))
            raise TypeError(
                f"expected graphs, got a data frame with {len(columns)} columns: "
                f"{', '.join(columns[:5])}{', ...' if len(columns) > 5 else ''}; "
                "pass the one that holds graphs or SMILES: frame['smiles']"
            )
        return list(graphs.iloc[:, 0])
    texts_or_objects = isinstance(graphs, np.ndarray) and graphs.dtype.kind in "OUT"
    if texts_or_objects and graphs.ndim == 2 and graphs.shape[1] == 1:
        return list(graphs[:, 0])
    if isinstance(graphs, (bytes, dict)) or not isinstance(graphs, Iterable):
        raise TypeError(f"expected graphs, got {in_short(graphs)}; read files with grafik.datasets")
    if _with_targets(graphs):
        raise TypeError(
            "expected graphs, got a pair of graphs and targets; pass them apart: "
            "graphs, y = pair, and then fit(graphs, y)"
        )
    return list(graphs)


def _with_targets(graphs: Any) -> bool:
    """Whether graphs come with their targets, as data sets are returned."""
    if not isinstance(graphs, tuple) or len(graphs) != 2:
        return False
    first, second = graphs
    if isinstance(first, Graphs):
        return not isinstance(second, (Graphs, Graph))
    listed = isinstance(second, list) or (isinstance(second, np.ndarray) and second.ndim == 1)
    return isinstance(first, list) and listed and len(first) == len(second) and _scalars(second)


def _scalars(values: Iterable[Any]) -> bool:
    return all(isinstance(value, (str, int, float, np.generic)) for value in values)


def missing_hint(items: list[Any], given: Any) -> str:
    """Return what to do about missing values among graphs, which were given in some way."""
    text = ", but a missing value; leave it out, and its target as well"
    if hasattr(given, "notna"):
        text += ": graphs[graphs.notna()]" if given.ndim == 1 else ": frame.dropna()"
    graphs = [item for item in items if not is_missing(item)]
    if graphs and all(map(is_molecule, graphs)):
        text += ", or make it a graph without vertices: Graphs.from_smiles(smiles, errors='empty')"
    return text


def hint(item: Any) -> str:
    """Return what to do about an item of a list that is not a graph."""
    if isinstance(item, Graphs):
        return ", but a batch of graphs; join batches with Graphs.concat"
    if isinstance(item, (list, tuple)) and len(item) == 0:
        return "; for graphs without edges give the number of vertices: Graphs.from_edge_lists"
    if isinstance(item, (list, tuple)) and all(_is_tuple(row) for row in item):
        if all(len(row) == 2 for row in item):
            return (
                ", but an edge list with names; vertices of edge lists are numbers from 0 on: "
                "build networkx graphs to keep names, as_graphs([nx.Graph(pairs), ...])"
            )
        if all(len(row) == len(item) for row in item):
            return ", but a matrix of lists; make it an array: np.array(matrix)"
        return (
            ", but an edge list with more than pairs; pass weights apart, "
            "Graphs.from_edge_lists(pairs, edge_attributes=weights), or build networkx graphs"
        )
    if isinstance(item, (list, tuple)):
        return "; put a list of vertex pairs inside a list, as one graph of several"
    if isinstance(item, np.ndarray):
        return "; np.array splits graphs up: pass a plain list of graphs"
    return ""


def _is_tuple(row: Any) -> bool:
    return isinstance(row, (list, tuple)) and len(row) >= 2
