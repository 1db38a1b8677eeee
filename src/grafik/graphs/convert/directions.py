"""Directed graphs and multigraphs: refused, unless the user says what is to become of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays.checks import checked_choice
from ..validation import FOLD, Fold

KEEP = (
    "keep its directions with as_graphs(graphs, directed=True), forget them with "
    "as_graphs(graphs, directed=False)"
)
_FOLD = (
    "say how edges of the same vertices become one with as_graphs(graphs, fold=...): "
    f"fold={', '.join(map(repr, FOLD))}"
)


class Directions(NamedTuple):
    """What a user wants to become of directions.

    Attributes
    ----------
    directed : bool or None
        Whether they are kept or forgotten; None refuses directed graphs.
    fold : str or None
        How parallel or opposite edges become one.
    """

    directed: bool | None
    fold: Fold | None

    @classmethod
    def of(cls, directed: bool | None, fold: Fold | None) -> Directions:
        """Check what the user asked for."""
        checked_choice("directed", directed, (None, True, False))
        checked_choice("fold", fold, (None, *FOLD))
        return cls(directed, fold)

    def refuse(self, position: int, is_directed: bool, is_multigraph: bool) -> None:
        """Refuse a directed graph or a multigraph, unless the user said what to do."""
        if self.fold is not None:
            return
        if is_directed and self.directed is None:
            raise ValueError(f"graph {position} is directed; {KEEP}, or {_FOLD}")
        if is_multigraph:
            raise ValueError(f"graph {position} is a multigraph; {_FOLD}")

    def refuse_one_way(
        self, u: NDArray[Any], v: NDArray[Any], position: int, remedies: str = KEEP
    ) -> None:
        """Refuse a graph that lists some edge in one direction only, unless the user said so."""
        if self.fold is not None or self.directed is not None:
            return
        width = int(max(u.max(initial=0), v.max(initial=0))) + 1
        there, back = u.astype(np.int64) * width + v, v.astype(np.int64) * width + u
        alone = np.setdiff1d(there, back)
        if len(alone):
            start, end = divmod(int(alone[0]), width)
            raise ValueError(
                f"graph {position} is directed: it has an edge from {start} to {end} and none "
                f"back; {remedies}, or {_FOLD}"
            )

    def options(self, both_ways: bool) -> dict[str, Any]:
        """Return how a batch is built; `both_ways` if the format lists edges in both directions."""
        return {
            "directed": self.directed is True,
            "fold": self.fold,
            "_both_ways": both_ways or self.directed is False,
        }
