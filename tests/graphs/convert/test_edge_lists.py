"""From lists of edges, and every refusal."""

import numpy as np
import pytest
from hypothesis import given

from grafik import Graphs
from strategies import build, raw_batches


@given(raw_batches())
def test_edge_lists_are_the_constructor_graph_by_graph(raw):
    graphs = build(raw)

    def column(name):
        return None if getattr(graphs, name) is None else [getattr(g, name) for g in raw]

    columns = {
        name: column(name)
        for name in ("node_labels", "edge_labels", "node_attributes", "edge_attributes")
    }
    again = Graphs.from_edge_lists([g.edges for g in raw], [g.n for g in raw], **columns)
    assert again == graphs
    assert again.dropped == graphs.dropped


def test_edge_lists_count_vertices_as_far_as_they_are_told():
    assert Graphs.from_edge_lists([[(0, 4)], []]).n_nodes.tolist() == [5, 0]
    assert Graphs.from_edge_lists([[(0, 1)]], node_labels=[list("abc")]).n_nodes.tolist() == [3]
    assert Graphs.from_edge_lists([[]], node_attributes=[[1, 2]]).n_nodes.tolist() == [2]


@pytest.mark.parametrize(
    ("edge_lists", "options", "message"),
    [
        ([[(0, 1)], [(0, 1, 2)]], {}, "graph 1: an edge list must hold vertex pairs"),
        ([[("a", None)]], {}, "graph 0: an edge list must hold vertex pairs"),
        ([[("a", "b")]], {}, "graph 0: an edge list must hold vertex pairs"),
        ([[(0, 1), (2,)]], {}, "graph 0: an edge list must hold vertex pairs"),
        ([[(0, 1), (0, -1)]], {}, r"graph 0, edge 1: vertex ids count from 0, got \[0, -1\]"),
        ([[(0, 1), (1, np.nan)]], {}, "graph 0, edge 1: vertex ids must be integers, got nan; cor"),
        ([[], [(0, 1), (np.inf, 1)]], {}, "graph 1, edge 1: vertex ids must be integers, got inf"),
        ([np.array([[0, 2.5]])], {}, "graph 0, edge 0: vertex ids must be integers, got 2.5"),
        ([[("a", 1), (None, np.nan)]], {}, "graph 0, edge 1: vertex ids must be .*, got nan"),
        ([[(0, 1), (1, 2.0)]], {}, "graph 0, edge 0: vertex ids .* got 0.0; write the ids as int"),
        ([np.ma.masked_equal([[0, 1], [1, 9]], 9)], {}, "graph 0: an edge list must not be masked"),
        (
            [[(0, 1)]],
            {"node_labels": [np.ma.masked_equal([1, 2], 2)]},
            "node_labels of graph 0 must not be masked; fill",
        ),
        (
            [[], np.array([[0, 1], [2**63, 0]], "u8")],
            {},
            r"graph 1, edge 1: .*\[9223372036854775808",
        ),
        ([7], {}, "graph 0: an edge list must hold vertex pairs, got 7"),
        ([[(0, 1)]], {"n_nodes": [1]}, "graph 0, edge 0 .*: there is no vertex 1"),
        ([[(0, 1)]], {"n_nodes": [2, 2]}, "n_nodes has 2 entries for 1 graphs"),
        ([[(0, 1)]], {"n_nodes": [-1]}, "graph 0 cannot have -1 vertices"),
        (
            [[(0, 1)]],
            {"node_labels": [["a"]], "n_nodes": [2]},
            "graph 0 needs 2 node_labels, got 1",
        ),
        ([[(0, 1)]], {"n_nodes": [2.7]}, "n_nodes must be integers"),
        ([[(0, 1)]], {"n_nodes": ["3"]}, "n_nodes must be integers"),
        ([[(0, 1)]], {"n_nodes": 3}, "n_nodes must be a list with one entry for each graph, got 3"),
        ([[(0, 1)]], {"node_labels": [{0: "a", 1: "b"}]}, "node_labels of graph 0 must be a list"),
        ([[(0, 1)]], {"node_labels": ["CO"]}, "node_labels of graph 0 must be a list .* got 'CO'"),
        ([[(0, 1)]], {"edge_labels": [{(0, 1): "x"}]}, "edge_labels of graph 0 must be a list"),
        ([[(0, 1)]], {"edge_attributes": [["1.5"]]}, "graph 0, edge 0: edge_attributes .* numbers"),
        (
            [[(0, 1)]],
            {"edge_attributes": [np.ones((1, 2, 2))]},
            "edge_attributes of graph 0 must ha",
        ),
        ([[(0, 1)]], {"edge_attributes": [None]}, "graph 0 needs 1 edge_attributes, got None"),
        ([[(0, 1)]], {"edge_labels": [[]]}, "graph 0 needs 1 edge_labels, got 0"),
        ([[(0, 1)], [(0, 1)]], {"edge_attributes": [[1], [[1, 2]]]}, "equally many columns every"),
    ],
)
def test_edge_list_refusals(edge_lists, options, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_edge_lists(edge_lists, **options)


def test_edge_lists_with_names_are_told_where_names_can_be_kept():
    with pytest.raises(ValueError, match=r"graph 0: .* got .*'a'.*as_graphs\(\[nx.Graph\(pairs\)"):
        Graphs.from_edge_lists([[("a", "b")]])


def test_what_is_no_list_is_refused():
    with pytest.raises(TypeError, match="expected a list of edge lists, got 3"):
        Graphs.from_edge_lists(3)


def test_more_lists_than_memory_has_room_for_are_refused_up_front(monkeypatch):
    monkeypatch.setattr("grafik.system.memory.available", lambda: 1.4e7)
    message = "reading 100000 edge lists takes 15.0 MB, but only 14.0 MB .*; make batches of fewer"
    with pytest.raises(MemoryError, match=message):
        Graphs.from_edge_lists([[]] * 100_000)
    pointer = np.zeros(1_000_001, np.int64)
    message = "a batch of 1000000 graphs, 0 vertices and 0 edges takes 16.0 MB, but only 14.0 MB"
    with pytest.raises(MemoryError, match=message):
        Graphs(pointer, pointer, [])
