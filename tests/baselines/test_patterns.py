"""Graphlets and cyclic patterns, against brute force."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import naive_features
from baseline_definitions import histogram_gram, raw
from grafik import Graphs
from grafik.baselines import CyclicPattern, GraphletSampling
from grafik.features.graphlets import graphlet_classes
from strategies import build


@given(raw)
def test_cyclic_patterns(batch):
    expected = histogram_gram(batch, naive_features.cyclic_patterns)
    assert np.array_equal(CyclicPattern(6).fit_transform(build(batch)), expected)


# Graphlets


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("connected", [True, False])
@given(batch=raw)
def test_all_graphlets_equal_brute_force(size, connected, batch):
    def features(n, edges, labels, kinds):
        return naive_features.graphlets(n, edges, size, connected)

    kernel = GraphletSampling(size, connected, sampling=False)
    assert np.array_equal(kernel.fit_transform(build(batch)), histogram_gram(batch, features))


@pytest.mark.parametrize("size", [3, 4, 5])
def test_sampled_frequencies_keep_their_promise(size):
    """Of 100 samples at most a tenth may be off by more than a tenth; the bound is generous."""
    epsilon = delta = 0.1
    graph = Graphs.from_networkx([nx.gnm_random_graph(25, 90, seed=0)])
    classes = len(graphlet_classes(size, False).features)
    assert classes == {3: 4, 4: 11, 5: 34}[size]
    n_samples = int(np.ceil(2 * (classes * np.log(2) + np.log(1 / delta)) / epsilon**2))

    def frequencies(kernel):
        found = kernel.fit(graph).histograms_
        counts = dict(zip(found.features.tolist(), found.masses.tolist(), strict=True))
        return counts, sum(counts.values())

    exact, n_sets = frequencies(GraphletSampling(size, sampling=False))
    off = 0
    for seed in range(100):
        counts, drawn = frequencies(GraphletSampling(size, random_state=seed))
        assert drawn == n_samples
        apart = [
            abs(exact.get(f, 0) / n_sets - counts.get(f, 0) / drawn)
            for f in exact.keys() | counts.keys()
        ]
        off += sum(apart) > epsilon
    assert off <= delta * 100


def test_sampling_converges_to_the_normalised_kernel():
    graphs = Graphs.from_networkx([nx.gnm_random_graph(20, m, seed=m) for m in (20, 50, 100)])
    exact = GraphletSampling(4, sampling=False, normalize=True).fit_transform(graphs)
    apart = [
        np.abs(GraphletSampling(4, n_samples=n, normalize=True).fit_transform(graphs) - exact).max()
        for n in (100, 1_000_000)
    ]
    assert apart[1] < 0.003 < apart[0]


def test_samples_depend_on_the_graph_and_the_seed_alone():
    graphs = Graphs.from_networkx([nx.gnm_random_graph(20, 40, seed=m) for m in range(4)])
    kernel = GraphletSampling(4, n_samples=100)
    matrix = kernel.fit_transform(graphs)
    assert np.array_equal(kernel.fit_transform(graphs[2:]), matrix[2:, 2:])
    other = GraphletSampling(4, n_samples=100, random_state=1).fit_transform(graphs)
    assert not np.array_equal(other, matrix)
