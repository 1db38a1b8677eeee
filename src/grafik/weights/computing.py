"""Weights and keys of all edges of a batch, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_choice
from ..graphs.batch import Graphs
from ..graphs.validation import namer
from .names import NAMES, SIGN, Weight

# What functions of networkx graphs end in when they get a batch: G.edges(data=True), G[u].
_TAKEN_FOR_NETWORKX = ("'numpy.ndarray' object is not callable", "unhashable type: 'Graph'")

_LARGEST = np.iinfo(np.int64).max
# All integers up to this one are floats.
_EXACT = 2**53


def compute(weight: str | Weight, graphs: Graphs) -> NDArray[np.float64]:
    """Return the weights of all edges, checked; refuse a weight that returns keys.

    Parameters
    ----------
    weight : str or callable
        A name of :data:`NAMES`, or a callable that takes graphs and returns one number per edge.
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,)
        Finite numbers, in a fresh array.

    Examples
    --------
    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (0, 2)], [(0, 1)]])
    >>> weights.compute("degree", graphs).tolist()
    [2.0, 2.0, 2.0, 1.0]
    >>> weights.compute(lambda graphs: graphs.edges[:, 0] == 0, graphs).tolist()
    [1.0, 1.0, 0.0, 1.0]
    >>> weights.compute("size", graphs)
    Traceback (most recent call last):
    ValueError: weight must be one of 'degree', 'walks', ..., got 'size'
    """
    numbers = values(weight, graphs)
    if numbers.ndim == 2:
        raise ValueError(
            f"the weight {weight!r} returns keys, whose ranks only a filtration knows, but here a "
            "number per edge is needed; choose another weight, or use it in grafik.Filtration"
        )
    return numbers


def values(weight: str | Weight, graphs: Graphs) -> NDArray[Any]:
    """Return the weights or the keys of all edges, checked.

    Parameters
    ----------
    weight : str or callable
        A name of :data:`NAMES`, or a callable that takes graphs and returns one number per edge, or
        one key per edge.
    graphs : Graphs

    Returns
    -------
    ndarray of float64, shape (n_edges,), or of int64, shape (n_edges, k)
        Finite numbers, or keys, whose rows are compared from the first column on.

    Examples
    --------
    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (0, 2), (2, 3)]])
    >>> weights.values(lambda graphs: [(2**60 + 1, v) for u, v in graphs.edges.tolist()], graphs)
    array([[1152921504606846977,                   1],
           [1152921504606846977,                   2],
           [1152921504606846977,                   2],
           [1152921504606846977,                   3]])
    """
    if isinstance(weight, str):
        if SIGN in weight:
            raise ValueError(
                f"weight={weight!r} names several weights, but here is room for one; for the mean "
                f"of their kernels, use MeanKernel.of_weights({weight!r})"
            )
        checked_choice("weight", weight, tuple(NAMES))
        weight = NAMES[weight]
    chosen: Any = weight
    if not callable(weight) or isinstance(weight, type):
        hint = "; to choose from several, use FiltrationClassifier, FiltrationRegressor or a search"
        raise TypeError(
            f"weight must be a name, a function or a callable object, got {weight!r}"
            f"{hint if isinstance(chosen, (list, tuple)) else ''}"
        )
    try:
        result = weight(graphs)
    except (AttributeError, TypeError) as error:
        if getattr(error, "obj", None) is not graphs and str(error) not in _TAKEN_FOR_NETWORKX:
            raise
        raise TypeError(
            f"a weight takes a batch (grafik.Graphs) and returns one number per edge, in the order "
            f"of graphs.edges, but here {error}; to use a function f that takes one networkx graph "
            "and returns a list of one number per edge: "
            "lambda graphs: [w for graph in graphs.to_networkx() for w in f(graph)], "
            "with f(graph).values() if it returns a dictionary"
        ) from error
    if np.ma.is_masked(result):
        raise ValueError("a weight must return a number for every edge, got a masked array")
    try:
        given = np.asarray(result)
    except ValueError:  # rows of different lengths
        raise ValueError("a weight must return one number per edge, got nested lists") from None
    n_edges = len(graphs.edges)
    if given.ndim == 2 and len(given) == n_edges and given.shape[1] and given.dtype.kind in "iuO":
        return _keys(given)
    if given.dtype.kind not in "fiub":
        raise ValueError(f"a weight must return real numbers, got an array of {given.dtype}")
    if given.shape != (n_edges,):
        raise ValueError(
            f"a weight must return one number per edge, an array of shape ({n_edges},), got shape "
            f"{given.shape}; keys, one row per edge, must be integers, got {given.dtype}"
        )
    with np.errstate(over="ignore"):  # refused below
        numbers = given.astype(np.float64)
    finite = np.isfinite(numbers)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(f"{_edge(graphs, row)}: the weight must be finite, got {given[row]}")
    if given.dtype.kind in "iu":
        _refuse_rounded(given, numbers, graphs)
    return numbers


def _keys(given: NDArray[Any]) -> NDArray[np.int64]:
    """Return keys as 64-bit integers."""
    fits = given.dtype.kind == "i" or bool((given <= _LARGEST).all())
    if given.dtype.kind == "O" or not fits:
        raise ValueError(
            f"keys of edges must be integers of at most 64 bits with a sign, got {given.dtype}; "
            "hashes of 64 bits fit after .view(numpy.int64)"
        )
    return given.astype(np.int64)


def _refuse_rounded(given: NDArray[Any], numbers: NDArray[np.float64], graphs: Graphs) -> None:
    """Refuse integers that no float can hold: they would be taken for others."""
    if given.size == 0 or max(abs(int(given.min())), abs(int(given.max()))) <= _EXACT:
        return
    for row in np.flatnonzero(np.abs(numbers) >= _EXACT).tolist():
        if int(numbers[row]) != int(given[row]):
            raise ValueError(
                f"{_edge(graphs, row)}: the weight {given[row]} is an integer that no float can "
                "hold; return floats if a rounded weight is enough, or keys, which stay exact: "
                "an array of shape (n_edges, 1)"
            )


def _edge(graphs: Graphs, row: int) -> str:
    name, ends = namer(graphs.edge_ptr, "edge")(row), tuple(graphs.edges[row].tolist())
    return f"{name} {ends}"
