from itertools import combinations

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from grafik import datasets
from grafik.datasets.generators import _random_pairs


def wl_histograms(graph, depth):
    """The multiset of Weisfeiler-Lehman labels at each depth."""
    labels = graph.node_labels or [0] * graph.n_nodes
    edges = graph.edges.tolist()
    return [sorted(naive.wl_labels(graph.n_nodes, edges, labels, d)) for d in range(depth + 1)]


def test_csl_graphs_are_those_of_the_definition_up_to_isomorphism():
    graphs, y = datasets.csl(copies=2)
    assert y.tolist() == [s for s in (2, 3, 4, 5, 6, 9, 11, 12, 13, 16) for _ in range(2)]
    for graph, skip in zip(graphs.to_networkx(), y, strict=True):
        assert nx.is_isomorphic(graph, nx.circulant_graph(41, [1, int(skip)]))


def as_igraph(graph):
    """The same graph for igraph, which decides isomorphism fast."""
    return igraph.Graph(graph.n_nodes, graph.edges.tolist())


def test_csl_classes_are_not_isomorphic_but_the_same_for_weisfeiler_lehman():
    graphs, _ = datasets.csl(copies=1)
    for a, b in combinations(map(as_igraph, graphs), 2):
        assert not a.isomorphic(b)
    assert len({str(wl_histograms(g, 2)) for g in graphs}) == 1


def test_csl_copies_are_permuted_by_the_seed():
    first, again, other = (datasets.csl(random_state=seed)[0] for seed in (0, 0, 1))
    assert first == again != other
    assert len({g.edges.tobytes() for g in first}) == 100
    assert datasets.csl(random_state=None)[0] != datasets.csl(random_state=None)[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 4}, "n must be an integer of at least 5, got 4"),
        ({"n": 41.0}, "n must be an integer of at least 5, got 41.0"),
        ({"copies": -1}, "copies must be an integer of at least 0, got -1"),
        ({"n": 8, "skips": [4]}, "a skip must be from 2 to 6 and not 4, got 4"),
        ({"n": 8, "skips": [7]}, "a skip must be from 2 to 6"),
        ({"skips": [1]}, "a skip must be from 2 to 39"),
    ],
)
def test_csl_refuses_what_is_not_4_regular(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.csl(**arguments)


def test_the_triangle_pair_is_the_prism_and_k33():
    graphs, y = datasets.triangle_pair()
    prism, bipartite = graphs.to_networkx()
    assert nx.is_isomorphic(prism, nx.circular_ladder_graph(3))
    assert nx.is_isomorphic(bipartite, nx.complete_bipartite_graph(3, 3))
    assert wl_histograms(graphs[0], 6) == wl_histograms(graphs[1], 6)
    assert y.tolist() == [0, 1]


def test_figure_one_has_the_counts_its_docstring_tells():
    graphs, _ = datasets.figure_one()
    weights = graphs[0].edge_attributes[:, 0]
    leaves = []
    for threshold in (4, 3, 2, 1):
        degrees = np.bincount(graphs[0].edges[weights >= threshold].ravel(), minlength=6)
        leaves.append(int((degrees == 1).sum()))
    assert leaves == [2, 4, 1, 1]


@pytest.mark.parametrize("pair", ["decalin", "rook", "cfi"])
def test_hard_pairs_differ_but_not_for_weisfeiler_lehman(pair):
    graphs, y = datasets.wl_hard(pair)
    assert y.tolist() == [0, 0]
    assert not as_igraph(graphs[0]).isomorphic(as_igraph(graphs[1]))
    depth = 3 if pair == "rook" else 4
    assert wl_histograms(graphs[0], depth) == wl_histograms(graphs[1], depth)
    # The partition is stable long before: refining it further cannot tell them apart either.
    numbers = [len(set(level)) for level in wl_histograms(graphs[0], depth)]
    assert numbers[-1] == numbers[-2]


def test_hard_pairs_are_the_known_graphs():
    graphs, y = datasets.wl_hard()
    decalin, bicyclopentyl, rook, shrikhande, *cfi = graphs.to_networkx()
    assert y.tolist() == [0, 0, 1, 1, 2, 2]
    assert sorted(map(len, nx.minimum_cycle_basis(decalin))) == [6, 6]
    assert sorted(map(len, nx.minimum_cycle_basis(bicyclopentyl))) == [5, 5]
    assert nx.is_isomorphic(rook, nx.line_graph(nx.complete_bipartite_graph(4, 4)))
    for graph in (rook, shrikhande):
        common = {
            (graph.has_edge(a, b), len(list(nx.common_neighbors(graph, a, b))))
            for a, b in combinations(graph, 2)
        }
        assert common == {(True, 2), (False, 2)}  # strongly regular (16, 6, 2, 2)
    assert all(sorted(dict(graph.degree).values()) == [3] * 16 + [4] * 12 for graph in cfi)


def test_an_unknown_pair_is_refused():
    with pytest.raises(ValueError, match="pair must be None or one of 'decalin', 'rook', 'cfi'"):
        datasets.wl_hard("petersen")


def test_random_graphs_have_the_asked_sizes_and_densities():
    graphs, y = datasets.random_graphs(60, n_nodes=(30, 50), density=(0.1, 0.5), n_labels=3)
    assert y.tolist() == [0, 1] * 30
    assert 30 <= graphs.n_nodes.min() < 33
    assert 47 < graphs.n_nodes.max() <= 50
    pairs = graphs.n_nodes * (graphs.n_nodes - 1) / 2
    for label, density in enumerate((0.1, 0.5)):
        found = graphs.n_edges[y == label].sum() / pairs[y == label].sum()
        error = np.sqrt(density * (1 - density) / pairs[y == label].sum())
        assert abs(found - density) < 5 * error
    assert sorted(graphs.node_labels.values) == [0, 1, 2]
    assert graphs == datasets.random_graphs(60, (30, 50), (0.1, 0.5), 3, random_state=0)[0]
    assert graphs != datasets.random_graphs(60, (30, 50), (0.1, 0.5), 3, random_state=1)[0]


def test_random_graphs_at_the_ends():
    full, _ = datasets.random_graphs(2, n_nodes=6, density=1.0)
    assert full.n_edges.tolist() == [15, 15]
    none, _ = datasets.random_graphs(2, n_nodes=6, density=0.0)
    assert none.n_edges.tolist() == [0, 0]
    assert datasets.random_graphs(2, n_nodes=0)[0].n_nodes.tolist() == [0, 0]
    assert len(datasets.random_graphs(0)[0]) == 0


@given(st.integers(0, 60), st.integers(0, 99))
def test_every_pair_can_be_drawn_and_none_twice(n, seed):
    edges = _random_pairs(n, 1.0, np.random.default_rng(seed)).tolist()
    assert naive.simple_edges(edges) == list(combinations(range(n), 2))
    assert len(edges) == n * (n - 1) // 2


def test_pairs_of_large_graphs_are_numbered_exactly():
    class Ends:
        """Draws the pairs at which a square root that is off by one would show."""

        def binomial(self, n, p):
            return 0

        def choice(self, n, *_, **__):
            v = np.arange(10**6 - 5, 10**6 + 1)
            return np.concatenate([v * (v - 1) // 2 - 1, v * (v - 1) // 2])

    edges = _random_pairs(2 * 10**6, 0.5, Ends())
    assert ((edges[:, 0] >= 0) & (edges[:, 0] < edges[:, 1])).all()
    v = np.arange(10**6 - 5, 10**6 + 1)
    expected = np.concatenate([np.column_stack([v - 2, v - 1]), np.column_stack([0 * v, v])])
    assert edges.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_graphs": -1}, "n_graphs must be an integer of at least 0, got -1"),
        ({"n_nodes": (5, 3)}, "the second of n_nodes must be an integer of at least 5, got 3"),
        ({"n_nodes": 2.5}, "n_nodes must be an integer of at least 0, got 2.5"),
        ({"density": 1.5}, "density must be between 0 and 1"),
        ({"density": ()}, "density must be between 0 and 1"),
        ({"density": float("nan")}, "density must be between 0 and 1"),
    ],
)
def test_random_graphs_refuse_nonsense(arguments, message):
    with pytest.raises(ValueError, match=message):
        datasets.random_graphs(**arguments)
