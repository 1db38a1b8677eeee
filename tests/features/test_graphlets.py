"""Graphlets: isomorphism classes, all of them or a sample that is as close as promised."""

import math
from collections import Counter
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import naive_features as naive
from feature_counts import OneLevel, assert_same, filtered, table
from filtered_graphs import Levels
from grafik import FiltrationKernel, Graphs
from grafik.features.connected_sets import connected_sets, most_connected_sets
from grafik.features.graphlets import Graphlets, _of_all_edges, graphlet_classes


@pytest.mark.parametrize("connected", [True, False])
@pytest.mark.parametrize("size", [3, 4, 5])
def test_graphlets_are_those_of_the_definition(size, connected):
    @given(filtered(max_graphs=2, max_nodes=6 if size == 5 else 7))
    def check(batch):
        extractor = Graphlets(size, connected)
        assert_same(
            extractor.histograms(*batch),
            *batch,
            lambda n, edges, *_: naive.graphlets(n, edges, size, connected),
        )

    check()


@pytest.mark.parametrize("connected", [True, False])
@pytest.mark.parametrize("size", [3, 4, 5])
def test_graphlets_of_dense_graphs_are_those_of_the_definition(size, connected):
    """With complete sets of five, and with ends of edges that have many neighbours in common."""
    graph = nx.gnp_random_graph(7, 0.85, seed=1)
    assert max(map(len, nx.find_cliques(graph))) >= 5
    graphs = Graphs.from_networkx([graph])
    levels = Levels(np.random.default_rng(1).integers(0, 4, len(graphs.edges)), 4)
    assert_same(
        Graphlets(size, connected).histograms(graphs, levels),
        graphs,
        levels,
        lambda n, edges, *_: naive.graphlets(n, edges, size, connected),
    )


@pytest.mark.parametrize("size", [3, 4, 5])
def test_graphlet_classes_are_isomorphism_classes(size):
    kinds = graphlet_classes(size, False)
    assert len(kinds.features) == len(set(kinds.features.tolist())) == {3: 4, 4: 11, 5: 34}[size]
    assert len(graphlet_classes(size, True).features) == {3: 2, 4: 6, 5: 21}[size]
    pairs = [(i, j) for j in range(size) for i in range(j)]
    for bits in range(0, 1 << len(pairs), 7):
        graph = naive.as_networkx(size, [p for b, p in enumerate(pairs) if bits >> b & 1])
        name = kinds.names[kinds.of_bits[bits]]
        assert nx.is_isomorphic(graph, naive.as_networkx(size, name))
        connected = graphlet_classes(size, True).of_bits[bits] >= 0
        assert connected == nx.is_connected(graph)
    for one, other in combinations(kinds.names, 2):
        assert not nx.is_isomorphic(naive.as_networkx(size, one), naive.as_networkx(size, other))


def test_graphlets_agree_with_networkx_isomorphism():
    graph = nx.gnp_random_graph(12, 0.4, seed=1)
    histograms = Graphlets(4, connected=False).histograms([graph], OneLevel())
    found = {histograms.names[f]: counts[0] for f, counts in table(histograms)[0].items()}
    representatives = [(name, naive.as_networkx(4, name)) for name in found]
    seen = Counter()
    for vertices in combinations(graph, 4):
        part = graph.subgraph(vertices)
        seen.update(name for name, one in representatives if nx.is_isomorphic(one, part))
    assert found == seen


# Sampling


def frequencies(extractor, graph, n_draws):
    histograms = extractor.histograms([graph], OneLevel())
    return {f: counts[0] / n_draws for f, counts in table(histograms)[0].items()}


@pytest.mark.parametrize("connected", [True, False])
@pytest.mark.parametrize("size", [3, 4, 5])
def test_sampled_frequencies_are_as_close_as_promised(size, connected):
    graph = nx.gnp_random_graph(11, 0.35, seed=size)
    exact = frequencies(Graphlets(size, connected), graph, math.comb(11, size))
    n_kinds = len(graphlet_classes(size, connected).features)
    n_draws = math.ceil(2 * (math.log(2) * n_kinds + math.log(1 / 0.2)) / 0.2**2)
    errors = []
    for seed in range(50):
        extractor = Graphlets(
            size, connected, sampling=True, epsilon=0.2, delta=0.2, random_state=seed
        )
        found = frequencies(extractor, graph, n_draws)
        assert connected or sum(found.values()) == pytest.approx(1)
        assert found.keys() <= exact.keys()
        errors.append(sum(abs(exact[f] - found.get(f, 0)) for f in exact))
    assert np.mean(np.array(errors) > 0.2) <= 0.2
    assert len(set(errors)) > 25


@pytest.mark.parametrize("size", [3, 4, 5])
def test_every_set_is_drawn_equally_often(size):
    """Without one vertex a path falls into two paths, whose lengths tell which vertex it was."""
    graph = nx.path_graph(size + 1)
    n_draws = 60_000
    extractor = Graphlets(size, connected=False, sampling=True, n_samples=n_draws)
    exact = frequencies(Graphlets(size, connected=False), graph, size + 1)
    found = frequencies(extractor, graph, n_draws)
    assert found == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize(
    ("size", "connected", "n_draws"),
    [(3, True, 738), (3, False, 1016), (4, True, 1293), (4, False, 1986), (5, True, 3372),
     (5, False, 5174)],
)  # fmt: skip
def test_as_many_sets_are_drawn_as_the_paper_says(size, connected, n_draws):
    extractor = Graphlets(size, connected, sampling=True)
    counts = table(extractor.histograms([nx.complete_graph(6)], OneLevel()))[0].values()
    assert [c[0] for c in counts] == [n_draws]


def test_draws_are_reproducible_and_follow_the_seed():
    graph = nx.gnp_random_graph(20, 0.3, seed=1)
    results = [
        table(
            Graphlets(4, sampling=True, n_samples=200, random_state=seed).histograms(
                [graph], OneLevel()
            )
        )
        for seed in (0, 0, 1, -1, 2**70)
    ]
    assert results[0] == results[1]
    for one, other in pairwise(results[1:]):
        assert one != other


def test_sampled_sets_are_followed_through_the_levels():
    """The same sets at every level: in a path that closes to a cycle no path is lost."""
    graphs = Graphs([0, 3], [0, 3], [[0, 1], [1, 2], [0, 2]])
    extractor = Graphlets(3, connected=False, sampling=True, n_samples=10)
    histograms = extractor.histograms(graphs, Levels([0, 2, 1], 4))
    found = {histograms.names[f]: counts for f, counts in table(histograms)[0].items()}
    assert found == {
        ((0, 1),): (10, 0, 0, 0),
        ((0, 1), (0, 2)): (0, 10, 0, 0),
        ((0, 1), (0, 2), (1, 2)): (0, 0, 10, 10),
    }


def test_graphlets_are_the_same_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr("grafik.features.graphlets._BLOCK", 2000)
    graphs = [nx.gnp_random_graph(n, 0.4, seed=n) for n in (9, 0, 12, 3, 10)]
    for size in (4, 5):
        alone = Graphlets(size).histograms(graphs, OneLevel())
        assert table(Graphlets(size).histograms(graphs, OneLevel(), n_jobs=2)) == table(alone)


@pytest.mark.parametrize("size", [3, 4])
def test_large_graphs_take_no_time(size):
    """No set is visited: a star, whose hub may stand anywhere, and thousands of single edges."""
    n = 4000
    star = Graphs([0, n + 1], [0, n], [(v, n) for v in range(n)])
    counts = table(Graphlets(size).histograms(star, OneLevel()))[0].values()
    assert [c[0] for c in counts] == [math.comb(n, size - 1)]
    pairs = Graphs([0, 2 * n], [0, n], [(2 * v, 2 * v + 1) for v in range(n)])
    histograms = Graphlets(size, connected=False).histograms(pairs, OneLevel())
    found = {len(histograms.names[f]): c[0] for f, c in table(histograms)[0].items()}
    one = n * math.comb(2 * n - 2, size - 2)  # sets with an edge, where those with two count twice
    two = math.comb(n, 2) if size == 4 else 0
    expected = {0: math.comb(2 * n, size) - one + two, 1: one - 2 * two, 2: two}
    assert found == {edges: count for edges, count in expected.items() if count}


class NeverAsked:
    n_levels_ = 1


def star_of(n):
    return Graphs([0, n + 1], [0, n], np.column_stack([np.zeros(n, int), np.arange(1, n + 1)]))


def test_too_many_sets_are_refused_before_anything_is_done():
    empty = Graphs([0, 0, 2000], [0, 0, 0], [])
    with pytest.raises(ValueError, match=r"2.7e\+14 sets of 5 .* in graph 1.*take .*sampling=True"):
        Graphlets(5, connected=False).histograms(empty, NeverAsked())
    hub = star_of(3000)
    with pytest.raises(ValueError, match=r"about 3.\de\+12 connected sets of 5 .*sampling=True"):
        Graphlets(5).histograms(hub, NeverAsked())
    counts = table(Graphlets(5, sampling=True).histograms(hub, OneLevel()))[0].values()
    assert sum(c[0] for c in counts) < 50


def test_connected_sets_are_refused_by_their_estimated_number():
    random = np.random.default_rng(0)
    edges = random.integers(0, 3000, (100_000, 2))
    sparse = Graphs([0, 1, 3001], [0, 0, 100_000], edges)
    with pytest.raises(ValueError, match=r"about 5.\de\+10 connected sets .* most .* in graph 1"):
        Graphlets(5).histograms(sparse, NeverAsked())
    # A complete graph has far more trees on five vertices than sets: few enough to be visited.
    complete = Graphs.from_networkx([nx.complete_graph(190)])
    assert most_connected_sets(complete)[0] > 1e11
    assert connected_sets(complete) == pytest.approx(math.comb(190, 5), rel=0.1)


@pytest.mark.parametrize("chance", [0.15, 0.3, 0.7])
def test_connected_sets_are_estimated(chance):
    graphs = [nx.gnp_random_graph(14, chance, seed=seed) for seed in range(3)]
    # The middle of a star is the last vertex: no tree is counted at those that sets begin with.
    graphs.append(nx.Graph([(leaf, 12) for leaf in range(12)]))
    sets = [
        sum(nx.is_connected(graph.subgraph(five)) for five in combinations(graph, 5))
        for graph in graphs
    ]
    batch = Graphs.from_networkx(graphs)
    assert (most_connected_sets(batch) >= sets).all()
    assert connected_sets(batch) == pytest.approx(sum(sets), rel=0.15)
    assert connected_sets(batch[3:]) == pytest.approx(math.comb(12, 4), rel=0.1)


def test_what_takes_long_or_does_not_fit_a_number_is_refused():
    with pytest.raises(ValueError, match=r"would take up to .* on graph 0.*sampling=True"):
        Graphlets(4).histograms(star_of(400_000), NeverAsked())
    (counts,) = table(Graphlets(3).histograms(star_of(200_000), OneLevel()))[0].values()
    assert counts[0] == math.comb(200_000, 2)
    empty = Graphs([0, 0, 200_000], [0, 0, 0], [])
    with pytest.raises(ValueError, match=r"graph 1 has 6.7e\+19 sets of 4 .*sampling=True"):
        Graphlets(4, connected=False).histograms(empty, NeverAsked())
    assert not Graphlets(4).histograms(empty, OneLevel()).features.size


def test_numbers_that_would_not_fit_are_refused():
    """A mass is added up over levels, so the bound depends on how many there are."""
    graphs = Graphs(np.array([0, 60_000]), np.array([0, 1]), np.array([[0, 1]]))
    few = Graphlets(4, connected=False).histograms(graphs, Levels([0], 3))
    assert (few.masses > 0).all()
    with pytest.raises(ValueError, match=r"graph 0 has 5\.4e\+17 sets .* at 40 levels .* 64-bit"):
        Graphlets(4, connected=False).histograms(graphs, Levels([0], 40))


def test_an_edge_takes_as_long_as_its_end_with_more_neighbors():
    """In nanoseconds: 30 for each edge, and 2 for each neighbour of the end that has more."""
    graphs = Graphs.from_networkx([nx.complete_bipartite_graph(2, 5), nx.star_graph(5)])
    assert _of_all_edges(graphs, 3, True, 1).tolist() == [10 * (30 + 2 * 5), 5 * 30]


def test_labels_of_new_graphs_need_not_match():
    """Graphlets do not look at labels."""
    plain = Graphs([0, 4, 7], [0, 4, 6], [(0, 1), (1, 2), (0, 2), (2, 3), (0, 1), (1, 2)])
    shape = plain.node_ptr, plain.edge_ptr, plain.edges
    labelled = Graphs(*shape, node_labels=list("CCONCCO"), edge_labels=[1, 2, 1, 2, 1, 2])
    kernel = FiltrationKernel(features=Graphlets()).fit(plain)
    assert np.array_equal(kernel.transform(labelled), kernel.transform(plain))
