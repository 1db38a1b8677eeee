"""Pages on means and Gaussians: all of the kernel on the map, one part of it where pairs are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..explain import explain_pair
from ..features import WeisfeilerLehman
from ..graphs.batch import Graphs
from ..kernels.combined import CombinedKernel
from ..kernels.kernel import FiltrationKernel
from ..search.compared import ComparedIndex


class WholeKernel(NamedTuple):
    """A combined kernel, fitted, and the part of it that a page explains.

    Attributes
    ----------
    kernel : MeanKernel or GaussianKernel
    part : FiltrationKernel
        Fitted if the kernel was given so.
    name : str
        That of the part.
    """

    kernel: Any
    part: FiltrationKernel
    name: str

    @classmethod
    def of(cls, kernel: CombinedKernel, graphs: Graphs) -> WholeKernel:
        """Fit a kernel, if it is not, and choose the part that a page explains."""
        given = hasattr(kernel, "histograms_")
        whole = kernel if given else clone(kernel).fit(graphs)
        parts = [
            (name, part)
            for name, part in whole._leaves()
            if type(part) is FiltrationKernel and isinstance(part.extractor_, WeisfeilerLehman)
        ]
        if not parts:
            raise TypeError(
                "a page explains Weisfeiler-Lehman labels, but no part of the kernel is a "
                "FiltrationKernel with these"
            )
        name, part = max(parts, key=lambda pair: len(pair[1].alphas_) > 1)  # the first with levels
        shown = part if given else clone(part)
        return cls(whole, shown, name)

    def matrix(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the kernel of some graphs, with the thresholds it has."""
        index = ComparedIndex(self.kernel)
        index.add(graphs)
        found: NDArray[np.float64] = index.fitted().transform(graphs)
        return found

    def told(self) -> str:
        """Return what on the page is of the whole kernel, and what of the part."""
        return (
            f"Map and most similar graphs are by the whole kernel, {_short(self.kernel)}. What "
            "is said of two graphs, of levels and of telling features is of its part "
            f"'{self.name}' alone, normalised."
        )

    def told_of_pair(self, graphs: Graphs) -> list[str]:
        """Return what the whole kernel says of two graphs."""
        return [
            f"The whole kernel is {_short(self.kernel)}. This page explains its part "
            f"'{self.name}' alone, normalised.",
            *explain_pair(self.kernel, graphs[0], graphs[1]).about,
        ]


def _short(kernel: Any) -> str:
    return " ".join(repr(kernel).split())
