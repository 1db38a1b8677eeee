"""What messages of conversions recommend exists, and helps."""

import gzip
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pytest
import rustworkx as rx
from rdkit.Chem import MolFromSmiles, MolToMolBlock

from grafik import (
    FiltrationKernel,
    GraphIndex,
    Graphs,
    as_graphs,
    datasets,
    evaluation,
    weights,
)


def partly_weighted(kind):
    graph = kind([(0, 1), (1, 2)])
    graph.edges[0, 1]["weight"] = 2.0
    return graph


def rustworkx(kind, *edges):
    graph = kind()
    graph.add_nodes_from([None] * 3)
    graph.add_edges_from(list(edges))
    return graph


DIRECTED = igraph.Graph([(0, 1), (1, 0)], directed=True)
DIRECTED.es["weight"] = [1, 2]
PARTLY = igraph.Graph([(0, 1), (1, 2)])
PARTLY.es["weight"] = [1, None]

# Graphs that as_graphs refuses by default.
REFUSED = {
    "networkx directed": nx.DiGraph([(0, 1)]),
    "networkx opposite": nx.DiGraph([(0, 1, {"weight": 1}), (1, 0, {"weight": 2})]),
    "networkx multigraph": nx.MultiGraph([(0, 1, {"weight": 1}), (1, 0, {"weight": 2})]),
    "networkx both": nx.MultiDiGraph([(0, 1, {"weight": 1}), (0, 1, {"weight": 2})]),
    "networkx partly weighted": partly_weighted(nx.Graph),
    "networkx text": nx.Graph([(0, 1, {"weight": "heavy"})]),
    "networkx partly labelled": nx.Graph([(0, 1, {"label": "a"}), (1, 2)]),
    "networkx no labels": nx.Graph([(0, 1, {"label": "a"}), (1, 2, {"label": ["b"]})]),
    "networkx nan label": nx.Graph([(0, 1, {"label": np.nan})]),
    "networkx opposite labels": nx.DiGraph([(0, 1, {"label": "a"}), (1, 0, {"label": "b"})]),
    "networkx nan": nx.Graph([(0, 1, {"weight": np.nan})]),
    "igraph directed": DIRECTED,
    "igraph partly weighted": PARTLY,
    "rustworkx directed": rustworkx(rx.PyDiGraph, (0, 1, 1), (1, 0, 2)),
    "rustworkx partly weighted": rustworkx(rx.PyGraph, (0, 1, 1), (1, 2, None)),
    "rustworkx parallel": rustworkx(rx.PyGraph, (0, 1, 1), (0, 1, 2)),
    "matrix directed": np.array([[0, 1], [0, 0]]),
    "matrix opposite": np.array([[0, 1], [2, 0]]),
    "pyg directed": SimpleNamespace(edge_index=np.array([[0], [1]]), num_nodes=2),
    "pyg floats": SimpleNamespace(
        edge_index=np.array([[0, 1], [1, 0]]), num_nodes=2, x=np.array([[0.5], [1.5]])
    ),
}


def recommended(message):
    """The arguments that a message recommends, each with its values."""
    found = {}
    for name, values in re.findall(r"(\w+)=((?:'\w+'|True|False|None)(?:, '\w+')*)", message):
        found.setdefault(name, []).extend(eval(f"[{values}]"))
    return found


def result(graph, **options):
    """The graphs, or the message that refuses them."""
    try:
        return as_graphs([graph], **options)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("kind", REFUSED)
def test_recommended_arguments_exist_and_help(kind):
    """Each argument that is recommended helps, at once or with what is recommended next."""
    refusal = result(REFUSED[kind])
    assert "as_graphs(graphs, " in refusal
    options = [(name, value) for name, values in recommended(refusal).items() for value in values]
    assert options
    for name, value in options:
        found = result(REFUSED[kind], **{name: value})
        if isinstance(found, str):
            more = [
                result(REFUSED[kind], **{name: value, other: choice})
                for other, choices in recommended(found).items()
                for choice in choices
                if other != name
            ]
            found = next((graphs for graphs in more if isinstance(graphs, Graphs)), found)
        assert isinstance(found, Graphs), found
        assert len(found.edges)


def test_a_weight_for_one_networkx_graph_is_told_how_to_be_a_weight_for_a_batch():
    graph = nx.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    graphs = as_graphs([graph, nx.star_graph(3)])

    def by_degree(G):
        return [G.degree(u) * G.degree(v) for u, v in G.edges]

    def by_data(G):
        return [G.degree(u) for u, v, _ in G.edges(data=True)]

    for f, iterate in ((by_degree, "f(graph)"), (by_data, "f(graph)"), (between, "values")):
        with pytest.raises(TypeError, match=r"takes a batch \(grafik.Graphs\)") as refusal:
            weights.compute(f, graphs)
        code = re.search(r"lambda graphs: \[.*\](?=,)", str(refusal.value))[0]
        if iterate == "values":
            assert "f(graph).values() if it returns a dictionary" in str(refusal.value)
            code = code.replace("f(graph)", "f(graph).values()")
        found = weights.compute(eval(code, {"f": f}), graphs)
        expected = []
        for position, one in enumerate(graphs.to_networkx()):
            values = f(one)
            names = graphs[position].node_names or range(graphs[position].n_nodes)
            pairs = [(names[u], names[v]) for u, v in graphs[position].edges]
            table = (
                values if isinstance(values, dict) else dict(zip(one.edges, values, strict=True))
            )
            expected += [table[pair] for pair in pairs]
        assert found.tolist() == expected


def between(G):
    """A function of networkx that returns a dictionary."""
    return nx.edge_betweenness_centrality(G)


def test_other_errors_of_weights_are_left_as_they_are():
    graphs = Graphs.from_edge_lists([[(0, 1)]])
    with pytest.raises(AttributeError, match="'list' object has no attribute 'sise'"):
        weights.compute(lambda graphs: [1].sise, graphs)
    with pytest.raises(TypeError, match="unsupported operand"):
        weights.compute(lambda graphs: graphs.edges + "a" - 1 if 0 else 1 + "a", graphs)


def code_in(refusal, pattern):
    """The code that a message recommends."""
    return re.search(pattern, str(refusal.value))[0]


FILES = {
    "a.csv": "smiles\nCCO\nCC\n",
    "a.tsv": "smiles\ty\nCCO\t1\nCC\t0\n",
    "a.csv.gz": "smiles\nCCO\nCC\n",
    "a.TSV.GZ": "smiles\ty\nCCO\t1\nCC\t0\n",
    "a.gz": "smiles\nCCO\nCC\n",
    "a.smi": "CCO ethanol\nCC\n",
    "a.sdf": None,
    "a.sdf.gz": None,
    "a.g6": "Bg\nA_\n",
    "a.g6.gz": "Bg\nA_\n",
    "a.parquet": None,
    "a.graphml": None,
    "a.gml": None,
    "a.zip": None,
    "SMALL": None,
}


def write_file(path, text):
    """Write a text, or two paths in the format that the name tells; some formats hold one."""
    graphs = as_graphs([nx.path_graph(3), nx.path_graph(2)])
    name = path.name.lower()
    if text is None and ".sdf" in name:
        blocks = [MolToMolBlock(MolFromSmiles(smiles)) for smiles in ("CCO", "CC")]
        text = "".join(f"{block}$$$$\n" for block in blocks)
    if text is not None:
        content = text.encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    elif name == "a.parquet":
        graphs.to_parquet(path)
    elif name in ("a.graphml", "a.gml"):
        {"a.gml": nx.write_gml, "a.graphml": nx.write_graphml}[name](nx.path_graph(3), path)
    else:
        folder = path.with_name("SMALL")
        datasets.write_tu(folder, graphs, [0, 1])
        if path.suffix:
            shutil.make_archive(path.with_suffix(""), "zip", path.parent, "SMALL")


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_as_recommended(name, tmp_path):
    path = tmp_path / name
    write_file(path, FILES[name])
    for given in (path, str(path)):
        with pytest.raises(TypeError, match="read the file first") as refusal:
            as_graphs(given)
        code = code_in(refusal, "graphs(, y)? = .*").replace("the column of SMILES", "smiles")
        names = {"networkx": nx, "datasets": datasets, "as_graphs": as_graphs, "Graphs": Graphs}
        exec(code, names | {"path": path, "Path": Path}, found := {})
        one = name in ("a.graphml", "a.gml")
        assert found["graphs"].n_edges.tolist() == ([2] if one else [2, 1])


def test_files_that_nothing_is_known_of_are_not_said_to_be_tu_files(tmp_path):
    (tmp_path / "a.txt").write_text("0 1")
    with pytest.raises(TypeError, match="of what the library that wrote it reads"):
        as_graphs(tmp_path / "a.txt")


def test_estimators_recommend_what_helps_them():
    directed = [nx.DiGraph([(0, 1), (1, 2)])]
    with pytest.raises(ValueError, match="is directed") as refusal:
        FiltrationKernel().fit(directed)
    for code in re.findall(r"as_graphs\(graphs, directed=\w+\)", str(refusal.value)):
        FiltrationKernel().fit(eval(code, {"as_graphs": as_graphs, "graphs": directed}))
    weighted = [nx.Graph([(0, 1, {"weight": 2}), (1, 2, {"weight": 3})])]
    with pytest.warns(UserWarning, match="does not use it") as caught:
        FiltrationKernel().fit(weighted)
    code = re.search(r"as_graphs\(.*\)", str(caught[0].message))[0]
    FiltrationKernel().fit(eval(code, {"as_graphs": as_graphs, "graphs": weighted}))


def test_new_matrices_of_ones_are_read_as_recommended():
    matrix = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    kernel = FiltrationKernel(weight="attribute").fit([matrix, 2 * matrix])
    ones = [np.minimum(matrix, 1)]
    with pytest.raises(ValueError, match="matrices whose entries are all 1") as refusal:
        kernel.transform(ones)
    code = code_in(refusal, r"as_graphs\(.*?\)")
    together = kernel.transform([*ones, matrix])
    found = kernel.transform(eval(code, {"as_graphs": as_graphs, "graphs": ones}))
    assert found.tolist() == together[:1].tolist()


def test_graphs_without_ids_join_an_index_as_recommended():
    named, plain = as_graphs(["CCO"], ids=["ethanol"]), ["CC"]
    for first, graphs in ((named, plain), (plain, [named[0]])):
        index = GraphIndex().add(first)
        with pytest.raises(ValueError, match="ids, but") as refusal:
            index.add(graphs)
        code = code_in(refusal, r"as_graphs\(.*\)").replace("...", "'ethane'")
        index.add(eval(code, {"as_graphs": as_graphs, "graphs": graphs}))
        assert len(index) == 2


def test_few_groups_are_evaluated_as_recommended():
    graphs, y = datasets.csl(skips=(2, 3), copies=15)
    groups = np.arange(30) % 4
    with pytest.raises(ValueError, match="folds need more than 4 groups") as refusal:
        evaluation.evaluate("wl", graphs, y, groups=groups, protocol="quick")
    code = code_in(refusal, r"evaluation.PROTOCOLS.*?\)").replace("...", "'quick'")
    fewer = eval(code, {"evaluation": evaluation})
    assert evaluation.evaluate("wl", graphs, y, groups=groups, protocol=fewer).units


def test_molecules_that_cannot_be_read_are_kept_as_recommended():
    graphs = ["CCO", "no molecule"]
    with pytest.raises(ValueError, match="graph 1: ") as refusal:
        as_graphs(graphs)
    code = code_in(refusal, r"Graphs.from_smiles\(.*?\)")
    with pytest.warns(UserWarning, match="1 of 2 molecules cannot be read"):
        found = eval(code, {"Graphs": Graphs, "smiles": graphs})
    assert found.n_nodes.tolist() == [3, 0]


def test_recommended_conversions_of_other_things_work():
    assert len(as_graphs([nx.Graph(pairs) for pairs in [[("a", "b"), ("b", "c")]]])) == 1
    assert len(Graphs.from_edge_lists([[(0, 1)]], edge_attributes=[[0.5]])) == 1
    atoms = rustworkx(rx.PyGraph)
    atoms.add_nodes_from(["C", "C"])
    for index in (0, 1, 2):
        atoms.remove_node(index)
    with pytest.raises(ValueError, match=r"as_graphs\(graphs, node_label=str\)"):
        as_graphs(atoms)
    assert as_graphs(atoms, node_label=str)[0].node_labels == ["C", "C"]
