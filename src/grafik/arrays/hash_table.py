"""Finding features again: a table from depth and hash to the number of a feature."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..arrays.hashing import GOLDEN


def table_of(depths: NDArray[np.int32], features: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a table for :func:`find`, of fewer than 2^32 features that are all different.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.arrays.hash_table import find, table_of
    >>> table = table_of(np.array([0, 1], np.int32), np.array([7, 7], np.uint64))
    >>> find(table, 1, np.uint64(7)), find(table, 2, np.uint64(7))
    (1, -1)
    """
    # What belongs together lies together, as most of the time goes into reaching it: the feature,
    # then its depth and its number, counted from 1, in 32 bits each.
    table = np.zeros((1 << (2 * max(len(features), 1)).bit_length(), 2), np.uint64)
    _fill(table, depths, features)
    return table


@njit(cache=True, nogil=True)
def _fill(table, depths, features):
    mask = np.uint64(len(table) - 1)
    for number in range(len(features)):
        place = _start(depths[number], features[number], mask)
        while table[place, 1]:
            place = (place + np.uint64(1)) & mask
        table[place, 0] = features[number]
        table[place, 1] = np.uint64(depths[number]) << np.uint64(32) | np.uint64(number + 1)


@njit(cache=True, nogil=True)
def find(table, depth, feature):
    """Return the number of a feature, -1 if it is not in the table."""
    mask = np.uint64(len(table) - 1)
    place = _start(depth, feature, mask)
    while table[place, 1]:
        if table[place, 0] == feature and table[place, 1] >> np.uint64(32) == np.uint64(depth):
            return np.int64(table[place, 1] & np.uint64(0xFFFFFFFF)) - 1
        place = (place + np.uint64(1)) & mask
    return np.int64(-1)


@njit(cache=True, nogil=True, inline="always")
def _start(depth, feature, mask):
    key = (feature + np.uint64(depth)) * GOLDEN
    return (key >> np.uint64(32)) & mask
