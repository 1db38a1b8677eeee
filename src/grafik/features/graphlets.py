"""Graphlets: small induced subgraphs of every filtration graph."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import combinations, permutations
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_bool, checked_choice, checked_integer
from ..arrays.hashing import GOLDEN, mix, mix_other
from ..arrays.offsets import frozen
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from .events import from_events
from .histograms import Histograms
from .steps import Steps

if TYPE_CHECKING:
    from ..filtration.filtration import Filtration

_SALT = 0x082EFA98EC4E6C89
_MAX_SUBSETS = 2e10
_64_BITS = 2**64 - 1


class Graphlets(BaseEstimator):
    r"""Graphlets: isomorphism classes of induced subgraphs on `size` vertices.

    .. math:: \phi_C(G_i) = |\{S \subseteq V : |S| = \text{size}, G_i[S] \in C\}|

    for each class `C` of graphs on `size` vertices, without labels. With one level the histogram
    kernel of these features is the graphlet kernel [1]_.

    Every set of vertices is looked at once for all levels, because its class changes only where
    one of its own edges enters. By default all sets are looked at; only those that are connected
    in the whole graph can ever be connected, and for ``connected=True`` no others are visited.

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
        Whether to draw sets instead of visiting all of them.
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

    def histograms(self, graphs: Any, filtration: Filtration) -> Histograms:
        """Count the graphlets of every filtration graph.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
        filtration : Filtration
            Fitted.

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
        if not sampling:
            _refuse_too_many(batch, size, connected)
        steps = Steps.of(batch, filtration)
        filtered = batch.node_ptr, batch.adjacency, steps
        counted = kinds.of_bits, len(kinds.features), size
        if sampling:
            changes = _sampled(*filtered, *counted, n_samples, np.uint64(seed))
        else:
            changes = _enumerated(*filtered, *counted, connected, int(batch.n_nodes.max(initial=0)))
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


def _refuse_too_many(graphs: Graphs, size: int, connected: bool) -> None:
    """Refuse to enumerate what would take hours, before anything is done."""
    if connected:
        # A vertex and any of its neighbours are connected; a set may show up once per member.
        degrees, times = np.unique(graphs.degrees, return_counts=True)
        stars = sum(
            math.comb(d, size - 1) * k
            for d, k in zip(degrees.tolist(), times.tolist(), strict=True)
        )
        n_subsets, what = stars // size, f"at least {stars // size:.1e} connected sets"
    else:
        n_subsets = sum(math.comb(n, size) for n in graphs.n_nodes.tolist())
        what = f"{n_subsets:.1e} sets"
    if n_subsets > _MAX_SUBSETS:
        raise ValueError(
            f"there are {what} of {size} vertices, more than {_MAX_SUBSETS:.0e}; "
            "draw some of them with sampling=True, or choose a smaller size"
        )


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


@njit(cache=True, nogil=True)
def _enumerated(node_ptr, adjacency, steps, kinds, n_kinds, size, connected, max_nodes):
    """Visit all sets once, and count at each step how many sets more or fewer are of each class.

    A set grows from its smallest vertex, the root. At each depth `extension` holds the vertices
    that may still join: for connected sets the neighbours of the set (Wernicke's ESU), otherwise
    all vertices above the root. One that was left out once stays out for the rest of the branch.
    `links[d, v]` is the step of the edge between `v` and the member at depth `d`.
    """
    indptr, neighbors = adjacency.indptr, adjacency.neighbors
    neighbor_steps, step_ptr = steps.of_neighbors, steps.ptr
    changes = np.zeros((step_ptr[-1], n_kinds), np.int64)
    none = np.int32(2**31 - 1)
    links = np.full((size - 1, max_nodes), none, np.int32)
    extension = np.empty((size - 1, max_nodes), np.int32)
    n_extension, position = np.zeros(size, np.int64), np.zeros(size, np.int64)
    members = np.zeros(size, np.int64)
    # The edges between the members so far, and those of a whole set, as step * 16 + bit.
    inner, n_inner = np.zeros((size - 1, 10), np.int64), np.zeros(size - 1, np.int64)
    edges = np.zeros(10, np.int64)
    for graph in range(len(node_ptr) - 1):
        first, n = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
        for root in range(n):
            depth = 0
            candidate = root
            while depth >= 0:
                if candidate >= 0:
                    # Take the candidate in, as the member at this depth.
                    n_new = 0
                    if depth == 0:
                        if not connected:
                            for v in range(root + 1, n):
                                extension[0, n_new] = v
                                n_new += 1
                    else:
                        for i in range(position[depth - 1], n_extension[depth - 1]):
                            extension[depth, n_new] = extension[depth - 1, i]
                            n_new += 1
                        for i in range(n_inner[depth - 1]):
                            inner[depth, i] = inner[depth - 1, i]
                    n_inner[depth] = n_inner[depth - 1] if depth > 0 else 0
                    for d in range(depth):
                        if links[d, candidate] != none:
                            bit = depth * (depth - 1) // 2 + d
                            inner[depth, n_inner[depth]] = links[d, candidate] * 16 + bit
                            n_inner[depth] += 1
                    if connected:
                        for slot in range(indptr[first + candidate], indptr[first + candidate + 1]):
                            v = neighbors[slot]
                            fresh = v > root
                            for d in range(depth):
                                fresh = fresh and links[d, v] == none
                            if fresh:
                                extension[depth, n_new] = v
                                n_new += 1
                    for slot in range(indptr[first + candidate], indptr[first + candidate + 1]):
                        links[depth, neighbors[slot]] = neighbor_steps[slot]
                    members[depth] = candidate
                    n_extension[depth], position[depth] = n_new, 0
                if depth == size - 2:
                    for i in range(n_extension[depth]):
                        v = extension[depth, i]
                        n_edges = n_inner[depth]
                        for e in range(n_edges):
                            edges[e] = inner[depth, e]
                        for d in range(size - 1):
                            if links[d, v] != none:
                                bit = (size - 1) * (size - 2) // 2 + d
                                edges[n_edges] = links[d, v] * 16 + bit
                                n_edges += 1
                        _follow(edges, n_edges, kinds, changes, step_ptr[graph])
                    position[depth] = n_extension[depth]
                if position[depth] < n_extension[depth]:
                    candidate = extension[depth, position[depth]]
                    position[depth] += 1
                    depth += 1
                else:
                    leaving = members[depth]
                    for slot in range(indptr[first + leaving], indptr[first + leaving + 1]):
                        links[depth, neighbors[slot]] = none
                    candidate = -1
                    depth -= 1
    return changes


@njit(cache=True, nogil=True)
def _sampled(node_ptr, adjacency, steps, kinds, n_kinds, size, n_samples, seed):
    """Draw sets of vertices of each graph, and count as for all sets."""
    indptr, neighbors = adjacency.indptr, adjacency.neighbors
    neighbor_steps, step_ptr = steps.of_neighbors, steps.ptr
    changes = np.zeros((step_ptr[-1], n_kinds), np.int64)
    members, edges = np.zeros(size, np.int64), np.zeros(10, np.int64)
    for graph in range(len(node_ptr) - 1):
        first, n = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
        if n < size:
            continue
        # SplitMix64, started from a hash of the neighbour lists.
        state = mix(seed + GOLDEN)
        for v in range(n):
            state = mix(state + mix_other(GOLDEN + np.uint64(v)))
            for slot in range(indptr[first + v], indptr[first + v + 1]):
                state = mix(state + np.uint64(neighbors[slot]))
        for _ in range(n_samples):
            n_members, n_edges = 0, 0
            while n_members < size:
                state += GOLDEN
                drawn = np.int64(mix(state) % np.uint64(n))
                taken = False
                for d in range(n_members):
                    taken = taken or members[d] == drawn
                if taken:
                    continue
                for d in range(n_members):
                    low, high = indptr[first + drawn], indptr[first + drawn + 1]
                    while low < high:
                        middle = (low + high) // 2
                        if neighbors[middle] < members[d]:
                            low = middle + 1
                        else:
                            high = middle
                    if low < indptr[first + drawn + 1] and neighbors[low] == members[d]:
                        bit = n_members * (n_members - 1) // 2 + d
                        edges[n_edges] = neighbor_steps[low] * 16 + bit
                        n_edges += 1
                members[n_members] = drawn
                n_members += 1
            _follow(edges, n_edges, kinds, changes, step_ptr[graph])
    return changes


@njit(cache=True, nogil=True)
def _follow(edges, n_edges, kinds, changes, step0):
    """Follow the class of one set through the steps; `edges` are step * 16 + bit, in any order."""
    for i in range(1, n_edges):
        edge = edges[i]
        j = i
        while j > 0 and edges[j - 1] > edge:
            edges[j] = edges[j - 1]
            j -= 1
        edges[j] = edge
    bits, kind = 0, np.int64(-1)
    i, step = 0, np.int64(0)
    while True:
        # Also without any edge a set is of some class, from step 0 on.
        while i < n_edges and edges[i] >> 4 == step:
            bits |= 1 << (edges[i] & 15)
            i += 1
        if kinds[bits] != kind:
            if kind >= 0:
                changes[step0 + step, kind] -= 1
            kind = kinds[bits]
            if kind >= 0:
                changes[step0 + step, kind] += 1
        if i == n_edges:
            return
        step = edges[i] >> 4
