"""Gram matrices cut into blocks, each of which is computed from its own graphs alone."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..features.histograms import Histograms
from ..kernels.combined_gram import Counted, all_histograms

# The most graphs on each side of a block. Larger blocks gain nothing; smaller ones match features
# too often.
MOST_GRAPHS = 2048
# Bytes that a block of any size may take for tables of distances and for scratch.
FIXED_BYTES = 400e6
# Bytes that a block takes for each row of the histograms of either side, besides the matrix.
_BYTES_PER_ROW = 200.0


class Place(NamedTuple):
    """The place of a block: the number of its part of the rows, and of its part of the columns."""

    row: int
    column: int


Computed: TypeAlias = Generator[tuple[Place, NDArray[np.float64]], None, None]


class Cut:
    """A Gram matrix cut into blocks.

    Parameters
    ----------
    rows, columns : Histograms or Sides
        What is known of the graphs on both sides. If these are the same object, the matrix is
        symmetric, and there are only the blocks of its lower half.
    size : int
        Number of graphs on each side of a block; the last ones may have fewer.

    Attributes
    ----------
    half : bool
        Whether the matrix is symmetric.
    shape : tuple of int
        Of the whole matrix.
    row_parts, column_parts : list of Histograms or Sides

    Examples
    --------
    >>> from grafik import FiltrationKernel, datasets
    >>> from grafik.large.blocks import Cut
    >>> kernel = FiltrationKernel().fit(datasets.csl(copies=1)[0])
    >>> cut = Cut(kernel.histograms_, kernel.histograms_, 4)
    >>> [tuple(place) for place in cut.places()]
    [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    >>> cut.start_of(cut.places()[3])
    (8, 0)
    """

    def __init__(self, rows: Counted, columns: Counted, size: int) -> None:
        self.half, self.shape = rows is columns, (len(rows), len(columns))
        self.row_cuts = [*range(0, len(rows), size), len(rows)]
        self.row_parts: list[Any] = [rows.between(*ends) for ends in pairwise(self.row_cuts)]
        self.column_cuts, self.column_parts = self.row_cuts, self.row_parts
        if not self.half:
            self.column_cuts = [*range(0, len(columns), size), len(columns)]
            self.column_parts = [columns.between(*ends) for ends in pairwise(self.column_cuts)]

    def places(self) -> list[Place]:
        """Return the places of all blocks that have to be computed."""
        return [
            Place(row, column)
            for row in range(len(self.row_parts))
            for column in range(row + 1 if self.half else len(self.column_parts))
        ]

    def start_of(self, place: Place) -> tuple[int, int]:
        """Return the first row and the first column of a block."""
        return self.row_cuts[place.row], self.column_cuts[place.column]

    def shape_of(self, place: Place) -> tuple[int, int]:
        """Return the shape of a block."""
        return len(self.row_parts[place.row]), len(self.column_parts[place.column])

    def mirrored(self, place: Place) -> bool:
        """Whether a block is in the matrix twice, the second time as its mirror image."""
        return self.half and place.row != place.column

    def put(self, place: Place, block: NDArray[np.float64], matrix: NDArray[np.float64]) -> None:
        """Write a block to the whole matrix, and to its other half."""
        (row, column), (height, width) = self.start_of(place), block.shape
        matrix[row : row + height, column : column + width] = block
        if self.mirrored(place):
            matrix[column : column + width, row : row + height] = block.T


def gram_block(kernel: Any, x: Counted, y: Counted) -> NDArray[np.float64]:
    """Return one block of a Gram matrix; it has the same bits wherever it is computed."""
    block: NDArray[np.float64] = kernel.gram(x, y)
    return block


def computed_here(kernel: Any, cut: Cut, places: Sequence[Place]) -> Computed:
    """Compute blocks one after the other, with the threads of the kernel."""
    for place in places:
        x, y = cut.row_parts[place.row], cut.column_parts[place.column]
        yield place, gram_block(kernel, x, y)


def size_of_blocks(kernel: Any, rows: Counted, columns: Counted, memory: float) -> int:
    """Return how many graphs a block may have on each side, if it may take `memory` bytes."""
    size = MOST_GRAPHS
    while size > 1:
        n_rows = _most_rows(rows, size) + _most_rows(columns, size)
        needed = FIXED_BYTES + 8.0 * (kernel.n_matrices + 1) * size**2 + _BYTES_PER_ROW * n_rows
        if needed <= memory:
            break
        size //= 2
    return size


def _most_rows(counted: Counted, size: int) -> int:
    """Return the number of rows of the largest part; several histograms have their turns."""

    def most(histograms: Histograms) -> int:
        starts = np.append(histograms.graph_ptr[:-1:size], histograms.graph_ptr[-1])
        return int(np.diff(starts).max(initial=0))

    return max(map(most, all_histograms(counted)))
