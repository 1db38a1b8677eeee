"""Where the files of a data set are: a folder, or a zip read in place."""

from __future__ import annotations

import difflib
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

_MAX_MEMBERS = 1000

# What Python's zip reader raises, depending on the byte that is wrong.
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


class Source:
    """A folder with one data set.

    Attributes
    ----------
    name : str
        Name of the data set: what stands before ``_A.txt``.
    """

    def __init__(self, path: Path, names: list[str]) -> None:
        self.path = path
        found = sorted(name.removesuffix("_A.txt") for name in names if name.endswith("_A.txt"))
        if not found:
            raise FileNotFoundError(
                f"{path} is no data set in TU format: it has no file NAME_A.txt"
            )
        if len(found) > 1:
            raise ValueError(f"{path} holds more than one data set: {', '.join(found)}")
        self.folder, self.name = PurePosixPath(found[0]).parent, PurePosixPath(found[0]).name

    def file(self, part: str) -> str:
        """Return the name of a file, for messages."""
        return f"{self.name}_{part}.txt"

    def read(self, part: str) -> bytes | None:
        """Return what is in a file, None if there is none."""
        file = self.path / self.file(part)
        return file.read_bytes() if file.is_file() else None

    def __str__(self) -> str:
        return str(self.path)


class _Zip(Source):
    """A zip with one data set; nothing of it is written to disk."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, max_bytes: int) -> None:
        members = checked_members(path, archive, max_bytes)
        super().__init__(path, list(members))
        self.archive = archive
        self.members = members

    def read(self, part: str) -> bytes | None:
        member = self.members.get(str(self.folder / self.file(part)))
        if member is None:
            return None
        try:
            return self.archive.read(member)
        except DAMAGED as error:
            raise ValueError(f"{self.path} is damaged: {member.filename}: {error}") from error


@contextmanager
def open_source(path: str | os.PathLike[str], max_bytes: int) -> Iterator[Source]:
    """Open a folder or a zip."""
    place = Path(path).expanduser()
    if place.is_dir():
        yield Source(place, [entry.name for entry in place.iterdir()])
        return
    if not place.exists():
        raise FileNotFoundError(f"there is no folder or zip {place}{_hint(place)}")
    try:
        archive = zipfile.ZipFile(place)
    except DAMAGED as error:
        raise ValueError(f"{place} is neither a folder nor a complete zip: {error}") from error
    with archive:
        yield _Zip(place, archive, max_bytes)


def _hint(place: Path) -> str:
    """Suggest a name that is much like the missing one."""
    if not place.parent.is_dir():
        return f": there is no folder {place.parent} either"
    names = [entry.name for entry in place.parent.iterdir()]
    close = difflib.get_close_matches(place.name, names, n=1)
    return f"; did you mean {place.parent / close[0]}?" if close else ""


def checked_members(
    path: Path, archive: zipfile.ZipFile, max_bytes: int
) -> dict[str, zipfile.ZipInfo]:
    """Return the text files of a zip by name, once nothing about the zip is suspicious."""
    infos = archive.infolist()
    if len(infos) > _MAX_MEMBERS:
        raise ValueError(f"{path} is refused: it has more than {_MAX_MEMBERS} members")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = PurePosixPath(info.filename)
        parts = name.parts or ("",)
        if name.is_absolute() or ".." in parts or "\\" in info.filename or ":" in parts[0]:
            raise ValueError(f"{path} is refused: the member {info.filename!r} leaves the archive")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise ValueError(f"{path} is refused: the member {info.filename!r} is a link")
        if info.flag_bits & 1:
            raise ValueError(f"{path} is refused: the member {info.filename!r} is encrypted")
        if info.is_dir() or parts[0] == "__MACOSX" or name.name.startswith("."):
            continue
        if info.filename in members:
            raise ValueError(f"{path} is refused: it has two members {info.filename!r}")
        members[info.filename] = info
    size = sum(info.file_size for info in members.values())
    if size > max_bytes:
        raise ValueError(
            f"{path} is refused: it unpacks to {size} bytes, more than max_bytes={max_bytes}"
        )
    return members
