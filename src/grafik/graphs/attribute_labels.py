"""AttributeLabels: labels of vertices from their attributes, by bins that are learned."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import checked_bool, checked_choice, checked_integer
from ..arrays.kmeans import MAX_CLUSTERS, cluster_starts
from .as_graphs import as_graphs, as_training_graphs
from .batch import Graphs
from .chosen_columns import Columns, chosen_attributes, positions
from .labels import Label, Labels
from .takes_graphs import TakesGraphs

_STRATEGIES = ("quantile", "kmeans", "uniform")


class AttributeLabels(TransformerMixin, TakesGraphs):
    """Turn node attributes into labels: the bin in which each number lies.

    Kernels compare labels, which are equal or not. Attributes are numbers, of which hardly two are
    equal. This transformer cuts each attribute into bins, learned from the vertices of the training
    graphs, and names each vertex after the bins that its numbers lie in. Put it before a kernel or
    a classifier in a pipeline, so that bins are learned from the training part of every split.

    The name ``"0.5..1.25"`` stands for numbers of at least 0.5 and less than 1.25. Bounds are
    rounded to as few digits as leave the training vertices in their bins.

    Bins mean something where absolute values do, such as charges. For coordinates, which depend on
    where somebody put the origin, use :class:`grafik.weights.NodeDistance`.

    Parameters
    ----------
    n_bins : int
        Most bins of an attribute, at least 2.
    strategy : {"quantile", "kmeans", "uniform"}
        ``"quantile"``: bins hold about equally many vertices; equal numbers are never told apart.
        ``"kmeans"``: bins are clusters with the least squared distances, found exactly. With both,
        an attribute with at most `n_bins` different values has a bin for each of them.
        ``"uniform"``: bins are equally wide, and some may be empty.
    columns : int, str, sequence of these, or None
        Node attributes that count, by number or by name; by default all. With several, a label is
        a tuple, so the number of different labels is up to the product of the numbers of bins.
    keep_labels : bool
        If graphs have labels, let new labels be tuples of the old one and the bins. Otherwise bins
        replace them.

    Attributes
    ----------
    bin_edges_ : list of ndarray
        For each chosen column the bounds of its bins, increasing: bin `i` holds the numbers from
        ``bin_edges_[column][i]`` up to and without the next bound. The first bound is minus
        infinity and the last infinity, as the outer bins hold all numbers beyond those seen.
    n_bins_ : ndarray of int
        Number of bins of each chosen column.
    columns_ : list of int
        Numbers of the chosen columns.
    labels_ : list of tuple of str
        The names of the bins of each chosen column.
    has_labels_ : bool
        Whether old labels are part of the new ones.

    See Also
    --------
    sklearn.preprocessing.KBinsDiscretizer : bins of columns of a table.

    Examples
    --------
    >>> from grafik import AttributeLabels, Graphs
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1)]],
    ...     node_labels=[["C", "C", "O"], ["C", "O"]],
    ...     node_attributes=[[0.1, 0.2, -0.5], [0.2, -0.9]])
    >>> labels = AttributeLabels(n_bins=2, strategy="kmeans").fit(graphs)
    >>> labels.transform(graphs)[0].node_labels
    [('C', '>=-0.2'), ('C', '>=-0.2'), ('O', '<-0.2')]
    >>> AttributeLabels(n_bins=3, keep_labels=False).fit_transform(graphs)[1].node_labels
    ['>=0.15', '<-0.2']
    """

    def __init__(
        self,
        n_bins: int = 5,
        strategy: str = "quantile",
        columns: Columns = None,
        keep_labels: bool = True,
    ) -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.columns = columns
        self.keep_labels = keep_labels

    def fit(self, X: Any, y: object = None) -> AttributeLabels:
        """Learn the bins from the vertices of the training graphs.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        AttributeLabels
            Itself.
        """
        self._check()
        graphs = as_training_graphs(X)
        if graphs.node_ptr[-1] == 0:
            raise ValueError("at least one vertex is needed to learn bins, got graphs without any")
        values = chosen_attributes(graphs, self.columns, "leave AttributeLabels out")
        cuts = [_cuts(column, int(self.n_bins), self.strategy) for column in values.T]
        assert graphs.node_attributes is not None
        attributes = graphs.node_attributes.shape[1], graphs.node_attribute_names
        keeps, labelled = bool(self.keep_labels), graphs.node_labels is not None
        columns = positions(self.columns, *attributes)
        return self._learned(cuts, attributes, columns, (keeps, keeps and labelled))

    def _check(self) -> None:
        n_bins = checked_integer("n_bins", self.n_bins, 2)
        checked_choice("strategy", self.strategy, _STRATEGIES)
        checked_bool("keep_labels", self.keep_labels)
        if self.strategy == "kmeans" and n_bins > MAX_CLUSTERS:
            raise ValueError(
                f"k-means finds at most {MAX_CLUSTERS} bins, got n_bins={n_bins}; "
                "use strategy='quantile' or 'uniform'"
            )

    def _learned(
        self,
        cuts: list[NDArray[np.float64]],
        attributes: tuple[int, tuple[str, ...] | None],
        columns: list[int],
        old_labels: tuple[bool, bool],
    ) -> AttributeLabels:
        """Set what was learned, from graphs or from a file; return itself."""
        self.bin_edges_ = [np.concatenate([[-np.inf], one, [np.inf]]) for one in cuts]
        self.n_bins_ = np.array([len(one) + 1 for one in cuts])
        self.labels_ = [_names(one) for one in cuts]
        self.n_attributes_, self.attribute_names_ = attributes
        self.columns_ = columns
        self.keeps_labels_, self.has_labels_ = old_labels
        return self

    def transform(self, X: Any) -> Graphs:
        """Return the graphs with labels from their attributes, which they keep as well.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes

        Returns
        -------
        Graphs
        """
        check_is_fitted(self)
        graphs = as_graphs(X)
        if graphs.node_ptr[-1] == 0:
            return graphs
        values = self._attributes(graphs)
        parts = self._old_labels(graphs)
        for column, edges, names in zip(values.T, self.bin_edges_, self.labels_, strict=True):
            bins = np.searchsorted(edges[1:-1], column, side="right")
            parts.append(Labels.trusted(names, bins.astype(np.int32)))
        return graphs._with(node_labels=_combined(parts))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what was learned to a file, which :func:`grafik.load` reads.

        Parameters
        ----------
        path : path of the file
        """
        from ..models.saving import save

        check_is_fitted(self)
        save(self, path)

    def set_output(self, *, transform: str | None = None) -> AttributeLabels:
        """Return itself; the output is graphs whatever is asked for.

        With this method, ``set_output`` of a pipeline reaches the steps after it.
        """
        return self

    def _attributes(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the columns that the bins were learned for."""
        values = chosen_attributes(graphs, None, "leave AttributeLabels out")
        if values.shape[1] != self.n_attributes_:
            raise ValueError(
                f"bins were learned from graphs with {self.n_attributes_} node attributes, "
                f"but these have {values.shape[1]}"
            )
        names, known = graphs.node_attribute_names, self.attribute_names_
        if names is not None and known is not None and names != known:
            raise ValueError(
                f"bins were learned from graphs with the node attributes {list(known)}, but these "
                f"have {list(names)}; give the same ones in the same order"
            )
        chosen: NDArray[np.float64] = values[:, self.columns_]
        return chosen

    def _old_labels(self, graphs: Graphs) -> list[Labels]:
        """Return the labels that stay, if any do."""
        if not self.keeps_labels_:
            return []
        if self.has_labels_ != (graphs.node_labels is not None):
            before, now = ("", "no ") if self.has_labels_ else ("no ", "")
            raise ValueError(
                f"bins were learned from graphs with {before}node labels, but these have {now}node "
                "labels; give all graphs labels or none, or pass keep_labels=False"
            )
        return [] if graphs.node_labels is None else [graphs.node_labels]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def _cuts(values: NDArray[np.float64], n_bins: int, strategy: str) -> NDArray[np.float64]:
    """Return the least numbers of all bins but the first, increasing."""
    distinct, counts = np.unique(values, return_counts=True)
    if strategy == "uniform":
        shares = np.arange(1, n_bins) / n_bins
        # Without a difference, which could overflow.
        cuts = np.unique(distinct[0] * (1 - shares) + distinct[-1] * shares)
        cuts = cuts[(cuts > distinct[0]) & (cuts <= distinct[-1])]
        return _short(cuts, distinct, (distinct[-1] / n_bins - distinct[0] / n_bins) / 100)
    if len(distinct) <= n_bins:
        starts = np.arange(1, len(distinct))
    elif strategy == "kmeans":
        starts = cluster_starts(distinct, counts, n_bins)[1:]
    else:
        starts = _quantile_starts(counts, n_bins)
    low, high = distinct[starts - 1], distinct[starts]
    middle = low / 2 + high / 2
    # Neighbours among floats have no middle.
    return _short(np.where(middle > low, middle, high), distinct, np.inf)


def _short(
    cuts: NDArray[np.float64], distinct: NDArray[np.float64], slack: float
) -> NDArray[np.float64]:
    """Round cuts to as few digits as part the same values, but at least three.

    None is moved by more than `slack`.
    """
    parted = np.searchsorted(distinct, cuts)
    for digits in range(3, 17):
        short = np.array([float(f"{cut:.{digits}g}") for cut in cuts])
        if (np.abs(short - cuts) <= slack).all() and (
            np.searchsorted(distinct, short) == parted
        ).all():
            return short
    return cuts


def _quantile_starts(counts: NDArray[np.int64], n_bins: int) -> NDArray[np.int64]:
    """Return where bins start: where the number of values before is nearest to its share.

    Of two that are equally near, the first is taken.
    """
    before = np.cumsum(counts)[:-1] * n_bins
    wanted = counts.sum() * np.arange(1, n_bins)
    above = np.clip(np.searchsorted(before, wanted), 1, len(before) - 1)
    nearer = wanted - before[above - 1] <= before[above] - wanted
    return np.unique(above - nearer) + 1


def _names(cuts: NDArray[np.float64]) -> tuple[Label, ...]:
    """Return a name for each bin, with the exact cuts."""
    if len(cuts) == 0:
        return ("any",)
    shown = [repr(cut).removesuffix(".0") for cut in cuts.tolist()]
    between = [f"{low}..{high}" for low, high in pairwise(shown)]
    return (f"<{shown[0]}", *between, f">={shown[-1]}")


def _combined(parts: list[Labels]) -> Labels:
    """Return the tuples of labels at the same positions, or the labels of a single part."""
    if len(parts) == 1:
        return parts[0].compact()
    codes = parts[0].codes.astype(np.int64)
    for part in parts[1:]:
        joint = codes * len(part.values) + part.codes
        _, firsts, codes = np.unique(joint, return_index=True, return_inverse=True)
    values = tuple(tuple(part[row] for part in parts) for row in firsts.tolist())
    return Labels.trusted(values, codes.astype(np.int32))
