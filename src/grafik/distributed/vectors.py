"""Vectors of graphs, made by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..graphs.batch import Graphs
from ..graphs.parquet import GraphFile
from ..large.vector_files import Part, WriteParts, as_blocks, serial_copy, vectors, write_part
from ..system.files import is_marked, marked
from .dask import checked_client, held, results_on

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


def transform(
    client: Any, transformer: Any, graphs: Any, *, graphs_per_block: int = 10_000
) -> csr_matrix:
    """Return the vectors of graphs, made by the workers of a cluster.

    Parameters
    ----------
    client : dask.distributed.Client
    transformer : transformer
        Fitted, unless it need not be. It goes to the cluster once.
    graphs : path of a Parquet file, GraphFile, Graphs or list of Graphs
        Workers read the blocks of a file themselves, so they must see it under the same path.
    graphs_per_block : int
        The most graphs that a worker takes at a time.

    Returns
    -------
    sparse matrix in CSR format, with a row for each graph
        The same bits as ``transformer.transform``.
    """
    from scipy import sparse

    blocks = as_blocks(graphs, graphs_per_block)
    if not len(blocks):
        return vectors(transformer, Graphs([0], [0], []))
    found: dict[int, csr_matrix] = {}
    calls = _calls(checked_client(client), transformer, blocks, range(len(blocks)))
    with closing(results_on(client, transform_block, calls)) as results:
        found.update(results)
    return sparse.vstack([found[number] for number in range(len(blocks))], format="csr")


def parts_on(client: Any) -> WriteParts:
    """Return a function that makes parts on workers; those that see the folder write to it."""
    checked_client(client)

    def write(
        transformer: Any, blocks: Sequence[Graphs], numbers: Sequence[int], folder: Path
    ) -> Generator[Part, None, None]:
        with marked(folder) as token:
            calls = (
                (*call, number, str(folder), token)
                for call, number in zip(
                    _calls(client, transformer, blocks, numbers), numbers, strict=True
                )
            )
            with closing(results_on(client, make_part, calls)) as results:
                for place, found in results:
                    if not isinstance(found, Part):
                        found = write_part(folder, numbers[place], found)
                    yield found

    return write


def transform_block(transformer: Any, blocks: Sequence[Graphs], number: int) -> csr_matrix:
    """Make the vectors of a block on a worker."""
    return vectors(transformer, blocks[number])


def make_part(
    transformer: Any, blocks: Sequence[Graphs], place: int, number: int, folder: str, token: str
) -> Part | csr_matrix:
    """Make a part on a worker; write it, or return the vectors to be written."""
    rows = transform_block(transformer, blocks, place)
    if is_marked(Path(folder), token):
        return write_part(Path(folder), number, rows)
    return rows


def _calls(
    client: Any, transformer: Any, blocks: Sequence[Graphs], numbers: Sequence[int]
) -> Iterator[tuple[Any, ...]]:
    """Yield arguments of :func:`transform_block`: a file by its name, or one block at a time."""
    kept = held(client, serial_copy(transformer))
    if isinstance(blocks, GraphFile):
        file = held(client, blocks)
        for number in numbers:
            yield kept, file, number
    else:
        for number in numbers:
            yield kept, held(client, [blocks[number]]), 0
