"""Text files of numbers, read fast; what is wrong with one is found and named line by line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .sources import Source

_PATTERN = {
    "integer": re.compile(r"-?[0-9]+"),
    "float": re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"),
}
_LINE_END = re.compile(r"\r\n|\n|\r")


def read_table(
    source: Source, name: str, kind: str, columns: int | None = None
) -> NDArray[Any] | None:
    """Read one file of a data set as a table of integers or floats.

    Parameters
    ----------
    source : Source
    name : str
        The part of the file's name behind that of the data set.
    kind : {"integer", "float"}
    columns : int, optional
        How many columns there must be; by default as many as in the first line.

    Returns
    -------
    ndarray of shape (lines, columns), or None
        None if the data set has no such file.
    """
    data = source.read(name)
    if data is None:
        return None
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b" \t\r\n")
    dtype = np.int64 if kind == "integer" else np.float64
    if not data:
        return np.empty((0, columns or 1), dtype)
    if columns is None:
        columns = re.split(rb"[\r\n]", data, maxsplit=1)[0].count(b",") + 1
    table = _parse(data, dtype, columns)
    if table is None or not np.isfinite(table).all():
        raise ValueError(_explain(data, source.file(name), kind, columns))
    return table


def _parse(data: bytes, dtype: Any, columns: int) -> NDArray[Any] | None:
    """Read numbers between commas; None if any line is not that."""
    import pyarrow as pa
    from pyarrow import csv

    if dtype is np.int64 and (b"x" in data or b"X" in data):
        return None  # pyarrow would read hexadecimal numbers
    names = [str(column) for column in range(columns)]
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            # In one block, because a line must not be longer than a block.
            read_options=csv.ReadOptions(column_names=names, block_size=max(len(data), 1)),
            parse_options=csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.from_numpy_dtype(dtype)), null_values=[]
            ),
        )
    except pa.ArrowInvalid:
        return None
    return np.column_stack([column.to_numpy() for column in table.columns])


def _explain(data: bytes, file: str, kind: str, columns: int) -> str:
    """Find the first line that is not as it should be, and say so."""
    lines = _LINE_END.split(data.decode("utf-8", "replace"))
    for number, line in enumerate(lines, 1):
        fields = [field.strip(" \t") for field in line.split(",")]
        at = f"{file}, line {number}"
        text = repr(line if len(line) <= 60 else line[:57] + "...")
        if not line.strip(" \t"):
            return f"{at}: the line is empty; there must be one line for each item"
        if len(fields) != columns:
            return f"{at}: expected {columns} numbers with commas between them, got {text}"
        for field in fields:
            if not _PATTERN[kind].fullmatch(field):
                article = "an integer" if kind == "integer" else "a finite number"
                return f"{at}: expected {article}, got {field[:60]!r}"
            if kind == "integer" and (len(field) > 20 or not -(2**63) <= int(field) < 2**63):
                return f"{at}: {field[:60]} is too large an integer"
            if kind == "float" and not np.isfinite(float(field)):
                return f"{at}: {field[:60]} is too large a number"
    return f"{file} cannot be read as a table of {kind}s"
