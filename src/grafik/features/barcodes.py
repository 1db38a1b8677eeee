"""Barcodes: the lifespan of every single occurrence of a feature (Fig. 1 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer, is_integer
from ..arrays.offsets import frozen, part_of
from ..graphs.as_graphs import as_graphs
from ..system.optional import require
from ..system.words import counted
from . import WeisfeilerLehman
from .histograms import Histograms
from .wl_occurrences import Occurrences

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration

_COLUMNS = ("depths", "features", "vertices", "births", "deaths")


@dataclass(frozen=True, eq=False)
class Barcode:
    """The bars of one graph, or those of one of its features.

    Attributes
    ----------
    n_levels : int
        Number of levels, the paper's `k`.
    depths : ndarray of int32, shape (n_bars,)
        Depth of the feature.
    features : ndarray of uint64, shape (n_bars,)
        Hash of the feature, as in :class:`grafik.Histograms`.
    vertices : ndarray of int64, shape (n_bars,)
        Where the feature occurs, counted from 0.
    births, deaths : ndarray of int32, shape (n_bars,)
        First level of the occurrence, and first level behind it; `n_levels` if it lives to the end.
    """

    n_levels: int
    depths: NDArray[np.int32]
    features: NDArray[np.uint64]
    vertices: NDArray[np.int64]
    births: NDArray[np.int32]
    deaths: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.features)

    def of(self, depth: int, feature: int) -> Barcode:
        """Return the bars of one feature, by birth, death and vertex.

        Parameters
        ----------
        depth, feature : int
            As in the keys of :class:`grafik.Histograms`.
        """
        name = np.uint64(checked_integer("feature", feature, 0, 2**64 - 1))
        rows = np.flatnonzero((self.depths == depth) & (self.features == name))
        order = np.lexsort((self.vertices[rows], self.deaths[rows], self.births[rows]))
        chosen = (getattr(self, name)[rows[order]] for name in _COLUMNS)
        return Barcode(self.n_levels, *map(frozen, chosen))

    def counts(self) -> NDArray[np.int64]:
        """Return how many bars there are at each level: for one feature, its histogram."""
        changes = np.bincount(self.births, minlength=self.n_levels + 1)
        changes -= np.bincount(self.deaths, minlength=self.n_levels + 1)
        return np.cumsum(changes)[: self.n_levels]

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the bars of one feature, from birth to death.

        :func:`grafik.plots.barcode` knows the graph too, and with it thresholds and names.
        """
        from ..plots.barcode import lifespans

        return lifespans(self, ax=ax)

    def _repr_html_(self) -> str:
        from ..plots.notebook import barcode_html

        return barcode_html(self)

    def __repr__(self) -> str:
        return f"Barcode({len(self)} bars, {self.n_levels} levels)"


class Barcodes:
    r"""Barcodes of a batch of graphs: when each occurrence of a feature is born, and when it dies.

    An occurrence is a longest interval of levels during which a vertex has a label (of some depth).
    As the tree that a label stands for only grows, a vertex never gets a label back that it has
    lost. How many occurrences live at each level is the filtration histogram :math:`\phi_f(G)`.

    Attributes
    ----------
    n_levels : int
        Number of levels, the paper's `k`.
    graph_ptr : ndarray of int64, shape (n_graphs + 1,)
        Bars ``graph_ptr[g]:graph_ptr[g + 1]`` belong to graph `g`, by depth, vertex and birth.
    depths, features, vertices, births, deaths : ndarray, shape (n_bars,)
        As of :class:`Barcode`.

    Examples
    --------
    See :func:`barcodes`.
    """

    def __init__(self, n_levels: int, occurrences: Occurrences) -> None:
        self.n_levels = checked_integer("n_levels", n_levels, 1)
        self._bars = Occurrences(*(frozen(column) for column in occurrences.checked(n_levels)))
        self.graph_ptr, self.depths, self.features = self._bars[:3]
        self.vertices, self.births, self.deaths = self._bars[3:]

    def __len__(self) -> int:
        return len(self.graph_ptr) - 1

    def __getitem__(self, graph: int) -> Barcode:
        """Return the bars of one graph."""
        if not is_integer(graph):
            raise TypeError(f"barcodes are indexed by the number of a graph, got {graph!r}")
        if not -len(self) <= graph < len(self):
            raise IndexError(f"there is no graph {graph}, there are {len(self)}")
        graph %= len(self)
        rows = slice(int(self.graph_ptr[graph]), int(self.graph_ptr[graph + 1]))
        return Barcode(self.n_levels, *(getattr(self, name)[rows] for name in _COLUMNS))

    def histograms(self) -> Histograms:
        """Return how many occurrences each feature has at each level."""
        return self._bars.histograms(self.n_levels)

    def to_pandas(self) -> Any:
        """Return a pandas frame with one line per bar."""
        pandas = require("pandas", "to_pandas", "pandas")
        names = ("depth", "feature", "vertex", "birth", "death")
        columns = (getattr(self, name) for name in _COLUMNS)
        frame = {"graph": part_of(self.graph_ptr), **dict(zip(names, columns, strict=True))}
        return pandas.DataFrame(frame)

    def _repr_html_(self) -> str:
        from ..plots.notebook import barcodes_html

        return barcodes_html(self)

    def __repr__(self) -> str:
        sizes = (len(self), "graph"), (self.n_levels, "level"), (len(self.features), "bar")
        return f"Barcodes({', '.join(counted(*size) for size in sizes)})"


def barcodes(
    graphs: Any,
    filtration: Filtration,
    features: Any = None,
    *,
    known: Histograms | None = None,
) -> Barcodes:
    """Follow each occurrence of a feature through the filtration graphs.

    Only features that sit at a vertex have occurrences that can be followed: Weisfeiler-Lehman
    labels. Shortest paths, graphlets and cycles lie on several vertices, label counts on vertices
    and edges, and what a function returns lies nowhere; these have histograms alone. Any extractor
    of your own that has a method ``occurrences(graphs, filtration, known=None)`` is taken too.

    Parameters
    ----------
    graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        One or several.
    filtration : Filtration
        Fitted.
    features : WeisfeilerLehman, optional
        By default ``WeisfeilerLehman(depth=5)``.
    known : Histograms, optional
        For exact labels, earlier histograms whose labels these shall share.

    Returns
    -------
    Barcodes

    Examples
    --------
    The paper's Fig. 1: when do vertices have exactly one neighbour?

    >>> from grafik import Filtration, datasets, weights
    >>> from grafik.features.barcodes import barcodes
    >>> from grafik.features import WeisfeilerLehman
    >>> graphs, y = datasets.figure_one()
    >>> heavy = weights.Attribute()
    >>> filtration = Filtration(heavy, thresholds=[4, 3, 2, 1]).fit(graphs)
    >>> bars = barcodes(graphs, filtration, WeisfeilerLehman(depth=1))
    >>> bars
    Barcodes(1 graph, 4 levels, 22 bars)
    >>> one_neighbor = int(bars[0].features[bars[0].depths == 1][0])  # as vertex 0 has it first
    >>> bar = bars[0].of(1, one_neighbor)
    >>> list(zip(bar.vertices.tolist(), bar.births.tolist(), bar.deaths.tolist()))
    [(0, 0, 2), (1, 0, 2), (2, 1, 2), (3, 1, 2), (4, 2, 3), (5, 3, 4)]
    >>> bar.counts().tolist(), bars.histograms()[0][1, one_neighbor].tolist()
    ([2, 4, 1, 1], [2, 4, 1, 1])
    """
    extractor = WeisfeilerLehman() if features is None else features
    if not has_occurrences(extractor):
        raise TypeError(
            f"features must sit at single vertices, as WeisfeilerLehman labels do, got {features!r}"
        )
    found = extractor.occurrences(as_graphs(graphs), filtration, known=known)
    return Barcodes(filtration.n_levels_, found)


def has_occurrences(features: Any) -> bool:
    """Tell whether the features that an extractor counts sit at single vertices."""
    return hasattr(features, "occurrences") and not isinstance(features, type)
