"""Values of the baselines, against the definitions."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_baselines
import naive_features
from grafik import Graphs, datasets
from grafik.baselines import (
    WL,
    CoreWL,
    CyclicPattern,
    GraphletSampling,
    PersistentWL,
    ShortestPath,
    VEHist,
    WLOptimalAssignment,
)
from grafik.baselines.core_wl import core_numbers, cores
from grafik.baselines.shared_features import intersections, products, squares, totals, vectors
from grafik.features.graphlets import graphlet_classes
from grafik.graphs.label_hashes import wl_labels
from strategies import build, raw_batches

raw = raw_batches(label=st.integers(0, 2), max_graphs=4, max_nodes=7).filter(len)
depths = st.integers(0, 3)


def plain(batch):
    """Raw graphs as the naive functions take them: vertices without labels are all alike."""
    return [(g.n, naive.simple_edges(g.edges), g.node_labels or [0] * g.n) for g in batch]


def kinds(graph):
    """Edge labels by edge, where there are any."""
    if graph.edge_labels is None:
        return None
    pairs = zip(graph.edges, graph.edge_labels, strict=True)
    return {(min(e), max(e)): label for e, label in pairs if e[0] != e[1]}


def gram(items, kernel):
    return np.array([[kernel(a, b) for b in items] for a in items], float)


def histogram_gram(batch, features):
    found = [features(g.n, naive.simple_edges(g.edges), g.node_labels, kinds(g)) for g in batch]
    return gram(found, naive_baselines.dot)


# Against the definitions


@given(raw)
def test_vertex_and_edge_labels(batch):
    expected = histogram_gram(batch, naive_features.counts)
    assert np.array_equal(VEHist().fit_transform(build(batch)), expected)


@given(raw)
def test_shortest_paths(batch):
    expected = histogram_gram(batch, naive_features.shortest_paths)
    assert np.array_equal(ShortestPath().fit_transform(build(batch)), expected)


@given(raw)
def test_cyclic_patterns(batch):
    expected = histogram_gram(batch, naive_features.cyclic_patterns)
    assert np.array_equal(CyclicPattern(6).fit_transform(build(batch)), expected)


@given(raw, depths)
def test_subtrees(batch, depth):
    counts = [naive_baselines.wl_counts(*graph, depth) for graph in plain(batch)]
    for exact in (False, True):
        found = WL(depth, exact=exact).fit_transform(build(batch))
        assert np.array_equal(found, gram(counts, naive_baselines.dot))


@given(raw, depths)
def test_the_best_bijection_is_read_off_the_counts(batch, depth):
    graphs = plain(batch)
    expected = gram(graphs, lambda a, b: naive_baselines.optimal_assignment(a, b, depth))
    assert np.array_equal(WLOptimalAssignment(depth).fit_transform(build(batch)), expected)


@given(raw, depths)
def test_subtrees_of_each_core(batch, depth):
    graphs = plain(batch)
    expected = gram(graphs, lambda a, b: naive_baselines.core_wl(a, b, depth))
    assert np.array_equal(CoreWL(depth).fit_transform(build(batch)), expected)


@pytest.mark.parametrize("kernel", [WL, WLOptimalAssignment, CoreWL])
def test_edge_labels_count_if_wanted(kernel):
    graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)]] * 2, edge_labels=[["a", "b"], ["a", "a"]])
    plain, with_labels = (kernel(1, edge_labels=e).fit_transform(graphs) for e in (False, True))
    assert plain[0, 0] == plain[0, 1] == plain[1, 1]
    assert with_labels[0, 1] < min(with_labels[0, 0], with_labels[1, 1])


@given(raw)
def test_cores_are_those_of_networkx(batch):
    graphs = build(batch)
    numbers = core_numbers(graphs, n_jobs=2)
    parts, ptr, first, last = cores(graphs)
    for i, graph in enumerate(graphs.to_networkx()):
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        expected = nx.core_number(graph)
        mine = numbers[graphs.node_ptr[i] : graphs.node_ptr[i + 1]].tolist()
        assert mine == [expected[v] for v in range(len(expected))]
        own = range(int(ptr[i]), int(ptr[i + 1]))
        which = [(k, p) for p in own for k in range(first[p], last[p] + 1)]
        assert [k for k, _ in which] == list(range(max(mine, default=-1) + 1))
        assert len(own) <= len(set(mine) | {0})
        for k, p in which:
            core = nx.k_core(graph, k) if k else graph.subgraph(list(nx.isolates(graph)))
            number = {v: j for j, v in enumerate(sorted(core))}
            edges = sorted(tuple(sorted((number[u], number[v]))) for u, v in core.edges)
            assert parts[p].n_nodes == len(core)
            assert parts[p].edges.tolist() == [list(edge) for edge in edges]
            if graphs.node_labels is not None:
                assert parts[p].node_labels == [graphs[i].node_labels[v] for v in sorted(core)]
            if graphs.edge_labels is not None:
                listed = [tuple(edge) for edge in graphs[i].edges.tolist()]
                labels = dict(zip(listed, graphs[i].edge_labels, strict=True))
                names = sorted(core)
                assert parts[p].edge_labels == [labels[names[u], names[v]] for u, v in edges]


def test_cores_of_complete_graphs_are_labelled_once():
    """K_300 has 300 cores, which are all the same but the 0-core without isolated vertices."""
    graphs = Graphs.from_networkx([nx.complete_graph(300), nx.complete_graph(3)])
    parts, ptr, first, last = cores(graphs)
    assert (len(parts), ptr.tolist()) == (4, [0, 2, 4])
    assert (first.tolist(), last.tolist()) == ([0, 1, 0, 1], [0, 299, 0, 2])
    matrix = CoreWL(1).fit_transform(graphs)
    assert matrix.tolist() == [[300 * 2 * 300**2, 3 * 900], [3 * 900, 3 * 2 * 9]]


def test_core_numbers_of_larger_graphs():
    graphs = [nx.gnm_random_graph(200, m, seed=m) for m in (100, 400, 1500, 6000)]
    graphs += [nx.barabasi_albert_graph(300, 5, seed=1), nx.complete_graph(30)]
    numbers = core_numbers(Graphs.from_networkx(graphs)).tolist()
    expected = [nx.core_number(graph) for graph in graphs]
    assert numbers == [known[v] for known in expected for v in range(len(known))]


# Sums over shared features


@given(st.lists(st.dictionaries(st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=6))
def test_sums_over_shared_features(counts):
    graph, key, value = (
        np.array(column, kind)
        for column, kind in zip(
            zip(*[(g, f, c) for g, row in enumerate(counts) for f, c in row.items()], strict=True)
            if any(counts)
            else ((), (), ()),
            (np.int64, np.uint64, np.float64),
            strict=True,
        )
    )
    depth = (key % 3).astype(np.uint16)
    x = vectors(len(counts), graph, depth, key, value)
    other = vectors(len(counts), graph, depth, key, value)
    many = {f: 3 if f < 5 else 1 for f in range(10)}
    thrice, again = (
        vectors(len(counts), graph, depth, key, value, np.where(key < 5, 3.0, 1.0))
        for _ in range(2)
    )
    for depths in ([2], [0, 2], [0, 1], [0, 1, 2]):
        shallow = [[{f: c for f, c in row.items() if f % 3 <= d} for row in counts] for d in depths]
        dot = [gram(rows, naive_baselines.dot) for rows in shallow]
        least = [
            gram(rows, lambda a, b: sum(min(a[f], b[f]) for f in a.keys() & b.keys()))
            for rows in shallow
        ]
        weighted = [
            gram(rows, lambda a, b: sum(many[f] * a[f] * b[f] for f in a.keys() & b.keys()))
            for rows in shallow
        ]
        for y in (x, other):
            for jobs in (1, 3):
                assert np.array_equal(list(products(x, y, depths, jobs)), dot)
                assert np.array_equal(list(intersections(x, y, depths, jobs)), least)
        for y in (thrice, again):
            assert np.array_equal(list(products(thrice, y, depths, None)), weighted)
        for i, d in enumerate(depths):
            assert np.array_equal(squares(x, d), np.diag(dot[i]))
            assert np.array_equal(totals(x, d), np.diag(least[i]))
            assert np.array_equal(squares(thrice, d), np.diag(weighted[i]))


def test_tiles_and_rare_and_common_features():
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((700, 60)) < np.linspace(0.001, 0.9, 60), rng.random((700, 60)), 0)
    graph, key = np.nonzero(dense)
    columns = graph, key % 2, key.astype(np.uint64), dense[graph, key]
    x, other = vectors(700, *columns), vectors(700, *columns)
    for sums, expected in (
        (products, [part @ part.T for part in (dense[:, ::2], dense)]),
        (
            intersections,
            [
                np.minimum(part[:, None, :], part[None, :, :]).sum(axis=2)
                for part in (dense[:, ::2], dense)
            ],
        ),
    ):
        found = list(sums(x, x, [0, 1], None))
        np.testing.assert_allclose(found, expected, rtol=1e-13)
        for y, depths, jobs in ((other, [0, 1], 2), (x, [0, 1], 2), (other, [1], None)):
            assert np.array_equal(found[-len(depths) :], list(sums(x, y, depths, jobs)))


def test_parts_are_added_in_an_order_of_their_own():
    values = np.array([1e16, 1.0, -1.0 + 2.0, 3.0, 0.1])
    zeros = np.zeros(5, np.int64)
    found = {
        vectors(1, zeros, zeros, zeros.astype(np.uint64), values[np.roll(np.arange(5), k)]).values[
            0
        ]
        for k in range(5)
    }
    assert len(found) == 1


# Persistence


@settings(max_examples=150)
@given(
    raw,
    st.integers(0, 2),
    st.sampled_from([1, 2]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_persistence_by_union_find(batch, depth, p, tau, uniform, cycles, counts):
    graphs = build(batch)
    hashes = wl_labels(graphs, depth, None)
    features = []
    for i, graph in enumerate(plain(batch)):
        order = hashes[:, graphs.node_ptr[i] : graphs.node_ptr[i + 1]].tolist()
        options = depth, p, tau, uniform, cycles, counts
        features.append(naive_baselines.persistent_features(*graph, order, *options))
    metric = "uniform" if uniform else "minkowski"
    kernel = PersistentWL(depth, p=p, tau=tau, metric=metric, cycles=cycles, counts=counts)
    found = kernel.fit_transform(build(batch))
    np.testing.assert_allclose(found, gram(features, naive_baselines.dot), rtol=1e-12, atol=1e-12)


@given(raw, depths)
def test_labels_of_vertices_are_those_of_the_definition(batch, depth):
    hashes = wl_labels(build(batch), depth, 2)
    for d in range(depth + 1):
        written = [label for g in plain(batch) for label in naive.wl_labels(*g, d)]
        pairs = set(zip(hashes[d].tolist(), written, strict=True))
        assert len(pairs) == len(set(written)) == len(set(hashes[d].tolist()))


@given(raw, depths)
def test_uniform_persistence_is_the_subtree_kernel(batch, depth):
    graphs = build(batch)
    uniform = PersistentWL(depth, metric="uniform").fit_transform(graphs)
    assert np.array_equal(uniform, WL(depth).fit_transform(graphs))


def test_persistence_by_hand():
    """A triangle a, a, b with a tail c at b, without rounds: weights 1, 2, 2 and 2."""
    graphs = Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2), (2, 3)]], node_labels=[list("aabc")])
    # One a ends at 1; of a, b and c two end at 2, and the last never does, which is 2 as well.
    assert PersistentWL(0).fit_transform(graphs).tolist() == [[3**2 + 2**2 + 2**2]]
    # One of the two edges between a and b closes the triangle, at 2.
    cycles = PersistentWL(0, cycles=True).fit_transform(graphs)
    assert cycles.tolist() == [[3**2 + 2**2 + 2**2 + 2**2 + 2**2]]
    squared = PersistentWL(0, p=2).fit_transform(graphs)
    assert squared.tolist() == [[5**2 + 4**2 + 4**2]]


def test_persistence_tells_graphs_apart_that_subtrees_do_not():
    graphs = datasets.wl_hard("decalin")[0]
    alike = WL(5, normalize=True).fit_transform(graphs)
    assert alike[0, 1] == pytest.approx(1.0)
    longer = Graphs.from_edge_lists(
        [
            [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)],
            [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)],
        ]
    )
    assert WL(3, normalize=True).fit_transform(longer)[0, 1] == pytest.approx(1.0)
    cycles = PersistentWL(3, cycles=True, normalize=True).fit_transform(longer)
    assert cycles[0, 1] < 0.99


def test_a_star_with_many_leaves_takes_no_quadratic_time():
    n = 100_000
    edges = np.column_stack([np.zeros(n - 1, int), np.arange(1, n)])
    star = Graphs([0, n], [0, n - 1], edges, node_labels=np.arange(n))
    assert PersistentWL(2, cycles=True).fit_transform(star)[0, 0] > 0
    assert CoreWL(1).fit_transform(star)[0, 0] > 0


# Graphlets


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("connected", [True, False])
@settings(max_examples=20)
@given(batch=raw)
def test_all_graphlets_equal_brute_force(size, connected, batch):
    def features(n, edges, labels, kinds):
        return naive_features.graphlets(n, edges, size, connected)

    kernel = GraphletSampling(size, connected, sampling=False)
    assert np.array_equal(kernel.fit_transform(build(batch)), histogram_gram(batch, features))


@pytest.mark.parametrize("size", [3, 4, 5])
def test_sampled_frequencies_keep_their_promise(size):
    """Of 100 samples at most a tenth may be off by more than a tenth; the bound is generous."""
    epsilon = delta = 0.1
    graph = Graphs.from_networkx([nx.gnm_random_graph(25, 90, seed=0)])
    classes = len(graphlet_classes(size, False).features)
    assert classes == {3: 4, 4: 11, 5: 34}[size]
    n_samples = int(np.ceil(2 * (classes * np.log(2) + np.log(1 / delta)) / epsilon**2))

    def frequencies(kernel):
        found = kernel.fit(graph).histograms_
        counts = dict(zip(found.features.tolist(), found.masses.tolist(), strict=True))
        return counts, sum(counts.values())

    exact, n_sets = frequencies(GraphletSampling(size, sampling=False))
    off = 0
    for seed in range(100):
        counts, drawn = frequencies(GraphletSampling(size, random_state=seed))
        assert drawn == n_samples
        apart = [
            abs(exact.get(f, 0) / n_sets - counts.get(f, 0) / drawn)
            for f in exact.keys() | counts.keys()
        ]
        off += sum(apart) > epsilon
    assert off <= delta * 100


def test_sampling_converges_to_the_normalised_kernel():
    graphs = Graphs.from_networkx([nx.gnm_random_graph(20, m, seed=m) for m in (20, 50, 100)])
    exact = GraphletSampling(4, sampling=False, normalize=True).fit_transform(graphs)
    apart = [
        np.abs(GraphletSampling(4, n_samples=n, normalize=True).fit_transform(graphs) - exact).max()
        for n in (100, 1_000_000)
    ]
    assert apart[1] < 0.003 < apart[0]


def test_samples_depend_on_the_graph_and_the_seed_alone():
    graphs = Graphs.from_networkx([nx.gnm_random_graph(20, 40, seed=m) for m in range(4)])
    kernel = GraphletSampling(4, n_samples=100)
    matrix = kernel.fit_transform(graphs)
    assert np.array_equal(kernel.fit_transform(graphs[2:]), matrix[2:, 2:])
    other = GraphletSampling(4, n_samples=100, random_state=1).fit_transform(graphs)
    assert not np.array_equal(other, matrix)
