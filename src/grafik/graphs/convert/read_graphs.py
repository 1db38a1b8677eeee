"""Graphs that were read one by one, put one after the other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays.offsets import offsets
from .columns import Table
from .directions import Directions


class ReadGraph(NamedTuple):
    """One graph, read from another library.

    Attributes
    ----------
    names : list
        What its vertices are called.
    edges : list of (int, int)
        Positions of vertices.
    directed : bool
    node_columns, edge_columns : dict of str to list
        Values by name, MISSING where there is none.
    """

    names: list[Any]
    edges: list[tuple[int, int]]
    directed: bool
    node_columns: dict[str, list[Any]]
    edge_columns: dict[str, list[Any]]


def table_of(graphs: list[ReadGraph], directions: Directions) -> Table:
    """Put graphs one after the other; edges without direction lead both ways if some have one."""
    pairs = []
    edge_columns: dict[str, list[Any]] = {}
    node_columns: dict[str, list[Any]] = {}
    for graph in graphs:
        again = directions.directed is True and not graph.directed
        pairs.append(graph.edges + [(v, u) for u, v in graph.edges] if again else graph.edges)
        for name, values in graph.edge_columns.items():
            edge_columns.setdefault(name, []).extend(values * 2 if again else values)
        for name, values in graph.node_columns.items():
            node_columns.setdefault(name, []).extend(values)
    return Table(
        offsets([len(graph.names) for graph in graphs]),
        offsets([len(part) for part in pairs]),
        np.array([pair for part in pairs for pair in part], np.int64).reshape(-1, 2),
        node_columns,
        edge_columns,
        lambda graph: graphs[graph].names,
    )
