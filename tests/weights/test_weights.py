"""Weights: equal to their definitions, the same for isomorphic graphs, and always finite."""

import subprocess
import sys
from collections import Counter
from itertools import combinations

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
from grafik.weights.walks import inner_lists
from grafik.weights.walks_loops import count_walks
from strategies import batches, build, raw_batches

LARGEST = np.finfo(float).max
STRUCTURAL = [name for name in NAMES if name != "attribute"]
simple_labels = st.sampled_from(["C", "O", 7])
larger = raw_batches(label=simple_labels, max_nodes=8, loops=False).map(build)


def by_definition(function, graphs, *arguments):
    rows = [function(g.n_nodes, g.edges.tolist(), *arguments) for g in graphs]
    return [value for row in rows for value in row]


def random_edges(n, density, seed):
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(n), 2))).reshape(-1, 2)
    return pairs[rng.random(len(pairs)) < density]


def one_graph(edges, n, **columns):
    return Graphs([0, n], [0, len(edges)], edges, **columns)


def permuted(graphs, rng):
    """The same graphs with vertices in another order, and where each edge went."""
    order = [rng.permutation(n) for n in graphs.n_nodes]
    lists = [p[g.edges] for p, g in zip(order, graphs, strict=True)]
    labels = None
    if graphs.node_labels is not None:
        labels = [
            [g.node_labels[i] for i in np.argsort(p)] for p, g in zip(order, graphs, strict=True)
        ]
    moved = Graphs.from_edge_lists(lists, graphs.n_nodes, node_labels=labels)
    rows = []
    for start, ends, g in zip(moved.edge_ptr, lists, moved, strict=False):
        at = {tuple(edge): row for row, edge in enumerate(g.edges.tolist())}
        rows += [int(start) + at[tuple(sorted(edge))] for edge in ends.tolist()]
    return moved, np.array(rows, np.int64)


def per_graph(graphs, values):
    return [sorted(part.tolist()) for part in np.split(values, graphs.edge_ptr[1:-1])]


# Definitions


@pytest.mark.parametrize("name", ["degree", "triangles", "core", "jaccard", "curvature"])
@given(graphs=larger)
def test_weights_match_their_definitions(name, graphs):
    assert_array_equal(compute(name, graphs), by_definition(getattr(naive, name), graphs))


@given(graphs=larger)
def test_betweenness_matches_its_definition(graphs):
    expected = np.array(by_definition(naive.betweenness, graphs), float)
    assert_array_equal(weights.betweenness(graphs), expected.astype(np.float32))


@given(graphs=larger, length=st.integers(1, 12))
def test_walks_match_their_definition(graphs, length):
    assert_array_equal(Walks(length)(graphs), by_definition(naive.walks, graphs, length))


@given(batch=raw_batches(loops=False), small_first=st.booleans())
def test_attribute_is_a_column(batch, small_first):
    graphs = build(batch)
    if graphs.edge_attributes is None:
        return
    for column in range(graphs.edge_attributes.shape[1]):
        given_values = [
            dict(zip([tuple(sorted(e)) for e in g.edges], g.edge_attributes, strict=True))
            for g in batch
        ]
        values = [row[column] for table in given_values for _, row in sorted(table.items())]
        expected = [-value if small_first else value for value in values]
        assert_array_equal(Attribute(column, small_first)(graphs), expected)


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


# Walks


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


def star_walks(leaves, length):
    """From hub to leaf only odd lengths lead: 1 + leaves + leaves^2 + ..."""
    return sum(leaves**k for k in range((length + 1) // 2))


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
    for _ in range(3):
        other, rows = permuted(graphs, rng)
        assert_array_equal(compute(weight, graphs), compute(weight, other)[rows])


@pytest.mark.parametrize("length", [25, 101])
def test_vertex_order_changes_no_bit_of_walks_before_they_are_rounded(length):
    # Rounding hides a difference nearly always, but not always.
    def counted(graphs):
        lists = graphs.adjacency, inner_lists(graphs)
        return count_walks(graphs.node_ptr, graphs.edge_ptr, *lists, length)

    rng = np.random.default_rng(0)
    graphs, _ = datasets.random_graphs(6, n_nodes=(20, 40), density=(0.1, 0.3), random_state=2)
    regular = Graphs.from_edge_lists([list(nx.random_regular_graph(5, 30, seed=1).edges)])
    graphs = Graphs.concat([graphs, regular])
    assert counted(graphs).max() > 2**53
    for _ in range(3):
        other, rows = permuted(graphs, rng)
        assert_array_equal(counted(graphs), counted(other)[rows])


@pytest.mark.parametrize("name", NAMES)
@given(graphs=batches)
def test_a_graph_has_the_same_weights_alone_and_in_a_batch(name, graphs):
    if name == "attribute" and graphs.edge_attributes is None:
        return
    alone = [compute(name, graphs[i : i + 1]) for i in range(len(graphs))]
    together = compute(name, graphs)
    assert_array_equal(np.concatenate([[], *alone]), together)
    assert together.dtype == np.float64
    assert together.shape == (len(graphs.edges),)
    assert np.isfinite(together).all()
    assert together.flags.writeable


@pytest.mark.parametrize("name", NAMES)
def test_graphs_without_edges_have_no_weights(name):
    for sizes in ([], [0], [1], [0, 3, 1]):
        graphs = Graphs(np.cumsum([0, *sizes]), [0] * (len(sizes) + 1), [])
        assert compute(name, graphs).shape == (0,)


@pytest.mark.parametrize("name", ["degree", "walks", "triangles", "core", "jaccard", "curvature"])
def test_large_stars_and_paths(name):
    n = 200_000
    star = np.column_stack([np.full(n, 100), np.r_[0:100, 101 : n + 1]])
    n = 1_000_000
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    graphs = Graphs.from_edge_lists([star, path], [200_001, n])
    hub, line = np.split(compute(name, graphs), [200_000])
    small = one_graph([(v, v + 1) for v in range(20)], 21)
    expected = {"degree": 200_000, "core": 1, "curvature": 4 - 200_001}
    expected["walks"] = star_walks(200_000, 7)
    assert set(hub.tolist()) == {expected.get(name, 0)}
    assert set(line.tolist()) == set(compute(name, small).tolist())


def chain(layers, width):
    """Layers of vertices, each joined to the whole next one: width ** layers shortest paths."""
    inside = [(a, b + width) for a in range(width) for b in range(width)]
    return (np.array(inside) + width * np.arange(layers - 1)[:, None, None]).reshape(-1, 2)


def test_betweenness_refuses_to_count_too_many_paths():
    graphs = Graphs.from_edge_lists([[(0, 1)], chain(660, 3)])
    with pytest.raises(ValueError, match="graph 1 has more than 1e308 shortest paths"):
        weights.betweenness(graphs)
    assert np.isfinite(weights.betweenness(Graphs.from_edge_lists([chain(60, 3)]))).all()


# Attribute


def test_attribute_says_what_is_missing():
    bare = one_graph([(0, 1)], 2)
    with pytest.raises(ValueError, match="no edge attributes; pass edge_attributes when you build"):
        Attribute()(bare)
    two = one_graph([(0, 1)], 2, edge_attributes=[[1.0, 2.0]])
    assert Attribute(1, small_first=False)(two).tolist() == [2.0]
    with pytest.raises(ValueError, match="column must be less than 2, the number of .* got 2"):
        Attribute(2)(two)
    for column in (-1, 1.0, None, False):
        with pytest.raises(ValueError, match="column must be an integer of at least 0, got"):
            Attribute(column)(two)
    with pytest.raises(ValueError, match="small_first must be True or False, got 'no'"):
        Attribute(small_first="no")(two)


@pytest.mark.parametrize("small_first", [True, False])
def test_attribute_knows_one_zero(small_first):
    graphs = one_graph([(0, 1), (1, 2)], 3, edge_attributes=[0.0, -0.0])
    assert not np.signbit(Attribute(small_first=small_first)(graphs)).any()


def test_real_distances_are_weights(data):
    graphs, _ = datasets.read_tu(data / "BZR_MD")
    values = compute("attribute", graphs)
    assert_array_equal(values, -graphs.edge_attributes[:, 0])
    assert len(np.unique(values)) > 1000


# Canonical


def weighted(graph, values):
    """As networkx, with labels on vertices and weights on edges."""
    result = nx.Graph()
    labels = graph.node_labels or [None] * graph.n_nodes
    result.add_nodes_from((v, {"label": label}) for v, label in enumerate(labels))
    result.add_edges_from((*e, {"weight": w}) for e, w in zip(graph.edges, values, strict=True))
    return result


@given(graphs=larger, seed=st.integers(0, 2**32))
def test_canonical_weights_are_those_of_any_permutation(graphs, seed):
    other, _ = permuted(graphs, np.random.default_rng(seed))
    here, there = weights.canonical(graphs), weights.canonical(other)
    assert per_graph(graphs, here) == per_graph(other, there)
    split = graphs.edge_ptr[1:-1]
    for g, h, x, y in zip(
        graphs, other, np.split(here, split), np.split(there, split), strict=False
    ):
        assert nx.is_isomorphic(
            weighted(g, x),
            weighted(h, y),
            node_match=lambda a, b: a["label"] == b["label"],
            edge_match=lambda a, b: a["weight"] == b["weight"],
        )


@given(graphs=raw_batches(label=simple_labels, max_nodes=5, loops=False).map(build))
def test_canonical_weights_write_the_graph_down(graphs):
    values = np.split(weights.canonical(graphs), graphs.edge_ptr[1:-1])
    for g, row in zip(graphs, values, strict=False):
        form = naive.matrix(g.n_nodes, row.tolist())
        assert len(form) == g.n_edges
        assert naive.isomorphic(g.n_nodes, g.edges.tolist(), form)


def test_edges_with_one_end_stay_together_in_the_canonical_form():
    # An asymmetric tree: each vertex must land where all of its edges say.
    rng = np.random.default_rng(3)
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)]
    index = {w: pair for pair, w in naive.triangle_index(7).items()}
    for _ in range(20):
        graphs = one_graph(rng.permutation(7)[edges], 7)
        pairs = [index[w] for w in weights.canonical(graphs).tolist()]
        for v in range(7):
            here = [set(p) for p, e in zip(pairs, graphs.edges, strict=True) if v in e]
            assert set.intersection(*here)


def test_canonical_weights_tell_hard_pairs_apart():
    graphs, _ = datasets.wl_hard()
    rows = per_graph(graphs, weights.canonical(graphs))
    for i in range(0, len(graphs), 2):
        assert graphs.n_nodes[i] == graphs.n_nodes[i + 1]
        assert rows[i] != rows[i + 1]
    rng = np.random.default_rng(5)
    other, _ = permuted(graphs, rng)
    assert per_graph(other, weights.canonical(other)) == rows


def test_canonical_weights_tell_all_small_graphs_apart():
    atlas = [g for g in nx.graph_atlas_g() if g.number_of_nodes() <= 5]
    lists, sizes = [list(g.edges) for g in atlas], [g.number_of_nodes() for g in atlas]
    graphs = Graphs.from_edge_lists(lists, sizes)
    rows = per_graph(graphs, weights.canonical(graphs))
    keys = [(n, *row) for n, row in zip(sizes, rows, strict=True)]
    assert len(keys) == 53  # 1 + 1 + 2 + 4 + 11 + 34 graphs with 0 to 5 vertices
    assert Counter(keys).most_common(1)[0][1] == 1


def test_labels_decide_where_vertices_go_in_the_canonical_form():
    path = [(0, 1), (1, 2)]
    graphs = Graphs.from_edge_lists([path] * 3, node_labels=[list("ABA"), list("AAB"), list("BAA")])
    one, two, three = per_graph(graphs, weights.canonical(graphs))
    assert one != two == three
    labelled = one_graph([(0, 1)], 3, node_labels=["A", "A", "B"])
    assert weights.canonical(labelled).tolist() == weights.canonical(
        one_graph([(1, 2)], 3, node_labels=["B", "A", "A"])
    )


def test_canonical_needs_igraph(monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(
        ImportError, match=r"the canonical weight needs igraph.*grafik\[canonical\]"
    ):
        weights.canonical(one_graph([(0, 1)], 2))


# Compute


def test_names_are_those_of_the_documentation():
    words = "degree walks triangles core betweenness jaccard curvature attribute canonical"
    assert list(NAMES) == words.split()
    with pytest.raises(
        ValueError, match="weight must be one of 'degree', .*'canonical', got 'dgre"
    ):
        compute("dgree", datasets.csl(copies=1)[0])


def test_names_stand_for_the_defaults():
    graphs, _ = datasets.csl(copies=1)
    assert_array_equal(compute("walks", graphs), Walks(length=7)(graphs))
    assert_array_equal(compute("degree", graphs), compute(weights.degree, graphs))


@pytest.mark.parametrize(
    "returned",
    [[True, False, True], [3, 1, 2], np.float32([1, 2, 0.5]), np.uint8([0, 255, 3]), (1, 2.5, -3)],
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
    assert clone(Attribute(2, small_first=False)).get_params() == {
        "column": 2,
        "small_first": False,
    }


def test_importing_weights_loads_no_numba():
    code = (
        "import sys, grafik.weights; "
        "print([m for m in ('numba', 'rustworkx', 'igraph', 'networkx') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
