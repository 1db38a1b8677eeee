"""Batches of graphs on disk, as Parquet files: one row per graph, written and read in blocks."""

from __future__ import annotations

import hashlib
import os
import platform
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, overload

from ..arrays.checks import checked_integer
from ..system.files import check_source, expanded, replacing
from ..system.memory import refuse_what_does_not_fit
from .arrow import ABOUT_KEY, arrow_file, from_table, require_arrow, to_table

if TYPE_CHECKING:
    from .batch import Graphs

SCHEMA_VERSION = 2
_VERSION_KEY = b"grafik.schema_version"
_ROWS_PER_GROUP = 65_536
# Bytes that reading takes for each graph without edges, and for each byte that is not compressed.
_PER_GRAPH, _COPIES = 150.0, 3.0
_PER_BLOCK = 40.0  # bytes that the length of a block takes in a list
# Pages of a Parquet file have checksums, but the description at its end has none. Its SHA-256
# stands before it, behind these letters. Other programs that write the file again leave it out.
_SEAL = b"grafik description sha256"
_SHA256 = 32


class Parquet:
    """The methods of :class:`grafik.Graphs` that write and read Parquet files."""

    __slots__ = ()

    def to_parquet(  # type: ignore[misc]
        self: Graphs, path: str | os.PathLike[str], *, graphs_per_group: int = _ROWS_PER_GROUP
    ) -> None:
        """Write the batch to a Parquet file, one row per graph.

        The columns are ``n_nodes``, ``u`` and ``v`` (the endpoints) and, if the batch has them,
        ``node_labels``, ``edge_labels`` (each label as JSON, so that ``1``, ``true`` and
        ``"1"`` stay apart), ``node_names`` and ``id`` (likewise), ``node_attributes`` and
        ``edge_attributes``. The file appears only when it is complete. It needs the extra
        ``parquet``: ``pip install 'grafik[parquet]'``.

        Parameters
        ----------
        path : path
            Where to write; an existing file is replaced.
        graphs_per_group : int
            Number of graphs in a row group, the smallest part that is read at a time.

        Examples
        --------
        >>> import tempfile
        >>> from grafik import Graphs, datasets
        >>> graphs, y = datasets.csl(copies=1)
        >>> path = tempfile.mkdtemp() + "/csl.parquet"
        >>> graphs.to_parquet(path)
        >>> Graphs.from_parquet(path) == graphs
        True
        """
        write_parquet(path, [self], graphs_per_group=graphs_per_group)

    @classmethod
    def from_parquet(cls: type[Graphs], path: str | os.PathLike[str]) -> Graphs:  # type: ignore[misc]
        """Read a batch that :meth:`to_parquet` wrote; everything in it is checked again.

        Parameters
        ----------
        path : path

        Returns
        -------
        Graphs
        """
        return GraphFile(path).all()

    @staticmethod
    def iter_parquet(
        path: str | os.PathLike[str], graphs_per_block: int | None = None
    ) -> Iterator[Graphs]:
        """Read a Parquet file of graphs a block at a time, so that memory stays flat.

        Parameters
        ----------
        path : path
        graphs_per_block : int, optional
            The most graphs in a block; by default a row group, which a block never exceeds.

        Yields
        ------
        Graphs

        Examples
        --------
        >>> import tempfile
        >>> from grafik import Graphs, datasets
        >>> graphs, y = datasets.csl(copies=1)
        >>> path = tempfile.mkdtemp() + "/csl.parquet"
        >>> graphs.to_parquet(path, graphs_per_group=4)
        >>> [len(block) for block in Graphs.iter_parquet(path)]
        [4, 4, 2]
        """
        return iter(GraphFile(path, graphs_per_block))


def write_parquet(
    path: str | os.PathLike[str],
    blocks: Iterable[Graphs],
    *,
    graphs_per_group: int = _ROWS_PER_GROUP,
) -> int:
    """Write batches to one Parquet file, one after the other, so that memory stays flat.

    The file appears only when it is complete.

    Parameters
    ----------
    path : path
        Where to write; an existing file is replaced.
    blocks : iterable of Graphs
        All have the same columns. Each makes at least one row group.
    graphs_per_group : int
        The most graphs in a row group.

    Returns
    -------
    int
        The number of graphs.

    Examples
    --------
    >>> import tempfile
    >>> from grafik import Graphs, datasets
    >>> from grafik.graphs.parquet import write_parquet
    >>> path = tempfile.mkdtemp() + "/random.parquet"
    >>> seeds = range(3)
    >>> write_parquet(path, (datasets.random_graphs(5, random_state=seed)[0] for seed in seeds))
    15
    >>> len(Graphs.from_parquet(path))
    15
    """
    from .batch import Graphs

    _, pq = require_arrow()
    rows = checked_integer("graphs_per_group", graphs_per_group, 1)
    n_graphs, writer, first = 0, None, to_table(Graphs([0], [0], []))
    with replacing(expanded(path)) as part:
        with arrow_file(part, "wb") as file:
            try:
                for number, block in enumerate(blocks):
                    if not isinstance(block, Graphs):
                        raise TypeError(
                            f"block {number} must be Graphs, got {type(block).__name__}"
                        )
                    table = to_table(block)
                    if writer is None:
                        first, writer = table, _writer(pq, file, table)
                    _refuse_other_columns(number, table.schema, first.schema)
                    writer.write_table(table.cast(writer.schema), row_group_size=rows)
                    n_graphs += len(block)
            finally:
                if writer is not None:
                    writer.close()
            if writer is None:
                _writer(pq, file, first).close()
        _seal(part)
    return n_graphs


def _writer(pq: Any, file: Any, table: Any) -> Any:
    about = table.schema.metadata[ABOUT_KEY]
    schema = table.schema.with_metadata({_VERSION_KEY: str(SCHEMA_VERSION), ABOUT_KEY: about})
    return pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True)


def _seal(path: Path) -> None:
    """Put the SHA-256 of the description before it."""
    with path.open("r+b") as file:
        start = file.seek(_start_of_description(file))
        description = file.read()
        file.seek(start)
        file.write(_SEAL + hashlib.sha256(description).digest() + description)


def _refuse_other_columns(number: int, found: Any, wanted: Any) -> None:
    about, first = (schema.metadata[ABOUT_KEY].decode() for schema in (found, wanted))
    if about != first:
        raise ValueError(f"block {number} has {about}, but block 0 has {first}; make them the same")
    for name in sorted({*found.names, *wanted.names}):
        here, there = (
            f"{name} of {schema.field(name).type}" if name in schema.names else f"no {name}"
            for schema in (found, wanted)
        )
        if here != there:
            raise ValueError(
                f"block {number} has {here}, but block 0 has {there}; "
                "give all blocks the same columns"
            )


class GraphFile(Sequence["Graphs"]):
    """A Parquet file of graphs, as a list of blocks that are read on demand.

    Parameters
    ----------
    path : path
        A file that :meth:`grafik.Graphs.to_parquet` or :func:`write_parquet` wrote.
    graphs_per_block : int, optional
        The most graphs in a block; by default a row group, which a block never exceeds.

    Attributes
    ----------
    path : Path
    n_graphs : int
        In all blocks together.

    Examples
    --------
    >>> import tempfile
    >>> from grafik import datasets
    >>> from grafik.graphs.parquet import GraphFile
    >>> path = tempfile.mkdtemp() + "/csl.parquet"
    >>> datasets.csl(copies=1)[0].to_parquet(path)
    >>> blocks = GraphFile(path, graphs_per_block=4)
    >>> len(blocks), blocks.n_graphs, blocks[2]
    (3, 10, Graphs(2 graphs, 82 vertices, 164 edges))
    """

    def __init__(self, path: str | os.PathLike[str], graphs_per_block: int | None = None) -> None:
        self.path = check_source(path).absolute()
        if graphs_per_block is not None:
            checked_integer("graphs_per_block", graphs_per_block, 1)
        self._digest = _digest_of_end(self.path)
        with self._opened() as file:
            _refuse_broken_seal(self.path, self._digest)
            metadata = file.metadata
            _check_version(self.path, file.schema_arrow.metadata)
        sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        self.n_graphs = sum(sizes)
        # Other programs leave out the checksum of the description.
        if metadata.num_rows != self.n_graphs or min(sizes, default=0) < 0:
            raise ValueError(
                f"{self.path} is damaged: it has {metadata.num_rows} graphs, but its row groups "
                f"have {' + '.join(map(str, sizes)) if len(sizes) < 10 else self.n_graphs}"
            )
        # Of each row group: how many graphs, how many in a block, and the blocks up to its end. No
        # list of blocks: a damaged description may promise more than there is memory for.
        self._sizes = sizes
        self._most = [graphs_per_block or size or 1 for size in sizes]
        counts = (-(-size // most) for size, most in zip(sizes, self._most, strict=True))
        self._ends = list(accumulate(counts))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def _blocks(self, group: int) -> Iterator[tuple[int, int]]:
        """Yield the start of each block within a row group, and its length."""
        size, most = self._sizes[group], self._most[group]
        return ((start, min(most, size - start)) for start in range(0, size, most))

    @property
    def lengths(self) -> list[int]:
        """Return the number of graphs in each block."""
        refuse_what_does_not_fit(
            _PER_BLOCK * len(self), f"{self.path}: a list of {len(self)} blocks", "take larger ones"
        )
        return [length for group in range(len(self._sizes)) for _, length in self._blocks(group)]

    @overload
    def __getitem__(self, which: int) -> Graphs: ...
    @overload
    def __getitem__(self, which: slice) -> list[Graphs]: ...
    def __getitem__(self, which: int | slice) -> Graphs | list[Graphs]:
        """Read one block, or several."""
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(len(self)))]
        number = range(len(self))[which]
        group = bisect_right(self._ends, number)
        within = number - (self._ends[group - 1] if group else 0)
        start = within * self._most[group]
        with self._opened() as file:
            table = self._group(file, group)
        return self._graphs(table, group, start, min(self._most[group], self._sizes[group] - start))

    def __iter__(self) -> Iterator[Graphs]:
        with self._opened() as file:
            for group, size in enumerate(self._sizes):
                table = self._group(file, group) if size else None
                for start, length in self._blocks(group):
                    yield self._graphs(table, group, start, length)
                table = None  # free it before the next is read

    def all(self) -> Graphs:
        """Read all blocks at once."""
        import pyarrow as pa

        with self._opened() as file:
            # One by one, because Arrow cannot join the dictionaries of labels while it reads.
            self._refuse_large(file, range(file.num_row_groups))
            groups = [self._group(file, i) for i in range(file.num_row_groups)]
            table = pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()
        return self._graphs(table, 0, 0, self.n_graphs)

    def _group(self, file: Any, group: int) -> Any:
        """Read a row group; it must have as many graphs as are promised, and not more."""
        self._refuse_large(file, range(group, group + 1))
        table = file.read_row_group(group)
        # Asked only now: pyarrow ends the process if the description of a column is damaged, but
        # what it has read is in order.
        about = file.metadata.row_group(group)
        columns = map(about.column, range(about.num_columns))
        sizes = [one.num_values for one in columns if one.path_in_schema == "n_nodes"]
        for found in (len(table), *sizes):
            if found != about.num_rows:
                raise ValueError(
                    f"{self.path}, row group {group} is damaged: it has {found} graphs where there "
                    f"must be {about.num_rows}"
                )
        return table

    def _refuse_large(self, file: Any, groups: range) -> None:
        """Refuse row groups that would take too much memory: few bytes may stand for many graphs.

        The sizes of single columns are not asked for, as the description of one may be damaged.
        """
        found = [file.metadata.row_group(i) for i in groups]
        n_graphs = sum(group.num_rows for group in found)
        refuse_what_does_not_fit(
            _PER_GRAPH * n_graphs + _COPIES * sum(group.total_byte_size for group in found),
            f"{self.path}: reading {n_graphs} graphs",
            "read a part at a time with Graphs.iter_parquet, from a file of small row groups: "
            "graphs.to_parquet(path, graphs_per_group=1000)",
        )

    def _graphs(self, table: Any, group: int, start: int, length: int) -> Graphs:
        import pyarrow as pa

        part = table.slice(start, length)
        try:
            part.validate(full=True)
            return from_table(part)
        except MemoryError as error:
            raise MemoryError(f"{self.path}: {error}") from error
        except (ValueError, pa.ArrowException) as error:
            where = f", row group {group}" if length < self.n_graphs else ""
            begin = f", graphs from {start} on" if start else ""
            raise ValueError(f"{self.path}{where}{begin} is damaged: {error}") from error

    def _refuse_another(self) -> None:
        """Refuse a file that was replaced since, or that differs on another machine."""
        if not self.path.is_file():
            raise FileNotFoundError(
                f"there is no file {self.path} on {platform.node()}; it must stay until it "
                "has been read, and all workers of a cluster must see it under this name"
            )
        if _digest_of_end(self.path) != self._digest:
            raise ValueError(
                f"{self.path} on {platform.node()} is not the file that was opened; it must not "
                "change until it has been read, and all workers of a cluster must see the same"
            )

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        pa, pq = require_arrow()
        self._refuse_another()
        try:
            with (
                arrow_file(self.path) as source,
                pq.ParquetFile(source, page_checksum_verification=True) as file,
            ):
                yield file
        except pa.ArrowMemoryError as error:
            raise MemoryError(
                f"{self.path}: reading it takes more memory than is free ({error}); is it damaged? "
                "If not, read it where there is more memory"
            ) from error
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{self.path} is damaged or not a Parquet file: {error}") from error


def _start_of_description(file: BinaryIO) -> int:
    """Return where the description begins, as the end of a Parquet file says."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 8, 0))
    return max(size - 8 - int.from_bytes(file.read(4), "little"), 0)


def _digest_of_end(path: Path) -> str:
    """Return the size of a Parquet file and the SHA-256 of its end, which describes the data."""
    with path.open("rb") as file:
        file.seek(_start_of_description(file))
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return f"{file.tell()} {digest}"


def _refuse_broken_seal(path: Path, digest: str) -> None:
    """Refuse a file whose description is not the one that was written."""
    length = len(_SEAL) + _SHA256
    with path.open("rb") as file:
        file.seek(max(_start_of_description(file) - length, 0))
        seal = file.read(length)
    if seal.startswith(_SEAL) and seal[len(_SEAL) :].hex() != digest.split()[1]:
        raise ValueError(f"{path} is damaged: the description at its end has another checksum")


def _check_version(path: Path, metadata: dict[bytes, bytes] | None) -> None:
    version = (metadata or {}).get(_VERSION_KEY, b"").decode("ascii", "replace")
    if not version:
        raise ValueError(
            f"{path} holds no graphs: it was not written by Graphs.to_parquet, or written again by "
            "a program that leaves out the metadata of the schema"
        )
    if version != str(SCHEMA_VERSION):
        raise ValueError(
            f"{path} has schema version {version}, this grafik reads {SCHEMA_VERSION}; "
            "write the file again with this grafik, or install the one that wrote it"
        )
