"""Gram matrices whose blocks are computed by the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer
from ..kernels.combined_gram import Counted, serial
from ..large.blocks import Cut, Place, gram_block, size_of_blocks
from ..large.gram_file import MatrixFile, Written, write_gram
from ..system.files import is_marked, marked
from ..system.memory import refuse_large_gram
from ..system.optional import require
from .dask import EXTRA, checked_client, held, results_on

if TYPE_CHECKING:
    from ..kernels.kernel import FiltrationKernel


# Bytes that a block may take on a worker.
_MEMORY = 1e9


def gram_on(client: Any, kernel: Any, rows: Counted, columns: Counted) -> NDArray[np.float64]:
    """Return a whole Gram matrix, computed on the workers of a client."""
    refuse_large_gram(len(rows), len(columns), 1)
    cut = Cut(rows, columns, size_of_blocks(kernel, rows, columns, _MEMORY))
    places, matrix = cut.places(), np.empty(cut.shape)
    calls = _calls(checked_client(client), kernel, cut, places)
    with closing(results_on(client, gram_block, calls)) as results:
        for number, block in results:
            cut.put(places[number], block, matrix)
    return matrix


def write_gram_on(
    client: Any,
    path: str | os.PathLike[str],
    kernel: Any,
    rows: Counted,
    columns: Counted,
    **how: Any,
) -> np.memmap[Any, Any]:
    """Write a Gram matrix to a file; if there is a client, its workers compute the blocks.

    Workers that see the file write to it themselves; others send their blocks here. Histograms go
    to the cluster once, a part at a time, and workers pass them on to each other.

    Parameters
    ----------
    client : dask.distributed.Client or None
    path, kernel, rows, columns, how
        As for :func:`grafik.large.gram_file.write_gram`.
    """
    if client is None:
        return write_gram(path, kernel, rows, columns, **how)
    checked_client(client)

    def write(kernel: Any, cut: Cut, places: Sequence[Place], file: MatrixFile) -> Written:
        with marked(file.path.parent) as token:
            where = str(file.path), token, file.shape
            calls = (
                (*call, *where, cut.start_of(place), cut.mirrored(place))
                for call, place in zip(_calls(client, kernel, cut, places), places, strict=True)
            )
            with closing(results_on(client, write_block, calls)) as results:
                for number, found in results:
                    place = places[number]
                    if not isinstance(found, int):
                        found = file.write(cut.start_of(place), found, cut.mirrored(place))
                    yield place, found

    return write_gram(path, kernel, rows, columns, write=write, **how)


def write_block(
    kernel: Any,
    x: Counted,
    y: Counted,
    path: str,
    token: str,
    shape: tuple[int, int],
    start: tuple[int, int],
    mirror: bool,
) -> int | NDArray[np.float64]:
    """Compute a block on a worker; write it and return its checksum, or return it to be written."""
    block = gram_block(kernel, x, y)
    if not is_marked(Path(path).parent, token):
        return block
    with MatrixFile(Path(path), shape, fresh=False) as file:
        return file.write(start, block, mirror)


def _calls(
    client: Any, kernel: Any, cut: Cut, places: Sequence[Place]
) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments of :func:`gram_block`; each part of the histograms is sent once."""
    alone = serial(kernel)  # there are many workers already
    row = cache(lambda number: held(client, cut.row_parts[number]))
    column = row if cut.half else cache(lambda number: held(client, cut.column_parts[number]))
    for place in places:
        yield alone, row(place.row), column(place.column)


def gram_array(
    kernel: FiltrationKernel, graphs: Any, *, client: Any = None, size: int = 2048
) -> Any:
    """Fit, and return the Gram matrix of the training graphs as a lazy Dask array.

    Graphs are compared when a part of the array is computed, and only those that this part needs.
    One half of the symmetric matrix is computed; the other one is its mirror image.

    Parameters
    ----------
    kernel : FiltrationKernel
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
    client : dask.distributed.Client, optional
        Keep the histograms on its cluster, instead of within the array. Needed if there are many.
    size : int
        Number of graphs on each side of a chunk.

    Returns
    -------
    dask.array.Array of shape (n_graphs, n_graphs)

    Examples
    --------
    >>> from grafik import FiltrationKernel, datasets
    >>> from grafik.distributed import gram_array
    >>> graphs, y = datasets.csl(copies=1)
    >>> kernel = FiltrationKernel(weight="triangles")
    >>> K = gram_array(kernel, graphs, size=4)
    >>> K.shape, K.chunks[0]
    ((10, 10), (4, 4, 2))
    >>> (K.compute() == kernel.fit_transform(graphs)).all()
    np.True_
    """
    checked_integer("size", size, 1)
    kernel.fit(graphs)
    return _array(kernel, Cut(kernel.histograms_, kernel.histograms_, size), client)


def transform_array(
    kernel: FiltrationKernel, graphs: Any, *, client: Any = None, size: int = 2048
) -> Any:
    """Return the kernel of new graphs with all training graphs as a lazy Dask array.

    Parameters
    ----------
    kernel : FiltrationKernel
        Fitted.
    graphs, client, size
        As for :func:`gram_array`.

    Returns
    -------
    dask.array.Array of shape (n_new_graphs, n_training_graphs)
    """
    checked_integer("size", size, 1)
    return _array(kernel, Cut(kernel.count(graphs), kernel.histograms_, size), client)


def _array(kernel: FiltrationKernel, cut: Cut, client: Any) -> Any:
    da = require("dask.array", "a Dask array", EXTRA)
    from dask.delayed import delayed

    if client is not None:
        checked_client(client)
    token, alone = uuid4().hex, serial(kernel.on_histograms())

    def kept(kind: str, number: int, part: Any) -> Any:
        if client is not None:
            return delayed(held(client, part))
        return delayed(part, name=f"{kind}-{token}-{number}", traverse=False)

    rows = [kept("rows", number, part) for number, part in enumerate(cut.row_parts)]
    columns = rows
    if not cut.half:
        columns = [kept("columns", number, part) for number, part in enumerate(cut.column_parts)]
    chunks = {}
    for place in cut.places():
        key = f"gram-block-{token}-{place.row}-{place.column}"
        block = delayed(gram_block)(
            alone, rows[place.row], columns[place.column], dask_key_name=key
        )
        chunks[place] = da.from_delayed(block, cut.shape_of(place), np.float64)
        if cut.mirrored(place):
            chunks[Place(place.column, place.row)] = chunks[place].T
    if not chunks:
        return da.zeros(cut.shape)
    return da.block([[chunks[Place(i, j)] for j in range(len(columns))] for i in range(len(rows))])
