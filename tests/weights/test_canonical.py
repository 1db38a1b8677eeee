"""Canonical weights: those of any order of vertices, and different for different graphs."""

import sys
from collections import Counter
from itertools import combinations, product
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_weights as naive
from grafik import Graphs, datasets, weights
from grafik.weights import canonical_form
from strategies import build, raw_batches
from weighted_graphs import larger, one_graph, per_graph, permuted, simple_labels

# From how many twins on they are put in order beforehand: never, or wherever there are any.
many = st.sampled_from([100, 1])


def canonical(graphs, many):
    with patch.object(canonical_form, "_MANY", many):
        return weights.canonical(graphs)


def weighted(graph, values):
    """As networkx, with labels on vertices, labels and weights on edges."""
    result = nx.Graph()
    labels = graph.node_labels or [None] * graph.n_nodes
    between = graph.edge_labels or [None] * graph.n_edges
    result.add_nodes_from((v, {"label": label}) for v, label in enumerate(labels))
    for edge, label, weight in zip(graph.edges.tolist(), between, values, strict=True):
        result.add_edge(*edge, label=label, weight=weight)
    return result


@given(graphs=larger, seed=st.integers(0, 2**32), many=many)
def test_canonical_weights_are_those_of_any_permutation(graphs, seed, many):
    other, _ = permuted(graphs, np.random.default_rng(seed))
    here, there = canonical(graphs, many), canonical(other, many)
    assert per_graph(graphs, here) == per_graph(other, there)
    split = graphs.edge_ptr[1:-1]
    for g, h, x, y in zip(
        graphs, other, np.split(here, split), np.split(there, split), strict=False
    ):
        assert nx.is_isomorphic(
            weighted(g, x),
            weighted(h, y),
            node_match=lambda a, b: a["label"] == b["label"],
            edge_match=lambda a, b: a == b,
        )


@given(graphs=raw_batches(label=simple_labels, max_nodes=5, loops=False).map(build), many=many)
def test_canonical_weights_write_the_graph_down(graphs, many):
    values = np.split(canonical(graphs, many), graphs.edge_ptr[1:-1])
    for g, row in zip(graphs, values, strict=False):
        form = naive.matrix(g.n_nodes, row.tolist())
        assert len(form) == g.n_edges
        assert naive.isomorphic(g.n_nodes, g.edges.tolist(), form)


directed = raw_batches(label=simple_labels, max_nodes=5, loops=False, directed=True)


@given(graphs=directed.map(lambda raw: build(raw, directed=True)))
def test_canonical_weights_write_directed_graphs_down(graphs):
    values = np.split(weights.canonical(graphs), graphs.edge_ptr[1:-1])
    for g, row in zip(graphs, values, strict=False):
        form = nx.DiGraph()
        form.add_nodes_from(range(g.n_nodes))
        form.add_edges_from(divmod(int(w) - 1, g.n_nodes) for w in row)
        given_graph = nx.DiGraph()
        given_graph.add_nodes_from(range(g.n_nodes))
        given_graph.add_edges_from(g.edges.tolist())
        assert form.number_of_edges() == g.n_edges
        assert nx.is_isomorphic(form, given_graph)


@pytest.mark.parametrize("many", [100, 1])
def test_canonical_weights_of_small_directed_graphs_count_them(many):
    """There are 16 directed graphs of 3 vertices, however their vertices are numbered."""
    arcs = [(u, v) for u in range(3) for v in range(3) if u != v]
    chosen = product([False, True], repeat=len(arcs))
    lists = [[arc for arc, take in zip(arcs, takes, strict=True) if take] for takes in chosen]
    graphs = Graphs.from_edge_lists(lists, [3] * len(lists), directed=True)
    assert len(set(map(tuple, per_graph(graphs, canonical(graphs, many))))) == 16


def test_canonical_weights_tell_all_small_tournaments_apart():
    """There are 12 tournaments of 5 vertices, however their vertices are numbered."""
    pairs = list(combinations(range(5), 2))
    turned = product([False, True], repeat=len(pairs))
    lists = [
        [pair[::-1] if turn else pair for pair, turn in zip(pairs, turns, strict=True)]
        for turns in turned
    ]
    graphs = Graphs.from_edge_lists(lists, [5] * len(lists), directed=True)
    assert len(set(map(tuple, per_graph(graphs, weights.canonical(graphs))))) == 12


def test_edges_with_one_end_stay_together_in_the_canonical_form():
    # An asymmetric tree: each vertex must land where all of its edges say.
    rng = np.random.default_rng(3)
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)]
    index = {w: pair for pair, w in naive.triangle_index(7).items()}
    for _ in range(20):
        graphs = one_graph(rng.permutation(7)[edges], 7)
        pairs = [index[w] for w in weights.canonical(graphs).tolist()]
        for v in range(7):
            here = [set(p) for p, e in zip(pairs, graphs.edges, strict=True) if v in e]
            assert set.intersection(*here)


def test_canonical_weights_tell_hard_pairs_apart():
    graphs, _ = datasets.wl_hard()
    rows = per_graph(graphs, weights.canonical(graphs))
    for i in range(0, len(graphs), 2):
        assert graphs.n_nodes[i] == graphs.n_nodes[i + 1]
        assert rows[i] != rows[i + 1]
    rng = np.random.default_rng(5)
    other, _ = permuted(graphs, rng)
    assert per_graph(other, weights.canonical(other)) == rows


@pytest.mark.parametrize("many", [100, 1])
def test_canonical_weights_tell_all_small_graphs_apart(many):
    atlas = [g for g in nx.graph_atlas_g() if g.number_of_nodes() <= 5]
    lists, sizes = [list(g.edges) for g in atlas], [g.number_of_nodes() for g in atlas]
    graphs = Graphs.from_edge_lists(lists, sizes)
    rows = per_graph(graphs, canonical(graphs, many))
    keys = [(n, *row) for n, row in zip(sizes, rows, strict=True)]
    assert len(keys) == 53  # 1 + 1 + 2 + 4 + 11 + 34 graphs with 0 to 5 vertices
    assert Counter(keys).most_common(1)[0][1] == 1


def test_labels_decide_where_vertices_go_in_the_canonical_form():
    path = [(0, 1), (1, 2)]
    graphs = Graphs.from_edge_lists([path] * 3, node_labels=[list("ABA"), list("AAB"), list("BAA")])
    one, two, three = per_graph(graphs, weights.canonical(graphs))
    assert one != two == three
    labelled = one_graph([(0, 1)], 3, node_labels=["A", "A", "B"])
    assert weights.canonical(labelled).tolist() == weights.canonical(
        one_graph([(1, 2)], 3, node_labels=["B", "A", "A"])
    )


@pytest.mark.parametrize("directed", [False, True])
def test_labels_of_edges_decide_where_vertices_are_alike(directed):
    """The two edges of a path can be swapped, unless their labels differ."""

    def path(*edges, labels):
        return Graphs([0, 3], [0, 2], edges, edge_labels=labels, directed=directed)

    away = path((0, 1), (0, 2), labels=["a", "b"]), path((2, 0), (2, 1), labels=["b", "a"])
    found = [
        dict(zip(graphs[0].edge_labels, weights.canonical(graphs).tolist(), strict=True))
        for graphs in (*away, path((1, 2), (1, 0), labels=["a", "b"]))
    ]
    assert found[0] == found[1] == found[2]


def test_leaves_at_edges_of_other_labels_are_no_twins():
    edges = [(0, v) for v in range(1, 7)]
    graphs = one_graph(edges, 7, edge_labels=list("aababb"))
    expected = None
    for seed in range(10):
        other, _ = permuted(graphs, np.random.default_rng(seed))
        values = canonical(other, 1).tolist()
        found = sorted(zip(other[0].edge_labels, values, strict=True))
        assert expected in (None, found)
        expected = found


@pytest.mark.parametrize("clique", [False, True])
def test_canonical_form_of_many_twins_takes_no_time(clique):
    """A star of thousands of leaves, or a clique, each with a tail that breaks the symmetry."""
    n = 150 if clique else 5000
    whole = list(combinations(range(n), 2)) if clique else [(0, v) for v in range(1, n)]
    graphs = one_graph([*whole, (1, n), (n, n + 1)], n + 2)
    other, _ = permuted(graphs, np.random.default_rng(1))
    rows = per_graph(graphs, weights.canonical(graphs))
    assert rows == per_graph(other, weights.canonical(other))


def test_canonical_needs_igraph(monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(
        ImportError, match=r"the canonical weight needs igraph.*grafik\[canonical\]"
    ):
        weights.canonical(one_graph([(0, 1)], 2))
