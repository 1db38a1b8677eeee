"""Edge weights: functions that turn a batch of graphs into one number per edge.

Weights say when an edge enters a filtration: the bigger, the earlier. Isomorphic graphs get the
same weights to the last bit, in whatever order their vertices are listed. Any function that takes
:class:`grafik.Graphs` and returns one finite number per edge, in the order of ``graphs.edges``, is
a weight too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.checks import checked_choice
from ..graphs.batch import Graphs
from ..graphs.validation import namer
from .attributes import Attribute
from .canonical_form import canonical
from .centrality import betweenness, core, degree
from .cliques import Cliques
from .cycles import Cycles
from .marked import Marked
from .neighbourhoods import curvature, jaccard, triangles
from .node_distance import NodeDistance
from .resistance import Resistance
from .walks import Walks

__all__ = [
    "NAMES",
    "Attribute",
    "Cliques",
    "Cycles",
    "Marked",
    "NodeDistance",
    "Resistance",
    "Walks",
    "Weight",
    "betweenness",
    "canonical",
    "compute",
    "core",
    "curvature",
    "degree",
    "jaccard",
    "triangles",
]

Weight: TypeAlias = Callable[[Graphs], ArrayLike]

NAMES: dict[str, Weight] = {
    "degree": degree,
    "walks": Walks(),
    "walks:3": Walks(3),
    "triangles": triangles,
    "core": core,
    "betweenness": betweenness,
    "jaccard": jaccard,
    "curvature": curvature,
    "attribute": Attribute(),
    "attribute:small": Attribute(first="small"),
    "node-distance": NodeDistance(),
    "cliques": Cliques(),
    "cycles": Cycles(),
    "resistance": Resistance(),
    "marked": Marked(),
    "canonical": canonical,
}

# What is written between the names of weights that belong together, as in "degree+curvature".
SIGN = "+"

# What functions of networkx graphs end in when they get a batch: G.edges(data=True), G[u].
_TAKEN_FOR_NETWORKX = ("'numpy.ndarray' object is not callable", "unhashable type: 'Graph'")


def compute(weight: str | Weight, graphs: Graphs) -> NDArray[np.float64]:
    """Return the weights of all edges, checked.

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
    if given.dtype.kind not in "fiub":
        raise ValueError(f"a weight must return real numbers, got an array of {given.dtype}")
    if given.shape != (len(graphs.edges),):
        raise ValueError(
            f"a weight must return one number per edge, an array of shape ({len(graphs.edges)},), "
            f"got shape {given.shape}"
        )
    with np.errstate(over="ignore"):  # refused below
        values = given.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        name = namer(graphs.edge_ptr, "edge")(row)
        ends = tuple(graphs.edges[row].tolist())
        raise ValueError(f"{name} {ends}: the weight must be finite, got {given[row]}")
    return values
