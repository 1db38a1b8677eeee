"""Graphs: a frozen batch of graphs in a few flat arrays."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.checks import checked_bool, checked_choice
from ..arrays.gate import checked_pointer
from ..arrays.offsets import frozen, offsets, ranges
from ..system.memory import memory_for, refuse_what_does_not_fit
from ..system.words import counted
from . import validation
from .adjacency import Adjacency, neighbour_lists
from .convert import Conversions
from .graph import Graph
from .joining import joined_columns, named_alike
from .labels import Labels
from .parquet import Parquet
from .simple_edges import Dropped, Rules, simple_edges

if TYPE_CHECKING:
    from .describe import Description

# What the neighbour lists and the hashes of labels of a vertex or an edge take, at least.
_BYTES = 16.0
# What belongs to vertices or edges and may be missing.
_PER_ROW = ("node_labels", "edge_labels", "node_attributes", "edge_attributes", "node_names")
_CONTENT = (
    "node_ptr",
    "edge_ptr",
    "edges",
    "directed",
    *_PER_ROW,
    "node_attribute_names",
    "edge_attribute_names",
    "ids",
    "reading",
)
# Names are compared in another way, and where graphs come from does not matter.
_COMPARED = [name for name in _CONTENT if not name.endswith(("names", "reading"))]


class Graphs(Conversions, Parquet, Sequence["Graph"]):
    """A batch of graphs, checked once and never changed.

    The vertices of each graph are numbered from 0. The arrays hold the graphs one after the other:
    ``node_ptr[g]:node_ptr[g + 1]`` are the rows of graph `g` in the vertex arrays,
    ``edge_ptr[g]:edge_ptr[g + 1]`` its rows in the edge arrays.

    Most users get a batch from :func:`grafik.as_graphs`, one of the ``from_...`` methods or
    :mod:`grafik.datasets`, and index it like a list.

    Parameters
    ----------
    node_ptr, edge_ptr : array of int, shape (n_graphs + 1,)
        Where the vertices and the edges of each graph start; the first entry is 0.
    edges : array of int, shape (n_edges, 2)
        Endpoints, as ids within the graph, in any order.
    directed : bool
        Whether an edge leads from its first end to its second. Otherwise it joins the two, and its
        direction in `edges` means nothing.
    node_labels, edge_labels : sequence, optional
        One label per vertex or edge: strings, integers, bools, None, finite floats or tuples of
        these; an integer array with several columns makes tuples
        (:class:`grafik.graphs.labels.Labels`).
    node_attributes, edge_attributes : array of float, shape (n,) or (n, d), optional
        Finite numbers, one row per vertex or edge.
    node_names : sequence, optional
        What the vertices are called in explanations and pictures; no two of a graph are equal.
        Names are of the same types as labels. They play no part in what is computed. Without
        names, vertices are called by their numbers.
    node_attribute_names, edge_attribute_names : sequence of str, optional
        A name for each column of attributes.
    ids : sequence, optional
        One id for each graph, of the same types as labels, which search and prediction give back.
    reading : str, optional
        How molecules were read, such as ``"atoms='typed'"``; :meth:`from_smiles` says it. Models
        take only molecules that were read as those they were fitted on. It plays no part in what
        is computed, nor in whether batches are equal.
    on_invalid : {"drop", "raise"}
        Self loops and edges listed more than once are dropped and counted in `dropped`, or refused.
    fold : {None, "first", "sum", "mean", "min", "max"}
        How the attributes of an edge listed more than once become one row. By default they must
        agree. Labels must agree unless `fold` is ``"first"``.

    Attributes
    ----------
    node_ptr, edge_ptr : ndarray of int64
    edges : ndarray of int32, shape (n_edges, 2)
        Sorted and unique within each graph; with ``u < v`` unless they are directed.
    directed : bool
    node_labels, edge_labels, node_names, ids : Labels or None
    node_attributes, edge_attributes : ndarray of float64, shape (n, d), or None
    node_attribute_names, edge_attribute_names : tuple of str, or None
    reading : str or None
    dropped : Dropped
        How many self loops, duplicates and reversed duplicates the constructor left out.

    Examples
    --------
    A triangle and a single edge:

    >>> from grafik import Graphs
    >>> graphs = Graphs(node_ptr=[0, 3, 5], edge_ptr=[0, 3, 4],
    ...                 edges=[[0, 1], [1, 2], [2, 0], [0, 1]], node_labels=list("CCOCO"))
    >>> graphs
    Graphs(2 graphs, 5 vertices, 4 edges, 2 node labels)
    >>> graphs[0].edges.tolist()
    [[0, 1], [0, 2], [1, 2]]
    >>> graphs[::-1][0].node_labels
    ['C', 'O']
    """

    __slots__ = ("__weakref__", "_adjacency", "dropped", *_CONTENT)

    node_ptr: NDArray[np.int64]
    edge_ptr: NDArray[np.int64]
    edges: NDArray[np.int32]
    directed: bool
    node_labels: Labels | None
    edge_labels: Labels | None
    node_attributes: NDArray[np.float64] | None
    edge_attributes: NDArray[np.float64] | None
    node_names: Labels | None
    node_attribute_names: tuple[str, ...] | None
    edge_attribute_names: tuple[str, ...] | None
    ids: Labels | None
    reading: str | None
    dropped: Dropped
    _adjacency: Adjacency | None

    def __init__(
        self,
        node_ptr: ArrayLike,
        edge_ptr: ArrayLike,
        edges: ArrayLike,
        *,
        node_labels: Any = None,
        edge_labels: Any = None,
        node_attributes: ArrayLike | None = None,
        edge_attributes: ArrayLike | None = None,
        node_names: Any = None,
        node_attribute_names: Sequence[str] | None = None,
        edge_attribute_names: Sequence[str] | None = None,
        ids: Any = None,
        reading: str | None = None,
        directed: bool = False,
        on_invalid: validation.OnInvalid = "drop",
        fold: validation.Fold | None = None,
        _both_ways: bool = False,
        _node_name: validation.Name | None = None,
        _edge_name: validation.Name | None = None,
        _remedies: validation.Remedies = validation.REMEDIES,
    ) -> None:
        if hasattr(self, "edges"):
            raise AttributeError("Graphs are frozen; build a new batch instead")
        checked_choice("on_invalid", on_invalid, ("drop", "raise"))
        checked_choice("fold", fold, (None, *validation.FOLD))
        directed = checked_bool("directed", directed)
        nodes = checked_pointer(node_ptr, "node_ptr")
        given_ptr = checked_pointer(edge_ptr, "edge_ptr")
        given = validation.checked_edges(edges, validation.namer(given_ptr, "edge"))
        validation.checked_layout(nodes, given_ptr, len(given))

        node_name = _node_name or validation.namer(nodes, "vertex")
        edge_name = _edge_name or validation.edge_namer(given_ptr, given)
        n, m = int(nodes[-1]), len(given)
        refuse_what_does_not_fit(
            _BYTES * (n + m + len(nodes)),
            f"a batch of {counted(len(nodes) - 1, 'graph')}, {n} vertices and {m} edges",
            "make batches of fewer graphs",
        )
        vertex_labels = validation.checked_labels(node_labels, n, "node_labels", node_name)
        vertex_values = validation.checked_floats(node_attributes, n, "node_attributes", node_name)
        names = validation.checked_names(node_names, nodes, node_name)
        labels = validation.checked_labels(edge_labels, m, "edge_labels", edge_name)
        values = validation.checked_floats(edge_attributes, m, "edge_attributes", edge_name)
        how = fold, edge_name, _remedies
        label_column = None if labels is None else validation.LabelColumn(labels, *how)
        value_column = None if values is None else validation.FloatColumn(values, *how)
        strict = on_invalid == "raise"
        simple = simple_edges(
            nodes,
            given_ptr,
            given,
            Rules(directed, strict, strict and fold is None, _both_ways),
            edge_name,
            carry=[column for column in (label_column, value_column) if column is not None],
        )
        self._set(
            node_ptr=nodes,
            edge_ptr=simple.edge_ptr,
            edges=simple.edges,
            directed=directed,
            node_labels=None if vertex_labels is None else Labels.trusted(*vertex_labels),
            edge_labels=None if label_column is None else label_column.result(),
            node_attributes=vertex_values,
            edge_attributes=None if value_column is None else value_column.result(),
            node_names=None if names is None else Labels.trusted(*names),
            node_attribute_names=validation.checked_columns(
                node_attribute_names, vertex_values, "node_attribute_names"
            ),
            edge_attribute_names=validation.checked_columns(
                edge_attribute_names, values, "edge_attribute_names"
            ),
            ids=validation.checked_ids(ids, len(nodes) - 1),
            reading=validation.checked_reading(reading),
            dropped=simple.dropped,
        )

    def _set(self, **columns: Any) -> None:
        for name, column in columns.items():
            value = frozen(column) if isinstance(column, np.ndarray) else column
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_adjacency", None)

    @classmethod
    def _trusted(cls, columns: dict[str, Any]) -> Graphs:
        """Wrap columns that come from checked batches, without checking them again."""
        graphs = object.__new__(cls)
        graphs._set(**columns)
        return graphs

    def _with(self, **changed: Any) -> Graphs:
        """Return a batch with some columns changed, which are trusted."""
        return Graphs._trusted(
            {name: getattr(self, name) for name in (*_CONTENT, "dropped")} | changed
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Graphs are frozen; build a new batch instead")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("Graphs are frozen; build a new batch instead")

    def __reduce__(self) -> tuple[Any, ...]:
        columns = {name: getattr(self, name) for name in (*_CONTENT, "dropped")}
        return Graphs._received, (columns,)

    @classmethod
    def _received(cls, columns: dict[str, Any]) -> Graphs:
        """Build a batch that another process sent; it is checked like any other."""
        graphs = cls(**{name: columns[name] for name in _CONTENT}, on_invalid="raise")
        object.__setattr__(graphs, "dropped", Dropped(*columns["dropped"]))
        return graphs

    # Sizes and neighbours

    def __len__(self) -> int:
        return len(self.node_ptr) - 1

    @property
    def shape(self) -> tuple[int]:
        """``(len(self),)``, which tells scikit-learn that arrays can index a batch."""
        return (len(self),)

    @property
    def n_nodes(self) -> NDArray[np.int64]:
        """Number of vertices of each graph."""
        return np.diff(self.node_ptr)

    @property
    def n_edges(self) -> NDArray[np.int64]:
        """Number of edges of each graph."""
        return np.diff(self.edge_ptr)

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Number of edges at each vertex of the batch, in and out if they are directed."""
        ends = np.repeat(self.node_ptr[:-1], self.n_edges)[:, None] + self.edges
        return np.bincount(ends.ravel(), minlength=int(self.node_ptr[-1]))

    @property
    def adjacency(self) -> Adjacency:
        """The neighbour lists, built on first use."""
        if self._adjacency is None:
            object.__setattr__(self, "_adjacency", neighbour_lists(self))
        assert self._adjacency is not None
        return self._adjacency

    # Indexing and joining

    @overload
    def __getitem__(self, which: SupportsIndex) -> Graph: ...
    @overload
    def __getitem__(self, which: Any) -> Graphs: ...
    def __getitem__(self, which: Any) -> Graph | Graphs:
        """Return one graph for an integer, a batch for a slice, a mask or an array of integers."""
        if isinstance(which, tuple) and len(which) == 2 and which[1] is Ellipsis:
            which = which[0]  # scikit-learn writes X[indices, ...]
        if isinstance(which, slice):
            start, stop, step = which.indices(len(self))
            if step == 1:
                return self._between(start, max(start, stop))
            return self._take(np.array(range(start, stop, step), np.int64))
        whole = isinstance(which, (int, np.integer)) and not isinstance(which, bool)
        if whole or (
            isinstance(which, np.ndarray) and which.ndim == 0 and which.dtype.kind in "iu"
        ):
            return Graph(self, self._position(operator.index(which)))
        return self._take(self._positions(which))

    def __iter__(self) -> Iterator[Graph]:
        return (Graph(self, index) for index in range(len(self)))

    def _position(self, index: int) -> int:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no graph {index}; the batch has {len(self)} graphs")
        return index % len(self)

    def _positions(self, which: Any) -> NDArray[np.int64]:
        array = np.asarray(which)
        if array.size == 0 and array.dtype.kind == "f":
            array = array.astype(np.int64)  # an empty list
        if array.ndim != 1 or array.dtype.kind not in "iub":
            raise TypeError(
                "graphs are indexed by an integer, a slice, a mask or a list of integers, "
                f"got {which!r}"
            )
        if array.dtype.kind == "b":
            if len(array) != len(self):
                raise IndexError(f"the mask has {len(array)} entries for {len(self)} graphs")
            return np.flatnonzero(array)
        outside = (array < -len(self)) | (array >= len(self))
        if outside.any():
            self._position(int(array[np.argmax(outside)]))
        return array.astype(np.int64) % max(len(self), 1)

    def _between(self, start: int, stop: int) -> Graphs:
        """Return consecutive graphs; their large arrays are views."""
        nodes = slice(int(self.node_ptr[start]), int(self.node_ptr[stop]))
        edges = slice(int(self.edge_ptr[start]), int(self.edge_ptr[stop]))
        node_ptr = self.node_ptr[start : stop + 1] - nodes.start
        edge_ptr = self.edge_ptr[start : stop + 1] - edges.start
        return self._rows(node_ptr, edge_ptr, nodes, edges, slice(start, stop))

    def _take(self, positions: NDArray[np.int64]) -> Graphs:
        """Return the graphs at these positions, in this order."""
        node_ptr, nodes = _gather(self.node_ptr, positions)
        edge_ptr, edges = _gather(self.edge_ptr, positions)
        return self._rows(node_ptr, edge_ptr, nodes, edges, positions)

    def _rows(
        self,
        node_ptr: NDArray[np.int64],
        edge_ptr: NDArray[np.int64],
        nodes: slice | NDArray[np.int64],
        edges: slice | NDArray[np.int64],
        graphs: slice | NDArray[np.int64],
    ) -> Graphs:
        rows = {"node": nodes, "edge": edges}
        columns = {name: _taken(getattr(self, name), rows[name[:4]]) for name in _PER_ROW}
        return self._with(
            node_ptr=node_ptr,
            edge_ptr=edge_ptr,
            edges=self.edges[edges],
            ids=_taken(self.ids, graphs),
            dropped=Dropped(),
            **columns,
        )

    def with_ids(self, ids: Any) -> Graphs:
        """Return the same graphs with an id for each, which search and prediction give back.

        Parameters
        ----------
        ids : sequence or None
            Strings, integers or other labels, one for each graph; None takes ids away.

        Examples
        --------
        >>> from grafik import datasets
        >>> graphs, y = datasets.wl_hard("decalin")
        >>> graphs.with_ids(["decalin", "bicyclopentyl"])[1].id
        'bicyclopentyl'
        """
        return self._with(ids=validation.checked_ids(ids, len(self)))

    def undirected(self, fold: validation.Fold | None = None) -> Graphs:
        """Return the same graphs without directions: an edge joins its two ends.

        Parameters
        ----------
        fold : {None, "first", "sum", "mean", "min", "max"}
            How the attributes of two opposite edges become one row. By default they must agree.
            Labels must agree unless `fold` is ``"first"``.

        Examples
        --------
        >>> from grafik import Graphs
        >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 0), (1, 2)]], directed=True)
        >>> graphs, graphs.undirected()
        (Graphs(1 graph, 3 vertices, 3 directed edges), Graphs(1 graph, 3 vertices, 2 edges))
        """
        if not self.directed:
            return self
        columns = {name: getattr(self, name) for name in _CONTENT if name != "directed"}
        return Graphs(**columns, fold=fold)

    @classmethod
    def concat(cls, batches: Iterable[Graphs]) -> Graphs:
        """Join batches into one.

        Either all of them have node labels or none has, and likewise for edge labels and
        attributes; a batch without vertices (or edges) fits in either case. Where only some have
        names for vertices, the others' vertices are called by their numbers. Molecules must have
        been read in the same way.

        Examples
        --------
        >>> from grafik import Graphs, datasets
        >>> graphs, y = datasets.csl(copies=1)
        >>> Graphs.concat([graphs[:3], graphs[7:]])
        Graphs(6 graphs, 246 vertices, 492 edges)
        """
        parts = list(batches)
        for position, item in enumerate(map(type, parts)):
            if item is not Graphs:
                raise TypeError(f"concat joins Graphs, but item {position} is a {item.__name__}")
        if not parts:
            return cls([0], [0], [])
        with memory_for(f"joining {counted(len(parts), 'batch', 'batches')}", "join fewer"):
            return cls._trusted(joined_columns(parts))

    # Comparing and describing

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graphs):
            return NotImplemented
        for kind in ("node", "edge"):
            rows, names = f"{kind}_ptr", f"{kind}_attribute_names"
            if getattr(self, rows)[-1] > 0 and getattr(self, names) != getattr(other, names):
                return False
        named = named_alike([self, other])
        return (named is None or named[0] == named[1]) and all(
            _same(getattr(self, name), getattr(other, name)) for name in _COMPARED
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [
            counted(len(self), "graph"),
            counted(int(self.node_ptr[-1]), "vertex", "vertices"),
            counted(len(self.edges), "directed edge" if self.directed else "edge"),
        ]
        for kind in ("node", "edge"):
            labels, values = getattr(self, f"{kind}_labels"), getattr(self, f"{kind}_attributes")
            if labels is not None:
                parts.append(counted(len(labels.values), f"{kind} label"))
            if values is not None:
                parts.append(counted(values.shape[1], f"{kind} attribute"))
        return f"Graphs({', '.join(parts)})"

    def _repr_html_(self) -> str:
        from ..plots.notebook import graphs_html

        return graphs_html(self)

    def describe(self) -> Description:
        """Count what is in the batch: sizes, degrees, labels, attributes.

        Returns
        -------
        Description
            Prints as a table; its fields are plain numbers.

        Examples
        --------
        >>> from grafik import datasets
        >>> graphs, y = datasets.csl()
        >>> summary = graphs.describe()
        >>> summary.n_graphs, summary.degrees
        (100, Spread(low=4, mean=4.0, median=4.0, high=4))
        """
        from .describe import describe

        return describe(self)


def _gather(
    pointer: NDArray[np.int64], positions: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the offsets of some graphs put one after the other, and the rows they come from."""
    starts = offsets(pointer[positions + 1] - pointer[positions])
    return starts, ranges(pointer[positions], starts)


def _taken(column: Any, rows: slice | NDArray[np.int64]) -> Any:
    """Return some rows of a column that may be missing."""
    if column is None:
        return None
    return column.take(rows) if isinstance(column, Labels) else column[rows]


def _same(a: Any, b: Any) -> bool:
    """Compare two columns; an empty column equals a missing one, and any other empty one."""
    if isinstance(a, bool):
        return bool(a == b)
    if all(column is None or len(column) == 0 for column in (a, b)):
        return True
    if a is None or b is None:
        return False
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b)
