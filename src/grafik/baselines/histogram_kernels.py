"""Histogram kernels: filtration kernels of one level, under the names they were published by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_bool
from ..features import (
    CyclicPatterns,
    Graphlets,
    ShortestPaths,
    VertexEdgeHistogram,
    WeisfeilerLehman,
)
from ..kernels.kernel import FiltrationKernel


class HistogramKernel(FiltrationKernel):
    r"""What the kernels below share: they are a :class:`grafik.FiltrationKernel` of one level.

    .. math:: K(G, G') = \sum_f \phi_f(G) \, \phi_f(G')

    where :math:`\phi_f(G)` is how often feature `f` occurs in `G` (Proposition 1 of the paper).
    Each returns its features from `new_extractor`, and has parameters of its own. With
    ``mass="min"``, the smaller count takes the place of the product.
    """

    def __init__(
        self, normalize: bool = False, n_jobs: int | None = None, mass: str = "linear"
    ) -> None:
        super().__init__(n_levels=1, normalize=normalize, n_jobs=n_jobs, mass=mass)

    def gram_grid(
        self,
        graphs: Any,
        depths: Iterable[int] | None = None,
        gammas: Iterable[float] | None = None,
        out: NDArray[np.float64] | None = None,
    ) -> Iterator[tuple[int | None, float | None, NDArray[np.float64]]]:
        """Compute Gram matrices for many depths from one pass over the graphs, one at a time.

        Like :meth:`grafik.FiltrationKernel.gram_grid`, with None for gamma, which they lack.
        """
        if gammas is not None:
            raise ValueError(f"{self} has no gamma, so gammas must be None")
        grid = super().gram_grid(graphs, depths, out=out)
        return ((depth, None, matrix) for depth, _, matrix in grid)


class VEHist(HistogramKernel):
    r"""Vertex and edge label histogram kernel (VE-Hist).

    .. math:: K(G, G') = \sum_a |V_a| \, |V'_a| + \sum_b |E_b| \, |E'_b|

    over the labels `a` of vertices and `b` of edges. Vertices (or edges) without labels are all
    alike.

    Prefer it as a yardstick: it looks at no structure at all, so what another kernel gains over it
    is what structure is worth. :math:`O(n + m)` for a graph of `n` vertices and `m` edges.

    GraKeL's ``VertexHistogram`` plus a quarter of its ``EdgeHistogram`` is the same: there each
    edge is listed in both directions.

    Parameters
    ----------
    normalize : bool
        Whether to divide by the kernel of each graph with itself; a graph without any vertex has 0
        everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    histograms_ : Histograms
        Number of occurrences of each feature, for each training graph.

    References
    ----------
    Sugiyama, Borgwardt: Halting in Random Walk Kernels, NIPS 2015.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.baselines import VEHist
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1)]],
    ...                                 node_labels=[["C", "C", "O"], ["C", "O"]])
    >>> VEHist().fit_transform(graphs)
    array([[9., 5.],
           [5., 3.]])
    """

    def __init__(self, normalize: bool = False, n_jobs: int | None = None) -> None:
        super().__init__(normalize, n_jobs)

    def new_extractor(self) -> VertexEdgeHistogram:
        """Return what counts its features."""
        return VertexEdgeHistogram()


class ShortestPath(HistogramKernel):
    r"""Shortest path kernel (SP).

    .. math:: K(G, G') = \sum_{(a, d, b)} \phi_{adb}(G) \, \phi_{adb}(G'), \qquad
              \phi_{adb}(G) = |\{(u, v) : \ell(u) = a, d(u, v) = d, \ell(v) = b\}|

    over ordered pairs of different vertices that a path joins; its length is the number of edges.
    Vertices without labels are all alike. Isolated vertices have no paths, and do no harm.

    Prefer it where it matters how far things are from each other, and graphs are small:
    :math:`O(n m)` for a graph of `n` vertices and `m` edges.

    GraKeL's ``ShortestPath(with_labels=True)`` has the same values, on graphs without isolated
    vertices.

    Parameters
    ----------
    normalize : bool
        Whether to divide by the kernel of each graph with itself; a graph without any edge has 0
        everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    histograms_ : Histograms
        Number of occurrences of each feature, for each training graph.

    References
    ----------
    Borgwardt, Kriegel: Shortest-Path Kernels on Graphs, ICDM 2005.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.baselines import ShortestPath
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]])
    >>> ShortestPath().fit_transform(graphs)
    array([[20., 24.],
           [24., 36.]])
    """

    def __init__(self, normalize: bool = False, n_jobs: int | None = None) -> None:
        super().__init__(normalize, n_jobs)

    def new_extractor(self) -> ShortestPaths:
        """Return what counts its features."""
        return ShortestPaths()


class WL(HistogramKernel):
    r"""Weisfeiler-Lehman subtree kernel (WL).

    .. math:: K(G, G') = \sum_{i=0}^{h} \sum_\ell
              |\{v : \ell_i(v) = \ell\}| \, |\{v' : \ell_i(v') = \ell\}|

    where :math:`\ell_0` are the given labels and :math:`\ell_{i+1}(v)` stands for
    :math:`\ell_i(v)` together with the multiset of the labels :math:`\ell_i` of its neighbours.

    Prefer it as the first kernel to try, above all on graphs with labels. :math:`O(h (n + m))` for
    a graph of `n` vertices and `m` edges.

    GraKeL's ``WeisfeilerLehman(n_iter=depth, base_graph_kernel=VertexHistogram)`` has the same
    values.

    Parameters
    ----------
    depth : int
        Number of rounds `h`.
    edge_labels : {"auto", True, False}
        Whether a neighbour counts together with the label of the edge to it; "auto" is True if the
        training graphs have edge labels. The published kernel does without.
    exact : bool
        Whether a dictionary makes sure that different labels never share a hash; slow, and without
        consequence on any data set we know.
    normalize : bool
        Whether to divide by the kernel of each graph with itself; a graph without any vertex has 0
        everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    histograms_ : Histograms
        Number of occurrences of each feature, for each training graph.

    References
    ----------
    Shervashidze, Schweitzer, van Leeuwen, Mehlhorn, Borgwardt: Weisfeiler-Lehman Graph Kernels,
    JMLR 2011.

    Examples
    --------
    >>> from grafik import Graphs
    >>> from grafik.baselines import WL
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]])
    >>> WL(depth=1).fit_transform(graphs)
    array([[14., 12.],
           [12., 18.]])
    """

    def __init__(
        self,
        depth: int = 5,
        edge_labels: bool | str = False,
        exact: bool = False,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(normalize, n_jobs)
        self.depth = depth
        self.edge_labels = edge_labels
        self.exact = exact

    def new_extractor(self) -> WeisfeilerLehman:
        """Return what counts its features."""
        return WeisfeilerLehman(self.depth, self.edge_labels, self.exact)


class GraphletSampling(HistogramKernel):
    r"""Graphlet kernel (GS): induced subgraphs of 3, 4 or 5 vertices, all of them or a sample.

    .. math:: K(G, G') = \sum_C \phi_C(G) \, \phi_C(G')

    where :math:`\phi_C(G)` is how many of the visited sets of `size` vertices induce a subgraph
    of the isomorphism class `C`. Labels are ignored.

    By default sets are drawn uniformly, with replacement, the same number from every graph:

    .. math:: s = \left\lceil \frac{2 (a \ln 2 + \ln(1/\delta))}{\varepsilon^2} \right\rceil

    so that with probability at least :math:`1 - \delta` the frequencies :math:`\phi_C(G) / s` of
    all `a` classes together are off by at most :math:`\varepsilon` in sum [1]_. There are 4, 11 and
    34 classes of graphs with 3, 4 and 5 vertices, and 2, 6 and 21 of connected ones. Sampled values
    depend on the order of the vertices. With ``sampling=False`` all sets count. Without
    normalisation, the two kernels differ by the number of sets; with it, the sampled one converges
    to the exact one.

    Prefer it for unlabelled graphs that differ in local density, such as social networks. Sampling
    takes the same time for every graph, once its edges are sorted; counting takes
    :math:`O(m d^2)` for 3 and 4 vertices, and for 5 :math:`O(n d^4)` for connected sets and
    :math:`O(n^5)` for all, with `n` vertices, `m` edges and the largest degree `d`.

    Parameters
    ----------
    size : {3, 4, 5}
        Number of vertices of a graphlet.
    connected : bool
        Whether only connected graphlets count.
    sampling : bool
        Whether to draw sets, or to count all of them.
    epsilon, delta : float
        How far off the sampled frequencies may be, and the probability that they are farther off.
    n_samples : int or None
        Number of sets to draw from each graph, in place of the one that follows from `epsilon` and
        `delta`.
    random_state : int
        Seed of the draws. Those from a graph depend on it and the graph, and on nothing else.
    normalize : bool
        Whether to divide by the kernel of each graph with itself; a graph without any graphlet has
        0 everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    histograms_ : Histograms
        Number of occurrences of each feature, for each training graph.

    References
    ----------
    .. [1] Shervashidze, Vishwanathan, Petri, Mehlhorn, Borgwardt: Efficient Graphlet Kernels for
       Large Graph Comparison, AISTATS 2009.

    Examples
    --------
    >>> from grafik import datasets
    >>> from grafik.baselines import GraphletSampling
    >>> graphs, y = datasets.triangle_pair()  # one has two triangles, the other has none
    >>> GraphletSampling(size=3, sampling=False).fit_transform(graphs)
    array([[184., 216.],
           [216., 328.]])
    >>> GraphletSampling(size=3, normalize=True).fit_transform(graphs).round(1)
    array([[1. , 0.9],
           [0.9, 1. ]])
    """

    def __init__(
        self,
        size: int = 5,
        connected: bool = False,
        sampling: bool = True,
        epsilon: float = 0.1,
        delta: float = 0.1,
        n_samples: int | None = None,
        random_state: int = 0,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(normalize, n_jobs)
        self.size = size
        self.connected = connected
        self.sampling = sampling
        self.epsilon = epsilon
        self.delta = delta
        self.n_samples = n_samples
        self.random_state = random_state

    def new_extractor(self) -> Graphlets:
        """Return what counts its features."""
        return Graphlets(
            self.size,
            self.connected,
            checked_bool("sampling", self.sampling),
            self.epsilon,
            self.delta,
            self.n_samples,
            self.random_state,
        )


class CyclicPattern(HistogramKernel):
    r"""Cyclic pattern kernel: labels around simple cycles, and the trees between them.

    .. math:: K(G, G') = \sum_{p \in C} \phi_p(G) \, \phi_p(G') + \sum_{t \in T} \phi_t(G) \,
              \phi_t(G')

    over patterns `p` of cycles of at most `max_length` edges and patterns `t` of the trees that the
    bridges form. Each occurrence counts; in the original each pattern counts once.

    Prefer it for molecules, where rings matter. :math:`O(n d^{l-1})` for a graph of `n` vertices,
    degrees up to `d` and cycles up to length `l`; far less in molecules, which have few cycles.

    Parameters
    ----------
    max_length : int
        Number of edges of the longest cycles that count.
    trees : bool
        Whether tree patterns count as well.
    normalize : bool
        Whether to divide by the kernel of each graph with itself; a graph without any pattern has 0
        everywhere.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Attributes
    ----------
    histograms_ : Histograms
        Number of occurrences of each feature, for each training graph.

    References
    ----------
    Horvath, Gaertner, Wrobel: Cyclic Pattern Kernels for Predictive Graph Mining, KDD 2004.

    Examples
    --------
    Decalin has two cycles of length 6; bicyclopentyl has two of length 5, and a bridge:

    >>> from grafik import datasets
    >>> from grafik.baselines import CyclicPattern
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> CyclicPattern().fit_transform(graphs)
    array([[4., 0.],
           [0., 5.]])
    """

    def __init__(
        self,
        max_length: int = 6,
        trees: bool = True,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(normalize, n_jobs)
        self.max_length = max_length
        self.trees = trees

    def new_extractor(self) -> CyclicPatterns:
        """Return what counts its features."""
        return CyclicPatterns(self.max_length, self.trees)
