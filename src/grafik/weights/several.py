"""Several weights in one text, as in "degree+curvature+jaccard"."""

from __future__ import annotations

from typing import Any

from ..arrays.checks import checked_choice
from .names import NAMES, SIGN


def several_weights(text: Any) -> list[str]:
    """Return the names of weights that are written with a plus between them, checked.

    Examples
    --------
    >>> from grafik.weights.several import several_weights
    >>> several_weights("degree+curvature")
    ['degree', 'curvature']
    >>> several_weights("degree")
    ['degree']
    >>> several_weights("degree+core+degree")
    Traceback (most recent call last):
    ValueError: weight 'degree+core+degree' names 'degree' twice; name each weight once
    """
    if not isinstance(text, str):
        raise TypeError(
            f"weights that belong together are one text, as in 'degree+curvature', got {text!r}"
        )
    names = [name.strip() for name in text.split(SIGN)]
    for name in names:
        if not name:
            raise ValueError(f"weight {text!r} lacks a name before or after a plus")
        checked_choice("weight", name, tuple(NAMES))
        if names.count(name) > 1:
            raise ValueError(f"weight {text!r} names {name!r} twice; name each weight once")
    return names
