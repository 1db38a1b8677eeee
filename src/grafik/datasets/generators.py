"""Graphs made on the spot: benchmarks, figures of the paper, pairs that are hard to tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_integer
from ..graphs.batch import Graphs
from .hard_families import cfi_edges, rook_and_shrikhande
from .pair_numbers import numbered_pairs

RandomState: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None


def csl(
    n: int = 41,
    skips: Sequence[int] = (2, 3, 4, 5, 6, 9, 11, 12, 13, 16),
    copies: int = 10,
    random_state: RandomState = 0,
) -> tuple[Graphs, NDArray[np.int64]]:
    """Return circular skip link graphs: cycles with a link from each vertex to one further on.

    All are 4-regular, so plain Weisfeiler-Lehman cannot tell any two of one size apart. The
    defaults are the benchmark of [1]_: ten classes, ten permuted copies each.

    Parameters
    ----------
    n : int
        Number of vertices.
    skips : sequence of int
        There is one class for each: vertex `v` is joined to ``v + 1`` and ``v + skip``, modulo `n`.
    copies : int
        Graphs per class, with their vertices permuted at random.
    random_state : int, Generator or None
        Seed of the permutations; None for other ones in each call.

    Returns
    -------
    graphs : Graphs
    y : ndarray of int
        The skip of each graph.

    References
    ----------
    .. [1] Murphy et al., Relational pooling for graph representations, ICML 2019.

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.csl()
    >>> graphs
    Graphs(100 graphs, 4100 vertices, 8200 edges)
    """
    n, copies = checked_integer("n", n, 5), checked_integer("copies", copies, 0)
    for skip in skips:
        if not 2 <= skip < n - 1 or 2 * skip == n:
            raise ValueError(f"a skip must be from 2 to {n - 2} and not {n / 2:g}, got {skip}")
    rng = np.random.default_rng(random_state)
    cycle = np.arange(n)
    edge_lists = []
    for skip in skips:
        steps = np.concatenate([(cycle + 1) % n, (cycle + skip) % n])
        edges = np.column_stack([np.tile(cycle, 2), steps])
        edge_lists += [rng.permutation(n)[edges] for _ in range(copies)]
    y = np.repeat(np.asarray(skips, np.int64), copies)
    return Graphs.from_edge_lists(edge_lists, [n] * len(edge_lists)), y


def triangle_pair() -> tuple[Graphs, NDArray[np.int64]]:
    """Return the two 3-regular graphs of the paper's Fig. 2: the prism and K(3, 3).

    Plain Weisfeiler-Lehman cannot tell them apart, but the prism has triangles and K(3, 3) none.

    Returns
    -------
    graphs : Graphs
    y : ndarray of int
        0 and 1.

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.triangle_pair()
    >>> graphs.degrees.tolist()
    [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]
    """
    prism = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3), (0, 5), (1, 4)]
    bipartite = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5), (2, 5), (0, 3), (1, 4)]
    return Graphs.from_edge_lists([prism, bipartite]), np.arange(2)


def figure_one() -> tuple[Graphs, NDArray[np.int64]]:
    """Return a small graph with edge weights, in the style of the paper's Fig. 1.

    With thresholds 4, 3, 2 and 1 it grows from one edge to all seven, and the number of vertices
    that have exactly one neighbour goes 2, 4, 1, 1.

    Returns
    -------
    graphs : Graphs
        One graph, with its weights as edge attribute.
    y : ndarray of int
        0.

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.figure_one()
    >>> graphs[0].edge_attributes.ravel().tolist()
    [4.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0]
    """
    weights = {(0, 1): 4, (1, 2): 2, (2, 3): 3, (0, 2): 2, (3, 4): 2, (0, 4): 1, (4, 5): 1}
    edges, values = [list(weights)], [[float(weight) for weight in weights.values()]]
    return Graphs.from_edge_lists(edges, edge_attributes=values), np.zeros(1, np.int64)


def wl_hard(pair: str | None = None) -> tuple[Graphs, NDArray[np.int64]]:
    """Return pairs of graphs that plain Weisfeiler-Lehman cannot tell apart.

    Parameters
    ----------
    pair : {None, "decalin", "rook", "cfi"}
        Decalin and bicyclopentyl, two molecules; the 4 x 4 rook's graph and the Shrikhande graph,
        strongly regular with the same parameters; the Cai-Fuerer-Immerman graphs over K4, plain
        and twisted. By default all of them.

    Returns
    -------
    graphs : Graphs
        The two graphs of each pair side by side.
    y : ndarray of int
        Which pair a graph belongs to.

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.wl_hard()
    >>> graphs.n_nodes.tolist(), y.tolist()
    ([10, 10, 16, 16, 28, 28], [0, 0, 1, 1, 2, 2])
    """
    pairs = {"decalin": _decalin, "rook": rook_and_shrikhande, "cfi": _cfi}
    if pair is not None and pair not in pairs:
        raise ValueError(f"pair must be None or one of {', '.join(map(repr, pairs))}, got {pair!r}")
    chosen = list(pairs) if pair is None else [pair]
    edge_lists = [edges for name in chosen for edges in pairs[name]()]
    return Graphs.from_edge_lists(edge_lists), np.repeat(np.arange(len(chosen)), 2)


def _decalin() -> list[list[tuple[int, int]]]:
    ring = [(v, (v + 1) % 10) for v in range(10)]
    fused = [*ring, (0, 5)]
    fives = [(v, v + 1) for v in range(4)] + [(v, v + 1) for v in range(5, 9)]
    return [fused, [*fives, (0, 4), (5, 9), (0, 5)]]


def _cfi() -> list[list[tuple[int, int]]]:
    return cfi_edges(list(combinations(range(4), 2)))


def random_graphs(
    n_graphs: int = 100,
    n_nodes: int | tuple[int, int] = 20,
    density: float | Sequence[float] = 0.2,
    n_labels: int = 0,
    random_state: RandomState = 0,
) -> tuple[Graphs, NDArray[np.int64]]:
    """Return random graphs, in which every pair of vertices is joined with the same probability.

    Parameters
    ----------
    n_graphs : int
        Number of graphs.
    n_nodes : int or (int, int)
        Number of vertices, or the smallest and the largest number.
    density : float or sequence of float
        Probability of an edge; several make one class each.
    n_labels : int
        Vertices get one of the labels 0, 1, ..., ``n_labels - 1``; no labels if it is 0.
    random_state : int, Generator or None
        Seed of the graphs; None for other ones in each call.

    Returns
    -------
    graphs : Graphs
    y : ndarray of int
        Position of the density in `density`; the classes take turns.

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.random_graphs(4, n_nodes=(3, 9), density=(0.1, 0.9), n_labels=2)
    >>> len(graphs), len(graphs.node_labels.values), y.tolist()
    (4, 2, [0, 1, 0, 1])
    """
    least, most = n_nodes if isinstance(n_nodes, tuple) else (n_nodes, n_nodes)
    low = checked_integer("n_nodes", least, 0)
    high = checked_integer("the second of n_nodes", most, low)
    n_graphs = checked_integer("n_graphs", n_graphs, 0)
    n_labels = checked_integer("n_labels", n_labels, 0)
    densities = np.atleast_1d(np.asarray(density, float))
    if densities.ndim != 1 or not len(densities) or not ((densities >= 0) & (densities <= 1)).all():
        raise ValueError(f"density must be between 0 and 1, got {density}")
    rng = np.random.default_rng(random_state)
    sizes = rng.integers(low, high, n_graphs, endpoint=True)
    y = np.arange(n_graphs) % len(densities)
    edge_lists = [
        _random_pairs(int(n), float(p), rng) for n, p in zip(sizes, densities[y], strict=True)
    ]
    labels: list[Any] | None = None
    if n_labels:
        labels = [rng.integers(n_labels, size=n).tolist() for n in sizes]
    return Graphs.from_edge_lists(edge_lists, sizes.tolist(), node_labels=labels), y


def _random_pairs(n: int, density: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a binomial number of random pairs out of all ``n (n - 1) / 2``, each at most once."""
    n_pairs = n * (n - 1) // 2
    chosen = rng.choice(n_pairs, rng.binomial(n_pairs, density), replace=False, shuffle=False)
    return numbered_pairs(chosen)
