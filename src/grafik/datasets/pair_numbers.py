"""The pairs of vertices of a graph, numbered column by column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def numbered_pairs(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pairs ``u < v`` that have these numbers, ``v (v - 1) / 2 + u``.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.datasets.pair_numbers import numbered_pairs
    >>> numbered_pairs(np.arange(4)).tolist()
    [[0, 1], [0, 2], [1, 2], [0, 3]]
    """
    v = ((1 + np.sqrt(1 + 8 * numbers.astype(float))) / 2).astype(np.int64)
    # The square root may be off by one.
    v -= v * (v - 1) // 2 > numbers
    v += (v + 1) * v // 2 <= numbers
    return np.column_stack([numbers - v * (v - 1) // 2, v])
