"""Edges in the order in which they enter, without those to leaves for which others stand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import loop, record
from .steps import Batch

# An edge as one of its ends sees it: edge `e` is arc 2e at its first end, 2e + 1 at the second.
_ARC = record(
    [("vertex", np.uint32), ("neighbor", np.uint32), ("level", np.int32), ("number", np.int64)],
    align=True,
)


class Arcs(NamedTuple):
    """Edges as both of their ends see them, by the level at which they enter.

    Attributes
    ----------
    ptr : ndarray of int64, shape (n_graphs + 1,)
        Arcs ``ptr[i]:ptr[i + 1]`` belong to graph `i` of a block.
    arcs : ndarray of (vertex, neighbor, level, number)
    """

    ptr: NDArray[np.int64]
    arcs: NDArray[Any]


class _Leaves(NamedTuple):
    """For each vertex: how many neighbours it has, its last leaf, and the arc to that."""

    n_neighbors: NDArray[np.int64]
    leaf_of: NDArray[np.int64]
    arc_of: NDArray[np.int64]


class _Sorting(NamedTuple):
    """Where the next edge of a level and of a graph goes, the graph of each edge, edges by level.

    `places` and `order` are written before they are read.
    """

    free: NDArray[np.int64]
    places: NDArray[np.int64]
    graph_of: NDArray[np.int64]
    order: NDArray[np.int64]


def twins(
    start: int,
    stop: int,
    batch: Batch,
    levels: NDArray[np.int32],
    between: NDArray[np.uint64] | None,
) -> NDArray[np.int64]:
    """Let one leaf stand for others that hang on the same vertex and can never be told apart.

    `between` are :func:`grafik.graphs.label_hashes.arc_hashes`. Where these are None, what they are
    used for is not even compiled.

    Return how often each vertex of graphs start..stop counts: 0 times if another stands for it.
    """
    n = int(batch.node_ptr[stop] - batch.node_ptr[start])
    times, none = np.ones(n, np.int64), np.full(n, -1, np.int64)
    leaves = _Leaves(np.zeros(n, np.int64), none, np.empty(n, np.int64))
    _find_twins(start, stop, batch, levels, between, leaves, times)
    return times


@loop
def _find_twins(start, stop, batch, levels, between, leaves, times):
    """Fill in how often vertices count."""
    node_ptr, edge_ptr, edges, vertices = batch
    n_neighbors, leaf_of, arc_of = leaves
    node0 = node_ptr[start]
    for graph in range(start, stop):
        base = node_ptr[graph] - node0
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            n_neighbors[base + edges[edge, 0]] += 1
            n_neighbors[base + edges[edge, 1]] += 1
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            hub, leaf, arc = base + edges[edge, 0], base + edges[edge, 1], 2 * edge
            if n_neighbors[hub] == 1:
                hub, leaf, arc = leaf, hub, arc + 1
            if n_neighbors[leaf] != 1:
                continue
            other, known = leaf_of[hub], arc_of[hub]
            alike = other >= 0 and vertices[node0 + leaf] == vertices[node0 + other]
            alike = alike and levels[edge] == levels[known >> 1]
            if between is not None:
                alike = alike and between[arc] == between[known]
            if alike:
                times[other] += 1
                times[leaf] = 0
            else:
                leaf_of[hub], arc_of[hub] = leaf, arc


def by_level(
    start: int,
    stop: int,
    batch: Batch,
    levels: NDArray[np.int32],
    n_levels: int,
    times: NDArray[np.int64],
) -> Arcs:
    """Sort the edges of each graph by the level at which they enter, without those to twins."""
    n_graphs, n = stop - start, int(batch.edge_ptr[stop] - batch.edge_ptr[start])
    ptr, arcs = np.zeros(n_graphs + 1, np.int64), np.empty(2 * n, _ARC)
    graph_of, order = np.empty(n, np.int64), np.empty(n, np.int64)
    free, places = np.zeros(n_levels + 1, np.int64), np.empty(n_graphs, np.int64)
    _sort(start, stop, batch, levels, times, _Sorting(free, places, graph_of, order), ptr, arcs)
    return Arcs(ptr, arcs[: ptr[-1]])


@loop
def _sort(start, stop, batch, levels, times, sorting, ptr, arcs):
    """Sort edges by level, then by graph; write arcs and where those of each graph begin."""
    node_ptr, edge_ptr, edges, _ = batch
    free, places, graph_of, order = sorting
    first, last, node0, n_kept = edge_ptr[start], edge_ptr[stop], node_ptr[start], 0
    for graph in range(stop - start):
        base = node_ptr[start + graph] - node0
        places[graph] = 2 * n_kept
        for edge in range(edge_ptr[start + graph], edge_ptr[start + graph + 1]):
            graph_of[edge - first] = -1
            if times[base + edges[edge, 0]] and times[base + edges[edge, 1]]:
                graph_of[edge - first] = graph
                free[levels[edge] + 1] += 1
                n_kept += 1
        ptr[graph + 1] = 2 * n_kept
    for level in range(len(free) - 1):
        free[level + 1] += free[level]
    for edge in range(first, last):
        if graph_of[edge - first] >= 0:
            level = levels[edge]
            order[free[level]] = edge
            free[level] += 1
    for i in range(n_kept):
        edge = order[i]
        graph = graph_of[edge - first]
        at = places[graph]
        places[graph] = at + 2
        for side in range(2):
            arc = arcs[at + side]
            arc.vertex, arc.neighbor = edges[edge, side], edges[edge, 1 - side]
            arc.level, arc.number = levels[edge], 2 * edge + side
