"""Batches of graphs joined into one: column by column."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import offsets, ranges
from .labels import Labels
from .simple_edges import Dropped
from .validation import Name

if TYPE_CHECKING:
    from .batch import Graphs

_NONE: Mapping[str, str] = MappingProxyType({})


def joined_columns(
    parts: list[Graphs], name: Name = "item {}".format, ways_out: Mapping[str, str] = _NONE
) -> dict[str, Any]:
    """Return the columns of some batches, one below the other.

    Parameters
    ----------
    parts : list of Graphs
        At least one.
    name : callable
        Names the batch at a position, for errors.
    ways_out : mapping
        What else can be done about a column that only some batches have.
    """
    columns: dict[str, Any] = {
        "node_ptr": _join_pointers([part.node_ptr for part in parts]),
        "edge_ptr": _join_pointers([part.edge_ptr for part in parts]),
        "edges": np.concatenate([part.edges for part in parts]),
        "directed": _agreed(parts, "directed", "edge_ptr", name),
        "dropped": Dropped(*np.sum([part.dropped for part in parts], axis=0).tolist()),
    }

    def join(column: str, sizes: list[int]) -> Any:
        return _join(parts, column, sizes, name, ways_out.get(column, ""))

    columns["ids"] = join("ids", [len(part) for part in parts])
    for kind in ("node", "edge"):
        sizes = [int(getattr(part, f"{kind}_ptr")[-1]) for part in parts]
        for column in (f"{kind}_labels", f"{kind}_attributes"):
            columns[column] = join(column, sizes)
        names = f"{kind}_attribute_names"
        columns[names] = _agreed(parts, names, f"{kind}_ptr", name)
    columns["reading"] = _joint_reading(parts, name)
    named = named_alike(parts)
    columns["node_names"] = None if named is None else Labels.concat(named)
    return columns


def named_alike(parts: list[Graphs]) -> list[Labels] | None:
    """Return the names of the vertices of each batch, if any has names; others are numbers."""
    if all(part.node_names is None for part in parts):
        return None
    return [
        Labels(ranges(np.zeros(len(part), np.int64), part.node_ptr))
        if part.node_names is None
        else part.node_names
        for part in parts
    ]


def _join_pointers(pointers: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return offsets(np.concatenate([np.diff(p) for p in pointers]))


def _join(parts: list[Graphs], column: str, sizes: list[int], name: Name, way_out: str) -> Any:
    """Join one optional column; parts without rows of it do not matter."""
    filled = [i for i, size in enumerate(sizes) if size > 0]
    filled = filled or [i for i, part in enumerate(parts) if getattr(part, column) is not None]
    columns = [getattr(parts[i], column) for i in filled]
    absent = [i for i, found in zip(filled, columns, strict=True) if found is None]
    if len(absent) == len(columns):
        return None
    if absent:
        present = next(i for i in filled if i not in absent)
        raise ValueError(
            f"{name(absent[0])} has no {column}, but {name(present)} has; "
            f"give all the same columns{way_out}"
        )
    if isinstance(columns[0], Labels):
        return Labels.concat(columns)
    for i, values in zip(filled, columns, strict=True):
        if values.shape[1] != columns[0].shape[1]:
            raise ValueError(
                f"{name(i)} has {values.shape[1]} {column}, "
                f"but {name(filled[0])} has {columns[0].shape[1]}"
            )
    return np.concatenate(columns)


def _joint_reading(parts: list[Graphs], name: Name) -> str | None:
    """Return how the molecules of all parts were read; other graphs fit to any molecules."""
    read = {i: part.reading for i, part in enumerate(parts) if part.reading is not None}
    filled = {i: reading for i, reading in read.items() if parts[i].node_ptr[-1] > 0} or read
    first = min(filled, default=0)
    for i, reading in filled.items():
        if reading != filled[first]:
            raise ValueError(
                f"the molecules of {name(i)} were read with {reading}, but those of {name(first)} "
                f"with {filled[first]}; read all in the same way"
            )
    return filled.get(first)


def _agreed(parts: list[Graphs], what: str, pointer: str, name: Name) -> Any:
    """Return what all parts with vertices or edges agree on."""
    filled = [i for i, part in enumerate(parts) if getattr(part, pointer)[-1] > 0] or [0]
    first = getattr(parts[filled[0]], what)
    for i in filled:
        if getattr(parts[i], what) != first:
            raise ValueError(
                f"{name(i)} has {what}={getattr(parts[i], what)!r}, but {name(filled[0])} has "
                f"{what}={first!r}; make them the same"
            )
    return first
