"""Functions of filtration graphs: what they see, how often they are called, what they return."""

import networkx as nx
import numpy as np
from hypothesis import given

import naive_features as naive
from feature_counts import OneLevel, assert_same, filtered, table
from filtered_graphs import Levels
from grafik import Filtration, Graphs
from grafik.features.function_features import FunctionFeatures
from grafik.graphs.labels import content_hash


@given(filtered())
def test_a_function_is_called_on_the_filtration_graphs(batch):
    def paths(graph):
        labels = {v: naive.spelled(label) for v, label in graph.nodes.data("label", "-")}
        for start, lengths in nx.all_pairs_shortest_path_length(graph):
            for end, length in lengths.items():
                if start != end:
                    yield labels[start], length, labels[end]

    assert_same(FunctionFeatures(paths).histograms(*batch), *batch, naive.shortest_paths)


def test_equal_filtration_graphs_are_not_computed_twice():
    calls = []

    def edges(graph):
        calls.append(graph.number_of_edges())
        graph.remove_nodes_from(list(graph))
        return ["n"]

    graphs = Graphs([0, 3, 5], [0, 2, 3], [[0, 1], [1, 2], [0, 1]])
    histograms = FunctionFeatures(edges).histograms(graphs, Levels([1, 3, 0], 6))
    assert calls == [0, 1, 2, 1]
    assert table(histograms) == [{content_hash("n"): (1,) * 6}] * 2


def test_a_function_sees_labels_and_attributes():
    seen = []

    def look(graph):
        seen.append((dict(graph.nodes(data=True)), list(graph.edges(data=True))))
        return []

    graphs = Graphs(
        [0, 2], [0, 1], [[0, 1]], node_labels=["a", 1], edge_labels=["b"],
        node_attributes=[0.5, 1.5], edge_attributes=[[1, 2]],
    )  # fmt: skip
    FunctionFeatures(look).histograms(graphs, OneLevel())
    whole = graphs.to_networkx()[0]
    assert seen == [(dict(whole.nodes(data=True)), list(whole.edges(data=True)))]
    assert seen[0][0][1] == {"label": 1, "attribute": 1.5}


def test_features_of_a_function_are_named():
    values = ["a", 1, True, None, 1.5, ("a", (1, None)), np.int64(7), "a"]
    histograms = FunctionFeatures(lambda graph: iter(values)).histograms(
        [nx.path_graph(2)], OneLevel()
    )
    assert histograms.names == {content_hash(value): value for value in values}
    assert table(histograms)[0][content_hash("a")] == (2,)
    assert table(histograms)[0][content_hash(True)] == (1,)


def test_functions_see_numbers_where_vertices_have_names():
    graphs = Graphs.from_edge_lists([[(0, 1)]], node_names=[[1, True]])
    seen = []

    def note(graph):
        seen.append(list(graph))
        return []

    FunctionFeatures(note).histograms(graphs, Filtration(n_levels=1).fit(graphs))
    assert seen == [[0, 1]]
