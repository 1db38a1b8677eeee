"""The description at the end of a Parquet file, as lists that can be edited, and back.

It is written in Thrift's compact protocol: a structure is a list of fields, each with its number,
its kind and its value; what is in a list has one kind.
"""

import struct
from io import BytesIO
from typing import Any

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_INTEGERS = (_I16, _I32, _I64)
_MAGIC = b"PAR1"


def split(data: bytes) -> tuple[bytes, list[Any]]:
    """Return what stands before the description of a Parquet file, and the description."""
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - length], _read(BytesIO(data[-8 - length : -8]), _STRUCT)


def joined(pages: bytes, description: list[Any]) -> bytes:
    """Return a Parquet file: what :func:`split` was given."""
    out = BytesIO()
    _write(out, _STRUCT, description)
    length = len(out.getvalue()).to_bytes(4, "little")
    return pages + out.getvalue() + length + _MAGIC


def integers(value: Any) -> list[list[Any]]:
    """Return the paths to all integers of a description, without numbers and kinds of fields."""
    if type(value) is int:
        return [[]]
    if isinstance(value, dict):
        return [
            ["items", i, *path] for i, one in enumerate(value["items"]) for path in integers(one)
        ]
    if isinstance(value, list):
        return [[i, 2, *path] for i, (_, _, one) in enumerate(value) for path in integers(one)]
    return []


def _read(file: BytesIO, kind: int) -> Any:
    if kind in (_TRUE, _FALSE):
        return file.read(1) == b"\x01"
    if kind == _BYTE:
        return file.read(1)[0]
    if kind in _INTEGERS:
        number = _read_number(file)
        return number >> 1 ^ -(number & 1)
    if kind == _DOUBLE:
        return struct.unpack("<d", file.read(8))[0]
    if kind == _BINARY:
        return file.read(_read_number(file))
    if kind == _STRUCT:
        return list(_read_fields(file))
    if kind == _MAP:
        raise ValueError("descriptions of Parquet files have no maps")
    head = file.read(1)[0]
    size = head >> 4 if head >> 4 < 15 else _read_number(file)
    return {"kind": head & 15, "items": [_read(file, head & 15) for _ in range(size)]}


def _read_fields(file: BytesIO) -> Any:
    number = 0
    while head := file.read(1)[0]:
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            coded = _read_number(file)
            number = coded >> 1 ^ -(coded & 1)
        yield [number, kind, kind == _TRUE if kind in (_TRUE, _FALSE) else _read(file, kind)]


def _read_number(file: BytesIO) -> int:
    number, shift = 0, 0
    while True:
        byte = file.read(1)[0]
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number


def _write(out: BytesIO, kind: int, value: Any) -> None:
    if kind in (_TRUE, _FALSE):
        out.write(b"\x01" if value else b"\x02")
    elif kind == _BYTE:
        out.write(bytes([value]))
    elif kind in _INTEGERS:
        _write_number(out, value << 1 if value >= 0 else ~value << 1 | 1)
    elif kind == _DOUBLE:
        out.write(struct.pack("<d", value))
    elif kind == _BINARY:
        _write_number(out, len(value))
        out.write(value)
    elif kind == _STRUCT:
        _write_fields(out, value)
    else:
        kind, size = value["kind"], len(value["items"])
        out.write(bytes([min(size, 15) << 4 | kind]))
        if size >= 15:
            _write_number(out, size)
        for one in value["items"]:
            _write(out, kind, one)


def _write_fields(out: BytesIO, fields: list[Any]) -> None:
    before = 0
    for number, kind, value in fields:
        shown = (_TRUE if value else _FALSE) if kind in (_TRUE, _FALSE) else kind
        if 0 < number - before < 16:
            out.write(bytes([number - before << 4 | shown]))
        else:
            out.write(bytes([shown]))
            _write(out, _I16, number)
        if kind not in (_TRUE, _FALSE):
            _write(out, kind, value)
        before = number
    out.write(b"\0")


def _write_number(out: BytesIO, number: int) -> None:
    while number > 127:
        out.write(bytes([number & 127 | 128]))
        number >>= 7
    out.write(bytes([number]))
