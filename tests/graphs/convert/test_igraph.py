"""From igraph and back, and every refusal."""

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from column_names import COLUMNS, named, names
from grafik import Graphs
from strategies import full_batches


def to_igraph(graphs):
    result = []
    for g in graphs:
        graph = igraph.Graph(g.n_nodes, g.edges.tolist(), directed=g.directed)
        if g.node_names is not None and g.n_nodes:
            graph.vs["name"] = g.node_names
        for part, count, columns in (
            (graph.vs, g.n_nodes, {"label": g.node_labels, "attribute": g.node_attributes}),
            (graph.es, g.n_edges, {"label": g.edge_labels, "attribute": g.edge_attributes}),
        ):
            for name, values in columns.items():
                if values is not None and count:
                    part[name] = [list(v) if isinstance(v, np.ndarray) else v for v in values]
        result.append(graph)
    return result


plain = st.one_of(st.booleans(), st.integers(-(2**70), 2**70), st.text())


@given(full_batches(label=plain, name=plain))
def test_igraph_round_trip_is_the_identity(graphs):
    bare = Graphs(**{name: getattr(graphs, name) for name in COLUMNS})
    options = names(bare, directed=True if graphs.directed else None, ids=graphs.ids)
    assert Graphs.from_igraph(to_igraph(bare), **options) == named(bare)


def test_igraph_weights_are_read_by_default():
    ring = igraph.Graph.Ring(3)
    ring.es["weight"] = [1, 2.5, 3]
    graphs = Graphs.from_igraph([ring, igraph.Graph(2)])
    assert graphs.edge_attribute_names == ("weight",)
    assert graphs.edge_attributes.tolist() == [[1.0], [3.0], [2.5]]
    assert Graphs.from_igraph(ring, edge_attribute=None).edge_attributes is None
    ring.es[1]["weight"] = None
    ring.vs["name"] = ["ann", "bob", "cid"]
    with pytest.raises(ValueError, match=r"graph 0, edge \('bob', 'cid'\) has no attribute 'weigh"):
        Graphs.from_igraph(ring)


def test_igraph_labels_of_edges_are_read_by_default():
    ring = igraph.Graph.Ring(3)
    assert Graphs.from_igraph(ring).edge_labels is None
    ring.es["label"] = ["a", "b", "c"]
    assert Graphs.from_igraph(ring)[0].edge_labels == ["a", "c", "b"]  # (0, 1), (0, 2), (1, 2)
    assert Graphs.from_igraph(ring, edge_label=None).edge_labels is None
    ring.es[1]["label"] = None
    with pytest.raises(ValueError, match=r"graph 0, edge \(1, 2\) has no label 'label', but"):
        Graphs.from_igraph(ring)


def test_igraph_names_that_repeat_or_are_missing_are_numbers():
    ring = igraph.Graph.Ring(3)
    ring.vs["name"] = ["C", "C", "O"]
    assert Graphs.from_igraph(ring) == Graphs.from_igraph(igraph.Graph.Ring(3))
    ring.vs["name"] = ["a", None, "b"]
    assert Graphs.from_igraph(ring).node_names is None


def test_igraph_directions():
    loop = igraph.Graph([(0, 1), (1, 0), (2, 1)], directed=True)
    loop.es["weight"] = [1, 2, 3]
    graphs = Graphs.from_igraph([loop, igraph.Graph([(0, 1)])], directed=True, edge_attribute=None)
    assert graphs[0].edges.tolist() == [[0, 1], [1, 0], [2, 1]]
    assert graphs[1].edges.tolist() == [[0, 1], [1, 0]]
    assert Graphs.from_igraph(loop, directed=True).undirected("sum") == Graphs.from_igraph(
        loop, fold="sum"
    )


def test_igraph_refusals():
    partly = igraph.Graph.Ring(3)
    partly.vs[0]["label"] = "a"
    with pytest.raises(ValueError, match="graph 0, vertex 1 has no label 'label'"):
        Graphs.from_igraph(partly)
    with pytest.raises(ValueError, match="graph 0 is directed; keep its directions"):
        Graphs.from_igraph(igraph.Graph([(0, 1)], directed=True))
    with pytest.raises(ValueError, match="graph 0 is a multigraph"):
        Graphs.from_igraph(igraph.Graph([(0, 1), (0, 1)]))
    double = igraph.Graph([(0, 1), (1, 0)])
    double.es["w"] = [1.0, 2.0]
    graphs = Graphs.from_igraph(double, edge_attribute="w", fold="sum")
    assert graphs.edge_attributes.tolist() == [[3.0]]
    with pytest.warns(UserWarning, match="the label 'kind' occurs nowhere"):
        Graphs.from_igraph(igraph.Graph.Ring(3), node_label="kind")
    with pytest.raises(TypeError, match="graph 0 is 'x' of type str, not an igraph graph"):
        Graphs.from_igraph(["x"])
