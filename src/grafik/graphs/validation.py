"""Checks of all that goes into a batch, done once, because the loops check nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.gate import as_array, checked_integers
from ..arrays.offsets import part_of
from .labels import Label, Labels, encode
from .simple_edges import Move

if TYPE_CHECKING:
    from .batch import Graphs

Name: TypeAlias = Callable[[int], str]
OnInvalid: TypeAlias = Literal["drop", "raise"]
Fold: TypeAlias = Literal["first", "sum", "mean", "min", "max"]
Codes: TypeAlias = tuple[tuple[Label, ...], NDArray[np.int32]]

MAX_NODES = 2**31 - 1
FOLD = ("first", "sum", "mean", "min", "max")


def checked_edges(edges: ArrayLike, edge_name: Name) -> NDArray[Any]:
    """Return edges as an integer array with two columns."""
    array = checked_integers(edges, "edges", edge_name)
    if array.size == 0:
        return array.reshape(0, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"edges must have shape (n_edges, 2), got {array.shape}")
    return array


def checked_layout(node_ptr: NDArray[np.int64], edge_ptr: NDArray[np.int64], n_edges: int) -> None:
    """Refuse offsets that do not belong together."""
    if len(node_ptr) != len(edge_ptr):
        raise ValueError(
            f"node_ptr and edge_ptr must have one entry more than there are graphs, "
            f"got {len(node_ptr)} and {len(edge_ptr)} entries"
        )
    if edge_ptr[-1] != n_edges:
        raise ValueError(f"edge_ptr ends at {edge_ptr[-1]}, but there are {n_edges} edges")
    sizes = np.diff(node_ptr)
    if (sizes > MAX_NODES).any():
        graph = int(np.argmax(sizes > MAX_NODES))
        raise ValueError(f"graph {graph} has {sizes[graph]} vertices, more than {MAX_NODES}")


def label_list(labels: Any, name: str) -> Any:
    """Return labels as they are; refuse strings, sets, dictionaries and other non-lists."""
    if isinstance(labels, (Mapping, Set)):
        raise ValueError(
            f"{name} must be a list with one label per item, in order, got a "
            f"{type(labels).__name__}; for a dictionary: [labels[i] for i in range(n)]"
        )
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise ValueError(f"{name} must be a list with one label per item, got {labels!r}")
    return labels


def checked_labels(labels: Any, n: int, name: str, item_name: Name) -> Codes | None:
    """Return labels encoded in fresh arrays; there must be one for each vertex or edge."""
    if labels is None:
        return None
    values, codes = encode(label_list(labels, name), item_name)
    if len(codes) != n:
        raise ValueError(f"{name} has {len(codes)} entries, {n} are needed")
    return values, codes


def checked_names(names: Any, node_ptr: NDArray[np.int64], node_name: Name) -> Codes | None:
    """Return names of vertices encoded in fresh arrays; those of a graph must differ."""
    found = checked_labels(names, int(node_ptr[-1]), "node_names", node_name)
    if found is None:
        return None
    values, codes = found
    key = part_of(node_ptr) * max(len(values), 1) + codes
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    if len(again):
        row, other = sorted(order[again[0] : again[0] + 2].tolist())
        raise ValueError(
            f"{node_name(row)} and {node_name(other)} have the same name {values[codes[row]]!r}; "
            "names of the vertices of a graph must differ"
        )
    return values, codes


def checked_ids(ids: Any, n: int) -> Labels | None:
    """Return the ids of graphs; there must be one for each graph."""
    found = checked_labels(ids, n, "ids", "graph {}".format)
    return None if found is None else Labels.trusted(*found)


def checked_reading(reading: Any) -> str | None:
    """Return how molecules were read; it must be a text, if there is one."""
    if reading is not None and not isinstance(reading, str):
        raise ValueError(f"reading must be text such as \"atoms='typed'\" or None, got {reading!r}")
    return reading


def checked_columns(
    names: Iterable[str] | None, values: NDArray[np.float64] | None, name: str
) -> tuple[str, ...] | None:
    """Return the names of columns of attributes; they must differ, and fit their number."""
    if names is None:
        return None
    if not isinstance(names, Iterable):
        raise ValueError(f"{name} must be a list of names, got {names!r}")
    given = tuple(names) if not isinstance(names, str) else (names,)
    for one in given:
        if not isinstance(one, str):
            raise ValueError(f"{name} must be strings, got {one!r}")
    n_columns = 0 if values is None else values.shape[1]
    if len(given) != n_columns or len(set(given)) != n_columns:
        raise ValueError(
            f"{name} must be {n_columns} different names, one for each column, got {list(given)}"
        )
    return given or None


def checked_floats(
    values: ArrayLike | None, n: int, name: str, item_name: Name
) -> NDArray[np.float64] | None:
    """Return a fresh float64 copy with one row of finite numbers for each vertex or edge."""
    if values is None:
        return None
    array = as_array(values, name, "have rows of equal length")
    if array.dtype.kind not in "fiub" and array.size:
        rows = np.atleast_1d(array)
        first, value = next(((i, r) for i, r in enumerate(rows) if not _numeric(r)), (0, rows[0]))
        raise ValueError(f"{item_name(first)}: {name} must be numbers, got {value!r}")
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{name} must have shape (n,) or (n, d) with d > 0, got {array.shape}")
    if len(array) != n:
        raise ValueError(f"{name} has {len(array)} rows, {n} are needed")
    with np.errstate(over="ignore"):  # refused below
        fresh = np.array(array, np.float64, order="C")
    finite = np.isfinite(fresh).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        value = array[row][~np.isfinite(fresh[row])][0]
        raise ValueError(f"{item_name(row)}: {name} must be finite, got {value}")
    return fresh


def _numeric(row: Any) -> bool:
    return all(isinstance(x, (int, float, np.number)) for x in np.ravel(row))


def refuse_directed(graphs: Graphs, what: str) -> None:
    """Refuse directed graphs, because something is not defined for them."""
    if graphs.directed:
        raise ValueError(
            f"{what} takes undirected graphs, but these are directed; "
            "forget directions with graphs.undirected()"
        )


def directions_of(graphs: Graphs) -> bool | None:
    """Return whether edges are directed; None if there is no edge."""
    return graphs.directed if len(graphs.edges) else None


def refuse_other_directions(graphs: Graphs, learned: bool | None) -> None:
    """Refuse directed graphs after a fit on undirected ones, and the reverse.

    `learned` are the :func:`directions_of` the graphs that the fit has seen.
    """
    given = directions_of(graphs)
    if learned is None or given is None or given == learned:
        return
    if learned:
        raise ValueError(
            "this was fitted on directed graphs, but these are undirected; build them with "
            "as_graphs(graphs, directed=True), or fit on graphs.undirected()"
        )
    raise ValueError(
        "this was fitted on undirected graphs, but these are directed; forget directions with "
        "graphs.undirected(), or fit on directed graphs"
    )


class Remedies(NamedTuple):
    """The calls that errors recommend where an edge is listed twice, with different data."""

    fold: str = "as_graphs(graphs, fold={})"
    without: str = "as_graphs(graphs, edge_label=None)"


REMEDIES = Remedies()


class LabelColumn:
    """The labels of edges, moved along with them; repeated edges must agree."""

    def __init__(self, labels: Codes, fold: str | None, name: Name, remedies: Remedies) -> None:
        self.values, self.codes = labels
        self.remedies = remedies
        self.fold, self.name, self.end = fold, name, 0

    def __call__(self, move: Move) -> None:
        """Move the labels of one block."""
        kept = self.codes[move.source]
        repeated, target = move.repeated, move.target - move.start
        differ = self.codes[repeated] != kept[target]
        if self.fold != "first" and differ.any():
            at = int(np.argmax(differ))
            here, there = int(repeated[at]), int(move.source[target[at]])
            labels = [self.values[self.codes[i]] for i in (here, there)]
            raise ValueError(
                f"{self.name(here)} has the label {labels[0]!r}, but the same edge, "
                f"{self.name(there)}, has {labels[1]!r}; make them agree, keep "
                f"the first with {self.remedies.fold.format(repr('first'))}, or leave labels out "
                f"with {self.remedies.without}"
            )
        self.end = move.start + len(kept)
        self.codes[move.start : self.end] = kept

    def result(self) -> Labels:
        """Return the labels of all edges that were kept."""
        self.codes.resize(self.end, refcheck=False)
        return Labels.trusted(self.values, self.codes).compact()


class FloatColumn:
    """The attributes of edges, moved along with them; those of repeated edges are folded."""

    def __init__(
        self, values: NDArray[np.float64], fold: str | None, name: Name, remedies: Remedies
    ) -> None:
        self.values, self.fold, self.name, self.end = values, fold, name, 0
        self.remedies = remedies

    def __call__(self, move: Move) -> None:
        """Move the attributes of one block."""
        kept = self.values[move.source]
        more, target = self.values[move.repeated], move.target - move.start
        if self.fold is None:
            differ = (more != kept[target]).any(axis=1)
            if differ.any():
                at = int(np.argmax(differ))
                here, there = int(move.repeated[at]), int(move.source[target[at]])
                raise ValueError(
                    f"{self.name(here)} has the attributes {self.values[here].tolist()}, but the "
                    f"same edge, {self.name(there)}, has {self.values[there].tolist()}; make them "
                    f"agree, or say how to fold them with {self.remedies.fold.format('...')}: "
                    f"fold={', '.join(map(repr, FOLD))}"
                )
        elif len(more):
            with np.errstate(over="ignore"):  # refused below
                _fold(kept, target, more, self.fold)
            finite = np.isfinite(kept).all(axis=1)
            if not finite.all():
                edge = self.name(int(move.source[np.argmin(finite)]))
                raise ValueError(f"{edge}: the {self.fold} of its attributes overflows")
        self.end = move.start + len(kept)
        self.values[move.start : self.end] = kept

    def result(self) -> NDArray[np.float64]:
        """Return the attributes of all edges that were kept."""
        self.values.resize((self.end, self.values.shape[1]), refcheck=False)
        return self.values


def _fold(
    kept: NDArray[np.float64], target: NDArray[np.int64], more: NDArray[np.float64], fold: str
) -> None:
    """Fold more rows into the kept ones, in place."""
    if fold in ("min", "max"):
        (np.minimum if fold == "min" else np.maximum).at(kept, target, more)
    elif fold in ("sum", "mean"):
        np.add.at(kept, target, more)
    if fold == "mean":
        kept /= 1 + np.bincount(target, minlength=len(kept))[:, np.newaxis]


def namer(pointer: NDArray[np.int64], kind: str, graph: Name = "graph {}".format) -> Name:
    """Return a function that names row `i` of a batch as the vertex or edge of its graph."""

    def name(row: int) -> str:
        number = int(np.searchsorted(pointer, row, "right")) - 1
        return f"{graph(number)}, {kind} {row - int(pointer[number])}"

    return name


def edge_namer(pointer: NDArray[np.int64], edges: NDArray[Any]) -> Name:
    """Return a function that names row `i` of the edges of a batch, with its ends."""
    name = namer(pointer, "edge")
    return lambda row: f"{name(row)} ({edges[row, 0]}, {edges[row, 1]})"
