"""The members of a zip that a stranger may have made: a suspicious or damaged one is refused."""

from __future__ import annotations

import lzma
import os
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

_MAX_MEMBERS = 1000
_LONGEST, _LONGEST_PATH = 255, 4096  # letters; no file system has longer names, few longer paths
_END = b"PK\x05\x06"  # begins the last record of a zip
_END_SIZE, _END_COUNT = 22, 10  # of that record, and where it counts members
_SUM, _BEHIND = 14, 8  # where a member has its checksum and sizes, unless this bit is set

# Errors that Python's zip reader raises, depending on which byte is wrong.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


def checked_members(
    path: Path, archive: zipfile.ZipFile, max_bytes: int
) -> dict[str, zipfile.ZipInfo]:
    """Return the text files of a zip by name; refuse a suspicious zip."""
    infos = archive.infolist()
    if len(infos) > _MAX_MEMBERS:
        raise ValueError(f"{path} is refused: it has more than {_MAX_MEMBERS} members")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        _refuse_name(path, info)
        if stat.S_ISLNK(info.external_attr >> 16):
            raise ValueError(f"{path} is refused: the member {info.filename!r} is a link")
        if info.flag_bits & 1:
            raise ValueError(f"{path} is refused: the member {info.filename!r} is encrypted")
        name = plain(info.filename)
        parts = PurePosixPath(name).parts
        if name.endswith("/") or parts[0] == "__MACOSX" or parts[-1].startswith("."):
            continue
        if name in members:
            raise ValueError(f"{path} is refused: it has two members {name!r}")
        members[name] = info
    _refuse_damaged_list(path, archive)
    size = sum(info.file_size for info in members.values())
    if size > max_bytes:
        raise ValueError(
            f"{path} is refused: it unpacks to {size} bytes, more than max_bytes={max_bytes}; if "
            "that is right, raise max_bytes"
        )
    return members


def _refuse_name(path: Path, info: zipfile.ZipInfo) -> None:
    """Refuse a name that no file has, or that leads out of the archive."""
    given = info.orig_filename
    if len(given) > _LONGEST_PATH or max(map(len, _slashes(given).split("/"))) > _LONGEST:
        raise ValueError(
            f"{path} is refused: a member has too long a name, of {len(given)} letters, "
            f"{given[:40] + '...'!r}"
        )
    if "\0" in given or plain(info.filename) == ".":
        raise ValueError(f"{path} is refused: {given!r} is no name of a file")
    name = PurePosixPath(_slashes(info.filename))
    if name.is_absolute() or ".." in name.parts or ":" in (name.parts or ("",))[0]:
        raise ValueError(f"{path} is refused: {info.filename!r} points outside the archive")


def plain(name: str) -> str:
    r"""Return the name of a member as it would be if a careful program had written it.

    Some programs put a dot before all names or write a slash twice, some of Windows write
    backslashes. That of a folder ends with a slash.

    Examples
    --------
    >>> from grafik.datasets.tu_members import plain
    >>> plain("./X//X_A.txt"), plain("X\\X_A.txt"), plain("X\\")
    ('X/X_A.txt', 'X/X_A.txt', 'X/')
    """
    path = _slashes(name)
    return str(PurePosixPath(path)) + "/" * path.endswith("/")


def _slashes(name: str) -> str:
    return name.replace("\\", "/")


def _refuse_damaged_list(path: Path, archive: zipfile.ZipFile) -> None:
    """Refuse a zip whose list of members lacks some, or says of them what they do not say.

    The list has no checksum. A file that it does not name would not be read, and one that it calls
    empty would be empty.
    """
    with path.open("rb") as file:
        file.seek(-len(archive.comment) - _END_SIZE, os.SEEK_END)
        end = file.read(_END_SIZE)
    if not end.startswith(_END):
        raise ValueError(f"{path} is damaged: other bytes follow the zip; fetch it anew")
    (wanted,) = struct.unpack_from("<H", end, _END_COUNT)
    found = len(archive.infolist())
    if wanted not in (found, 0xFFFF):  # what stands for a number that is elsewhere
        raise ValueError(f"{path} is damaged: it has {wanted} members, but lists {found}")
    for info in archive.infolist():
        try:
            archive.open(info).close()
        except DAMAGED as error:
            raise ValueError(f"{path} is damaged: {info.filename}: {error}") from error
        listed = info.CRC, info.compress_size, info.file_size
        with path.open("rb") as file:
            file.seek(info.header_offset + _SUM)
            own = struct.unpack("<3L", file.read(12))
        # What is written piece by piece has these behind it, and large members have them elsewhere.
        known = not info.flag_bits & _BEHIND and 0xFFFFFFFF not in own
        stored = info.compress_type == zipfile.ZIP_STORED
        if (known and own != listed) or (stored and listed[1] != listed[2]):
            raise ValueError(f"{path} is damaged: {info.filename} has two sizes or checksums")
