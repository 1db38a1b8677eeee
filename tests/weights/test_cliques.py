"""Numbers of cliques through an edge: exact, in any order, and refused if there are too many."""

from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import naive_weights as naive
from grafik import Graphs, datasets
from grafik.weights import Cliques, cliques, long_work, triangles
from weighted_graphs import by_definition, larger, one_graph, permuted, random_edges


@given(graphs=larger, size=st.integers(3, 7))
def test_cliques_match_their_definition(graphs, size):
    assert_array_equal(Cliques(size)(graphs), by_definition(naive.cliques, graphs, size))


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7, 30])
def test_cliques_of_dense_graphs_match_their_definition(size):
    kinds = [(0, 0.0), (1, 0.0), (7, 1.0), (12, 0.8), (14, 0.5), (3, 0.5), (13, 1.0)]
    lists = [random_edges(n, density, n) for n, density in kinds]
    graphs = Graphs.from_edge_lists(lists, [n for n, _ in kinds])
    if size == 30:
        assert not Cliques(size)(graphs).any()
    else:
        assert_array_equal(Cliques(size)(graphs), by_definition(naive.cliques, graphs, size))


@pytest.mark.parametrize("n", [65, 66, 67, 130, 131])
def test_more_than_64_common_neighbours_are_counted(n):
    graphs = Graphs.from_networkx([nx.complete_graph(n)])
    for size in (3, 4, 5):
        assert_array_equal(Cliques(size)(graphs), comb(n - 2, size - 2))


@given(st.integers(1, 40), st.sampled_from([0.1, 0.3, 0.7]), st.integers(0, 2**32))
def test_networkx_agrees_on_larger_graphs(n, density, seed):
    graphs = one_graph(random_edges(n, density, seed), n)
    expected = dict.fromkeys(map(tuple, graphs.edges.tolist()), 0)
    for clique in nx.enumerate_all_cliques(graphs.to_networkx()[0]):
        if len(clique) > 4:
            break
        if len(clique) == 4:
            for edge in expected:
                expected[edge] += set(edge) <= set(clique)
    assert Cliques()(graphs).tolist() == list(expected.values())


def test_cliques_of_three_are_triangles():
    graphs, _ = datasets.random_graphs(5, n_nodes=(5, 20), density=0.4)
    assert_array_equal(Cliques(3)(graphs), triangles(graphs))


def test_vertex_order_and_blocks_change_no_bit(monkeypatch):
    graphs, _ = datasets.random_graphs(8, n_nodes=(5, 60), density=(0.1, 0.8), random_state=1)
    other, rows = permuted(graphs, np.random.default_rng(0))
    expected = Cliques(5)(graphs)
    assert_array_equal(Cliques(5)(other)[rows], expected)
    monkeypatch.setattr(cliques, "_BLOCK", 10_000)
    assert_array_equal(Cliques(5)(graphs), expected)


def test_large_stars_and_wheels():
    leaves = 10_000
    star = np.column_stack([np.zeros(leaves, int), np.arange(1, leaves + 1)])
    assert not Cliques()(one_graph(star, leaves + 1)).any()
    # Hubs have long lists, but no more to do than others: each rim edge closes two cliques.
    rim = np.column_stack([np.arange(1, leaves), np.arange(2, leaves + 1)])
    hub = np.column_stack([np.full(leaves, leaves + 1), np.arange(1, leaves + 1)])
    found = Cliques()(Graphs.from_edge_lists([np.concatenate([star, rim, hub, [[0, leaves + 1]]])]))
    assert found.max() == leaves - 1
    assert found.sum() == 6 * (leaves - 1)


def test_too_many_cliques_are_refused_before_they_are_counted():
    graphs = Graphs.from_networkx([nx.path_graph(3), nx.complete_graph(150)])
    with pytest.raises(ValueError, match=r"Cliques\(size=9\) would take up to .* days on graph 1"):
        Cliques(9)(graphs)
    with pytest.raises(ValueError, match="150 vertices and 11175 edges; count smaller cliques"):
        Cliques(70)(graphs)
    assert Cliques(4)(graphs).max() == comb(148, 2)


def test_the_limit_is_for_single_graphs(monkeypatch):
    monkeypatch.setattr(long_work, "LIMIT", 1e-3)
    assert Cliques()(Graphs.from_networkx([nx.complete_graph(12)] * 50)).max() == comb(10, 2)


@pytest.mark.parametrize("size", [2, 0, 4.0, "4", None, True])
def test_size_must_be_an_integer_of_at_least_three(size):
    with pytest.raises(ValueError, match="size must be an integer of at least 3, got"):
        Cliques(size)(datasets.csl(copies=1)[0])


def test_directed_graphs_are_refused():
    with pytest.raises(ValueError, match="the weight 'cliques' takes undirected graphs"):
        Cliques()(one_graph([(0, 1)], 2, directed=True))
