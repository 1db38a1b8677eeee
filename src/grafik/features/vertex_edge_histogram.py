"""Vertex and edge labels, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_bool
from ..arrays.hashing import UNLABELLED, mix
from ..arrays.offsets import part_of
from ..graphs.as_graphs import as_graphs
from ..graphs.labels import Labels, content_hash
from .events import from_events
from .histograms import Histograms
from .steps import entry_levels

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration

_VERTEX = np.uint64(0x243F6A8885A308D3)
_EDGE = np.uint64(0x13198A2E03707344)


class VertexEdgeHistogram(BaseEstimator):
    r"""Vertex labels and edge labels.

    .. math:: \phi_\ell(G_i) = |\{v \in V : \ell(v) = \ell\}|, \qquad
              \phi_\ell(G_i) = |\{e \in E_i : \ell(e) = \ell\}|

    where :math:`E_i` are the edges of the filtration graph :math:`G_i`. A vertex label and an edge
    label are two features, even where both have the same value. Vertices (or edges) of a batch
    without labels are all alike. Where an edge is, and where it leads, does not count. With one
    level the histogram kernel of these features is the VE-Hist kernel, see [1]_.

    Parameters
    ----------
    vertices, edges : bool
        Whether to count the labels of vertices, and of edges.

    References
    ----------
    .. [1] Sugiyama, Borgwardt: Halting in Random Walk Kernels, NIPS 2015.

    Examples
    --------
    >>> from grafik import Filtration, Graphs
    >>> from grafik.features import VertexEdgeHistogram
    >>> graphs = Graphs([0, 3], [0, 2], [[0, 1], [1, 2]], node_labels=list("COO"))
    >>> filtration = Filtration("degree", n_levels=2).fit(graphs)
    >>> histograms = VertexEdgeHistogram().histograms(graphs, filtration)
    >>> sorted(histograms.names.values())
    [('edge',), ('vertex', 'C'), ('vertex', 'O')]
    """

    def __init__(self, vertices: bool = True, edges: bool = True) -> None:
        self.vertices = vertices
        self.edges = edges

    def histograms(self, graphs: Any, filtration: Filtration) -> Histograms:
        """Count the labels in every filtration graph.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.

        Returns
        -------
        Histograms
            Features are named ``("vertex", label)`` and ``("edge", label)``, or ``("vertex",)`` and
            ``("edge",)`` where there are no labels.
        """
        vertices = checked_bool("vertices", self.vertices)
        edges = checked_bool("edges", self.edges)
        batch = as_graphs(graphs)
        levels = entry_levels(batch, filtration)
        names: dict[int, Any] = {}
        columns = []
        if vertices:
            features = _features("vertex", _VERTEX, batch.node_labels, batch.node_ptr[-1], names)
            columns.append((part_of(batch.node_ptr), features, np.zeros(len(features), np.int32)))
        if edges:
            features = _features("edge", _EDGE, batch.edge_labels, batch.edge_ptr[-1], names)
            columns.append((part_of(batch.edge_ptr), features, levels))
        if not columns:
            raise ValueError("vertices or edges must be True, got False for both")
        graph, feature, level = map(np.concatenate, zip(*columns, strict=True))
        ones = np.ones(len(graph), np.int64)
        return from_events(
            len(batch), filtration.n_levels_, graph, feature, level, ones, names=names
        )


def _features(
    kind: str, salt: np.uint64, labels: Labels | None, n: int, names: dict[int, Any]
) -> NDArray[np.uint64]:
    """Return the feature of each vertex or edge, and note what the features are called."""
    if labels is None:
        feature = mix(salt ^ UNLABELLED)
        if n:
            names[int(feature)] = (kind,)
        return np.full(n, feature, np.uint64)
    hashes = [mix(salt ^ np.uint64(content_hash(value))) for value in labels.values]
    names.update((int(x), (kind, value)) for x, value in zip(hashes, labels.values, strict=True))
    return np.array(hashes, np.uint64)[labels.codes]
