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
        """Return the first features of a class; the same at several depths is added up."""
        groups: list[list[dict[str, Any]]] = []
        for one in found:
            line = self.line(one, code)
            twins = next((group for group in groups if _same(group, line)), None)
            if twins is None:
                groups.append([line])
            else:
                twins.append(line)
        lines = [
            {
                **group[0],
                "depths": [line["depth"] for line in group],
                "distance": sum(line["distance"] for line in group),
            }
            for group in groups
        ]
        return sorted(lines, key=lambda line: -line["distance"])[:top]

    def line(self, found: TellingFeature, code: int) -> dict[str, Any]:
        """Return a feature of a class as the script needs it, with a witness if one is drawn."""
        graphs = np.array(found.graphs)
        # Graphs that are drawn come first, then graphs of the class, then small ones.
        worse = (~self._shown.drawn[graphs], self._codes[graphs] != code)
        place = int(graphs[np.lexsort((self._shown.graphs.n_nodes[graphs], *worse[::-1]))[0]])
        bars, trees = self._seen(place)
        bar = bars.of(found.depth, found.feature)
        places = list(zip(bar.vertices.tolist(), bar.births.tolist(), strict=True))
        vertex, level = places[0]
        return {
            **found._asdict(),
            "feature": f"{found.feature:#018x}",
            "name": trees.name(found.depth, places),
            "witness": [place, vertex, level] if self._shown.drawn[place] else None,
        }

    def _look(self, place: int) -> tuple[Barcode, Trees]:
        graph, kernel = self._shown.graphs[place : place + 1], self._kernel
        filtration, extractor = kernel.filtration_, kernel.extractor_
        bars = barcodes(graph, filtration, extractor, known=kernel.histograms_)[0]
        return bars, Trees(graph, entry_levels(graph, filtration), extractor.edge_labels)


def _same(group: list[dict[str, Any]], other: dict[str, Any]) -> bool:
    """Tell whether a feature looks like features of other depths, and counts the same."""
    line = group[0]
    if line["name"] != other["name"] or line["graphs"] != other["graphs"]:
        return False
    numbers = zip(
        (line["distance"], *line["weights"]), (other["distance"], *other["weights"]), strict=True
    )
    # Trees are cut short, so different features of one depth may have the same name.
    apart = all(other["depth"] != one["depth"] for one in group)
    return apart and all(isclose(a, b, rel_tol=1e-9) for a, b in numbers)
