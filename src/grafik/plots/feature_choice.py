"""Which feature a picture follows: one by its hash, or the label of a vertex."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.checks import is_integer
from ..features import WeisfeilerLehman
from ..features.barcodes import barcodes
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..graphs.vertex_names import vertex_names


class LabelOf(NamedTuple):
    """The label that a vertex, given by its name or number, has in the whole graph."""

    vertex: str


def parsed(feature: Any) -> tuple[int, int] | LabelOf | None:
    """Read what a picture shall follow: 'DEPTH:FEATURE', 'vertex:V', a pair of integers, or None.

    Examples
    --------
    >>> from grafik.plots.feature_choice import parsed
    >>> parsed("1:0x97a9"), parsed("vertex:3"), parsed((1, 5))
    ((1, 38825), LabelOf(vertex='3'), (1, 5))
    """
    if feature is None or isinstance(feature, LabelOf):
        return feature
    if isinstance(feature, str):
        kind, colon, rest = feature.partition(":")
        if kind == "vertex" and colon and rest:
            return LabelOf(rest)
        try:
            return int(kind), int(rest, 0)
        except ValueError:
            pass
    elif isinstance(feature, (tuple, list)) and len(feature) == 2 and all(map(is_integer, feature)):
        return int(feature[0]), int(feature[1])
    raise ValueError(
        "feature must be 'DEPTH:FEATURE', such as '1:0x97a9', 'vertex:V', or a pair of integers, "
        f"got {feature!r}"
    )


def chosen(
    feature: Any, batch: Graphs, filtration: Filtration, features: Any
) -> tuple[int, int] | None:
    """Return the feature that is asked for as (depth, feature); None if none is."""
    wanted = parsed(feature)
    if not isinstance(wanted, LabelOf):
        return wanted
    vertex = _number(wanted.vertex, batch)
    bars = barcodes(batch, filtration, WeisfeilerLehman(1) if features is None else features)[0]
    depth = int(bars.depths.max())
    last = (bars.vertices == vertex) & (bars.depths == depth) & (bars.deaths == bars.n_levels)
    return depth, int(bars.features[last][0])


def _number(vertex: str, batch: Graphs) -> int:
    """Return the number of a vertex; names count first, then numbers."""
    n = int(batch.node_ptr[-1])
    names = vertex_names(batch.node_names, n)
    if vertex in names:
        return names.index(vertex)
    try:
        number = int(vertex)
    except ValueError:
        number = -1
    if not 0 <= number < n:
        called = "" if batch.node_names is None else f", called {', '.join(names[:3])} and so on"
        raise ValueError(f"the graph has {n} vertices, counted from 0{called}; got {vertex}")
    return number
