"""Numbers of walks: exact as far as they can be, and finite beyond."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import naive_weights as naive
from grafik import Graphs, datasets
from grafik.system.threads import new_flag
from grafik.weights import Walks
from grafik.weights.walks import inner_lists
from grafik.weights.walks_loops import EXACT, count_few_walks, count_walks
from weighted_graphs import (
    LARGEST,
    by_definition,
    larger,
    one_graph,
    permuted,
    random_edges,
    star_walks,
)


def one_by_one(graphs, length):
    """Walks counted from each vertex, which is slow but counts any number of them."""
    walks, shape = np.zeros(len(graphs.edges)), (graphs.node_ptr, graphs.edge_ptr, graphs.adjacency)
    count_walks(*shape, inner_lists(graphs), length, np.zeros(len(graphs), bool), walks, new_flag())
    return walks


@given(graphs=larger, length=st.integers(1, 12))
def test_walks_match_their_definition(graphs, length):
    expected = by_definition(naive.walks, graphs, length)
    assert_array_equal(Walks(length)(graphs), expected)
    assert_array_equal(one_by_one(graphs, length), expected)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 10, 13, 64, 65])
def test_both_ways_to_count_walks_agree(length):
    rng = np.random.default_rng(length)
    sizes = [0, 1, 2, 7, 30, 255, 256, 257, 400] if length < 20 else [0, 1, 2, 7, 30]
    lists = [random_edges(n, rng.choice([1.5, 4, 12]) / max(n, 12), n + length) for n in sizes]
    graphs = Graphs.from_edge_lists([*lists, *lists[::-1]], [*sizes, *sizes[::-1]])
    walks, shape = np.zeros(len(graphs.edges)), (graphs.node_ptr, graphs.edge_ptr, graphs.adjacency)
    counted = count_few_walks(*shape, length, walks, new_flag())
    rows, expected = np.repeat(counted, graphs.n_edges), one_by_one(graphs, length)
    assert (walks[rows] == expected[rows]).all()
    assert (walks[~rows] == 0).all()
    assert (expected[rows] < EXACT).all()
    assert counted.any() == (length < 65)
    assert not counted[graphs.n_nodes > 256].any()
    assert counted[graphs.n_nodes <= 256].all() or length > 7
    exact = expected < EXACT
    assert_array_equal(Walks(length)(graphs)[exact], expected[exact])


@pytest.mark.parametrize("length", [1, 2, 3, 6, 7, 20, 60, 300])
def test_walks_are_sums_of_matrix_powers(length):
    sizes = [(3, 1.0), (6, 0.5), (12, 0.4), (25, 0.1), (30, 0.9)]
    lists = [random_edges(n, density, n) for n, density in sizes]
    # A clique with a tail has small and huge numbers side by side, and vertices of degree one.
    lists.append(np.array([*combinations(range(20), 2), *((v, v + 1) for v in range(19, 31))]))
    graphs = Graphs.from_edge_lists(lists, [*(n for n, _ in sizes), 32])
    exact = []
    for g in graphs:
        a = np.zeros((g.n_nodes, g.n_nodes), object)
        for u, v in g.edges:
            a[u, v] = a[v, u] = 1
        power, total = a, a
        for _ in range(length - 1):
            power = power @ a
            total = total + power
        exact += [total[u, v] for u, v in g.edges]
    found = Walks(length)(graphs)
    for value, count in zip(found.tolist(), exact, strict=True):
        if count < 2**53:
            assert value == count
        elif count < int(LARGEST):
            assert abs(int(value) - count) <= count >> 29
        else:
            assert value == LARGEST
    large = found[(found >= 2**53) & (found < LARGEST)]
    if length >= 60:
        assert len(large)
    mantissa = np.ldexp(np.frexp(large)[0], 30)
    assert_array_equal(mantissa, np.round(mantissa))  # 30 bits


def test_walks_on_csl_have_as_many_values_as_in_the_paper():
    graphs, _ = datasets.csl()
    distinct = [len(np.unique(Walks(length)(graphs))) for length in range(1, 9)]
    assert distinct == [1, 3, 4, 7, 9, 14, 18, 19]


def test_counts_are_exact_up_to_2_to_the_53():
    edges = [(0, v) for v in range(1, 5)]
    graphs = one_graph(edges, 5)
    below, above = star_walks(4, 53), star_walks(4, 55)
    assert naive.walks(5, edges, 55) == [above] * 4
    assert 2**52 < below < 2**53 < above
    assert below % 2 == 1
    assert_array_equal(Walks(53)(graphs), below)
    assert_array_equal(Walks(54)(graphs), below)
    (value,) = set(Walks(55)(graphs).tolist())
    assert value != above
    assert abs(value - above) <= above * 2**-30


def test_a_small_count_is_exact_beside_huge_ones():
    # The tail is long enough for walks on its far end never to see the clique.
    clique = list(combinations(range(60), 2))
    tail = [(v, v + 1) for v in range(59, 119)]
    graphs = one_graph([*clique, *tail], 120)
    values = Walks(40)(graphs)
    assert values.max() > 2**200
    alone = Walks(40)(one_graph([(v, v + 1) for v in range(200)], 201))
    assert values[-1] == alone[-1] == naive.walks(60, [(v, v + 1) for v in range(59)], 40)[-1]


@pytest.mark.parametrize("length", [250, 10**6])
def test_too_many_walks_become_the_largest_float(length):
    graphs = Graphs.from_edge_lists([list(combinations(range(30), 2)), [(0, 1)]])
    values = Walks(length)(graphs)
    assert_array_equal(values[:-1], LARGEST)
    assert values[-1] == (length + 1) // 2


@pytest.mark.parametrize("length", [0, -3, 2.0, "7", None, True, np.float64(3)])
def test_length_must_be_a_positive_integer(length):
    walks = Walks(length)  # only complains when it is used
    with pytest.raises(ValueError, match="length must be an integer of at least 1, got"):
        walks(datasets.csl(copies=1)[0])


def test_numpy_integers_are_lengths():
    graphs, _ = datasets.csl(copies=1)
    assert_array_equal(Walks(np.int32(4))(graphs), Walks(4)(graphs))


@pytest.mark.parametrize("length", [25, 101])
def test_vertex_order_changes_no_bit_of_walks_before_they_are_rounded(length):
    # Rounding hides a difference nearly always, but not always.
    def counted(graphs):
        return one_by_one(graphs, length)

    rng = np.random.default_rng(0)
    graphs, _ = datasets.random_graphs(6, n_nodes=(20, 40), density=(0.1, 0.3), random_state=2)
    regular = Graphs.from_edge_lists([list(nx.random_regular_graph(5, 30, seed=1).edges)])
    graphs = Graphs.concat([graphs, regular])
    assert counted(graphs).max() > 2**53
    for _ in range(3):
        other, rows = permuted(graphs, rng)
        assert_array_equal(counted(graphs), counted(other)[rows])
