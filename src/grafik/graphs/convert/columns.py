"""What all conversions share: one list per column, and errors that name missing values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from operator import is_
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..labels import Label, content

Names: TypeAlias = str | Sequence[str] | None


class _Missing:
    """Marks a vertex or edge without a value; None is a label like any other."""

    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()

# What is read unless something else is asked for, if there is one: labels, and numbers of edges.
LABEL, WEIGHT = "label", "weight"

_ALWAYS_LABELS = {str, int, bool, type(None)}


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


class Wanted(NamedTuple):
    """What is read from the vertices and edges of graphs: names of labels and attributes."""

    node_label: str | None
    edge_label: str | None
    node_attribute: list[str]
    edge_attribute: list[str]

    @classmethod
    def of(
        cls,
        node_label: str | None,
        edge_label: str | None,
        node_attribute: Names,
        edge_attribute: Names,
    ) -> Wanted:
        """Return what a user asked for; a weight that is asked for as a label is no attribute."""
        if edge_label == edge_attribute == WEIGHT:
            edge_attribute = None
        return cls(node_label, edge_label, names_of(node_attribute), names_of(edge_attribute))

    def names(self, kind: str) -> list[str]:
        """Return the names of all that is read from vertices (``"node"``) or edges, each once."""
        label = getattr(self, f"{kind}_label")
        return list(dict.fromkeys([*names_of(label), *getattr(self, f"{kind}_attribute")]))


class Table(NamedTuple):
    """All graphs that are converted, one after the other.

    Attributes
    ----------
    node_ptr, edge_ptr, edges : ndarray
        As for :class:`grafik.Graphs`.
    node_columns, edge_columns : dict of str to list
        What was read, MISSING where there is none.
    vertices : callable
        Returns what the vertices of a graph are called, given its number.
    """

    node_ptr: NDArray[np.int64]
    edge_ptr: NDArray[np.int64]
    edges: NDArray[Any]
    node_columns: dict[str, list[Any]]
    edge_columns: dict[str, list[Any]]
    vertices: Callable[[int], list[Any]]


def batch_columns(table: Table, wanted: Wanted) -> dict[str, Any]:
    """Return the columns of a batch, as :class:`grafik.Graphs` takes them."""
    node_ptr, edge_ptr, edges, node_columns, edge_columns, vertices = table

    def node_name(row: int) -> str:
        graph = int(np.searchsorted(node_ptr, row, "right")) - 1
        return f"graph {graph}, vertex {vertices(graph)[row - node_ptr[graph]]!r}"

    def edge_name(row: int) -> str:
        graph = int(np.searchsorted(edge_ptr, row, "right")) - 1
        names = vertices(graph)
        return f"graph {graph}, edge ({names[edges[row, 0]]!r}, {names[edges[row, 1]]!r})"

    node_values, node_names = _attributes(node_columns, wanted, "node_attribute", node_name)
    edge_values, edge_names = _attributes(edge_columns, wanted, "edge_attribute", edge_name)
    return {
        "node_ptr": node_ptr,
        "edge_ptr": edge_ptr,
        "edges": edges,
        "node_labels": _labels(node_columns, wanted, "node_label", node_name),
        "edge_labels": _labels(edge_columns, wanted, "edge_label", edge_name),
        "node_attributes": node_values,
        "edge_attributes": edge_values,
        "node_attribute_names": node_names,
        "edge_attribute_names": edge_names,
        "node_names": vertex_names(vertices(graph) for graph in range(len(node_ptr) - 1)),
        "_node_name": node_name,
        "_edge_name": edge_name,
    }


def complete(
    values: list[Any], what: str, name: Callable[[int], str], warn: bool, remedy: str = ""
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
    remedy : str
        What else may be done about a column that has gaps.
    """
    gaps = np.fromiter(map(is_, values, repeat(MISSING)), bool, len(values))
    if not gaps.any():
        return values or None
    if gaps.all():
        if warn:
            warnings.warn(f"the {what} occurs nowhere; it is left out", stacklevel=5)
        return None
    first = int(np.argmax(gaps))
    raise ValueError(
        f"{name(first)} has no {what}, but {name(int(np.argmin(gaps)))} has; "
        f"give it to all of them or to none{remedy}"
    )


def _labels(
    columns: dict[str, list[Any]], wanted: Wanted, argument: str, name: Callable[[int], str]
) -> list[Any] | None:
    """Return the column of labels, if there is one."""
    label = getattr(wanted, argument)
    if label is None:
        return None
    what, remedy = f"label {label!r}", _left_out(argument)
    values = complete(columns.get(label, []), what, name, label != LABEL, remedy)
    others = set(map(type, values or [])) - _ALWAYS_LABELS
    for row, value in enumerate(values or [] if others else []):
        try:
            content(value)
        except ValueError as error:
            raise ValueError(f"{name(row)}: {error}; correct it{remedy}") from None
    return values


def _attributes(
    columns: dict[str, list[Any]], wanted: Wanted, argument: str, name: Callable[[int], str]
) -> tuple[NDArray[Any] | None, list[str] | None]:
    """Return the attributes that were asked for side by side, and the names of their columns."""
    found, names = [], []
    for attribute in getattr(wanted, argument):
        what = f"attribute {attribute!r}"
        remedy = _left_out(argument)
        values = complete(columns.get(attribute, []), what, name, attribute != WEIGHT, remedy)
        if values is not None:
            found.append(_numbers(values, what, name, remedy))
            names += column_names(attribute, found[-1].shape[1])
    return (np.column_stack(found), names) if found else (None, None)


def _left_out(argument: str) -> str:
    return f", or do not read it: as_graphs(graphs, {argument}=None)"


def column_names(attribute: str, width: int) -> list[str]:
    """Return what the columns of an attribute are called, which may be a list of numbers.

    Examples
    --------
    >>> from grafik.graphs.convert.columns import column_names
    >>> column_names("weight", 1), column_names("xyz", 3)
    (['weight'], ['xyz[0]', 'xyz[1]', 'xyz[2]'])
    """
    return [attribute] if width == 1 else [f"{attribute}[{i}]" for i in range(width)]


def _numbers(values: list[Any], what: str, name: Callable[[int], str], remedy: str) -> NDArray[Any]:
    """Return attribute values as an array with one row per vertex or edge."""
    try:
        array = np.array(values)
    except ValueError:  # of different shapes
        array = np.empty(0, object)
    if array.dtype.kind in "fiub" and array.ndim in (1, 2) and array.size:
        found = array.reshape(len(values), -1)
        finite = np.isfinite(found).all(axis=1)
        if not finite.all():
            first = int(np.argmin(finite))
            raise ValueError(
                f"{name(first)}: the {what} must be finite, got {in_short(values[first])}; "
                f"correct it{remedy}"
            )
        return found
    # Numbers, and lists of as many numbers, would have made such an array.
    odd = next(i for i, value in enumerate(values) if not _fits(value, values[0]))
    raise ValueError(
        f"{name(odd)}: the {what} must be a number, or a list of numbers as "
        f"long as all others, got {in_short(values[odd])}; correct it{remedy}"
    )


def _fits(value: Any, first: Any) -> bool:
    """Whether a value is a number, or a list of numbers, and of the same length as the first."""
    try:
        array, shape = np.asarray(value), np.shape(first)
    except ValueError:
        return False
    return array.dtype.kind in "fiub" and array.shape == shape and len(shape) < 2 and 0 not in shape


def names_of(attribute: Names) -> list[str]:
    """Return one attribute name, several or none as a list."""
    if attribute is None:
        return []
    return [attribute] if isinstance(attribute, str) else list(attribute)


def vertex_names(graphs: Iterable[Sequence[Any]]) -> list[Label] | None:
    """Return what vertices are called, one graph after the other; None if all are numbers.

    Names that are no labels become text. Where two vertices of a graph would be called the same,
    those of this graph are called by their numbers.

    Examples
    --------
    >>> from grafik.graphs.convert.columns import vertex_names
    >>> vertex_names([["ann", frozenset("ab")], [0, 1]]), vertex_names([[0, 1, 2]])
    (['ann', '{a, b}', 0, 1], None)
    """
    names: list[Label] = []
    own = False
    for vertices in graphs:
        numbers = list(range(len(vertices)))
        # 0.0, False and 0 are equal, but different names.
        if list(vertices) == numbers and not {bool, float} & set(map(type, vertices)):
            names += numbers
            continue
        own = True
        found = [_as_name(vertex) for vertex in vertices]
        names += found if len(set(map(content, found))) == len(found) else numbers
    return names if own else None


def _as_name(vertex: Any) -> Any:
    try:
        content(vertex)
    except ValueError:
        # The order of a set differs between processes.
        inner = (
            f"{{{', '.join(sorted(map(str, vertex)))}}}" if isinstance(vertex, frozenset) else ""
        )
        return inner or str(vertex)
    return vertex
