"""The data that an argument of the command line names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..datasets.tu_files import find_tu
from ..graphs.batch import Graphs
from .columns import NO_COLUMNS, Columns

# TU data sets that are downloaded by name alone; datasets.fetch_tu downloads any of them.
# fmt: off
TU_NAMES = frozenset((
    "AIDS", "BZR", "BZR_MD", "COLLAB", "COX2", "COX2_MD", "DD", "DHFR", "DHFR_MD", "ENZYMES",
    "ER_MD", "IMDB-BINARY", "IMDB-MULTI", "MUTAG", "Mutagenicity", "NCI1", "NCI109", "PROTEINS",
    "PTC_FM", "PTC_FR", "PTC_MM", "PTC_MR", "REDDIT-BINARY", "REDDIT-MULTI-5K", "SYNTHETIC",
))
# fmt: on


# Molecules in tables and SDF files; whatever file has a column of SMILES is a table as well.
_CSV, _SDF = (".csv", ".tsv", ".csv.gz", ".tsv.gz"), (".sdf", ".sdf.gz")
_GRAPH6 = (".g6", ".g6.gz")
_NO_TABLE = (*_GRAPH6, ".zip", ".parquet", ".model", ".index", ".grafik")
_MOST_TWINS = 10  # graphs of one id that an error lists


def load(
    data: str, labels: Path | None = None, columns: Columns = NO_COLUMNS
) -> tuple[Graphs, NDArray[Any] | None]:
    """Return the graphs that an argument of the command line names, and their classes."""
    if labels is not None and columns.target is not None:
        raise ValueError("choose one of --labels, a file of classes, and --target, a column")
    graphs, y = _load(data, columns)
    if labels is None:
        return graphs, y
    try:
        text = labels.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{labels}: must be text in UTF-8, one class per line, but byte {error.start} "
            f"(0x{error.object[error.start]:02x}) is not UTF-8"
        ) from None
    lines = [line.strip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    if "" in lines:
        raise ValueError(
            f"{labels}, line {lines.index('') + 1}: must name the class of a graph, got nothing"
        )
    if len(lines) != len(graphs):
        raise ValueError(
            f"{labels} must have a line for each of {len(graphs)} graphs of {data}, "
            f"got {len(lines)}"
        )
    return graphs, np.array(lines)


def load_target(
    data: str, labels: Path | None, columns: Columns = NO_COLUMNS
) -> tuple[Graphs, NDArray[Any]]:
    """Return graphs and their classes or numbers; refuse data without."""
    if labels is None and columns.target is None and is_table(data, columns):
        raise ValueError(f"say what is to be predicted in {data}: --target COLUMN")
    graphs, y = load(data, labels, columns)
    if y is None:
        raise ValueError(f"{data} has no classes; give a file with one per line: --labels FILE")
    return graphs, y


def is_table(data: str, columns: Columns) -> bool:
    """Tell whether data is a table of molecules or an SDF file."""
    name = data.lower()
    if name.endswith((*_CSV, *_SDF)):
        return True
    return columns.smiles is not None and Path(data).is_file() and not name.endswith(_NO_TABLE)


def check_number(number: int, graphs: Graphs, data: str) -> None:
    """Refuse the number of a graph that does not exist."""
    if not 0 <= number < len(graphs):
        raise ValueError(
            f"there is no graph {number}: {data} has {len(graphs)}, counted from 0"
            + (f" to {len(graphs) - 1}" if len(graphs) else "")
        )


def find_graph(given: str, graphs: Graphs, data: str) -> int:
    """Return the number of the graph that an id or a number stands for; ids come first.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.cli.data import find_graph
    >>> graphs = Graphs.from_edge_lists([[(0, 1)]] * 3).with_ids(["a", "b", "b"])
    >>> find_graph("a", graphs, "mols.csv"), find_graph("2", graphs, "mols.csv")
    (0, 2)
    >>> find_graph("b", graphs, "mols.csv")
    Traceback (most recent call last):
    ValueError: 2 graphs of mols.csv have the id 'b'; give the number of one: 1, 2
    """
    named = [] if graphs.ids is None else [n for n, x in enumerate(graphs.ids) if str(x) == given]
    if len(named) > 1:
        more = ["..."] if len(named) > _MOST_TWINS else []
        which = ", ".join([*map(str, named[:_MOST_TWINS]), *more])
        raise ValueError(
            f"{len(named)} graphs of {data} have the id {given!r}; give the number of one: {which}"
        )
    if named:
        return named[0]
    if not (given.isascii() and given.isdecimal()):
        remedy = "which has no ids; give a number" if graphs.ids is None else "by id or by number"
        raise ValueError(f"there is no graph {given!r} in {data}, {remedy}")
    check_number(int(given), graphs, data)
    return int(given)


def name_of(data: str) -> str:
    """Return the name of data in results."""
    name = Path(data).name.removesuffix(".gz")
    for suffix in (".zip", ".parquet", ".csv", ".tsv", ".sdf", ".g6"):
        name = name.removesuffix(suffix)
    return name


def _load(data: str, columns: Columns) -> tuple[Graphs, NDArray[Any] | None]:
    if is_table(data, columns):
        return _molecules(data, columns)
    columns.refuse_without_table(data)
    if data == "csl":
        return datasets.csl()
    path = Path(data)
    if path.suffix == ".parquet":
        return Graphs.from_parquet(path), None
    if data.lower().endswith(_GRAPH6):
        return datasets.read_graph6(path), None
    if not path.exists() and re.fullmatch(r"[\w.+-]+", data):
        kept = find_tu(data)
        if kept is not None:
            return datasets.read_tu(kept)
        if data in TU_NAMES:
            return datasets.fetch_tu(data)
        raise FileNotFoundError(
            f"there is no folder or zip {data}, here or in the folder that GRAFIK_DATA names "
            f"({os.environ.get('GRAFIK_DATA') or 'not set'}); can be downloaded by "
            f"name: {', '.join(sorted(TU_NAMES))}"
        )
    if path.is_file() and path.suffix.lower() != ".zip" and not is_zipfile(path):
        raise ValueError(
            f"{data} is not data: that is a TU folder or zip, or a .parquet, .csv, .tsv, .sdf or "
            ".g6 file; a table of molecules with another name needs --smiles COLUMN"
        )
    return datasets.read_tu(path)


def _molecules(data: str, columns: Columns) -> tuple[Graphs, NDArray[Any] | None]:
    """Read a table of molecules."""
    if not Path(data).is_file():
        raise FileNotFoundError(f"there is no file {data}")
    wanted: dict[str, Any] = {"target": columns.target, "id": columns.id}
    wanted |= {"errors": columns.errors.value, **columns.molecules.options}
    try:
        if data.lower().endswith(_SDF):
            if columns.smiles is not None:
                raise ValueError(f"--smiles is for tables, but {data} has molecules; leave it out")
            return datasets.read_sdf(data, **wanted)
        return datasets.read_csv(data, smiles=columns.smiles or "smiles", **wanted)
    except ValueError as error:
        # What is an argument there is an option here.
        raise ValueError(str(error).replace("errors='skip'", "--errors skip")) from error
