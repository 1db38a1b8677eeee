"""What all conversions share: one list per column, and errors that name missing values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray


class _Missing:
    """Marks a vertex or edge without a value; None is a label like any other."""

    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()

FOLD_HINT = "or say how its edges become one: fold='first', 'sum', 'mean', 'min' or 'max'"


def listed(graphs: Any, is_one: Callable[[Any], bool], kind: str) -> list[Any]:
    """Return one graph or many as a list; refuse other items, naming their position."""
    if not is_one(graphs) and not isinstance(graphs, Iterable):
        raise TypeError(f"expected graphs, got {in_short(graphs)}, not {kind}")
    items = [graphs] if is_one(graphs) else list(graphs)
    for position, item in enumerate(items):
        if not is_one(item):
            raise TypeError(f"graph {position} is {in_short(item)}, not {kind}")
    return items


def in_short(item: Any) -> str:
    """Return a short description of an unexpected value."""
    if item is None:
        return "None"
    text = repr(item)
    text = text if len(text) <= 40 else text[:37] + "..."
    return f"{text} of type {type(item).__name__}"


def refuse_one_way(u: NDArray[Any], v: NDArray[Any], graph: str, remedy: str) -> None:
    """Refuse a graph that lists some edge in one direction only."""
    width = int(max(u.max(initial=0), v.max(initial=0))) + 1
    there, back = u.astype(np.int64) * width + v, v.astype(np.int64) * width + u
    alone = np.setdiff1d(there, back)
    if len(alone):
        start, end = divmod(int(alone[0]), width)
        raise ValueError(
            f"{graph} is directed: it has an edge from {start} to {end} and none back; "
            f"{remedy}, {FOLD_HINT}"
        )


def refuse_kind(graph: str, directed: bool) -> None:
    """Refuse a directed graph or a multigraph."""
    kind = "directed" if directed else "a multigraph"
    raise ValueError(f"{graph} is {kind}; convert it, {FOLD_HINT}")


def complete(
    values: list[Any], what: str, name: Callable[[int], str], warn: bool
) -> list[Any] | None:
    """Return a column that is complete, None for one that is empty; refuse any other.

    Parameters
    ----------
    values : list
        One value per vertex or edge, MISSING where there is none.
    what : str
        What the values are, such as ``"label 'atom'"``.
    name : callable
        Names the vertex or edge at a position.
    warn : bool
        Whether to warn of an empty column, because the user asked for it by name.
    """
    gaps = np.fromiter(map(is_, values, repeat(MISSING)), bool, len(values))
    if not gaps.any():
        return values or None
    if gaps.all():
        if warn:
            warnings.warn(f"the {what} occurs nowhere; it is left out", stacklevel=4)
        return None
    first = int(np.argmax(gaps))
    raise ValueError(
        f"{name(first)} has no {what}, but {name(int(np.argmin(gaps)))} has; "
        "give it to all of them or to none"
    )


def numbers(values: list[Any], what: str, name: Callable[[int], str]) -> NDArray[Any]:
    """Return attribute values as an array with one row per vertex or edge."""
    try:
        array = np.array(values)
    except ValueError:
        array = np.array(values, object)
    if array.dtype.kind in "fiub" and array.ndim in (1, 2):
        return array.reshape(len(values), -1)
    width = np.shape(values[0])
    for position, value in enumerate(values):
        try:
            fits = np.asarray(value).dtype.kind in "fiub" and np.shape(value) == width
        except ValueError:
            fits = False
        if not fits or len(width) > 1:
            raise ValueError(
                f"{name(position)}: the {what} must be a number, or a list of numbers as "
                f"long as all others, got {in_short(value)}"
            )
    return np.array(values, float).reshape(len(values), -1)


def label_column(
    columns: dict[str, list[Any]], label: str | None, name: Callable[[int], str], warn: bool = True
) -> list[Any] | None:
    """Return the column of labels, if there is one."""
    return None if label is None else complete(columns[label], f"label {label!r}", name, warn)


def attribute_columns(
    columns: dict[str, list[Any]], wanted: Sequence[str], name: Callable[[int], str]
) -> NDArray[Any] | None:
    """Return the attributes with these names side by side, if there are any."""
    found = []
    for attribute in wanted:
        what = f"attribute {attribute!r}"
        values = complete(columns[attribute], what, name, warn=True)
        if values is not None:
            found.append(numbers(values, what, name))
    return np.column_stack(found) if found else None


def names_of(attribute: str | Iterable[str] | None) -> list[str]:
    """Return one attribute name, several or none as a list."""
    if attribute is None:
        return []
    return [attribute] if isinstance(attribute, str) else list(attribute)
