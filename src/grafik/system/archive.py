"""One file of named arrays and JSON, with checksums: how models are kept on disk.

It is a zip, not compressed, of ``manifest.json`` and one ``.npy`` file for each array. Nothing in
it is ever executed. Reading takes twice as much memory as the file has bytes, and more for the
manifest, as objects of Python are larger than their text; if more than is free, it is refused.
"""

from __future__ import annotations

import io
import json
import math
import os
import tokenize
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from .files import check_source, expanded, replacing
from .memory import memory_for, refuse_what_does_not_fit

FORMAT, VERSION = "grafik archive", 2

_MANIFEST = "manifest.json"
# Booleans, integers, floats and strings; objects would need pickle.
_DTYPES = "biufU"
_MAX_MEMBERS = 1000
_COPIES = 2.0  # of a file that are there at the same time
_OBJECTS = 40.0  # bytes of objects that Python makes of a byte of JSON, at most
_WAY_OUT = "load it where there is more memory"
_MADE = (1980, 1, 1, 0, 0, 0)  # the same content makes the same bytes
_END, _END_SIZE = b"PK\x05\x06", 22  # the last record of a zip
# What zipfile, json and NumPy raise depends on which byte is wrong.
_DAMAGE = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    EOFError,
    zipfile.BadZipFile,
    tokenize.TokenError,
)


class Archive(NamedTuple):
    """What is in an archive.

    Attributes
    ----------
    kind : str
        What it was made of.
    content : dict
        What can be said in JSON.
    arrays : dict of ndarray
        Read-only.
    """

    kind: str
    content: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def write_archive(
    path: str | os.PathLike[str],
    kind: str,
    content: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write an archive; the file appears, or replaces an older one, only when it is complete.

    Parameters
    ----------
    path : path of the file
    kind : str
        What the content is, for whoever reads it.
    content : mapping
        Whatever JSON can say; no NaN and no infinity.
    arrays : mapping from names to ndarray
        Of numbers, booleans or strings.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from grafik.system.archive import read_archive, write_archive
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "small.grafik"
    >>> write_archive(path, "example", {"answer": 42}, {"x": np.arange(3)})
    >>> read_archive(path)
    Archive(kind='example', content={'answer': 42}, arrays={'x': array([0, 1, 2])})
    """
    if len(arrays) >= _MAX_MEMBERS:
        raise ValueError(
            f"{path} cannot hold {len(arrays)} arrays: a file has at most {_MAX_MEMBERS - 1} of "
            "them; make do with fewer folds, or with fewer parts"
        )
    members = {f"{name}.npy": _packed(name, array) for name, array in arrays.items()}
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "grafik": __version__,
        "kind": kind,
        "sha256": {name: sha256(data).hexdigest() for name, data in members.items()},
        "content": dict(content),
    }
    text = json.dumps(manifest, allow_nan=False).encode()
    with replacing(expanded(path)) as part, zipfile.ZipFile(part, "w") as file:
        for name, data in {_MANIFEST: text, **members}.items():
            file.writestr(zipfile.ZipInfo(name, _MADE), data)


def read_archive(path: str | os.PathLike[str]) -> Archive:
    """Read an archive, and refuse a file that is damaged or something else.

    Parameters
    ----------
    path : path of the file

    Returns
    -------
    Archive

    Raises
    ------
    ValueError
        Naming the file and what is wrong with it.
    """
    file = check_source(path)
    with memory_for(f"reading {file}", _WAY_OUT), file.open("rb") as handle:
        start = handle.read(4)
        if start != b"PK\x03\x04":
            found = "is empty" if not start else f"starts with {start!r}"
            raise ValueError(f"{file} was not saved by grafik: it {found}, which is no archive")
        size = handle.seek(0, os.SEEK_END)
        refuse_what_does_not_fit(_COPIES * size, f"reading {file}", _WAY_OUT)
        handle.seek(0)
        data = handle.read()
    try:
        with memory_for(f"reading {file}", _WAY_OUT):
            return _read(data, str(file))
    except _Foreign as error:
        raise ValueError(f"{file} {error}") from None
    except _DAMAGE as error:
        raise ValueError(
            f"{file} is damaged: {str(error) or repr(error)}; save it again"
        ) from error


def is_safetensors(path: str | os.PathLike[str]) -> bool:
    """Tell a safetensors file by its start: the length of a JSON object, and its first letter.

    Examples
    --------
    >>> from grafik.system.archive import is_safetensors
    >>> is_safetensors("nowhere.safetensors")
    False
    """
    file = Path(path)
    if not file.is_file():
        return False
    with file.open("rb") as handle:
        start = handle.read(9)
    length = int.from_bytes(start[:8], "little")
    return start[8:] == b"{" and 8 + length <= file.stat().st_size


class _Foreign(Exception):
    """Says that a file is no archive, or one of another version."""


def _read(data: bytes, path: str) -> Archive:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        starts = [info.header_offset for info in file.infolist()]
        if not data[-_END_SIZE:].startswith(_END) or min(starts, default=0) > 0:
            raise ValueError("there are other bytes before or behind the archive")
        members = _members(file, len(data))
        if _MANIFEST not in members:
            raise _Foreign(f"was not saved by grafik: it is a zip without {_MANIFEST}")
        text = file.read(_MANIFEST)
        refuse_what_does_not_fit(_OBJECTS * len(text), f"reading {_MANIFEST} of {path}", _WAY_OUT)
        manifest = _manifest(text)
        sums = _field(manifest, "sha256", dict)
        if set(members) != {_MANIFEST, *sums}:
            odd = sorted(set(members).symmetric_difference({_MANIFEST, *sums}))
            raise ValueError(f"its manifest and its members differ in {odd}")
        arrays = {}
        for name, expected in sums.items():
            member = file.read(name)
            if sha256(member).hexdigest() != expected:
                raise ValueError(f"the checksum of {name} is wrong")
            arrays[name.removesuffix(".npy")] = _unpacked(name, member)
    content = _field(manifest, "content", dict)
    return Archive(_field(manifest, "kind", str), content, arrays)


def _members(file: zipfile.ZipFile, size: int) -> set[str]:
    """Return the names, if reading them all takes no more memory than the file is large."""
    infos = file.infolist()
    names = {info.filename for info in infos}
    if len(infos) > _MAX_MEMBERS or len(names) < len(infos):
        raise ValueError(f"it has {len(infos)} members with {len(names)} names")
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
            raise ValueError(f"{info.filename!r} is compressed, which grafik never does")
    if sum(info.file_size for info in infos) > size:
        raise ValueError("its members are larger than the file")
    return names


def _manifest(data: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{_MANIFEST} is no JSON: {error}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _Foreign(f"was not saved by grafik: {_MANIFEST} is about something else")
    version = _field(manifest, "version", int)
    if version != VERSION:
        maker = manifest.get("grafik")
        remedy = "install a newer grafik" if version > VERSION else "train and save the model again"
        raise _Foreign(
            f"has format version {version}, made by grafik {maker}, but grafik {__version__} "
            f"reads {VERSION}; {remedy}"
        )
    return manifest


def _field(mapping: dict[str, Any], name: str, expected: type) -> Any:
    value = mapping.get(name)
    if type(value) is not expected:
        raise ValueError(f"{_MANIFEST} lacks {name!r}")
    return value


def _packed(name: str, array: NDArray[Any]) -> bytes:
    if array.dtype.kind not in _DTYPES:
        raise TypeError(f"an array of {array.dtype} cannot be saved: {name}")
    buffer = io.BytesIO()
    np.lib.format.write_array(
        buffer, np.ascontiguousarray(array).reshape(array.shape), (1, 0), allow_pickle=False
    )
    return buffer.getvalue()


def _unpacked(name: str, data: bytes) -> NDArray[Any]:
    """Return a view of the bytes, if they are what their header says."""
    buffer = io.BytesIO(data)
    version = np.lib.format.read_magic(buffer)
    if version != (1, 0):
        raise ValueError(f"{name} has the version {version} of NumPy's format")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(buffer)
    here = len(data) - buffer.tell()
    if dtype.kind not in _DTYPES or not dtype.itemsize or fortran:
        raise ValueError(f"{name} is an array of {dtype} in an order that grafik never writes")
    if math.prod(shape) * dtype.itemsize != here or min(shape, default=0) < 0:
        raise ValueError(f"{name} says that it has shape {shape} of {dtype} in {here} bytes")
    return np.frombuffer(data, dtype, offset=buffer.tell()).reshape(shape)
