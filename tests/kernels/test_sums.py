"""The sum kernel: that of the definition, rounded the same way whatever is kept."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive
from all_kernels import DEFINITIONS, WEIGHTS
from grafik import FiltrationKernel, Histograms, as_graphs, datasets
from grafik.features import WeisfeilerLehman
from grafik.kernels import sums as kernels
from grafik.kernels import tiles
from kernel_definitions import gammas, naive_gram, small
from kernel_strategies import masses
from strategies import build

QUICK = ["degree", "triangles", "jaccard", "curvature", "core", "betweenness"]


@given(
    small,
    gammas,
    st.sampled_from(["unit", "raw"]),
    st.sampled_from(QUICK),
    st.sampled_from(["kmeans", "kmeans-distinct", "quantile", "distinct", [3.0, 2.5, -1.0]]),
    masses,
)
def test_sum_kernel_is_that_of_the_definition(raw, gamma, scale, weight, thresholds, mass):
    assume(raw)
    graphs, how = build(raw), {"scale": scale, "gamma": gamma, "mass": mass}
    kernel = FiltrationKernel(WeisfeilerLehman(2), weight=weight, thresholds=thresholds, **how)
    found = kernel.fit_transform(graphs)
    np.testing.assert_allclose(found, naive_gram(kernel, graphs), rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in WEIGHTS if name not in QUICK])
def test_sum_kernel_with_the_other_weights(name):
    @given(small, masses)
    def check(raw, mass):
        assume(raw)
        for g in raw:  # real weights, ties and negative ones among them
            g.edge_attributes = [float((u - v) ** 2 % 5) - 1.5 for u, v in g.edges]
            g.edge_labels = None
            g.node_attributes = [[v**2 % 5 - 1.5, v % 2] for v in range(g.n)]
        graphs = build(raw)
        assume(len(graphs.edges))
        kernel = FiltrationKernel(
            WeisfeilerLehman(1), weight=WEIGHTS[name], thresholds="distinct", mass=mass
        )
        found = kernel.fit_transform(graphs)
        np.testing.assert_allclose(found, naive_gram(kernel, graphs), rtol=1e-12)

    check()


@pytest.mark.parametrize(
    ("combine", "mass"), [("sum", "linear"), ("sum", "min"), ("product", "linear")]
)
@pytest.mark.parametrize("name", DEFINITIONS)
def test_kernels_with_the_other_features(name, combine, mass):
    features, definition = DEFINITIONS[name]

    @given(small, gammas)
    def check(raw, gamma):
        assume(raw)
        graphs = build(raw)
        kernel = FiltrationKernel(
            features, thresholds="distinct", gamma=gamma, combine=combine, beta=0.01, mass=mass
        )
        found = kernel.fit_transform(graphs)
        alphas = naive.unit(kernel.alphas_.tolist())
        rows = [
            by_level(g, kernel.filtration_.levels(as_graphs(g)), len(alphas), definition)
            for g in graphs
        ]
        expected = [
            [
                naive.sum_kernel(a, b, alphas, gamma, mass)
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


def test_the_same_hash_at_another_depth_is_another_feature():
    def one(depth, count):
        return Histograms(1, [0, 1], [depth], np.array([7], np.uint64), [0, 1], [0], [count])

    axis = np.zeros(1)
    assert kernels.sum_gram(one(0, 2), one(0, 3), axis, 1.0).tolist() == [[6.0]]
    assert kernels.sum_gram(one(0, 2), one(1, 3), axis, 1.0).tolist() == [[0.0]]
    assert kernels.sum_gram(one(0, 2), one(0, 3), axis, 1.0, smaller=True).tolist() == [[2.0]]


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


@pytest.mark.parametrize("mass", ["linear", "min"])
@pytest.mark.parametrize("largest", [3, 900, 10**6])
def test_heavy_masses_have_the_bits_of_a_single_rounding(largest, mass):
    """Whether a mass is below 512 must not show: a product is rounded once, in either way."""
    how = {"smaller": mass == "min"}
    rng = np.random.default_rng(largest)
    histograms, counts = many_rows(rng, 70, largest)
    axis, gamma = np.array([1.0, 0.3, 0.0]), 0.8
    found = kernels.sum_gram(histograms, histograms, axis, gamma, **how)
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
        row = [kernels.sum_gram(alone[i], other, axis, gamma, **how)[0, 0] for other in alone]
        assert np.array_equal(row, found[i])
        expected = [naive_sum(histograms, i, j, axis, gamma, mass) for j in range(70)]
        np.testing.assert_allclose(row, expected, rtol=1e-13)


def naive_sum(histograms, i, j, axis, gamma, mass):
    a, b = ({k: v.tolist() for k, v in histograms[g].items()} for g in (i, j))
    return naive.sum_kernel(a, b, axis.tolist(), gamma, mass)


@pytest.mark.parametrize("mass", ["linear", "min"])
@pytest.mark.parametrize("n_sums", [1, 700, 1 << 17])
@pytest.mark.parametrize("budget", [0, 70, 500, 1 << 20])
def test_what_a_tile_keeps_does_not_change_the_bits(budget, n_sums, mass, monkeypatch):
    """Beyond its budget tables are looked up, and rows are taken in blocks of any size."""
    graphs, _ = datasets.random_graphs(130, n_nodes=(3, 9), density=0.5, n_labels=2)
    kernel = FiltrationKernel(WeisfeilerLehman(2), mass=mass)
    x = kernel.fit(graphs).histograms_
    found = [kernel.on_histograms().gram(x, x)]
    for name, value in (("_MAX_KEPT", budget), ("_MAX_SUMS", n_sums)):
        monkeypatch.setattr(tiles, name, value)
    rooms, add_tile = [], kernels.add_tile

    def watched(tile, pairs, base, rate, scratch, running, out):
        rooms.append(scratch.lines.size)
        add_tile(tile, pairs, base, rate, scratch, running, out)

    monkeypatch.setattr(kernels, "add_tile", watched)
    found.append(kernel.on_histograms().gram(x, x))
    assert max(rooms) <= budget
    assert np.array_equal(*found)


def test_each_histogram_that_several_rows_have_gets_one_line(monkeypatch):
    """If at least one column in eight has the feature: then its products are computed once."""
    histograms, counts = many_rows(np.random.default_rng(0), 24, 3)
    rows, has = Counter(), Counter(histograms.features.tolist())
    for feature, row in zip(histograms.features.tolist(), counts.tolist(), strict=True):
        rows[feature, tuple(Fraction(count, sum(row)) for count in row)] += 1
    lines = sum(n > 1 and 8 * has[feature] >= 24 for (feature, _), n in rows.items())
    used, add_tile = [], kernels.add_tile

    def watched(tile, pairs, tables, far, scratch, running, out):
        add_tile(tile, pairs, tables, far, scratch, running, out)
        used.append(int(scratch.used[0]))

    monkeypatch.setattr(kernels, "add_tile", watched)
    kernels.sum_gram(histograms, histograms, np.array([1.0, 0.3, 0.0]), 0.8)
    assert used == [lines]
    assert lines > 12


@pytest.mark.parametrize("smaller", [False, True])
def test_masses_beyond_exact_products_do_not_show_where_lines_are_kept(smaller):
    """A light mass times a heavy one is rounded once, in whatever order graphs come."""

    def gram(x, y):
        return kernels.sum_gram(x, y, axis, 1.0, smaller=smaller)

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
    found = gram(whole, whole)
    assert np.array_equal(gram(other, other), found[np.ix_(order, order)])
    assert np.array_equal(gram(whole.between(0, 200), whole), found)
