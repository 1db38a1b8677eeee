"""Edge weights that are not used are told once, and nothing else is."""

import warnings

import networkx as nx
import numpy as np
import pytest

from grafik import FiltrationClassifier, FiltrationEmbedding, FiltrationKernel, Graphs, as_graphs
from grafik.weights import Attribute, Combined, Walks, degree


def weighted(n_graphs=12, name="weight"):
    """Paths and cycles whose edges have weights."""
    graphs = []
    for i in range(n_graphs):
        graph = nx.path_graph(5) if i % 2 else nx.cycle_graph(5)
        for number, edge in enumerate(graph.edges):
            graph.edges[edge][name] = 1.0 + number % 3
        graphs.append(graph)
    return as_graphs(graphs, edge_attribute=name), np.arange(n_graphs) % 2


MESSAGE = "attribute 'weight', but the weight 'degree' does not use it; .*pass weight=.attribute"


@pytest.mark.parametrize(
    "estimator",
    [
        FiltrationKernel(),
        FiltrationKernel(weight=degree),
        FiltrationEmbedding(),
        FiltrationEmbedding(method="hashed", n_components=64),
        FiltrationClassifier(weight="degree", depths=[1], gammas=[1.0], Cs=[1.0]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_fit_says_that_weights_are_not_used(estimator):
    graphs, y = weighted()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(graphs, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=MESSAGE):
        estimator.fit(graphs, y)


@pytest.mark.parametrize(
    "options",
    [
        {"weight": "attribute"},
        {"weight": Attribute("weight", first="small")},
        {"weight": lambda graphs: graphs.edge_attributes[:, 0]},
        {"thresholds": [3.0, 1.0]},
        {"n_levels": 1},
    ],
)
def test_nothing_is_said_where_weights_are_used_or_nothing_was_left_to_chance(options):
    graphs, _ = weighted()
    FiltrationKernel(**options).fit_transform(graphs)


def test_nothing_is_said_of_a_list_that_has_the_attribute():
    graphs, y = weighted()
    options = {"depths": [1], "gammas": [1.0], "Cs": [1.0], "levels": [2]}
    FiltrationClassifier(weight=["degree", "attribute"], **options).fit(graphs, y)
    with pytest.warns(UserWarning, match="the weight 'degree', Walks.* does not use it"):
        FiltrationClassifier(weight=["degree", Walks(3)], **options).fit(graphs, y)


def test_a_combined_weight_uses_what_its_parts_use():
    graphs, _ = weighted()
    FiltrationKernel(weight=Combined(["degree", Attribute("weight")])).fit(graphs)
    with pytest.warns(UserWarning, match="the weight Combined.* does not use it"):
        FiltrationKernel(weight=Combined(["degree", "core"])).fit(graphs)


def test_attributes_that_nobody_chose_are_no_matter():
    FiltrationKernel().fit(weighted(name="order")[0])  # as molecules have it
    edges = [[(0, 1), (1, 2)]] * 2
    FiltrationKernel().fit(Graphs.from_edge_lists(edges, edge_attributes=[[1, 2]] * 2))
    FiltrationKernel().fit(as_graphs([nx.path_graph(3)]))


def test_several_attributes_are_named():
    graph = nx.Graph([(0, 1, {"length": 1, "lanes": 2}), (1, 2, {"length": 3, "lanes": 4})])
    graphs = as_graphs([graph], edge_attribute=["length", "lanes"])
    message = r"attributes 'length', 'lanes', .* use them; .*weight=weights.Attribute\(.length.\)"
    with pytest.warns(UserWarning, match=message):
        FiltrationKernel().fit(graphs)


def test_what_the_message_recommends_keeps_it_quiet():
    graph = nx.Graph([(0, 1, {"weight": 1}), (1, 2, {"weight": 3})])
    FiltrationKernel(weight="attribute").fit(as_graphs([graph]))
    FiltrationKernel().fit(as_graphs([graph], edge_attribute=None))


def test_of_a_weight_that_does_not_exist_nothing_else_is_said():
    columns = {"edge_attributes": [1.0], "edge_attribute_names": ["weight"]}
    graphs = Graphs([0, 2], [0, 1], [[0, 1]], **columns)
    # Warnings are errors here.
    with pytest.raises(ValueError, match="weight must be one of 'degree'.*got 'wieght'"):
        FiltrationKernel(weight="wieght").fit(graphs)
