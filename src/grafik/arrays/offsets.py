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
