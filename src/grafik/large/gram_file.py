"""Gram matrices written to files block by block, so that they need not fit in memory."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_number
from ..kernels.combined_gram import Counted, all_histograms
from ..system.files import LOCK, MARK, check_name, check_target, expanded, resumable, written_to
from ..system.memory import in_words
from ..system.progress import progress_bar
from ..system.versions import versions
from .blocks import FIXED_BYTES, Cut, Place, computed_here, size_of_blocks

if TYPE_CHECKING:
    from ..system.journal import Journal

# The places of blocks that are written to the file, and their checksums.
Written: TypeAlias = Generator[tuple[Place, int], None, None]
Write: TypeAlias = Callable[[Any, Cut, Sequence[Place], "MatrixFile"], Written]

_JOURNAL, _MATRIX = "blocks.jsonl", "matrix.npy"
_LEAST = FIXED_BYTES + 100e6
_KEPT = "finished blocks are kept"  # when the disk takes no more


def written_here(kernel: Any, cut: Cut, places: Sequence[Place], file: MatrixFile) -> Written:
    """Compute blocks and write them, one after the other, with the threads of the kernel."""
    for place, block in computed_here(kernel, cut, places):
        yield place, file.write(cut.start_of(place), block, cut.mirrored(place))


def write_gram(
    path: str | os.PathLike[str],
    kernel: Any,
    rows: Counted,
    columns: Counted,
    *,
    memory: float,
    progress: bool | None = None,
    write: Write = written_here,
) -> np.memmap[Any, Any]:
    """Write the kernel of all rows with all columns to a ``.npy`` file; return it as a memory map.

    Until the matrix is complete, finished blocks are in the folder ``path + ".part"``, with their
    checksums. The same call goes on there.

    Parameters
    ----------
    path : path of the file
    kernel : KernelOnHistograms, or a mean or Gaussian of these
        All that blocks depend on besides the histograms.
    rows, columns : Histograms or Sides
        The same object for a symmetric matrix, of which one half is computed.
    memory : float
        Bytes that the work may take besides the histograms.
    progress : bool or None
        Whether to show a progress bar on standard error; None shows it on a terminal only.
    write : callable
        Computes some blocks and writes them to the unfinished file.
    """
    target = checked_target(path)
    if checked_number("memory", memory) < _LEAST:
        raise ValueError(f"memory must be at least {_LEAST:.0f} bytes, got {memory!r}")
    size = size_of_blocks(kernel, rows, columns, memory)
    cut = Cut(rows, columns, size)
    folder = _folder_of(target)
    _refuse_full_disk(target, folder, 8 * cut.shape[0] * cut.shape[1])
    header = _header(kernel, rows, columns, size)
    with _opened(folder, header) as journal:
        known = {Place(*entry["block"]): entry["crc32"] for entry in journal.entries}
        places, unfinished = cut.places(), folder / _MATRIX
        # The last run may have been killed after it moved the file, before it cleaned up.
        moved = known and not unfinished.exists() and _done(target, cut, known) == set(places)
        if not moved:
            done = _done(unfinished, cut, known)
            todo = [place for place in places if place not in done]
            with ExitStack() as stack:
                file = stack.enter_context(MatrixFile(unfinished, cut.shape, fresh=not done))
                advance = stack.enter_context(
                    progress_bar("Gram matrix", len(places), progress, len(done))
                )
                # Closed first, so that workers stop, whatever happens here.
                written = stack.enter_context(closing(write(kernel, cut, todo, file)))
                for place, check in written:
                    journal.append({"block": list(place), "crc32": check})
                    advance(1)
                file.finish()
            unfinished.replace(target)
        for left in folder.iterdir():
            if _is_ours(left.name) and left.name not in (_JOURNAL, LOCK):
                left.unlink()
        journal.discard()
    try:
        matrix: np.memmap[Any, Any] = np.load(target, mmap_mode="r")
    except OSError as error:
        raise OSError(
            error.errno,
            f"{target} is complete, but cannot be mapped into memory ({error.strerror}); read it "
            "where more of the address space is free: np.load(path, mmap_mode='r')",
        ) from error
    return matrix


def checked_target(path: str | os.PathLike[str]) -> Path:
    """Return the path of the file; refuse what cannot be written, before anything is computed."""
    given = expanded(path).absolute()
    check_target(given)
    target = written_to(given)
    if target.suffix != ".npy":
        raise ValueError(f"the file must end with .npy, which is its format, got {target.name}")
    folder = _folder_of(target)
    check_name(folder)
    others = sorted(path.name for path in folder.glob("*") if not _is_ours(path.name))
    if others:
        raise FileExistsError(
            f"{folder} is for the unfinished matrix, but holds other files such as {others[0]}; "
            "move them, or choose another file"
        )
    return target


def _folder_of(target: Path) -> Path:
    return target.with_name(target.name + ".part")


def _is_ours(name: str) -> bool:
    return name in (_JOURNAL, _MATRIX, LOCK) or name.startswith((MARK, f".{_JOURNAL}."))


def _done(path: Path, cut: Cut, known: dict[Place, int]) -> set[Place]:
    """Return those of the `known` blocks that the file really holds."""
    if not known or not is_matrix_file(path, cut.shape):
        return set()
    with MatrixFile(path, cut.shape, fresh=False) as file:
        return {place for place, check in known.items() if file.holds(cut, place, check)}


def _opened(folder: Path, header: dict[str, Any]) -> Journal:
    from ..system.journal import Journal, OtherRun

    try:
        return Journal(folder / _JOURNAL, header)
    except OtherRun as error:
        raise ValueError(
            f"{folder} holds a part of another matrix: {error.differences}; delete the folder, "
            "choose another file, or use the same data, parameters and versions again"
        ) from None


class MatrixFile:
    """A ``.npy`` file of a matrix that is written and read in parts.

    It is not mapped into memory while it is written: a full disk would end the process without a
    message, and written pages would count as memory of the process.

    Parameters
    ----------
    path : Path
    shape : (int, int)
    fresh : bool
        Whether to begin a new file; an existing file is replaced.
    """

    def __init__(self, path: Path, shape: tuple[int, int], fresh: bool) -> None:
        self.path, self.shape = path, shape
        head = _npy_header(shape)
        self._start = len(head)
        if fresh:
            with resumable(path, _KEPT), path.open("wb") as file:
                file.write(head)
                file.truncate(len(head) + 8 * shape[0] * shape[1])
        self._file = path.open("r+b")

    def write(self, start: tuple[int, int], block: NDArray[np.float64], mirror: bool) -> int:
        """Write a block, and its mirror image if there is one; return the checksum."""
        with resumable(self.path, _KEPT):
            self._write(start, block)
            if mirror:
                self._write((start[1], start[0]), np.ascontiguousarray(block.T))
            self._file.flush()
        return zlib.crc32(block.data)

    def holds(self, cut: Cut, place: Place, check: int) -> bool:
        """Whether a block was written completely, and so was its mirror image."""
        start, shape = cut.start_of(place), cut.shape_of(place)
        block = self._read(start, shape)
        if zlib.crc32(block.data) != check:
            return False
        if not cut.mirrored(place):
            return True
        mirrored = self._read((start[1], start[0]), (shape[1], shape[0]))
        return mirrored.tobytes() == block.T.tobytes()

    def finish(self) -> None:
        """Wait until all of it is on the disk, and close the file."""
        with resumable(self.path, _KEPT):
            self._file.flush()
            os.fsync(self._file.fileno())
        self.close()

    def close(self) -> None:
        """Close the file, which writes what is still to be written."""
        with resumable(self.path, _KEPT):
            self._file.close()

    def __enter__(self) -> MatrixFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, start: tuple[int, int], block: NDArray[np.float64]) -> None:
        for row, line in enumerate(block, start[0]):
            self._seek(row, start[1])
            self._file.write(line.data)

    def _read(self, start: tuple[int, int], shape: tuple[int, int]) -> NDArray[np.float64]:
        block = np.empty(shape)
        for row, line in enumerate(block, start[0]):
            self._seek(row, start[1])
            self._file.readinto(line.data.cast("B"))
        return block

    def _seek(self, row: int, column: int) -> None:
        self._file.seek(self._start + 8 * (row * self.shape[1] + column))


def is_matrix_file(path: Path, shape: tuple[int, int]) -> bool:
    """Whether the file has the header and the size of a matrix of this shape."""
    head = _npy_header(shape)
    if not path.is_file() or path.stat().st_size != len(head) + 8 * shape[0] * shape[1]:
        return False
    with path.open("rb") as file:
        return file.read(len(head)) == head


def _npy_header(shape: tuple[int, int]) -> bytes:
    buffer = io.BytesIO()
    layout = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(buffer, layout)
    return buffer.getvalue()


def _header(kernel: Any, rows: Counted, columns: Counted, size: int) -> dict[str, Any]:
    """Return all that a matrix depends on."""
    own = _digest(rows)
    return {
        "kernel": _parameters(kernel),
        "rows": own,
        "columns": own if rows is columns else _digest(columns),
        "shape": [len(rows), len(columns)],
        "half": rows is columns,
        "block": size,
        "versions": versions(),
    }


def _parameters(value: Any) -> Any:
    """Return the parameters of a kernel on histograms, with those of its parts, for JSON."""
    if is_dataclass(value):
        found = {one.name: _parameters(getattr(value, one.name)) for one in fields(value)}
        return {name: one for name, one in found.items() if name != "n_jobs"}
    if isinstance(value, (list, tuple)):
        return [_parameters(one) for one in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _digest(counted: Counted) -> str:
    digest = hashlib.sha256()
    for histograms in all_histograms(counted):
        for column in histograms.columns:
            digest.update(f"{column.dtype.str} {len(column)}\n".encode())
            digest.update(column.data)
    return digest.hexdigest()


def _refuse_full_disk(target: Path, folder: Path, n_bytes: int) -> None:
    begun = folder / _MATRIX
    # An unfinished file takes room only for what was written.
    there = 512 * getattr(begun.stat(), "st_blocks", 0) if begun.exists() else 0
    free = shutil.disk_usage(target.parent).free
    if n_bytes - there > free:
        raise OSError(
            f"the matrix takes {in_words(n_bytes)}, but only {in_words(free)} are free in "
            f"{target.parent}; choose another disk or fewer graphs"
        )
