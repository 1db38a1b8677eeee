"""Unfinished files and folders: locked while somebody writes to them, cleared when nobody does."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows has no such locks: there, what a killed process leaves stays
    fcntl = None

_SUFFIX = ".part"
# How tempfile ends the names that it makes; other files are not ours.
_OWN = re.compile(rf"\.[a-z0-9_]{{8}}{re.escape(_SUFFIX)}$")
# What a disk may say when something is written to it.
_OF_DISK = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS),
    errno.ENAMETOOLONG,
)
# Bytes that systems allow a name, and those that are added to a temporary one.
_LONGEST, _ADDED = 255, len(f"..k1ll3d_1{_SUFFIX}")


@contextmanager
def unfinished(target: Path, folder: bool = False) -> Iterator[Path]:
    """Give a new hidden file or folder beside `target`, and delete it at the end if it is there.

    What killed processes have left beside the same target is deleted first. An error of the disk
    names the target.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from grafik.system.unfinished import unfinished
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> left = place / ".note.txt.k1ll3d_1.part"
    >>> left.touch()
    >>> with unfinished(place / "note.txt") as part:
    ...     left.exists(), len(list(place.iterdir()))
    (False, 1)
    >>> list(place.iterdir())
    []
    """
    _clear(target)
    lock, part = _made(target, folder)
    try:
        with naming(target):
            yield part
    finally:
        _delete(part)
        os.close(lock)


@contextmanager
def naming(target: Path) -> Iterator[None]:
    """Turn an error of the disk into one that names the file that was to be written."""
    try:
        yield
    except Exception as error:
        number = _number_of(error)
        if number is None:
            raise
        raise refusal(number, target) from error


def _number_of(error: BaseException | None) -> int | None:
    """Return the number of an error of the disk; None if it is another error.

    Whoever closes a file after such an error, as matplotlib does, may stumble over it once more.
    """
    while error is not None:
        for number in _OF_DISK:
            # pyarrow has errors of its own, with the number in their text.
            told = os.strerror(number) in str(error)
            if isinstance(error, OSError) and (told or error.errno == number):
                return number
        error = error.__context__
    return None


def refusal(number: int, target: Path) -> OSError:
    """Return the error that says of which file the disk wants nothing, and what to do."""
    too_long = number == errno.ENAMETOOLONG
    remedy = "choose a shorter name" if too_long else "make room, or choose another place"
    return OSError(
        number,
        f"{target} could not be written ({os.strerror(number)}), and is as it was before; {remedy}",
    )


def _made(target: Path, folder: bool) -> tuple[int, Path]:
    """Make something to write to, and lock it."""
    while True:
        how = _SUFFIX, f".{_shortened(target.name)}.", str(target.parent)
        try:
            if folder:
                part = Path(tempfile.mkdtemp(*how))
                lock = os.open(part, os.O_RDONLY) if fcntl is not None else os.open(os.devnull, 0)
            else:
                lock, name = tempfile.mkstemp(*how)
                part = Path(name)
        except OSError as error:
            raise refusal(error.errno or errno.EIO, target) from error
        # Another writer may have taken it for something that was left, before it was locked.
        if _is_locked(lock) and part.exists():
            return lock, part
        os.close(lock)


def _shortened(name: str) -> str:
    """Return a name that is short enough for a temporary one; that of another name is another."""
    if len(os.fsencode(name)) <= _LONGEST - _ADDED:
        return name
    return f"{name[:40]}-{sha256(os.fsencode(name)).hexdigest()[:16]}"


def _is_locked(file: int) -> bool:
    """Lock an open file, and tell whether that went well; a dead process holds no lock."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # this kind of disk has no locks, and so nothing is ever cleared on it
        return True
    return True


def _clear(target: Path) -> None:
    """Delete what nobody writes to any more."""
    if fcntl is None:
        return
    for left in left_behind(target.parent, glob.escape(_shortened(target.name))):
        with contextlib.suppress(OSError):  # gone already, or not ours to delete
            lock = os.open(left, os.O_RDONLY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _delete(left)
            finally:
                os.close(lock)


def left_behind(folder: Path, names: str) -> Iterator[Path]:
    """Yield the unfinished files and folders in a folder, by the names of finished ones.

    Parameters
    ----------
    folder : Path
    names : str
        Names of the finished files, with wildcards.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from grafik.system.unfinished import left_behind
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> for middle in ("notes", "k1ll3d_1"):
    ...     (place / f".x.txt.{middle}.part").touch()
    >>> [left.name for left in left_behind(place, "*.txt")]
    ['.x.txt.k1ll3d_1.part']
    """
    for left in folder.glob(f".{names}.*{_SUFFIX}"):
        with contextlib.suppress(OSError):  # gone already
            kind = left.lstat().st_mode
            # To open a pipe may take for ever, and a link is none that we made.
            if _OWN.search(left.name) and (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
                yield left


def _delete(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)
