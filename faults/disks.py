"""A small disk for the work, which can be filled and made read-only; only root may mount one."""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .files import is_root

_BYTES = 16 << 20
_OWN_MOUNTS = 0x00020000  # CLONE_NEWNS
_PAGE = 4096
_FILLER = ".filler"


def mount(folder: Path) -> bool:
    """Mount a small disk, which nobody else sees and which ends with this process, if possible."""
    if not is_root() or not hasattr(os, "fork"):
        return False
    if ctypes.CDLL(None).unshare(_OWN_MOUNTS) != 0 or not _mount("--make-rprivate", "/"):
        return False
    return _mount("-t", "tmpfs", "-o", f"size={_BYTES}", "tmpfs", str(folder))


def unmount(folder: Path) -> None:
    """Take the small disk away."""
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def nearly_full(folder: Path, free: int) -> Iterator[None]:
    """Leave so many bytes of the small disk, as nearly as its pages allow."""
    filler = folder / _FILLER
    disk = os.statvfs(folder)
    room = disk.f_bavail * disk.f_frsize - free
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(_PAGE, room // _PAGE * _PAGE))
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def read_only(folder: Path, mounted: bool) -> Iterator[None]:
    """Let nobody write to a folder: by its disk, or by its permissions."""
    if mounted:
        _mount("-o", "remount,ro", str(folder), check=True)
    else:
        folder.chmod(0o555)
    try:
        yield
    finally:
        if mounted:
            _mount("-o", "remount,rw", str(folder), check=True)
        else:
            folder.chmod(0o755)


def _mount(*arguments: str, check: bool = False) -> bool:
    command = ["mount", *arguments]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=check).returncode == 0
