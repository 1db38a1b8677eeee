"""Classes of graphs, of any type that users give."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .targets import as_column


def as_classes(y: Any) -> NDArray[Any]:
    """Return classes as an array; refuse missing ones, and text mixed with other types.

    Examples
    --------
    >>> from grafik.models.classes import as_classes
    >>> as_classes(["no", "yes"]).tolist()
    ['no', 'yes']
    >>> as_classes(["no", 1])
    Traceback (most recent call last):
    ValueError: graph 1: classes must be all text or all numbers, got 1
    """
    y = as_column(y, "the class")
    found = np.asarray(y)
    objects = found.dtype == object and found.ndim == 1
    # NumPy turns numbers next to text into text, and arrays of objects may hold anything.
    if objects or isinstance(y, list):
        items = found.tolist() if objects else y
        text = [isinstance(one, str) for one in items]
        for place, one in enumerate(items):
            strange = objects and not isinstance(one, (str, Number, np.bool_))
            if strange or text[place] != text[0]:
                raise ValueError(
                    f"graph {place}: classes must be all text or all numbers, got {one!r}"
                )
        if objects:
            found = np.array(items)
    if found.dtype.kind == "f" and found.ndim == 1 and not np.isfinite(found).all():
        place = int(np.isfinite(found).argmin())
        raise ValueError(
            f"graph {place}: y must be a finite number, got {found[place]}; leave the graph out"
        )
    return found
