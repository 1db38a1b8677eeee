"""What has the name of a file of a data set in TU format, but may be a link, a folder or a pipe."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from .tu_names import way_out

_NOTHING = (errno.ENOENT, errno.ENAMETOOLONG)  # nothing has a name that is too long
_GONE = (errno.ENOENT, errno.ENOTDIR)  # where the way of a link ends
_REPLACE = "put a file in its place"


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
    link, remedy = f"is a link to {str(file.readlink())!r}, which " if is_link else "", _REPLACE
    try:
        status = file.stat()
    except OSError as error:
        if not is_link:
            raise
        fault = f"cannot be followed: {error.strerror}"
        if error.errno in _GONE:
            link, fault = f"is a link to {os.path.realpath(file)!r}, which ", "is not there"
            remedy = "fetch it"
    else:
        if stat.S_ISREG(status.st_mode):
            return status.st_size
        fault = "is a folder" if stat.S_ISDIR(status.st_mode) else "is no regular file"
    raise ValueError(f"{file} {link}{fault}; {remedy}{way_out(part)}")
