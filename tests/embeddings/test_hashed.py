"""Hashed vectors: products vary around the kernel by the law, and are the same anywhere."""

import hashlib

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

import naive
from embedded_graphs import THREE, naive_histograms, products, same
from grafik import FiltrationEmbedding, FiltrationKernel, datasets
from grafik.arrays.offsets import offsets
from grafik.embeddings.hashed import bin_histograms, draw_grids
from grafik.features import WeisfeilerLehman
from grafik.features.histograms import Histograms


def test_hashed_vectors_of_one_level_are_the_same_counts_with_signs():
    graphs = datasets.random_graphs(12, n_nodes=(3, 9), density=0.3, n_labels=2)[0]
    options = {"features": WeisfeilerLehman(2), "n_levels": 1}
    exact = FiltrationEmbedding(**options).fit_transform(graphs)
    hashed = FiltrationEmbedding(**options, method="hashed", n_components=2**30)
    found = hashed.transform(graphs)  # not fitted
    for i in range(len(graphs)):
        assert sorted(np.abs(found[i].data)) == sorted(exact[i].data)
    assert_allclose(products(found), products(exact))
    assert (found.data < 0).any()
    assert (found.data > 0).any()


def hashed_products(graphs, seeds, **options):
    return np.array(
        [
            products(
                FiltrationEmbedding(method="hashed", random_state=s, **options).transform(graphs)
            )
            for s in seeds
        ]
    )


@pytest.fixture(scope="module")
def few():
    graphs = datasets.random_graphs(8, n_nodes=(8, 14), density=0.25, n_labels=2)[0]
    rows = naive_histograms(graphs, THREE["thresholds"], 2)
    return graphs, rows


def test_hashed_products_are_unbiased_and_vary_by_the_law_of_grids(few):
    graphs, rows = few
    gamma, n_bins, n_seeds = 3.0, 4, 200
    found = hashed_products(
        graphs, range(n_seeds), features=WeisfeilerLehman(2), gamma=gamma, n_bins=n_bins,
        n_components=2**28, **THREE,
    )  # fmt: skip
    n, alphas = len(graphs), [1.0, 0.5, 0.0]
    expected = [[naive.sum_kernel(a, b, alphas, gamma) for b in rows] for a in rows]
    law = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for f in rows[i].keys() & rows[j].keys():
                k = np.exp(-gamma * naive.wasserstein(rows[i][f], rows[j][f], alphas))
                law[i, j] += (sum(rows[i][f]) * sum(rows[j][f])) ** 2 * k * (1 - k) / n_bins
    apart = np.triu(law > 0, 1)
    assert apart.sum() > 15
    scores = (found.mean(0) - expected)[apart] / np.sqrt(law[apart] / n_seeds)
    assert np.abs(scores).max() < 4
    assert np.sqrt((scores**2).mean()) < 1.6
    assert_allclose(np.diagonal(found, axis1=1, axis2=2), [np.diag(expected)] * n_seeds, rtol=1e-6)
    # A feature shares its grids with one in 1024 others, which adds a little.
    ratios = found.var(0, ddof=1)[apart] / law[apart]
    assert 0.9 < ratios.mean() < 1.15


def test_hashed_products_vary_by_the_law_of_hashing(few):
    graphs, rows = few
    n_components, n_seeds = 16, 200
    options = {"features": WeisfeilerLehman(2), "n_levels": 1, "n_components": n_components}
    found = hashed_products(graphs, range(n_seeds), **options)
    counts = [{f: row[-1] for f, row in one.items() if row[-1]} for one in rows]
    every = sorted(set().union(*counts))
    x = np.array([[count.get(f, 0) for f in every] for count in counts], float)
    gram, squares = x @ x.T, (x**2) @ (x**2).T
    law = (np.outer(np.diag(gram), np.diag(gram)) + gram**2 - 2 * squares) / n_components
    scores = (found.mean(0) - gram)[np.triu_indices(len(x))]
    scores /= np.sqrt(law[np.triu_indices(len(x))] / n_seeds)
    assert np.abs(scores).max() < 4
    ratios = (found.var(0, ddof=1) / law)[np.triu_indices(len(x))]
    assert 0.85 < ratios.mean() < 1.15


def test_hashed_vectors_are_the_same_whenever_and_wherever(batch, others):
    graphs, _ = batch
    options = dict(THREE, method="hashed", n_components=1000, gamma=2.0)
    embedding = FiltrationEmbedding(**options)
    found = embedding.transform(graphs)
    assert found.shape == (60, 1000)
    assert found.has_sorted_indices
    alone = sparse.vstack([embedding.transform(graphs[i]) for i in range(60)])
    assert same(found, alone)
    assert same(found, clone(embedding).set_params(n_jobs=4).fit(graphs[:3]).transform(graphs))
    assert not same(found, clone(embedding).set_params(random_state=1).transform(graphs))
    code = (
        "import hashlib; from grafik import FiltrationEmbedding, datasets\n"
        "g = datasets.random_graphs(60, n_nodes=(5, 15), density=(0.1, 0.4), n_labels=3)[0]\n"
        f"z = FiltrationEmbedding(**{options}).transform(g[30:])\n"
        "print(hashlib.sha256(z.data.tobytes() + z.indices.tobytes()).hexdigest())"
    )
    part = found[30:]
    own = hashlib.sha256(part.data.tobytes() + part.indices.tobytes()).hexdigest()
    assert others(code) == [own + "\n"] * 2


def test_normalised_hashed_vectors_are_divided_by_the_self_similarity(batch):
    graphs, _ = batch
    options = {"method": "hashed", "n_bins": 3, **THREE}
    plain = FiltrationEmbedding(**options).transform(graphs)
    own = np.diag(FiltrationKernel(**THREE).fit_transform(graphs))
    found = FiltrationEmbedding(normalize=True, **options).transform(graphs)
    assert_allclose(found.toarray(), plain.toarray() / np.sqrt(own)[:, None])


@pytest.mark.parametrize("gamma", [0.5, 4.0])
def test_bins_are_shared_with_the_probability_of_the_base_kernel(gamma):
    alphas, scores = np.array([1.0, 0.6, 0.0]), []
    pairs = [((0.3, 0.5), (0.7, 0.5)), ((0.0, 0.5), (0.25, 1.0)), ((0.0, 0.0), (1.0, 1.0))]
    for seed in range(4):
        grids = draw_grids(alphas, gamma, 1000, seed)
        n = 1000 * len(grids.roots)
        for pair in pairs:
            a, b = (np.floor(grids.slopes * x + grids.shifts) for x in pair)
            same = (a == b).all(axis=1).sum() + n - len(a)  # the others have a single bin
            apart = 0.4 * abs(pair[0][0] - pair[1][0]) + 0.6 * abs(pair[0][1] - pair[1][1])
            p = np.exp(-gamma * apart)
            scores.append((same - n * p) / np.sqrt(n * p * (1 - p)))
    assert np.abs(scores).max() < 4


# The occurrences of a feature at three levels, in two graphs. Some are born late; up to the first
# level, those of the second pair differ, and those of the last pair do not.
PAIRS = [((1, 1, 1), (0, 1, 3)), ((2, 1, 1), (1, 2, 1)), ((0, 1, 3), (0, 3, 1))]
AXIS = [1.0, 0.4, 0.0]


def many_features(pair, n):
    """Two graphs that share many features, each with the same two histograms."""
    runs = [list(enumerate(counts))[counts.count(0) :] for counts in pair]
    run_ptr = offsets([len(runs[0])] * n + [len(runs[1])] * n)
    levels, counts = np.array(runs[0] * n + runs[1] * n).T
    features = np.tile(np.arange(n, dtype=np.uint64), 2)
    columns = np.array([0, n, 2 * n]), np.zeros(2 * n, np.int32), features, run_ptr, levels, counts
    return Histograms(3, *columns)


@pytest.mark.parametrize("pair", PAIRS)
def test_products_of_many_features_are_close_to_the_kernel(pair):
    n, gamma, n_bins = 600, 3.0, 2
    grids = draw_grids(np.array(AXIS), gamma, n_bins, 1)
    rows = bin_histograms(many_features(pair, n), grids, 2**30, None)
    found = products(rows.to_csr(2**30, np.full(2, 1 / np.sqrt(n_bins))))
    a, b = map(sum, pair)
    assert_allclose(np.diag(found), [n * a**2, n * b**2], rtol=1e-6)
    k = np.exp(-gamma * naive.wasserstein(*pair, AXIS))
    assert abs(found[0, 1] / (a * b) - n * k) < 4 * np.sqrt(n * k * (1 - k) / n_bins)


@pytest.mark.parametrize("pair", PAIRS)
def test_histograms_that_differ_share_no_column_if_gamma_is_huge(pair):
    for seed in range(3):
        grids = draw_grids(np.array(AXIS), 1e6, 1, seed)
        rows = bin_histograms(many_features(pair, 20), grids, 2**30, None)
        assert products(rows.to_csr(2**30, None))[0, 1] == 0.0


@pytest.mark.parametrize("n_components", [1, 16, 300, 70_000])
def test_entries_are_sorted_by_column_and_spread_over_all_columns(n_components):
    grids = draw_grids(np.array(AXIS), 1e6, 1, 0)
    rows = bin_histograms(many_features(PAIRS[0], 300), grids, n_components, None)
    for columns in np.split(rows.columns, offsets(rows.n_entries)[1:-1]):
        assert (np.diff(columns) > 0).all()
    quarters = np.bincount(rows.columns * np.int64(4) // n_components, minlength=4)
    assert len(quarters) == 4
    assert n_components < 4 or quarters.min() > 0.7 * quarters.mean()


@pytest.mark.parametrize("options", [{"gamma": 0.0}, {"n_levels": 1}])
def test_where_all_histograms_share_a_bin_vectors_are_whole_numbers(options):
    embedding = FiltrationEmbedding(method="hashed", n_bins=3, depth=1, n_components=2**30)
    vectors = embedding.set_params(**options).fit_transform([[(0, 1)], [(0, 1), (1, 2), (2, 3)]])
    assert (vectors.data == np.rint(vectors.data)).all()


def test_features_share_many_sets_of_grids_unless_these_take_too_many_numbers(monkeypatch):
    assert len(draw_grids(np.array([1.0, 0.0]), 1.0, 1, 0).roots) == 1024
    monkeypatch.setattr("grafik.embeddings.hashed._MAX_NUMBERS", 60)
    assert len(draw_grids(np.array(AXIS), 1.0, 3, 0).roots) == 60 // (2 * 3)
    assert len(draw_grids(np.array(AXIS), 1.0, 31, 0).roots) == 1
