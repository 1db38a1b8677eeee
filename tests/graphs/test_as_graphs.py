from importlib.util import find_spec
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import rustworkx as rx
import scipy.sparse as sp
from rdkit import Chem

from grafik import Graphs, as_graphs

PATH = Graphs([0, 3], [0, 2], [[0, 1], [1, 2]])
MATRIX = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
PYG = SimpleNamespace(edge_index=np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)

MISSING = "but a missing value; leave it out, and its target as well"
EMPTY = r"Graphs.from_smiles\(smiles, errors='empty'\)"

# One path of three vertices in every form that has no labels.
KINDS = {
    "Graph": PATH[0],
    "networkx": nx.path_graph(3),
    "igraph": igraph.Graph([(0, 1), (1, 2)]),
    "rustworkx": rx.generators.path_graph(3),
    "scipy matrix": sp.csr_matrix(MATRIX),
    "scipy array": sp.coo_array(MATRIX),
    "dense": MATRIX,
    "pyg": PYG,
    "pairs": [(0, 1), (1, 2)],
    "pairs as lists": [[0, 1], [1, 2]],
    "grakel set": ({(0, 1), (1, 2)},),
    "grakel neighbours": ({0: [1], 1: [0, 2], 2: [1]}, None),
    "grakel matrix": [MATRIX, None, None],
}
if find_spec("grakel"):  # it has no wheels for the newest Python
    from grakel import Graph as GrakelGraph

    KINDS["grakel object"] = GrakelGraph({(0, 1): 1, (1, 0): 1, (1, 2): 1, (2, 1): 1})


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_lists_of_every_kind(kind, count):
    expected = Graphs.concat([PATH] * count)
    graphs = [KINDS[kind]] * count
    assert as_graphs(graphs) == expected
    assert as_graphs(tuple(graphs)) == expected
    assert as_graphs(g for g in graphs) == expected


ALONE = [k for k in KINDS if k == "grakel object" or not k.startswith(("pairs", "grakel"))]


@pytest.mark.parametrize("kind", ALONE)
def test_one_graph_alone(kind):
    assert as_graphs(KINDS[kind]) == PATH


def test_three_graphs_of_three_vertices_in_arrays():
    objects = np.empty(3, object)
    objects[:] = [nx.path_graph(3)] * 3
    assert as_graphs(objects) == as_graphs(np.stack([MATRIX] * 3)) == Graphs.concat([PATH] * 3)


def test_edge_lists_of_two_edges_are_never_taken_for_matrices():
    assert as_graphs([[[0, 1], [1, 2]]]) == PATH
    assert as_graphs([[(0, 1), (1, 0)]]) == Graphs([0, 2], [0, 1], [[0, 1]])


def test_a_batch_is_returned_as_it_is():
    assert as_graphs(PATH) is PATH


def test_no_graphs_are_a_batch_of_none():
    assert as_graphs([]) == Graphs([0], [0], [])
    assert as_graphs(iter(())) == Graphs([0], [0], [])


def test_graphs_out_of_one_batch_or_several():
    batch = Graphs.concat([PATH, Graphs([0, 1], [0, 0], []), PATH])
    assert as_graphs([batch[2], batch[1]]) == batch[[2, 1]]
    assert as_graphs([batch[1], PATH[0], batch[0]]) == batch[[1, 0, 0]]


def test_molecules():
    assert as_graphs(pd.Series(["CCO"])) == Graphs.from_smiles("CCO")
    assert as_graphs("CCO") == as_graphs([Chem.MolFromSmiles("CCO")]) == Graphs.from_smiles(["CCO"])


def test_a_generator_is_used_up_once():
    drawn = []

    def draw():
        for n in (2, 3):
            drawn.append(n)
            yield nx.path_graph(n)

    assert as_graphs(draw()).n_nodes.tolist() == [2, 3]
    assert drawn == [2, 3]


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([nx.path_graph(2), None], "graph 1 is None, which is not a graph"),
        ([None], "graph 0 is None, which is not a graph"),
        (
            [nx.path_graph(2), []],
            "graph 1 is .* of type list, which is not a graph; .*number of vertic",
        ),
        ([(0, 1), (1, 2)], r"graph 0 is \(0, 1\) of type tuple.*vertex pairs inside a list"),
        (
            [nx.path_graph(2), "CCO"],
            "graph 1 is a molecule, but graph 0 is a networkx graph; .*conc",
        ),
        (
            np.array([nx.Graph([("a", "b")])] * 3),
            "np.array splits graphs up: pass a plain list",
        ),
        (pd.DataFrame({"CCO": [1]}), "graph 0 is 1 of type int"),
        (
            pd.DataFrame({"smiles": ["CCO"], "y": [1]}),
            "got a data frame with 2 columns: smiles, y; pass the one that .*: frame..smiles..",
        ),
        (["CCO", None], rf"graph 1 is None, .* {MISSING}, or make .*{EMPTY}$"),
        (["CCO", float("nan")], rf"graph 1 is nan .* {MISSING}, or make .*{EMPTY}$"),
        ([MATRIX, None], rf"graph 1 is None, .* {MISSING}$"),
        ([None, pd.NaT], rf"graph 0 is None, .* {MISSING}$"),
        (
            pd.Series(["CCO", pd.NA]),
            rf"graph 1 is .* {MISSING}: graphs\[graphs.notna\(\)\], or make .*{EMPTY}$",
        ),
        (pd.DataFrame({"g": [MATRIX, None]}), rf"graph 1 is .* {MISSING}: frame.dropna\(\)$"),
        ([PATH, PATH], "graph 0 is .* but a batch of graphs; join batches with Graphs.concat"),
        ((PATH, np.array([1])), "got a pair of graphs and targets; pass them apart"),
        (([nx.path_graph(2)], ["a"]), "got a pair of graphs and targets; pass them apart"),
        ([[("a", "b"), ("b", "c")]], r"graph 0 is .* but an edge list with names; .*nx.Graph\(pai"),
        ([[(0, 1, 0.5)]], "graph 0 is .* an edge list with more than pairs; .*edge_attributes=we"),
        ([MATRIX.tolist()], r"graph 0 is .* but a matrix of lists; .* np.array\(matrix\)"),
        (5, "expected graphs, got 5 of type int"),
        (None, "expected graphs, got None"),
        (b"CCO", "expected graphs, got"),
        ({0: nx.path_graph(2)}, "expected graphs, got"),
    ],
)
def test_what_is_no_graph_is_refused_with_its_position(graphs, message):
    with pytest.raises(TypeError, match=message):
        as_graphs(graphs)


@pytest.mark.parametrize("n", [2, 3])
def test_graphs_that_numpy_took_apart_are_never_taken_for_a_matrix(n):
    with pytest.raises(ValueError, match="square|directed"):
        as_graphs(np.array([nx.path_graph(n)] * 3))


def test_paths_are_no_graphs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "MUTAG").mkdir()
    (tmp_path / "C").mkdir()
    message = "got the path .*MUTAG.*; read the file first: graphs, y = datasets.read_tu"
    for path in (tmp_path / "MUTAG", "MUTAG", str(tmp_path / "MUTAG")):
        with pytest.raises(TypeError, match=message):
            as_graphs(path)
    with pytest.raises(TypeError, match=r"got the path 'a.parquet'; .* Graphs.from_parquet\(path"):
        as_graphs("a.parquet")
    assert as_graphs("C").n_nodes.tolist() == [1]  # a molecule, although there is such a folder
    assert as_graphs("C" * 5000).n_nodes.tolist() == [5000]


# What other programs make of lists of graphs


@pytest.mark.parametrize("kind", [k for k in ALONE if "scipy" not in k and k != "dense"])
def test_columns_of_graphs(kind):
    objects = np.empty(2, object)
    objects[:] = [KINDS[kind]] * 2
    expected = Graphs.concat([PATH] * 2)
    for column in (objects, objects[:, None], pd.Series(objects), pd.DataFrame({"g": objects})):
        assert as_graphs(column) == expected


def test_columns_of_molecules():
    expected = Graphs.from_smiles(["CCO", "C"])
    for column in (
        np.array(["CCO", "C"]),
        np.array([["CCO"], ["C"]]),
        np.array([["CCO"], ["C"]], object),
        pd.Series(["CCO", "C"], index=[7, 9]),
        pd.DataFrame({"smiles": ["CCO", "C"]}),
    ):
        assert as_graphs(column) == expected


# Options


def test_options_reach_the_conversion():
    graph = nx.DiGraph()
    graph.add_node("a", atom="C", charge=1)
    graph.add_node("b", atom="O", charge=2)
    graph.add_edge("a", "b", order=2, length=1.5)
    graph.add_edge("b", "a", order=2, length=1.5)
    options = {
        "node_label": "atom",
        "edge_label": "order",
        "node_attribute": "charge",
        "edge_attribute": "length",
    }
    graphs = as_graphs([graph], **options, directed=True, ids=["first"])
    assert graphs == Graphs.from_networkx([graph], **options, directed=True, ids=["first"])
    assert graphs.directed
    assert graphs[0].id == "first"
    assert as_graphs(graph, fold="first") == Graphs.from_networkx(graph, fold="first")
    loop = nx.Graph([(0, 0)])
    with pytest.raises(ValueError, match="self loop"):
        as_graphs(loop, on_invalid="raise")


def test_every_kind_takes_ids():
    for kind, graph in KINDS.items():
        assert [g.id for g in as_graphs([graph, graph], ids=["a", "b"])] == ["a", "b"], kind
    assert as_graphs("CCO", ids=[7])[0].id == 7
    assert as_graphs(PATH, ids=["x"])[0].id == "x"


@pytest.mark.parametrize(
    ("graphs", "options", "message"),
    [
        ([[(0, 1)]], {"node_label": "x"}, "an edge list takes no node_label=; .* directed, on_in"),
        (PATH, {"directed": True}, "a batch of graphs takes no directed=; as_graphs takes ids he"),
        ([PATH[0]], {"fold": "sum"}, "a Graph takes no fold="),
        ([MATRIX], {"edge_label": "x"}, "a matrix takes no edge_label=; as_graphs takes edge_att"),
        ("CCO", {"edge_attribute": "x"}, "a molecule takes no edge_attribute="),
    ],
)
def test_options_that_a_kind_does_not_know_are_refused(graphs, options, message):
    with pytest.raises(TypeError, match=message):
        as_graphs(graphs, **options)
