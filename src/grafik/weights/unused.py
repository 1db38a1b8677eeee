"""A word to those whose graphs have edge weights that are not used."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from inspect import isfunction
from typing import Any

from ..graphs.batch import Graphs
from ..system.callers import levels_to_the_user
from .cliques import Cliques
from .combined import Combined
from .cycles import Cycles
from .marked import Marked
from .names import NAMES, SIGN, found
from .resistance import Resistance
from .walks import Walks

_FUNCTIONS = [weight for weight in NAMES.values() if isfunction(weight)]
_CLASSES = (Walks, Cliques, Cycles, Resistance, Marked)
# Molecules have the orders of bonds as an attribute that nobody asked for.
_NOT_ASKED_FOR = "order"


def warn_of_unused(tried: Iterable[Any], graphs: Graphs) -> None:
    """Warn if graphs have edge attributes with names, and no weight that is tried looks at them.

    Functions of users may look at anything, so there is no warning if one is among them. Attributes
    without names, as in TU files, are not what a user chose to read, so there is none either.
    """
    names = [name for name in graphs.edge_attribute_names or () if name != _NOT_ASKED_FOR]
    weights = list(tried)
    if not names or not all(map(is_structural, weights)):
        return
    one = len(names) == 1
    shown = ", ".join(repr(getattr(one, "__name__", one)) for one in weights)
    own = 'weight="attribute"' if one else f'weight=weights.Attribute("{names[0]}")'
    warnings.warn(
        f"the graphs have the edge attribute{'' if one else 's'} {', '.join(map(repr, names))}, "
        f"but the weight {shown} does not use {'it' if one else 'them'}; to build graphs up by "
        f"{'it' if one else 'one of them'}, pass {own}; to leave {'it' if one else 'them'} out, "
        "read graphs with as_graphs(graphs, edge_attribute=None)",
        stacklevel=levels_to_the_user(),
    )


def is_structural(weight: Any) -> bool:
    """Whether a weight is known not to look at edge attributes."""
    if isinstance(weight, str):  # a name that is none is an error later
        parts = [part.strip() for part in weight.split(SIGN)]
        return "attribute" not in weight and all(found(part) is not None for part in parts)
    if isinstance(weight, Combined):
        return all(map(is_structural, weight.weights))
    return isinstance(weight, _CLASSES) or any(weight is one for one in _FUNCTIONS)
