"""Graphlet and cyclic pattern kernels: histogram kernels of small subgraphs."""

from __future__ import annotations

from ..arrays.checks import checked_bool
from ..features import CyclicPatterns, Graphlets
from .histogram_kernels import HistogramKernel


class GraphletSampling(HistogramKernel):
    r"""Graphlet kernel (GS): induced subgraphs of 3, 4 or 5 vertices, all of them or a sample.

    .. math:: K(G, G') = \sum_C \phi_C(G) \, \phi_C(G')

    where :math:`\phi_C(G)` is how many of the looked-at sets of `size` vertices induce a subgraph
    of the isomorphism class `C`. Labels are ignored.

    By default sets are drawn uniformly, with replacement, as many from every graph:

    .. math:: s = \left\lceil \frac{2 (a \ln 2 + \ln(1/\delta))}{\varepsilon^2} \right\rceil

    so that with probability at least :math:`1 - \delta` the frequencies :math:`\phi_C(G) / s` of
    all `a` classes together are off by at most :math:`\varepsilon` in sum [1]_. There are 4, 11 and
    34 classes of graphs with 3, 4 and 5 vertices, and 2, 6 and 21 of connected ones. Sampled values
    depend on the order of the vertices. With ``sampling=False`` all sets are looked at. The
    unnormalised kernels of both ways differ by the number of sets; normalised, the one converges to
    the other.

    Prefer it for unlabelled graphs that differ in local density, such as social networks. Sampling
    takes as long for every graph, once its edges are sorted; enumeration :math:`O(n d^{s-1})` for
    connected sets and :math:`O(n^s)` for all, with `s` the size, `n` vertices and the largest
    degree `d`.

    Parameters
    ----------
    size : {3, 4, 5}
        Number of vertices of a graphlet.
    connected : bool
        Whether only connected graphlets count.
    sampling : bool
        Whether to draw sets, or to visit all of them.
    epsilon, delta : float
        How far off the sampled frequencies may be, and with which probability.
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

    def _extractor(self) -> Graphlets:
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

    def _extractor(self) -> CyclicPatterns:
        return CyclicPatterns(self.max_length, self.trees)
