from collections import Counter

import numpy as np
import pytest

from grafik import FiltrationKernel, datasets
from grafik.features import WeisfeilerLehman
from grafik.kernels import lone_rows as lone
from grafik.kernels.postings import postings_of, shared_postings_of


@pytest.fixture
def kernel(monkeypatch):
    """Fitted to graphs that share little, and the search for lone rows at work on few of them."""
    monkeypatch.setattr(lone, "_MANY", 0)
    graphs, _ = datasets.random_graphs(60, n_nodes=(5, 30), density=0.3, random_state=4)
    return FiltrationKernel(WeisfeilerLehman(3), n_levels=4).fit(graphs)


def features_of(histograms):
    return list(zip(histograms.depths.tolist(), histograms.features.tolist(), strict=True))


@pytest.mark.parametrize("bits", [2, 9, 24])
def test_a_lone_row_shares_its_feature_with_no_other(kernel, bits, monkeypatch):
    monkeypatch.setattr(lone, "_MAX_BITS", bits)
    histograms = kernel.histograms_
    found = [lone.lone_rows(histograms, n_jobs) for n_jobs in (1, 2, 3)]
    if bits < 24:  # then hardly any row has a slot of its own
        assert found == [None] * 3
        return
    assert all(np.array_equal(found[0], other) for other in found)
    in_graphs = Counter(features_of(histograms))
    alone = np.array([in_graphs[feature] == 1 for feature in features_of(histograms)])
    assert not (found[0] & ~alone).any()
    assert found[0].sum() > 0.7 * alone.sum()


def test_without_lone_rows_the_matrices_are_the_same(kernel, monkeypatch):
    histograms = kernel.histograms_
    few = kernel.on_histograms().gram(histograms, histograms)
    assert len(shared_postings_of(histograms).graphs) < 0.6 * len(histograms.features)
    monkeypatch.setattr(lone, "_MANY", len(histograms.features) + 1)
    same = histograms.between(0, len(histograms))
    assert len(shared_postings_of(same).graphs) == len(histograms.features)
    assert np.array_equal(few, kernel.on_histograms().gram(same, same))


@pytest.mark.parametrize("order", [1, -1], ids=["all first", "shared first"])
def test_postings_do_not_depend_on_what_was_asked_for_before(kernel, order):
    histograms = kernel.histograms_.between(0, len(kernel.histograms_))
    found = {ask: ask(histograms) for ask in (postings_of, shared_postings_of)[::order]}
    assert len(found[postings_of].graphs) == len(histograms.features)
    assert len(found[shared_postings_of].graphs) < 0.6 * len(histograms.features)
    assert all(ask(histograms) is again for ask, again in found.items())


def test_lone_rows_count_in_the_diagonal_of_their_depth(kernel):
    graphs, _ = datasets.random_graphs(60, n_nodes=(5, 30), density=0.3, random_state=4)
    for depth, _, matrix in kernel.gram_grid(graphs, depths=[0, 1, 2, 3]):
        own = [
            sum(
                float(counts.sum()) ** 2
                for (d, _), counts in kernel.histograms_[i].items()
                if d <= depth
            )
            for i in range(len(graphs))
        ]
        assert matrix.diagonal().tolist() == own


def test_products_need_all_features(kernel):
    histograms = kernel.histograms_
    kernel.set_params(combine="product", beta=1e-4)
    found = kernel.on_histograms().gram(histograms, histograms)
    histograms._derived.clear()
    shared_postings_of(histograms)
    assert np.array_equal(kernel.on_histograms().gram(histograms, histograms), found)


def test_few_rows_and_rows_that_are_shared_are_not_looked_for(kernel, monkeypatch):
    graphs, _ = datasets.random_graphs(20, n_nodes=(5, 20), density=0.3)
    twice = kernel.fit(graphs[[*range(20), *range(20)]]).histograms_
    assert lone.lone_rows(twice, None) is None
    alone = kernel.fit(graphs).histograms_
    assert lone.lone_rows(alone, None) is not None
    monkeypatch.setattr(lone, "_MANY", len(alone.features) + 1)
    assert lone.lone_rows(alone, None) is None


def test_a_single_graph_shares_nothing(kernel):
    one = kernel.histograms_.between(7, 8)
    assert len(shared_postings_of(one).graphs) == 0
    found = kernel.on_histograms().gram(one, one)
    assert found.item() == float((one.masses.astype(float) ** 2).sum())
