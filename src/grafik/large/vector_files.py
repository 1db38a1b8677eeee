"""Vectors of more graphs than fit in memory: one sparse Parquet file for each block of graphs."""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer, is_integer
from ..arrays.gate import checked_column, checked_pointer
from ..graphs.arrow import arrow_file, require_arrow
from ..graphs.batch import Graphs
from ..graphs.parquet import GraphFile
from ..system.files import clear_unfinished, expanded, replacing
from ..system.memory import refuse_what_does_not_fit
from ..system.progress import progress_bar
from ..system.versions import versions

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from ..system.journal import Journal

JOURNAL = "parts.jsonl"
_COLUMNS_KEY = b"grafik.n_columns"
_PER_PART = 10_000
_MOST_BYTES = 8
_COPIES = 3.0  # of a part that are there at the same time, at most


class Part(NamedTuple):
    """What is known about a part that was written.

    Attributes
    ----------
    number, n_graphs, n_columns : int
    digest : str
        SHA-256 of the file.
    """

    number: int
    n_graphs: int
    n_columns: int
    digest: str


# Takes a transformer, blocks, the numbers of some of these, and a folder.
WriteParts: TypeAlias = Callable[
    [Any, Sequence[Graphs], Sequence[int], Path], Generator[Part, None, None]
]


def write_parts(
    folder: str | os.PathLike[str],
    transformer: Any,
    graphs: Any,
    *,
    graphs_per_part: int = _PER_PART,
    client: Any = None,
    progress: bool | None = None,
) -> int:
    """Turn graphs into vectors, a block at a time, and write those of each block to a file.

    A part appears in the folder when it is complete. If a run is interrupted, the same call goes on
    with the missing parts. Other graphs are refused, and so is a transformer with other parameters
    or one that has learned something else.

    Parameters
    ----------
    folder : path
        It is made if need be.
    transformer : transformer
        Fitted, unless it need not be; `transform` takes :class:`grafik.Graphs` and returns a matrix
        with one row per graph, each of which depends on its graph alone.
    graphs : path of a Parquet file, GraphFile, Graphs or sequence of Graphs
        Only one block of a file is in memory at a time.
    graphs_per_part : int
        The most graphs in a part, for files and batches.
    client : dask.distributed.Client, optional
        Let the workers of a cluster do the work; the result is the same. Those that see the file of
        graphs and the folder read and write these themselves.
    progress : bool or None
        Whether to show a progress bar on standard error; None shows it on a terminal only.

    Returns
    -------
    int
        Number of graphs.

    Examples
    --------
    >>> import tempfile
    >>> from grafik import FiltrationKernel, datasets
    >>> from grafik.large.vector_files import read_parts, write_parts
    >>> graphs, y = datasets.csl(copies=1)
    >>> kernel = FiltrationKernel(weight="triangles").fit(graphs[:3])
    >>> folder = tempfile.mkdtemp()
    >>> write_parts(folder, kernel, graphs, graphs_per_part=4)
    10
    >>> read_parts(folder).shape
    (10, 3)
    """
    require_arrow()  # before the work, not after it
    blocks = as_blocks(graphs, graphs_per_part)
    place, serial = expanded(folder).absolute(), serial_copy(transformer)
    write: WriteParts = written_here
    if client is not None:
        from ..distributed import parts_on

        write = parts_on(client)
    header = {
        "parts": len(blocks),
        "graphs": _digest_of_blocks(blocks),
        "lengths": blocks.lengths if isinstance(blocks, GraphFile) else list(map(len, blocks)),
        "transformer": _described(serial),
        "versions": versions(),
    }
    with ExitStack() as stack:
        journal = stack.enter_context(_journal(place, header))
        clear_unfinished(place, "part-*.parquet")
        done = {part.number: part for part in _finished(journal, place)}
        todo = [number for number in range(len(blocks)) if number not in done]
        advance = stack.enter_context(progress_bar("vectors", len(blocks), progress, len(done)))
        here = transformer if client is None else serial
        # Closed first, so that workers stop, whatever happens here.
        for part in stack.enter_context(closing(write(here, blocks, todo, place))):
            _refuse_other_columns(part, next(iter(done.values()), part))
            journal.append(part._asdict())
            done[part.number] = part
            advance(1)
        journal.finish([done[number]._asdict() for number in range(len(blocks))])
    return sum(part.n_graphs for part in done.values())


def iter_parts(folder: str | os.PathLike[str]) -> Iterator[csr_matrix]:
    """Read the vectors of one part after the other.

    Parameters
    ----------
    folder : path
        A folder that :func:`write_parts` has finished.

    Yields
    ------
    sparse matrix in CSR format
    """
    from ..system.journal import read_journal

    place = expanded(folder)
    header, entries = read_journal(place / JOURNAL)
    # The last entry of a number counts: a part may have been damaged and written again.
    parts = (_part_of(entry, place, line) for line, entry in enumerate(entries, 2))
    found = {part.number: part for part in parts}
    wanted = header.get("parts")
    if not is_integer(wanted):
        raise ValueError(f"{place / JOURNAL}, line 1: this is not about vectors")
    # Compared by length first: the file may speak of more parts than fit in memory.
    if len(found) != wanted or found.keys() != set(range(len(found))):
        raise ValueError(
            f"{place} has {len(found)} of {wanted} parts; write the others first, by "
            "the same call of write_parts"
        )
    for part in found.values():
        if part.n_columns != found[0].n_columns:
            raise ValueError(
                f"{place / JOURNAL}: part {part.number} has {part.n_columns} columns, but part 0 "
                f"has {found[0].n_columns}; write the vectors again"
            )
    return (_read_part(place, found[number]) for number in range(len(found)))


def read_parts(folder: str | os.PathLike[str]) -> csr_matrix:
    """Read the vectors of all parts.

    Parameters
    ----------
    folder : path
        A folder that :func:`write_parts` has finished.

    Returns
    -------
    sparse matrix in CSR format, with a row for each graph
    """
    from scipy import sparse

    parts = list(iter_parts(folder))
    if not parts:
        raise ValueError(f"{folder} has no parts, as there were no graphs")
    return sparse.vstack(parts, format="csr")


def as_blocks(graphs: Any, graphs_per_block: int) -> Sequence[Graphs]:
    """Return the blocks of a file or of a batch; a sequence of blocks is returned as it is."""
    size = checked_integer("graphs_per_part", graphs_per_block, 1)
    if isinstance(graphs, (str, os.PathLike)):
        return GraphFile(graphs, size)
    if isinstance(graphs, GraphFile):
        return graphs
    if isinstance(graphs, Graphs):
        return [graphs[start : start + size] for start in range(0, len(graphs), size)]
    if not isinstance(graphs, Sequence) or not all(isinstance(b, Graphs) for b in graphs):
        raise TypeError(
            "graphs must be the path of a Parquet file, Graphs or a list of Graphs, got "
            f"{type(graphs).__name__}; make a batch of others with grafik.as_graphs"
        )
    return graphs


def written_here(
    transformer: Any, blocks: Sequence[Graphs], numbers: Sequence[int], folder: Path
) -> Generator[Part, None, None]:
    """Transform blocks and write them, one after the other."""
    for number in numbers:
        yield write_part(folder, number, vectors(transformer, blocks[number]))


def vectors(transformer: Any, block: Graphs) -> csr_matrix:
    """Return the vectors of a block."""
    from scipy import sparse

    found = sparse.csr_matrix(transformer.transform(block))
    if found.shape[0] != len(block):
        raise ValueError(
            f"{type(transformer).__name__} must return a row for each of {len(block)} graphs, got "
            f"{found.shape[0]}"
        )
    if found.dtype.kind not in "iuf" or found.dtype.itemsize > _MOST_BYTES:
        raise TypeError(
            f"{type(transformer).__name__} must return integers or floats of at most 64 bits, got "
            f"{found.dtype}"
        )
    return found


def write_part(folder: Path, number: int, rows: csr_matrix) -> Part:
    """Write a part; the file appears when it is complete."""
    pa, pq = require_arrow()
    pointer = pa.array(rows.indptr.astype(np.int64))
    table = pa.table(
        {
            "columns": pa.LargeListArray.from_arrays(pointer, pa.array(rows.indices)),
            "values": pa.LargeListArray.from_arrays(pointer, pa.array(rows.data)),
        }
    )
    table = table.replace_schema_metadata({_COLUMNS_KEY: str(rows.shape[1])})
    path = _path_of(folder, number)
    with replacing(path) as part:
        with arrow_file(part, "wb") as file:
            pq.write_table(table, file, compression="zstd", write_page_checksum=True)
        digest = _digest_of_file(part)
    return Part(number, rows.shape[0], rows.shape[1], digest)


def serial_copy(transformer: Any) -> Any:
    """Return a transformer that uses one thread; it shares what was fitted."""
    if "n_jobs" not in getattr(transformer, "get_params", dict)():
        return transformer
    return copy.copy(transformer).set_params(n_jobs=None)


def _read_part(folder: Path, part: Part) -> csr_matrix:
    from scipy import sparse

    pa, _ = require_arrow()
    path = _path_of(folder, part.number)
    if not path.is_file():
        raise FileNotFoundError(f"there is no {path}; write it again, by the same call")
    data = path.read_bytes()
    try:
        if hashlib.sha256(data).hexdigest() != part.digest:
            raise ValueError("its checksum is wrong")
        matrix = _arrays(data, part, path)
    except MemoryError as error:
        if isinstance(error, pa.ArrowException):
            raise ValueError(f"{path} is damaged: {error}; write it again") from error
        raise
    except (pa.ArrowException, OSError, LookupError, AttributeError, ValueError) as error:
        raise ValueError(
            f"{path} is damaged: it is not what was written ({error}); write it again"
        ) from error
    return sparse.csr_matrix(matrix, shape=(part.n_graphs, part.n_columns))


def _arrays(data: bytes, part: Part, path: Path) -> tuple[NDArray[Any], ...]:
    """Return values, columns and where rows start; all are checked, as SciPy's loops check none."""
    pa, pq = require_arrow()
    with pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True) as file:
        groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
        refuse_what_does_not_fit(
            _COPIES * sum(group.total_byte_size for group in groups),
            f"reading {path}",
            "write the vectors again in smaller parts: write_parts(..., graphs_per_part=1000)",
        )
        table = file.read()
    table.validate(full=True)
    columns, values = (table.column(name).combine_chunks() for name in ("columns", "values"))
    if len(table) != part.n_graphs or not columns.offsets.equals(values.offsets):
        raise ValueError("rows and values differ in number")
    indices, numbers = columns.values.to_numpy(), values.values.to_numpy()
    pointer = checked_pointer(columns.offsets.to_numpy(), "columns", len(indices))
    most = part.n_columns - 1
    indices = checked_column(indices, "columns", indices.dtype, len(indices), 0, most)
    if numbers.dtype.kind not in "iuf" or len(numbers) != len(indices):
        raise ValueError(f"there are {len(numbers)} values of {numbers.dtype}")
    return numbers, indices, pointer


def _part_of(entry: dict[str, Any], folder: Path, line: int) -> Part:
    """Return what a line of the journal says of a part."""
    numbers: list[Any] = [entry.get(name) for name in ("number", "n_graphs", "n_columns")]
    sizes = all(is_integer(number) and 0 <= number < 2**63 for number in numbers)
    if not sizes or entry.keys() != set(Part._fields) or not isinstance(entry["digest"], str):
        raise ValueError(
            f"{folder / JOURNAL}, line {line}: this is not about vectors; delete it, and the "
            "same call of write_parts computes the part again"
        )
    return Part(**entry)


def _journal(folder: Path, header: dict[str, Any]) -> Journal:
    from ..system.journal import Journal, OtherRun

    try:
        return Journal(folder / JOURNAL, header)
    except OtherRun as error:
        raise ValueError(
            f"{folder} holds vectors of other graphs or from another transformer: "
            f"{error.differences}; choose another folder, or use the same as before"
        ) from None


def _finished(journal: Journal, folder: Path) -> Iterator[Part]:
    """Yield the parts whose files are still as they were written."""
    for line, entry in enumerate(journal.entries, 2):
        part = _part_of(entry, folder, line)
        path = _path_of(folder, part.number)
        if path.is_file() and _digest_of_file(path) == part.digest:
            yield part


def _refuse_other_columns(part: Part, before: Part) -> None:
    if part.n_columns != before.n_columns:
        raise ValueError(
            f"the vectors of part {part.number} have {part.n_columns} columns, those of part "
            f"{before.number} have {before.n_columns}; use a transformer whose number of columns "
            "does not depend on the graphs"
        )


def _path_of(folder: Path, number: int) -> Path:
    return folder / f"part-{number:06d}.parquet"


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest_of_blocks(blocks: Sequence[Graphs]) -> str:
    from .fingerprint import data_digest

    if isinstance(blocks, GraphFile):
        return _digest_of_file(blocks.path)
    digests = [data_digest(block, np.zeros(0)) for block in blocks]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _described(transformer: Any) -> dict[str, str]:
    """Return what vectors depend on: parameters, and what was fitted."""
    from .fingerprint import described

    digest = hashlib.sha256(described(transformer, fitted=True).encode()).hexdigest()
    return {"parameters": described(transformer), "fitted": digest}
