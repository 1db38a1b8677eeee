"""Sketches of graphs: a few bits of each, for finding similar ones quickly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit
from ..arrays.hashing import GOLDEN, mix
from ..arrays.offsets import offsets
from ..embeddings.hashed import bin_histograms, draw_grids
from ..features.histograms import Histograms
from ..kernels.gram import KernelOnHistograms
from ..system.threads import new_flag, run_blocks

# Number of 64-bit words in a sketch, and of random grids for each feature.
_WORDS, _GRIDS = 8, 2
_BLOCK = 1_000_000  # entries, so that an interrupt does not wait for long


def sketches(histograms: Histograms, kernel: KernelOnHistograms) -> NDArray[np.uint64]:
    r"""Return the signs of random projections of hashed vectors, packed 64 to a number.

    Two graphs whose vectors are at an angle :math:`\theta` differ in each bit with probability
    :math:`\theta / \pi` [1]_. A sketch depends on its graph alone.

    Where of two masses the smaller one counts, vectors hold the roots of masses: then they have the
    lengths that the kernel gives them, and their products are too large by no more than
    :math:`\sqrt{m m'}` is larger than :math:`\min(m, m')`.

    Parameters
    ----------
    histograms : Histograms
    kernel : KernelOnHistograms

    References
    ----------
    .. [1] Charikar: Similarity Estimation Techniques from Rounding Algorithms, STOC 2002.
    """
    grids, n_jobs = draw_grids(kernel.axis.points, kernel.rate, _GRIDS, 0), kernel.n_jobs
    rows = bin_histograms(histograms, grids, np.iinfo(np.int32).max, n_jobs)
    values = (
        np.copysign(np.sqrt(np.abs(rows.values)), rows.values) if kernel.smaller else rows.values
    )
    ends, out = offsets(rows.n_entries), np.empty((len(histograms), _WORDS), np.uint64)

    def make(start: int, stop: int) -> None:
        _project(start, stop, ends, rows.columns, values, grids.seed, out)

    run_blocks(make, ends, n_jobs, ns_per_unit=500.0, max_units=_BLOCK, flag=new_flag())
    return out


def promising(
    queries: NDArray[np.uint64],
    known: NDArray[np.uint64],
    norms: NDArray[np.float64] | float,
    n_listed: int,
) -> NDArray[np.int64]:
    """Return for each query the graphs whose sketches promise the largest products.

    Parameters
    ----------
    queries, known : ndarray of uint64
        Sketches.
    norms : ndarray or float
        Lengths of the vectors of the known graphs.
    n_listed : int
        How many graphs to list for each query, in any order.
    """
    cosines = np.cos(np.arange(64 * _WORDS + 1) * np.pi / (64 * _WORDS))
    result = np.empty((len(queries), n_listed), np.int64)
    bits = np.empty(len(known), np.int64)
    for query, own in enumerate(queries):
        _differing(own, known, bits)
        result[query] = np.argpartition(-cosines[bits] * norms, n_listed - 1)[:n_listed]
    return result


@njit(cache=True, nogil=True)
def _project(start, stop, row_ptr, columns, values, seed, out):
    """Write the signs of random projections of sparse rows start..stop, packed 64 to a number."""
    n_words = out.shape[1]
    sums = np.empty(64 * n_words)
    for row in range(start, stop):
        for i in range(len(sums)):
            sums[i] = 0.0
        for at in range(row_ptr[row], row_ptr[row + 1]):
            value, key = values[at], mix(seed ^ np.uint64(columns[at]))
            for word in range(n_words):
                key = mix(key + GOLDEN)
                for i in range(64):
                    positive = (key >> np.uint64(i)) & np.uint64(1)
                    sums[64 * word + i] += value if positive else -value
        for word in range(n_words):
            bits = np.uint64(0)
            for i in range(64):
                bits |= np.uint64(sums[64 * word + i] > 0) << np.uint64(i)
            out[row, word] = bits


@njit(cache=True, nogil=True)
def _differing(words, known, out):
    """Count the bits in which each known sketch differs from one sketch."""
    m1, m2 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    m4, ones = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
    for graph in range(len(known)):
        count = np.uint64(0)
        for word in range(len(words)):
            x = words[word] ^ known[graph, word]
            x -= (x >> np.uint64(1)) & m1
            x = (x & m2) + ((x >> np.uint64(2)) & m2)
            x = (x + (x >> np.uint64(4))) & m4
            count += (x * ones) >> np.uint64(56)
        out[graph] = count
