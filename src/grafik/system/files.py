"""Writing files so that nobody ever reads half of one."""

from __future__ import annotations

import errno
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .unfinished import left_behind, refusal, unfinished

# Names of files that are in a folder only while work goes on there.
MARK = ".mark-"
LOCK = ".lock"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`, and move it into place when all went well.

    Whatever stands at `path` stays as it is until then, and for good if something goes wrong. A
    link stays: what it leads to is replaced. The new file has the mode of the old one, and its
    group where that is possible. What killed processes have left of the same name is deleted first.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from grafik.system.files import replacing
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with replacing(folder / "note.txt") as part:
    ...     _ = part.write_text("all of it")
    >>> [file.name for file in folder.iterdir()]
    ['note.txt']
    """
    check_target(path)
    target = written_to(Path(path))
    with unfinished(target) as part:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        give_permissions(part, target)
        part.replace(target)


def clear_unfinished(folder: Path, names: str) -> None:
    """Delete unfinished files of :func:`replacing` that killed processes have left.

    Parameters
    ----------
    folder : Path
        Nobody may be writing such files there.
    names : str
        Names of the finished files, with wildcards.
    """
    for left in left_behind(folder, names):
        left.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder for results if there is none, or say that none can be written there."""
    with writable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turn an error of the disk into one that names the folder of the results."""
    try:
        yield
    except BlockingIOError:  # another run uses the folder, and the error says so
        raise
    except OSError as error:
        raise OSError(
            error.errno,
            f"results cannot be written to {folder} ({_said(error)}); choose another folder",
        ) from error


@contextmanager
def resumable(path: Path, kept: str) -> Iterator[None]:
    """Say of an error of the disk which file it is about, what is kept, and how to go on."""
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno,
            f"could not write to {path} ({_said(error)}); {kept}, so make room "
            "and start again to go on",
        ) from error


def _said(error: OSError) -> str:
    """Return what the system says of an error; those of NumPy have no number, but a text."""
    return os.strerror(error.errno) if error.errno else str(error)


def written_to(path: Path) -> Path:
    """Return the file that a path leads to, which may be a link."""
    if not path.is_symlink():
        return path
    try:
        target = path.resolve()
        circle = target.is_symlink()  # newer versions of Python go as far as they can
    except (OSError, RuntimeError):
        circle = True
    if circle:
        raise FileExistsError(
            f"{path} is a link that leads to itself; remove it, or choose another name"
        )
    return target


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no file can be written to; long work asks before it begins."""
    check_name(path)
    target = written_to(Path(path))
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; name a file in it")
    # A link to a pipe without a name, as /dev/stdout may be, leads to a file that is not there.
    if Path(path).exists() and not target.is_file():
        raise FileExistsError(f"{path} is a device or a pipe, not a file; choose another name")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"there is no folder {target.parent} for {target.name}; make it first"
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise PermissionError(
            f"{target.name} cannot be written to {target.parent}: not allowed; choose another "
            "folder"
        )


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path in which ``~`` is the home of a user; a name may begin like that, too.

    Examples
    --------
    >>> from grafik.system.files import expanded
    >>> expanded("~no-such-user.csv").name
    '~no-such-user.csv'
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:  # there is no such user
        return Path(path)


def check_source(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file to read; if there is none, say what is there.

    Examples
    --------
    >>> import tempfile
    >>> from grafik.system.files import check_source
    >>> check_source(tempfile.mkdtemp())
    Traceback (most recent call last):
    IsADirectoryError: ... is a folder; name a file in it
    """
    source = expanded(path)
    try:
        mode = written_to(source).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        link = f": it is a link to {os.path.realpath(source)}" if source.is_symlink() else ""
        raise FileNotFoundError(f"there is no file {source}{link}") from None
    except ValueError as error:  # a NUL, for example
        raise FileNotFoundError(f"there is no file {str(source)!r}: {error}") from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise FileNotFoundError(f"there is no file {source}: {error.strerror}") from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{source} is a folder; name a file in it")
    if not stat.S_ISREG(mode):
        raise FileExistsError(f"{source} is a device or a pipe, not a file; name another one")
    return source


def check_name(path: str | os.PathLike[str]) -> None:
    r"""Refuse a name that no file can have.

    Examples
    --------
    >>> from grafik.system.files import check_name
    >>> check_name("a\0b")
    Traceback (most recent call last):
    ValueError: the name of a file must not hold a NUL, got 'a\x00b'
    """
    name = os.fspath(path)
    if "\0" in name:
        raise ValueError(f"the name of a file must not hold a NUL, got {name!r}")
    try:
        os.fsencode(name)
        os.lstat(name)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name!r} cannot be the name of a file: {error.reason}; choose another name"
        ) from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise refusal(error.errno, Path(path)) from error


@contextmanager
def marked(folder: Path) -> Iterator[str]:
    """Leave a mark in a folder for a while, by which other machines recognise it."""
    for left in folder.glob(f"{MARK}*"):  # by a process that was killed
        left.unlink(missing_ok=True)
    token = uuid.uuid4().hex
    mark = folder / f"{MARK}{token}"
    mark.touch()
    try:
        yield token
    finally:
        mark.unlink(missing_ok=True)


def is_marked(folder: Path, token: str) -> bool:
    """Tell whether a folder of this machine is the one that was marked.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from grafik.system.files import is_marked, marked
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with marked(folder) as token:
    ...     is_marked(folder, token), is_marked(folder.parent, token)
    (True, False)
    >>> is_marked(folder, token)
    False
    """
    return (folder / f"{MARK}{token}").exists()


def give_permissions(part: Path, target: Path) -> None:
    """Give a temporary file or folder the permissions of what it replaces, or else the usual ones.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from grafik.system.files import give_permissions
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "old").touch(mode=0o600)
    >>> (folder / "new").touch(mode=0o644)
    >>> give_permissions(folder / "new", folder / "old")
    >>> oct((folder / "new").stat().st_mode & 0o777)
    '0o600'
    """
    own = part.stat().st_mode
    every = 0o7777 if stat.S_ISDIR(own) else 0o777
    if target.exists():
        before = target.stat()
        with suppress(OSError, AttributeError):  # a group of others, or a system without groups
            os.chown(part, -1, before.st_gid)
        part.chmod(before.st_mode & every)
        return
    # What other threads make meanwhile is rather too private than too open.
    mask = os.umask(0o077)
    os.umask(mask)
    usual = 0o777 if stat.S_ISDIR(own) else 0o666
    part.chmod(usual & ~mask | own & stat.S_ISGID)  # which a folder has from the one it is in
