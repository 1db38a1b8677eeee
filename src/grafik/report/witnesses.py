"""Where features can be seen: a graph, a vertex and a level, and what they are called."""

from __future__ import annotations

from functools import cache
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.barcodes import Barcode, barcodes
from ..features.steps import entry_levels
from ..features.wl_trees import Trees
from ..kernels.kernel import FiltrationKernel
from .class_features import TellingFeature
from .sample import Shown


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
        """Return the first features of a class, in one line if the same at several depths."""
        lines: list[dict[str, Any]] = []
        for one in found:
            line = self.line(one, code)
            twin = next((other for other in lines if _same(other, line)), None)
            if twin is not None:
                twin["depths"].append(one.depth)
            elif len(lines) < top:
                lines.append(line)
        return lines

    def line(self, found: TellingFeature, code: int) -> dict[str, Any]:
        """Return a feature of a class as the script needs it, with a witness if one is drawn."""
        graphs = np.array(found.graphs)
        # Graphs that are drawn come first, then graphs of the class, then small ones.
        worse = (~self._shown.drawn[graphs], self._codes[graphs] != code)
        place = int(graphs[np.lexsort((self._shown.graphs.n_nodes[graphs], *worse[::-1]))[0]])
        bars, trees = self._seen(place)
        bar = bars.of(found.depth, found.feature)
        vertex, level = int(bar.vertices[0]), int(bar.births[0])
        return {
            **found._asdict(),
            "depths": [found.depth],
            "feature": f"{found.feature:#018x}",
            "name": trees.text(vertex, found.depth, level),
            "witness": [place, vertex, level] if self._shown.drawn[place] else None,
        }

    def _look(self, place: int) -> tuple[Barcode, Trees]:
        graph, kernel = self._shown.graphs[place : place + 1], self._kernel
        filtration, extractor = kernel.filtration_, kernel.extractor_
        bars = barcodes(graph, filtration, extractor, known=kernel.histograms_)[0]
        return bars, Trees(graph, entry_levels(graph, filtration), extractor.edge_labels)


def _same(line: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether two features of different depths look the same, and count the same."""
    if line["name"] != other["name"] or line["graphs"] != other["graphs"]:
        return False
    numbers = zip(
        (line["distance"], *line["weights"]), (other["distance"], *other["weights"]), strict=True
    )
    # Trees are cut short, so different features of one depth may have the same name.
    apart = other["depth"] not in line["depths"]
    return apart and all(isclose(a, b, rel_tol=1e-9) for a, b in numbers)
