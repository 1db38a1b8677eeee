"""The numbers in files of TU format: read fast; if that fails, the first bad line is named."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tu_files import Source

_MAX_COLUMNS = 100_000
_PIECE = 1 << 20  # bytes that are searched for a bad line at a time
_PATTERN = {
    "integer": re.compile(r"-?[0-9]+"),
    "float": re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"),
}
# What numbers are written with, besides what stands between them.
_INTEGERS, _FLOATS = b"-0123456789, \t\n", b"-+0123456789.eE, \t\n"
_PLUS = re.compile(rb"(?<![eE])\+")
# Older NumPy reads integers that are too large as floats; those with fewer digits never are.
_DIGITS = 19
_MANY_DIGITS, _NINES = b"9" * _DIGITS, bytes.maketrans(b"012345678", b"9" * 9)
_LONG = re.compile(rb"(?<![0-9])-?(?:[0-9]{20,}|9[0-9]{18})")  # others have 64 bits
_LINE_END = re.compile(rb"\r\n|\n|\r")


def read_table(
    source: Source, name: str, kind: str, columns: int | None = None
) -> NDArray[Any] | None:
    """Read one file of a data set as a table of integers or floats.

    Parameters
    ----------
    source : Source
    name : str
        The part of the file's name after that of the data set.
    kind : {"integer", "float"}
    columns : int, optional
        Required number of columns; by default that of the first line.

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
        if columns > _MAX_COLUMNS:
            raise ValueError(
                f"{source.file(name)}, line 1: {columns} numbers, more than {_MAX_COLUMNS}"
            )
    table = _parse(data, dtype, columns)
    if table is None or not np.isfinite(table).all():
        raise ValueError(_first_fault(data, source.file(name), kind, columns))
    return table


def _parse(data: bytes, dtype: Any, columns: int) -> NDArray[Any] | None:
    """Return a table of numbers between commas, or None if a line holds anything else."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    # NumPy reads more than numbers as they are written here, such as 0x1, 1_0, +1 or nan.
    known = _INTEGERS if dtype is np.int64 else _FLOATS
    if data.translate(None, known) or (b"+" in data and _PLUS.search(data)):
        return None
    if dtype is np.int64 and not _all_have_64_bits(data):
        return None
    if _has_empty_line(data):  # NumPy leaves it out, and warns where there is no other one
        return None
    try:
        table = np.loadtxt(io.BytesIO(data), dtype, None, delimiter=",", ndmin=2, encoding="ascii")
    except (ValueError, OverflowError):
        return None
    return table if table.shape[1] == columns else None


def _has_empty_line(data: bytes) -> bool:
    return not data or data.startswith(b"\n") or data.endswith(b"\n") or b"\n\n" in data


def _all_have_64_bits(data: bytes) -> bool:
    first = data.translate(_NINES).find(_MANY_DIGITS)
    if first < 0:
        return True
    found = _LONG.finditer(data, max(first - 1, 0))  # with the sign
    return all(_has_64_bits(number[0].decode("ascii")) for number in found)


def _has_64_bits(number: str) -> bool:
    digits = number.lstrip("-0")
    return len(digits) <= _DIGITS and int(digits or "0") < 2**63 + number.startswith("-")


def _first_fault(data: bytes, file: str, kind: str, columns: int) -> str:
    """Return a message that names the first bad line."""
    start, number = 0, 0
    while start < len(data):
        end = _end_of_line(data, start + _PIECE)
        piece = data[start:end]
        table = _parse(_without_end(piece), np.int64 if kind == "integer" else np.float64, columns)
        # What can be read is passed over fast: a bad line may come after millions of good ones.
        if table is not None and np.isfinite(table).all():
            number += len(table)
        else:
            for line in _lines(piece):
                number += 1
                fault = _fault(line, kind, columns)
                if fault:
                    return f"{file}, line {number}: {fault}"
        start = end
    return f"{file} cannot be read as a table of {kind}s"


def _end_of_line(data: bytes, at: int) -> int:
    """Return where the line ends that holds a place, behind its end."""
    found = _LINE_END.search(data, at)
    return found.end() if found else len(data)


def _without_end(piece: bytes) -> bytes:
    """Return whole lines without the end of the last one."""
    for end in (b"\r\n", b"\n", b"\r"):
        if piece.endswith(end):
            return piece.removesuffix(end)
    return piece


def _lines(data: bytes) -> Iterator[str]:
    """Yield one line after the other, without a list: there may be millions of empty ones."""
    start = 0
    for end in _LINE_END.finditer(data):
        yield data[start : end.start()].decode("utf-8", "replace")
        start = end.end()
    if start < len(data):
        yield data[start:].decode("utf-8", "replace")


def _fault(line: str, kind: str, columns: int) -> str | None:
    """Return what is wrong with a line, None if it is right."""
    text = repr(line if len(line) <= 60 else line[:57] + "...")
    if not line.strip(" \t"):
        return "the line is empty; there must be one line for each item"
    if line.count(",") + 1 != columns:
        return f"expected {columns} numbers with commas between them, got {text}"
    for field in (field.strip(" \t") for field in line.split(",")):
        if not _PATTERN[kind].fullmatch(field):
            article = "an integer" if kind == "integer" else "a finite number"
            return f"expected {article}, got {field[:60]!r}"
        if kind == "integer" and not _has_64_bits(field):
            return f"{field[:60]} is too large an integer"
        if kind == "float" and not np.isfinite(float(field)):
            return f"{field[:60]} is too large a number"
    return None
