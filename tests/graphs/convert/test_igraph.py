"""From igraph and back, and every refusal."""

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from column_names import names
from grafik import Graphs
from strategies import build, raw_batches


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
    with pytest.warns(UserWarning, match="the label 'kind' occurs nowhere"):
        Graphs.from_igraph(igraph.Graph.Ring(3), node_label="kind")
    with pytest.raises(TypeError, match="graph 0 is 'x' of type str, not an igraph graph"):
        Graphs.from_igraph(["x"])
