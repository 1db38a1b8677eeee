"""Means and Gaussians of normalised Gram matrices, entry by entry and in place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_number
from ..arrays.compiled import njit
from ..system.threads import run_blocks
from .base_kernel import exponential

# Nanoseconds for an entry, roughly.
_MEAN_NS, _GAUSSIAN_NS = 1.0, 4.0


class RunningMean:
    r"""The weighted mean of Gram matrices, each normalised, which come one at a time.

    .. math:: \sum_i w_i K_i(G, G') / \sqrt{K_i(G, G) K_i(G', G')} \;/\; \sum_i w_i

    Matrices are added in the order in which they come, so that the bits are always the same. Where
    all of them are 1, the mean is exactly 1.

    Parameters
    ----------
    out : ndarray of float64, shape (n_rows, n_columns)
        What is in it before does not matter.
    n_jobs : int or None
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.kernels.normalised import RunningMean
    >>> mean = RunningMean(np.empty((2, 2)))
    >>> own = np.array([4.0, 9.0])
    >>> mean.add(np.array([[4.0, 3.0], [3.0, 9.0]]), rows=own, columns=own)
    >>> mean.add(np.eye(2), weight=3.0)
    >>> mean.finished()
    array([[1.   , 0.125],
           [0.125, 1.   ]])
    """

    def __init__(self, out: NDArray[np.float64], n_jobs: int | None = None) -> None:
        self.out, self.n_jobs, self.total = out, n_jobs, 0.0

    def add(
        self,
        gram: NDArray[np.float64],
        weight: float = 1.0,
        rows: NDArray[np.float64] | None = None,
        columns: NDArray[np.float64] | None = None,
    ) -> None:
        """Add a matrix, which is not changed.

        Parameters
        ----------
        gram : ndarray of shape (n_rows, n_columns)
        weight : float
            Positive.
        rows, columns : ndarray, optional
            The kernel of each graph with itself; left out if the matrix is normalised already.
        """
        own = _own(gram, rows, columns)
        first, out = self.total == 0, self.out

        def work(start: int, stop: int) -> None:
            _add(start, stop, gram, weight, *own, first, out)

        _run(work, out, self.n_jobs, _MEAN_NS)
        self.total += weight

    def finished(self) -> NDArray[np.float64]:
        """Divide by the sum of the weights, and return the matrix."""
        if self.total != 1:
            out, total = self.out, self.total

            def work(start: int, stop: int) -> None:
                np.divide(out[start:stop], total, out=out[start:stop])

            _run(work, self.out, self.n_jobs, _MEAN_NS)
            self.total = 1.0
        return self.out


def gaussian_of(
    gram: NDArray[np.float64],
    sigma: float,
    rows: NDArray[np.float64] | None = None,
    columns: NDArray[np.float64] | None = None,
    out: NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    r"""Return the Gaussian of a Gram matrix that is normalised, or that this function normalises.

    .. math:: e^{-\sigma (1 - K(G, G') / \sqrt{K(G, G) K(G', G')})}

    It is 1 where two graphs are equal, never larger, and 0 where one has no self-similarity. Its
    exponential is that of the base kernel, with the same bits on every machine.

    Parameters
    ----------
    gram : ndarray of shape (n_rows, n_columns)
    sigma : float
        Positive.
    rows, columns : ndarray, optional
        The kernel of each graph with itself, before the Gaussian. Without these, the matrix is
        normalised already, and no graph lacks self-similarity.
    out : ndarray, optional
        Where to write to; `gram` itself is fine. By default a new matrix.
    n_jobs : int or None
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.kernels.normalised import gaussian_of
    >>> own = np.array([4.0, 0.0])
    >>> gaussian_of(np.array([[4.0, 0.0], [0.0, 0.0]]), 2.0, own, own)
    array([[1., 0.],
           [0., 0.]])
    >>> gaussian_of(np.array([[1.0, 0.5]]), 2.0).round(3)
    array([[1.   , 0.368]])
    """
    found, own = np.empty(gram.shape) if out is None else out, _own(gram, rows, columns)

    def work(start: int, stop: int) -> None:
        _exponentials(start, stop, gram, sigma, *own, found)

    _run(work, found, n_jobs, _GAUSSIAN_NS)
    return found


def checked_sigma(sigma: object) -> float:
    """Return a finite number above 0, or refuse it."""
    try:
        number = checked_number("sigma", sigma)
    except ValueError:
        number = 0.0
    if number == 0:
        raise ValueError(f"sigma must be a finite number above 0, got {sigma!r}")
    return number


def _own(
    gram: NDArray[np.float64],
    rows: NDArray[np.float64] | None,
    columns: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return self-similarities; those of a normalised matrix are 1."""
    height, width = gram.shape
    return (
        np.ones(height) if rows is None else rows,
        np.ones(width) if columns is None else columns,
    )


def _run(
    work: Callable[[int, int], None], out: NDArray[np.float64], n_jobs: int | None, ns: float
) -> None:
    """Do the work on all rows, in blocks."""
    run_blocks(work, np.arange(len(out) + 1), n_jobs, ns_per_unit=ns * max(1, out.shape[1]))


@njit(cache=True, nogil=True)
def _add(start, stop, gram, weight, rows, columns, first, out):
    """Add normalised entries of rows start..stop, times a weight; the first ones are written."""
    for row in range(start, stop):
        for column in range(len(columns)):
            scale = np.sqrt(rows[row] * columns[column])
            value = weight * (gram[row, column] / scale if scale > 0 else 0.0)
            out[row, column] = value if first else out[row, column] + value


@njit(cache=True, nogil=True)
def _exponentials(start, stop, gram, sigma, rows, columns, out):
    """Write the Gaussians of rows start..stop, in loops that become vector operations."""
    for row in range(start, stop):
        line, target, own = gram[row], out[row], rows[row]
        for column in range(len(columns)):
            scale = np.sqrt(own * columns[column])
            target[column] = 1.0 - min(line[column] / (scale if scale > 0 else 1.0), 1.0)
        for column in range(len(columns)):
            target[column] = exponential(target[column], sigma)
        for column in range(len(columns)):
            target[column] = target[column] if own * columns[column] > 0 else 0.0
