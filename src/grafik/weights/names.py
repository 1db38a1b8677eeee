"""The names of all weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from numpy.typing import ArrayLike

from ..graphs.batch import Graphs
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


def found(weight: str | Weight) -> Weight | None:
    """Return the weight of a name, or the weight itself; None if there is none of this name."""
    return NAMES.get(weight) if isinstance(weight, str) else weight


def is_ordered(weight: str | Weight) -> bool:
    """Tell whether the order of weights means something, so that similar ones may share a level.

    A weight whose order means nothing has the attribute `ordered`, which is false.
    """
    return bool(getattr(found(weight), "ordered", True))
