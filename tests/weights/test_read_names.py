"""A filtration reads the attributes of new graphs that it has read in the training graphs."""

import networkx as nx
import pytest

from grafik import FiltrationClassifier, FiltrationKernel, GraphIndex, Graphs, as_graphs, load
from grafik.weights import Attribute, NodeDistance


def travels(*names, nodes=("x", "y")):
    graphs = []
    for far in (5.0, 2.0, 9.0, 4.0, 1.0, 7.0):
        graph = nx.Graph()
        graph.add_edge("a", "b", weight=1.0, distance=far)
        graph.add_edge("b", "c", weight=4.0, distance=3.0)
        nx.set_node_attributes(graph, {"a": 1.0, "b": far, "c": 0.5}, "x")
        nx.set_node_attributes(graph, {"a": 0.0, "b": 2.0, "c": far}, "y")
        graphs.append(graph)
    return as_graphs(graphs, edge_attribute=list(names), node_attribute=list(nodes))


BOTH, TURNED = travels("weight", "distance"), travels("distance", "weight")
SAID = "the weight reads 'distance' of these graphs, but it was fitted on 'weight'"


@pytest.mark.parametrize("other", [TURNED, travels("distance")])
def test_another_column_in_its_place_is_refused(other, tmp_path):
    kernel = FiltrationKernel(weight="attribute").fit(BOTH)
    model = FiltrationClassifier(weight="attribute", levels=[2], depths=[1], cv=2)
    model.fit(BOTH, [0, 1] * 3).save(tmp_path / "model")
    index = GraphIndex(kernel).add(BOTH)
    for use in (kernel.transform, index.search, index.add, load(tmp_path / "model").predict):
        with pytest.raises(ValueError, match=SAID):
            use(other)
        use(travels("weight"))  # the first of one column is the first of two


def test_columns_that_are_chosen_by_name_may_lie_anywhere():
    kernel = FiltrationKernel(weight=Attribute("weight")).fit(BOTH)
    assert (kernel.transform(TURNED) == kernel.transform(BOTH)).all()


def test_columns_without_names_are_taken_by_number():
    named = FiltrationKernel(weight="attribute").fit(BOTH)
    unnamed = Graphs.from_edge_lists([[(0, 1), (1, 2)]], edge_attributes=[[1.0, 4.0]])
    assert named.transform(unnamed).tolist() == named.transform(BOTH[:1]).tolist()
    assert FiltrationKernel(weight="attribute").fit(unnamed).transform(BOTH).shape == (6, 1)


@pytest.mark.parametrize("weight", ["node-distance", NodeDistance(columns=[0])])
def test_node_attributes_are_those_of_the_fit_too(weight):
    kernel = FiltrationKernel(weight=weight).fit(travels())
    with pytest.raises(ValueError, match="the weight reads 'y'.* of these graphs, but it was fit"):
        kernel.transform(travels(nodes=("y", "x")))
