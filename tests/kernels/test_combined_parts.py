"""Kernels made of others: what their parts can do, where they work, and what does not fit."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from grafik import FiltrationKernel, GaussianKernel, Graphs, MeanKernel, datasets, distributed
from grafik.baselines import WL, CoreWL, VEHist
from grafik.kernels.combined_gram import Sides, serial
from grafik.system import memory


@pytest.fixture(scope="module")
def small():
    return datasets.random_graphs(40, n_nodes=(4, 12), density=(0.2, 0.5), n_labels=2)


# Parts that differ in what they can do


def test_a_kernel_counts_features_if_all_its_parts_do(small):
    both = MeanKernel([VEHist(), MeanKernel("degree+core")]).fit(small[0])
    assert both.counts_features()
    for kernel in (GaussianKernel(CoreWL(1)), MeanKernel([VEHist(), CoreWL(1)])):
        assert not kernel.fit(small[0]).counts_features()


def test_labels_are_remembered_by_the_first_part_that_does(small):
    graphs, _ = small
    kernel = MeanKernel([Forgetful(), GaussianKernel(VEHist()), WL(1)]).fit(graphs)
    assert kernel.labelling_ is kernel.parts_[1][1].kernel_.labelling_
    with pytest.raises(AttributeError, match="no part remembers how the training graphs were"):
        _ = GaussianKernel(Forgetful()).fit(graphs).labelling_


class Forgetful(BaseEstimator):
    """A kernel of another library, for which all graphs are equal."""

    def fit(self, X, y=None):
        self.n_ = len(X)
        return self

    def transform(self, X):
        return np.ones((len(X), self.n_))

    def diagonal(self, X):
        return np.ones(len(X))


def test_what_parts_share_is_shared_by_some_of_the_graphs_too():
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]])
    one, other = (FiltrationKernel(depth=d, n_levels=2).fit(graphs).histograms_ for d in (0, 1))
    sides = Sides([one, Sides([other, one])])
    for cut in (sides.between(1, 3), sides.of_graphs(np.array([1, 2]))):
        first, (second, third) = cut.parts[0], cut.parts[1].parts
        assert first is third
        for found, whole in ((first, one), (second, other)):
            assert [found.lifespans(g) for g in (0, 1)] == [whole.lifespans(g) for g in (1, 2)]


# Where the work is done


def test_workers_of_a_client_compare_new_graphs_with_training_graphs(small, monkeypatch):
    graphs, _ = small
    kernel, asked = GaussianKernel(MeanKernel([VEHist(), WL(1)]), 2.0).fit(graphs), []

    def gram_on(client, node, x, y):
        asked.append((client, len(x), len(y)))
        return node.gram(x, y)

    monkeypatch.setattr(distributed, "gram_on", gram_on)
    found = kernel.transform(graphs[:7], client="a client")
    assert asked == [("a client", 7, 40)]
    assert np.array_equal(found, kernel.transform(graphs[:7]))


def test_a_kernel_for_workers_uses_one_thread_and_is_the_same(small):
    mean = MeanKernel([VEHist(n_jobs=2), MeanKernel([WL(1)], n_jobs=2)], weights=[1, 3], n_jobs=2)
    kernel = GaussianKernel(mean, 2.0).fit(small[0])
    node, x = kernel.on_histograms(), kernel.histograms_
    alone = serial(node)
    several = [alone, alone.part, *alone.part.parts, *alone.part.parts[1].parts]
    assert [one.n_jobs for one in several] == [None] * 5
    assert np.array_equal(alone.gram(x, x), node.gram(x, x))


# What is refused


def test_matrices_that_do_not_fit_are_refused_with_what_a_mean_needs_besides(small, monkeypatch):
    """A mean is added up in a matrix of its own, so there are two at the same time."""
    graphs, _ = small
    matrix = 8.0 * len(graphs) ** 2
    one, mean = VEHist().fit(graphs), MeanKernel([VEHist()]).fit(graphs)
    monkeypatch.setattr(memory, "available", lambda: 1.5 * matrix)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0.9 * matrix)
    assert one.transform(graphs).nbytes == matrix
    for call in (mean.fit_transform, mean.transform):
        with pytest.raises(MemoryError, match="matrix of 40 x 40 graphs takes"):
            call(graphs)


def test_a_fitted_part_is_needed_for_each_part():
    with pytest.raises(ValueError, match="2 fitted parts are needed, got 1"):
        MeanKernel("degree+core").learned([FiltrationKernel()])
