"""Neighbour lists are those of the definition, whatever the order of vertices."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import naive
from strategies import build, raw_batches


@given(raw_batches())
def test_neighbour_lists_are_those_of_the_definition(raw):
    graphs = build(raw)
    indptr, neighbors, edge_ids = graphs.adjacency
    expected = [row for g in raw for row in naive.neighbours(g.n, g.edges)]
    assert [neighbors[a:b].tolist() for a, b in pairwise(indptr)] == expected
    assert graphs.degrees.tolist() == [len(row) for row in expected]
    for g, graph in enumerate(graphs):
        for v in range(graph.n_nodes):
            row = slice(*indptr[graphs.node_ptr[g] + v :][:2])
            for u, e in zip(neighbors[row], edge_ids[row], strict=True):
                assert sorted((u, v)) == graph.edges[e].tolist()


@given(raw_batches(max_graphs=3), st.data())
def test_permuted_vertices_give_permuted_neighbours(raw, data):
    graphs = build(raw)
    orders = [data.draw(st.permutations(range(g.n))) for g in raw]
    for g, order in zip(raw, orders, strict=True):
        g.edges = [(order[u], order[v]) for u, v in g.edges]
        if g.node_labels is not None:
            g.node_labels = [g.node_labels[order.index(v)] for v in range(g.n)]
        if g.node_attributes is not None:
            g.node_attributes = [g.node_attributes[order.index(v)] for v in range(g.n)]
    permuted = build(raw)
    for a, b, order in zip(graphs, permuted, orders, strict=True):
        assert naive.simple_edges([(order[u], order[v]) for u, v in a.edges.tolist()]) == [
            tuple(e) for e in b.edges.tolist()
        ]
        if a.node_labels is not None:
            assert [b.node_labels[order[v]] for v in range(a.n_nodes)] == a.node_labels
