"""Numbers of cycles through an edge: exact, in any order, and refused if they take too long."""

from math import perm

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import naive_weights as naive
from grafik import Graphs, datasets
from grafik.weights import Cycles, cycles, long_work, triangles
from weighted_graphs import by_definition, larger, one_graph, permuted, random_edges


@given(graphs=larger, length=st.integers(3, 6))
def test_cycles_match_their_definition(graphs, length):
    assert_array_equal(Cycles(length)(graphs), by_definition(naive.cycles, graphs, length))


@pytest.mark.parametrize("length", [3, 4, 5, 6])
@given(st.integers(6, 12), st.sampled_from([0.2, 0.4, 0.7, 1.0]), st.integers(0, 2**32))
def test_cycles_of_larger_graphs_match_their_definition(length, n, density, seed):
    graphs = one_graph(random_edges(n, density if n < 10 else density / 2, seed), n)
    assert_array_equal(Cycles(length)(graphs), by_definition(naive.cycles, graphs, length))


@pytest.mark.parametrize("length", [3, 4, 5, 6])
def test_networkx_agrees(length):
    graphs, _ = datasets.random_graphs(3, n_nodes=(15, 30), density=(0.1, 0.2), random_state=3)
    expected = []
    for one, graph in zip(graphs, graphs.to_networkx(), strict=True):
        count = dict.fromkeys(map(tuple, one.edges.tolist()), 0)
        for cycle in nx.simple_cycles(graph, length_bound=length):
            if len(cycle) == length:
                for u, v in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
                    count[min(u, v), max(u, v)] += 1
        expected += count.values()
    assert sum(expected) > 0
    assert Cycles(length)(graphs).tolist() == expected


@pytest.mark.parametrize("length", [4, 5, 6])
def test_all_cycles_of_complete_graphs_are_counted(length):
    for n in (3, 10, 150):
        graphs = Graphs.from_networkx([nx.complete_graph(n)])
        assert_array_equal(Cycles(length)(graphs), perm(n - 2, length - 2))


def test_cycles_of_three_are_triangles():
    graphs, _ = datasets.random_graphs(5, n_nodes=(5, 20), density=0.4)
    assert_array_equal(Cycles(3)(graphs), triangles(graphs))


@pytest.mark.parametrize("length", [4, 5, 6])
def test_vertex_order_and_blocks_change_no_bit(length, monkeypatch):
    graphs, _ = datasets.random_graphs(8, n_nodes=(5, 60), density=(0.1, 0.8), random_state=1)
    other, rows = permuted(graphs, np.random.default_rng(0))
    expected = Cycles(length)(graphs)
    assert_array_equal(Cycles(length)(other)[rows], expected)
    monkeypatch.setattr(cycles, "_BLOCK", 10_000)
    assert_array_equal(Cycles(length)(graphs), expected)


def test_large_stars_paths_and_rings():
    leaves = 10_000
    star = np.column_stack([np.zeros(leaves, int), np.arange(1, leaves + 1)])
    assert not Cycles()(one_graph(star, leaves + 1)).any()
    n = 300_000
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    ring = np.concatenate([path, [[0, n - 1]]])
    squares = np.concatenate([path[::2], path[1::2] + n, [[0, n], [5, n + 5]]])
    for edges in (path, ring, squares):
        assert not Cycles()(Graphs.from_edge_lists([edges])).any()


def test_hopeless_work_is_refused_before_it_begins():
    n = 200_000
    spokes = np.column_stack([np.zeros(n, int), np.arange(1, n + 1)])
    rim = np.column_stack([np.arange(1, n), np.arange(2, n + 1)])
    wheel = np.concatenate([spokes, rim])
    graphs = Graphs.from_edge_lists([[(0, 1)], wheel])
    with pytest.raises(ValueError, match=r"Cycles\(\) would take .* on graph 1, .* another weight"):
        Cycles()(graphs)


def test_the_limit_is_for_single_graphs(monkeypatch):
    monkeypatch.setattr(long_work, "LIMIT", 1e-3)
    assert Cycles()(Graphs.from_networkx([nx.complete_graph(12)] * 50)).max() == perm(10, 4)


@pytest.mark.parametrize("length", [2, 0, 4.0, "4", None, True])
def test_length_must_be_an_integer_of_at_least_three(length):
    with pytest.raises(ValueError, match="length must be an integer of at least 3, got"):
        Cycles(length)(datasets.csl(copies=1)[0])


def test_length_must_be_at_most_six():
    with pytest.raises(ValueError, match="length must be at most 6, got 7"):
        Cycles(7)(datasets.csl(copies=1)[0])


def test_directed_graphs_are_refused():
    with pytest.raises(ValueError, match="the weight 'cycles' takes undirected graphs"):
        Cycles()(one_graph([(0, 1)], 2, directed=True))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3, "3 seconds"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (7200, "2 hours"),
        (2e5, "2.31"),
    ],
)
def test_times_are_told_in_a_unit_that_suits_them(seconds, text):
    assert long_work.in_words(seconds).startswith(text)
