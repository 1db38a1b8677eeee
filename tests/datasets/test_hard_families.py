"""Families that are hard to tell apart: what they are, and that no two are isomorphic."""

from itertools import combinations

import igraph
import networkx as nx
import numpy as np
import pytest

import naive
from grafik import datasets

SRG = {
    "rook": (16, 6, 2, 2),
    "latin-4": (16, 9, 4, 6),
    "latin-5": (25, 12, 5, 6),
    "latin-6": (36, 15, 6, 6),
    "latin-7": (49, 18, 7, 6),
    "lines-7": (49, 24, 11, 12),
    "latin-8": (64, 21, 8, 6),
    "latin-9": (81, 24, 9, 6),
}


def parameters(graph):
    """The parameters of a strongly regular graph, by its matrix; None if it is none."""
    matrix = np.zeros((graph.n_nodes, graph.n_nodes), int)
    for u, v in graph.edges:
        matrix[u, v] = matrix[v, u] = 1
    common, others = matrix @ matrix, ~np.eye(graph.n_nodes, dtype=bool)
    values = [matrix.sum(0), common[matrix == 1], common[(matrix == 0) & others]]
    if any(len(set(found.tolist())) != 1 for found in values):
        return None
    return graph.n_nodes, *(int(found[0]) for found in values)


def as_igraph(graph):
    """The same graph for igraph, which decides isomorphism fast."""
    return igraph.Graph(graph.n_nodes, graph.edges.tolist())


def colours(graph):
    """The stable Weisfeiler-Lehman labels of a graph."""
    edges = graph.edges.tolist()
    labels = [0] * graph.n_nodes
    for _ in range(graph.n_nodes):
        found = naive.wl_labels(graph.n_nodes, edges, labels, 1)
        numbers = {label: i for i, label in enumerate(sorted(set(found), key=repr))}
        if len(numbers) == len(set(labels)):
            break
        labels = [numbers[label] for label in found]
    return sorted(labels)


def test_strongly_regular_graphs_have_the_parameters_of_their_family_and_differ():
    graphs, y = datasets.strongly_regular()
    names = list(SRG)
    assert [parameters(graph) for graph in graphs] == [SRG[names[number]] for number in y]
    assert (np.bincount(y) >= 2).all()
    for a, b in combinations(range(len(graphs)), 2):
        assert not as_igraph(graphs[a]).isomorphic(as_igraph(graphs[b]))
    for number, name in enumerate(names):
        one, zeros = datasets.strongly_regular(name)
        assert one == graphs[np.flatnonzero(y == number)]
        assert not zeros.any()
    with pytest.raises(ValueError, match="family must be None or one of 'rook', .*, got 'latin-3'"):
        datasets.strongly_regular("latin-3")


def test_latin_squares_of_order_four_are_the_complements_of_rook_and_shrikhande():
    four, rook = datasets.strongly_regular("latin-4")[0], datasets.strongly_regular("rook")[0]
    complements = [nx.complement(graph) for graph in rook.to_networkx()]
    found = [[nx.is_isomorphic(a, b) for b in complements] for a in four.to_networkx()]
    assert sorted(map(sum, found)) == [1, 1]


@pytest.mark.parametrize("q", [5, 13, 17, 29, 37])
def test_paley_graphs_are_strongly_regular_and_their_own_complements(q):
    graphs, y = datasets.paley(q)
    assert parameters(graphs[0]) == (q, (q - 1) // 2, (q - 5) // 4, (q - 1) // 4)
    assert y.tolist() == [0]
    one = as_igraph(graphs[0])
    assert one.isomorphic(one.complementer(loops=False))


def test_numbers_that_make_no_paley_graph_are_refused():
    for q in (7, 9, 21, 25, 15):
        with pytest.raises(ValueError, match=f"q must be a prime that leaves 1 .*, got {q}"):
            datasets.paley(q)
    with pytest.raises(ValueError, match="q must be at most 2000, got 10009"):
        datasets.paley(10009)


PETERSEN = list(nx.petersen_graph().edges)
CYCLE = list(nx.cycle_graph(7).edges)
PRISM = list(nx.circular_ladder_graph(5).edges)


@pytest.mark.parametrize("base", [3, 4, 5, 6, PETERSEN, CYCLE, PRISM], ids=str)
def test_cfi_graphs_differ_but_not_for_weisfeiler_lehman(base):
    graphs, y = datasets.cfi(base)
    assert y.tolist() == [0, 1]
    plain, twisted = graphs
    assert not as_igraph(plain).isomorphic(as_igraph(twisted))
    assert colours(plain) == colours(twisted)
    if base in (3, 4, CYCLE):
        assert not nx.is_isomorphic(*graphs.to_networkx())


def test_which_gadget_is_twisted_does_not_matter():
    for base in (
        [(1, 0), (2, 1), (0, 2), (3, 1), (3, 2)],
        [(3, 1), (3, 2), (0, 2), (0, 1), (1, 2)],
    ):
        twice = datasets.cfi(base)[0]
        numbers = [2, 0, 3, 1]
        moved = datasets.cfi([(numbers[u], numbers[v]) for u, v in base])[0]
        for one, other in zip(twice, moved, strict=True):
            assert as_igraph(one).isomorphic(as_igraph(other))


def test_cfi_over_k4_is_the_pair_that_was_there_before():
    assert datasets.cfi(4)[0] == datasets.wl_hard("cfi")[0]


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (2, "base must be an integer of at least 3, got 2"),
        ([(0, 1), (2, 3)], "base must be the edges of a connected graph"),
        ([], "base must be the edges of a connected graph"),
        ([(0, v) for v in range(1, 15)], "may have 12 neighbours, .* but vertex 0 has 14"),
        (20, "may have 12 neighbours"),
        ([(0, 0), (0, 1)], "self loop"),
    ],
)
def test_bases_that_make_no_pair_are_refused(base, message):
    with pytest.raises(ValueError, match=message):
        datasets.cfi(base)


def test_the_atlas_has_every_graph_once():
    graphs, y = datasets.atlas()
    # Graphs of n vertices up to isomorphism, for n from 0 to 7: sequence A000088.
    assert np.bincount(graphs.n_nodes).tolist() == [1, 1, 2, 4, 11, 34, 156, 1044]
    assert y.tolist() == graphs.n_edges.tolist()
    assert datasets.atlas(5)[0] == graphs[np.flatnonzero(graphs.n_nodes <= 5)]
    small = list(map(as_igraph, datasets.atlas(5)[0]))
    assert not any(a.isomorphic(b) for a, b in combinations(small, 2))
    with pytest.raises(ValueError, match="max_nodes must be at most 7, got 8"):
        datasets.atlas(8)
