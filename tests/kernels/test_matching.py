"""Tables of distances and tiles: whatever is kept, the bits are the same."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive
from grafik import FiltrationKernel, Histograms, datasets
from grafik.features import WeisfeilerLehman
from grafik.filtration.axis import unit_axis
from grafik.kernels import matching as pairs_module
from grafik.kernels import tiles
from grafik.kernels import wasserstein as distances
from grafik.kernels.products import product_gram
from grafik.kernels.sums import sum_gram
from kernel_definitions import naive_gram, small
from strategies import build


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
    monkeypatch.setattr(tiles, "_TILE", width)
    found = kernel.fit_transform(graphs)
    np.testing.assert_allclose(found, naive_gram(kernel, graphs), rtol=1e-12, atol=1e-300)
    monkeypatch.setattr(pairs_module, "_MAX_TABLES", 0)
    assert np.array_equal(kernel.fit_transform(graphs), found)
    assert np.array_equal(kernel.transform(graphs[::3]), found[::3])
    kernel.set_params(thresholds=kernel.alphas_.tolist())
    assert np.array_equal(kernel.fit_transform(graphs[::-1]), found[::-1, ::-1])


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


def test_tables_are_for_features_with_most_pairs_for_their_size(monkeypatch):
    """A number that is looked up three times comes before four that are looked up twice each."""
    monkeypatch.setattr(pairs_module, "_MAX_TABLES", 4)
    worth = pairs_module._worth(np.array([4, 1]), np.array([8, 3]))
    assert worth.tolist() == [False, True]


def histograms_of(counts):
    """Histograms of graphs that all have the same features; counts by graph, feature and level."""
    n_graphs, n_features, n_levels = counts.shape
    rows = counts.reshape(-1, n_levels)
    changed = np.diff(rows, axis=1, prepend=0) != 0
    return Histograms(
        n_levels,
        np.arange(n_graphs + 1) * n_features,
        np.zeros(len(rows), np.int32),
        np.tile(np.arange(n_features, dtype=np.uint64) << np.uint64(60), n_graphs),
        np.concatenate([[0], np.cumsum(changed.sum(axis=1))]),
        np.nonzero(changed)[1],
        rows[changed],
    )


def long_counts(n_graphs, n_levels, starts):
    """Features that appear at some levels or soon after, and end with the last one or before."""
    rng, counts = np.random.default_rng(0), np.zeros((n_graphs, len(starts), n_levels), int)
    for graph in counts:
        for row, start in zip(graph, starts, strict=True):
            late, end = start + rng.integers(0, 3), n_levels - rng.integers(0, 5)
            row[late:end] = rng.integers(0, 5, end - late)
            row[late] += 1
    return counts


@pytest.mark.parametrize(
    ("starts", "n_levels", "dense"),
    [([0, 2, 5], 12, 1024), ([0, 9, 21], 39, 1024), ([0, 9, 21], 39, 16)],
    ids=["few levels", "many levels", "as very many"],
)
def test_tables_hold_the_distances_of_the_definition(starts, n_levels, dense, monkeypatch):
    """Features that begin late come after one that is there at once, and whose sums are about."""
    monkeypatch.setattr(pairs_module, "DENSE", dense)
    counts = long_counts(40, n_levels, starts)
    whole = histograms_of(counts)
    levels = np.sort(np.random.default_rng(1).random(n_levels))[::-1]
    axis = np.array(naive.unit(levels.tolist()))
    cumulative = (counts.cumsum(axis=2) / counts.sum(axis=2, keepdims=True))[:, :, :-1]
    for first, x in ((0, whole), (7, whole.between(7, 20))):
        pairs = pairs_module.matched(x, whole, axis, None)
        assert len(pairs.table_ptr) == 3
        for feature, table in enumerate(pairs.table_ptr):
            mine, theirs = (slice(s.starts[feature], s.stops[feature]) for s in (pairs.x, pairs.y))
            rows, columns = first + pairs.x.graphs[mine], pairs.y.graphs[theirs]
            width = pairs.y.class_ptr[feature + 1] - pairs.y.class_ptr[feature]
            places = np.add.outer(width * pairs.x.classes[mine], pairs.y.classes[theirs])
            found = pairs.distances[table + places]
            between = np.abs(cumulative[rows, None, feature] - cumulative[None, columns, feature])
            expected = (between * (axis[:-1] - axis[1:])).sum(axis=2)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
            a, b = (counts[graph, feature].tolist() for graph in (rows[3], columns[8]))
            assert found[3, 8] == pytest.approx(naive.wasserstein(a, b, axis.tolist()), abs=1e-14)


def test_histograms_over_other_levels_than_those_of_the_kernel_are_refused():
    three, four = (histograms_of(np.ones((2, 1, n_levels), int)) for n_levels in (3, 4))
    axis = np.array([1.0, 0.5, 0.0])
    message = r"the kernel has 3 levels, but these histograms have 4; count .* kernel.counter\(\)"
    for x, y in ((four, four), (three, four), (four, three)):
        with pytest.raises(ValueError, match=message):
            sum_gram(x, y, axis, 1.0)
        with pytest.raises(ValueError, match=message):
            product_gram(x, y, axis, 1.0, 1.0, 0.0)


@pytest.mark.parametrize("n_rows", [12, 5])
def test_features_can_be_matched_depth_by_depth(n_rows):
    graphs, _ = datasets.random_graphs(12, n_nodes=(3, 7), density=0.4)
    y = FiltrationKernel(WeisfeilerLehman(2)).fit(graphs).histograms_
    x = y if n_rows == 12 else y.between(0, n_rows)
    has = Counter(feature for graph in range(12) for feature in y[graph])
    if x is y:
        shared = {feature for feature, n in has.items() if n > 1}
    else:
        shared = {feature for graph in range(n_rows) for feature in x[graph]}
    for first, last in ((0, 3), (0, 1), (1, 2), (1, 3), (3, 9)):
        pairs = pairs_module.matched(x, y, np.array([1.0, 0.5, 0.0]), None, (first, last))
        expected = sum(first <= depth < last for depth, _ in shared)
        assert len(pairs.x.starts) == len(pairs.y.starts) == len(pairs.table_ptr) == expected


@pytest.mark.parametrize("mass", ["linear", "min"])
@pytest.mark.parametrize(
    ("n_levels", "dense"),
    [(3, distances.DENSE), (distances.FEW + 3, distances.DENSE), (distances.FEW + 3, 16)],
    ids=["few levels", "many levels", "as very many"],
)
def test_a_feature_without_a_table_adds_the_same(mass, n_levels, dense, monkeypatch):
    """Also beside others that have one, and where all columns have it."""
    monkeypatch.setattr(pairs_module, "DENSE", dense)
    counts = np.random.default_rng(0).integers(0, 4, (24, 3, n_levels))
    axis = np.linspace(1, 0, n_levels) ** 2
    counts[:, :, 1] += 1
    counts[:, 1] = [1] + [0] * (n_levels - 1)  # of all graphs alike, so that its table is small
    histograms, how = histograms_of(counts), {"smaller": mass == "min"}
    found = sum_gram(histograms, histograms, axis, 0.7, **how)
    by_name = [dict(enumerate(graph)) for graph in counts.tolist()]
    expected = [
        [naive.sum_kernel(a, b, axis.tolist(), 0.7, mass) for b in by_name] for a in by_name
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    pairs = pairs_module.matched(histograms, histograms, axis, None)
    assert tiles.Far.of(pairs, 0.7) is None  # so nothing is compiled for features without a table
    monkeypatch.setattr(pairs_module, "_MAX_TABLES", 4)
    pairs = pairs_module.matched(histograms, histograms, axis, None)
    assert (pairs.table_ptr >= 0).tolist() == [False, True, False]
    assert tiles.Far.of(pairs, 0.7) is not None
    assert np.array_equal(sum_gram(histograms, histograms, axis, 0.7, **how), found)
