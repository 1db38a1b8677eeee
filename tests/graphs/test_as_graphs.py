from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from grakel import Graph as GrakelGraph
from rdkit import Chem

from grafik import Graphs, as_graphs

PATH = Graphs([0, 3], [0, 2], [[0, 1], [1, 2]])
MATRIX = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
PYG = SimpleNamespace(edge_index=np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)

# One path of three vertices in every form that has no labels.
KINDS = {
    "Graph": PATH[0],
    "networkx": nx.path_graph(3),
    "igraph": igraph.Graph([(0, 1), (1, 2)]),
    "scipy matrix": sp.csr_matrix(MATRIX),
    "scipy array": sp.coo_array(MATRIX),
    "dense": MATRIX,
    "pyg": PYG,
    "pairs": [(0, 1), (1, 2)],
    "pairs as lists": [[0, 1], [1, 2]],
    "grakel set": ({(0, 1), (1, 2)},),
    "grakel neighbours": ({0: [1], 1: [0, 2], 2: [1]}, None),
    "grakel matrix": [MATRIX, None, None],
    "grakel object": GrakelGraph({(0, 1): 1, (1, 0): 1, (1, 2): 1, (2, 1): 1}),
}


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
        (pd.DataFrame({"CCO": [1]}), "expected graphs, got (.|\n)* of type DataFrame"),
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


def test_a_path_is_no_graph(tmp_path):
    with pytest.raises(TypeError, match="read files with grafik.datasets"):
        as_graphs(tmp_path)
