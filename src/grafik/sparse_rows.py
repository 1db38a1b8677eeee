"""Rows of sparse matrices, as loops make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .arrays import offsets


class SparseRows(NamedTuple):
    """The entries of consecutive rows of a sparse matrix.

    Attributes
    ----------
    n_entries : ndarray of int64, shape (n_rows,)
    columns : ndarray of int64
        Increasing in each row.
    values : ndarray of float64
    """

    n_entries: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def joined(cls, blocks: Sequence[SparseRows]) -> SparseRows:
        """Put blocks of rows one below the other."""
        return cls(*map(np.concatenate, zip(*blocks, strict=True)))

    def to_csr(self, n_columns: int, scale: NDArray[np.float64] | float = 1.0) -> csr_matrix:
        """Return the matrix, with rows times `scale`."""
        if not np.isscalar(scale):
            scale = np.repeat(scale, self.n_entries)
        parts = self.values * scale, self.columns, offsets(self.n_entries)
        matrix = csr_matrix(parts, (len(self.n_entries), n_columns))
        matrix.has_canonical_format = True
        return matrix


@njit(cache=True, nogil=True)
def longer(columns, values, used, size):
    """Return longer arrays that start with what is in use."""
    more_columns, more_values = np.empty(size, np.int64), np.empty(size)
    for at in range(used):
        more_columns[at], more_values[at] = columns[at], values[at]
    return more_columns, more_values
