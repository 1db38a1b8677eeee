"""A graph whose features are explained: what they are, where and when they occur."""

from __future__ import annotations

from ..features import WeisfeilerLehman
from ..features.barcodes import Barcode, barcodes, has_occurrences
from ..features.histograms import Histograms
from ..features.steps import entry_levels
from ..features.wl_trees import Trees
from ..graphs.batch import Graphs
from ..kernels.kernel import FiltrationKernel
from .contributions import Key, keys
from .results import FeatureContribution


class ExplainedGraph:
    """A graph whose features are explained: when and where they occur, and what they are called.

    Parameters
    ----------
    kernel : FiltrationKernel
        Fitted.
    graph : Graphs
        A batch of one.
    counted, known : Histograms
        Histograms of this graph, and of others whose names for features hold here too.
    tree_size : (int, int)
        Depth and width of the trees that are written.
    """

    def __init__(
        self,
        kernel: FiltrationKernel,
        graph: Graphs,
        counted: Histograms,
        known: Histograms,
        tree_size: tuple[int, int],
    ) -> None:
        filtration, extractor = kernel.filtration_, kernel.extractor_
        self.lifespans = counted.lifespans(0)
        self.masses = dict(
            zip(keys(counted.depths, counted.features), counted.masses.tolist(), strict=True)
        )
        self._names = {**known.names, **counted.names}
        self.bars: Barcode | None = None
        self._trees: Trees | None = None
        self._places: dict[Key, list[tuple[int, int]]] = {}
        if has_occurrences(extractor):
            found = barcodes(graph, filtration, extractor, known=counted)[0]
            self.bars = found
            places = zip(found.vertices.tolist(), found.births.tolist(), strict=True)
            for key, place in zip(keys(found.depths, found.features), places, strict=True):
                self._places.setdefault(key, []).append(place)
        if isinstance(extractor, WeisfeilerLehman):
            levels = entry_levels(graph, filtration)
            self._trees = Trees(graph, levels, extractor.edge_labels, *tree_size)

    def vertices(self, key: Key) -> list[int] | None:
        """Return the vertices where a feature occurs, sorted; None if features have no places."""
        return None if self.bars is None else sorted({v for v, _ in self._places.get(key, ())})

    def name(self, key: Key) -> str | None:
        """Return the name of a feature, or None if this graph does not know it."""
        if self._trees is not None and key in self._places:
            vertex, birth = self._places[key][0]
            return self._trees.text(vertex, key[0], birth)
        return repr(self._names[key[1]]) if key[1] in self._names else None


def contribution_of(
    key: Key, contribution: float, distance: float | None, sides: tuple[ExplainedGraph, ...]
) -> FeatureContribution:
    """Return a contribution with all that is known about its feature in one or two graphs."""
    names = (side.name(key) for side in sides)
    return FeatureContribution(
        *key,
        next((name for name in names if name is not None), f"#{key[1]:016x}"),
        contribution,
        distance,
        tuple(side.masses.get(key, 0) for side in sides),
        tuple(side.lifespans.get(key, []) for side in sides),
        tuple(side.vertices(key) for side in sides),
    )
