"""Weisfeiler-Lehman optimal assignment kernel."""

from __future__ import annotations

from ..features import WeisfeilerLehman
from .histogram_kernels import HistogramKernel


class WLOptimalAssignment(HistogramKernel):
    r"""Weisfeiler-Lehman optimal assignment kernel (WL-OA).

    .. math:: K(G, G') = \max_{B} \sum_{(v, v') \in B} |\{i \leq h : \ell_i(v) = \ell_i(v')\}|
              = \sum_{i=0}^{h} \sum_\ell \min(\phi_{i\ell}(G), \phi_{i\ell}(G'))

    over all bijections `B` between the vertices of the two graphs, the smaller one filled up with
    vertices that resemble none; :math:`\phi_{i\ell}(G)` is the number of vertices with label
    :math:`\ell` in round `i`. As labels of later rounds refine those of earlier ones, the best
    bijection is read off the counts.

    Prefer it to :class:`WL` where large counts of a few labels drown the rest: a vertex is matched
    once, instead of with every vertex like it. This is :class:`grafik.FiltrationKernel` with one
    level and ``mass="min"``. :math:`O(h (n + m))` for a graph of `n` vertices and `m` edges, and
    time linear in the number of shared labels for a pair. Positive semi-definite, all values
    integers.

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
    histograms_ : Histograms
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

    def __init__(
        self,
        depth: int = 5,
        edge_labels: bool | str = False,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(normalize, n_jobs, mass="min")
        self.depth = depth
        self.edge_labels = edge_labels

    def new_extractor(self) -> WeisfeilerLehman:
        """Return what counts its features."""
        return WeisfeilerLehman(self.depth, self.edge_labels)
