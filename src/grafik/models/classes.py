"""Classes of graphs, of any type that users give."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from .targets import as_column, refuse_continuous


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


def numbered_classes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the different classes, at least two, and the number of each graph's class.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.models.classes import numbered_classes
    >>> numbered_classes(np.array(["yes", "no", "yes"]))
    (array(['no', 'yes'], dtype='<U3'), array([1, 0, 1]))
    """
    refuse_continuous(y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        got = f"only {classes[0]}" if len(classes) else "no graphs"
        raise ValueError(f"at least two classes are needed, got {got}")
    return classes, codes
