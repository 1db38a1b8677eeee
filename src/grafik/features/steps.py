"""Graphs as compiled loops take them, and when they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer
from ..arrays.offsets import frozen, part_of
from ..graphs.batch import Graphs
from ..graphs.label_hashes import vertex_hashes

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration


def entry_levels(
    graphs: Graphs, filtration: Filtration, known: NDArray[np.int32] | None = None
) -> NDArray[np.int32]:
    """Return the level at which each edge enters, checked; they may be known already."""
    levels = np.asarray(filtration.levels(graphs) if known is None else known)
    n_levels = checked_integer("the number of levels", filtration.n_levels_, 1)
    if levels.shape != (len(graphs.edges),) or levels.dtype.kind not in "iu":
        raise ValueError(
            f"a filtration must give one integer level for each of {len(graphs.edges)} edges, "
            f"got an array of {levels.dtype} of shape {levels.shape}"
        )
    if len(levels) and not 0 <= levels.min() <= levels.max() < n_levels:
        raise ValueError(
            f"levels must be from 0 to {n_levels - 1}, got {levels.min()} to {levels.max()}"
        )
    return levels.astype(np.int32, copy=False)


class Batch(NamedTuple):
    """Graphs as compiled loops take them; the fields are those of :class:`grafik.Graphs`.

    `vertices` are the hashes of the vertex labels.
    """

    node_ptr: NDArray[np.int64]
    edge_ptr: NDArray[np.int64]
    edges: NDArray[np.int32]
    vertices: NDArray[np.uint64]

    @classmethod
    def of(cls, graphs: Graphs) -> Batch:
        """Take from a batch what loops need."""
        return cls(graphs.node_ptr, graphs.edge_ptr, graphs.edges, vertex_hashes(graphs))


class Steps(NamedTuple):
    """When the graphs of a batch change: at level 0, and where at least one edge enters.

    Attributes
    ----------
    ptr : ndarray of int64, shape (n_graphs + 1,)
        Steps ``ptr[g]:ptr[g + 1]`` belong to graph `g`.
    levels : ndarray of int32
        Level of each step, increasing within a graph.
    of_edges : ndarray of int32
        The step, counted from 0 within its graph, at which each edge enters.
    of_neighbors : ndarray of int32
        The same for each entry of the neighbour lists.
    """

    ptr: NDArray[np.int64]
    levels: NDArray[np.int32]
    of_edges: NDArray[np.int32]
    of_neighbors: NDArray[np.int32]

    @classmethod
    def of(cls, graphs: Graphs, filtration: Filtration) -> Steps:
        """Find the steps of a batch."""
        levels = entry_levels(graphs, filtration)
        graph = np.concatenate([np.arange(len(graphs)), part_of(graphs.edge_ptr)])
        level = np.concatenate([np.zeros(len(graphs), np.int32), levels])
        order = np.lexsort((level, graph))
        graph, level = graph[order], level[order]
        new = np.ones(len(order), bool)
        new[1:] = (graph[1:] != graph[:-1]) | (level[1:] != level[:-1])
        ptr = np.searchsorted(graph[new], np.arange(len(graphs) + 1)).astype(np.int64)
        step = np.empty(len(order), np.int64)
        step[order] = np.cumsum(new) - 1
        of_edges = step[len(graphs) :] - np.repeat(ptr[:-1], graphs.n_edges)
        steps = of_edges.astype(np.int32)
        return cls(frozen(ptr), frozen(level[new]), frozen(steps), along_neighbors(graphs, steps))


def along_neighbors(graphs: Graphs, values: NDArray[Any]) -> NDArray[Any]:
    """Spread one value per edge over the neighbour lists."""
    first = np.repeat(graphs.edge_ptr[:-1], 2 * graphs.n_edges)
    return frozen(values[first + graphs.adjacency.edge_ids])
