"""Rows of histograms whose feature no other graph has, found without sorting them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .threads import n_threads, run_blocks

if TYPE_CHECKING:
    from .histograms import Histograms

# Fewer rows than this are sorted sooner than looked at.
_MANY = 1 << 16
# If fewer than half of the first of so many parts are alone, the others are not even looked at.
_PARTS = 8
# A table of so many slots for each row tells most lone rows from others; it has at most 2^24 slots.
_SLOTS, _MAX_BITS = 4, 24


def lone_rows(histograms: Histograms, n_jobs: int | None) -> NDArray[np.bool_] | None:
    """Say of each row whether its feature is surely in no other graph; None if that is rare.

    Rows fall into slots by their features. Where there is only one in a slot, it is alone. Rows of
    different features that share a slot are not told apart.
    """
    n_rows, threads = len(histograms.features), n_threads(n_jobs)
    if n_rows < _MANY:
        return None
    bits = min((_SLOTS * n_rows).bit_length(), _MAX_BITS)
    slots, lone = np.zeros(1 << bits >> 2, np.uint8), np.empty(n_rows, np.bool_)
    columns = histograms.depths, histograms.features, bits, slots
    part = n_rows // _PARTS
    n_lone = _count_in_slots(0, part, 0, len(slots), *columns)
    if 2 * n_lone < part:
        return None

    def count(start: int, stop: int) -> int:
        first, last = (end * len(slots) // threads for end in (start, stop))
        return int(_count_in_slots(part, n_rows, first, last, *columns))

    # Threads share the table, not the rows: no two write to the same byte.
    n_lone += sum(run_blocks(count, n_rows * np.arange(threads + 1), n_jobs, 3.0))
    if 2 * n_lone < n_rows:
        return None
    run_blocks(lambda a, b: _find(a, b, *columns, lone), np.arange(n_rows + 1), n_jobs, 3.0)
    return lone


@njit(cache=True, nogil=True)
def _slot(depth, feature, bits):
    """Return the byte and the position in it of the slot that a feature falls into."""
    mixed = (feature ^ np.uint64(depth)) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(64 - bits))
    return slot >> 2, 2 * (slot & 3)


@njit(cache=True, nogil=True)
def _count_in_slots(start, stop, first, last, depths, features, bits, slots):
    """Count rows start..stop in bytes first..last, up to two in each of the four slots of a byte.

    Return by how many the number of slots with one row grows.
    """
    n_lone = 0
    for row in range(start, stop):
        byte, shift = _slot(depths[row], features[row], bits)
        if first <= byte < last:
            before = (slots[byte] >> shift) & 3
            slots[byte] += (before < 2) << shift
            n_lone += (before == 0) - (before == 1)
    return n_lone


@njit(cache=True, nogil=True)
def _find(start, stop, depths, features, bits, slots, lone):
    for row in range(start, stop):
        byte, shift = _slot(depths[row], features[row], bits)
        lone[row] = (slots[byte] >> shift) & 3 == 1
