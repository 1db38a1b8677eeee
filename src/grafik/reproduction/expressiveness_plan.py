"""What the experiment on expressiveness compares: families of graphs, and weights."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import datasets, weights
from ..datasets.tu_files import find_tu
from ..graphs.batch import Graphs
from ..weights import Weight

_PAIRS = "pairs.tsv"


class Family(NamedTuple):
    """Graphs of which no two are isomorphic.

    Attributes
    ----------
    graphs : Graphs
    group : ndarray of int, shape (n_graphs,)
        Graphs with the same number are compared with each other.
    category : list of str
        The category of each group.
    """

    graphs: Graphs
    group: NDArray[np.int64]
    category: list[str]

    def of(self, category: str) -> NDArray[np.int64]:
        """Return which graphs belong to a category."""
        return np.flatnonzero(np.array(self.category)[self.group] == category)


def _brec(data: Path | None) -> Family | None:
    folder = find_tu("BREC", data)
    if folder is None or not (folder / _PAIRS).is_file():
        return None
    graphs, categories = datasets.brec(folder / _PAIRS)
    return Family(graphs, np.repeat(np.arange(len(categories)), 2), categories.tolist())


def _strongly_regular(data: Path | None) -> Family:
    graphs, y = datasets.strongly_regular()
    names = [f"{n} vertices of degree {d}" for n, d in zip(*_sizes(graphs, y), strict=True)]
    return Family(graphs, y, names)


def _sizes(graphs: Graphs, y: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    first = np.unique(y, return_index=True)[1]
    n_nodes = graphs.n_nodes[first]
    return n_nodes.tolist(), (2 * graphs.n_edges[first] // n_nodes).tolist()


def _ladder(n: int) -> list[tuple[int, int]]:
    """Return a ladder that is closed to a ring: a base in which each vertex has 3 neighbours."""
    ring = [(i, (i + 1) % n) for i in range(n)]
    return [*ring, *((u + n, v + n) for u, v in ring), *((i, i + n) for i in range(n))]


def _cfi(data: Path | None) -> Family:
    bases: dict[str, Any] = {f"K{n}": n for n in range(3, 8)}
    bases |= {f"ladder of {n}": _ladder(n) for n in (4, 8, 16)}
    fives = list(combinations(range(5), 2))
    apart = [(i, j) for i, j in combinations(range(10), 2) if not {*fives[i]} & {*fives[j]}]
    bases["Petersen"] = apart
    graphs = Graphs.concat([datasets.cfi(base)[0] for base in bases.values()])
    return Family(graphs, np.repeat(np.arange(len(bases)), 2), list(bases))


def _atlas(data: Path | None) -> Family:
    graphs = datasets.atlas()[0]
    return Family(graphs, np.zeros(len(graphs), np.int64), ["up to 7 vertices"])


# Each returns the family, from the folder of data if it needs one; None if it is not there.
FAMILIES: dict[str, Callable[[Path | None], Family | None]] = {
    "BREC": _brec,
    "strongly-regular": _strongly_regular,
    "cfi": _cfi,
    "atlas": _atlas,
}

PLAIN = "none"
# Weights that read what these graphs do not have.
_OF_ATTRIBUTES = ("attribute", "attribute:small", "node-distance")
# With other parameters, and combined.
_MORE: dict[str, Weight] = {
    "walks:10": weights.Walks(10),
    "cliques:5": weights.Cliques(5),
    "cycles:4": weights.Cycles(4),
    "cycles:5": weights.Cycles(5),
    "marked:3": weights.Marked(3),
    "marked:6": weights.Marked(6),
    "marked, one more": weights.Marked(extra=1),
    "walks + cliques": weights.Combined(["walks", "cliques"]),
    "resistance + cliques": weights.Combined(["resistance", "cliques"]),
    "resistance + marked": weights.Combined(["resistance", "marked"]),
    "marked, one more + resistance": weights.Combined([weights.Marked(extra=1), "resistance"]),
}


def plain(graphs: Graphs) -> NDArray[np.float64]:
    """Return the same weight for all edges, so that there is one level: plain WL."""
    return np.zeros(len(graphs.edges))


def compared_weights() -> dict[str, Weight]:
    """Return the weights that need no attributes, alone and combined, by their names.

    Examples
    --------
    >>> from grafik.reproduction.expressiveness_plan import compared_weights
    >>> list(compared_weights())[:4]
    ['none', 'degree', 'walks', 'walks:3']
    """
    named = {name: one for name, one in weights.NAMES.items() if name not in _OF_ATTRIBUTES}
    return {PLAIN: plain, **named, **_MORE}


def described(weight: Any) -> str:
    """Return what a weight is, the same in every process: its parameters, or a function's name.

    Examples
    --------
    >>> from grafik import weights
    >>> from grafik.reproduction.expressiveness_plan import described
    >>> described([weights.degree, weights.Walks()])
    '[degree, Walks(length=7)]'
    """
    if isinstance(weight, (list, tuple)):
        return f"[{', '.join(map(described, weight))}]"
    if hasattr(weight, "get_params"):
        # All parameters are written, so that another default is another weight.
        given = weight.get_params(deep=False).items()
        return f"{type(weight).__name__}({', '.join(f'{k}={described(v)}' for k, v in given)})"
    return str(getattr(weight, "__name__", None) or repr(weight))
