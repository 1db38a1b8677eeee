"""The files of a data set in TU format: a folder or a zip of text files."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from ..system.files import expanded
from ..system.memory import refuse_what_does_not_fit
from .tu_folders import data_sets_below, names_below
from .tu_kinds import NOT_REGULAR, size_of, status_of
from .tu_members import DAMAGED, checked_members, plain
from .tu_names import changed_into, misnamed_edges, refuse_misnamed
from .tu_words import PARTS

_SHOWN = 5  # data sets that an error names
_COPIES = 4  # of a file that are there at the same time, at most


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
            raise FileNotFoundError(
                f"{path} is not a data set in TU format: it has no file NAME_A.txt"
                f"{_elsewhere(path, names)}"
            )
        if len(found) > 1:
            more = ", ..." if len(found) > _SHOWN else ""
            raise ValueError(
                f"{path} holds more than one data set: {', '.join(found[:_SHOWN])}{more}"
            )
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


def _elsewhere(path: Path, names: list[str]) -> str:
    """Say where the edges of a data set may be, of which there are none where they should be."""
    close = misnamed_edges(names)
    if close is not None:
        return f", but {close!r}; {changed_into(close, 'NAME_A.txt')}"
    below = data_sets_below(path)
    if not below:
        return ""
    others = "" if len(below) == 1 else f", or another of {len(below)} such folders"
    return f", but the folder {below[0]!r} in it has one; read {path / below[0]}{others}"


class _Zip(Source):
    """A zip with one data set; it is not unpacked to disk."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, max_bytes: int) -> None:
        members = checked_members(path, archive, max_bytes)
        super().__init__(path, list(members))
        # Hidden files and folders too, as one wrong byte makes a name look like theirs.
        self.names = [plain(info.filename) for info in archive.infolist()]
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
    place = expanded(path)
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
