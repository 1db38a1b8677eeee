"""Graphlets: small induced subgraphs of every filtration graph."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations, permutations
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_bool, checked_choice, checked_integer
from ..arrays.hashing import mix
from ..arrays.offsets import frozen, offsets, part_of
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from ..system.threads import new_flag, run_blocks
from ..weights.edges import ends_of
from ..weights.long_work import in_words, refuse_long_work
from .connected_sets import connected_sets, most_connected_sets
from .events import from_events
from .graphlet_edges import Entering, follow_edges
from .graphlet_sets import draw_some, visit_all
from .histograms import Histograms
from .steps import Steps

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration

_SALT = 0x082EFA98EC4E6C89
_MAX_SETS = 2e10
_PER_SET = 20.0  # nanoseconds for a set of five vertices
_BLOCK = 1_000_000_000  # nanoseconds, so that an interrupt does not wait for long
_LARGEST = 2**62
_64_BITS = 2**64 - 1


class Graphlets(BaseEstimator):
    r"""Graphlets: isomorphism classes of induced subgraphs on `size` vertices.

    .. math:: \phi_C(G_i) = |\{S \subseteq V : |S| = \text{size}, G_i[S] \in C\}|

    for each class `C` of graphs on `size` vertices, without labels. With one level the histogram
    kernel of these features is the graphlet kernel [1]_. Directed graphs are refused.

    Graphlets of 3 and 4 vertices are not visited but counted: when an edge enters, the number of
    sets that it changes, and how, follows from the neighbours of its ends and their neighbours.
    Every set of 5 vertices is looked at once for all levels, because its class changes only where
    one of its own edges enters. Only sets that are connected in the whole graph can ever be
    connected, and for ``connected=True`` no others are visited. What would take very long is
    refused. The time does not depend on the number of levels.

    With ``sampling=True`` sets are drawn uniformly from all sets of `size` vertices, and the counts
    are those among the drawn sets; divided by the number of draws they estimate the frequencies.
    The number of draws is the least for which the frequencies in one filtration graph are off by at
    most `epsilon` in sum, with probability at least 1 - `delta` [1]_. Unlike all other counts,
    sampled ones depend on the order of the vertices. They do not depend on other graphs.

    Parameters
    ----------
    size : {3, 4, 5}
        Number of vertices of a graphlet.
    connected : bool
        Whether only connected graphlets count.
    sampling : bool or None
        Whether to draw some sets instead of counting all of them.
    epsilon, delta : float
        How far off the sampled frequencies may be, and with which probability.
    n_samples : int or None
        Number of sets to draw from each graph, in place of the one that follows from `epsilon` and
        `delta`.
    random_state : int
        Seed of the draws. Those from a graph depend on it and the graph, and on nothing else.

    References
    ----------
    .. [1] Shervashidze, Vishwanathan, Petri, Mehlhorn, Borgwardt: Efficient Graphlet Kernels for
       Large Graph Comparison, AISTATS 2009. Connected sets are enumerated as in Wernicke:
       Efficient Detection of Network Motifs, TCBB 2006.

    Examples
    --------
    Decalin and bicyclopentyl have the same number of paths on three vertices and no triangle, but
    they differ in larger graphlets:

    >>> from grafik import Filtration, datasets
    >>> from grafik.features import Graphlets
    >>> graphs, y = datasets.wl_hard("decalin")
    >>> filtration = Filtration("degree", n_levels=2).fit(graphs)
    >>> histograms = Graphlets(size=3).histograms(graphs, filtration)
    >>> histograms.names
    {...: ((0, 1), (0, 2))}
    """

    reads_vertex_labels = reads_edge_labels = False

    def __init__(
        self,
        size: int = 3,
        connected: bool = True,
        sampling: bool | None = None,
        epsilon: float = 0.1,
        delta: float = 0.1,
        n_samples: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.size = size
        self.connected = connected
        self.sampling = sampling
        self.epsilon = epsilon
        self.delta = delta
        self.n_samples = n_samples
        self.random_state = random_state

    def histograms(
        self, graphs: Any, filtration: Filtration, *, n_jobs: int | None = None
    ) -> Histograms:
        """Count the graphlets of every filtration graph.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.
        n_jobs : int or None
            Number of threads; None is one, -1 as many as there are processors. The result is the
            same for any number.

        Returns
        -------
        Histograms
            A graphlet is named by its edges, between vertices 0, 1, ...
        """
        checked_choice("size", self.size, (3, 4, 5))
        size, connected = int(self.size), checked_bool("connected", self.connected)
        sampling = self.sampling is not None and checked_bool("sampling", self.sampling)
        kinds = graphlet_classes(size, connected)
        n_samples, seed = self._draws(sampling, len(kinds.features))
        batch = as_graphs(graphs)
        refuse_directed(batch, "Graphlets")
        if sampling:
            nanoseconds = np.full(len(batch), 30.0 * size * n_samples)
        elif size == 5:
            nanoseconds = _of_all_sets(batch, connected)
        else:
            nanoseconds = _of_all_edges(batch, size, connected, filtration.n_levels_)
        steps = Steps.of(batch, filtration)
        changes = np.zeros((len(steps.levels), len(kinds.features)), np.int64)
        filtered = batch.node_ptr, batch.adjacency, steps
        of_bits, flag = kinds.of_bits, new_flag()
        if sampling:
            draws = n_samples, np.uint64(seed)

            def work(start: int, stop: int) -> None:
                draw_some(start, stop, filtered, of_bits, size, draws, changes, flag)

        elif size == 5:

            def work(start: int, stop: int) -> None:
                visit_all(start, stop, filtered, of_bits, size, connected, changes, flag)

        else:
            by_step = np.lexsort((steps.of_edges, part_of(batch.edge_ptr)))
            shape = batch.node_ptr, batch.edge_ptr, batch.edges, batch.adjacency.indptr
            entering = Entering(*shape, by_step, steps.of_edges, steps.ptr)
            if not connected:  # sets without any edge
                sets = [math.comb(n, size) for n in batch.n_nodes.tolist()]
                changes[steps.ptr[:-1], of_bits[0]] = sets

            def work(start: int, stop: int) -> None:
                follow_edges(start, stop, entering, of_bits, size, changes, flag)

        run_blocks(
            work,
            offsets(nanoseconds.astype(np.int64)),
            n_jobs,
            ns_per_unit=1.0,
            max_units=_BLOCK,
            what="graphlets",
            flag=flag,
        )
        at, kind = np.nonzero(changes)
        return from_events(
            len(batch),
            filtration.n_levels_,
            np.searchsorted(steps.ptr, at, "right") - 1,
            kinds.features[kind],
            steps.levels[at],
            changes[at, kind],
            names={int(kinds.features[i]): kinds.names[i] for i in np.unique(kind)},
        )

    def _draws(self, sampling: bool, n_kinds: int) -> tuple[int, int]:
        """Return how many sets to draw from each graph, and the seed."""
        if not sampling:
            if self.n_samples is not None:
                raise ValueError(
                    f"n_samples is for sampling=True, got n_samples={self.n_samples!r} and "
                    f"sampling={self.sampling!r}"
                )
            return 0, 0
        if isinstance(self.random_state, bool) or not isinstance(
            self.random_state, (int, np.integer)
        ):
            raise ValueError(f"random_state must be an integer, got {self.random_state!r}")
        seed = int(self.random_state) & _64_BITS
        if self.n_samples is not None:
            return checked_integer("n_samples", self.n_samples, 1), seed
        for name in ("epsilon", "delta"):
            value = getattr(self, name)
            if not isinstance(value, Real) or not 0 < float(value) < 1:
                raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}")
        bits = math.log(2) * n_kinds + math.log(1 / self.delta)
        return math.ceil(2 * bits / self.epsilon**2), seed


def _of_all_edges(graphs: Graphs, size: int, connected: bool, n_levels: int) -> NDArray[np.float64]:
    """Return how many nanoseconds it takes to follow all edges; refuse what takes very long."""
    degrees, way_out = graphs.degrees, "draw some of them with sampling=True"
    # Connected sets in numbers that do not fit are those of a vertex and its neighbours.
    sets = _stars(graphs, size) if connected else _combinations(graphs.n_nodes, size)
    # A mass is the sum over all levels.
    if n_levels * sets.max(initial=0) > _LARGEST:
        raise ValueError(
            f"graph {sets.argmax()} has {sets.max():.1e} sets of {size} vertices, which at "
            f"{n_levels} levels are too many for a 64-bit number; {way_out}"
        )
    u, v = ends_of(graphs)
    least, larger = np.minimum(degrees[u], degrees[v]), np.maximum(degrees[u], degrees[v])
    per_edge = 30.0 + np.where(least > 1, 2.0 * larger, 0.0)
    if size == 4:
        base = np.repeat(graphs.node_ptr[:-1], 2 * graphs.n_edges)
        before = offsets(degrees[base + graphs.adjacency.neighbors])
        around = before[graphs.adjacency.indptr[1:]] - before[graphs.adjacency.indptr[:-1]]
        per_edge += 60.0 + larger + np.minimum(around[u], around[v])
    nanoseconds: NDArray[np.float64] = np.bincount(
        part_of(graphs.edge_ptr), per_edge, len(graphs)
    ).astype(np.float64)
    refuse_long_work(graphs, nanoseconds * 1e-9, f"Graphlets of {size} vertices", way_out)
    return nanoseconds


def _of_all_sets(graphs: Graphs, connected: bool) -> NDArray[np.float64]:
    """Return how many nanoseconds it takes to visit all sets of five; refuse what takes hours."""
    about = ""
    if connected:
        sets = most_connected_sets(graphs)
        if sets.sum() > _MAX_SETS:  # there may be far fewer
            about, sets = "about ", sets * (connected_sets(graphs) / sets.sum())
    else:
        sets = _combinations(graphs.n_nodes, 5)
    if sets.sum() > _MAX_SETS:
        graph, what = int(sets.argmax()), "connected sets" if connected else "sets"
        raise ValueError(
            f"there are {about}{sets.sum():.1e} {what} of 5 vertices, most of them in graph "
            f"{graph}, which are more than {_MAX_SETS:.0e}; visiting them would take about "
            f"{in_words(sets.sum() * _PER_SET * 1e-9)}; draw some of them with sampling=True, or "
            "choose a smaller size"
        )
    return sets * _PER_SET + 5.0 * graphs.n_nodes


def _stars(graphs: Graphs, size: int) -> NDArray[np.float64]:
    """Return how often each graph has a vertex with ``size - 1`` of its neighbours."""
    stars = _combinations(graphs.degrees, size - 1)
    return np.bincount(part_of(graphs.node_ptr), stars, len(graphs)).astype(np.float64)


def _combinations(numbers: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    """Return the number of ways to choose so many of each number of things."""
    distinct, row = np.unique(numbers, return_inverse=True)
    return np.array([math.comb(n, size) for n in distinct.tolist()], np.float64)[row]


class GraphletClasses(NamedTuple):
    """The isomorphism classes of graphs on a few vertices.

    Attributes
    ----------
    of_bits : ndarray of int64
        Number of the class for each way to choose edges, or -1 if it does not count. Bit
        ``j (j - 1) / 2 + i`` is the edge between vertices `i` and `j`, where ``i < j``.
    features : ndarray of uint64
        Feature of each class.
    names : list of tuple
        Edges of the member of each class that has the smallest number.
    """

    of_bits: NDArray[np.int64]
    features: NDArray[np.uint64]
    names: list[tuple[tuple[int, int], ...]]


@lru_cache
def graphlet_classes(size: int, connected: bool) -> GraphletClasses:
    """Sort all graphs on `size` vertices by isomorphism, by trying all permutations."""
    pairs = sorted(combinations(range(size), 2), key=lambda pair: pair[::-1])
    bit = {pair: 1 << i for i, pair in enumerate(pairs)}
    graphs = np.arange(1 << len(pairs))
    least = graphs.copy()
    for order in permutations(range(size)):
        moved = np.zeros_like(graphs)
        for i, (u, v) in enumerate(pairs):
            target = bit[min(order[u], order[v]), max(order[u], order[v])]
            moved |= np.where(graphs >> i & 1, target, 0)
        np.minimum(least, moved, out=least)
    edges = {int(g): tuple(pair for pair in pairs if g & bit[pair]) for g in np.unique(least)}
    kept = [g for g in edges if not connected or _spans(size, edges[g])]
    of_bits = np.full(len(graphs), -1, np.int64)
    for number, g in enumerate(kept):
        of_bits[least == g] = number
    features = [mix(np.uint64(_SALT + (size << 16) + g)) for g in kept]
    return GraphletClasses(
        frozen(of_bits), frozen(np.array(features, np.uint64)), [edges[g] for g in kept]
    )


def _spans(size: int, edges: tuple[tuple[int, int], ...]) -> bool:
    """Tell whether edges connect all vertices."""
    reached = {0}
    for _ in range(size):
        reached |= {v for edge in edges if reached & set(edge) for v in edge}
    return len(reached) == size
