"""Distances between the attributes of the two ends, as weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone

import naive_weights as naive
from grafik import FiltrationClassifier, FiltrationKernel, Graphs, datasets, load
from grafik.weights import NodeDistance, compute
from strategies import build, finite, raw_batches
from weighted_graphs import LARGEST, one_graph, permuted

norms = st.sampled_from([1, 2, np.inf])
moderate = st.floats(-1e6, 1e6)
attributed = raw_batches(loops=False).map(build).filter(lambda g: g.node_attributes is not None)


def points(graphs):
    return [g.node_attributes.tolist() for g in graphs]


@given(graphs=attributed, norm=norms)
def test_distances_match_their_definition(graphs, norm):
    expected = [
        length
        for rows, g in zip(points(graphs), graphs, strict=True)
        for length in naive.node_distance(rows, g.edges.tolist(), norm)
    ]
    small, large = (NodeDistance(norm, first=first)(graphs) for first in ("small", "large"))
    assert_allclose(large, expected, rtol=1e-15, atol=1e-323)
    assert_array_equal(small, -large)
    assert not np.signbit(small[small == 0]).any()


@given(graphs=attributed, norm=norms, data=st.data())
def test_chosen_columns_are_all_that_counts(graphs, norm, data):
    names = ["x", "y"][: graphs.node_attributes.shape[1]]
    columns = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    named = with_attributes(graphs, graphs.node_attributes, names)
    numbers = [names.index(name) for name in columns]
    alone = with_attributes(graphs, graphs.node_attributes[:, numbers])
    expected = NodeDistance(norm)(alone)
    assert_array_equal(NodeDistance(norm, columns)(named), expected)
    assert_array_equal(NodeDistance(norm, tuple(numbers))(named), expected)
    if len(columns) == 1:
        assert_array_equal(NodeDistance(norm, columns[0])(named), expected)
        assert_array_equal(NodeDistance(norm, np.int64(numbers[0]))(graphs), expected)


def with_attributes(graphs, values, names=None):
    return Graphs(
        graphs.node_ptr,
        graphs.edge_ptr,
        graphs.edges,
        node_attributes=values,
        node_attribute_names=names,
        directed=graphs.directed,
    )


@given(graphs=attributed, norm=norms, seed=st.integers(0, 2**32))
def test_order_of_vertices_and_columns_changes_no_bit(graphs, norm, seed):
    random = np.random.default_rng(seed)
    values = np.column_stack(
        [graphs.node_attributes, random.normal(size=(graphs.n_nodes.sum(), 3))]
    )
    graphs = with_attributes(graphs, values)
    expected = NodeDistance(norm)(graphs)
    # Each vertex carries its number along.
    marked = Graphs(
        graphs.node_ptr, graphs.edge_ptr, graphs.edges, node_labels=np.arange(len(values))
    )
    other, rows = permuted(marked, random)
    moved = with_attributes(other, values[np.array(list(other.node_labels), int)])
    assert_array_equal(NodeDistance(norm)(moved)[rows], expected)
    shuffled = with_attributes(graphs, values[:, random.permutation(values.shape[1])])
    assert_array_equal(NodeDistance(norm)(shuffled), expected)


@given(graphs=attributed, norm=norms)
def test_both_directions_of_an_edge_have_one_distance(graphs, norm):
    both = [np.concatenate([g.edges, g.edges[:, ::-1]]) for g in graphs]
    directed = Graphs.from_edge_lists(
        both, graphs.n_nodes, directed=True, node_attributes=points(graphs)
    )
    one, two = NodeDistance(norm)(graphs), NodeDistance(norm)(directed)
    for i, g in enumerate(graphs):
        rows = [one[graphs.edge_ptr[i] + k] for k in range(g.n_edges)]
        table = dict(zip(map(tuple, g.edges.tolist()), rows, strict=True))
        start = directed.edge_ptr[i]
        for k, (u, v) in enumerate(directed[i].edges.tolist()):
            assert two[start + k] == table[min(u, v), max(u, v)]


@given(st.lists(st.lists(moderate, min_size=3, max_size=3), min_size=2, max_size=5), norms)
def test_scipy_agrees(rows, norm):
    pairs = np.array(np.triu_indices(len(rows), 1)).T
    graphs = one_graph(pairs, len(rows), node_attributes=rows)
    metric = {1: "cityblock", 2: "euclidean", np.inf: "chebyshev"}[norm]
    expected = cdist(rows, rows, metric)[tuple(pairs.T)]
    assert_allclose(NodeDistance(norm, first="large")(graphs), expected, rtol=1e-12, atol=1e-150)


@given(value=finite)
def test_a_power_of_two_scales_distances_and_changes_no_digit(value):
    def distance(scale):
        rows = np.ldexp([[1.0, 2.5, 0.3], [3.0, 1.1, np.tanh(value)]], scale)
        return NodeDistance(first="large")(one_graph([(0, 1)], 2, node_attributes=rows))[0]

    for scale in (-1000, -600, 600, 1000):
        assert distance(scale) == np.ldexp(distance(0), scale)


@pytest.mark.parametrize("norm", [1, 2, np.inf])
def test_the_largest_distances_are_finite(norm):
    rows = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [0.0, 0.0]]) * LARGEST
    graphs = one_graph([(0, 1), (0, 2), (0, 3)], 4, node_attributes=rows)
    found = compute(NodeDistance(norm), graphs)
    expected = [-LARGEST, -LARGEST, -LARGEST]
    assert found.tolist() == expected
    kernel = FiltrationKernel(weight=NodeDistance(norm)).fit(graphs)
    assert kernel.alphas_.tolist() == [-LARGEST]


def test_what_is_missing_or_wrong_is_said():
    bare = one_graph([(0, 1)], 2)
    with pytest.raises(ValueError, match=r"no node attributes; .*node_attribute=.* another weight"):
        NodeDistance()(bare)
    two = one_graph([(0, 1)], 2, node_attributes=[[1.0, 2.0], [1.0, 4.0]])
    for columns in (2, -1, [0, 2], 1.0, [None], True):
        with pytest.raises(ValueError, match="columns must be"):
            NodeDistance(columns=columns)(two)
    with pytest.raises(ValueError, match=r"columns must be different .* at least one, got \[\]"):
        NodeDistance(columns=[])(two)
    with pytest.raises(ValueError, match=r"columns must be different .* got \[1, 1\]"):
        NodeDistance(columns=[1, 1])(two)
    with pytest.raises(ValueError, match="'x', but the node attributes have no names; .* 0 to 1"):
        NodeDistance(columns="x")(two)
    named = with_attributes(two, two.node_attributes, ["x", "y"])
    with pytest.raises(ValueError, match="no node attribute 'z'; there are 'x', 'y'"):
        NodeDistance(columns=["x", "z"])(named)
    with pytest.raises(ValueError, match="norm must be one of 2, 1, inf, got 3"):
        NodeDistance(3)(two)
    with pytest.raises(ValueError, match="first must be one of 'small', 'large', got 'big'"):
        NodeDistance(first="big")(two)


def test_parameters_work_as_in_scikit_learn():
    weight = clone(NodeDistance(1, columns=["x"])).set_params(first="large")
    assert weight.get_params() == {"norm": 1, "columns": ["x"], "first": "large"}
    assert repr(NodeDistance(norm=np.inf)) == "NodeDistance(norm=inf)"


@pytest.fixture(scope="module")
def near_and_far():
    """Equal rings; the attributes of neighbours are near to or far from each other."""
    random = np.random.default_rng(0)
    values, y = [], np.array([0, 1] * 12)
    for far in y:
        angles = np.sort(random.uniform(0, 2 * np.pi, 10)) if not far else random.permutation(10)
        values.append(np.column_stack([np.cos(angles), np.sin(angles)]).tolist())
    ring = [(i, (i + 1) % 10) for i in range(10)]
    return Graphs.from_edge_lists([ring] * 24, node_attributes=values), y


@pytest.mark.parametrize(
    "weight",
    ["node-distance", NodeDistance(np.inf), NodeDistance(1, (0,), "large"), NodeDistance(2, [1])],
    ids=str,
)
def test_a_saved_model_predicts_the_same_bits(weight, near_and_far, tmp_path):
    graphs, y = near_and_far
    model = FiltrationClassifier(weight=weight, levels=[3], random_state=0).fit(graphs, y)
    model.save(tmp_path / "model")
    twin = load(tmp_path / "model")
    assert repr(twin.get_params()["weight"]) == repr(weight)
    assert_array_equal(twin.decision_function(graphs), model.decision_function(graphs))
    assert model.score(graphs, y) > 0.9


def test_distances_of_a_real_molecule_are_those_of_its_bonds(data):
    graphs, _ = datasets.read_tu(data / "DHFR")
    lengths = NodeDistance(first="large")(graphs)
    # Bonds of organic molecules are 0.9 to 2.5 Angstroms long.
    assert np.quantile(lengths, 0.001) > 0.9
    assert np.quantile(lengths, 0.999) < 2.5
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    moved = with_attributes(graphs, graphs.node_attributes @ turn + 7.0)
    assert_allclose(NodeDistance(first="large")(moved), lengths, rtol=1e-12)
