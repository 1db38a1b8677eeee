"""Weisfeiler-Lehman optimal assignment kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.offsets import part_of
from ..features import WeisfeilerLehman
from ..features.histograms import Histograms
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from .pairwise_kernel import PairwiseKernel
from .shared_features import Vectors, intersections, totals, vectors


class WLOptimalAssignment(PairwiseKernel):
    r"""Weisfeiler-Lehman optimal assignment kernel (WL-OA).

    .. math:: K(G, G') = \max_{B} \sum_{(v, v') \in B} |\{i \leq h : \ell_i(v) = \ell_i(v')\}|
              = \sum_{i=0}^{h} \sum_\ell \min(\phi_{i\ell}(G), \phi_{i\ell}(G'))

    over all bijections `B` between the vertices of the two graphs, the smaller one filled up with
    vertices that resemble none; :math:`\phi_{i\ell}(G)` is the number of vertices with label
    :math:`\ell` in round `i`. As labels of later rounds refine those of earlier ones, the best
    bijection is read off the counts.

    Prefer it to :class:`WL` where large counts of a few labels drown the rest: a vertex is matched
    once, instead of with every vertex like it. :math:`O(h (n + m))` for a graph of `n` vertices and
    `m` edges, and time linear in the number of shared labels for a pair. Positive semi-definite,
    all values integers.

    GraKeL's ``WeisfeilerLehmanOptimalAssignment(n_iter=depth)`` has the same values.

    Parameters
    ----------
    depth : int
        Number of rounds `h`.
    edge_labels : {"auto", True, False}
        Whether a neighbour counts together with the label of the edge to it; "auto" is True if the
        training graphs have edge labels. The published kernel does without.
    normalize : bool
        Whether to divide by the kernel of each graph with itself; a graph without any vertex has 0
        everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    training_ : Vectors
        Number of vertices with each label, for each training graph.

    References
    ----------
    Kriege, Giscard, Wilson: On Valid Optimal Assignment Kernels and Applications to Graph
    Classification, NIPS 2016.

    Examples
    --------
    A path and a triangle have three vertices each; at depth 1 only those of degree 2 are alike:

    >>> from grafik import Graphs
    >>> from grafik.baselines import WLOptimalAssignment
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]])
    >>> WLOptimalAssignment(depth=1).fit_transform(graphs)
    array([[6., 4.],
           [4., 6.]])
    """

    _sums = staticmethod(intersections)
    _own = staticmethod(totals)

    def __init__(
        self,
        depth: int = 5,
        edge_labels: bool | str = False,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.depth = depth
        self.edge_labels = edge_labels
        self.normalize = normalize
        self.n_jobs = n_jobs

    def _describer(self, depth: int) -> LabelCounts:
        return LabelCounts(depth, self.edge_labels)


@dataclass(frozen=True)
class LabelCounts:
    """How many vertices have each Weisfeiler-Lehman label, of all depths."""

    depth: int
    edge_labels: bool | str = False

    def __call__(self, graphs: Graphs, n_jobs: int | None) -> Vectors:
        """Count the labels of a batch."""
        found = label_counts(graphs, self.depth, self.edge_labels, n_jobs)
        graph, counts = part_of(found.graph_ptr), found.masses.astype(np.float64)
        return vectors(len(graphs), graph, found.depths, found.features, counts)


def label_counts(
    graphs: Graphs, depth: int, edge_labels: bool | str, n_jobs: int | None
) -> Histograms:
    """Count the Weisfeiler-Lehman labels at depths 0 to `depth` in whole graphs."""
    all_edges = Filtration(thresholds=(0.0,)).fit(graphs)
    return WeisfeilerLehman(depth, edge_labels).histograms(graphs, all_edges, n_jobs=n_jobs)
