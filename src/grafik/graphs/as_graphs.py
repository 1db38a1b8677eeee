"""Conversion of all known kinds of graphs to a batch: the front door of every estimator."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .batch import Graphs
from .convert.columns import in_short
from .convert.grakel import is_grakel, is_grakel_object
from .convert.igraph import is_igraph
from .convert.matrices import is_matrix
from .convert.networkx import is_networkx
from .convert.pyg import is_pyg
from .convert.smiles import is_molecule
from .graph import Graph


def as_graphs(graphs: Any) -> Graphs:
    """Turn graphs of any known kind into a batch.

    Parameters
    ----------
    graphs : Graphs, one graph, or an iterable of graphs of one kind
        Graphs of networkx, igraph, PyTorch Geometric or GraKeL, adjacency matrices of SciPy or
        NumPy, SMILES strings or RDKit molecules, lists of vertex pairs, or graphs taken out of a
        batch. A generator is used up. A data frame with one column and an array of objects of
        shape (n, 1) are lists as well. The ``from_...`` methods of :class:`grafik.Graphs` say how
        labels are read, and have options.

    Returns
    -------
    Graphs
        `graphs` itself if it is a batch already.

    Examples
    --------
    >>> import networkx as nx
    >>> from grafik import as_graphs
    >>> as_graphs([nx.path_graph(3), nx.star_graph(3), nx.complete_graph(3)])
    Graphs(3 graphs, 10 vertices, 8 edges)
    """
    if isinstance(graphs, Graphs):
        return graphs
    for kind in _KINDS:
        if kind.alone and kind.matches(graphs):
            return kind.build([graphs])
    table = hasattr(graphs, "iloc") and getattr(graphs, "ndim", 1) == 2
    if table and graphs.shape[1] == 1 and graphs.dtypes.iloc[0].kind == "O":
        graphs, table = graphs.iloc[:, 0], False
    elif isinstance(graphs, np.ndarray) and graphs.dtype == object and graphs.shape[1:] == (1,):
        graphs = graphs[:, 0]
    if table or isinstance(graphs, (os.PathLike, bytes, dict)) or not isinstance(graphs, Iterable):
        raise TypeError(f"expected graphs, got {in_short(graphs)}; read files with grafik.datasets")
    items = list(graphs)
    if not items:
        return Graphs([0], [0], [])
    kinds = [_kind(item, position) for position, item in enumerate(items)]
    for position, kind in enumerate(kinds):
        if kind is not kinds[0]:
            raise TypeError(
                f"graph {position} is {kind.name}, but graph 0 is {kinds[0].name}; "
                "convert one kind at a time and join the batches with Graphs.concat"
            )
    return kinds[0].build(items)


def as_training_graphs(graphs: Any) -> Graphs:
    """Return the graphs to fit to as a batch; there must be at least one."""
    batch = as_graphs(graphs)
    if len(batch) == 0:
        raise ValueError("at least one graph is needed to fit, got none")
    return batch


class _Kind(NamedTuple):
    name: str
    matches: Callable[[Any], bool]
    build: Callable[[list[Any]], Graphs]
    alone: bool = True
    """Whether one graph of this kind cannot be mistaken for a list of graphs."""


def _kind(item: Any, position: int) -> _Kind:
    """Return the kind of graph that an item is; anything else is refused."""
    for kind in _KINDS:
        if kind.matches(item):
            return kind
    hint = ""
    if isinstance(item, (list, tuple)) and len(item) == 0:
        hint = "; for graphs without edges give the number of vertices: Graphs.from_edge_lists"
    elif isinstance(item, (list, tuple)):
        hint = "; put a list of vertex pairs inside a list, as one graph of several"
    elif isinstance(item, np.ndarray):
        hint = "; np.array splits graphs up: pass a plain list of graphs"
    raise TypeError(f"graph {position} is {in_short(item)}, which is not a graph{hint}")


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
    _Kind("a matrix", is_matrix, Graphs.from_scipy),
    _Kind("a molecule", is_molecule, Graphs.from_smiles),
    _Kind("a PyTorch Geometric graph", is_pyg, Graphs.from_pyg),
    _Kind("a GraKeL graph", is_grakel_object, Graphs.from_grakel),
    _Kind("an edge list", _is_edge_list, Graphs.from_edge_lists, alone=False),
    _Kind("a graph in GraKeL's form", is_grakel, Graphs.from_grakel, alone=False),
)
