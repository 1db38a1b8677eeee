"""Where features can be seen: a graph, a vertex and a level, and what they are called."""

from __future__ import annotations

from functools import cache
from math import isclose
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..features.barcodes import Barcode, barcodes
from ..features.steps import entry_levels
from ..features.wl_trees import Trees
from ..kernels.kernel import FiltrationKernel
from .class_features import TellingFeature
from .sample import Shown


class Line(NamedTuple):
    """A feature of a class, with its name.

    Attributes
    ----------
    feature : TellingFeature
    name : str
    root : str or None
        The label of its vertex, if there is nothing more to it: at depth 0, and where it has no
        neighbours. All these are one feature if they occur equally often.
    witness : list of int or None
        A graph that the page draws, a vertex and a level where it is; None if there is none.
    """

    feature: TellingFeature
    name: str
    root: str | None
    witness: list[int] | None


class Witnesses:
    """Finds an occurrence of a feature, if possible in a graph that the page draws.

    Parameters
    ----------
    kernel : FiltrationKernel
        Fitted to the graphs.
    shown : Shown
    codes : ndarray of shape (n_graphs,)
        Class of each graph.
    """

    def __init__(self, kernel: FiltrationKernel, shown: Shown, codes: NDArray[np.int64]) -> None:
        self._kernel, self._shown, self._codes = kernel, shown, codes
        self._seen = cache(self._look)

    def lines(self, found: list[TellingFeature], code: int, top: int) -> list[dict[str, Any]]:
        """Return the first features of a class; the same at several depths is added up."""
        groups: list[list[Line]] = []
        for one in found:
            line = self.line(one, code)
            twins = next((group for group in groups if _same(group, line)), None)
            if twins is None:
                groups.append([line])
            else:
                twins.append(line)
        lines = [
            {
                **group[0].feature._asdict(),
                "feature": f"{group[0].feature.feature:#018x}",
                # Of "Na" and "Na without edges", the latter says more.
                "name": max(group, key=lambda line: line.feature.depth).name,
                "witness": group[0].witness,
                "depths": [line.feature.depth for line in group],
                "distance": sum(line.feature.distance for line in group),
            }
            for group in groups
        ]
        return sorted(lines, key=lambda line: -line["distance"])[:top]

    def line(self, found: TellingFeature, code: int) -> Line:
        """Return a feature of a class with its name, and with a witness if one is drawn."""
        graphs = np.array(found.graphs)
        # Graphs that are drawn come first, then graphs of the class, then small ones.
        worse = (~self._shown.drawn[graphs], self._codes[graphs] != code)
        place = int(graphs[np.lexsort((self._shown.graphs.n_nodes[graphs], *worse[::-1]))[0]])
        bars, trees = self._seen(place)
        bar = bars.of(found.depth, found.feature)
        places = list(zip(bar.vertices.tolist(), bar.births.tolist(), strict=True))
        vertex, level = places[0]
        alone = found.depth == 0 or trees.lone(vertex, found.depth, level)
        return Line(
            found,
            trees.name(found.depth, places),
            trees.text(vertex, 0, level) if alone else None,
            [place, vertex, level] if self._shown.drawn[place] else None,
        )

    def _look(self, place: int) -> tuple[Barcode, Trees]:
        graph, kernel = self._shown.graphs[place : place + 1], self._kernel
        filtration, extractor = kernel.filtration_, kernel.extractor_
        bars = barcodes(graph, filtration, extractor, known=kernel.histograms_)[0]
        return bars, Trees(graph, entry_levels(graph, filtration), extractor.edge_labels)


def _same(group: list[Line], other: Line) -> bool:
    """Tell whether a feature is one of other depths: it looks like that, and counts the same."""
    line = group[0]
    alike = line.name == other.name or (line.root is not None and line.root == other.root)
    if not alike or line.feature.graphs != other.feature.graphs:
        return False
    numbers = zip(
        (line.feature.distance, *line.feature.weights),
        (other.feature.distance, *other.feature.weights),
        strict=True,
    )
    # Trees are cut short, so different features of one depth may have the same name.
    apart = all(other.feature.depth != one.feature.depth for one in group)
    return apart and all(isclose(a, b, rel_tol=1e-9) for a, b in numbers)
