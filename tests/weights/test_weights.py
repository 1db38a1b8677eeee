"""Weights: equal to their definitions, the same for isomorphic graphs, and always finite."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import naive_weights as naive
from grafik import Graphs, datasets, weights
from grafik.weights import NAMES, Attribute, Walks, compute
from strategies import batches
from weighted_graphs import by_definition, larger, one_graph, permuted, random_edges, star_walks

# What weights need of graphs, besides their edges.
NEEDED = {
    "attribute": "edge_attributes",
    "attribute:small": "edge_attributes",
    "node-distance": "node_attributes",
}
KEYED = ["marked"]  # these return keys, not numbers
NUMBERS = [name for name in NAMES if name not in KEYED]
STRUCTURAL = [name for name in NUMBERS if name not in NEEDED]


# Definitions


@pytest.mark.parametrize("name", ["degree", "triangles", "core", "jaccard", "curvature"])
@given(graphs=larger)
def test_weights_match_their_definitions(name, graphs):
    assert_array_equal(compute(name, graphs), by_definition(getattr(naive, name), graphs))


@given(graphs=larger)
def test_betweenness_matches_its_definition(graphs):
    expected = np.array(by_definition(naive.betweenness, graphs), float)
    assert_array_equal(weights.betweenness(graphs), expected.astype(np.float32))


@pytest.mark.parametrize("seed", range(6))
def test_networkx_agrees(seed):
    n = 5 + 8 * seed
    edges = random_edges(n, 0.25, seed)
    graphs = one_graph(edges, n)
    nx_graph = graphs.to_networkx()[0]
    pairs = [tuple(edge) for edge in graphs.edges.tolist()]
    number = nx.core_number(nx_graph)
    assert_array_equal(weights.core(graphs), [max(number[u], number[v]) for u, v in pairs])
    shared = [len(list(nx.common_neighbors(nx_graph, u, v))) for u, v in pairs]
    assert_array_equal(weights.triangles(graphs), shared)
    ratio = [value for *_, value in nx.jaccard_coefficient(nx_graph, pairs)]
    assert_array_equal(weights.jaccard(graphs), ratio)
    between = nx.edge_betweenness_centrality(nx_graph)
    assert_allclose(weights.betweenness(graphs), [between[p] for p in pairs], rtol=1e-7)


def test_betweenness_is_rounded_to_float32():
    values = weights.betweenness(datasets.wl_hard("decalin")[0])
    assert_array_equal(values, values.astype(np.float32))
    assert values.dtype == np.float64


# Isomorphic graphs, batches, empty graphs


@pytest.mark.parametrize("weight", [*(n for n in STRUCTURAL if n != "canonical"), Walks(40)])
@given(graphs=larger, seed=st.integers(0, 2**32))
def test_vertex_order_changes_no_bit(weight, graphs, seed):
    other, rows = permuted(graphs, np.random.default_rng(seed))
    assert_array_equal(compute(weight, graphs), compute(weight, other)[rows])


@pytest.mark.parametrize("weight", ["walks", "betweenness", Walks(25), Walks(101), Walks(160)])
def test_vertex_order_changes_no_bit_of_larger_graphs(weight):
    rng = np.random.default_rng(0)
    graphs, _ = datasets.random_graphs(6, n_nodes=(30, 40), density=(0.1, 0.4), random_state=1)
    expected = compute(weight, graphs)
    for _ in range(3):
        other, rows = permuted(graphs, rng)
        assert_array_equal(expected, compute(weight, other)[rows])


@pytest.mark.parametrize("name", NUMBERS)
@given(graphs=batches)
def test_a_graph_has_the_same_weights_alone_and_in_a_batch(name, graphs):
    if name in NEEDED and getattr(graphs, NEEDED[name]) is None:
        return
    alone = [compute(name, graphs[i : i + 1]) for i in range(len(graphs))]
    together = compute(name, graphs)
    assert_array_equal(np.concatenate([[], *alone]), together)
    assert together.dtype == np.float64
    assert together.shape == (len(graphs.edges),)
    assert np.isfinite(together).all()
    assert together.flags.writeable


@pytest.mark.parametrize("name", NUMBERS)
def test_graphs_without_edges_have_no_weights(name):
    for sizes in ([], [0], [1], [0, 3, 1]):
        graphs = Graphs(np.cumsum([0, *sizes]), [0] * (len(sizes) + 1), [])
        assert compute(name, graphs).shape == (0,)


@pytest.fixture(scope="module")
def star_and_path():
    n = 200_000
    star = np.column_stack([np.full(n, 100), np.r_[0:100, 101 : n + 1]])
    n = 1_000_000
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    return Graphs.from_edge_lists([star, path], [200_001, n])


@pytest.mark.parametrize("name", ["degree", "walks", "triangles", "core", "jaccard", "curvature"])
def test_large_stars_and_paths(name, star_and_path):
    hub, line = np.split(compute(name, star_and_path), [200_000])
    small = one_graph([(v, v + 1) for v in range(20)], 21)
    expected = {"degree": 200_000, "core": 1, "curvature": 4 - 200_001}
    expected["walks"] = star_walks(200_000, 7)
    assert set(hub.tolist()) == {expected.get(name, 0)}
    assert set(line.tolist()) == set(compute(name, small).tolist())


# Compute


def test_names_are_those_of_the_documentation():
    words = "degree walks walks:3 triangles core betweenness jaccard curvature attribute"
    words += " attribute:small node-distance cliques cycles resistance marked canonical"
    assert list(NAMES) == words.split()
    with pytest.raises(
        ValueError, match="weight must be one of 'degree', .*'canonical', got 'dgre"
    ):
        compute("dgree", datasets.csl(copies=1)[0])


def test_names_stand_for_the_defaults():
    graphs, _ = datasets.csl(copies=1)
    assert_array_equal(compute("walks", graphs), Walks(length=7)(graphs))
    assert_array_equal(compute("walks:3", graphs), Walks(length=3)(graphs))
    assert_array_equal(compute("cliques", graphs), weights.Cliques(size=4)(graphs))
    assert_array_equal(compute("cycles", graphs), weights.Cycles(length=6)(graphs))
    assert_array_equal(compute("resistance", graphs), weights.Resistance(first="small")(graphs))
    assert_array_equal(compute("degree", graphs), compute(weights.degree, graphs))


@pytest.mark.parametrize(
    "returned",
    [
        *([True, False, True], [3, 1, 2], np.float32([1, 2, 0.5]), np.uint8([0, 255, 3])),
        *((1, 2.5, -3), [2**53 + 2, -(2**62), 1]),  # which floats can hold, too
    ],
)
def test_any_real_numbers_are_weights(returned):
    values = compute(lambda graphs: returned, one_graph([(0, 1), (1, 2), (0, 2)], 3))
    assert values.dtype == np.float64
    assert_array_equal(values, np.asarray(returned, float))


def test_the_result_is_a_copy():
    mine = np.zeros(1)
    compute(lambda graphs: mine, one_graph([(0, 1)], 2))[0] = 5
    assert mine[0] == 0


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([1.0, 2.0], r"one number per edge, an array of shape \(4,\), got shape \(2,\)"),
        (np.ones((4, 1)), r"shape \(4,\), got shape \(4, 1\)"),
        (3.0, r"shape \(4,\), got shape \(\)"),
        ([1j, 1, 2, 3], "real numbers, got an array of complex128"),
        (["a", "b", "c", "d"], "real numbers, got an array of <U1"),
        (None, "real numbers, got an array of object"),
        ([[1], [1, 2], 3, 4], "one number per edge, got nested lists"),
        (np.ma.masked_equal([0, 1, 2, 3], 2), "a number for every edge, got a masked array"),
        ([0, 1, 2, np.nan], r"graph 2, edge 0 \(0, 2\): the weight must be finite, got nan"),
        ([0, -np.inf, 2, 3], r"graph 0, edge 1 \(0, 2\): the weight must be finite, got -inf"),
        (np.longdouble("1e400") * np.ones(4), r"graph 0, edge 0 \(0, 1\): .* got (1e\+400|inf)"),
    ],
)
def test_other_results_are_refused(returned, message):
    graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (0, 2)], [], [(0, 2)]], n_nodes=[3, 2, 3])
    with pytest.raises(ValueError, match=message):
        compute(lambda graphs: returned, graphs)


@pytest.mark.parametrize("weight", [None, 3, ["degree"], Walks])
def test_a_weight_is_a_name_or_callable(weight):
    with pytest.raises(TypeError, match="to choose from several, use FiltrationClassifier"):
        compute(["degree", "walks"], Graphs.from_edge_lists([[(0, 1)]]))
    with pytest.raises(TypeError, match="weight must be a name, a function or a callable object"):
        compute(weight, datasets.csl(copies=1)[0])


def test_what_a_weight_raises_comes_through():
    def broken(graphs):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        compute(broken, datasets.csl(copies=1)[0])


def test_parameters_work_as_in_scikit_learn():
    walks = clone(Walks(length=3)).set_params(length=5)
    assert walks.get_params() == {"length": 5}
    assert repr(Attribute(column=1)) == "Attribute(column=1)"
    assert clone(Attribute(2, first="small")).get_params() == {
        "column": 2,
        "first": "small",
    }


def test_importing_weights_loads_no_numba():
    code = (
        "import sys, grafik.weights; "
        "print([m for m in ('numba', 'rustworkx', 'igraph', 'networkx') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
