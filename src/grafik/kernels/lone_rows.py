"""Rows of histograms whose feature no other graph has, found without sorting them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hashing import GOLDEN
from ..features.histograms import Histograms
from ..system.threads import n_threads, run_all, run_blocks

# Fewer rows than this are sorted sooner than looked at.
_MANY = 1 << 16
# Rows are cut into this many parts; if fewer than half of the first are alone, the rest is skipped.
_PARTS = 8
# A table with this many slots for each row tells most lone rows from others; it has at most 2^24.
_SLOTS, _MAX_BITS = 4, 24


def lone_rows(histograms: Histograms, n_jobs: int | None) -> NDArray[np.bool_] | None:
    """Say of each row whether its feature is surely in no other graph; None if that is rare.

    Rows fall into slots by their features. Where there is only one in a slot, it is alone. Rows of
    different features that share a slot are not told apart.
    """
    n_rows, threads = len(histograms.features), n_threads(n_jobs)
    if len(histograms) == 1:  # it has each feature in one row, and shares it with nobody
        return np.ones(n_rows, np.bool_)
    if n_rows < _MANY:
        return None
    bits = min((_SLOTS * n_rows).bit_length(), _MAX_BITS)
    columns = histograms.depths, histograms.features, bits

    def count(start: int, stop: int) -> NDArray[np.uint64]:
        slots = np.zeros(-(-(1 << bits) // 32), np.uint64)
        _count_in_slots(start, stop, *columns, slots)
        return slots

    part = n_rows // _PARTS
    slots = count(0, part)
    if 2 * _n_lone(slots) < part:
        return None
    cuts = [part + (n_rows - part) * i // threads for i in range(threads + 1)]
    for others in run_all(count, list(pairwise(cuts)), threads):
        _add_slots(slots, others)
    if 2 * _n_lone(slots) < n_rows:
        return None
    lone = np.empty(n_rows, np.bool_)
    run_blocks(
        lambda a, b: _find(a, b, *columns, slots, lone),
        np.arange(n_rows + 1),
        n_jobs,
        ns_per_unit=3.0,
    )
    return lone


@njit(cache=True, nogil=True)
def _slot(depth, feature, bits):
    """Return the word and the position in it of the slot that a feature falls into."""
    mixed = (feature ^ np.uint64(depth)) * GOLDEN
    slot = mixed >> np.uint64(64 - bits)
    return slot >> np.uint64(5), np.uint64(2) * (slot & np.uint64(31))


# A word has 32 slots of two bits: 0 and 1 count rows, 2 is two of them or more.
_ONES = np.uint64(0x5555555555555555)


@njit(cache=True, nogil=True)
def _count_in_slots(start, stop, depths, features, bits, slots):
    """Count rows start..stop in their slots."""
    for row in range(start, stop):
        word, shift = _slot(depths[row], features[row], bits)
        before = (slots[word] >> shift) & np.uint64(3)
        slots[word] += np.uint64(before < 2) << shift


@njit(cache=True, nogil=True)
def _add_slots(slots, others):
    """Add the counts of others."""
    for word in range(len(slots)):
        a, b = slots[word], others[word]
        two = ((a | b) >> np.uint64(1) | a & b) & _ONES
        slots[word] = two << np.uint64(1) | (a ^ b) & _ONES & ~two


@njit(cache=True, nogil=True)
def _n_lone(slots):
    """Return the number of slots with one row."""
    n = 0
    for word in slots:
        ones = word & _ONES
        for shift in range(0, 64, 2):
            n += (ones >> np.uint64(shift)) & np.uint64(1) == 1
    return n


@njit(cache=True, nogil=True)
def _find(start, stop, depths, features, bits, slots, lone):
    for row in range(start, stop):
        word, shift = _slot(depths[row], features[row], bits)
        lone[row] = (slots[word] >> shift) & np.uint64(3) == 1
