"""From what GraKeL takes and back, and every refusal."""

import numpy as np
import pytest
from hypothesis import given

from grafik import Graphs
from strategies import build, raw_batches

GrakelGraph = pytest.importorskip("grakel", reason="GraKeL has no wheels for this Python").Graph


def to_grakel(graphs, form):
    result = []
    for g in graphs:
        pairs = [tuple(e) for e in g.edges.tolist()]
        both = pairs + [(v, u) for u, v in pairs]
        node_labels = None if g.node_labels is None else dict(enumerate(g.node_labels))
        edge_labels = None
        if g.edge_labels is not None:
            edge_labels = dict(zip(both, g.edge_labels * 2, strict=True))
        if form == "set":
            graph = set(both)
        elif form == "once":
            graph = pairs
        elif form == "neighbours":
            graph = {v: [w for u, w in both if u == v] for v in range(g.n_nodes)}
        elif form == "weights":
            graph = {v: {w: 1.0 for u, w in both if u == v} for v in range(g.n_nodes)}
        else:
            graph = np.zeros((g.n_nodes, g.n_nodes), int)
            for u, v in both:
                graph[u, v] = 1
            graph = graph.tolist() if form == "lists" and g.n_nodes else graph
        result.append((graph, node_labels, edge_labels))
    return result


@pytest.mark.parametrize("form", ["set", "once", "neighbours", "weights", "matrix", "lists"])
def test_grakel_round_trip_is_the_identity(form):
    @given(raw_batches())
    def check(raw):
        for g in raw:
            g.node_attributes = g.edge_attributes = None
            if form in ("set", "once"):  # here only labels tell of isolated vertices
                g.node_labels = g.node_labels or [0] * g.n
        graphs = build(raw)
        assert Graphs.from_grakel(to_grakel(graphs, form)) == graphs

    check()


def test_grakel_objects_of_both_formats():
    edges, labels, kinds = {(7, 8): 1.0, (8, 7): 1.0}, {7: "a", 8: "b"}, {(7, 8): 0, (8, 7): 0}
    by_dictionary = GrakelGraph(edges, labels, kinds)
    by_matrix = GrakelGraph(np.array([[0, 1], [1, 0]]), {0: "a", 1: "b"}, {(0, 1): 0, (1, 0): 0})
    expected = Graphs([0, 2], [0, 1], [[0, 1]], node_labels=["a", "b"], edge_labels=[0])
    named = Graphs(
        [0, 2], [0, 1], [[0, 1]], node_labels=["a", "b"], edge_labels=[0], node_names=[7, 8]
    )
    assert Graphs.from_grakel([by_matrix]) == expected
    assert Graphs.from_grakel([by_dictionary]) == named


def test_grakel_weights_are_kept_on_request():
    graphs = Graphs.from_grakel([([("x", "y", 2.5)], None), ({(1, 2): 3.0},)])
    assert graphs.edge_attributes.tolist() == [[2.5], [3.0]]


def test_grakel_isolated_vertices_are_those_with_a_label():
    graphs = Graphs.from_grakel([({(1, 2)}, {1: "a", 2: "b", 5: "c"})])
    assert graphs[0].node_labels == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (({(1, 2)}, {1: "a"}), "graph 0, vertex 2 has no label, but others have"),
        (({1: [2], 2: [1]}, {1: "a", 2: "b", 3: "c"}), "graph 0 has a label for 3, which is not"),
        (([[0, 1], [1, 0]], {0: "a", 1: "b", 2: "c"}), "graph 0 has a label for 2, which is not"),
        (([[0, 1], [0, 0]],), "graph 0 is directed: it has an edge from 0 to 1"),
        (([(1, 2, 3, 4)],), "graph 0: an edge is .*got .1, 2, 3, 4."),
        (({(0, 1)}, None, {0: "x"}), "graph 0: edge labels are by pairs of vertices, not by 0"),
        (({(0, 1)}, None, {(0, 1, 2): "x"}), r"graph 0: edge labels .* not by \(0, 1, 2\)"),
        (({0: 5},), "graph 0, vertex 0: its neighbours must be a list of vertices, .* got 5"),
        (({0: [[1]]},), r"graph 0, neighbour of 0: a vertex must be hashable, got \[1\]"),
        (([([1], 2)],), r"graph 0, edge .*: a vertex must be hashable, got \[1\]"),
        (([(0, 1, 1j)],), r"graph 0, edge \(0, 1\): a weight must be a finite number, got 1j"),
        (([(0, 1, np.complex128(1))],), r"graph 0, edge \(0, 1\): a weight must be a finite"),
        (([[0, 1], [1]],), "graph 0: the rows of its matrix have different lengths"),
        (
            ([("a", "b", np.inf)],),
            r"graph 0, edge .'a', 'b'.: a weight must be a finite number, got inf",
        ),
        (
            ([("a", "b", "3")],),
            r"graph 0, edge .'a', 'b'.: a weight must be a finite number, got '3'",
        ),
        (
            ({("a", "b")}, None, {("a", "c"): "x"}),
            "graph 0 has a label for .'a', 'c'., which is not an edge of it",
        ),
        (
            ({("a", "b"), ("b", "a")}, None, {("a", "b"): 1, ("b", "a"): True}),
            "graph 0, edge .'b', 'a'. has the labels 1 and True",
        ),
        (
            ({(0, 1), (1, 2)}, None, {(0, 1): "x"}),
            "graph 0, edge . has no label, but graph 0, edge",
        ),
    ],
)
def test_grakel_refusals(graph, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_grakel([graph])


def test_grakel_matrices_can_be_folded_and_refused():
    graphs = Graphs.from_grakel([([[0, 1], [0, 0]],)], fold="sum")
    assert graphs[0].edges.tolist() == [[0, 1]]
    with pytest.raises(ValueError, match="is a self loop"):
        Graphs.from_grakel([({(0, 0), (0, 1)},)], on_invalid="raise")


def test_grakel_self_loops_need_no_label():
    graphs = Graphs.from_grakel([({(0, 0), (0, 1)}, None, {(0, 1): "x"})])
    assert graphs[0].edge_labels == ["x"]
    assert graphs.dropped.self_loops == 1


def test_grakel_sets_are_read_alike_in_every_process(others):
    code = (
        "from grafik import Graphs\n"
        "for a, b, c in ('abc', 'bca', 'cab', 'xyz', 'yzx'):\n"
        "    g = Graphs.from_grakel([({(a, b, 1.0), (b, a, 2.0), (c, a, 3.0)},)], "
        "fold='first'); print(g.edges.tolist(), g.edge_attributes.tolist())"
    )
    one, other = others(code)
    assert one == other


def test_grakel_refuses_what_has_no_such_form():
    with pytest.raises(TypeError, match="expected graphs, got None"):
        Graphs.from_grakel(None)
    with pytest.raises(TypeError, match="graph 1 is 5 of type int, not a graph in GraKeL's form"):
        Graphs.from_grakel([({(0, 1)},), 5])


@pytest.mark.parametrize("graph", [{(0, 1), (1, 0)}, [[0, 1], [1, 0]]])
def test_an_empty_dictionary_lacks_labels_and_none_is_for_graphs_without(graph):
    with pytest.raises(ValueError, match="graph 1, vertex 0 has no label, as the dictionary is em"):
        Graphs.from_grakel([(graph, {0: "C", 1: "O"}), (graph, {})])
    with pytest.raises(ValueError, match=r"graph 0, edge \(0, 1\) has no label, as the dictionary"):
        Graphs.from_grakel([(graph, {0: "C", 1: "O"}, {})])
    assert Graphs.from_grakel([(graph, None, None)]).node_labels is None
    assert len(Graphs.from_grakel([(set(), {}, {})])) == 1


def test_a_weight_may_be_a_bool_of_numpy():
    (graph,) = Graphs.from_grakel([({(0, 1, np.True_), (1, 2, 3)},)])
    assert graph.edge_attributes.tolist() == [[1.0], [3.0]]


def test_edge_labels_may_be_by_sets_of_two_vertices():
    (graph,) = Graphs.from_grakel([({(0, 1)}, None, {frozenset((0, 1)): "x"})])
    assert graph.edge_labels == ["x"]
