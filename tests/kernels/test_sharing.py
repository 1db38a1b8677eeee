"""What the parts of a kernel share is computed once, and warned of once."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from grafik import FiltrationKernel, GaussianKernel, Graphs, MeanKernel, datasets
from grafik.baselines import WL
from grafik.kernels import sharing
from grafik.kernels.normalised import RunningMean
from grafik.weights import Combined, Walks


@pytest.fixture(scope="module")
def small():
    return datasets.random_graphs(40, n_nodes=(4, 12), density=(0.2, 0.5), n_labels=2)


def test_what_parts_share_is_computed_once(small, monkeypatch):
    graphs, _ = small
    seen, counted = [], []
    values, inner = sharing.values, sharing.FeatureCounter._counted
    monkeypatch.setattr(sharing, "values", lambda w, g: seen.append(w) or values(w, g))

    def noted(counter, *given):
        counted.append((counter.filtration.weight, counter.extractor.depth))
        return inner(counter, *given)

    monkeypatch.setattr(sharing.FeatureCounter, "_counted", noted)
    kernel = MeanKernel(
        [
            FiltrationKernel(gamma=1.0),
            FiltrationKernel(gamma=8.0, combine="product"),
            FiltrationKernel(depth=2),
            FiltrationKernel(weight="core", depth=3),
            GaussianKernel(FiltrationKernel(weight="core", depth=1)),
            FiltrationKernel(weight="core", n_levels=1, depth=1),
            WL(4),
        ]
    )
    matrix = kernel.fit_transform(graphs)
    expected = [("degree", 5), ("core", 3), ("degree", 4)]
    assert (sorted(seen), counted) == (["core", "degree"], expected)
    seen.clear()
    counted.clear()
    assert np.array_equal(kernel.transform(graphs), matrix)
    assert (sorted(seen), counted) == (["core", "degree"], expected)
    mean = RunningMean(np.empty_like(matrix))
    for _, part in kernel.parts_:
        mean.add(clone(part).fit_transform(graphs))
    assert np.array_equal(mean.finished(), matrix)


def test_one_warning_of_weights_that_are_not_used():
    graphs = Graphs.from_edge_lists(
        [[(0, 1)]], edge_attributes=[[[3.0]]], edge_attribute_names=["calls"]
    )
    with pytest.warns(UserWarning, match="calls") as caught:
        MeanKernel("degree+core").fit(graphs)
    (told,) = [str(one.message) for one in caught if "calls" in str(one.message)]
    assert "'degree', 'core' does not use it" in told
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MeanKernel("degree+attribute").fit(graphs)


def test_weights_of_users_are_shared_if_they_are_the_same_function(monkeypatch):
    seen, values = [], sharing.values
    monkeypatch.setattr(sharing, "values", lambda w, g: seen.append(w) or values(w, g))

    def made():
        return lambda graphs: np.ones(len(graphs.edges))

    one, other = made(), made()
    parts = [(f"part {i}", FiltrationKernel(weight=w)) for i, w in enumerate([one, other, one])]
    MeanKernel(parts).fit(Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)]]))
    assert seen == [one, other]


def test_weights_made_of_a_list_of_others_are_computed_once(small, monkeypatch):
    """Two lists are the same if what is in them is, weights with parameters among them."""
    seen, values = [], sharing.values
    monkeypatch.setattr(sharing, "values", lambda w, g: seen.append(w) or values(w, g))
    kernel = MeanKernel(
        [
            (f"part {i}", FiltrationKernel(weight=Combined(["degree", Walks(length)]), depth=1))
            for i, length in enumerate([2, 2, 3])
        ]
    ).fit(small[0])
    assert [weight.weights[1].length for weight in seen] == [2, 3]
    first, second, third = (part.histograms_ for _, part in kernel.parts_)
    assert first is second
    assert first is not third
