"""The product kernel: that of the definition, without cancellation."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grafik import FiltrationKernel, Graphs, Histograms, datasets
from grafik.features import VertexEdgeHistogram, WeisfeilerLehman
from grafik.kernels import products
from grafik.kernels.products import product_gram
from kernel_definitions import gammas, naive_gram, small
from strategies import build


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


def test_squares_beyond_integers_of_64_bits_are_squares():
    """Masses are 2^32 and 2^20 more, so that products take up to 65 bits; the exponent is 1."""
    rows, one = np.arange(3), np.zeros(2, np.int32)
    histograms = Histograms(1, rows, one, one.astype(np.uint64), rows, one, [2**32, 2**32 + 2**20])
    found = product_gram(histograms, histograms, np.zeros(1), 0.0, 2.0**-40, 0.0)
    np.testing.assert_allclose(found, [[1, np.exp(-1)], [np.exp(-1), 1]], rtol=1e-12)


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
