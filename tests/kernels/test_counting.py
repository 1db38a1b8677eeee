"""What a kernel learns of labels: decided once, and the same for all graphs that come later."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from grafik import Filtration, FiltrationKernel, Graphs, as_graphs
from grafik.features import (
    CyclicPatterns,
    FunctionFeatures,
    Graphlets,
    ShortestPaths,
    VertexEdgeHistogram,
    WeisfeilerLehman,
)
from grafik.kernels.counting import FeatureCounter
from grafik.weights import Walks
from kernel_strategies import batches

EDGES = [[(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]]
LABELLED = Graphs.from_edge_lists(
    EDGES, node_labels=[list("COC"), list("CCN")], edge_labels=[[1, 2], [1, 1, 2]]
)
NO_BONDS = Graphs.from_edge_lists(EDGES, node_labels=[list("COC"), list("CCN")])
NO_ATOMS = Graphs.from_edge_lists(EDGES, edge_labels=[[1, 2], [1, 1, 2]])
PLAIN = Graphs.from_edge_lists(EDGES)


def own_features(graph):
    return [degree for _, degree in graph.degree]


def test_bonds_tell_rings_apart():
    pytest.importorskip("rdkit")
    rings = as_graphs(["c1ccccc1", "C1CCCCC1", "C1=CCCCC1"])
    kernel = FiltrationKernel(normalize=True)
    found = kernel.fit_transform(rings)
    assert kernel.extractor_.edge_labels is True
    assert found[0, 1] < found[1, 2] < 1
    paper = FiltrationKernel(WeisfeilerLehman(edge_labels=False), normalize=True)
    np.testing.assert_allclose(paper.fit_transform(rings), 1.0)


@given(batches.filter(len), st.sampled_from(["auto", True, False]))
def test_whether_edge_labels_count_is_decided_by_all_training_graphs(graphs, option):
    kernel = FiltrationKernel(WeisfeilerLehman(2, option))
    labelled = graphs.edge_labels is not None
    if option is True and not labelled and len(graphs.edges):
        with pytest.raises(ValueError, match="edge_labels=True, but the graphs have no edge labe"):
            kernel.fit(graphs)
        return
    kernel.fit(graphs)
    counted = labelled if option == "auto" else option
    assert kernel.extractor_.edge_labels is counted
    assert kernel.features.edge_labels == option
    assert np.array_equal(kernel.transform(graphs), kernel.fit_transform(graphs))
    # One by one, with graphs that have no edges among them.
    rows = [kernel.transform(graph)[0] for graph in graphs]
    assert np.array_equal(rows, kernel.transform(graphs))


def test_graphs_without_edges_fit_either_way():
    single = Graphs([0, 1], [0, 0], [], node_labels=["C"])
    for train in (LABELLED, NO_BONDS):
        kernel = FiltrationKernel(WeisfeilerLehman(1), n_levels=1).fit(train)
        # There are two and two vertices C; those at depth 1 have neighbours in all graphs.
        assert kernel.transform(single).tolist() == [[2.0, 2.0]]
    for new in (LABELLED, NO_BONDS):
        kernel = FiltrationKernel(WeisfeilerLehman(1), n_levels=1).fit(single)
        assert kernel.transform(new).tolist() == [[2.0], [2.0]]


READS = [
    (None, {"vertex", "edge"}),
    (WeisfeilerLehman(1, edge_labels=True), {"vertex", "edge"}),
    (WeisfeilerLehman(1, edge_labels=False), {"vertex"}),
    (VertexEdgeHistogram(), {"vertex", "edge"}),
    (CyclicPatterns(), {"vertex", "edge"}),
    (ShortestPaths(), {"vertex"}),
    (Graphlets(3), set()),
    (FunctionFeatures(own_features), {"vertex", "edge"}),
]


@pytest.mark.parametrize(("features", "reads"), READS, ids=lambda one: type(one).__name__)
def test_labels_that_count_must_match_both_ways(features, reads):
    fits = FiltrationKernel(features).fit(LABELLED)
    for kind, new in (("vertex", NO_ATOMS), ("edge", NO_BONDS)):
        for train, other, has in ((LABELLED, new, "no "), (new, LABELLED, "")):
            if kind == "edge" and train is new and getattr(features, "edge_labels", "") is True:
                continue  # refused by fit
            kernel = FiltrationKernel(features).fit(train)
            for compare in (kernel.transform, kernel.diagonal, kernel.count):
                if kind not in reads:
                    compare(other)
                    continue
                with pytest.raises(ValueError, match=f"these graphs have {has}{kind} labels, but"):
                    compare(other)
    assert fits.transform(LABELLED).shape == (2, 2)
    if not reads:
        assert np.array_equal(fits.transform(PLAIN), fits.transform(LABELLED))


def test_unknown_labels_are_warned_of_when_they_count():
    numbers = Graphs.from_edge_lists(EDGES, node_labels=[[6, 8, 6], [6, 6, 7]])
    kernel = FiltrationKernel().fit(NO_BONDS)
    with pytest.warns(UserWarning, match="no vertex label of graphs 0, 1 was seen in training"):
        assert kernel.transform(numbers).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    FiltrationKernel(Graphlets(3)).fit(NO_BONDS).transform(numbers)
    bonds = Graphs.from_edge_lists(
        EDGES, node_labels=[list("COC"), list("CCN")], edge_labels=[["a", "b"], ["a", "a", "b"]]
    )
    with pytest.warns(UserWarning, match=r"no edge label of graphs 0, 1 .*graph 0 has 'a', 'b'"):
        FiltrationKernel().fit(LABELLED).transform(bonds)
    FiltrationKernel(WeisfeilerLehman(edge_labels=False)).fit(LABELLED).transform(bonds)


def test_a_fit_forgets_the_labels_of_an_earlier_one():
    kernel = FiltrationKernel().fit(LABELLED).fit(PLAIN)
    assert kernel.extractor_.edge_labels is False
    assert kernel.transform(PLAIN).shape == (2, 2)
    assert not hasattr(clone(kernel), "labelling_")


def test_a_counter_changes_neither_the_extractor_nor_later_decisions():
    extractor = WeisfeilerLehman(1)
    counter = FeatureCounter.of(FiltrationKernel(), extractor)
    counter.fit(LABELLED)
    assert (extractor.edge_labels, counter.extractor.edge_labels) == ("auto", True)
    again = FeatureCounter(counter.filtration, WeisfeilerLehman(1))
    again.set_labelling(counter.labelling)
    assert again.extractor.edge_labels is True
    with pytest.raises(ValueError, match="these graphs have no edge labels"):
        again.count(NO_BONDS)


def test_features_of_any_kind_take_weights_with_parameters_of_their_own():
    kernel = FiltrationKernel(Graphlets(3), Walks(2), "distinct").fit(PLAIN)
    filtration = Filtration(Walks(2), "distinct").fit(PLAIN)
    expected = Graphlets(3).histograms(PLAIN, filtration)
    for graph in range(len(PLAIN)):
        mine, theirs = kernel.histograms_[graph], expected[graph]
        assert mine.keys() == theirs.keys() != set()
        assert all(np.array_equal(mine[feature], theirs[feature]) for feature in mine)
