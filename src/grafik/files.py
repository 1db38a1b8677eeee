"""Writing files so that nobody ever reads half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`, and move it into place when all went well.

    Whatever stands at `path` stays as it is until then, and for good if something goes wrong.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from grafik.files import replacing
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with replacing(folder / "note.txt") as part:
    ...     _ = part.write_text("all of it")
    >>> [file.name for file in folder.iterdir()]
    ['note.txt']
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        _allow_reading(part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _allow_reading(path: Path) -> None:
    """Give a temporary file the permissions that an ordinary new file would have."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
