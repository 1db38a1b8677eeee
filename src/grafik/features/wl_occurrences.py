"""Single occurrences of labels: at which vertex, from which level on, and until when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit, record
from ..arrays.gate import checked_column, checked_pointer
from ..arrays.growing import grown
from ..arrays.hashing import mix, mix_other, relabelled
from ..arrays.offsets import part_of
from ..graphs.batch import Graphs
from ..graphs.label_hashes import arc_hashes, arcs_along_neighbors
from ..system.threads import watched
from .events import Events, collect
from .histograms import Histograms
from .steps import Batch, along_neighbors

_CHANGE = record(
    [("depth", np.int64), ("vertex", np.int64), ("level", np.int64), ("label", np.uint64)]
)


class Occurrences(NamedTuple):
    """The occurrences in the graphs of a batch, graph after graph, by depth, vertex and birth.

    Attributes
    ----------
    graph_ptr : ndarray of int64, shape (n_graphs + 1,)
        Occurrences ``graph_ptr[g]:graph_ptr[g + 1]`` belong to graph `g`.
    depths : ndarray of int32
    features : ndarray of uint64
    vertices : ndarray of int64
        Counted from 0 in each graph.
    births, deaths : ndarray of int32
        First level, and first level behind the last one.
    """

    graph_ptr: NDArray[np.int64]
    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    vertices: NDArray[np.int64]
    births: NDArray[np.int32]
    deaths: NDArray[np.int32]

    @classmethod
    def of_changes(
        cls,
        graphs: Graphs,
        n_levels: int,
        graph: NDArray[Any],
        changes: NDArray[Any],
        features: NDArray[np.uint64],
    ) -> Occurrences:
        """Let each label of a vertex live until the next one comes.

        Parameters
        ----------
        graphs : Graphs
        n_levels : int
        graph : ndarray of int, shape (n,)
            Graph of each change, increasing.
        changes : ndarray of int, shape (n, 3)
            Depth, vertex and level of each, by increasing level in each graph.
        features : ndarray of uint64, shape (n,)
            What the vertex has from this level on.
        """
        depths, vertices, births = changes.T
        size, n_depths = graphs.n_nodes[graph], int(depths.max(initial=0)) + 1
        place = graphs.node_ptr[graph] * n_depths + depths * size + vertices
        order = np.argsort(place, kind="stable")
        place, births = place[order], births[order]
        deaths = np.full(len(order), n_levels, np.int32)
        goes_on = place[1:] == place[:-1]
        deaths[:-1][goes_on] = births[1:][goes_on]
        return cls(
            np.searchsorted(graph, np.arange(len(graphs) + 1)).astype(np.int64),
            depths[order].astype(np.int32),
            features[order],
            vertices[order].astype(np.int64),
            births.astype(np.int32),
            deaths,
        )

    def checked(self, n_levels: int) -> Occurrences:
        """Return the same in fresh columns, if loops can count it: a user's extractor made it."""
        n = len(self.features)
        births = checked_column(self.births, "births", np.int32, n, 0, n_levels - 1)
        deaths = checked_column(self.deaths, "deaths", np.int32, n, 1, n_levels)
        if (deaths <= births).any():
            at = int(np.argmax(deaths <= births))
            raise ValueError(f"bar {at} is born at level {births[at]} and dies at {deaths[at]}")
        return Occurrences(
            checked_pointer(self.graph_ptr, "graph_ptr", n),
            checked_column(self.depths, "depths", np.int32, n, 0),
            checked_column(self.features, "features", np.uint64, n),
            checked_column(self.vertices, "vertices", np.int64, n, 0),
            births,
            deaths,
        )

    def histograms(self, n_levels: int, dictionary: Mapping[Any, Any] | None = None) -> Histograms:
        """Count the occurrences at each level."""
        graph = part_of(self.graph_ptr)
        mortal = self.deaths < n_levels
        levels = np.concatenate([self.births, self.deaths[mortal]])
        graphs = np.concatenate([graph, graph[mortal]])
        order = np.lexsort((levels, graphs))
        events = Events(
            np.searchsorted(graphs[order], np.arange(len(self.graph_ptr))).astype(np.int64),
            np.concatenate([self.depths, self.depths[mortal]])[order],
            np.concatenate([self.features, self.features[mortal]])[order],
            levels[order],
            np.repeat([1, -1], [len(graph), int(mortal.sum())])[order],
        )
        return Histograms.joined(n_levels, [collect(events)], dictionary=dictionary)


def label_occurrences(
    graphs: Graphs, levels: NDArray[np.int32], n_levels: int, depth: int, edge_labels: bool
) -> Occurrences:
    """Follow the Weisfeiler-Lehman labels of every single vertex."""
    between = arc_hashes(graphs, edge_labels)
    how = (
        Batch.of(graphs),
        graphs.adjacency,
        levels,
        np.lexsort((levels, part_of(graphs.edge_ptr))),
        along_neighbors(graphs, levels),
        None if between is None else between[arcs_along_neighbors(graphs)],
        depth,
    )
    n, changes = watched(lambda flag: _follow(*how, flag))
    graph = np.repeat(np.arange(len(graphs)), n)
    columns = np.column_stack([changes[name] for name in ("depth", "vertex", "level")])
    return Occurrences.of_changes(graphs, n_levels, graph, columns, changes["label"])


@njit(cache=True, nogil=True)
def _follow(batch, adjacency, levels, order, entry, between, depth, flag):
    """Note every change of a label while edges enter, in the given order.

    Only vertices that have a new edge, or whose label or a neighbour's has changed at the depth
    before, are looked at. All of them get another label: there are more walks of this length from
    them than before, and a label tells how many. Return the number of changes in each graph, and
    the changes; if the flag is raised, at once.
    """
    node_ptr, edge_ptr, edges = batch.node_ptr, batch.edge_ptr, batch.edges
    vertices = batch.vertices
    indptr, neighbors = adjacency.indptr, adjacency.neighbors
    n_graphs, n_most = len(node_ptr) - 1, 1
    for graph in range(n_graphs):
        n_most = max(n_most, node_ptr[graph + 1] - node_ptr[graph])
    labels = np.empty((depth + 1, n_most), np.uint64)
    touched, changed = np.empty(n_most, np.int64), np.empty(n_most, np.int64)
    seen, moment = np.zeros(n_most, np.int64), 0
    found, n_changes = np.zeros(n_graphs, np.int64), np.int64(0)
    size = 2 * (depth + 1) * node_ptr[-1]
    changes = np.empty(size, _CHANGE)
    for graph in range(n_graphs):
        node0, n = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
        at, last, level, before = edge_ptr[graph], edge_ptr[graph + 1], 0, n_changes
        while True:
            end, n_changed = at, 0
            while end < last and levels[order[end]] == level:
                end += 1
            for d in range(depth + 1):
                if flag[0] != 0:
                    return found, changes[:0]
                moment += 1
                n_touched = 0
                if d == 0:
                    for v in range(n if level == 0 else 0):
                        touched[n_touched] = v
                        n_touched += 1
                else:
                    for i in range(at, end):
                        for side in range(2):
                            n_touched = _touch(
                                edges[order[i], side], touched, n_touched, seen, moment
                            )
                    for i in range(n_changed):
                        u = changed[i]
                        n_touched = _touch(u, touched, n_touched, seen, moment)
                        for j in range(indptr[node0 + u], indptr[node0 + u + 1]):
                            if entry[j] <= level:
                                n_touched = _touch(neighbors[j], touched, n_touched, seen, moment)
                if n_changes + n_touched > len(changes):
                    changes = grown(changes, n_changes, 2 * (n_changes + n_touched))
                for i in range(n_touched):
                    v = touched[i]
                    if d == 0:
                        label = mix(vertices[node0 + v])
                    else:
                        around = np.uint64(0)
                        for j in range(indptr[node0 + v], indptr[node0 + v + 1]):
                            if entry[j] <= level:
                                other = labels[d - 1, neighbors[j]]
                                if between is not None:
                                    other ^= between[j]
                                around += mix_other(other)
                        label = relabelled(labels[d - 1, v], around, d)
                    labels[d, v] = label
                    change = changes[n_changes]
                    change.depth, change.vertex, change.level, change.label = d, v, level, label
                    n_changes += 1
                touched, changed, n_changed = changed, touched, n_touched
            at = end
            if at == last:
                break
            level = levels[order[at]]
        found[graph] = n_changes - before
    return found, changes[:n_changes]


@njit(cache=True, nogil=True, inline="always")
def _touch(v, touched, n_touched, seen, moment):
    """Add a vertex to those to look at, once; return how many there are."""
    if seen[v] != moment:
        seen[v] = moment
        touched[n_touched] = v
        n_touched += 1
    return n_touched
