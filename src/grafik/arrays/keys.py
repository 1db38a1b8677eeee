"""Rows of whole numbers as keys: their order, and the rank of each among those that are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SIGN = np.int64(np.iinfo(np.int64).min)


def ordered_integers(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return integers in the order of finite floats, equal where the floats are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.arrays.keys import ordered_integers
    >>> codes = ordered_integers(np.array([-2.5, -0.0, 0.0, 1e-300, 3.0]))
    >>> (np.diff(codes) >= 0).all(), codes[1] == codes[2], codes[0] < codes[1]
    (np.True_, np.True_, np.True_)
    """
    bits = (values + 0.0).view(np.int64)  # adding zero makes -0.0 and 0.0 one value
    return np.where(bits < 0, _SIGN - bits, bits)


def distinct_rows(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the different rows, increasing, the first column before the next.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.arrays.keys import distinct_rows
    >>> distinct_rows(np.array([[2, 0], [1, 9], [2, 0], [1, -3]])).tolist()
    [[1, -3], [1, 9], [2, 0]]
    """
    if keys.shape[1] == 1:
        return np.unique(keys).reshape(-1, 1)
    ordered = keys[np.lexsort(keys.T[::-1])]
    first = np.ones(len(ordered), bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[first]


def ranks(keys: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the rank of each row among known rows, which are distinct and increase.

    A row that is not known gets half a rank, between its neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.arrays.keys import ranks
    >>> ranks(np.array([[1, 9], [2, 0], [1, 5], [7, 7]]), np.array([[1, -3], [1, 9], [2, 0]]))
    array([1. , 2. , 0.5, 2.5])
    """
    if keys.shape[1] != known.shape[1]:
        raise ValueError(f"keys have {known.shape[1]} columns, got {keys.shape[1]}")
    if keys.shape[1] == 1:
        below = np.searchsorted(known[:, 0], keys[:, 0])
        up_to = np.searchsorted(known[:, 0], keys[:, 0], side="right")
    else:
        below = _n_known_before(keys, known, known_first=False)
        up_to = _n_known_before(keys, known, known_first=True)
    return np.where(up_to > below, below, below - 0.5)


def _n_known_before(
    keys: NDArray[np.int64], known: NDArray[np.int64], known_first: bool
) -> NDArray[np.intp]:
    """Return how many known rows come before each key; equal ones before or after it."""
    is_known = np.arange(len(keys) + len(known)) < len(known)
    ties = is_known != known_first
    order = np.lexsort((ties, *np.concatenate([known, keys]).T[::-1]))
    before = np.empty(len(order), np.intp)
    before[order] = np.cumsum(is_known[order])
    return before[len(known) :]
