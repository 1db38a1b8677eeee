"""Weisfeiler-Lehman labels on every filtration graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_bool, checked_integer
from ..graphs.as_graphs import as_graphs
from ..graphs.label_hashes import arc_hashes
from ..system.memory import Growth, memory_for, refuse_what_does_not_fit
from ..system.threads import new_flag, run_blocks
from ..system.words import counted
from .histograms import Histograms, Rows
from .steps import Batch, entry_levels
from .wl_arcs import by_level, twins
from .wl_counts import count_labels

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration
    from ..graphs.batch import Graphs
    from .wl_exact import Dictionary
    from .wl_occurrences import Occurrences


# Vertices and edges of the graphs that are counted at a time.
_BLOCK = 1 << 16
# Bytes that each vertex of a graph takes at each depth, at least.
_BYTES = 60.0
_WAY_OUT = "take a smaller depth, or fewer graphs at a time"
# Labels of all depths are kept at a time; on n vertices, nothing new comes after n rounds.
MAX_DEPTH = 10_000


class WeisfeilerLehman(BaseEstimator):
    r"""Weisfeiler-Lehman labels of depth 0 to `depth`.

    .. math:: \ell_{i+1}(v) = f_\#(\ell_i(v), [\ell_i(u) : u \in N(v)])

    where the neighbours are those in the filtration graph, so that a vertex may change its label
    from level to level. A label is a 64-bit hash of the tree it stands for: equal trees have equal
    labels in every process, and among `n` different trees two share a label with a probability of
    about :math:`n^2 / 2^{65}`.

    In directed graphs, a neighbour counts together with the direction of the edge: neighbours that
    an edge leads to are told apart from those that one comes from.

    Parameters
    ----------
    depth : int
        Number of rounds, the paper's `h`.
    edge_labels : {"auto", True, False}
        Whether a neighbour counts together with the label of the edge to it. "auto" is True for
        graphs that have edge labels; an estimator decides once, by the graphs it is fitted on, and
        its `extractor_.edge_labels` says how. False is the paper's definition.
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

    def __init__(
        self, depth: int = 5, edge_labels: bool | str = "auto", exact: bool = False
    ) -> None:
        self.depth = depth
        self.edge_labels = edge_labels
        self.exact = exact

    @property
    def reads_edge_labels(self) -> bool:
        """Whether edge labels may count, so that those of new graphs must match."""
        return bool(self.edge_labels)

    def histograms(
        self,
        graphs: Any,
        filtration: Filtration,
        *,
        n_jobs: int | None = None,
        known: Histograms | None = None,
        levels: NDArray[np.int32] | None = None,
    ) -> Histograms:
        """Count the labels of all vertices on every filtration graph.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.
        n_jobs : int or None
            Number of threads; None is one, -1 as many as there are processors. The result is the
            same for any number.
        known : Histograms, optional
            With `exact`, earlier histograms whose labels these shall share.
        levels : ndarray of int32, optional
            The level at which each edge enters, if you have it from :meth:`Filtration.fit_levels`.

        Returns
        -------
        Histograms
        """
        batch = as_graphs(graphs)
        depth, with_edges, exact = self._checked(batch)
        entry, n_levels = entry_levels(batch, filtration, levels), filtration.n_levels_
        what = f"counting labels of depth {depth} of {counted(len(batch), 'graph')}"
        with memory_for(what, _WAY_OUT):
            if exact:
                from .wl_exact import exact_occurrences

                dictionary = _words(known)
                found = exact_occurrences(batch, entry, n_levels, depth, with_edges, dictionary)
                return found.histograms(n_levels, dictionary)
            return self._counted(batch, entry, n_levels, depth, with_edges, n_jobs)

    def _counted(
        self,
        batch: Graphs,
        entry: NDArray[np.int32],
        n_levels: int,
        depth: int,
        with_edges: bool,
        n_jobs: int | None,
    ) -> Histograms:
        looped, between, flag = Batch.of(batch), arc_hashes(batch, with_edges), new_flag()
        kept = Growth(f"joining the labels of depth {depth} that were counted so far", _WAY_OUT)

        def count(start: int, stop: int) -> Rows:
            times = twins(start, stop, looped, entry, between)
            arcs = by_level(start, stop, looped, entry, n_levels, times)
            counts = count_labels(start, stop, looped, arcs, times, between, depth, flag)
            rows, runs = counts.rows, counts.runs
            kept.add(rows.nbytes + runs.nbytes)
            columns = rows["depth"], rows["hash"], rows["n_runs"], runs["level"], runs["count"]
            return Rows(counts.n_rows, *columns)

        largest = int(batch.n_nodes.max(initial=0))
        refuse_what_does_not_fit(
            _BYTES * (depth + 1) * largest,
            f"counting labels of depth {depth} of a graph with {largest} vertices",
            "take a smaller depth, or leave the largest graphs out",
        )
        cost = batch.node_ptr + batch.edge_ptr
        how: dict[str, Any] = {"ns_per_unit": 35.0 * (depth + 1), "max_units": _BLOCK}
        blocks = run_blocks(count, cost, n_jobs, **how, flag=flag)
        return Histograms.joined(n_levels, blocks, n_jobs=n_jobs)

    def occurrences(
        self, graphs: Any, filtration: Filtration, *, known: Histograms | None = None
    ) -> Occurrences:
        """Find out from when until when each vertex has each of its labels.

        Parameters
        ----------
        graphs, filtration, known
            As for :meth:`histograms`.

        Returns
        -------
        Occurrences
            For :func:`grafik.features.barcodes`, where they are easier to look at.
        """
        batch = as_graphs(graphs)
        depth, with_edges, exact = self._checked(batch)
        how = entry_levels(batch, filtration), filtration.n_levels_, depth, with_edges
        what = f"following labels of depth {depth} of {counted(len(batch), 'graph')}"
        with memory_for(what, _WAY_OUT):
            if exact:
                from .wl_exact import exact_occurrences

                return exact_occurrences(batch, *how, _words(known))
            from .wl_occurrences import label_occurrences

            return label_occurrences(batch, *how)

    def _checked(self, graphs: Graphs) -> tuple[int, bool, bool]:
        return (
            checked_integer("depth", self.depth, 0, MAX_DEPTH),
            edge_labels_count(self.edge_labels, graphs),
            checked_bool("exact", self.exact),
        )


def edge_labels_count(option: Any, graphs: Graphs) -> bool:
    """Tell whether edge labels count, by the parameter and the graphs.

    Parameters
    ----------
    option : {"auto", True, False}
    graphs : Graphs
        Without edges, they go with True as well as with False.
    """
    labelled = graphs.edge_labels is not None
    if isinstance(option, str) and option == "auto":
        return labelled
    if not isinstance(option, (bool, np.bool_)):
        raise ValueError(f"edge_labels must be 'auto', True or False, got {option!r}")
    if option and not labelled and len(graphs.edges):
        raise ValueError(
            "edge_labels=True, but the graphs have no edge labels; read these with the graphs, or "
            "leave it at edge_labels='auto'"
        )
    return bool(option)


def _words(known: Histograms | None) -> Dictionary:
    """Return a dictionary of exact labels to go on with."""
    return {} if known is None else dict(known.dictionary)
