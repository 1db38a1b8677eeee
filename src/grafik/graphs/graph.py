"""Graph: one graph of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .labels import Label

if TYPE_CHECKING:
    from .batch import Graphs


class Graph:
    """One graph of a batch: a view, with labels as plain values.

    Attributes
    ----------
    n_nodes, n_edges : int
    edges : ndarray of int32, shape (n_edges, 2)
        Sorted; with ``u < v`` unless they are directed.
    directed : bool
    node_labels, edge_labels : list or None
    node_attributes, edge_attributes : ndarray of float64, or None
    node_attribute_names, edge_attribute_names : tuple of str, or None
    node_names : list or None
        What the vertices are called.
    id : str, int or another label, or None

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> graphs[0]
    Graph(10 vertices, 11 edges)
    >>> graphs[0].edges[:3].tolist()
    [[0, 1], [0, 5], [0, 9]]
    """

    __slots__ = ("_batch", "_index")

    _batch: Graphs
    _index: int

    def __init__(self, batch: Graphs, index: int) -> None:
        object.__setattr__(self, "_batch", batch)
        object.__setattr__(self, "_index", index)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Graph is frozen; build a new one instead")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Graph is frozen; build a new one instead")

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph, (self._batch[self._index : self._index + 1], 0)

    @property
    def n_nodes(self) -> int:
        """Number of vertices."""
        return int(self._batch.node_ptr[self._index + 1] - self._batch.node_ptr[self._index])

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return int(self._batch.edge_ptr[self._index + 1] - self._batch.edge_ptr[self._index])

    @property
    def edges(self) -> NDArray[np.int32]:
        """Endpoints of the edges."""
        return self._batch.edges[self._rows("edge")]

    @property
    def directed(self) -> bool:
        """Whether an edge leads from its first end to its second."""
        return self._batch.directed

    @property
    def id(self) -> Label:
        """The id of the graph, None if graphs have no ids."""
        return None if self._batch.ids is None else self._batch.ids[self._index]

    @property
    def node_names(self) -> list[Label] | None:
        """What each vertex is called."""
        names = self._batch.node_names
        return None if names is None else list(names[self._rows("node")])

    @property
    def node_labels(self) -> list[Label] | None:
        """Label of each vertex."""
        labels = self._batch.node_labels
        return None if labels is None else list(labels[self._rows("node")])

    @property
    def edge_labels(self) -> list[Label] | None:
        """Label of each edge."""
        labels = self._batch.edge_labels
        return None if labels is None else list(labels[self._rows("edge")])

    @property
    def node_attributes(self) -> NDArray[np.float64] | None:
        """Attributes of each vertex, one row each."""
        values = self._batch.node_attributes
        return None if values is None else values[self._rows("node")]

    @property
    def edge_attributes(self) -> NDArray[np.float64] | None:
        """Attributes of each edge, one row each."""
        values = self._batch.edge_attributes
        return None if values is None else values[self._rows("edge")]

    @property
    def node_attribute_names(self) -> tuple[str, ...] | None:
        """What the columns of the vertices' attributes are called."""
        return self._batch.node_attribute_names

    @property
    def edge_attribute_names(self) -> tuple[str, ...] | None:
        """What the columns of the edges' attributes are called."""
        return self._batch.edge_attribute_names

    def to_networkx(self, **options: Any) -> Any:
        """Convert to networkx, as :meth:`Graphs.to_networkx` does, with its options."""
        return self._batch[self._index : self._index + 1].to_networkx(**options)[0]

    def plot(self, **options: Any) -> Any:
        """Draw the graph; see :func:`grafik.plots.graph`."""
        from ..plots import graph

        return graph(self, **options)

    def _repr_html_(self) -> str:
        from ..plots.notebook import graph_html

        return graph_html(self)

    def _rows(self, kind: str) -> slice:
        pointer = getattr(self._batch, f"{kind}_ptr")
        return slice(int(pointer[self._index]), int(pointer[self._index + 1]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        mine, theirs = ((g._batch, g._index) for g in (self, other))
        return mine[0][mine[1] : mine[1] + 1] == theirs[0][theirs[1] : theirs[1] + 1]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inner = repr(self._batch[self._index : self._index + 1])
        return inner.replace("Graphs(1 graph, ", "Graph(")
