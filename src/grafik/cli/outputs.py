"""Files that commands write: their names are checked before the work, tables have headers."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..system.files import check_target, replacing

MODEL, INDEX = (".model", ".grafik"), (".index", ".grafik")
MATRIX, VECTORS = (".npz", ".npy"), (".npz", ".parquet")
TABLE, PAGE = (".csv", ".tsv"), (".html", ".htm")


def check_output(path: Path, suffixes: Sequence[str], what: str) -> None:
    """Refuse a name without the right suffix, or a place that cannot be written to.

    Examples
    --------
    >>> from pathlib import Path
    >>> from grafik.cli.outputs import TABLE, check_output
    >>> check_output(Path("found.xls"), TABLE, "a table")
    Traceback (most recent call last):
    ValueError: a table must be a .csv or .tsv file, got 'found.xls'; call it found.csv
    """
    if path.suffix.lower() not in suffixes:
        raise ValueError(
            f"{what} must be a {' or '.join(suffixes)} file, got {path.name!r}; "
            f"call it {path.with_suffix(suffixes[0]).name}"
        )
    check_target(path)


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table with the names of its columns in the first line."""
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with replacing(path) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def as_array(ids: Iterable[Any]) -> NDArray[Any]:
    """Return ids as an array that is read without pickle; those of several types become text.

    Examples
    --------
    >>> from grafik.cli.outputs import as_array
    >>> as_array([3, 5]).tolist(), as_array(["a", 5]).tolist()
    ([3, 5], ['a', '5'])
    """
    given = list(ids)
    kinds = {type(one) for one in given}
    return np.array(given if kinds in ({int}, {str}) else list(map(str, given)))
