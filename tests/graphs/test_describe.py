"""Descriptions count by hand what is there."""

from grafik import Graphs


def test_describe_counts_by_hand():
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (1, 2)], [], []], [4, 1, 0], node_labels=[["a", "b", "a", 1], [True], []]
    )
    summary = graphs.describe()
    assert (summary.n_graphs, summary.n_nodes, summary.n_edges) == (3, 5, 2)
    assert summary.nodes == (0, 5 / 3, 1.0, 4)
    assert summary.edges == (0, 2 / 3, 0.0, 2)
    assert summary.degrees == (0, 0.8, 1.0, 2)
    assert (summary.isolated, summary.edgeless) == (2, 2)
    assert sorted(summary.node_labels, key=repr) == [("a", 2), ("b", 1), (1, 1), (True, 1)]
    assert summary.node_labels[0] == ("a", 2)
    assert summary.edge_labels is None
    text = str(summary)
    assert "5 in all; per graph 0 to 4, mean 1.67, median 1" in text
    assert "4: 'a' (2), " in text
    assert not summary.directed
    assert "directed" not in text


def test_directions_and_names_of_attributes_are_told():
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (1, 0)]],
        directed=True,
        node_attributes=[[1, 2]],
        edge_attributes=[[[1, 2], [3, 4]]],
        edge_attribute_names=["weight", "since"],
    )
    summary = graphs.describe()
    assert summary.directed
    assert summary.edge_attribute_names == ("weight", "since")
    assert summary.node_attribute_names is None
    assert summary.degrees == (2, 2.0, 2.0, 2)
    rows = dict(summary.rows())
    assert rows["directed edges"] == "2 in all; per graph 2 to 2, mean 2.00, median 2"
    assert rows["node attributes"] == "1"
    assert rows["edge attributes"] == "2: weight, since"


def test_an_empty_batch_can_be_described():
    assert Graphs([0], [0], []).describe().nodes == (0, 0.0, 0.0, 0)
