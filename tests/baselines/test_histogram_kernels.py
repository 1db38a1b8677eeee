"""Histogram kernels, against the definitions."""

import numpy as np
import pytest
from hypothesis import given

import naive_baselines
import naive_features
from baseline_definitions import depths, gram, histogram_gram, plain, raw
from grafik import Graphs
from grafik.baselines import WL, CoreWL, ShortestPath, VEHist, WLOptimalAssignment
from strategies import build


@given(raw)
def test_vertex_and_edge_labels(batch):
    expected = histogram_gram(batch, naive_features.counts)
    assert np.array_equal(VEHist().fit_transform(build(batch)), expected)


@given(raw)
def test_shortest_paths(batch):
    expected = histogram_gram(batch, naive_features.shortest_paths)
    assert np.array_equal(ShortestPath().fit_transform(build(batch)), expected)


@given(raw, depths)
def test_subtrees(batch, depth):
    counts = [naive_baselines.wl_counts(*graph, depth) for graph in plain(batch)]
    for exact in (False, True):
        found = WL(depth, exact=exact).fit_transform(build(batch))
        assert np.array_equal(found, gram(counts, naive_baselines.dot))


@pytest.mark.parametrize("kernel", [WL, WLOptimalAssignment, CoreWL])
def test_edge_labels_count_if_wanted(kernel):
    graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)]] * 2, edge_labels=[["a", "b"], ["a", "a"]])
    plain, with_labels = (kernel(1, edge_labels=e).fit_transform(graphs) for e in (False, True))
    assert plain[0, 0] == plain[0, 1] == plain[1, 1]
    assert with_labels[0, 1] < min(with_labels[0, 0], with_labels[1, 1])
