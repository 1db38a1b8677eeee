"""Unfolding trees: what a Weisfeiler-Lehman label stands for, in the labels of the user."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from .steps import entry_levels
from .weisfeiler_lehman import MAX_DEPTH, edge_labels_count

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration

# How much of a tree is written in tables.
SHOWN_DEPTH, SHOWN_WIDTH = 2, 4
# Strings like these are written as they are; others, and what is no string, as in Python.
_PLAIN = re.compile(r"(?!(?:True|False|None)$)[^\W\d][\w+.#-]*")
_UNLABELLED = "*"


def unfolding_tree(
    graph: Any,
    vertex: int,
    depth: int,
    *,
    filtration: Filtration | None = None,
    level: int | None = None,
    edge_labels: bool | str = "auto",
    max_depth: int | None = None,
    max_width: int | None = None,
) -> str:
    """Write the tree that a Weisfeiler-Lehman label of a vertex stands for.

    ``C(2xC, O)`` is a vertex labelled C that has three neighbours. At depth 2, each neighbour comes
    with its own neighbours, of which one is the vertex itself, and so on: ``C(2xC(C), O(C))``.
    Two vertices have the same label of some depth if and only if their whole trees read the same.
    In a directed graph, ``C(->O, 2x<-C)`` has an edge to O, and two that come from C.

    Parameters
    ----------
    graph : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    vertex : int
        Counted from 0.
    depth : int
        Depth of the label.
    filtration : Filtration, optional
        Fitted; by default the tree is that in the whole graph.
    level : int, optional
        Of the filtration graph, counted from 0; by default the last one.
    edge_labels : {"auto", True, False}
        Whether to write the label of the edge before each neighbour, as in ``C(2:O)``; "auto" does
        so if the graph has edge labels.
    max_depth : int, optional
        How much of the tree is written; what lies deeper is ``...``. By default all of it, which
        may be long: a tree grows exponentially with its depth.
    max_width : int, optional
        How many different neighbours of each vertex are written, in the order of the alphabet; the
        others are counted.

    Returns
    -------
    str
        A vertex without label is ``*``, one without neighbours has ``()``. Labels that are not
        plain words are written as in Python: the string ``'1'``, the number ``1``.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.features.wl_trees import unfolding_tree
    >>> ethanol = Graphs([0, 9], [0, 8], [[0, 1], [1, 2], [2, 3], [0, 4], [0, 5], [0, 6], [1, 7],
    ...                   [1, 8]], node_labels=list("CCOHHHHHH"))
    >>> unfolding_tree(ethanol, 0, depth=1), unfolding_tree(ethanol, 2, depth=2)
    ('C(C, 3xH)', 'O(C(C, 2xH, O), H(O))')
    >>> unfolding_tree(ethanol, 2, depth=5, max_depth=2, max_width=2)
    'O(C(C(...), 2xH(...), 1 more), H(O(...)))'
    """
    batch = as_graphs(graph)
    if len(batch) != 1:
        raise ValueError(f"a tree unfolds at a vertex of one graph, got {len(batch)} graphs")
    checked_integer("vertex", vertex, 0, int(batch.node_ptr[-1]) - 1)
    if filtration is None:
        levels, last = np.zeros(len(batch.edges), np.int32), 0
    else:
        levels, last = entry_levels(batch, filtration), filtration.n_levels_ - 1
    level = last if level is None else checked_integer("level", level, 0, last)
    bounds = [
        sys.maxsize if most is None else checked_integer(name, most, 0)
        for name, most in (("max_depth", max_depth), ("max_width", max_width))
    ]
    trees = Trees(batch, levels, edge_labels_count(edge_labels, batch), *bounds)
    return trees.text(vertex, checked_integer("depth", depth, 0, MAX_DEPTH), level)


class Trees:
    """Writes the trees at the vertices of one graph; what they share is written once.

    Parameters
    ----------
    graph : Graphs
        A batch of one.
    levels : ndarray of int32
        The level at which each edge enters.
    edge_labels : {"auto", True, False}
        Whether to write those, if there are any.
    max_depth, max_width : int
        How much of a tree is written.
    rows : ndarray of int, optional
        The edges to look at, by default all; those of which a tree is made are enough for it.
    """

    def __init__(
        self,
        graph: Graphs,
        levels: NDArray[np.int32],
        edge_labels: bool | str,
        max_depth: int = SHOWN_DEPTH,
        max_width: int = SHOWN_WIDTH,
        *,
        rows: NDArray[np.int64] | None = None,
    ) -> None:
        self._roots = _texts(graph.node_labels, int(graph.node_ptr[-1]), _UNLABELLED)
        kinds, ends = graph.edge_labels if edge_labels else None, graph.edges
        if rows is not None:
            ends, levels = ends[rows], levels[rows]
            kinds = None if kinds is None else kinds.take(rows)
        edges = _texts(kinds, len(levels), "")
        self._around: list[list[tuple[int, int, str]]] = [[] for _ in self._roots]
        for (u, v), level, kind in zip(ends.tolist(), levels.tolist(), edges, strict=True):
            before = "" if kinds is None else f"{kind}:"
            away, back = (f"->{before}", f"<-{before}") if graph.directed else (before, before)
            self._around[u].append((v, level, away))
            self._around[v].append((u, level, back))
        self._max_depth, self._max_width = max_depth, max_width
        self._known: dict[tuple[int, int, int, int], str] = {}

    def text(self, vertex: int, depth: int, level: int) -> str:
        """Write the tree of some depth at a vertex of a filtration graph."""
        shown = min(depth, self._max_depth)
        # From the leaves up, not by recursion: depths may be in the thousands.
        wanted = [{vertex}]
        for _ in range(shown):
            near = (self._around[v] for v in wanted[-1])
            wanted.append({u for part in near for u, entry, _ in part if entry <= level})
        for below, vertices in enumerate(reversed(wanted)):
            for v in vertices:
                place = v, level, depth - shown + below, below
                if place not in self._known:
                    self._known[place] = self._write(*place)
        return self._known[vertex, level, depth, shown]

    def lone(self, vertex: int, depth: int, level: int) -> bool:
        """Tell whether a label is that of a vertex without neighbours, the same at all depths."""
        return depth > 0 and all(entry > level for _, entry, _ in self._around[vertex])

    def name(self, depth: int, places: Sequence[tuple[int, int]]) -> str:
        """Name the label that vertices have from some levels on: its tree, or words if it has none.

        Parameters
        ----------
        depth : int
        places : sequence of (vertex, level)
            Where the label occurs, at least once.
        """
        vertex, level = places[0]
        if not self.lone(vertex, depth, level):
            return self.text(vertex, depth, level)
        later = all(self._around[v] for v, _ in places)
        return f"{self._roots[vertex]} {'before its' if later else 'without'} edges"

    def _write(self, vertex: int, level: int, depth: int, shown: int) -> str:
        root = self._roots[vertex]
        if depth == 0:
            return root
        near = [(u, before) for u, entry, before in self._around[vertex] if entry <= level]
        if near and shown == 0:
            return f"{root}(...)"
        counts = Counter(before + self._known[u, level, depth - 1, shown - 1] for u, before in near)
        written = sorted(counts)[: self._max_width]
        parts = [text if counts[text] == 1 else f"{counts[text]}x{text}" for text in written]
        rest = len(near) - sum(counts[text] for text in written)
        if rest:
            parts.append(f"{rest} more")
        return f"{root}({', '.join(parts)})"


def _texts(labels: Any, n: int, absent: str) -> list[str]:
    """Write the label of each vertex or edge."""
    if labels is None:
        return [absent] * n
    table = [written(value) for value in labels.values]
    return [table[code] for code in labels.codes.tolist()]


def written(value: Any) -> str:
    """Write a label so that no other one reads the same."""
    return value if isinstance(value, str) and _PLAIN.fullmatch(value) else repr(value)
