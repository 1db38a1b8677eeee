"""What stands where a reader looks for a file: one, a link, a folder, a pipe or nothing."""

from __future__ import annotations

import difflib
import errno
import os
import stat
from pathlib import Path

from .tu_names import way_out

_NOTHING = (errno.ENOENT, errno.ENAMETOOLONG)  # nothing has a name that is too long
_GONE = (errno.ENOENT, errno.ENOTDIR)  # where the way of a link ends
_MISSING = (*_NOTHING, errno.ENOTDIR, errno.ELOOP)
# To open a pipe may take for ever, and nobody can go back in one.
NOT_REGULAR = "it is no regular file; save what it gives to a file first, and read that"


def status_of(place: Path, wanted: str) -> os.stat_result:
    """Return what the system says of a path that a reader was given.

    Links are followed. If nothing is there, the error says why, or names a similar path.

    Parameters
    ----------
    place : Path
    wanted : str
        What should be there, for messages.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik.datasets.tu_kinds import status_of
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> (place / "mols.csv").touch()
    >>> status_of(place / "mols.csv", "file").st_size
    0
    >>> status_of(place / "mol.csv", "file")
    Traceback (most recent call last):
    FileNotFoundError: there is no file ...mol.csv; did you mean ...mols.csv?
    """
    try:
        return place.stat()
    except ValueError as error:  # a NUL, for example
        raise FileNotFoundError(f"there is no {wanted} {place}: {error}") from error
    except OSError as error:
        if error.errno not in _MISSING:
            raise
        raise FileNotFoundError(f"there is no {wanted} {place}{_why(place, error)}") from error


def _why(place: Path, error: OSError) -> str:
    """Say why there is nothing at a path: a broken link, a missing folder, or another name."""
    if _is_link(place):
        return f": it {_broken(place, error)}"
    if error.errno == errno.ENAMETOOLONG:
        return f": {error.strerror}"
    if not place.parent.is_dir():
        return f": there is no folder {place.parent} either"
    names = [entry.name for entry in place.parent.iterdir()]
    close = difflib.get_close_matches(place.name, names, n=1)
    return f"; did you mean {place.parent / close[0]}?" if close else ""


def _is_link(place: Path) -> bool:
    try:
        return place.is_symlink()
    except OSError:  # the name is too long
        return False


def _broken(link: Path, error: OSError) -> str:
    """Say where a link leads that cannot be followed, and what to do."""
    if error.errno in _GONE:
        return f"is a link to {os.path.realpath(link)!r}, which is not there; fetch it"
    return (
        f"is a link to {str(link.readlink())!r}, which cannot be followed: {error.strerror}; put a "
        "file in its place"
    )


def size_of(file: Path, part: str) -> int | None:
    """Return the size of a file, or None if there is nothing of that name.

    What is there but is no regular file is refused, and never opened: a pipe would wait forever.
    Links are followed.

    Parameters
    ----------
    file : Path
    part : str
        What the file holds, for messages.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik.datasets.tu_kinds import size_of
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "X_node_labels.txt"
    >>> size_of(file, "node_labels") is None
    True
    >>> file.mkdir()
    >>> size_of(file, "node_labels")
    Traceback (most recent call last):
    ValueError: ...X_node_labels.txt is a folder; put a file in its place, or leave it out with ...
    """
    try:
        is_link = stat.S_ISLNK(file.lstat().st_mode)
    except OSError as error:
        if error.errno in _NOTHING:
            return None
        raise
    try:
        status = file.stat()
    except OSError as error:
        if not is_link:
            raise
        raise ValueError(f"{file} {_broken(file, error)}{way_out(part)}") from error
    if stat.S_ISREG(status.st_mode):
        return status.st_size
    link = f"is a link to {str(file.readlink())!r}, which " if is_link else ""
    fault = "is a folder" if stat.S_ISDIR(status.st_mode) else "is no regular file"
    raise ValueError(f"{file} {link}{fault}; put a file in its place{way_out(part)}")
