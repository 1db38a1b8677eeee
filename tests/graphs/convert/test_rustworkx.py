"""From rustworkx, and every refusal."""

import networkx as nx
import pytest
import rustworkx as rx
from hypothesis import given
from hypothesis import strategies as st

from column_names import COLUMNS, named, names
from grafik import Graphs
from strategies import full_batches

plain = st.one_of(st.booleans(), st.integers(-9, 9), st.text(max_size=3))


def to_rustworkx(graphs):
    """Write all columns into dictionaries, and leave holes among the numbers of vertices."""
    result = []
    for g in graphs:
        graph = (rx.PyDiGraph if g.directed else rx.PyGraph)()
        hole = graph.add_node(None) if g.node_names else None
        vertices = [{} for _ in range(g.n_nodes)]
        edges = [{} for _ in range(g.n_edges)]
        for rows, columns in (
            (
                vertices,
                {"label": g.node_labels, "attribute": g.node_attributes, "name": g.node_names},
            ),
            (edges, {"label": g.edge_labels, "attribute": g.edge_attributes}),
        ):
            for name, values in columns.items():
                for row, value in zip(rows, values if values is not None else [], strict=False):
                    row[name] = value.tolist() if name == "attribute" else value
        numbers = list(graph.add_nodes_from(vertices))
        for (u, v), data in zip(g.edges.tolist(), edges, strict=True):
            graph.add_edge(numbers[u], numbers[v], data)
        if hole is not None:
            graph.remove_node(hole)
        result.append(graph)
    return result


@given(full_batches(label=plain, name=plain))
def test_rustworkx_round_trip_is_the_identity(graphs):
    bare = Graphs(**{name: getattr(graphs, name) for name in COLUMNS})
    options = names(bare, directed=True if graphs.directed else None, ids=graphs.ids)
    assert Graphs.from_rustworkx(to_rustworkx(bare), **options) == named(bare)


def test_vertices_without_names_are_called_by_their_numbers():
    graph = weighted(payloads=(None, None, None))
    graph.remove_node(0)
    assert Graphs.from_rustworkx(graph)[0].node_names == [1, 2]


def weighted(kind=rx.PyGraph, payloads=("a", "b", "c"), edges=((0, 1, 2.5), (1, 2, 1))):
    graph = kind()
    graph.add_nodes_from(list(payloads))
    graph.add_edges_from(list(edges))
    return graph


def test_labels_of_edges_are_read_by_default():
    edges = [(0, 1, {"label": "x", "weight": 2}), (1, 2, {"label": "y", "weight": 3})]
    graphs = Graphs.from_rustworkx(weighted(edges=edges))
    assert graphs[0].edge_labels == ["x", "y"]
    assert graphs.edge_attributes.tolist() == [[2.0], [3.0]]
    assert Graphs.from_rustworkx(weighted(edges=edges), edge_label=None).edge_labels is None
    edges[1] = (1, 2, {"weight": 3})
    with pytest.raises(ValueError, match=r"edge \('b', 'c'\) has no label 'label', but"):
        Graphs.from_rustworkx(weighted(edges=edges))


def test_numbers_on_edges_are_weights_and_plain_payloads_names():
    graphs = Graphs.from_rustworkx([weighted(), rx.PyGraph()])
    assert graphs[0].node_names == ["a", "b", "c"]
    assert graphs.edge_attribute_names == ("weight",)
    assert graphs.edge_attributes.tolist() == [[2.5], [1.0]]
    assert graphs.node_labels is None
    other = Graphs.from_rustworkx(weighted(), edge_attribute="distance")
    assert other.edge_attribute_names == ("distance",)
    assert Graphs.from_rustworkx(weighted(), edge_attribute=None).edge_attributes is None
    numbers = weighted(payloads=(1.5, 2.5, 2.5))
    graphs = Graphs.from_rustworkx(numbers, node_attribute="charge")
    assert graphs.node_attributes.tolist() == [[1.5], [2.5], [2.5]]
    assert graphs.node_names is None


def test_payloads_that_repeat_may_be_labels():
    atoms = weighted(payloads=("C", "O", "C"))
    message = "graph 0, vertices 0 and 2 have the same payload 'C', .* node_label=str"
    with pytest.raises(ValueError, match=message):
        Graphs.from_rustworkx(atoms)
    graphs = Graphs.from_rustworkx(atoms, node_label=str, edge_label=lambda order: order > 2)
    assert graphs[0].node_labels == ["C", "O", "C"]
    assert graphs[0].edge_labels == [True, False]
    assert graphs[0].node_names is None


def test_graphs_made_of_networkx_graphs_are_read_as_those():
    graph = nx.Graph()
    graph.add_edge("ann", "bob", weight=2)
    graph.add_edge("bob", "cid", weight=3)
    nx.set_node_attributes(graph, {"ann": "x", "bob": "y", "cid": "z"}, "label")
    for keep in (True, False):
        theirs = rx.networkx_converter(graph, keep_attributes=keep)
        ours = Graphs.from_networkx(graph, node_label="label" if keep else None)
        assert Graphs.from_rustworkx(theirs) == ours


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        (((0, 1, 2.5), (1, 2, None)), r"graph 0, edge \('b', 'c'\) has no attribute 'weight', but"),
        (((0, 1, 2.5), (1, 2, float("nan"))), r"graph 0, edge \('b', 'c'\): .* must be finite"),
        (((0, 1, 1), (1, 0, 1)), "graph 0 is a multigraph; say how edges"),
    ],
)
def test_rustworkx_refusals(edges, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_rustworkx(weighted(edges=edges))


def test_rustworkx_directions():
    edges = ((0, 1, 1), (1, 0, 2), (2, 1, 3))
    graph = weighted(rx.PyDiGraph, edges=edges)
    with pytest.raises(ValueError, match="graph 0 is directed; keep its directions with as_gr"):
        Graphs.from_rustworkx(graph)
    graphs = Graphs.from_rustworkx([graph, weighted(edges=[(0, 1, 7)])], directed=True)
    assert graphs[0].edges.tolist() == [[0, 1], [1, 0], [2, 1]]
    assert graphs[1].edges.tolist() == [[0, 1], [1, 0]]
    assert graphs.edge_attributes.ravel().tolist() == [1, 2, 3, 7, 7]
    assert Graphs.from_rustworkx(graph, fold="mean").edge_attributes.tolist() == [[1.5], [3]]


def test_what_is_no_rustworkx_graph_is_refused_with_its_position():
    with pytest.raises(TypeError, match="graph 1 is None, not a rustworkx graph"):
        Graphs.from_rustworkx([weighted(), None])


def test_vertices_of_which_some_have_no_name_are_called_by_their_numbers():
    graph = rx.PyGraph()
    graph.add_nodes_from([{"name": "x"}, {"name": "a"}, {"colour": 1}])
    graph.add_edges_from([(1, 2, None)])
    graph.remove_node(0)
    (found,) = Graphs.from_rustworkx([graph])
    assert list(found.node_names) == [1, 2]
