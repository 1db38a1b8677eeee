"""From networkx and back, and every refusal."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from column_names import names
from grafik import Graphs
from strategies import batches, build, raw_batches


@given(batches)
def test_networkx_round_trip_is_the_identity(graphs):
    assert Graphs.from_networkx(graphs.to_networkx(), **names(graphs)) == graphs


@given(raw_batches())
def test_networkx_sees_the_same_graphs(raw):
    graphs = build(raw)
    for ours, g in zip(graphs.to_networkx(), raw, strict=True):
        theirs = nx.empty_graph(g.n)
        theirs.add_edges_from(e for e in g.edges if e[0] != e[1])
        assert set(ours.nodes) == set(theirs.nodes)
        assert {frozenset(e) for e in ours.edges} == {frozenset(e) for e in theirs.edges}


@given(raw_batches(loops=True), st.randoms())
def test_networkx_vertices_may_have_any_name_and_edges_any_order(raw, random):
    graphs = []
    for g in raw:
        g.edge_labels = g.edge_attributes = g.node_attributes = None
        names = random.sample(["a", "b", 3, None, (1, 2), 2.5, frozenset()], 7)[: g.n]
        names = [n if n is not None else "none" for n in names]
        graph = nx.Graph()
        for v, name in enumerate(names):
            graph.add_node(name, **({} if g.node_labels is None else {"label": g.node_labels[v]}))
        graph.add_edges_from((names[u], names[v]) for u, v in g.edges)
        graphs.append(graph)
    ours = Graphs.from_networkx(graphs)
    assert ours == build(raw)
    assert ours.dropped.self_loops == sum(nx.number_of_selfloops(g) for g in graphs)


def test_networkx_takes_one_graph_and_subclasses():
    class Mine(nx.Graph):
        pass

    assert Graphs.from_networkx(nx.path_graph(3)) == Graphs.from_networkx([Mine(nx.path_graph(3))])


def test_networkx_reads_several_attributes_and_lists_of_numbers():
    graph = nx.Graph()
    graph.add_node("a", charge=1, xyz=[0.0, 1.0])
    graph.add_node("b", charge=-1, xyz=(2, 3))
    graph.add_edge("a", "b", length=1.5, order=True)
    graphs = Graphs.from_networkx(
        graph, node_attribute=["charge", "xyz"], edge_attribute=["order", "length"]
    )
    assert graphs.node_attributes.tolist() == [[1, 0, 1], [-1, 2, 3]]
    assert graphs.edge_attributes.tolist() == [[1.0, 1.5]]


def labelled(*labels, **data):
    graph = nx.path_graph(len(labels))
    for v, label in enumerate(labels):
        if label is not ...:
            graph.nodes[v]["label"] = label
    nx.set_edge_attributes(graph, data)
    return graph


def test_missing_labels_are_an_error_only_if_others_are_there():
    assert Graphs.from_networkx([nx.path_graph(3)]).node_labels is None
    assert Graphs.from_networkx([labelled(None, None)])[0].node_labels == [None, None]
    with pytest.raises(
        ValueError, match="graph 1, vertex 1 has no label 'label', but graph 0, ver"
    ):
        Graphs.from_networkx([labelled("a", "b"), labelled("a", ...)])
    with pytest.raises(ValueError, match="graph 1, vertex 'x' has no label 'label'"):
        Graphs.from_networkx([labelled("a"), nx.Graph([("x", "y")])])
    graph = nx.Graph([("x", "y"), ("y", "z")])
    graph.edges["x", "y"]["kind"] = 1
    with pytest.raises(ValueError, match=r"graph 0, edge \('y', 'z'\) has no label 'kind'"):
        Graphs.from_networkx(graph, edge_label="kind")
    with pytest.raises(ValueError, match=r"graph 0, edge \('y', 'z'\) has no attribute 'kind'"):
        Graphs.from_networkx(graph, edge_attribute="kind")


def test_a_name_that_nothing_has_is_told():
    with pytest.warns(UserWarning, match="the label 'atm' occurs nowhere"):
        assert Graphs.from_networkx(nx.path_graph(2), node_label="atm").node_labels is None
    with pytest.warns(UserWarning, match="the attribute 'wieght' occurs nowhere"):
        Graphs.from_networkx(nx.path_graph(2), edge_attribute="wieght")
    assert Graphs.from_networkx(nx.empty_graph(2), edge_attribute="w").edge_attributes is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("1.5", r"graph 0, edge \(0, 1\): the attribute 'w' must be a number.*'1.5' of type str"),
        (None, r"graph 0, edge \(0, 1\).*got None"),
        ([1, 2], r"graph 0, edge \(1, 2\): .*or a list of numbers as long as all others"),
        (float("nan"), r"graph 0, edge \(0, 1\): edge_attributes must be finite, got nan"),
        (1j, r"must be a number"),
    ],
)
def test_attributes_that_are_no_numbers_are_refused(value, message):
    graph = nx.path_graph(3)
    graph.edges[0, 1]["w"] = value
    graph.edges[1, 2]["w"] = 1.0
    with pytest.raises(ValueError, match=message):
        Graphs.from_networkx(graph, edge_attribute="w")


@pytest.mark.parametrize(
    ("graph", "kind"),
    [(nx.DiGraph([(0, 1)]), "directed"), (nx.MultiGraph([(0, 1)]), "a multigraph")],
)
def test_directed_graphs_and_multigraphs_need_a_word_on_folding(graph, kind):
    with pytest.raises(
        ValueError, match=f"graph 1 is {kind}; convert it, or say how .* fold='first'"
    ):
        Graphs.from_networkx([nx.path_graph(2), graph])
    assert Graphs.from_networkx(graph, fold="first") == Graphs.from_networkx(nx.path_graph(2))


def test_folding_parallel_and_opposite_edges():
    directed, multi = nx.DiGraph(), nx.MultiDiGraph()
    directed.add_edge(0, 1, w=1.0)
    directed.add_edge(2, 1, w=5.0)
    directed.add_edge(1, 0, w=2.0)
    multi.add_edges_from(
        [(1, 0, {"w": 1.0}), (0, 1, {"w": 2.0}), (0, 1, {"w": 6.0}), (2, 1, {"w": 5.0})]
    )
    for fold, values in (("sum", (3.0, 9.0)), ("max", (2.0, 6.0)), ("mean", (1.5, 3.0))):
        graphs = Graphs.from_networkx(
            [directed, multi], edge_attribute="w", fold=fold, on_invalid="raise"
        )
        weights = [
            dict(zip(map(tuple, g.edges.tolist()), g.edge_attributes[:, 0], strict=True))
            for g in graphs
        ]
        for graph, weight, value in zip((directed, multi), weights, values, strict=True):
            order = list(graph)
            at = {tuple(sorted((order.index(0), order.index(1)))): value}
            at[tuple(sorted((order.index(1), order.index(2))))] = 5.0
            assert weight == at


def test_networkx_vertices_are_named_by_their_own_names():
    graph = nx.Graph()
    for name, label in ((2, float("nan")), (1, "a"), (0, "b")):
        graph.add_node(name, label=label)
    with pytest.raises(ValueError, match="graph 0, vertex 2: a label must be finite"):
        Graphs.from_networkx(graph)


def test_what_is_no_networkx_graph_is_refused_with_its_position():
    with pytest.raises(TypeError, match="expected graphs, got None, not a networkx graph"):
        Graphs.from_networkx(None)
    with pytest.raises(TypeError, match="graph 1 is None, not a networkx graph"):
        Graphs.from_networkx([nx.path_graph(2), None])
