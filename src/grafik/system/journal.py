"""Result files that survive whatever ends a run: one checked line per unit of work."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .files import clear_unfinished, replacing, resumable, writable
from .locks import FolderLock

FORMAT = "grafik results 1"
_CHECK = "sha256"
_BINARY = getattr(os, "O_BINARY", 0)
_KEPT = "the results before are intact"  # when the disk takes no more


class OtherRun(ValueError):
    """A file holds results of another run; `differences` says in what that differs."""

    def __init__(self, path: Path, differences: str) -> None:
        super().__init__(
            f"{path} holds results of another run: {differences}; "
            "choose another folder, or use what was used then"
        )
        self.differences = differences


class Journal:
    """An append-only file of JSON lines: a header that says what is computed, then the results.

    Every line ends with a part of the SHA-256 of the rest, and is on the disk before the next one
    is begun. What a killed process left of its last line is cut off when the file is opened again;
    any other damage is refused. While it is open, no other process can open it.

    Parameters
    ----------
    path : path
        The file. Its folder is made if need be.
    header : dict
        What the results depend on. A file with another header is refused, unless it has no results
        yet: then it gets this one.
    extends : callable, optional
        Function of the header above and the one in a file, which says whether all results under
        the second are results under the first too. Then the file gets the new header.

    Attributes
    ----------
    entries : list of dict
        The results so far, in the order in which they were written.

    Examples
    --------
    >>> import tempfile
    >>> from grafik.system.journal import Journal
    >>> path = tempfile.mkdtemp() + "/results.jsonl"
    >>> with Journal(path, {"seed": 0}) as journal:
    ...     journal.append({"fold": 0, "accuracy": 0.5})
    >>> with Journal(path, {"seed": 0}) as journal:
    ...     journal.entries
    [{'accuracy': 0.5, 'fold': 0}]
    >>> Journal(path, {"seed": 1})
    Traceback (most recent call last):
    grafik.system.journal.OtherRun: ...results.jsonl holds results of another run: seed is ...
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: dict[str, Any],
        extends: Callable[[dict[str, Any], dict[str, Any]], bool] | None = None,
    ) -> None:
        self.path = Path(path)
        self._header = _plain({"format": FORMAT, **header})
        self._extends = extends or (lambda wanted, found: False)
        self._file = -1
        self._lock: FolderLock | None = None
        try:
            self._open()
            clear_unfinished(self.path.parent, self.path.name)
            self.entries = list[dict[str, Any]]()
            self._recover()
        except BaseException:
            self.close()
            raise

    def append(self, entry: dict[str, Any]) -> None:
        """Write one result, and return when it is on the disk.

        If that fails, the file is as it was before.
        """
        plain = _plain(entry)
        self._write(_line(plain))
        self.entries.append(plain)

    def finish(self, order: Sequence[dict[str, Any]]) -> None:
        """Put the results in order, so that the file is the same whichever was ready first."""
        wanted = [_plain(entry) for entry in order]
        if wanted != self.entries:
            self._rewrite(wanted)

    def _rewrite(self, entries: list[dict[str, Any]]) -> None:
        with resumable(self.path, _KEPT), replacing(self.path) as part:
            part.write_bytes(b"".join(map(_line, [self._header, *entries])))
        _sync_folder(self.path.parent)
        self.entries = entries
        # What is open is the file before.
        os.close(self._file)
        self._file = os.open(self.path, os.O_RDWR | _BINARY)
        os.lseek(self._file, 0, os.SEEK_END)

    def close(self) -> None:
        """Let others open the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def discard(self) -> None:
        """Delete the file, and then its folder if nothing else is in it, and nobody else is."""
        os.close(self._file)
        self._file = -1
        self.path.unlink()
        self.close()
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _open(self) -> None:
        folder = self.path.parent
        with writable(folder):
            self._lock = FolderLock(folder)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | _BINARY, 0o666)

    def _recover(self) -> None:
        whole = self.path.read_bytes()
        complete = whole[: whole.rfind(b"\n") + 1]
        lines = list(_checked_lines(complete, self.path))
        replaced = bool(lines) and self._replaces(lines[0], has_results=len(lines) > 1)
        if lines:
            if not replaced:
                _refuse_other_header(lines[0], self._header, self.path)
        elif not _line(self._header).startswith(whole):
            raise ValueError(f"{self.path}: no result file of grafik; choose another folder")
        if len(complete) < len(whole):
            torn = len(whole) - len(complete)
            print(
                f"grafik: {self.path} ends within a line, as a killed run leaves it; "
                f"its last {torn} bytes are cut off and computed again",
                file=sys.stderr,
            )
            os.ftruncate(self._file, len(complete))
        os.lseek(self._file, 0, os.SEEK_END)
        if not lines:
            self._write(_line(self._header))
            _sync_folder(self.path.parent)
        self.entries = lines[1:]
        if replaced:
            self._rewrite(self.entries)

    def _replaces(self, found: dict[str, Any], has_results: bool) -> bool:
        """Whether the header of a file is another one, and gives way to this one."""
        if found == self._header or found.get("format") != FORMAT:
            return False
        return not has_results or self._extends(self._header, found)

    def _write(self, line: bytes) -> None:
        before = os.lseek(self._file, 0, os.SEEK_CUR)
        try:
            with resumable(self.path, _KEPT):
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(self._file, rest) :]
                os.fsync(self._file)
        except BaseException:
            os.ftruncate(self._file, before)
            os.lseek(self._file, before, os.SEEK_SET)
            raise


def read_journal(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the results of a file; a run that writes it may go on.

    Examples
    --------
    >>> import tempfile
    >>> from grafik.system.journal import Journal, read_journal
    >>> path = tempfile.mkdtemp() + "/results.jsonl"
    >>> with Journal(path, {"seed": 0}) as journal:
    ...     journal.append({"fold": 0})
    >>> read_journal(path)
    ({'format': 'grafik results 1', 'seed': 0}, [{'fold': 0}])
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there are no results at {file}")
    whole = file.read_bytes()
    lines = list(_checked_lines(whole[: whole.rfind(b"\n") + 1], file))
    if not lines or lines[0].get("format") != FORMAT:
        raise ValueError(f"{file} is no result file of this version of grafik")
    return lines[0], lines[1:]


def canonical(value: Any) -> str:
    """Return the one JSON text of a value: keys sorted, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """Return what reading the JSON text of a value gives back."""
    found: dict[str, Any] = json.loads(canonical(value))
    return found


def _line(entry: dict[str, Any]) -> bytes:
    text = canonical(entry)
    check = hashlib.sha256(text.encode()).hexdigest()[:16]
    separator = "," if entry else ""
    return f'{text[:-1]}{separator}"{_CHECK}":"{check}"}}\n'.encode()


def _checked_lines(text: bytes, path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        try:
            entry = json.loads(line)
            del entry[_CHECK]
            whole = _line(entry) == line
        except (ValueError, TypeError, KeyError, RecursionError):
            whole = False
        if not whole:
            raise ValueError(
                f"{path}, line {number}: damaged, its checksum does not fit; delete this line to "
                "compute it again, or put back a copy of the file"
                if number > 1
                else f"{path}, line 1: no result file of grafik, or damaged; choose another folder"
            )
        yield entry


def _refuse_other_header(found: dict[str, Any], wanted: dict[str, Any], path: Path) -> None:
    differing = list(_differences(found, wanted))
    if differing:
        raise OtherRun(path, "; ".join(differing))


def _differences(found: Any, wanted: Any, name: str = "") -> Iterator[str]:
    """Name what differs between two headers, as deep down as it can be named."""
    if found == wanted:
        return
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted({*found, *wanted}):
            path = f"{name}.{key}" if name else key
            yield from _differences(found.get(key), wanted.get(key), path)
        return
    yield f"{name} is {_short(found)} there and {_short(wanted)} now"


def _short(value: Any) -> str:
    text = canonical(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _sync_folder(folder: Path) -> None:
    """Make sure that a new name in a folder is on the disk."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
