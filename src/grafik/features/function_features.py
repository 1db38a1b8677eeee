"""Features that a function of the user finds in every filtration graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from ..graphs.as_graphs import as_graphs
from ..graphs.labels import ALLOWED, content_hash
from ..system.optional import require
from .events import from_events
from .histograms import Histograms
from .steps import Steps

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration


class FunctionFeatures(BaseEstimator):
    r"""Whatever a function finds: :math:`\phi_f(G_i)` is how often it returns `f` for :math:`G_i`.

    Parameters
    ----------
    function : callable
        Takes a networkx graph and returns an iterable of features: strings, integers, bools,
        finite floats, None or tuples of these, each as often as it occurs. The graph has vertices
        0, 1, ... with all their labels and attributes, as :meth:`grafik.Graphs.to_networkx` makes
        them, and is a DiGraph if graphs are directed; it may be changed at will. The function is
        called once for each filtration graph that differs from the one before. It should not care
        for the order of the vertices.

    Examples
    --------
    >>> from grafik import Filtration, datasets
    >>> from grafik.features import FunctionFeatures
    >>> def degrees(graph):
    ...     return [degree for vertex, degree in graph.degree]
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> filtration = Filtration("degree", n_levels=2).fit(graphs)
    >>> histograms = FunctionFeatures(degrees).histograms(graphs, filtration)
    >>> sorted(histograms.names.values())
    [0, 1, 2, 3]
    """

    def __init__(self, function: Callable[[Any], Iterable[Hashable]]) -> None:
        self.function = function

    def histograms(self, graphs: Any, filtration: Filtration) -> Histograms:
        """Call the function for every filtration graph and count what it returns.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.

        Returns
        -------
        Histograms
            With the values that the function returned as names.
        """
        if not callable(self.function):
            raise ValueError(f"function must be callable, got {self.function!r}")
        networkx = require("networkx", "a function as feature", "networkx")
        batch = as_graphs(graphs)
        steps = Steps.of(batch, filtration)
        names: dict[int, Any] = {}
        columns: list[tuple[int, int, int, int]] = []
        for index, graph in enumerate(batch):
            whole = graph.to_networkx(names=False)
            edges = [(u, v, whole[u][v]) for u, v in graph.edges.tolist()]
            edge0, step0, stop = (int(x) for x in (batch.edge_ptr[index], *steps.ptr[index:][:2]))
            entry = steps.of_edges[edge0 : edge0 + graph.n_edges].tolist()
            before: Counter[int] = Counter()
            for step, level in enumerate(steps.levels[step0:stop].tolist()):
                part = networkx.DiGraph() if batch.directed else networkx.Graph()
                part.add_nodes_from(whole.nodes(data=True))
                part.add_edges_from(e for e, at in zip(edges, entry, strict=True) if at <= step)
                found = self._count(part, f"graph {index}, level {level}", names)
                columns.extend(
                    (index, feature, level, found[feature] - before[feature])
                    for feature in found.keys() | before.keys()
                )
                before = found
        graph_of, features, levels, changes = zip(*columns, strict=True) if columns else [()] * 4
        return from_events(
            len(batch),
            filtration.n_levels_,
            np.array(graph_of, np.int64),
            np.array(features, np.uint64),
            np.array(levels, np.int32),
            np.array(changes, np.int64),
            names=names,
        )

    def _count(self, graph: Any, where: str, names: dict[int, Any]) -> Counter[int]:
        """Count the features of one graph by their hash, and note which they are."""
        values = self.function(graph)
        if isinstance(values, Mapping):
            raise ValueError(
                f"{where}: the function must return features one by one, got a "
                f"{type(values).__name__}; for a Counter return counter.elements()"
            )
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise ValueError(
                f"{where}: the function must return an iterable of features, got {values!r}"
            )
        found: Counter[int] = Counter()
        for value in values:
            try:
                feature = content_hash(value)
            except ValueError:
                raise ValueError(
                    f"{where}: features must be {ALLOWED}, got {value!r} "
                    f"of type {type(value).__name__}"
                ) from None
            names.setdefault(feature, value)
            found[feature] += 1
        return found
