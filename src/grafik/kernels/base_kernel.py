"""The base kernel: an exponential made of additions and multiplications alone.

Loops over it become vector operations, and it has the same bits on every machine, unlike that of C
libraries. This is the only definition of ``exp(-gamma W1)``. If you change it, look at those who
rely on its form:

- `embeddings/hashed.py` draws grids for a Laplace kernel of cumulative histograms,
- `search/loops.py` takes for granted that it is 1 at a distance of 0 and nowhere larger,
- `kernels/products.py` and `explain/contributions.py` add up its logarithm, ``-gamma W1``,
- `explain/contributions.py` and `report/class_features.py` compute it by NumPy, to more bits,
- `report/assets/kernel.js` computes it in the page; a test compares the two,
- `kernels/tiles.py` needs its few bits (`LIGHT`).
"""

import math

import numpy as np

from ..arrays.compiled import njit

# A product of a base kernel, which has 44 bits, with a mass below this bound is exact.
LIGHT = 512.0

# Adding this rounds a float to an integer, which is then found in its last bits.
_ROUND = 1.5 * 2.0**52
# The logarithm of 2 in two parts; a product of the first with an exponent is exact.
_LN2, _LN2_REST = 0.6931471803691238, 1.9082149292705877e-10
# Below the exponential of this number, there is nothing but 0.
_LEAST = -708.0
_2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13 = (1.0 / math.factorial(i) for i in range(2, 14))


@njit(cache=True, nogil=True, inline="always")
def exponential(distance, gamma):
    """Return the base kernel of two histograms at a distance, rounded to 44 bits (Veltkamp)."""
    x = -(gamma * distance)
    shifted = max(x, _LEAST) * (1.0 / math.log(2.0)) + _ROUND
    power = shifted - _ROUND
    r = (max(x, _LEAST) - power * _LN2) - power * _LN2_REST  # now x = log(2^power) + r
    # The Taylor series of e^r, of which |r| < 0.35 needs no more.
    s = ((((_13 * r + _12) * r + _11) * r + _10) * r + _9) * r + _8
    s = (((((s * r + _7) * r + _6) * r + _5) * r + _4) * r + _3) * r + _2
    s = s * (r * r) + r + 1.0
    exponent = (np.float64(shifted).view(np.int64) + 1023) << 52
    value = s * np.int64(exponent).view(np.float64)
    large = value * (LIGHT + 1.0)
    return large - (large - value) if x > _LEAST else 0.0
