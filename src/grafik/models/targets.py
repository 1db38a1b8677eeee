"""Targets of graphs: one column of anything, and numbers."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray


def as_column(y: Any, wanted: str) -> Any:
    """Return targets as something of one dimension; frames and arrays may have one column.

    Parameters
    ----------
    y : sequence, array, Series or frame
    wanted : str
        What a target is, for messages, such as ``"the class"``.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.models.targets import as_column
    >>> as_column(np.array([[0], [1]]), "the class")
    array([0, 1])
    """
    if y is None:
        raise ValueError(
            f"this estimator requires y to be passed, but the target y is None; give {wanted} of "
            "each graph"
        )
    if isinstance(y, (str, bytes, dict)) or not (
        hasattr(y, "__array__") or isinstance(y, Iterable)
    ):
        raise ValueError(f"y must be a sequence with {wanted} of each graph, got {y!r}")
    frame = hasattr(y, "iloc")
    if getattr(y, "ndim", 1) == 2:
        if y.shape[1] != 1:
            got = f"{y.shape[1]} columns"
            if frame:
                names = list(y.columns)
                got += f", {names}; choose one, such as y[{names[0]!r}]" if names else ""
            raise ValueError(f"y must have one column, with {wanted} of each graph, got {got}")
        return y.iloc[:, 0] if frame else y[:, 0]
    return y if hasattr(y, "dtype") else list(y)


def refuse_pair(X: Any, y: Any) -> None:
    """Refuse graphs and targets in one tuple, where targets are missing."""
    if y is None and isinstance(X, tuple) and len(X) == 2:
        raise ValueError("fit takes graphs and targets one after the other: fit(graphs, y)")


def refuse_continuous(y: NDArray[Any]) -> None:
    """Refuse numbers that are not whole where classes are wanted."""
    if y.dtype.kind == "f" and np.isfinite(y).all() and (y % 1 != 0).any():
        first = int(np.argmax(y % 1 != 0))
        raise ValueError(
            f"graph {first}: y must be classes, got the number {y[first]:g}; to predict "
            "numbers, use FiltrationRegressor"
        )


def as_numbers(y: Any) -> NDArray[np.float64]:
    """Return numbers as an array; refuse text and what is missing, naming the graph.

    Examples
    --------
    >>> from grafik.models.targets import as_numbers
    >>> as_numbers([1, 2.5]).tolist()
    [1.0, 2.5]
    >>> as_numbers([1, None])
    Traceback (most recent call last):
    ValueError: graph 1: the target must be a finite number, got None; leave the graph out
    """
    column = as_column(y, "the target")
    found = np.asarray(column)
    if found.ndim == 2 and found.shape[1] == 1:
        column = found = found[:, 0]
    if found.ndim != 1:
        raise ValueError(
            f"y must be one number for each graph, got an array of shape {found.shape}"
        )
    if found.dtype.kind not in "biuf":
        items = list(column) if isinstance(column, list) else found.tolist()
        for place, item in enumerate(items):
            if isinstance(item, (str, bytes)):
                raise ValueError(
                    f"graph {place}: the target must be a number, got the text {item!r}; convert "
                    "it, or use FiltrationClassifier to predict classes"
                )
            if not isinstance(item, Number) or isinstance(item, complex):
                _refuse(place, item)
    numbers = found.astype(np.float64)
    if not np.isfinite(numbers).all():
        place = int(np.isfinite(numbers).argmin())
        _refuse(place, numbers[place])
    return numbers


def _refuse(place: int, item: Any) -> None:
    raise ValueError(
        f"graph {place}: the target must be a finite number, got {item}; leave the graph out"
    )
