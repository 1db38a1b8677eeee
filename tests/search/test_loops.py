"""The loops of a search, on histograms made by hand: what they find, and what they look at."""

import numpy as np
import pytest

from grafik.features.histograms import Histograms
from grafik.kernels.gram import KernelOnHistograms
from grafik.search import inverted_index
from grafik.search.inverted_index import Found, InvertedIndex, Queries
from grafik.search.loops import _least_of_largest, search_all, search_listed

both_ways = pytest.mark.parametrize("normalize", [False, True])


def counted(graphs):
    """Return histograms of one level: each graph is a dict of masses by feature."""
    masses = [mass for graph in graphs for mass in graph.values()]
    features = [feature for graph in graphs for feature in graph]
    graph_ptr = np.cumsum([0, *map(len, graphs)])
    rows = np.arange(len(masses) + 1)
    depths = levels = np.zeros(len(masses), np.int32)
    return Histograms(1, graph_ptr, depths, features, rows, levels, masses)


def kernel_of(normalize=False, mass="linear"):
    how = {"scale": "unit", "gamma": 1.0, "combine": "sum", "beta": 1.0, "alpha_delta": None}
    alphas = np.zeros(1)
    return KernelOnHistograms(**how, normalize=normalize, n_jobs=1, mass=mass, alphas=alphas)


def searched(graphs, queries, kernel, top, least=0.0, among=None):
    """Search among all graphs, or among those that are listed for each query."""
    index, sides = InvertedIndex.of(counted(graphs), kernel), Queries.of(counted(queries), kernel)
    n, shape = len(queries), (len(queries), top)
    found = Found(np.full(shape, -1), np.full(shape, np.nan), np.zeros(n), np.zeros(n, int), least)
    if among is None:
        search_all(0, n, sides, index, found)
    else:
        search_listed(0, n, sides, index, np.array(among), found)
    return found


def naive(one, other, normalize, mass):
    """Return the kernel of two graphs by its definition."""
    value = sum(both(m, other[f], mass) for f, m in one.items() if f in other)
    own = [sum(both(m, m, mass) for m in graph.values()) for graph in (one, other)]
    return value / np.sqrt(own[0] * own[1]) if normalize and min(own) > 0 else value


def both(one, other, mass):
    return one * other if mass == "linear" else min(one, other)


@pytest.mark.parametrize("mass", ["linear", "min"])
@both_ways
@pytest.mark.parametrize(("top", "least"), [(1, 0.0), (3, 0.0), (3, 0.5)])
def test_the_best_of_many_small_graphs_are_those_by_the_definition(normalize, mass, top, least):
    random = np.random.default_rng(0)
    graphs = [
        {int(f): int(random.integers(1, 5)) for f in set(random.geometric(0.2, size))}
        for size in random.integers(0, 9, 60)
    ]
    graphs += [{1: 1}, {2: 1}, {30: 1}]
    queries = [*graphs[:20], {1: 1}, {2: 1}, {30: 1}]
    found = searched(graphs, queries, kernel_of(normalize, mass), top, least)
    for query, best, values, count in zip(queries, *found[:2], found.counts, strict=True):
        row = np.array([naive(query, graph, normalize, mass) for graph in graphs])
        wanted = [g for g in np.argsort(-row, kind="stable") if row[g] >= least][:top]
        assert best[:count].tolist() == wanted
        assert values[:count].tolist() == row[wanted].tolist()  # sums of integers are exact


def test_shared_features_and_then_the_best_graph_are_looked_at(monkeypatch):
    monkeypatch.setattr(inverted_index, "_STAGES", ())
    graphs = [{1: 1, 2: 1}, {1: 1, 3: 1}, dict.fromkeys(range(4, 10), 1)]
    found = searched(graphs, [{1: 1, 2: 1}], kernel_of(), 1)
    # Two graphs have the one feature, one has the other, and the best one has two.
    assert found.touched.tolist() == [(2 + 1 + 2) / 10]


@both_ways
def test_light_features_are_not_looked_at_if_heavy_ones_tell_the_best_graphs(normalize):
    light = dict.fromkeys(range(1, 41), 1)
    graphs = [{0: 45, **light}] * 2 + [{**light, 50: 1, 51: 1}] * 98
    found = searched(graphs, graphs[:1], kernel_of(normalize), 2)
    assert found.graphs.tolist() == [[0, 1]]
    # Feature 0 has almost half of all squared masses; then two graphs of 41 features are compared.
    assert found.touched.tolist() == [(2 + 2 * 41) / (2 * 41 + 98 * 42)]


def test_a_graph_that_promises_little_does_not_hide_a_better_one_behind_it():
    light = dict.fromkeys(range(1, 41), 1)
    graphs = [
        {0: 22, **dict.fromkeys(range(31, 41), 1)},
        {0: 22, 50: 1},  # cannot be better than the first one
        {0: 22, **dict.fromkeys(range(21, 41), 1)},
        {0: 22, **dict.fromkeys(range(60, 69), 9)},  # promises most, as it has most that is left
        *[light] * 96,
    ]
    found = searched(graphs, [{0: 22, **light}], kernel_of(), 1)
    assert found.graphs.tolist() == [[2]]
    assert found.similarities.tolist() == [[22 * 22 + 20]]
    assert found.touched[0] < 0.5  # the light features that are left were not looked at


def test_a_graph_that_promises_enough_but_is_not_similar_enough_is_not_found():
    light = dict.fromkeys(range(1, 41), 1)
    graphs = [
        {0: 22, **dict.fromkeys(range(21, 41), 1)},
        *[{0: 22, **dict.fromkeys(range(60, 69), 9)}] * 4,  # what is left of these is no feature
        *[light] * 95,
    ]
    found = searched(graphs, [{0: 22, **light}], kernel_of(), 2, least=22 * 22 + 10)
    assert found.counts.tolist() == [1]
    assert (found.graphs[0, 0], found.similarities[0, 0]) == (0, 22 * 22 + 20)
    assert found.touched[0] < 0.5  # the light features were not looked at in all graphs


def test_graphs_are_not_compared_one_by_one_if_their_shared_features_take_less():
    shared = range(1000, 1005)
    graphs = [
        {
            **dict.fromkeys(range(graph, 600, 20), 5),  # of no other graph
            **dict.fromkeys(shared, 2 if graph == 19 else 1),
        }
        for graph in range(20)
    ]
    found = searched(graphs, [dict.fromkeys(shared, 1)], kernel_of(), 1)
    assert found.similarities.tolist() == [[10.0]]
    # The most promising graph is compared at once, but the others only by what they share.
    assert found.touched.tolist() == [(35 + 20 * 5) / (20 * 35)]


def test_of_listed_graphs_all_features_are_looked_at():
    graphs = [{1: 1}, {1: 1, 2: 3}, {1: 1, 3: 1, 4: 1}, {1: 2, 5: 1, 6: 1, 7: 1}]
    queries = [{1: 1, 2: 1}, {5: 1}]
    found = searched(graphs, queries, kernel_of(), 1, among=[[0, 1], [2, 3]])
    assert found.graphs.tolist() == [[1], [3]]
    assert found.touched.tolist() == [(1 + 2) / 10, (3 + 4) / 10]


@pytest.mark.parametrize("top", range(1, 8))
def test_the_least_of_the_largest_is_that_of_the_sorted_list(top):
    random = np.random.default_rng(top)
    for _ in range(10):
        bounds = random.permutation(20).astype(float)
        assert _least_of_largest(bounds, np.empty(top)) == np.sort(bounds)[-top]


def test_stages_end_at_shares_of_all_squared_masses():
    for masses in ([1], [3, 2, 2, 1, 1, 1], [1, 1, 4, 2], range(1, 12)):
        index = InvertedIndex.of(counted([dict(enumerate(masses))]), kernel_of())
        weights, ended = np.square(masses), []
        for feature, weight in enumerate(weights):
            before = weights[:feature][weights[:feature] == weight].sum()  # of the first ones
            share = (weights[weights > weight].sum() + before + weight) / weights.sum()
            ended.append(sum(share > end for end in (0.5, 0.8, 0.9, 0.95)))
        assert index.stages.tolist() == ended
