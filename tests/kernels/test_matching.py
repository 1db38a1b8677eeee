"""Tables of distances and tiles: whatever is kept, the bits are the same."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grafik import FiltrationKernel, datasets
from grafik.features import WeisfeilerLehman
from grafik.filtration.axis import unit_axis
from grafik.kernels import matching as pairs_module
from grafik.kernels import tiles
from grafik.kernels import wasserstein as distances
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
