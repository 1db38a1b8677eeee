"""Finding features again: a table from depth and hash to the number of a feature."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


def table_of(depths: NDArray[np.int32], features: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return a table for :func:`find`, of features that are all different.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.lookup import find, table_of
    >>> depths, features = np.array([0, 1], np.int32), np.array([7, 7], np.uint64)
    >>> table = table_of(depths, features)
    >>> find(table, depths, features, 1, np.uint64(7)), find(table, depths, features, 2, features[0])
    (1, -1)
    """
    places = np.full(1 << (2 * max(len(features), 1)).bit_length(), -1, np.int64)
    _fill(places, depths, features)
    return places


@njit(cache=True, nogil=True)
def _fill(places, depths, features):
    mask = np.uint64(len(places) - 1)
    for number in range(len(features)):
        place = _start(depths[number], features[number], mask)
        while places[place] >= 0:
            place = (place + np.uint64(1)) & mask
        places[place] = number


@njit(cache=True, nogil=True)
def find(places, depths, features, depth, feature):
    """Return the number of a feature, -1 if it is not in the table."""
    mask = np.uint64(len(places) - 1)
    place = _start(depth, feature, mask)
    while places[place] >= 0:
        number = places[place]
        if features[number] == feature and depths[number] == depth:
            return number
        place = (place + np.uint64(1)) & mask
    return np.int64(-1)


@njit(cache=True, nogil=True, inline="always")
def _start(depth, feature, mask):
    key = (feature + np.uint64(depth)) * np.uint64(0x9E3779B97F4A7C15)
    return (key >> np.uint64(32)) & mask
