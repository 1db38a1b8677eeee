"""A graph whose features are explained: what they are, where and when they occur."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..embeddings.embedding import FiltrationEmbedding
from ..features import WeisfeilerLehman
from ..features.barcodes import Barcode, barcodes, has_occurrences
from ..features.histograms import Histograms
from ..features.steps import entry_levels
from ..features.wl_trees import Trees
from ..graphs.batch import Graphs
from ..kernels.kernel import FiltrationKernel
from .contributed import FeatureContribution
from .contributions import Key, keys


class Part(NamedTuple):
    """What a feature contributes, and for a pair how far apart its two histograms are."""

    key: Key
    contribution: float
    distance: float | None = None


class ExplainedGraph:
    """A graph whose features are explained: when and where they occur, and what they are called.

    Parameters
    ----------
    source : FiltrationKernel or FiltrationEmbedding
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
        source: FiltrationKernel | FiltrationEmbedding,
        graph: Graphs,
        counted: Histograms,
        known: Histograms,
        tree_size: tuple[int, int],
    ) -> None:
        filtration, extractor = source.filtration_, source.extractor_
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
            return self._trees.name(key[0], self._places[key])
        return repr(self._names[key[1]]) if key[1] in self._names else None

    def tree_at_all_depths(self, key: Key) -> str | None:
        """Return the tree of a vertex without neighbours, or None for all other features."""
        if self._trees is None or key not in self._places:
            return None
        vertex, birth = self._places[key][0]
        lone = self._trees.lone(vertex, key[0], birth)
        return self._trees.text(vertex, key[0], birth) if lone else None


def contributions_of(
    parts: Iterable[Part], sides: tuple[ExplainedGraph, ...]
) -> list[FeatureContribution]:
    """Return contributions with all that is known about their features in one or two graphs.

    The label of a vertex without neighbours is the same at all depths but 0. It occurs at the same
    vertices and levels, so that only its contributions have to be added up.
    """
    lines: dict[Key | str, list[Part]] = {}
    for part in parts:
        trees = (side.tree_at_all_depths(part.key) for side in sides)
        same = next((tree for tree in trees if tree is not None), part.key)
        lines.setdefault(same, []).append(part)
    return [_line(sorted(same), sides) for same in lines.values()]


def _line(same: list[Part], sides: tuple[ExplainedGraph, ...]) -> FeatureContribution:
    key, _, distance = same[0]
    names = [name for side in sides if (name := side.name(key)) is not None]
    return FeatureContribution(
        *key,
        # Names of both graphs are the same, but "before its edges" has to be true of both.
        max(names, default=f"#{key[1]:016x}"),
        sum(part.contribution for part in same),
        distance,
        tuple(side.masses.get(key, 0) for side in sides),
        tuple(side.lifespans.get(key, []) for side in sides),
        tuple(side.vertices(key) for side in sides),
        tuple(part.key for part in same),
    )
