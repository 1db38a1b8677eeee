"""Shortest paths: those of the definition, also when edges bring vertices closer."""

from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_features as naive
from feature_counts import OneLevel, assert_same, filtered, table
from filtered_graphs import Levels
from grafik import Graphs, datasets
from grafik.features.shortest_paths import ShortestPaths


@given(filtered())
def test_shortest_paths_are_those_of_the_definition(batch):
    assert_same(ShortestPaths().histograms(*batch), *batch, naive.shortest_paths)


@given(filtered(max_graphs=1, max_nodes=12, max_edges=20, max_levels=12))
def test_distances_follow_many_levels(batch):
    assert_same(ShortestPaths().histograms(*batch), *batch, naive.shortest_paths)


@given(filtered(max_graphs=2, max_edges=20, max_levels=8), st.data())
def test_paths_in_directed_graphs_follow_the_edges(case, data):
    undirected, filtration = case
    edges = undirected.edges.copy()
    for edge in edges:
        edge[:] = data.draw(st.permutations(edge.tolist()))
    graphs = Graphs(
        undirected.node_ptr,
        undirected.edge_ptr,
        edges,
        node_labels=undirected.node_labels,
        directed=True,
    )
    batch = graphs, filtration
    followed = partial(naive.shortest_paths, directed=True)
    assert_same(ShortestPaths().histograms(*batch), *batch, followed)


@given(st.data())
def test_a_shortcut_brings_all_behind_it_closer(data):
    n = data.draw(st.integers(4, 20))
    pairs = [pair for pair in combinations(range(n), 2) if pair[1] > pair[0] + 1]
    shortcuts = data.draw(st.lists(st.sampled_from(pairs), max_size=6, unique=True))
    edges = sorted([*pairwise(range(n)), *shortcuts])
    levels = [0 if v == u + 1 else data.draw(st.integers(0, 4)) for u, v in edges]
    batch = Graphs([0, n], [0, len(edges)], edges), Levels(levels, 5)
    assert_same(ShortestPaths().histograms(*batch), *batch, naive.shortest_paths)


def test_many_edges_that_enter_at_once_reach_the_same_vertices():
    """More edges than vertices: from all neighbours of the first vertex to all the others."""
    near, far = range(1, 6), range(6, 11)
    edges = [(0, v) for v in near] + [(u, v) for u in near for v in far]
    batch = Graphs([0, 11], [0, len(edges)], edges), Levels([0] * 5 + [1] * 25, 2)
    assert_same(ShortestPaths().histograms(*batch), *batch, naive.shortest_paths)


def cosines(histograms):
    """The sums of products of counts, for all pairs of graphs."""
    counts = [{f: c[0] for f, c in graph.items()} for graph in table(histograms)]
    return np.array([[sum(c * h.get(f, 0) for f, c in g.items()) for h in counts] for g in counts])


@pytest.mark.parametrize("labelled", [True, False])
def test_one_level_is_the_shortest_path_kernel_of_grakel(data, labelled):
    grakel = pytest.importorskip("grakel")
    graphs, _ = datasets.read_tu(data / "MUTAG")
    graphs = graphs[np.flatnonzero(np.minimum.reduceat(graphs.degrees, graphs.node_ptr[:-1]) > 0)]
    assert len(graphs) > 150
    if not labelled:
        graphs = Graphs(graphs.node_ptr, graphs.edge_ptr, graphs.edges)
    given_graphs = [
        grakel.Graph(
            {(u, v): 1 for a, b in graph.edges.tolist() for u, v in ((a, b), (b, a))},
            node_labels=dict(enumerate(graph.node_labels)) if labelled else {},
        )
        for graph in graphs
    ]
    theirs = grakel.ShortestPath(normalize=False, with_labels=labelled).fit_transform(given_graphs)
    assert np.array_equal(cosines(ShortestPaths().histograms(graphs, OneLevel())), theirs)
