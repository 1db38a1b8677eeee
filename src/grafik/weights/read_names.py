"""Which attributes of the data a weight reads, by name."""

from __future__ import annotations

from ..graphs.batch import Graphs
from .names import Weight, found


def names_read(weight: str | Weight, graphs: Graphs) -> tuple[str, ...] | None:
    """Return the names of the attributes that a weight reads; None if they have no names.

    A weight that reads attributes has a method `reads`.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.weights.read_names import names_read
    >>> graphs = Graphs.from_edge_lists(
    ...     [[(0, 1)]], edge_attributes=[[[3.0, 1.0]]], edge_attribute_names=["calls", "hours"])
    >>> names_read("attribute", graphs), names_read("degree", graphs)
    (('calls',), None)
    """
    reads = getattr(found(weight), "reads", None)
    names: tuple[str, ...] | None = None if reads is None else reads(graphs)
    return names


def refuse_other_names(
    weight: str | Weight, graphs: Graphs, learned: tuple[str, ...] | None
) -> None:
    """Refuse graphs in which a weight reads other attributes than in those of the fit."""
    given = names_read(weight, graphs)
    if learned is None or given is None or given == learned:
        return
    here, there = (", ".join(map(repr, names)) for names in (given, learned))
    raise ValueError(
        f"the weight reads {here} of these graphs, but it was fitted on {there}; read the same "
        "attributes in the same order, or choose them by name, as in weights.Attribute('weight')"
    )
