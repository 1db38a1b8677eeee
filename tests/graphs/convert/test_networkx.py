"""From networkx and back, and every refusal."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from column_names import named, names
from grafik import Graphs, as_graphs
from strategies import build, full_batches, raw_batches

hashable = st.one_of(
    st.text(max_size=3), st.integers(-9, 9), st.tuples(st.integers(0, 3), st.text(max_size=1))
)


def ids_of(theirs):
    """The ids that graphs were written with."""
    return [g.graph["id"] for g in theirs] if theirs and "id" in theirs[0].graph else None


@given(full_batches(name=hashable))
def test_networkx_round_trip_is_the_identity(graphs):
    if {"label"} & {*(graphs.node_attribute_names or ()), *(graphs.edge_attribute_names or ())}:
        return
    theirs = graphs.to_networkx()
    directed = True if graphs.directed else None
    options = names(graphs, directed=directed, ids=ids_of(theirs))
    assert Graphs.from_networkx(theirs, **options) == named(graphs)


@given(full_batches(name=hashable), st.booleans())
def test_networkx_sees_the_same_directions_names_and_numbers(graphs, own):
    for g, theirs in zip(graphs, graphs.to_networkx(names=own), strict=True):
        assert theirs.is_directed() is g.directed
        called = list(range(g.n_nodes)) if g.node_names is None or not own else g.node_names
        assert list(theirs) == called
        assert len(theirs.edges) == g.n_edges
        for i, (u, v) in enumerate(g.edges.tolist()):
            data = theirs.edges[called[u], called[v]]
            if g.edge_attributes is not None and g.edge_attribute_names is not None:
                row = dict(zip(g.edge_attribute_names, g.edge_attributes[i].tolist(), strict=True))
                assert row.items() <= data.items()


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
    called = [n if n != frozenset() else "{}" for g in graphs for n in g]
    assert ours == build(raw, node_names=called)
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
    assert graphs.node_attribute_names == ("charge", "xyz[0]", "xyz[1]")
    assert graphs.edge_attributes.tolist() == [[1.0, 1.5]]
    assert graphs.edge_attribute_names == ("order", "length")


def test_labels_of_edges_are_read_by_default_as_they_are_written():
    rings = Graphs.from_edge_lists(
        [[(0, 1), (1, 2), (2, 0)]] * 2, edge_labels=[["single"] * 3, ["double", None, 1]]
    )
    theirs = rings.to_networkx()
    assert Graphs.from_networkx(theirs) == as_graphs(theirs) == rings
    assert Graphs.from_networkx(theirs, edge_label=None).edge_labels is None
    del theirs[1].edges[0, 2]["label"]
    message = r"graph 1, edge \(0, 2\) has no label 'label', but .*as_graphs\(graphs, edge_label="
    with pytest.raises(ValueError, match=message):
        as_graphs(theirs)


def test_molecules_come_back_from_networkx():
    molecules = as_graphs(["CCO", "C=C"], ids=["ethanol", "ethene"])
    theirs = molecules.to_networkx()
    back = Graphs.from_networkx(theirs)
    assert back.node_labels == molecules.node_labels
    assert back.edge_labels == molecules.edge_labels
    assert Graphs.from_networkx(theirs, edge_attribute="order", ids=ids_of(theirs)) == molecules


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
        (
            float("nan"),
            r"graph 0, edge \(0, 1\): the attribute 'w' must be finite, got nan .*edge_attribute=N",
        ),
        (1j, r"must be a number"),
        ([[1], [2, 3]], r"graph 0, edge \(0, 1\): the attribute 'w' must be a number, or a list"),
    ],
)
def test_attributes_that_are_no_numbers_are_refused(value, message):
    graph = nx.path_graph(3)
    graph.edges[0, 1]["w"] = value
    graph.edges[1, 2]["w"] = 1.0
    with pytest.raises(ValueError, match=message):
        Graphs.from_networkx(graph, edge_attribute="w")


def test_arrays_of_other_shapes_are_refused():
    graph = nx.path_graph(3)
    graph.edges[0, 1]["w"], graph.edges[1, 2]["w"] = [1.0], np.zeros((1, 2))
    with pytest.raises(
        ValueError, match=r"graph 0, edge \(1, 2\): the attribute 'w' must be a num"
    ):
        Graphs.from_networkx(graph, edge_attribute="w")
    graph.edges[0, 1]["w"] = np.zeros((1, 3))
    with pytest.raises(
        ValueError, match=r"graph 0, edge \(0, 1\): the attribute 'w' must be a num"
    ):
        Graphs.from_networkx(graph, edge_attribute="w")


def test_lists_of_no_numbers_are_refused():
    graph = nx.path_graph(2)
    nx.set_edge_attributes(graph, [], "w")
    with pytest.raises(ValueError, match=r"graph 0, edge \(0, 1\): .* must be a number.*got \[\]"):
        Graphs.from_networkx(graph, edge_attribute="w")


def weighted(*edges, kind=nx.Graph):
    graph = kind()
    graph.add_weighted_edges_from(edges)
    return graph


def test_weights_are_read_by_default():
    graph = weighted(("a", "b", 3), ("b", "c", 0.5))
    graph.edges["a", "b"]["since"] = 1999
    graph.edges["b", "c"]["since"] = 2001
    graphs = Graphs.from_networkx([graph, nx.empty_graph(2)])
    assert graphs.edge_attribute_names == ("weight",)
    assert graphs.edge_attributes.tolist() == [[3.0], [0.5]]
    assert Graphs.from_networkx(graph, edge_attribute=None).edge_attributes is None
    both = Graphs.from_networkx(graph, edge_attribute=["since", "weight"])
    assert both.edge_attribute_names == ("since", "weight")
    assert both.edge_attributes.tolist() == [[1999, 3], [2001, 0.5]]
    labelled = Graphs.from_networkx(graph, edge_label="weight")
    assert labelled[0].edge_labels == [3, 0.5]
    assert labelled.edge_attributes is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda data: data.clear(),
            r"graph 1, edge \('b', 'c'\) has no attribute 'weight', but gr",
        ),
        (lambda data: data.update(weight=float("nan")), r"graph 1, edge \('b', 'c'\): .* finite"),
        (lambda data: data.update(weight="heavy"), r"graph 1, edge \('b', 'c'\): .*be a number"),
    ],
)
def test_weights_that_only_some_edges_have_are_refused(change, message):
    graphs = [weighted(("a", "b", 3)), weighted(("a", "b", 3), ("b", "c", 0.5))]
    change(graphs[1].edges["b", "c"])
    remedy = r"or do not read it: as_graphs\(graphs, edge_attribute=None\)"
    with pytest.raises(ValueError, match=f"{message}.*{remedy}"):
        Graphs.from_networkx(graphs)
    assert Graphs.from_networkx(graphs, edge_attribute=None).n_edges.tolist() == [1, 2]


def test_names_are_kept_unless_they_are_numbers_in_order():
    assert Graphs.from_networkx(nx.path_graph(3)).node_names is None
    backwards = nx.Graph([(2, 1), (1, 0)])
    assert Graphs.from_networkx(backwards)[0].node_names == [2, 1, 0]
    both = Graphs.from_networkx([nx.path_graph(2), nx.Graph([("ann", "bob")])])
    assert [g.node_names for g in both] == [[0, 1], ["ann", "bob"]]


def test_names_that_would_be_the_same_text_are_numbers():
    class Thing:
        def __str__(self):
            return "thing"

    graphs = Graphs.from_networkx([nx.Graph([(Thing(), Thing())]), nx.Graph([("a", Thing())])])
    assert [g.node_names for g in graphs] == [[0, 1], ["a", "thing"]]
    sets = nx.Graph([(frozenset("ba"), frozenset([2, 10]))])
    assert Graphs.from_networkx(sets)[0].node_names == ["{a, b}", "{10, 2}"]


@pytest.mark.parametrize("names", [[1, True], [None, "a"], [1.0, 1]])
def test_names_that_networkx_cannot_tell_apart_are_refused(names):
    graphs = Graphs.from_edge_lists([[(0, 1)]], node_names=[names])
    with pytest.raises(ValueError, match="graph 0: networkx cannot have .*pass names=False"):
        graphs.to_networkx()
    assert list(graphs.to_networkx(names=False)[0]) == [0, 1]


def test_attributes_are_written_under_the_names_that_were_asked_for():
    graphs = Graphs.from_edge_lists(
        [[(0, 1)]],
        node_labels=[["C", "O"]],
        node_attributes=[[[1, 2], [3, 4]]],
        node_attribute_names=["label", "y"],
        edge_attributes=[[[5, 6]]],
        ids=["first"],
    )
    with pytest.raises(ValueError, match="would both be called 'label'; pass another node_label"):
        graphs.to_networkx()
    theirs = graphs.to_networkx(node_label="atom", edge_attribute="pair")[0]
    assert theirs.nodes[0] == {"atom": "C", "label": 1.0, "y": 2.0}
    assert theirs.edges[0, 1] == {"pair": (5.0, 6.0)}
    assert theirs.graph == {"id": "first"}
    theirs = graphs.to_networkx(node_attribute=["a", "b"], edge_attribute=["u", "v"])[0]
    assert theirs.nodes[1] == {"label": "O", "a": 3.0, "b": 4.0}
    assert theirs.edges[0, 1] == {"u": 5.0, "v": 6.0}
    with pytest.raises(ValueError, match="node_attribute must be one name, or 2 different ones"):
        graphs.to_networkx(node_attribute=["a", "b", "c"])


# Directed graphs and multigraphs


def test_directed_graphs_and_multigraphs_need_a_word():
    directed, multi = nx.DiGraph([(0, 1)]), nx.MultiGraph([(0, 1)])
    message = (
        r"graph 1 is directed; keep .* directed=True\), forget them .* directed=False\), or say"
    )
    with pytest.raises(ValueError, match=message):
        Graphs.from_networkx([nx.path_graph(2), directed])
    with pytest.raises(ValueError, match="graph 0 is a multigraph; say how .* fold='first', 'sum"):
        Graphs.from_networkx(multi)
    with pytest.raises(ValueError, match="directed must be one of None, True, False, got 'yes'"):
        Graphs.from_networkx(directed, directed="yes")
    for graph in (directed, multi):
        assert Graphs.from_networkx(graph, fold="first") == Graphs.from_networkx(nx.path_graph(2))
    assert Graphs.from_networkx(directed, directed=False) == Graphs.from_networkx(nx.path_graph(2))


def test_directions_are_kept_if_asked_for():
    graph = weighted(("b", "a", 1), ("a", "b", 2), ("a", "c", 3), kind=nx.DiGraph)
    graphs = Graphs.from_networkx(graph, directed=True)
    assert graphs.directed
    assert graphs[0].node_names == ["b", "a", "c"]
    assert graphs.edges.tolist() == [[0, 1], [1, 0], [1, 2]]
    assert graphs.edge_attributes.tolist() == [[1.0], [2.0], [3.0]]
    with pytest.raises(ValueError, match=r"edge \('a', 'b'\) has the attributes .*fold='first'"):
        Graphs.from_networkx(graph, directed=False)
    assert Graphs.from_networkx(graph, directed=False, fold="sum") == graphs.undirected("sum")
    assert Graphs.from_networkx(graph, fold="sum") == graphs.undirected("sum")


def test_opposite_edges_are_no_repetition_where_directions_are_forgotten():
    both = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    graphs = Graphs.from_networkx(both, directed=False, on_invalid="raise")
    assert graphs.edges.tolist() == [[0, 1], [1, 2]]
    assert tuple(graphs.dropped) == (0, 0, 0)


def test_edges_of_undirected_graphs_lead_both_ways_among_directed_ones():
    graphs = Graphs.from_networkx([weighted((0, 1, 5)), nx.DiGraph()], directed=True)
    assert graphs.edges.tolist() == [[0, 1], [1, 0]]
    assert graphs.edge_attributes.tolist() == [[5.0], [5.0]]
    multi = nx.MultiGraph([(0, 1, {"weight": 1}), (1, 0, {"weight": 2}), (1, 1, {"weight": 3})])
    graphs = Graphs.from_networkx(multi, directed=True, fold="sum")
    assert graphs.edges.tolist() == [[0, 1], [1, 0]]
    assert graphs.edge_attributes.tolist() == [[3.0], [3.0]]


def test_parallel_edges_of_one_direction_are_folded():
    multi = weighted((0, 1, 1), (0, 1, 2), (1, 0, 5), kind=nx.MultiDiGraph)
    with pytest.raises(ValueError, match="graph 0 is a multigraph"):
        Graphs.from_networkx(multi, directed=True)
    graphs = Graphs.from_networkx(multi, directed=True, fold="max")
    assert graphs.edge_attributes.tolist() == [[2.0], [5.0]]
    assert Graphs.from_networkx(multi, fold="max").edge_attributes.tolist() == [[5.0]]


def test_ids_are_kept():
    graphs = Graphs.from_networkx([nx.path_graph(2), nx.path_graph(3)], ids=["a", 7])
    assert [g.id for g in graphs] == ["a", 7]
    with pytest.raises(ValueError, match="ids has 1 entries, 2 are needed"):
        Graphs.from_networkx([nx.path_graph(2), nx.path_graph(3)], ids=["a"])


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
