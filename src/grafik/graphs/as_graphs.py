"""Conversion of all known kinds of graphs to a batch: the front door of every estimator."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from .batch import Graphs
from .convert.columns import in_short
from .convert.grakel import is_grakel, is_grakel_object
from .convert.igraph import is_igraph
from .convert.matrices import is_matrix
from .convert.networkx import is_networkx
from .convert.pyg import is_pyg
from .convert.rustworkx import is_rustworkx
from .convert.smiles import is_missing, is_molecule
from .graph import Graph
from .not_graphs import hint, listed_graphs, missing_hint, refuse_path
from .validation import Fold, OnInvalid

# What as_graphs hands on to conversions that know it.
OPTIONS = (
    "node_label",
    "edge_label",
    "node_attribute",
    "edge_attribute",
    "directed",
    "on_invalid",
    "fold",
)


class _Own:
    """Stands for the default of a conversion, where the user said nothing."""

    def __repr__(self) -> str:
        return "as the conversion"


_OWN: Any = _Own()


def as_graphs(
    graphs: Any,
    *,
    node_label: Any = _OWN,
    edge_label: Any = _OWN,
    node_attribute: Any = _OWN,
    edge_attribute: Any = _OWN,
    ids: Any = _OWN,
    directed: bool | None = _OWN,
    on_invalid: OnInvalid = _OWN,
    fold: Fold | None = _OWN,
) -> Graphs:
    """Turn graphs of any known kind into a batch.

    Parameters
    ----------
    graphs : Graphs, one graph, or an iterable of graphs of one kind
        Graphs of networkx, igraph, rustworkx, PyTorch Geometric or GraKeL, adjacency matrices of
        SciPy or NumPy, SMILES strings or RDKit molecules, lists of vertex pairs, or graphs taken
        out of a batch. A generator is used up. A column of a data frame, a data frame with one
        column and an array of objects of shape (n,) or (n, 1) are lists as well.
    node_label, edge_label, node_attribute, edge_attribute, directed, on_invalid, fold
        What is read, and how: see the ``from_...`` methods of :class:`grafik.Graphs`, which say
        what is read by default and have more options. What a kind of graph does not know is
        refused.
    ids : sequence, optional
        One id for each graph, see :class:`grafik.Graphs`.

    Returns
    -------
    Graphs
        `graphs` itself if it is a batch already, and no ids are given.

    Examples
    --------
    >>> import networkx as nx
    >>> from grafik import as_graphs
    >>> as_graphs([nx.path_graph(3), nx.star_graph(3), nx.complete_graph(3)])
    Graphs(3 graphs, 10 vertices, 8 edges)

    An edge attribute called ``"weight"`` is read by default:

    >>> friends = nx.Graph()
    >>> friends.add_edge("ann", "bob", weight=3, since=1999)
    >>> as_graphs(friends).edge_attributes.tolist()
    [[3.0]]
    >>> as_graphs(friends, edge_attribute=["since", "weight"]).edge_attributes.tolist()
    [[1999.0, 3.0]]
    """
    values = node_label, edge_label, node_attribute, edge_attribute, directed, on_invalid, fold
    if type(graphs) is Graphs and all(value is _OWN for value in (ids, *values)):
        return graphs  # as on most calls, which come from our own estimators
    given = zip(OPTIONS, values, strict=True)
    options = {name: value for name, value in given if value is not _OWN}
    batch = _converted(graphs, options)
    return batch if ids is _OWN else batch.with_ids(ids)


def _converted(graphs: Any, options: dict[str, Any]) -> Graphs:
    if isinstance(graphs, Graphs):
        _refuse_options(options, "a batch of graphs", set())
        return graphs
    refuse_path(graphs)
    for kind in _KINDS:
        if kind.alone and kind.matches(graphs):
            return kind.built([graphs], options)
    items = listed_graphs(graphs)
    if not items:
        return Graphs([0], [0], [])
    kinds = [_kind(items, position, graphs) for position in range(len(items))]
    for position, kind in enumerate(kinds):
        if kind is not kinds[0]:
            raise TypeError(
                f"graph {position} is {kind.name}, but graph 0 is {kinds[0].name}; "
                "convert one kind at a time and join the batches with Graphs.concat"
            )
    return kinds[0].built(items, options)


def as_training_graphs(graphs: Any) -> Graphs:
    """Return the graphs to fit to as a batch; there must be at least one."""
    batch = as_graphs(graphs)
    if len(batch) == 0:
        raise ValueError("at least one graph is needed to fit, got none")
    return batch


class _Kind(NamedTuple):
    name: str
    matches: Callable[[Any], bool]
    build: Callable[..., Graphs]
    alone: bool = True
    """Whether one graph of this kind cannot be mistaken for a list of graphs."""

    def built(self, items: list[Any], options: dict[str, Any]) -> Graphs:
        """Convert graphs of this kind."""
        _refuse_options(options, self.name, set(signature(self.build).parameters))
        return self.build(items, **options)


def _refuse_options(options: dict[str, Any], kind: str, known: set[str]) -> None:
    """Refuse what a kind of graph does not know."""
    unknown = [name for name in options if name not in known]
    if unknown:
        taken = ", ".join(name for name in (*OPTIONS, "ids") if name in known or name == "ids")
        raise TypeError(f"{kind} takes no {unknown[0]}=; as_graphs takes {taken} here")


def _kind(items: list[Any], position: int, given: Any) -> _Kind:
    """Return the kind of graph that an item is; anything else is refused."""
    item = items[position]
    for kind in _KINDS:
        if kind.matches(item):
            return kind
    what_to_do = missing_hint(items, given) if is_missing(item) else hint(item)
    raise TypeError(f"graph {position} is {in_short(item)}, which is not a graph{what_to_do}")


def _is_edge_list(item: Any) -> bool:
    return (
        isinstance(item, (list, tuple))
        and len(item) > 0
        and all(
            isinstance(pair, (list, tuple))
            and len(pair) == 2
            and all(isinstance(end, (int, np.integer)) for end in pair)
            for pair in item
        )
    )


def _from_parts(items: list[Graph]) -> Graphs:
    """Join graphs taken out of batches; those of one batch are taken at once."""
    batches = {id(item._batch): item._batch for item in items}
    if len(batches) == 1:
        return items[0]._batch[[item._index for item in items]]
    return Graphs.concat(item._batch[[item._index]] for item in items)


_KINDS = (
    _Kind("a Graph", lambda item: isinstance(item, Graph), _from_parts),
    _Kind("a networkx graph", is_networkx, Graphs.from_networkx),
    _Kind("an igraph graph", is_igraph, Graphs.from_igraph),
    _Kind("a rustworkx graph", is_rustworkx, Graphs.from_rustworkx),
    _Kind("a matrix", is_matrix, Graphs.from_scipy),
    _Kind("a molecule", is_molecule, Graphs.from_smiles),
    _Kind("a PyTorch Geometric graph", is_pyg, Graphs.from_pyg),
    _Kind("a GraKeL graph", is_grakel_object, Graphs.from_grakel),
    _Kind("an edge list", _is_edge_list, Graphs.from_edge_lists, alone=False),
    _Kind("a graph in GraKeL's form", is_grakel, Graphs.from_grakel, alone=False),
)
