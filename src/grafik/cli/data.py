"""The data that an argument of the command line names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from ..datasets.tu_files import find_tu
from ..graphs.batch import Graphs
from ..system.files import check_target

# TU data sets that are downloaded by name alone; datasets.fetch_tu downloads any of them.
# fmt: off
TU_NAMES = frozenset((
    "AIDS", "BZR", "BZR_MD", "COLLAB", "COX2", "COX2_MD", "DD", "DHFR", "DHFR_MD", "ENZYMES",
    "ER_MD", "IMDB-BINARY", "IMDB-MULTI", "MUTAG", "Mutagenicity", "NCI1", "NCI109", "PROTEINS",
    "PTC_FM", "PTC_FR", "PTC_MM", "PTC_MR", "REDDIT-BINARY", "REDDIT-MULTI-5K", "SYNTHETIC",
))
# fmt: on


def load(data: str, labels: Path | None = None) -> tuple[Graphs, NDArray[Any] | None]:
    """Return the graphs that an argument of the command line names, and their classes."""
    graphs, y = _load(data)
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


def load_classes(data: str, labels: Path | None) -> tuple[Graphs, NDArray[Any]]:
    """Return graphs and their classes; refuse data without classes."""
    graphs, y = load(data, labels)
    if y is None:
        raise ValueError(f"{data} has no classes; give a file with one per line: --labels FILE")
    return graphs, y


def check_number(number: int, graphs: Graphs, data: str) -> None:
    """Refuse the number of a graph that does not exist."""
    if not 0 <= number < len(graphs):
        raise ValueError(
            f"there is no graph {number}: {data} has {len(graphs)}, counted from 0"
            + (f" to {len(graphs) - 1}" if len(graphs) else "")
        )


def check_page(path: Path) -> None:
    """Refuse a path that no page can be written to, before the work begins."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"a page must be an .html file, got {path.name!r}")
    check_target(path)


def name_of(data: str) -> str:
    """Return the name of data in results."""
    return Path(data).name.removesuffix(".zip").removesuffix(".parquet")


def _load(data: str) -> tuple[Graphs, NDArray[Any] | None]:
    if data == "csl":
        return datasets.csl()
    path = Path(data)
    if path.suffix == ".parquet":
        return Graphs.from_parquet(path), None
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
    return datasets.read_tu(path)
