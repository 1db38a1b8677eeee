"""Several weights as one: ties of the first are broken by the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.keys import ordered_integers
from ..graphs.batch import Graphs
from .computing import values
from .names import Weight, is_ordered
from .read_names import names_read


class Combined(BaseEstimator):
    """Several weights as one: edges in the order of the first, ties in the order of the next.

    With every distinct value as a threshold, it tells apart all that the first one tells apart, and
    mostly, but not always, what the others do; so put the strongest one first. It is exact: the
    result is a row of integers per edge, of which filtrations use the ranks. The mean of the
    kernels of several weights is something else: :class:`grafik.MeanKernel`.

    Parameters
    ----------
    weights : sequence of str or callable
        At least one.

    Examples
    --------
    A square with a diagonal, which is on two triangles, and a tail:

    >>> from grafik import Filtration, Graphs, weights
    >>> edges = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 4), (4, 5)]
    >>> graphs = Graphs.from_edge_lists([edges])
    >>> Filtration("degree", thresholds="distinct").fit(graphs).levels(graphs).tolist()
    [0, 0, 0, 0, 0, 0, 1]
    >>> both = weights.Combined(["degree", "triangles"])
    >>> Filtration(both, thresholds="distinct").fit(graphs).levels(graphs).tolist()
    [1, 0, 1, 1, 1, 2, 3]
    """

    def __init__(self, weights: Sequence[str | Weight]) -> None:
        self.weights = weights

    @property
    def ordered(self) -> bool:
        """Whether the order means something: that of the first weight."""
        return is_ordered(self._checked()[0])

    def __call__(self, graphs: Graphs) -> NDArray[np.int64]:
        """Return the keys of all edges."""
        columns = [values(weight, graphs) for weight in self._checked()]
        return np.concatenate(
            [one if one.ndim == 2 else ordered_integers(one)[:, None] for one in columns], axis=1
        )

    def reads(self, graphs: Graphs) -> tuple[str, ...] | None:
        """Return the names of the attributes that the weights read; None without any."""
        found = [names_read(weight, graphs) for weight in self._checked()]
        names = tuple(name for several in found if several is not None for name in several)
        return names or None

    def _checked(self) -> Sequence[Any]:
        given: Any = self.weights
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) == 0:
            raise ValueError(
                "weights must be a list of at least one weight, as in "
                f"Combined(['degree', 'triangles']), got {given!r}"
            )
        return given
