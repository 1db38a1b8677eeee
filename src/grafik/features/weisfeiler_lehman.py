"""Weisfeiler-Lehman labels on every filtration graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from sklearn.base import BaseEstimator

from ..accept import as_graphs
from ..arrays import frozen
from ..checks import checked_bool, checked_integer
from ..events import Events, collect
from ..histograms import Histograms
from ..mixing import mix, mix_other
from ..threads import run_blocks
from .exact_labels import exact_events
from .steps import edge_hashes, entry_levels, vertex_hashes

if TYPE_CHECKING:
    from ..filtration import Filtration


# Labels of all depths are kept at a time; on n vertices, nothing new comes after n rounds.
_MAX_DEPTH = 10_000


class WeisfeilerLehman(BaseEstimator):
    r"""Weisfeiler-Lehman labels of depth 0 to `depth`.

    .. math:: \ell_{i+1}(v) = f_\#(\ell_i(v), [\ell_i(u) : u \in N(v)])

    where the neighbours are those in the filtration graph, so that a vertex may change its label
    from level to level. A label is a 64-bit hash of the tree it stands for: equal trees have equal
    labels in every process, and among `n` different trees two share a label with a probability of
    about :math:`n^2 / 2^{65}`.

    Parameters
    ----------
    depth : int
        Number of rounds, the paper's `h`.
    edge_labels : bool
        Whether a neighbour counts together with the label of the edge to it. The paper's
        definition does without.
    exact : bool
        Whether to make sure, by a dictionary of all labels, that different labels never share a
        hash. Much slower, and without consequence on any data set we know.

    Examples
    --------
    >>> from grafik import Filtration, datasets
    >>> from grafik.features import WeisfeilerLehman
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> filtration = Filtration("degree", n_levels=2).fit(graphs)
    >>> WeisfeilerLehman(depth=1).histograms(graphs, filtration)
    Histograms(2 graphs, 2 levels, 5 features)
    """

    def __init__(self, depth: int = 5, edge_labels: bool = False, exact: bool = False) -> None:
        self.depth = depth
        self.edge_labels = edge_labels
        self.exact = exact

    def histograms(
        self,
        graphs: Any,
        filtration: Filtration,
        *,
        n_jobs: int | None = None,
        known: Histograms | None = None,
    ) -> Histograms:
        """Count the labels of all vertices on every filtration graph.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.
        n_jobs : int or None
            Number of threads; None is one, -1 as many as there are processors.
        known : Histograms, optional
            With `exact`, earlier histograms whose labels these shall share.

        Returns
        -------
        Histograms
        """
        depth = checked_integer("depth", self.depth, 0, _MAX_DEPTH)
        with_edges = checked_bool("edge_labels", self.edge_labels)
        batch = as_graphs(graphs)
        levels, n_levels = entry_levels(batch, filtration), filtration.n_levels_
        if checked_bool("exact", self.exact):
            dictionary = dict(known.dictionary) if known is not None else {}
            events = exact_events(batch, levels, n_levels, depth, with_edges, dictionary)
            return Histograms.joined(n_levels, [collect(events)], dictionary=dictionary)
        vertices, edges = vertex_hashes(batch), frozen(np.zeros(len(batch.edges), np.uint64))
        if with_edges and batch.edge_labels is not None:
            edges = edge_hashes(batch)
        indptr, neighbors, edge_ids = batch.adjacency

        def count(start: int, stop: int) -> Any:
            pointers = batch.node_ptr, batch.edge_ptr, indptr, neighbors, edge_ids
            found = _label_events(start, stop, *pointers, levels, vertices, edges, depth, n_levels)
            return collect(Events(*found))

        cost = batch.node_ptr + batch.edge_ptr
        return Histograms.joined(n_levels, run_blocks(count, cost, n_jobs))


@njit(cache=True, nogil=True)
def _label_events(
    start, stop, node_ptr, edge_ptr, indptr, neighbors, edge_ids, levels, vertices, edges, depth,
    n_levels,
):  # fmt: skip
    """Relabel graphs start..stop level by level, and note which vertex changes which label when.

    A level at which a graph gets no edge changes nothing and is skipped.
    """
    used = 0
    event_ptr = np.zeros(stop - start + 1, np.int64)
    event_depths, event_features = np.empty(256, np.int32), np.empty(256, np.uint64)
    event_levels, event_changes = np.empty(256, np.int32), np.empty(256, np.int64)
    new_edges = np.zeros(n_levels, np.bool_)
    for graph in range(start, stop):
        first, n, edge0 = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph], edge_ptr[graph]
        new_edges[:] = False
        new_edges[0] = True
        for edge in range(edge0, edge_ptr[graph + 1]):
            new_edges[levels[edge]] = True
        labels = np.zeros((depth + 1, n), np.uint64)
        for level in range(n_levels):
            if not new_edges[level]:
                continue
            for d in range(depth + 1):
                if used + 2 * n > len(event_levels):
                    size = 2 * (used + 2 * n)
                    event_depths = _grown(event_depths, used, size)
                    event_features = _grown(event_features, used, size)
                    event_levels = _grown(event_levels, used, size)
                    event_changes = _grown(event_changes, used, size)
                for v in range(n):
                    if d == 0:
                        label = mix(vertices[first + v])
                    else:
                        around = np.uint64(0)
                        for at in range(indptr[first + v], indptr[first + v + 1]):
                            edge = edge0 + edge_ids[at]
                            if levels[edge] <= level:
                                around += mix_other(labels[d - 1, neighbors[at]] ^ edges[edge])
                        own = labels[d - 1, v] * np.uint64(0x9E3779B97F4A7C15)
                        label = mix(own + around + np.uint64(d))
                    old = labels[d, v]
                    labels[d, v] = label
                    if level > 0 and old == label:
                        continue
                    for step in range(0 if level > 0 else 1, 2):
                        event_depths[used] = d
                        event_features[used] = old if step == 0 else label
                        event_levels[used] = level
                        event_changes[used] = -1 if step == 0 else 1
                        used += 1
        event_ptr[graph - start + 1] = used
    return (
        event_ptr,
        event_depths[:used],
        event_features[:used],
        event_levels[:used],
        event_changes[:used],
    )


@njit(cache=True, nogil=True)
def _grown(array, used, size):
    """Return a longer array that starts with what is used of a shorter one."""
    longer = np.empty(size, array.dtype)
    for at in range(used):  # numba takes seconds to compile the assignment of a slice
        longer[at] = array[at]
    return longer
