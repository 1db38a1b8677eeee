"""What messages of conversions recommend exists, and helps."""

import re
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pytest
import rustworkx as rx

from grafik import Graphs, as_graphs, weights


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


def test_recommended_conversions_of_other_things_work():
    assert len(as_graphs([nx.Graph(pairs) for pairs in [[("a", "b"), ("b", "c")]]])) == 1
    assert len(Graphs.from_edge_lists([[(0, 1)]], edge_attributes=[[0.5]])) == 1
    atoms = rustworkx(rx.PyGraph)
    atoms.add_nodes_from(["C", "C"])
    for index in (0, 1, 2):
        atoms.remove_node(index)
    with pytest.raises(ValueError, match="pass node_label=str"):
        as_graphs(atoms)
    assert as_graphs(atoms, node_label=str)[0].node_labels == ["C", "C"]
