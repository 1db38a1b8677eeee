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
from grafik import Graphs
from grafik.features.graphlets import Graphlets, graphlet_classes


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


def test_too_many_sets_are_refused_before_anything_is_done():
    class NeverAsked:
        n_levels_ = 1

    empty = Graphs([0, 10_000], [0, 0], [])
    with pytest.raises(ValueError, match=r"1.7e\+11 sets of 3 .* 2e\+10; .*sampling=True"):
        Graphlets(3, connected=False).histograms(empty, NeverAsked())
    hub = Graphs([0, 3001], [0, 3000], [(0, v) for v in range(1, 3001)])
    with pytest.raises(ValueError, match=r"at least 6.7e\+11 connected sets of 5 .*sampling=True"):
        Graphlets(5).histograms(hub, NeverAsked())
    counts = table(Graphlets(5, sampling=True).histograms(hub, OneLevel()))[0].values()
    assert sum(c[0] for c in counts) < 50
