"""Locks on folders, so that two runs never write to the same one."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from .files import LOCK

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows has no such locks, so nothing keeps two runs apart there
    fcntl = None


class FolderLock:
    """A lock that this process holds until it releases it or ends, in whatever way.

    Parameters
    ----------
    folder : Path
        Is made if need be.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        self._file = _locked(self._path)

    def release(self) -> None:
        """Let others have the folder."""
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._file)


def _locked(path: Path) -> int:
    """Open and lock a file that nobody else has locked; a dead process holds no lock."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:  # the run before deleted its folder just now
            continue
        if fcntl is None:
            return lock
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise BlockingIOError(
                f"another run writes to {path.parent}; wait for it, or choose another folder"
            ) from None
        # The run before may have deleted the file between our opening and locking it.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(lock)):
                return lock
        os.close(lock)
