"""Rows of sparse matrices, as loops make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .compiled import njit
from .offsets import offsets


class SparseRows(NamedTuple):
    """The entries of consecutive rows of a sparse matrix.

    Attributes
    ----------
    n_entries : ndarray of int64, shape (n_rows,)
    columns : ndarray of int32
        Increasing in each row.
    values : ndarray of float64
    """

    n_entries: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def joined(cls, blocks: Sequence[SparseRows]) -> SparseRows:
        """Put blocks of rows one below the other."""
        if len(blocks) == 1:
            return blocks[0]
        return cls(*map(np.concatenate, zip(*blocks, strict=True)))

    def to_csr(self, n_columns: int, scale: NDArray[np.float64] | None) -> csr_matrix:
        """Return the matrix, with each row times its `scale`, and use up the values."""
        ends = offsets(self.n_entries)
        if scale is not None:
            np.multiply(self.values, np.repeat(scale, self.n_entries), out=self.values)
        matrix = csr_matrix((len(self.n_entries), n_columns))
        kind = np.int32 if ends[-1] < 2**31 else np.int64
        matrix.indptr, matrix.indices = ends.astype(kind), self.columns.astype(kind, copy=False)
        matrix.data = self.values
        return matrix


@njit(cache=True, nogil=True)
def longer(columns, values, used, size):
    """Return longer arrays that start with what is in use."""
    more_columns, more_values = np.empty(size, np.int32), np.empty(size)
    for at in range(used):
        more_columns[at], more_values[at] = columns[at], values[at]
    return more_columns, more_values
