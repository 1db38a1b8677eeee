"""The gate: what comes into a batch is checked here, once, because the loops check nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .labels import Labels
from .simplify import SimpleEdges

Name = Callable[[int], str]

MAX_NODES = 2**31 - 1
FOLD = ("first", "sum", "mean", "min", "max")


def checked_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Refuse an option that is none of the allowed ones."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def checked_pointer(pointer: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return a fresh int64 copy of an array of offsets that starts at 0 and never decreases."""
    array = checked_integers(pointer, name)
    if array.ndim != 1 or len(array) == 0:
        raise ValueError(f"{name} must have shape (n_graphs + 1,), got {array.shape}")
    if array[0] != 0:
        raise ValueError(f"{name} must start at 0, got {array[0]}")
    falls = array[1:] < array[:-1]
    if falls.any():
        graph = int(np.argmax(falls))
        raise ValueError(
            f"{name} must not decrease: graph {graph} would start at {array[graph]} "
            f"and end at {array[graph + 1]}"
        )
    return array.astype(np.int64)


def checked_edges(edges: ArrayLike) -> NDArray[Any]:
    """Return edges as an integer array with two columns."""
    array = checked_integers(edges, "edges")
    if array.size == 0:
        return array.reshape(0, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"edges must have shape (n_edges, 2), got {array.shape}")
    return array


def checked_layout(node_ptr: NDArray[np.int64], edge_ptr: NDArray[np.int64], n_edges: int) -> None:
    """Refuse offsets that do not belong together."""
    if len(node_ptr) != len(edge_ptr):
        raise ValueError(
            f"node_ptr and edge_ptr must have one entry per graph and one more, "
            f"got {len(node_ptr)} and {len(edge_ptr)} entries"
        )
    if edge_ptr[-1] != n_edges:
        raise ValueError(f"edge_ptr ends at {edge_ptr[-1]}, but there are {n_edges} edges")
    sizes = np.diff(node_ptr)
    if (sizes > MAX_NODES).any():
        graph = int(np.argmax(sizes > MAX_NODES))
        raise ValueError(f"graph {graph} has {sizes[graph]} vertices, at most {MAX_NODES} can be")


def checked_integers(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return an integer array; anything but integers (or nothing at all) is refused."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{name} must be a rectangular array of integers") from None
    if array.size == 0 and array.dtype.kind in "fO":
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers, got an array of {array.dtype}")
    return array


def checked_labels(labels: Any, n: int, name: str, item_name: Name) -> Labels | None:
    """Encode labels, one for each vertex or edge."""
    if labels is None:
        return None
    if isinstance(labels, (str, bytes)):
        raise ValueError(f"{name} must be a sequence with one label per item, got {labels!r}")
    encoded = Labels.encode(labels, item_name)
    if len(encoded) != n:
        raise ValueError(f"{name} has {len(encoded)} entries, {n} are needed")
    return encoded


def checked_floats(
    values: ArrayLike | None, n: int, name: str, item_name: Name
) -> NDArray[np.float64] | None:
    """Return a fresh float64 copy with one row of finite numbers for each vertex or edge."""
    if values is None:
        return None
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must have rows of equal length") from None
    if array.dtype.kind not in "fiub" and array.size:
        raise ValueError(f"{name} must be numbers, got an array of {array.dtype}")
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{name} must have shape (n,) or (n, d) with d > 0, got {array.shape}")
    if len(array) != n:
        raise ValueError(f"{name} has {len(array)} rows, {n} are needed")
    array = np.array(array, np.float64, order="C")
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        value = array[row][~np.isfinite(array[row])][0]
        raise ValueError(f"{item_name(row)}: {name} must be finite, got {value}")
    return array


def merged_labels(labels: Labels, simple: SimpleEdges, fold: str | None, name: Name) -> Labels:
    """Carry edge labels over to the simple edges; repeated edges must agree."""
    if simple.source is None:
        return labels
    kept = labels.codes[simple.source]
    if fold != "first":
        repeated, target = simple.again.T
        differ = labels.codes[repeated] != kept[target]
        if differ.any():
            at = int(np.argmax(differ))
            here, there = int(repeated[at]), int(simple.source[target[at]])
            raise ValueError(
                f"{name(here)} has the label {labels[here]!r}, but the same edge as {name(there)} "
                f"has {labels[there]!r}; make them agree, or pass fold='first'"
            )
    return Labels(labels.values, kept).compact()


def merged_floats(
    values: NDArray[np.float64], simple: SimpleEdges, fold: str | None, name: Name
) -> NDArray[np.float64]:
    """Carry edge attributes over to the simple edges, folding repeated ones as told."""
    if simple.source is None:
        return values
    kept = values[simple.source]
    repeated, target = simple.again.T
    if fold is None:
        differ = (values[repeated] != kept[target]).any(axis=1)
        if differ.any():
            at = int(np.argmax(differ))
            here, there = int(repeated[at]), int(simple.source[target[at]])
            raise ValueError(
                f"{name(here)} has the attributes {values[here].tolist()}, but the same edge as "
                f"{name(there)} has {values[there].tolist()}; make them agree, or say how to fold "
                f"them: fold={', '.join(map(repr, FOLD))}"
            )
    elif fold in ("min", "max"):
        (np.minimum if fold == "min" else np.maximum).at(kept, target, values[repeated])
    elif fold in ("sum", "mean"):
        with np.errstate(over="ignore"):  # refused below
            np.add.at(kept, target, values[repeated])
        if fold == "mean":
            kept /= 1 + np.bincount(target, minlength=len(kept))[:, np.newaxis]
    if not np.isfinite(kept).all():
        at = int(np.argmin(np.isfinite(kept).all(axis=1)))
        raise ValueError(f"{name(int(simple.source[at]))}: the {fold} of its attributes overflows")
    return kept


def namer(pointer: NDArray[np.int64], kind: str) -> Name:
    """Return a function that names row `i` of a batch as the vertex or edge of its graph."""

    def name(row: int) -> str:
        graph = int(np.searchsorted(pointer, row, "right")) - 1
        return f"graph {graph}, {kind} {row - int(pointer[graph])}"

    return name
