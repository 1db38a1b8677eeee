"""Core numbers and betweenness: equal to those of other libraries, in any order, however large."""

import networkx as nx
import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from grafik import Graphs, weights
from grafik.weights import centrality
from weighted_graphs import permuted, random_edges


def many_graphs():
    """Trees, cycles, dense and sparse graphs, trees on cycles, several components, no edges."""
    kinds = [nx.empty_graph(0), nx.empty_graph(1), nx.empty_graph(3), nx.path_graph(2)]
    kinds += [nx.path_graph(30), nx.star_graph(9), nx.cycle_graph(3), nx.cycle_graph(20)]
    kinds += [nx.complete_graph(12), nx.barbell_graph(6, 3), nx.lollipop_graph(5, 7)]
    kinds += [nx.grid_2d_graph(6, 7), nx.hypercube_graph(5), nx.petersen_graph()]
    kinds += [nx.disjoint_union_all([nx.cycle_graph(4), nx.path_graph(4), nx.empty_graph(2)])]
    kinds += [nx.disjoint_union_all([nx.grid_2d_graph(3, 3), nx.petersen_graph()])]
    for seed in range(60):
        n = 2 + 2 * (seed % 30)
        kinds += [nx.gnm_random_graph(n, m, seed) for m in (n // 2, n, 3 * n // 2, 4 * n)]
        kinds += [nx.barabasi_albert_graph(n + 2, 2, seed)]
    return Graphs.from_networkx([nx.convert_node_labels_to_integers(kind) for kind in kinds])


@pytest.fixture(scope="module")
def graphs():
    return many_graphs()


def per_edge(graphs, function):
    """What a function of rustworkx graphs and their edges finds, for all edges of a batch."""
    found = []
    for graph in graphs:
        theirs = rx.PyGraph()
        theirs.add_nodes_from(range(graph.n_nodes))
        theirs.add_edges_from_no_data([tuple(edge) for edge in graph.edges.tolist()])
        found += function(theirs, graph.edges.tolist())
    return np.array(found, float)


def deeper(graph, edges):
    number = rx.core_number(graph)
    return [max(number[u], number[v]) for u, v in edges]


def between(graph, edges):
    found = rx.graph_edge_betweenness_centrality(graph, parallel_threshold=10**6)
    return [found[i] for i in range(len(edges))]


def test_rustworkx_agrees(graphs):
    assert_array_equal(weights.core(graphs), per_edge(graphs, deeper))
    expected = per_edge(graphs, between).astype(np.float32)
    assert_array_equal(weights.betweenness(graphs), expected)


def test_networkx_agrees_on_graphs_of_all_kinds(graphs):
    numbers, values = [], []
    for one, graph in zip(graphs, graphs.to_networkx(), strict=True):
        number, value = nx.core_number(graph), nx.edge_betweenness_centrality(graph)
        numbers += [max(number[u], number[v]) for u, v in one.edges.tolist()]
        values += [value[u, v] for u, v in one.edges.tolist()]
    assert_array_equal(weights.core(graphs), numbers)
    assert_allclose(weights.betweenness(graphs), values, rtol=1e-7)


def test_vertex_order_changes_no_bit_of_many_graphs(graphs):
    for seed in range(5):
        other, rows = permuted(graphs, np.random.default_rng(seed))
        for weight in (weights.core, weights.betweenness):
            assert_array_equal(weight(graphs), weight(other)[rows])


@given(st.integers(1, 40), st.sampled_from([0.03, 0.06, 0.1, 0.3]), st.integers(0, 2**32))
def test_rustworkx_agrees_on_random_graphs(n, density, seed):
    graphs = Graphs.from_edge_lists([random_edges(n, density, seed)], [n])
    assert_array_equal(weights.core(graphs), per_edge(graphs, deeper))
    assert_allclose(weights.betweenness(graphs), per_edge(graphs, between), rtol=1e-7)


def test_blocks_change_no_bit(graphs, monkeypatch):
    expected = weights.betweenness(graphs)
    for block in (1, 1000, 100_000):
        monkeypatch.setattr(centrality, "_BLOCK", block)
        assert_array_equal(weights.betweenness(graphs), expected)


def test_betweenness_of_trees_takes_linear_time():
    n, leaves = 1_000_000, 200_000
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    star = np.column_stack([np.full(leaves, 100), np.r_[0:100, 101 : leaves + 1]])
    found = weights.betweenness(Graphs.from_edge_lists([path, star], [n, leaves + 1]))
    beyond = np.arange(1, n)
    expected = 2 * beyond * (n - beyond) / (n * (n - 1))
    assert_array_equal(found[: n - 1], expected.astype(np.float32))
    assert_array_equal(found[n - 1 :], np.float32(2 / (leaves + 1)))


def chain(layers):
    """Layers of three vertices, each joined to the whole next one: 3 ** (layers - 2) paths."""
    inside = [(a, b + 3) for a in range(3) for b in range(3)]
    return (np.array(inside) + 3 * np.arange(layers - 1)[:, None, None]).reshape(-1, 2)


def test_betweenness_counts_paths_up_to_the_largest_float():
    layers = 648  # 3 ** 646 paths between the ends is the last power below 1.8e308
    found = weights.betweenness(Graphs.from_edge_lists([chain(layers)]))
    below = np.arange(1, layers)
    # Nine edges share the paths between the layers below and those above. Two vertices of a layer
    # are joined over the neighbouring layers.
    around = np.where((np.arange(layers) == 0) | (np.arange(layers) == layers - 1), 3, 6)
    shares = below * (layers - below) + 2 / around[:-1] + 2 / around[1:]
    n = 3 * layers
    assert_allclose(found, np.repeat(2 * shares / (n * (n - 1)), 9), rtol=1e-7)


@pytest.mark.parametrize("layers", [649, 660])
def test_betweenness_refuses_to_count_more_paths(layers):
    graphs = Graphs.from_edge_lists([[(0, 1)], chain(layers)])
    with pytest.raises(ValueError, match="graph 1 has more than 1e308 shortest paths"):
        weights.betweenness(graphs)
