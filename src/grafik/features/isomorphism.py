"""A test of isomorphism: whether filtration histograms differ, and where first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer
from ..filtration.filtration import Filtration
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.joining import joined_columns
from ..weights.canonical_form import canonical
from ..weights.marked import Marked
from .weisfeiler_lehman import MAX_DEPTH, edge_labels_count
from .wl_differences import Difference, first_difference
from .wl_trees import Trees

# What weight="auto" takes, one after the other, the strongest last; those that refuse the graphs,
# because they are directed or too large, are left out. All of them are exact, as a number that is
# rounded in two ways would tell a graph from itself. The last resort takes all graphs.
_STRONGER: tuple[Any, ...] = ("walks", Marked())
_LAST_RESORT = "degree"
_PATIENCE = 5.0  # seconds that nobody asked for
_PER_LEVEL_AND_EDGE = 16e-9  # seconds that a depth takes, if graphs turn out to be the same
_WAYS_OUT = {"edge_labels": ", or leave them out with edge_labels=False"}
_SHOWN_VERTICES = 5  # of each graph, in the sentence


class Comparison(NamedTuple):
    """What came of comparing two graphs; true if they certainly are not isomorphic.

    As text it is a sentence. "First" is at the least depth, and there at the first level.

    Attributes
    ----------
    different : bool
        Whether some histogram differs. If not, the graphs may or may not be isomorphic: see
        `isomorphic`.
    level : int or None
        First level at which one differs, counted from 0.
    alpha : float or None
        Threshold of that level; None if the whole graphs were compared, without weight.
    depth, feature : int or None
        Least depth that differs at any level, and the feature of this depth with the least hash
        that differs at this level.
    counts : (int, int) or None
        How often the feature occurs there in the two graphs.
    edge_labels : bool
        Whether labels of edges were compared.
    name : str or None
        The feature as a tree (:mod:`grafik.features.wl_trees`), the first two depths of it.
    vertices : (list of int, list of int) or None
        Where the feature occurs at this level in the two graphs, counted from 0.
    weight : str, callable or None
        The weight that was compared last; None if the whole graphs differ already, without weight.
    isomorphic : bool or None
        False if the graphs differ. True if they do not and the weight is ``"canonical"``, which
        decides. None if nobody knows: other weights, or depth 0.
    """

    different: bool
    level: int | None = None
    alpha: float | None = None
    depth: int | None = None
    feature: int | None = None
    counts: tuple[int, int] | None = None
    edge_labels: bool = False
    name: str | None = None
    vertices: tuple[list[int], list[int]] | None = None
    weight: Any = None
    isomorphic: bool | None = None

    def __bool__(self) -> bool:
        return self.different

    def __str__(self) -> str:
        if not self.different or self.counts is None or self.vertices is None:
            told = "isomorphic" if self.isomorphic else "not told apart"
            return f"{told}, by the weight {self.weight!r}"
        where = "in the whole graphs"
        if self.weight is not None:
            where = f"at level {self.level} (weight {self.weight!r}, alpha {self.alpha:g})"
        sides = [
            f"{count} {'time' if count == 1 else 'times'} in {graph}{_at(vertices)}"
            for count, graph, vertices in zip(self.counts, "gh", self.vertices, strict=True)
        ]
        return f"different: {where}, {self.name} of depth {self.depth} occurs {' and '.join(sides)}"


def isomorphism_test(
    g: Any,
    h: Any,
    weight: Any = "auto",
    depth: int = 5,
    *,
    edge_labels: bool | str = "auto",
) -> Comparison:
    """Compare the Weisfeiler-Lehman labels of two graphs over a filtration.

    Every distinct edge weight is a threshold. Isomorphic graphs never differ. With
    ``weight="canonical"`` and a depth of at least 1, graphs that are not isomorphic always do
    (Theorem 3 of the paper). Labels of vertices and of edges count.

    Depth after depth is compared, and nothing behind the first difference is computed.

    Parameters
    ----------
    g, h : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    weight : str or callable
        See :class:`grafik.Filtration`. "auto" compares the whole graphs first, without weight; if
        these do not differ, the number of walks (``"walks"``), in undirected graphs; and at last
        :class:`grafik.weights.Marked`; what would take longer than some seconds is left out, or
        compared to a smaller depth. The result's `weight` says which was compared last. A function
        of your own must not depend on the order of vertices.
    depth : int
        Largest depth of the labels. Where one depth tells no more apart than the one before, the
        comparison ends, so a large depth costs little.
    edge_labels : {"auto", True, False}
        Whether labels of edges count. By default they do if the graphs have them.

    Returns
    -------
    Comparison
        True if the graphs differ. It says at which level, by which feature and at which vertices,
        and whether labels of edges were compared; printed, it is a sentence.

    Examples
    --------
    >>> from grafik import datasets, isomorphism_test
    >>> graphs, y = datasets.triangle_pair()
    >>> isomorphism_test(*graphs, weight="degree").different
    False
    >>> found = isomorphism_test(*graphs, weight="triangles")
    >>> found[:4]
    (True, 0, 1.0, 1)
    >>> found.name, found.counts, found.vertices
    ('*(2x*)', (6, 0), ([0, 1, 2, 3, 4, 5], []))
    >>> print(isomorphism_test("CCO", "CCN"))
    different: in the whole graphs, N of depth 0 occurs 0 times in g and 1 time in h (2)

    Canonical weights decide:

    >>> isomorphism_test("CCO", "OCC", weight="canonical").isomorphic
    True

    Benzene and cyclohexane differ in the labels of their edges alone:

    >>> found = isomorphism_test("c1ccccc1", "C1CCCCC1")
    >>> found.different, found.edge_labels
    (True, True)
    >>> isomorphism_test("c1ccccc1", "C1CCCCC1", edge_labels=False).different
    False
    """
    both = [as_graphs(one) for one in (g, h)]
    for name, one in zip("gh", both, strict=True):
        if len(one) != 1:
            raise ValueError(f"two graphs are compared, but {name} has {len(one)}")
    if edge_labels is False:
        both = [one._with(edge_labels=None) for one in both]
    pair = Graphs._trusted(joined_columns(both, "gh".__getitem__, _WAYS_OUT))
    depth = checked_integer("depth", depth, 0, MAX_DEPTH)
    labelled = edge_labels_count(edge_labels, pair)
    if not labelled:
        pair = pair._with(edge_labels=None)  # weights shall not see them either
    for made in _filtrations(weight, pair, depth):
        found = first_difference(pair, made.levels, len(made.alphas), made.depth, labelled)
        if found is not None:
            return _difference(pair, made, found, labelled)
    decided = _is_canonical(made.weight) and depth > 0
    return Comparison(
        False, edge_labels=labelled, weight=made.weight, isomorphic=True if decided else None
    )


class _Filtered(NamedTuple):
    """A weight, or None for the whole graphs; the level of each edge; the thresholds; the depth."""

    weight: Any
    levels: NDArray[np.int32]
    alphas: NDArray[np.float64]
    depth: int


def _difference(pair: Graphs, made: _Filtered, found: Difference, edge_labels: bool) -> Comparison:
    """Say all about a difference."""
    first, second = found.vertices
    return Comparison(
        True,
        found.level,
        None if made.weight is None else float(made.alphas[found.level]),
        found.depth,
        found.feature,
        (len(first), len(second)),
        edge_labels,
        _name(pair, made.levels, found, edge_labels),
        (first.tolist(), second.tolist()),
        made.weight,
        False,
    )


def _filtrations(weight: Any, pair: Graphs, depth: int) -> Iterator[_Filtered]:
    """Yield what to compare by: at least one weight, the whole graphs before it."""
    if not (isinstance(weight, str) and weight == "auto"):
        yield _filtered(weight, pair, depth)
        return
    yield _Filtered(None, np.zeros(len(pair.edges), np.int32), np.zeros(1), depth)
    made = None
    for strong in _STRONGER:
        if isinstance(strong, Marked) and strong.seconds(pair).sum() > _PATIENCE:
            continue
        try:
            found = _filtered(strong, pair, depth)
        except (MemoryError, ValueError):  # it refuses these graphs
            continue
        # With very many levels a small depth has to be enough: the weight does most of the work.
        one_depth = _PER_LEVEL_AND_EDGE * len(found.alphas) * len(pair.edges)
        if one_depth <= _PATIENCE:
            made = found._replace(depth=min(depth, int(_PATIENCE / max(one_depth, 1e-9))))
            yield made
    if made is None:
        yield _filtered(_LAST_RESORT, pair, depth)


def _filtered(weight: Any, pair: Graphs, depth: int) -> _Filtered:
    filtration = Filtration(weight, thresholds="distinct")
    levels = filtration.fit_levels(pair)
    return _Filtered(weight, levels, filtration.alphas_, depth)


def _name(pair: Graphs, levels: NDArray[np.int32], found: Difference, edge_labels: bool) -> str:
    """Write the tree that a feature stands for, from the vertices that have it."""
    names = []
    for graph, vertices in enumerate(found.vertices):
        if not len(vertices):
            continue
        one, entry = pair[graph : graph + 1], levels[slice(*pair.edge_ptr[graph : graph + 2])]
        # Only edges near one of the vertices are written. If it has none yet, what counts is
        # whether all of the vertices get some later.
        near = np.zeros(int(one.node_ptr[-1]), bool)
        near[vertices[0]] = True
        there = near[one.edges].any(axis=1) & (entry <= found.level)
        near[one.edges[there] if there.any() else vertices] = True
        trees = Trees(one, entry, edge_labels, rows=np.flatnonzero(near[one.edges].any(axis=1)))
        names.append(trees.name(found.depth, [(v, found.level) for v in vertices.tolist()]))
        if there.any():
            break
    # Where both graphs name it, "before its edges" has to be true of both.
    return max(names)


def _at(vertices: list[int]) -> str:
    """Return the first of some vertices in brackets."""
    more = ["..."] if len(vertices) > _SHOWN_VERTICES else []
    told = ", ".join([*map(str, vertices[:_SHOWN_VERTICES]), *more])
    return f" ({told})" if told else ""


def _is_canonical(weight: Any) -> bool:
    return weight is canonical or (isinstance(weight, str) and weight == "canonical")
