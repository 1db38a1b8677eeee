"""Columns of node attributes, chosen by number or by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import is_integer
from .batch import Graphs

Columns: TypeAlias = int | str | Sequence[int | str] | None


def chosen_attributes(graphs: Graphs, columns: Columns, otherwise: str) -> NDArray[np.float64]:
    """Return the chosen columns of the node attributes, one row per vertex.

    Parameters
    ----------
    graphs : Graphs
    columns : int, str, sequence of these, or None
        Numbers or names of columns; None is all of them.
    otherwise : str
        What to do if there are no attributes, for the error message.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.graphs.chosen_columns import chosen_attributes
    >>> graphs = Graphs([0, 2], [0, 0], [], node_attributes=[[1, 2], [3, 4]],
    ...                 node_attribute_names=["charge", "mass"])
    >>> chosen_attributes(graphs, "mass", "").tolist()
    [[2.0], [4.0]]
    """
    values = graphs.node_attributes
    if values is None:
        raise ValueError(
            "the graphs have no node attributes; name them when you convert the graphs, as in "
            f"Graphs.from_networkx(..., node_attribute='charge'), or {otherwise}"
        )
    names = graphs.node_attribute_names
    found = positions(columns, values.shape[1], names)
    return values if found == list(range(values.shape[1])) else values[:, found]


def positions(columns: Columns, n_columns: int, names: tuple[str, ...] | None) -> list[int]:
    """Return the numbers of the chosen columns, each once, or refuse the choice."""
    if columns is None:
        return list(range(n_columns))
    one = isinstance(columns, str) or is_integer(columns)
    try:
        given: list[Any] = [columns] if one else list(columns)  # type: ignore[arg-type]
    except TypeError:
        given = []
    found = [_position(column, n_columns, names) for column in given]
    if not found or len(set(found)) < len(found):
        raise ValueError(
            f"columns must be different numbers or names, at least one, got {columns!r}"
        )
    return found


def _position(column: Any, n_columns: int, names: tuple[str, ...] | None) -> int:
    if isinstance(column, str):
        if names is None:
            raise ValueError(
                f"columns has the name {column!r}, but the node attributes have no names; "
                f"give numbers from 0 to {n_columns - 1}"
            )
        if column not in names:
            known = ", ".join(map(repr, names))
            raise ValueError(f"there is no node attribute {column!r}; there are {known}")
        return names.index(column)
    if not is_integer(column) or not 0 <= column < n_columns:
        raise ValueError(
            f"columns must be numbers from 0 to {n_columns - 1}, as there are {n_columns} node "
            f"attributes, or names, got {column!r}"
        )
    return int(column)
