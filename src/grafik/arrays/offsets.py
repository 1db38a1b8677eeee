"""Small things that NumPy lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array that nobody writes to by accident, and freeze the array itself."""
    array.flags.writeable = False
    return array.view()


def offsets(sizes: ArrayLike) -> NDArray[np.int64]:
    """Return where each of the consecutive parts starts, and where the last one ends.

    Examples
    --------
    >>> from grafik.arrays.offsets import offsets
    >>> offsets([3, 0, 2])
    array([0, 3, 3, 5])
    """
    sizes = np.asarray(sizes)
    result = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=result[1:])
    return result


def part_of(starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the part that each row belongs to, where parts lie between consecutive offsets.

    Examples
    --------
    >>> from grafik.arrays.offsets import offsets, part_of
    >>> part_of(offsets([3, 0, 2]))
    array([0, 0, 0, 2, 2])
    """
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def ranges(firsts: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ranges of numbers, one after the other, each as long as its part between offsets.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.arrays.offsets import offsets, ranges
    >>> ranges(np.array([7, 2]), offsets([1, 3]))
    array([7, 2, 3, 4])
    """
    return np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], np.diff(starts))
