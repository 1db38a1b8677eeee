"""Which graphs a page shows: all, or a sample if there are many, and of these those that fit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..features.wl_trees import written
from ..graphs.batch import Graphs
from ..graphs.labels import Labels
from ..models.classes import as_classes
from .page import as_json

# Bytes for graphs and their labels. A page of a thousand graphs should stay below 5 MB, and its
# other parts need some.
_BUDGET = 4_200_000
# Larger graphs are not drawn: laying them out takes long, and shows little.
MOST_VERTICES = 300
_RANGES = 5


def stratified(codes: NDArray[np.int64], most: int, random_state: int) -> NDArray[np.int64]:
    """Choose graphs so that each class keeps its share, and at least one graph if there is room.

    Parameters
    ----------
    codes : ndarray of shape (n_graphs,)
        Class of each graph, counted from 0.
    most : int
        The most graphs to choose.
    random_state : int

    Returns
    -------
    ndarray of int64
        Numbers of the chosen graphs, increasing; all of them if there are at most `most`.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.report.sample import stratified
    >>> chosen = stratified(np.repeat([0, 1, 2], [60, 30, 1]), most=9, random_state=0)
    >>> np.bincount(np.repeat([0, 1, 2], [60, 30, 1])[chosen]).tolist()
    [5, 3, 1]
    """
    if len(codes) <= most:
        return np.arange(len(codes))
    sizes = np.bincount(codes)
    wanted = most * sizes / len(codes)
    counts = np.maximum(np.floor(wanted).astype(np.int64), np.minimum(sizes, 1))
    # Rare classes got more than their share, so the largest ones may have to give some up.
    while counts.sum() > most:
        counts[np.argmax(counts)] -= 1
    for place in np.argsort(counts - wanted, kind="stable")[: most - int(counts.sum())]:
        counts[place] += 1
    random = np.random.default_rng(random_state)
    parts = [
        random.permutation(np.flatnonzero(codes == code))[:count]
        for code, count in enumerate(counts)
    ]
    return np.sort(np.concatenate(parts))


class Shown(NamedTuple):
    """The graphs of a page.

    Attributes
    ----------
    graphs : Graphs
    numbers : ndarray of int64, shape (n_graphs,)
        Their positions in the data set, which are their names on the page.
    compared : ndarray of bool, shape (n_graphs,)
        Whether the page has the edges and labels of a graph, so that its script can compare it.
    drawn : ndarray of bool, shape (n_graphs,)
        Whether the page has positions of its vertices too; only for graphs that are compared.
    """

    graphs: Graphs
    numbers: NDArray[np.int64]
    compared: NDArray[np.bool_]
    drawn: NDArray[np.bool_]


def what_fits(
    graphs: Graphs, numbers: NDArray[np.int64], n_levels: int, edge_labels: bool
) -> Shown:
    """Choose the graphs that fit on a page, small ones first, and which of them are drawn.

    Parameters
    ----------
    graphs : Graphs
    numbers : ndarray of int64
        Their positions in the data set.
    n_levels : int
        Number of levels of the filtration.
    edge_labels : bool
        Whether labels of edges are written.
    """
    n, m = graphs.n_nodes, graphs.n_edges
    small = n <= MOST_VERTICES
    # An edge takes two ends and a level, a vertex takes a position; a comma follows each number.
    cost = (2 * _letters(n) + _letters(n_levels)) * m + np.where(small, 12, 0) * n + 110
    cost += m * (graphs.reading is not None)  # the kinds of bonds
    if graphs.ids is not None:
        cost += np.array([len(as_json(str(name))) for name in graphs.ids], np.int64) + 8
    tables = [(graphs.node_labels, n)]
    if edge_labels:
        tables.append((graphs.edge_labels, m))
    for labels, counts in tables:
        if labels is not None:
            cost += _letters(len(labels.values)) * counts
    order = np.argsort(cost, kind="stable")
    for labels, counts in tables:
        if labels is not None:
            cost += _of_tables(labels, counts, order)
    fits = np.zeros(len(graphs), bool)
    fits[order[np.cumsum(cost[order]) <= _BUDGET]] = True
    return Shown(graphs, numbers, compared=fits, drawn=fits & small)


def _letters(n: Any) -> Any:
    """Return the length of the longest of the numbers below `n`, with a comma."""
    return np.floor(np.log10(np.maximum(np.subtract(n, 1), 1))).astype(np.int64) + 2


def _of_tables(
    labels: Labels, counts: NDArray[np.int64], order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the bytes of labels, written once each: the first graph with a label pays for it."""
    rank = np.empty(len(counts), np.int64)
    rank[order] = np.arange(len(counts))
    first = np.full(len(labels.values), len(counts))
    np.minimum.at(first, labels.codes, np.repeat(rank, counts))
    sizes = [len(as_json(written(value))) + 1 for value in labels.values]
    by_rank = np.bincount(first, sizes, minlength=len(counts) + 1)
    found: NDArray[np.int64] = by_rank[rank].astype(np.int64)
    return found


class Groups(NamedTuple):
    """The groups of graphs on a page: classes, or ranges of numbers.

    Attributes
    ----------
    names : list of str
    codes : ndarray of shape (n_graphs,)
        Group of each graph.
    word : {"class", "target"}
    """

    names: list[str]
    codes: NDArray[np.int64]
    word: str

    def on_page(self, which: NDArray[np.int64]) -> dict[str, Any]:
        """Return what the script needs to know; `which` are the graphs on the page."""
        n = len(self.names)
        return {
            "word": self.word,
            "names": self.names,
            "counts": np.bincount(self.codes, minlength=n).tolist(),
            "shown": np.bincount(self.codes[which], minlength=n).tolist(),
            "of": self.codes[which].tolist(),
        }


def as_groups(y: Any, n_graphs: int) -> Groups | None:
    """Return classes as groups; fractional numbers become five ranges with equally many graphs."""
    if y is None or (getattr(y, "ndim", 1) == 2 and y.shape[1] != 1):
        return None  # there are no targets, or several
    values = as_classes(y)
    if values.shape != (n_graphs,):
        raise ValueError(f"y must have an entry for each of {n_graphs} graphs, got {values.shape}")
    if values.dtype.kind != "f" or (values == np.round(values)).all():
        names, codes = np.unique(values, return_inverse=True)
        texts = [f"{name:g}" if isinstance(name, float) else str(name) for name in names.tolist()]
        return Groups(texts, codes.astype(np.int64), "class")
    cuts = np.unique(np.quantile(values, np.linspace(0, 1, _RANGES + 1)))
    codes = np.searchsorted(cuts[1:-1], values, side="right")
    texts = [f"{low:.4g} to {high:.4g}" for low, high in pairwise(cuts.tolist())]
    return Groups(texts or [f"{cuts[0]:.4g}"], codes.astype(np.int64), "target")
