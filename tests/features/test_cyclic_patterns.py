"""Cycles and trees: those of the definition and of networkx."""

from collections import Counter

import networkx as nx
import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_features as naive
from feature_counts import OneLevel, assert_same, filtered, permuted, table
from filtered_graphs import Levels
from grafik import Graphs
from grafik.features import cyclic_loops, cyclic_patterns
from grafik.features.bridge_trees import find_bridges
from grafik.features.cycle_counts import count_alike
from grafik.features.cyclic_loops import PER_LABEL
from grafik.features.cyclic_patterns import CyclicPatterns
from grafik.graphs.label_hashes import edge_hashes, vertex_hashes
from grafik.weights import long_work


@pytest.mark.parametrize("max_length", [3, 5, 6, 9])
def test_cyclic_patterns_are_those_of_the_definition(max_length):
    @given(filtered())
    def check(batch):
        def cycles(*graph):
            return naive.cycles(*graph, max_length=max_length)

        def patterns(*graph):
            return naive.cyclic_patterns(*graph, max_length=max_length)

        assert_same(CyclicPatterns(max_length).histograms(*batch), *batch, patterns)
        assert_same(CyclicPatterns(max_length, trees=False).histograms(*batch), *batch, cycles)

    check()


@given(st.data())
def test_trees_are_those_of_the_definition(data):
    """Several small trees in one batch, so that equal ones and almost equal ones meet."""
    edges, labels, sizes = [], [], []
    for _ in range(3):
        n = data.draw(st.integers(1, 9))
        sizes.append(n)
        edges.append([(data.draw(st.integers(0, v - 1)), v) for v in range(1, n)])
        labels += [data.draw(st.sampled_from("CO")) for _ in range(n)]
    m = sum(sizes) - len(sizes)
    graphs = Graphs(
        np.cumsum([0, *sizes]),
        np.cumsum([0, *(n - 1 for n in sizes)]),
        [edge for part in edges for edge in part],
        node_labels=data.draw(st.sampled_from([labels, None])),
        edge_labels=data.draw(st.none() | st.lists(st.integers(1, 2), min_size=m, max_size=m)),
    )
    levels = data.draw(st.lists(st.integers(0, 1), min_size=m, max_size=m))
    batch = graphs, Levels(levels, 2)
    assert_same(CyclicPatterns().histograms(*batch), *batch, naive.cyclic_patterns)


def test_free_trees_have_the_same_pattern_if_and_only_if_they_are_isomorphic():
    trees = [tree for n in range(2, 11) for tree in nx.nonisomorphic_trees(n)]
    histograms = CyclicPatterns().histograms(trees, OneLevel())
    assert histograms.run_counts.tolist() == [1] * len(trees)
    assert len(set(histograms.features.tolist())) == len(trees)
    moved, _ = permuted(Graphs.from_networkx(trees), np.zeros(0), seed=1)
    assert np.array_equal(
        CyclicPatterns().histograms(moved, OneLevel()).features, histograms.features
    )


def test_bridges_are_those_of_networkx(monkeypatch):
    graphs = Graphs.from_networkx([nx.gnp_random_graph(14, 0.15, seed=1), nx.cycle_graph(4)])

    def look(start, stop, filtered, room, *options):
        for graph in range(start, stop):
            number = find_bridges(graph, 0, filtered, room)
            edges = graphs[graph].edges.tolist()
            found = {
                tuple(edge) for edge, is_one in zip(edges, room.bridge, strict=False) if is_one
            }
            assert found == {tuple(sorted(edge)) for edge in nx.bridges(nx.Graph(edges))}
            assert number == len(found)
        return original(start, stop, filtered, room, *options)

    original = cyclic_patterns.pattern_events
    monkeypatch.setattr(cyclic_patterns, "pattern_events", look)
    CyclicPatterns().histograms(graphs, OneLevel())


@pytest.mark.parametrize(
    "graph",
    [
        nx.complete_graph(7),
        nx.wheel_graph(40),
        nx.petersen_graph(),
        nx.gnp_random_graph(13, 0.4, seed=1),
    ],
)
def test_cycles_are_those_of_networkx(graph):
    histograms = CyclicPatterns(6, trees=False).histograms([graph], OneLevel())
    found = sorted(counts[0] for counts in table(histograms)[0].values())
    lengths = Counter(map(len, nx.simple_cycles(graph, length_bound=6)))
    assert found == sorted(lengths.values())


def test_a_large_star_takes_no_time():
    """Bridges are on no cycle, wherever the hub stands among the vertices."""
    n = 100_000
    leaves = np.arange(n)
    star = Graphs([0, n + 1], [0, n], np.column_stack([leaves, np.full(n, n)]))
    histograms = CyclicPatterns().histograms(star, OneLevel())
    assert histograms.run_counts.tolist() == [1]


def test_cycles_are_counted_as_they_are_visited():
    """With formulas where all vertices are alike, one by one where one label differs."""
    graph = nx.gnp_random_graph(13, 0.4, seed=2)
    graphs = Graphs.from_networkx([graph])
    levels = Levels(np.random.default_rng(2).integers(0, 3, graph.number_of_edges()), 3)
    apart = Graphs.from_networkx([nx.disjoint_union(graph, nx.empty_graph(1))])
    labelled = Graphs(
        apart.node_ptr, apart.edge_ptr, apart.edges, node_labels=[0] * len(graph) + [1]
    )
    counted = table(CyclicPatterns().histograms(graphs, levels))[0].values()
    visited = table(CyclicPatterns().histograms(labelled, levels))[0].values()
    assert sorted(counted) == sorted(visited)


def test_cycles_that_are_counted_at_many_steps_need_a_larger_tally():
    """A hub with 1,101 others on a path: with each edge of the path, one more triangle is there."""
    n = 1101
    edges = np.array([(0, v) for v in range(1, n + 1)] + [(v, v + 1) for v in range(1, n)])
    levels = [0] * n + list(range(n - 1))
    fan = Graphs([0, n + 1], [0, len(edges)], edges)
    (counts,) = table(CyclicPatterns(3, trees=False).histograms(fan, Levels(levels, n - 1)))
    assert list(counts.values()) == [tuple(range(1, n))]


def test_patterns_of_long_cycles_are_the_same_where_all_vertices_are_alike():
    """There a pattern is made once for each length; where a vertex differs, for each cycle."""
    rings = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(8))
    alike = Graphs.from_networkx([rings])
    apart = Graphs.from_networkx([nx.disjoint_union(rings, nx.empty_graph(1))])
    labels = [0] * len(rings)
    graphs = [
        Graphs(one.node_ptr, one.edge_ptr, one.edges, node_labels=more)
        for one, more in ((alike, labels), (apart, [*labels, 1]))
    ]
    found = CyclicPatterns(9).histograms(Graphs.concat(graphs), OneLevel())
    one, other = (set(part) for part in np.split(found.features, found.graph_ptr[1:-1]))
    assert one == other
    assert len(one) == 2


def test_patterns_are_the_same_for_any_number_of_threads(monkeypatch):
    monkeypatch.setattr("grafik.features.cyclic_patterns._BLOCK", 2000)
    graphs = [nx.gnp_random_graph(n, 0.3, seed=n) for n in (9, 0, 12, 3, 10)]
    alone = CyclicPatterns().histograms(graphs, OneLevel())
    assert table(CyclicPatterns().histograms(graphs, OneLevel(), n_jobs=2)) == table(alone)


def test_too_many_cycles_are_refused(monkeypatch):
    monkeypatch.setattr("grafik.features.cyclic_patterns._TRIAL", 1_000_000)
    graphs = [nx.cycle_graph(4), nx.complete_graph(40)]
    with pytest.raises(ValueError, match=r"would take up to .* on graph 1.* smaller max_length"):
        CyclicPatterns(9).histograms(graphs, OneLevel())
    # There are many walks here, but few ways for a search that never comes back to a hub.
    hubs = nx.complete_bipartite_graph(2, 200)
    (counts,) = table(CyclicPatterns(12).histograms([hubs], OneLevel()))[0].values()
    assert counts[0] == 200 * 199 / 2


def test_a_short_trial_decides_where_the_estimate_is_too_high(monkeypatch):
    """Between 7 vertices there are 1,172 cycles, and a search meets each of them."""
    for module in (cyclic_patterns, long_work):
        monkeypatch.setattr(module, "LIMIT", 0.0)
    monkeypatch.setattr(cyclic_patterns, "_TRIAL", 1000)
    small, large = nx.complete_graph(4), nx.complete_graph(7)
    (counts,) = table(CyclicPatterns(7).histograms([small], OneLevel()))
    assert sorted(counts.values()) == [(3,), (4,)]
    with pytest.raises(ValueError, match=r"would take up to .* on graph 1.* smaller max_length"):
        CyclicPatterns(7).histograms([small, large, small], OneLevel())
    # Where nothing is searched, no trial is too long.
    monkeypatch.setattr(cyclic_patterns, "_TRIAL", 0)
    (counts,) = table(CyclicPatterns(6).histograms([large], OneLevel()))
    assert sorted(counts.values()) == [(35,), (105,), (252,), (420,)]


def test_cycles_whose_labels_differ_take_longer():
    """The labels of each cycle are read, and nearly each of them is another pattern."""
    graph = nx.complete_graph(40)
    plain = Graphs.from_networkx([nx.cycle_graph(3), graph])
    graphs = Graphs(plain.node_ptr, plain.edge_ptr, plain.edges, node_labels=list(range(43)))
    with pytest.raises(ValueError, match=r"would take up to .* on graph 1.* smaller max_length"):
        CyclicPatterns().histograms(graphs, OneLevel())
    counts = table(CyclicPatterns().histograms([graph], OneLevel()))[0].values()
    assert sorted(c[0] for c in counts)[-1] == 40 * 39 * 38 * 37 * 36 * 35 / 12


def test_patterns_that_do_not_fit_in_memory_are_refused(monkeypatch):
    few = Graphs([0, 3], [0, 3], [(0, 1), (1, 2), (0, 2)], node_labels=[0, 1, 2])
    edges = [(u, v) for v in range(7) for u in range(v)]  # with 1,172 cycles, no two alike
    many = Graphs([0, 7], [0, 21], edges, node_labels=list(range(7)))
    graphs = Graphs.concat([few, many])
    expected = table(CyclicPatterns(7).histograms(graphs, OneLevel()))
    assert list(map(len, expected)) == [1, 1172]
    monkeypatch.setattr(cyclic_patterns, "available", lambda: 120_000)
    with pytest.raises(MemoryError, match=r"graph 1 has more than 600 patterns, .* 120\.0 kB"):
        CyclicPatterns(7).histograms(graphs, OneLevel())
    monkeypatch.setattr(cyclic_patterns, "available", lambda: None)
    assert table(CyclicPatterns(7).histograms(graphs, OneLevel())) == expected


def test_trees_do_not_count_as_cycles_that_do_not_fit(monkeypatch):
    """700 trees, all different, and a single cycle, where 600 patterns of cycles would fit."""
    edges = [(2 * i, 2 * i + 1) for i in range(700)] + [(1400, 1401), (1400, 1402), (1401, 1402)]
    graphs = Graphs([0, 1403], [0, 703], edges, node_labels=list(range(1403)))
    monkeypatch.setattr(cyclic_patterns, "available", lambda: 600 * 200)
    assert len(CyclicPatterns().histograms(graphs, OneLevel()).features) == 701


def test_the_search_takes_longer_where_labels_are_read():
    """Worked out by hand for the complete graph on 5 vertices, and cycles of 3 and 4 edges.

    There are 20 walks of one edge, and each goes on in 3 ways. Of 60 walks of two edges, one in 3
    begins at its vertex of lowest rank, of 180 walks of three edges one in 4. A cycle is met in
    both directions, and in one of them its labels are read: those of up to 2 vertices after the
    first two.
    """
    plain = Graphs.from_networkx([nx.complete_graph(5)])
    labelled = Graphs(plain.node_ptr, plain.edge_ptr, plain.edges, node_labels=list("CCCCO"))
    for graphs, times in ((plain, 1), (labelled, 1 + PER_LABEL * 2 / 2)):
        found = cyclic_patterns._seconds(graphs, 4, vertex_hashes(graphs), edge_hashes(graphs))
        steps = times * (60 / 3 + 180 / 4)
        assert found == pytest.approx(steps * cyclic_patterns._PER_STEP * 1e-9)


def test_a_raised_flag_leaves_all_patterns_out(monkeypatch):
    def interrupted(work, cost, n_jobs, *, flag, **options):
        flag[0] = 1
        return [work(0, len(cost) - 1)]

    monkeypatch.setattr(cyclic_patterns, "run_blocks", interrupted)
    graphs = [nx.path_graph(3), nx.cycle_graph(4)]
    assert table(CyclicPatterns().histograms(graphs, OneLevel())) == [{}, {}]


def test_a_raised_flag_leaves_cycles_uncounted(monkeypatch):
    def look(start, stop, filtered, room, *options):
        for raised, expected in ((1, [0, 0]), (0, [4, 3])):
            room.flag[0] = raised
            counts = np.zeros((1, 7), np.int64)
            count_alike(0, filtered, room, 4, counts)
            assert counts[0, 3:5].tolist() == expected
        return original(start, stop, filtered, room, *options)

    original = cyclic_patterns.pattern_events
    monkeypatch.setattr(cyclic_patterns, "pattern_events", look)
    CyclicPatterns().histograms([nx.complete_graph(4)], OneLevel())


def test_a_long_search_looks_at_the_flag(monkeypatch):
    """Without a flag this one ends within the limit: there are fewer than a million paths."""
    if numba.config.DISABLE_JIT:  # where steps take long
        monkeypatch.setattr(cyclic_loops, "_OFTEN", (1 << 10) - 1)
    graph = nx.complete_graph(7 if numba.config.DISABLE_JIT else 9)

    def interrupted(trial):
        assert not trial(np.ones(1, np.uint8))
        raise KeyboardInterrupt

    monkeypatch.setattr(cyclic_patterns, "LIMIT", 0.0)
    monkeypatch.setattr(cyclic_patterns, "watched", interrupted)
    with pytest.raises(KeyboardInterrupt):
        CyclicPatterns(9).histograms([graph], OneLevel())
