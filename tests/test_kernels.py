"""Gram matrices against the definitions, POT and SciPy."""

import math
from collections import Counter

import numpy as np
import ot
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

import naive
import naive_features
from grafik import (
    FiltrationKernel,
    Graphs,
    Histograms,
    as_graphs,
    datasets,
    kernels,
    wasserstein,
    weights,
)
from grafik import pairs as pairs_module
from grafik.features import (
    CyclicPatterns,
    Graphlets,
    ShortestPaths,
    VertexEdgeHistogram,
    WeisfeilerLehman,
)
from grafik.products import product_gram
from strategies import build, raw_batches
from test_histograms import Levels, plain

small = raw_batches(label=st.integers(0, 1), max_graphs=4, max_nodes=5)
gammas = st.sampled_from([0.0, 2.0**-12, 0.3, 1.0, 8.0, 2.0**12])


def naive_levels(kernel, graphs):
    """The filtration of a fitted kernel, in the form that `plain` takes."""
    return Levels(kernel.filtration_.levels(graphs), len(kernel.alphas_))


def naive_gram(kernel, graphs):
    """The Gram matrix by definition, with the thresholds that the kernel has learned."""
    rows = plain(graphs, naive_levels(kernel, graphs), kernel.features.depth)
    alphas = kernel.alphas_.tolist()
    if kernel.scale == "unit":
        alphas = naive.unit(alphas)
    if kernel.combine == "sum":
        return [[naive.sum_kernel(a, b, alphas, kernel.gamma) for b in rows] for a in rows]
    delta = alphas[-1] if kernel.alpha_delta is None else kernel.alpha_delta
    return [
        [naive.product_kernel(a, b, alphas, kernel.gamma, kernel.beta, delta) for b in rows]
        for a in rows
    ]


@given(
    small,
    gammas,
    st.sampled_from(["unit", "raw"]),
    st.sampled_from(["degree", "triangles", "jaccard", "curvature", "core", "betweenness"]),
    st.sampled_from(["kmeans", "kmeans-distinct", "quantile", "distinct", [3.0, 2.5, -1.0]]),
)
def test_sum_kernel_is_that_of_the_definition(raw, gamma, scale, weight, thresholds):
    assume(raw)
    graphs = build(raw)
    kernel = FiltrationKernel(
        WeisfeilerLehman(2), weight=weight, thresholds=thresholds, scale=scale, gamma=gamma
    )
    found = kernel.fit_transform(graphs)
    np.testing.assert_allclose(found, naive_gram(kernel, graphs), rtol=1e-12)


WEIGHTS = [weights.Walks(4), weights.Attribute(), "canonical", lambda g: g.edges.sum(axis=1) - 3.5]


@pytest.mark.parametrize("weight", WEIGHTS, ids=["walks", "attribute", "canonical", "function"])
def test_sum_kernel_with_the_other_weights(weight):
    @given(small)
    def check(raw):
        assume(raw)
        for g in raw:  # real weights, ties and negative ones among them
            g.edge_attributes = [float((u - v) ** 2 % 5) - 1.5 for u, v in g.edges]
            g.edge_labels = None
        graphs = build(raw)
        assume(len(graphs.edges))
        kernel = FiltrationKernel(WeisfeilerLehman(1), weight=weight, thresholds="distinct")
        found = kernel.fit_transform(graphs)
        np.testing.assert_allclose(found, naive_gram(kernel, graphs), rtol=1e-12)

    check()


FEATURES = {
    "shortest paths": (ShortestPaths(), naive_features.shortest_paths),
    "graphlets": (
        Graphlets(3, connected=False),
        lambda n, e, *_: naive_features.graphlets(n, e, 3, False),
    ),
    "cyclic patterns": (CyclicPatterns(), naive_features.cyclic_patterns),
    "counts": (VertexEdgeHistogram(), naive_features.counts),
    "function": (
        lambda graph: [graph.number_of_edges(), *graph.edges],
        lambda n, edges, *_: Counter([len(edges), *edges]),
    ),
}


@pytest.mark.parametrize("combine", ["sum", "product"])
@pytest.mark.parametrize("name", FEATURES)
def test_kernels_with_the_other_features(name, combine):
    features, definition = FEATURES[name]

    @given(small, gammas)
    def check(raw, gamma):
        assume(raw)
        graphs = build(raw)
        kernel = FiltrationKernel(
            features, thresholds="distinct", gamma=gamma, combine=combine, beta=0.01
        )
        found = kernel.fit_transform(graphs)
        alphas = naive.unit(kernel.alphas_.tolist())
        rows = [
            by_level(g, kernel.filtration_.levels(as_graphs(g)), len(alphas), definition)
            for g in graphs
        ]
        expected = [
            [
                naive.sum_kernel(a, b, alphas, gamma)
                if combine == "sum"
                else naive.product_kernel(a, b, alphas, gamma, 0.01, alphas[-1])
                for b in rows
            ]
            for a in rows
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)

    check()


def by_level(graph, levels, n_levels, definition):
    """Histograms of one graph: what a definition counts in each filtration graph."""
    result = {}
    for level in range(n_levels):
        kept = [i for i in range(graph.n_edges) if levels[i] <= level]
        edges = [tuple(graph.edges[i].tolist()) for i in kept]
        kinds = None
        if graph.edge_labels is not None:
            kinds = dict(zip(edges, [graph.edge_labels[i] for i in kept], strict=True))
        for feature, count in definition(graph.n_nodes, edges, graph.node_labels, kinds).items():
            result.setdefault(feature, [0] * n_levels)[level] = count
    return result


@given(small, gammas, st.sampled_from(["unit", "raw"]), st.sampled_from([None, 0.25, -2.0]))
def test_product_kernel_is_that_of_the_definition(raw, gamma, scale, delta):
    assume(raw)
    graphs = build(raw)
    kernel = FiltrationKernel(
        WeisfeilerLehman(1),
        thresholds="distinct",
        scale=scale,
        gamma=gamma,
        combine="product",
        beta=0.01,
        alpha_delta=delta,
    )
    found = kernel.fit_transform(graphs)
    np.testing.assert_allclose(found, naive_gram(kernel, graphs), rtol=1e-12, atol=1e-300)


def test_product_of_similar_large_graphs_does_not_cancel():
    """Two graphs that share all but one feature of many: the exponent is a difference of sums."""
    edges = [(i, i + 1) for i in range(300)]
    labels = [i % 37 for i in range(301)]
    other = labels.copy()
    other[150] = 99
    graphs = Graphs.from_edge_lists([edges, edges], node_labels=[labels, other])
    kernel = FiltrationKernel(
        WeisfeilerLehman(3), combine="product", beta=1e-9, gamma=1e-3, thresholds="distinct"
    )
    found = kernel.fit_transform(graphs)
    expected = np.array(naive_gram(kernel, graphs))
    np.testing.assert_allclose(1 - found[0, 1], 1 - expected[0, 1], rtol=1e-9)
    assert found[0, 0] == found[1, 1] == 1.0


def test_the_product_depends_on_its_two_graphs_alone():
    """Histograms that are multiples of each other share a class, but not their rounding."""
    graphs = Graphs(
        [0, 2, 3, 8],
        [0, 1, 1, 8],
        [(0, 1), (0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)],
    )
    kernel = FiltrationKernel(
        WeisfeilerLehman(0), thresholds=[11.0, 9.0, 2.0], combine="product", beta=1e-3, gamma=0.5
    )
    assert kernel.fit_transform(graphs)[2, 2] == 1.0
    assert kernel.fit(graphs[[2]]).transform(graphs)[2, 0] == 1.0


def test_squares_of_large_masses_do_not_cancel():
    """Masses of 3e8 have squares beyond 2^53; the exponents are 9 and 36."""
    n_levels, n = 1000, 300_000
    base = n * n_levels
    runs = [[(0, n), (1, n + 3 * i)] if i else [(0, n)] for i in range(3)]
    histograms = Histograms(
        n_levels,
        [0, 1, 2, 3],
        [0, 0, 0],
        np.array([5, 5, 5], np.uint64),
        np.cumsum([0, *(len(r) for r in runs)]),
        [level for r in runs for level, _ in r],
        [count for r in runs for _, count in r],
    )
    masses = [base + 3 * i * (n_levels - 1) for i in range(3)]
    assert histograms.masses.tolist() == masses
    beta = 1.0 / (n_levels - 1) ** 2
    axis = np.linspace(1, 0, n_levels)
    found = product_gram(histograms, histograms, axis, 0.0, beta, 0.0)
    np.testing.assert_allclose(found[0], np.exp([0.0, -9.0, -36.0]), rtol=1e-12)
    assert np.linalg.eigvalsh(found)[0] > -1e-12


@pytest.mark.parametrize(("delta", "gamma"), [(100.0, 4096.0), (1e6, 1.0), (1e9, 4096.0)])
def test_far_dummies_do_not_cost_precision(delta, gamma):
    graphs, _ = datasets.random_graphs(6, n_nodes=9, density=0.5)
    kernel = FiltrationKernel(
        VertexEdgeHistogram(),
        weight="jaccard",
        thresholds="distinct",
        combine="product",
        alpha_delta=delta,
        gamma=gamma,
        beta=0.0,
    )
    found = kernel.fit_transform(graphs)
    # All graphs have the same two features, so the dummy must not matter at all.
    kernel.set_params(alpha_delta=None)
    np.testing.assert_allclose(found, kernel.fit_transform(graphs), rtol=1e-11)


def test_mirroring_by_tiles():
    matrix = np.arange(49.0).reshape(7, 7)
    expected = np.tril(matrix) + np.tril(matrix, -1).T
    for block in (1, 2, 3, 7, 9):
        mirrored = matrix.copy()
        pairs_module.mirror(mirrored, block)
        assert np.array_equal(mirrored, expected)


def test_the_same_hash_at_another_depth_is_another_feature():
    def one(depth, count):
        return Histograms(1, [0, 1], [depth], np.array([7], np.uint64), [0, 1], [0], [count])

    axis = np.zeros(1)
    assert kernels.sum_gram(one(0, 2), one(0, 3), axis, 1.0).tolist() == [[6.0]]
    assert kernels.sum_gram(one(0, 2), one(1, 3), axis, 1.0).tolist() == [[0.0]]


def test_tables_stay_within_their_budget(monkeypatch):
    graphs, _ = datasets.random_graphs(60, n_nodes=(3, 9), density=0.5)
    kernel = FiltrationKernel(WeisfeilerLehman(2), weight="betweenness").fit(graphs)
    histograms, axis = kernel.histograms_, np.array([1.0, 0.5, 0.0])
    sizes = []
    for budget in (0, 50, 1 << 23):
        monkeypatch.setattr(pairs_module, "_MAX_TABLES", budget)
        pairs = pairs_module.matched(histograms, histograms, axis[:-1] - axis[1:], None, None)
        sizes.append(len(pairs.distances))
        assert sizes[-1] <= budget
    assert 0 == sizes[0] < sizes[1] < sizes[2]


@given(small, st.integers(1, 8))
def test_tables_and_direct_distances_have_the_same_bits(raw, budget):
    assume(raw)
    graphs = build(raw)
    for combine in ("sum", "product"):
        kernel = FiltrationKernel(WeisfeilerLehman(2), combine=combine, beta=0.01)
        with pytest.MonkeyPatch.context() as patch:
            found = []
            for size in (1 << 23, budget, 0):
                patch.setattr(pairs_module, "_MAX_TABLES", size)
                found.append(kernel.fit_transform(graphs))
        assert np.array_equal(found[0], found[1])
        assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("width", [8, 24, 256])
@pytest.mark.parametrize("combine", ["sum", "product"])
def test_tiles_have_the_bits_of_the_definition_in_order(width, combine, monkeypatch):
    """Many alike graphs, so that features are spread over tiles, and some that stand alone."""
    graphs, _ = datasets.random_graphs(90, n_nodes=(0, 9), density=(0.1, 0.6), n_labels=2)
    options = {"combine": combine, "beta": 1e-3, "gamma": 0.7}
    kernel = FiltrationKernel(WeisfeilerLehman(2), **options)
    monkeypatch.setattr(pairs_module, "_TILE", width)
    found = kernel.fit_transform(graphs)
    np.testing.assert_allclose(found, naive_gram(kernel, graphs), rtol=1e-12, atol=1e-300)
    monkeypatch.setattr(pairs_module, "_MAX_TABLES", 0)
    assert np.array_equal(kernel.fit_transform(graphs), found)
    assert np.array_equal(kernel.transform(graphs[::3]), found[::3])
    kernel.set_params(thresholds=kernel.alphas_.tolist())
    assert np.array_equal(kernel.fit_transform(graphs[::-1]), found[::-1, ::-1])


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6),
    st.lists(st.floats(-100, 100), min_size=6, max_size=6, unique=True),
)
def test_wasserstein_is_that_of_scipy_and_pot(pairs, points):
    x, y = (np.array(column, float) for column in zip(*pairs, strict=True))
    assume(x.sum() > 0)
    assume(y.sum() > 0)
    alphas = np.sort(points)[::-1][: len(x)]
    found = wasserstein(x, y, alphas)
    largest = max(1.0, np.abs(alphas).max())
    assert found == pytest.approx(wasserstein_distance(alphas, alphas, x, y), abs=1e-14 * largest)
    p, q = x / x.sum(), y / y.sum()
    assert found == pytest.approx(ot.wasserstein_1d(alphas, alphas, p, q), abs=1e-14 * largest)
    cost = np.abs(alphas[:, None] - alphas[None, :])
    assert found == pytest.approx(ot.emd2(p, q, cost), abs=1e-12 * largest)
    assert found == pytest.approx(naive.wasserstein(x, y, alphas), abs=1e-14 * largest)


def test_wasserstein_of_extreme_numbers():
    assert wasserstein([1, 0], [1, 0], [1.7e308, -1.7e308]) == 0.0
    assert wasserstein([1, 0], [0, 1], [1.7e308, -1.7e308]) == np.finfo(float).max
    assert wasserstein([1e308, 1e308], [1, 1], [2, 1]) == 0.0
    assert wasserstein([1, 0], [0, 1], [5e-324, 0.0]) == 5e-324


@pytest.mark.parametrize(
    ("x", "y", "alphas", "message"),
    [
        ([1, 2], [1, 2, 3], [3, 2, 1], r"x must have shape \(3,\), got \(2,\)"),
        ([1, 2], [0, 0], [2, 1], "y must be finite, not negative and not all zero"),
        ([1, -2], [1, 0], [2, 1], "x must be finite, not negative"),
        ([1, math.nan], [1, 0], [2, 1], "x must be finite"),
        ([1, 2], [1, 0], [1, 2], r"alphas must be finite and decrease, got \[1, 2\]"),
    ],
)
def test_wasserstein_refuses_what_is_no_histogram(x, y, alphas, message):
    with pytest.raises(ValueError, match=message):
        wasserstein(x, y, alphas)
