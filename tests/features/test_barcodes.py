import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from filtered_graphs import filtered, sorted_columns, written_out
from grafik import Filtration, datasets
from grafik.features import Graphlets, WeisfeilerLehman
from grafik.features import wl_exact as exact_labels
from grafik.features.barcodes import Barcodes, barcodes

extractors = st.builds(
    WeisfeilerLehman, st.integers(0, 3), st.sampled_from(["auto", False]), st.booleans()
)


def by_feature(bars):
    """Group (graph, depth, label, vertex, birth, death) by label, then forget the label."""
    groups = {}
    for graph, depth, label, *rest in bars:
        groups.setdefault((depth, label), set()).add((graph, depth, *rest))
    return {frozenset(group) for group in groups.values()}


def listed(found):
    for graph in range(len(found)):
        bar = found[graph]
        columns = bar.depths, bar.features, bar.vertices, bar.births, bar.deaths
        for row in zip(*(column.tolist() for column in columns), strict=True):
            yield graph, *row


def expected(graphs, filtration, extractor):
    for i, g in enumerate(graphs):
        entry = filtration.found[graphs.edge_ptr[i] : graphs.edge_ptr[i + 1]].tolist()
        how = filtration.n_levels_, extractor.depth, extractor.edge_labels
        for bar in naive.bars(written_out(g), entry, *how):
            yield i, *bar


@given(filtered(), extractors)
def test_bars_are_the_longest_intervals_with_one_label(case, extractor):
    graphs, filtration = case
    found = barcodes(graphs, filtration, extractor)
    bars = list(listed(found))
    assert len(bars) == len(set(bars)) == len(found.features)
    assert by_feature(bars) == by_feature(expected(graphs, filtration, extractor))


@given(filtered(), extractors)
def test_bars_add_up_to_the_histograms(case, extractor):
    graphs, filtration = case
    found = barcodes(graphs, filtration, extractor)
    counted = extractor.histograms(graphs, filtration)
    for mine, theirs in zip(
        sorted_columns(found.histograms()), sorted_columns(counted), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)
    for graph in range(len(graphs)):
        for (depth, feature), counts in counted[graph].items():
            bar = found[graph].of(depth, feature)
            assert bar.counts().tolist() == counts.tolist()
            assert (bar.depths == depth).all()
            assert int((bar.deaths - bar.births).sum()) == counts.sum()


def test_bars_add_up_on_real_data(data):
    for name, weight in (("MUTAG", "degree"), ("EGO-1", "core"), ("BZR_MD", "attribute:small")):
        graphs, _ = datasets.read_tu(data / name)
        filtration = Filtration(weight, n_levels=6).fit(graphs)
        extractor = WeisfeilerLehman(3)
        found = barcodes(graphs, filtration, extractor).histograms()
        counted = extractor.histograms(graphs, filtration)
        for mine, theirs in zip(sorted_columns(found), sorted_columns(counted), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@given(filtered(), extractors)
def test_no_vertex_gets_a_label_back(case, extractor):
    """Its tree only grows. So bars of one vertex and label never follow one another."""
    found = barcodes(*case, extractor)
    places = [bar[:4] for bar in listed(found)]
    assert len(places) == len(set(places))


def test_exact_labels_share_those_that_are_known():
    """Where hashes collide, bars have the labels of the histograms they belong to."""
    graphs, _ = datasets.random_graphs(4, n_nodes=7, density=0.4, n_labels=3)
    filtration = Filtration(n_levels=3).fit(graphs)
    extractor, original = WeisfeilerLehman(2, exact=True), exact_labels._entry
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_labels, "_entry", lambda d, what, hashed: original(d, what, hashed & 7))
        known = extractor.histograms(graphs, filtration)
        alone = barcodes(graphs[3], filtration, extractor, known=known)
        unknown = barcodes(graphs[3], filtration, extractor)
    assert alone.histograms()[0].keys() == known[3].keys()
    assert unknown.histograms()[0].keys() != known[3].keys()


def test_bars_are_frozen_and_indexed_like_histograms():
    graphs, _ = datasets.wl_hard()
    found = barcodes(graphs, Filtration().fit(graphs))
    assert isinstance(found, Barcodes)
    assert len(found) == len(list(found)) == 6
    for graph in range(6):
        np.testing.assert_array_equal(found[graph - 6].vertices, found[graph].vertices)
    for column in (found.births, found[0].deaths, found[0].of(0, 0).births):
        with pytest.raises(ValueError, match="read-only"):
            column[:] = 0
    with pytest.raises(IndexError, match="there is no graph 6, there are 6"):
        found[6]
    with pytest.raises(IndexError, match="there is no graph -7, there are 6"):
        found[-7]
    with pytest.raises(TypeError, match="indexed by the number of a graph, got 'a'"):
        found["a"]


def test_bars_as_a_table():
    pytest.importorskip("pandas")
    graphs, _ = datasets.figure_one()
    found = barcodes(graphs, Filtration(n_levels=2).fit(graphs), WeisfeilerLehman(1))
    frame = found.to_pandas()
    assert list(frame) == ["graph", "depth", "feature", "vertex", "birth", "death"]
    assert [tuple(row) for row in frame.itertuples(index=False)] == list(listed(found))


@pytest.mark.parametrize("features", [Graphlets(), WeisfeilerLehman, "wl"])
def test_features_that_sit_nowhere_are_refused(features):
    graphs, _ = datasets.figure_one()
    with pytest.raises(TypeError, match="features must sit at single vertices"):
        barcodes(graphs, Filtration().fit(graphs), features)
