"""How weights are shown to those who gave them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .names import Weight, found


def is_small_first(weight: str | Weight) -> bool:
    """Return whether edges with small numbers enter first, so that weights are minus the numbers.

    A weight of this kind has the attribute `negated`, which is true.

    Examples
    --------
    >>> from grafik.weights import Attribute
    >>> from grafik.weights.display import is_small_first
    >>> is_small_first("degree"), is_small_first(Attribute(first="small"))
    (False, True)
    """
    return bool(getattr(found(weight), "negated", False))


def as_given(weight: str | Weight, values: ArrayLike) -> NDArray[np.float64]:
    """Return weights or thresholds as users know them: distances, not minus distances.

    Examples
    --------
    >>> from grafik.weights import Attribute
    >>> from grafik.weights.display import as_given
    >>> as_given(Attribute(first="small"), [-1.5, -2.0]).tolist()
    [1.5, 2.0]
    """
    array = np.asarray(values, np.float64)
    return 0.0 - array if is_small_first(weight) else array
