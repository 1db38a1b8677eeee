"""The files of a data set in TU format: a folder or a zip of text files."""

from __future__ import annotations

import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from ..system.memory import refuse_what_does_not_fit
from .tu_folders import names_below
from .tu_kinds import NOT_REGULAR, size_of, status_of
from .tu_names import PARTS, misnamed_edges, refuse_misnamed

_MAX_MEMBERS = 1000
_COPIES = 4  # of a file that are there at the same time, at most
_END = b"PK\x05\x06"  # begins the last record of a zip
_END_SIZE, _END_COUNT = 22, 10  # of that record, and where it counts members
_SUM, _BEHIND = 14, 8  # where a member has its checksum and sizes, unless this bit is set
_HERE = re.compile(r"^(\./+)+")

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


def find_tu(name: str, folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder or zip of a TU data set, or None if there is none.

    Parameters
    ----------
    name : str
        Such as ``"MUTAG"``.
    folder : path, optional
        Where to look; by default the folder that the environment variable ``GRAFIK_DATA`` names.

    Examples
    --------
    >>> import tempfile
    >>> from grafik import datasets
    >>> from grafik.datasets.tu_files import find_tu
    >>> folder = tempfile.mkdtemp()
    >>> datasets.write_tu(f"{folder}/PAIR", *datasets.triangle_pair())
    >>> find_tu("PAIR", folder).name, find_tu("MUTAG", folder)
    ('PAIR', None)
    """
    kept = folder if folder is not None else os.environ.get("GRAFIK_DATA")
    if not kept:
        return None
    places = (Path(kept) / name, Path(kept) / f"{name}.zip")
    return next((place for place in places if place.exists()), None)


class Source:
    """A folder with one data set.

    Attributes
    ----------
    name : str
        Name of the data set: the part of the file name before ``_A.txt``.
    names : list of str
        Names of all files.
    """

    def __init__(self, path: Path, names: list[str]) -> None:
        self.path, self.names = path, names
        # What a Mac leaves on other disks is no data set.
        edges = (name for name in names if name.endswith("_A.txt") and not name.startswith("._"))
        found = sorted(name.removesuffix("_A.txt") for name in edges)
        if not found:
            close = misnamed_edges(names)
            remedy = "" if close is None else f", but {close!r}; rename it to NAME_A.txt"
            raise FileNotFoundError(
                f"{path} is not a data set in TU format: it has no file NAME_A.txt{remedy}"
            )
        if len(found) > 1:
            raise ValueError(f"{path} holds more than one data set: {', '.join(found)}")
        self.folder, self.name = PurePosixPath(found[0]).parent, PurePosixPath(found[0]).name

    def check_names(self, ignore: Collection[str]) -> None:
        """Refuse what looks like a file of the data set but would not or could not be read."""
        start = f"{self.folder / self.name}_"
        wanted = [part for part in PARTS if part not in ignore]
        for part in ("A", *wanted):
            self.size(part)
        refuse_misnamed(str(self.path), start, self.all_names(), wanted)

    def all_names(self) -> list[str]:
        """Return the names of all files, also of those in other folders that look like one."""
        return [*self.names, *names_below(self.path, self.name)]

    def file(self, part: str) -> str:
        """Return the name of a file, for messages."""
        return f"{self.name}_{part}.txt"

    def read(self, part: str) -> bytes | None:
        """Return the contents of a file, or None if it does not exist."""
        size = self.size(part)
        if size is None:
            return None
        refuse_what_does_not_fit(
            _COPIES * size, f"reading {self.file(part)} of {self.path}", "take fewer graphs"
        )
        return self.contents(part)

    def size(self, part: str) -> int | None:
        """Return the size of a file, or None if it does not exist."""
        return size_of(self.path / self.file(part), part)

    def contents(self, part: str) -> bytes:
        """Return the contents of a file that exists."""
        return (self.path / self.file(part)).read_bytes()

    def __str__(self) -> str:
        return str(self.path)


class _Zip(Source):
    """A zip with one data set; it is not unpacked to disk."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, max_bytes: int) -> None:
        members = checked_members(path, archive, max_bytes)
        super().__init__(path, list(members))
        # Hidden files and folders too, as one wrong byte makes a name look like theirs.
        self.names = [_plain(info.filename) for info in archive.infolist()]
        self.archive = archive
        self.members = members

    def all_names(self) -> list[str]:
        return self.names

    def size(self, part: str) -> int | None:
        member = self.members.get(self._member(part))
        return None if member is None else member.file_size

    def contents(self, part: str) -> bytes:
        member = self._member(part)
        try:
            return self.archive.read(self.members[member])
        except DAMAGED as error:
            raise ValueError(f"{self.path} is damaged: {member}: {error}") from error

    def _member(self, part: str) -> str:
        return str(self.folder / self.file(part))


@contextmanager
def open_source(path: str | os.PathLike[str], max_bytes: int) -> Iterator[Source]:
    """Open a folder or a zip."""
    place = Path(path).expanduser()
    mode = status_of(place, "folder or zip").st_mode
    if stat.S_ISDIR(mode):
        yield Source(place, [entry.name for entry in place.iterdir()])
        return
    if not stat.S_ISREG(mode):
        raise ValueError(f"{place} is neither a folder nor a complete zip: {NOT_REGULAR}")
    try:
        archive = zipfile.ZipFile(place)
    except DAMAGED as error:
        raise ValueError(f"{place} is neither a folder nor a complete zip: {error}") from error
    with archive:
        yield _Zip(place, archive, max_bytes)


def checked_members(
    path: Path, archive: zipfile.ZipFile, max_bytes: int
) -> dict[str, zipfile.ZipInfo]:
    """Return the text files of a zip by name; refuse a suspicious zip."""
    infos = archive.infolist()
    if len(infos) > _MAX_MEMBERS:
        raise ValueError(f"{path} is refused: it has more than {_MAX_MEMBERS} members")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        if "\0" in info.orig_filename or not info.filename:
            raise ValueError(f"{path} is refused: {info.orig_filename!r} is no name of a file")
        name = PurePosixPath(info.filename)
        parts = name.parts or ("",)
        if name.is_absolute() or ".." in parts or "\\" in info.filename or ":" in parts[0]:
            raise ValueError(f"{path} is refused: {info.filename!r} points outside the archive")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise ValueError(f"{path} is refused: the member {info.filename!r} is a link")
        if info.flag_bits & 1:
            raise ValueError(f"{path} is refused: the member {info.filename!r} is encrypted")
        if info.is_dir() or parts[0] == "__MACOSX" or name.name.startswith("."):
            continue
        plain = _plain(info.filename)
        if plain in members:
            raise ValueError(f"{path} is refused: it has two members {plain!r}")
        members[plain] = info
    _refuse_damaged_list(path, archive)
    size = sum(info.file_size for info in members.values())
    if size > max_bytes:
        raise ValueError(
            f"{path} is refused: it unpacks to {size} bytes, more than max_bytes={max_bytes}; if "
            "that is right, raise max_bytes"
        )
    return members


def _plain(name: str) -> str:
    """Return the name of a member without the dot for the folder in which all are."""
    return _HERE.sub("", name)


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
