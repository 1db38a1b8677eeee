"""64-bit hashes of structures, made of the hashes of their parts."""

import numpy as np

from .compiled import njit

# An odd number whose bits look random: 2^64 divided by the golden ratio.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# The label of a vertex or edge that has none: no content hashes to it but by accident.
UNLABELLED = np.uint64(0x6A09E667F3BCC909)


# With a signature it is compiled or loaded here, and with it numba's own tables: importing is the
# time for that.
@njit("uint64(uint64)", cache=True, nogil=True, forceinline=True)
def mix(x):
    """Scramble 64 bits (the finaliser of SplitMix64); a bijection."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True, forceinline=True)
def mix_other(x):
    """Scramble 64 bits in another way (the finaliser of MurmurHash3); a bijection."""
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


@njit(cache=True, nogil=True, forceinline=True)
def relabelled(own, around, depth):
    """Return the next label of a vertex, from its own and the sum of its neighbours', scrambled."""
    return mix(own * GOLDEN + around + np.uint64(depth))
