"""What is in sub-folders of a folder that should hold a data set in TU format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

from .tu_words import is_one_of, letters

# How deep sub-folders are looked at, how many of them, and how many names in each.
_DEPTH, _FOLDERS, _ENTRIES = 3, 100, 1000
_EDGES = "_A.txt"


def names_below(folder: Path, name: str) -> list[str]:
    """Return the names of files in sub-folders that may belong to a data set.

    Files of other data sets there are left out, and so are hidden folders. No link is followed.

    Parameters
    ----------
    folder : Path
        The folder of the data set.
    name : str
        The name of the data set.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik.datasets.tu_folders import names_below
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "raw").mkdir()
    >>> for file in ("X_node_labels.txt", "OTHER_A.txt", "OTHER_node_labels.txt"):
    ...     (folder / "raw" / file).touch()
    >>> names_below(folder, "X")
    ['raw/X_node_labels.txt']
    """
    return [str(place / file) for place, files in _below(folder) for file in _own(files, name)]


def data_sets_below(folder: Path) -> list[str]:
    """Return the names of the sub-folders that hold a data set in TU format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik.datasets.tu_folders import data_sets_below
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "raw").mkdir()
    >>> (folder / "raw" / "X_A.txt").touch()
    >>> data_sets_below(folder)
    ['raw']
    """
    return [
        str(place)
        for place, files in _below(folder)
        if any(file.endswith(_EDGES) and file[:2] != "._" for file in files)
    ]


def _below(folder: Path) -> Iterator[tuple[PurePosixPath, list[str]]]:
    """Yield sub-folders and their files, the outer ones first."""
    places = [PurePosixPath()]
    for place in places:  # which grows
        files, folders = _listed(folder / place)
        if place.parts:
            yield place, files
        if len(place.parts) < _DEPTH:
            places += [place / one for one in folders[: _FOLDERS + 1 - len(places)]]


def _listed(folder: Path) -> tuple[list[str], list[str]]:
    """Return the names of the first files of a folder, and those of its folders."""
    files, folders = [], []
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, _ENTRIES):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                else:
                    files.append(entry.name)
    except OSError:  # nobody was asked to read there
        return [], []
    shown = (one for one in folders if not one.startswith(".") and one != "__MACOSX")
    return sorted(files), sorted(shown)


def _own(files: list[str], name: str) -> list[str]:
    """Return the files that may belong to a data set, and to no other one in the same folder."""
    others = {file.removesuffix(_EDGES) for file in files if file.endswith(_EDGES)} - {name}
    own = []
    for file in files:
        owner = max(
            (one for one in (name, *others) if file.startswith(f"{one}_")), default=None, key=len
        )
        may = letters(file).startswith(letters(name)) or (not others and is_one_of(file))
        if owner == name or (owner is None and may):
            own.append(file)
    return own
