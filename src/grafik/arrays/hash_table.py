"""Hash tables: from a 64-bit key and a tag to a number."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.hashing import GOLDEN
from .compiled import njit, record

# What belongs together lies together, as most of the time goes into reaching it.
SLOT = record([("key", "u8"), ("number", "u4"), ("tag", "u4")])


def empty_table(n_keys: int) -> NDArray[Any]:
    """Return a table without entries that up to `n_keys` keys fill to a half at most."""
    return np.zeros(1 << (2 * max(n_keys, 1)).bit_length(), SLOT)


@njit(cache=True, nogil=True)
def place_of(table, key, tag, floor):
    """Return the place of a key with a tag, or the free one to put it if it is not in the table.

    Places with numbers up to `floor` are free. So what one graph has left in a table need not be
    cleared for the next one, whose numbers are larger.
    """
    mask = np.uint64(len(table) - 1)
    place = (((key + np.uint64(tag)) * GOLDEN) >> np.uint64(32)) & mask
    while table[place].number > floor and (table[place].key != key or table[place].tag != tag):
        place = (place + np.uint64(1)) & mask
    return place


def table_of(depths: NDArray[np.int32], features: NDArray[np.uint64]) -> NDArray[Any]:
    """Return a table for :func:`find`, of fewer than 2^32 features that are all different.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.arrays.hash_table import find, table_of
    >>> table = table_of(np.array([0, 1], np.int32), np.array([7, 7], np.uint64))
    >>> int(find(table, 1, np.uint64(7))), int(find(table, 2, np.uint64(7)))
    (1, -1)
    """
    table = empty_table(len(features))
    _fill(table, depths, features)
    return table


@njit(cache=True, nogil=True)
def _fill(table, depths, features):
    for i in range(len(features)):
        slot = table[place_of(table, features[i], depths[i], np.int64(0))]
        slot.key, slot.tag, slot.number = features[i], depths[i], i + 1


@njit(cache=True, nogil=True)
def find(table, depth, feature):
    """Return the number of a feature, -1 if it is not in the table."""
    return np.int64(table[place_of(table, feature, depth, np.int64(0))].number) - 1
