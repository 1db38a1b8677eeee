"""The lines of a text file that may be compressed, of which no more is read than was agreed."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator

from ..system.files import expanded
from .tu_kinds import NOT_REGULAR, status_of

_LONGEST = 1 << 20  # letters in a line; more is no table and no molecule
_BLANK = 1 << 20  # blank lines in a row; a file with more was not written to be read


def text_lines(
    path: str | os.PathLike[str],
    max_bytes: int,
    longest: int = _LONGEST,
    remedy: str = "save the file as UTF-8",
) -> Iterator[str]:
    """Yield the lines of a text file, with their ends; gzip is recognised by its first bytes.

    Parameters
    ----------
    path : path
        UTF-8, with or without a byte order mark.
    max_bytes : int
        A file that is longer, or would unpack to more, is refused.
    longest : int
        Letters that a line may have.
    remedy : str
        What to do if a line is not UTF-8.
    """
    file = expanded(path)
    mode = status_of(file, "file").st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{file} is a folder; name a file in it")
    if not stat.S_ISREG(mode):
        raise ValueError(f"{file} cannot be read: {NOT_REGULAR}")
    with file.open("rb") as raw:
        start = raw.read(4)
        raw.seek(0)
        if start == b"PK\x03\x04":
            raise ValueError(f"{file} is a zip, as spreadsheets are; save it as CSV, or unpack it")
        unpacked = gzip.GzipFile(fileobj=raw) if start[:2] == b"\x1f\x8b" else raw
        text = io.TextIOWrapper(unpacked, "utf-8-sig", "surrogateescape", newline="")
        number, seen, blank = 0, 0, 0
        while True:
            try:
                line = text.readline(longest + 1)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise ValueError(f"{file} is damaged: {error}") from error
            if not line:
                return
            number += 1
            if len(line) > longest:
                raise ValueError(f"{file.name}, line {number}: longer than {longest} letters")
            data = line.encode("utf-8", "surrogateescape")
            seen += len(data)
            if not line.isascii():
                try:
                    data.decode()
                except UnicodeDecodeError as error:
                    raise ValueError(
                        f"{file.name}, line {number}: not UTF-8 text ({error.reason}); {remedy}"
                    ) from error
            if "\0" in line:
                # NumPy drops it from the end of texts, so that other ones would be read.
                raise ValueError(f"{file.name}, line {number}: holds a NUL; the file is damaged")
            if seen > max_bytes:
                raise ValueError(
                    f"{file} holds more than {max_bytes} bytes; if that is right, raise max_bytes"
                )
            blank = blank + 1 if line.isspace() else 0
            if blank > _BLANK:
                raise ValueError(
                    f"{file.name}, line {number}: the last {blank} lines are blank; is the file "
                    "damaged?"
                )
            yield line
