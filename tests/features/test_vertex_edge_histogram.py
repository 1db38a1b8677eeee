"""Labels of vertices and edges are counted, and never taken for each other."""

from hypothesis import given

import naive_features as naive
from feature_counts import OneLevel, assert_same, filtered, table
from grafik import Graphs
from grafik.features.vertex_edge_histogram import VertexEdgeHistogram


@given(filtered())
def test_labels_are_counted(batch):
    assert_same(VertexEdgeHistogram().histograms(*batch), *batch, naive.counts)


def test_a_vertex_label_is_no_edge_label():
    graphs = Graphs([0, 2], [0, 1], [[0, 1]], node_labels=["a", "a"], edge_labels=["a"])
    histograms = VertexEdgeHistogram().histograms(graphs, OneLevel())
    counts = {histograms.names[f]: c for f, c in table(histograms)[0].items()}
    assert counts == {("vertex", "a"): (2,), ("edge", "a"): (1,)}
