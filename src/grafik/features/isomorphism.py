"""A test of isomorphism: whether filtration histograms differ, and where first."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..filtration.filtration import Filtration
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..weights.canonical_form import canonical
from . import WeisfeilerLehman
from .weisfeiler_lehman import edge_labels_count


class Comparison(NamedTuple):
    """What came of comparing two graphs; true if they certainly are not isomorphic.

    Attributes
    ----------
    different : bool
        Whether some histogram differs. If not, the graphs may or may not be isomorphic, unless the
        weight is ``"canonical"`` and the depth at least 1: then they are, labels of edges aside.
    level : int or None
        First level at which one differs, counted from 0.
    alpha : float or None
        Threshold of that level.
    depth, feature : int or None
        Least depth, and there the feature with the least hash, that differs at this level.
    counts : (int, int) or None
        How often the feature occurs there in the two graphs.
    edge_labels : bool
        Whether labels of edges were compared.
    """

    different: bool
    level: int | None = None
    alpha: float | None = None
    depth: int | None = None
    feature: int | None = None
    counts: tuple[int, int] | None = None
    edge_labels: bool = False

    def __bool__(self) -> bool:
        return self.different


def isomorphism_test(
    g: Any,
    h: Any,
    weight: Any = "degree",
    depth: int = 5,
    *,
    edge_labels: bool | str = "auto",
) -> Comparison:
    """Compare the Weisfeiler-Lehman labels of two graphs over a filtration.

    Every distinct edge weight is a threshold. Isomorphic graphs never differ. With
    ``weight="canonical"`` and a depth of at least 1, graphs that are not isomorphic always do
    (Theorem 3 of the paper). Labels of vertices count, and so do those of edges, unless the weight
    is ``"canonical"``: the canonical form ignores them.

    Parameters
    ----------
    g, h : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    weight : str or callable
        See :class:`grafik.Filtration`.
    depth : int
        Depth of the labels.
    edge_labels : {"auto", True, False}
        Whether labels of edges count. By default they do if the graphs have them and the weight is
        not ``"canonical"``, with which True is an error.

    Returns
    -------
    Comparison
        True if the graphs differ. Its `edge_labels` says whether labels of edges were compared.

    Examples
    --------
    >>> from grafik import datasets, isomorphism_test
    >>> graphs, y = datasets.triangle_pair()
    >>> isomorphism_test(*graphs, weight="degree").different
    False
    >>> isomorphism_test(*graphs, weight="triangles")[:4]
    (True, 0, 1.0, 1)

    Benzene and cyclohexane differ in the labels of their edges alone:

    >>> found = isomorphism_test("c1ccccc1", "C1CCCCC1")
    >>> found.different, found.edge_labels
    (True, True)
    >>> isomorphism_test("c1ccccc1", "C1CCCCC1", edge_labels=False).different
    False
    """
    both = Graphs.concat([as_graphs(g), as_graphs(h)])
    if len(both) != 2:
        raise ValueError(f"two graphs are compared, got {len(both)}")
    labelled = _edge_labels_count(edge_labels, both, weight)
    filtration = Filtration(weight, thresholds="distinct").fit(both)
    histograms = WeisfeilerLehman(depth, edge_labels=labelled).histograms(both, filtration)
    mine, theirs = histograms[0], histograms[1]
    absent = [0] * filtration.n_levels_
    found = []
    for key in mine.keys() | theirs.keys():
        pairs = zip(mine.get(key, absent), theirs.get(key, absent), strict=True)
        found += [(i, *key, (int(a), int(b))) for i, (a, b) in enumerate(pairs) if a != b][:1]
    if not found:
        return Comparison(False, edge_labels=labelled)
    level, least, feature, counts = min(found)
    alpha = float(filtration.alphas_[level])
    return Comparison(True, level, alpha, least, feature, counts, labelled)


def _edge_labels_count(option: Any, graphs: Graphs, weight: Any) -> bool:
    """Tell whether edge labels count: never with canonical weights.

    Canonical orders of isomorphic graphs may differ by an automorphism that moves edge labels.
    """
    count = edge_labels_count(option, graphs)
    if weight is not canonical and not (isinstance(weight, str) and weight == "canonical"):
        return count
    if count and option != "auto":
        raise ValueError(
            "edge_labels=True, but the weight 'canonical' ignores labels of edges; leave it at "
            "edge_labels='auto', or choose another weight"
        )
    return False
