"""Every conversion, in both directions where there are two, and every refusal."""

import subprocess
import sys
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from grakel import Graph as GrakelGraph
from hypothesis import given
from hypothesis import strategies as st

from grafik import Graphs
from strategies import RawGraph, batches, build, raw_batches

ALL = {
    "node_label": "label",
    "edge_label": "label",
    "node_attribute": "attribute",
    "edge_attribute": "attribute",
}


def names(graphs, **others):
    """The names of the columns that a batch has, for the conversion back."""
    columns = ("node_labels", "edge_labels", "node_attributes", "edge_attributes")
    there = [c for c in columns if getattr(graphs, c) is not None and len(getattr(graphs, c))]
    chosen = {c[:-1]: ALL[c[:-1]] for c in there}
    return {"node_label": None, **chosen, **others}


# networkx


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
    with pytest.warns(UserWarning, match="nothing has the label 'atm'"):
        assert Graphs.from_networkx(nx.path_graph(2), node_label="atm").node_labels is None
    with pytest.warns(UserWarning, match="nothing has the attribute 'wieght'"):
        Graphs.from_networkx(nx.path_graph(2), edge_attribute="wieght")
    assert Graphs.from_networkx(nx.empty_graph(2), edge_attribute="w").edge_attributes is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("1.5", r"graph 0, edge \(0, 1\): the attribute 'w' must be a number.*'1.5' of type str"),
        (None, r"graph 0, edge \(0, 1\).*got None"),
        ([1, 2], r"graph 0, edge \(1, 2\): .*or everywhere as many numbers"),
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


# igraph


def to_igraph(graphs):
    result = []
    for g in graphs:
        graph = igraph.Graph(g.n_nodes, g.edges.tolist())
        for part, count, columns in (
            (graph.vs, g.n_nodes, {"label": g.node_labels, "attribute": g.node_attributes}),
            (graph.es, g.n_edges, {"label": g.edge_labels, "attribute": g.edge_attributes}),
        ):
            for name, values in columns.items():
                if values is not None and count:
                    part[name] = [list(v) if isinstance(v, np.ndarray) else v for v in values]
        result.append(graph)
    return result


@given(raw_batches(label=st.one_of(st.booleans(), st.integers(), st.text())).map(build))
def test_igraph_round_trip_is_the_identity(graphs):
    assert Graphs.from_igraph(to_igraph(graphs), **names(graphs)) == graphs


def test_igraph_refusals():
    partly = igraph.Graph.Ring(3)
    partly.vs[0]["label"] = "a"
    with pytest.raises(ValueError, match="graph 0, vertex 1 has no label 'label'"):
        Graphs.from_igraph(partly)
    with pytest.raises(ValueError, match="graph 0 is directed; convert it, or say"):
        Graphs.from_igraph(igraph.Graph([(0, 1)], directed=True))
    with pytest.raises(ValueError, match="graph 0 is a multigraph"):
        Graphs.from_igraph(igraph.Graph([(0, 1), (0, 1)]))
    double = igraph.Graph([(0, 1), (1, 0)])
    double.es["w"] = [1.0, 2.0]
    graphs = Graphs.from_igraph(double, edge_attribute="w", fold="sum")
    assert graphs.edge_attributes.tolist() == [[3.0]]
    with pytest.warns(UserWarning, match="nothing has the label 'kind'"):
        Graphs.from_igraph(igraph.Graph.Ring(3), node_label="kind")
    with pytest.raises(TypeError, match="graph 0 is 'x' of type str, not an igraph graph"):
        Graphs.from_igraph(["x"])


# Matrices


@given(
    raw_batches(value=st.floats(0.1, 9)), st.sampled_from(["csr", "coo", "lil", "array", "dense"])
)
def test_matrix_round_trip_is_the_identity(raw, form):
    for g in raw:
        g.edge_labels = g.node_attributes = None
        g.edge_attributes = (
            [[g.edge_attributes[i][0]] for i in range(len(g.edges))]
            if g.edge_attributes is not None
            else None
        )
    graphs = build(raw)
    weighted = graphs.edge_attributes is not None
    matrices = []
    for g in graphs:
        matrix = np.zeros((g.n_nodes, g.n_nodes))
        for i, (u, v) in enumerate(g.edges):
            matrix[u, v] = matrix[v, u] = g.edge_attributes[i, 0] if weighted else 1
        if form == "array":
            matrix = sp.csr_array(matrix)
        elif form != "dense":
            matrix = sp.csr_matrix(matrix).asformat(form)
        matrices.append(matrix)
    labels = None if graphs.node_labels is None else [g.node_labels for g in graphs]
    again = Graphs.from_scipy(matrices, labels, weighted=weighted, on_invalid="raise")
    assert again == graphs
    assert tuple(again.dropped) == (0, 0, 0)


def test_matrix_entries_stored_in_pieces_or_as_zero():
    pieces = sp.coo_matrix(([1, 1, 2, 0, 0], ([0, 0, 1, 1, 2], [1, 1, 0, 2, 1])), (3, 3))
    graphs = Graphs.from_scipy(pieces, weighted=True)
    assert graphs[0].edges.tolist() == [[0, 1]]
    assert graphs[0].edge_attributes.tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        (np.ones((2, 3)), {}, r"graph 0: an adjacency matrix must be square, got shape \(2, 3\)"),
        (
            np.triu(np.ones((3, 3)), 1),
            {},
            "graph 0 is directed: it has an edge from 0 to 1 and none",
        ),
        (np.full((2, 2), np.nan), {}, r"graph 0: entry \(0, 0\) must be finite, got nan"),
        (np.eye(2), {"on_invalid": "raise"}, r"graph 0, edge 0 \(0, 0\) is a self loop"),
        (
            np.array([[0, 1], [2, 0]]),
            {"weighted": True},
            r"has the attributes \[2.0\], but the same",
        ),
        (np.zeros((2, 2)), {"node_labels": [["a"]]}, "graph 0 needs 2 node_labels, got 1"),
        (np.zeros((2, 2)), {"node_labels": []}, "node_labels has 0 entries for 1 graphs"),
    ],
)
def test_matrix_refusals(matrix, options, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_scipy([matrix], **options)


def test_old_numpy_matrices_are_matrices():
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[0, 2], [2, 0]])
    assert Graphs.from_scipy([matrix], weighted=True).edge_attributes.tolist() == [[2.0]]


def test_directed_matrices_can_be_folded():
    matrix = np.array([[0, 1, 0], [3, 0, 0], [0, 5, 0]])
    graphs = Graphs.from_scipy(matrix, weighted=True, fold="mean")
    assert graphs[0].edges.tolist() == [[0, 1], [1, 2]]
    assert graphs[0].edge_attributes.tolist() == [[2.0], [5.0]]


# Edge lists


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
        ([[(0, 1)], [(0, 1, 2)]], {}, "graph 1: an edge list is pairs of vertex ids"),
        ([[("a", "b")]], {}, "graph 0: an edge list is pairs of vertex ids"),
        ([[(0, 1), (2,)]], {}, "graph 0: an edge list is pairs"),
        ([[(0, 1), (0, -1)]], {}, r"graph 0, edge 1: vertex ids count from 0, got \[0, -1\]"),
        ([7], {}, "graph 0: an edge list is pairs of vertex ids, got 7"),
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
        ([[(0, 1)], [(0, 1)]], {"edge_attributes": [[1], [[1, 2]]]}, "as many columns in every"),
    ],
)
def test_edge_list_refusals(edge_lists, options, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_edge_lists(edge_lists, **options)


# PyTorch Geometric; these objects have its attributes, with NumPy arrays for tensors


def to_pyg(graphs):
    result = []
    for g in graphs:
        pairs = np.concatenate([g.edges, g.edges[:, ::-1]]).T.astype(np.int64)
        data = SimpleNamespace(edge_index=pairs, num_nodes=g.n_nodes)
        if g.node_labels is not None:
            data.x = np.array(g.node_labels, np.int64)
        if g.edge_labels is not None:
            data.edge_type = np.array(g.edge_labels * 2, np.int64)
        if g.node_attributes is not None:
            data.pos = g.node_attributes
        if g.edge_attributes is not None:
            data.edge_attr = np.tile(g.edge_attributes, (2, 1))
        result.append(data)
    return result


@given(raw_batches(label=st.integers(-9, 9)).map(build))
def test_pyg_round_trip_is_the_identity(graphs):
    again = Graphs.from_pyg(to_pyg(graphs), on_invalid="raise", **pyg_names(graphs))
    assert again == graphs


def pyg_names(graphs):
    """The tensors that a batch has, so that none is asked for in vain."""
    names = {"edge_label": "edge_type", "edge_attribute": "edge_attr", "node_attribute": "pos"}
    return {k: v for k, v in names.items() if getattr(graphs, k + "s") is not None}


def pyg(x=None, pairs=((0, 1), (1, 0)), n=2):
    edge_index = np.array(pairs, np.int64).reshape(-1, 2).T
    return SimpleNamespace(edge_index=edge_index, num_nodes=n, **({} if x is None else {"x": x}))


def test_pyg_one_hot_rows_are_labels_and_integer_columns_tuples():
    assert Graphs.from_pyg(pyg(np.array([[0.0, 1.0], [1.0, 0.0]])))[0].node_labels == [1, 0]
    assert Graphs.from_pyg(pyg(np.array([[5, 1], [1, 0]])))[0].node_labels == [(5, 1), (1, 0)]
    assert Graphs.from_pyg(pyg(np.ones((2, 1))))[0].node_labels == [0, 0]
    assert Graphs.from_pyg([pyg(n=0, pairs=())]).n_nodes.tolist() == [0]


def test_pyg_reads_tensors_by_their_cpu_copy():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def detach(self):
            return self

        def cpu(self):
            return self.array

    data = SimpleNamespace(
        edge_index=Tensor(np.array([[0, 1], [1, 0]])), num_nodes=2, x=Tensor(np.array([3, 4]))
    )
    assert Graphs.from_pyg(data)[0].node_labels == [3, 4]


@pytest.mark.parametrize(
    ("graphs", "options", "message"),
    [
        ([pyg(np.ones((2, 2)))], {}, "'x' holds neither integers nor one-hot rows"),
        (
            [pyg(pairs=((0, 1),))],
            {},
            "graph 0 is directed: it has an edge from 0 to 1 and none back",
        ),
        ([pyg(np.array([1, 2])), pyg()], {}, "graph 1 has no 'x', but graph 0 has"),
        ([pyg(np.array([1, 2, 3]))], {}, r"graph 0: 'x' needs 2 rows, got shape \(3,\)"),
        ([pyg(np.eye(2)), pyg(np.eye(3)[:2])], {}, "graph 1: 'x' has 3 columns, others have 2"),
    ],
)
def test_pyg_refusals(graphs, options, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_pyg(graphs, **options)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (SimpleNamespace(edge_index=None, num_nodes=2), "graph 0: edge_index must be .* got None"),
        (SimpleNamespace(edge_index=np.zeros((4, 2), int), num_nodes=4), r"shape \(4, 2\)"),
        (
            SimpleNamespace(edge_index=np.zeros((2, 1)), num_nodes=4),
            "graph 0: edge_index .*float64",
        ),
        (SimpleNamespace(edge_index=np.zeros((2, 1), int), num_nodes=None), "num_nodes must be a"),
        (
            SimpleNamespace(edge_index=np.zeros((2, 1), int), num_nodes=2, ptr=[0, 1, 2]),
            r"graph 0 is a Batch of several graphs; pass batch.to_data_list\(\)",
        ),
    ],
)
def test_pyg_refuses_what_is_not_one_graph(data, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_pyg([data])


def test_pyg_tells_of_a_name_that_nothing_has():
    with pytest.warns(UserWarning, match="no graph has 'typo'"):
        assert Graphs.from_pyg([pyg()], edge_attribute="typo").edge_attributes is None


def test_pyg_graphs_without_vertices_need_no_labels():
    graphs = Graphs.from_pyg([pyg(n=0, pairs=()), pyg(np.array([1, 2]))])
    assert graphs.n_nodes.tolist() == [0, 2]


def test_directed_pyg_graphs_can_be_folded():
    assert len(Graphs.from_pyg(pyg(pairs=((0, 1),)), fold="first").edges) == 1


@given(raw_batches(label=st.integers(-9, 9)).map(build))
def test_real_pyg_data(graphs):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    data = pytest.importorskip("torch_geometric.data", reason="PyTorch Geometric is not installed")
    tensors = [
        data.Data(**{k: torch.as_tensor(v) if k != "num_nodes" else v for k, v in vars(d).items()})
        for d in to_pyg(graphs)
    ]
    assert Graphs.from_pyg(tensors, **pyg_names(graphs)) == graphs


# GraKeL


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
    assert Graphs.from_grakel([by_dictionary]) == expected == Graphs.from_grakel([by_matrix])


def test_grakel_weights_are_kept_on_request():
    graphs = Graphs.from_grakel([([("x", "y", 2.5)], None), ({(1, 2): 3.0},)], weighted=True)
    assert graphs.edge_attributes.tolist() == [[2.5], [3.0]]


def test_grakel_isolated_vertices_are_those_with_a_label():
    graphs = Graphs.from_grakel([({(1, 2)}, {1: "a", 2: "b", 5: "c"})])
    assert graphs[0].node_labels == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (({(1, 2)}, {1: "a"}), "graph 0, vertex 2 has no label, but others have"),
        (({1: [2], 2: [1]}, {1: "a", 2: "b", 3: "c"}), "graph 0 has a label for 3, which is none"),
        (([[0, 1], [1, 0]], {0: "a", 1: "b", 2: "c"}), "graph 0 has a label for 2, which is none"),
        (([[0, 1], [0, 0]],), "graph 0 is directed: it has an edge from 0 to 1"),
        (([(1, 2, 3, 4)],), "graph 0: an edge is .*got .1, 2, 3, 4."),
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
    graphs = Graphs.from_grakel([([[0, 1], [0, 0]],)], fold="sum", weighted=True)
    assert graphs[0].edges.tolist() == [[0, 1]]
    with pytest.raises(ValueError, match="is a self loop"):
        Graphs.from_grakel([({(0, 0), (0, 1)},)], on_invalid="raise")


def test_grakel_self_loops_need_no_label():
    graphs = Graphs.from_grakel([({(0, 0), (0, 1)}, None, {(0, 1): "x"})])
    assert graphs[0].edge_labels == ["x"]
    assert graphs.dropped.self_loops == 1


def test_grakel_sets_are_read_alike_in_every_process():
    code = (
        "from grafik import Graphs; "
        "g = Graphs.from_grakel([({('a', 'b', 1.0), ('b', 'a', 2.0), ('c', 'a', 3.0)},)], "
        "weighted=True, fold='first'); print(g.edges.tolist(), g.edge_attributes.tolist())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(4)
    }
    assert len(runs) == 1


def test_grakel_refuses_what_has_no_such_form():
    with pytest.raises(TypeError, match="expected graphs, got None"):
        Graphs.from_grakel(None)
    with pytest.raises(TypeError, match="graph 1 is 5 of type int, not a graph in GraKeL's form"):
        Graphs.from_grakel([({(0, 1)},), 5])


# SMILES


def test_smiles_atoms_and_bonds():
    graphs = Graphs.from_smiles(["C=O", "c1ccccc1", "C#N", "[Na+].[Cl-]"])
    assert graphs.n_nodes.tolist() == [2, 6, 2, 2]
    assert graphs[0].node_labels == [6, 8]
    assert graphs[0].edge_labels == ["DOUBLE"]
    assert graphs[1].edge_attributes.tolist() == [[1.5]] * 6
    assert graphs[1].edge_labels == ["AROMATIC"] * 6
    assert graphs[2].edge_attributes.tolist() == [[3.0]]
    assert graphs[3].n_edges == 0


def test_smiles_hydrogens_and_molecules():
    from rdkit import Chem

    assert Graphs.from_smiles("C", hydrogens=True).n_nodes.tolist() == [5]
    assert Graphs.from_smiles([Chem.MolFromSmiles("CCO")]) == Graphs.from_smiles(["CCO"])


def test_smiles_that_cannot_be_parsed_are_named(capfd):
    with pytest.raises(ValueError, match="graph 1: RDKit cannot parse the SMILES 'C1CC'"):
        Graphs.from_smiles(["CCO", "C1CC"])
    with pytest.raises(TypeError, match="graph 0 is None, not a SMILES string"):
        Graphs.from_smiles([None])
    assert capfd.readouterr().err == ""


def test_an_absent_package_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(
        ImportError, match=r"from_smiles needs rdkit.Chem.*pip install 'grafik\[mol"
    ):
        Graphs.from_smiles("C")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="to_networkx needs networkx.*pip install 'networkx'"):
        Graphs([0, 1], [0, 0], []).to_networkx()


def test_raw_graphs_cover_the_odd_cases():
    """If the strategy stopped making loops or duplicates, the tests above would sleep."""
    found = set()

    @given(raw_batches())
    def look(raw):
        for g in raw:
            assert isinstance(g, RawGraph)
            found.update({"empty"} if g.n == 0 else set())
            found.update({"edgeless"} if g.n and not g.edges else set())
            found.update("loop" for u, v in g.edges if u == v)
            found.update({"repeat"} if len(set(g.edges)) < len(g.edges) else set())
            found.update("reversed" for u, v in g.edges if u != v and (v, u) in g.edges)

    look()
    assert found == {"empty", "edgeless", "loop", "repeat", "reversed"}
