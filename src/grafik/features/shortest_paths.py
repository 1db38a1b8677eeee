"""Shortest paths in every filtration graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays.compiled import njit
from ..arrays.hashing import mix, mix_other
from ..arrays.offsets import frozen, part_of
from ..graphs.as_graphs import as_graphs
from ..graphs.label_hashes import arcs_along_neighbors
from ..system.threads import watched
from .histograms import Histograms
from .steps import Batch, Steps
from .tally import add, drained, empty_tally, from_tally, grown

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration

# A step that no graph has.
_NEVER = np.int32(2**31 - 1)
_SALT = np.uint64(0xA4093822299F31D0)


class ShortestPaths(BaseEstimator):
    r"""Shortest paths: label of the start, length, label of the end.

    .. math:: \phi_{(a, d, b)}(G_i) =
              |\{(u, v) : u \neq v, \ell(u) = a, d_{G_i}(u, v) = d, \ell(v) = b\}|

    over ordered pairs of vertices that a path of the filtration graph :math:`G_i` joins. Vertices
    without labels are all alike. In directed graphs, a path follows the edges where they lead. With
    one level the histogram kernel of these features is the shortest-path kernel [1]_.

    Distances are followed through the levels: a new edge costs time only where it makes a way
    shorter. The time for a graph grows with the number of its vertices times that of its edges,
    the memory only with the number of its features.

    References
    ----------
    .. [1] Borgwardt, Kriegel: Shortest-Path Kernels on Graphs, ICDM 2005.

    Examples
    --------
    The ends of a path of four vertices come closer when the fourth edge makes it a cycle:

    >>> from grafik import Filtration, Graphs
    >>> from grafik.features import ShortestPaths
    >>> graphs = Graphs([0, 4], [0, 4], [[0, 1], [1, 2], [2, 3], [0, 3]],
    ...                 edge_attributes=[2, 2, 2, 1])
    >>> filtration = Filtration(lambda graphs: graphs.edge_attributes[:, 0]).fit(graphs)
    >>> histograms = ShortestPaths().histograms(graphs, filtration)
    >>> len(histograms.features)  # lengths 1, 2 and 3
    3
    """

    reads_edge_labels = False

    def histograms(self, graphs: Any, filtration: Filtration) -> Histograms:
        """Count the pairs of vertices by their labels and distance, in every filtration graph.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.

        Returns
        -------
        Histograms
        """
        batch = as_graphs(graphs)
        steps = Steps.of(batch, filtration)
        by_step = np.lexsort((steps.of_edges, part_of(batch.edge_ptr)))
        sizes = int(batch.n_nodes.max(initial=0)), int(batch.n_edges.max(initial=0))
        if batch.directed:
            back = arcs_along_neighbors(batch) % 2 == 1
            steps = steps._replace(of_neighbors=frozen(np.where(back, _NEVER, steps.of_neighbors)))
        how = Batch.of(batch), batch.adjacency, steps, by_step, batch.directed, *sizes
        events, stops = watched(lambda flag: _pair_events(*how, flag))
        return from_tally(filtration.n_levels_, steps, events, stops)


@njit(cache=True, nogil=True)
def _pair_events(batch, adjacency, steps, by_step, directed, max_nodes, max_edges, flag):
    """Follow the distances from each vertex of each graph through the steps.

    At each step the new edges that make a way shorter start a search, which visits only vertices
    that come closer. If the flag is raised, it returns at once.
    """
    node_ptr, edge_ptr, edges, labels = batch.node_ptr, batch.edge_ptr, batch.edges, batch.vertices
    indptr, neighbors = adjacency.indptr, adjacency.neighbors
    edge_steps, neighbor_steps = steps.of_edges, steps.of_neighbors
    distance, before = np.empty(max_nodes, np.int64), np.empty(max_nodes, np.int64)
    changed, queue = np.empty(max_nodes, np.int64), np.empty(max_nodes, np.int64)
    waiting = np.zeros(max_nodes, np.bool_)
    reached, reached_at = np.empty(max_edges, np.int64), np.empty(max_edges, np.int64)
    table, rows = empty_tally()
    used = 0
    events, n_events = np.empty((1024, 3), np.int64), 0
    stops = np.zeros(len(node_ptr) - 1, np.int64)
    for graph in range(len(node_ptr) - 1):
        first, n = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
        for source in range(n):
            start = mix(labels[first + source] ^ _SALT)
            for v in range(n):
                distance[v] = before[v] = -1
            distance[source] = before[source] = 0
            at = edge_ptr[graph]
            while at < edge_ptr[graph + 1]:
                if flag[0] != 0:
                    return events[:0], stops
                step = np.int64(edge_steps[by_step[at]])
                # First collect, then search: a search that starts from distances that are final
                # hardly ever has to correct itself.
                n_reached = 0
                while at < edge_ptr[graph + 1] and edge_steps[by_step[at]] == step:
                    u, v = edges[by_step[at], 0], edges[by_step[at], 1]
                    at += 1
                    if not directed and (distance[u] < 0 or 0 <= distance[v] < distance[u]):
                        u, v = v, u
                    if distance[u] >= 0 and (distance[v] < 0 or distance[u] + 1 < distance[v]):
                        reached[n_reached] = v
                        reached_at[n_reached] = distance[u] + 1
                        n_reached += 1
                head, n_waiting = 0, 0
                for i in range(n_reached):
                    v = reached[i]
                    if not waiting[v]:
                        waiting[v] = True
                        queue[n_waiting] = changed[n_waiting] = v
                        n_waiting += 1
                    if distance[v] < 0 or reached_at[i] < distance[v]:
                        distance[v] = reached_at[i]
                n_changed = n_waiting
                while n_waiting > 0:
                    u = queue[head]
                    head = head + 1 if head + 1 < n else 0
                    n_waiting -= 1
                    waiting[u] = False
                    length = distance[u] + 1
                    for slot in range(indptr[first + u], indptr[first + u + 1]):
                        v = neighbors[slot]
                        if neighbor_steps[slot] > step or 0 <= distance[v] <= length:
                            continue
                        if distance[v] == before[v]:
                            changed[n_changed] = v
                            n_changed += 1
                        distance[v] = length
                        if not waiting[v]:
                            waiting[v] = True
                            tail = head + n_waiting
                            queue[tail if tail < n else tail - n] = v
                            n_waiting += 1
                while 2 * (used + 2 * n_changed) > len(table):
                    table, rows = grown(table, rows, used)
                for i in range(n_changed):
                    v = changed[i]
                    end = mix_other(labels[first + v])
                    if before[v] > 0:
                        feature = mix(mix(start + np.uint64(before[v])) + end)
                        used = add(table, rows, used, feature, step, -1)
                    before[v] = distance[v]
                    feature = mix(mix(start + np.uint64(distance[v])) + end)
                    used = add(table, rows, used, feature, step, 1)
        events, n_events = drained(events, n_events, table, rows, used)
        used = 0
        stops[graph] = n_events
    return events[:n_events], stops
