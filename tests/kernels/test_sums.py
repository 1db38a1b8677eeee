"""Gram matrices against the definitions, POT and SciPy."""

import math
from collections import Counter

import numpy as np
import ot
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance
from test_histograms import Levels, plain

import naive
import naive_features
from grafik import FiltrationKernel, Graphs, Histograms, as_graphs, datasets, wasserstein, weights
from grafik.features import (
    CyclicPatterns,
    Graphlets,
    ShortestPaths,
    VertexEdgeHistogram,
    WeisfeilerLehman,
)
from grafik.filtration.axis import unit_axis
from grafik.kernels import matching as pairs_module
from grafik.kernels import products
from grafik.kernels import sums as kernels
from grafik.kernels import wasserstein as distances
from grafik.kernels.products import product_gram
from strategies import build, raw_batches

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
        products._mirror(mirrored, block)
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
        pairs = pairs_module.matched(histograms, histograms, axis, None)
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


def many_rows(rng, n_graphs, largest):
    """Histograms of graphs that share a few features, with counts up to some size."""
    has = rng.random((n_graphs, 12)) < np.linspace(0.02, 1, 12)
    graph, feature = np.nonzero(has)
    counts = rng.integers(0, largest, (len(graph), 3)) * (rng.random((len(graph), 3)) < 0.5)
    counts[:, 1] += counts.sum(1) == 0
    graph_ptr = np.searchsorted(graph, np.arange(n_graphs + 1))
    levels = np.tile(np.arange(3), len(graph))
    run_ptr = 3 * np.arange(len(graph) + 1)
    features = feature.astype(np.uint64) << np.uint64(60)
    zeros = np.zeros(len(graph), np.int32)
    return Histograms(3, graph_ptr, zeros, features, run_ptr, levels, counts.ravel()), counts


@pytest.mark.parametrize("largest", [3, 900, 10**6])
def test_heavy_masses_have_the_bits_of_a_single_rounding(largest):
    """Whether a mass is below 512 must not show: a product is rounded once, in either way."""
    rng = np.random.default_rng(largest)
    histograms, counts = many_rows(rng, 70, largest)
    axis, gamma = np.array([1.0, 0.3, 0.0]), 0.8
    found = kernels.sum_gram(histograms, histograms, axis, gamma)
    alone = [
        Histograms(
            3,
            [0, end - start],
            np.zeros(end - start, np.int32),
            histograms.features[start:end],
            3 * np.arange(end - start + 1),
            np.tile(np.arange(3), end - start),
            counts[start:end].ravel(),
        )
        for start, end in zip(histograms.graph_ptr[:-1], histograms.graph_ptr[1:], strict=True)
    ]
    for i in range(0, 70, 7):
        row = [kernels.sum_gram(alone[i], other, axis, gamma)[0, 0] for other in alone]
        assert np.array_equal(row, found[i])
        expected = [naive_sum(histograms, i, j, axis, gamma) for j in range(70)]
        np.testing.assert_allclose(row, expected, rtol=1e-13)


def naive_sum(histograms, i, j, axis, gamma):
    a, b = ({k: v.tolist() for k, v in histograms[g].items()} for g in (i, j))
    return naive.sum_kernel(a, b, axis.tolist(), gamma)


@pytest.mark.parametrize("n_sums", [1, 700, 1 << 17])
@pytest.mark.parametrize("budget", [0, 70, 500, 1 << 20])
def test_what_a_tile_keeps_does_not_change_the_bits(budget, n_sums, monkeypatch):
    """Beyond its budget tables are looked up, and rows are taken in blocks of any size."""
    graphs, _ = datasets.random_graphs(130, n_nodes=(3, 9), density=0.5, n_labels=2)
    kernel = FiltrationKernel(WeisfeilerLehman(2))
    x = kernel.fit(graphs).histograms_
    found = [kernel.on_histograms().gram(x, x)]
    for name, value in (("_MAX_KEPT", budget), ("_MAX_SUMS", n_sums)):
        monkeypatch.setattr(kernels, name, value)
    rooms, add_tile = [], kernels._add_tile
    monkeypatch.setattr(kernels, "_add_tile", lambda *a: rooms.append(a[11].size) or add_tile(*a))
    found.append(kernel.on_histograms().gram(x, x))
    assert max(rooms) <= budget
    assert np.array_equal(*found)


histogram_runs = st.lists(
    st.tuples(st.integers(1, 12), st.integers(0, 5)), min_size=1, max_size=5
).filter(lambda runs: any(count for _, count in runs))


@given(histogram_runs, histogram_runs, st.integers(0, 10), st.integers(1, 1000), st.data())
def test_distances_by_runs_are_those_of_the_definition(a, b, late, factor, data):
    """Long runs, that overlap in every way, with one overtaking the other on the way."""
    n_levels = max(late + sum(n for n, _ in a), sum(n for n, _ in b))
    alphas = sorted(
        data.draw(
            st.lists(
                st.integers(1, 10**6), min_size=n_levels - 1, max_size=n_levels - 1, unique=True
            )
        ),
        reverse=True,
    )
    alphas = np.array([*alphas, 0.0])
    alphas /= max(alphas[0], 1.0)
    rows = [[0] * late, []]
    for row, runs in zip(rows, (a, b), strict=True):
        for length, count in runs:
            row += [count] * length
        row += [0] * (n_levels - len(row))
    expected = pytest.approx(naive.wasserstein(*rows, alphas.tolist()), abs=2e-15)
    profiles = [run_profile(row, n_levels) for row in rows]
    many = run_profile([factor * count for count in rows[0]], n_levels)
    assert np.array_equal(many, profiles[0])
    ends = [(0, len(p)) for p in profiles]
    axis = long_axis(alphas)
    for function in (distances._distance_by_runs, distances._distance_by_levels):
        found = function(profiles[0], *ends[0], profiles[1], *ends[1], axis)
        assert found == expected
        assert function(profiles[1], *ends[1], profiles[0], *ends[0], axis) == found
        assert function(profiles[0], *ends[0], many, *ends[0], axis) == 0.0
    by_level = [np.empty(n_levels - 1) for _ in rows]
    for out, p, end in zip(by_level, profiles, ends, strict=True):
        distances.accumulate(p, *end, 0, n_levels - 1, out)
    gaps = alphas[:-1] - alphas[1:]
    both = by_level[0], 0, n_levels - 1, by_level[1], 0, n_levels - 1
    assert distances.distance(*both, gaps) == found


def run_profile(row, n_levels):
    """The runs of a histogram, normalised, as for many levels."""
    starts = [i for i in range(n_levels) if (i == 0 and row[0]) or (i and row[i] != row[i - 1])]
    levels, counts = np.array(starts, np.int32), np.array([row[i] for i in starts], np.int64)
    lines = np.empty((len(starts), 3))
    ptr = np.array([0, len(starts)])
    distances._normalise(0, 1, np.zeros(1, np.int64), ptr, levels, counts, n_levels, ptr, lines)
    return lines


def long_axis(alphas):
    """The axis of any number of thresholds, as for many levels."""
    padding = np.linspace(-1, -2, distances.FEW + 1)
    axis = distances.axis_of(np.concatenate([alphas, padding]))[: len(alphas) + 1].copy()
    axis[len(alphas) - 1 :, 3] = 0.0
    return axis


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("combine", ["sum", "product"])
def test_many_levels_with_tables_and_without(combine, n_jobs, monkeypatch):
    """More classes than a block of a table has columns, with tables shared and not shared."""
    graphs, _ = datasets.random_graphs(300, n_nodes=(5, 25), density=0.3, random_state=1)
    options = {"weight": "curvature", "thresholds": "distinct", "combine": combine, "beta": 1e-5}
    kernel = FiltrationKernel(WeisfeilerLehman(2), n_jobs=n_jobs, **options)
    found = kernel.fit_transform(graphs)
    assert distances.FEW < len(kernel.alphas_) < distances.DENSE
    pairs = pairs_module.matched(
        kernel.histograms_, kernel.histograms_, unit_axis(kernel.alphas_)[0], n_jobs
    )
    n_classes = np.diff(pairs.x.class_ptr)
    assert n_classes.max() > pairs_module._COLUMNS
    tables = pairs.table_ptr[n_classes >= 16]
    assert len(set(tables.tolist())) < len(tables)
    few = graphs[:12]
    np.testing.assert_allclose(
        found[:12, :12], np.array(naive_gram(kernel, few)), rtol=1e-11, atol=1e-300
    )
    monkeypatch.setattr(pairs_module, "_WORTH_SHARING", 1 << 60)
    assert np.array_equal(kernel.fit_transform(graphs), found)
    monkeypatch.setattr(pairs_module, "_MAX_TABLES", 5000)
    assert np.array_equal(kernel.fit_transform(graphs), found)
    assert np.array_equal(kernel.transform(graphs[::7]), found[::7])


def test_tables_that_fit_are_not_given_up_for_one_that_does_not(monkeypatch):
    monkeypatch.setattr(pairs_module, "_MAX_TABLES", 100)
    worth = pairs_module._worth(np.array([400, 9, 64, 36, 4]), np.array([500, 90, 100, 40, 4]))
    assert worth.tolist() == [False, True, True, False, False]


def test_distances_of_many_levels_do_not_lose_digits():
    """Sums of 100,000 thresholds are subtracted from each other."""
    rng = np.random.default_rng(0)
    alphas = np.sort(rng.random(100_000))[::-1]
    alphas = (alphas - alphas[-1]) / (alphas[0] - alphas[-1])
    axis = distances.axis_of(alphas)
    assert len(alphas) > distances.DENSE
    for a, b in [((99_990, 3), (99_980, 1)), ((0, 1), (99_000, 2)), ((5, 7), (6, 9))]:
        x, y = (np.where(np.arange(100_000) < start, 0, count) for start, count in (a, b))
        x[:3] += 1
        p, q = (run_profile(row.tolist(), 100_000) for row in (x, y))
        found = distances.distance(p, 0, len(p), q, 0, len(q), axis)
        cumulative = np.cumsum(x) / x.sum() - np.cumsum(y) / y.sum()
        expected = math.fsum((alphas[:-1] - alphas[1:]) * np.abs(cumulative[:-1]))
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-15)


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


def test_masses_beyond_exact_products_do_not_show_where_lines_are_kept():
    """A light mass times a heavy one is rounded once, in whatever order graphs come."""
    rng = np.random.default_rng(0)
    light = np.column_stack([np.full(100, 1), rng.integers(1, 250, 100)])
    heavy = np.column_stack([np.full(100, 0), rng.integers(2**44, 2**46, 100)])
    rows = np.concatenate([light, heavy])

    def one_feature(rows):
        ends = np.arange(len(rows) + 1)
        same = np.zeros(len(rows), np.int32), np.full(len(rows), 7, np.uint64)
        return Histograms(3, ends, *same, ends, rows[:, 0], rows[:, 1])

    axis, order = np.array([1.0, 0.37, 0.0]), rng.permutation(200)
    whole, other = one_feature(rows), one_feature(rows[order])
    found = kernels.sum_gram(whole, whole, axis, 1.0)
    assert np.array_equal(kernels.sum_gram(other, other, axis, 1.0), found[np.ix_(order, order)])
    assert np.array_equal(kernels.sum_gram(whole.between(0, 200), whole, axis, 1.0), found)
