import math
import re
from collections import Counter
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import naive_features as naive
from grafik import Graphs, datasets
from grafik.features import tally
from grafik.features.cyclic_patterns import CyclicPatterns
from grafik.features.function_features import FunctionFeatures
from grafik.features.graphlets import Graphlets, graphlet_classes
from grafik.features.shortest_paths import ShortestPaths
from grafik.features.vertex_edge_histogram import VertexEdgeHistogram
from grafik.graphs.labels import content_hash
from strategies import build, raw_batches


class Given:
    """A filtration with given levels."""

    def __init__(self, levels, n_levels):
        self.given, self.n_levels_ = np.asarray(levels, np.int32), n_levels

    def levels(self, graphs):
        return self.given


class OneLevel:
    n_levels_ = 1

    def levels(self, graphs):
        return np.zeros(len(graphs.edges), np.int32)


few_labels = st.sampled_from(["C", "O", 1, True, (0, "a")])


@st.composite
def filtered(draw, max_graphs=3, max_nodes=7, max_edges=14, max_levels=5):
    """A batch with levels: from hypothesis' strange graphs, or denser ones with few labels."""
    if draw(st.booleans()):
        graphs = build(draw(raw_batches()))
    else:
        sizes = draw(st.lists(st.integers(0, max_nodes), max_size=max_graphs))
        edges = []
        for n in sizes:
            pairs = list(combinations(range(n), 2))
            kept = st.lists(st.sampled_from(pairs), max_size=max_edges, unique=True)
            edges.append(draw(kept) if pairs else [])
        nodes, kept = sum(sizes), sum(map(len, edges))
        graphs = Graphs(
            np.cumsum([0, *sizes]),
            np.cumsum([0, *map(len, edges)]),
            [edge for part in edges for edge in part],
            node_labels=draw(st.none() | st.lists(few_labels, min_size=nodes, max_size=nodes)),
            edge_labels=draw(st.none() | st.lists(few_labels, min_size=kept, max_size=kept)),
        )
    n_levels = draw(st.integers(1, max_levels))
    m = len(graphs.edges)
    levels = draw(st.lists(st.integers(0, n_levels - 1), min_size=m, max_size=m))
    return graphs, Given(levels, n_levels)


def table(histograms):
    """For every graph the counts of each feature at all levels, as {feature: tuple}."""
    result = []
    for graph in range(len(histograms)):
        rows = range(histograms.graph_ptr[graph], histograms.graph_ptr[graph + 1])
        assert len({int(histograms.features[row]) for row in rows}) == len(rows)
        result.append({})
        for row in rows:
            runs = slice(histograms.run_ptr[row], histograms.run_ptr[row + 1])
            counts = np.zeros(histograms.n_levels, np.int64)
            starts, values = histograms.run_levels[runs], histograms.run_counts[runs]
            for start, value in zip(starts, values, strict=True):
                counts[start:] = value
            result[-1][int(histograms.features[row])] = tuple(counts.tolist())
    return result


def expected(graphs, filtration, extract):
    """The same by the definitions: {readable feature: tuple}, filtration graph by graph."""
    result = []
    for index, graph in enumerate(graphs):
        levels = filtration.given[graphs.edge_ptr[index] : graphs.edge_ptr[index + 1]]
        found = []
        for level in range(filtration.n_levels_):
            kept = [tuple(e) for e in graph.edges[levels <= level].tolist()]
            names = None
            if graph.edge_labels is not None:
                names = dict(zip(map(tuple, graph.edges.tolist()), graph.edge_labels, strict=True))
            found.append(extract(graph.n_nodes, kept, graph.node_labels, names))
        features = {feature for counter in found for feature in counter}
        result.append({f: tuple(counter[f] for counter in found) for f in features})
    return result


def up_to_names(counts, n_levels):
    """How many features have the same counts in all graphs at all levels.

    Two batches agree in this exactly if renaming features makes one the other.
    """
    absent = (0,) * n_levels
    features = {feature for graph in counts for feature in graph}
    return Counter(tuple(graph.get(feature, absent) for graph in counts) for feature in features)


def assert_same(histograms, graphs, filtration, extract):
    found = up_to_names(table(histograms), filtration.n_levels_)
    assert found == up_to_names(expected(graphs, filtration, extract), filtration.n_levels_)


def degrees(graph):
    return [degree for _, degree in graph.degree]


EXTRACTORS = [
    VertexEdgeHistogram(),
    VertexEdgeHistogram(edges=False),
    VertexEdgeHistogram(vertices=False),
    ShortestPaths(),
    Graphlets(size=3),
    Graphlets(size=4),
    Graphlets(size=5),
    Graphlets(size=3, connected=False),
    Graphlets(size=5, connected=False),
    CyclicPatterns(),
    CyclicPatterns(max_length=4),
    CyclicPatterns(max_length=20, trees=False),
    FunctionFeatures(degrees),
]
SAMPLING = [Graphlets(size=3, sampling=True), Graphlets(size=4, sampling=True, connected=False)]


def named(value):
    """What a case is called: without addresses, which differ between processes."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


each = pytest.mark.parametrize("extractor", EXTRACTORS, ids=named)
each_with_sampling = pytest.mark.parametrize("extractor", EXTRACTORS + SAMPLING, ids=named)


# Against the definitions


@given(filtered())
def test_shortest_paths_are_those_of_the_definition(batch):
    assert_same(ShortestPaths().histograms(*batch), *batch, naive.shortest_paths)


@given(filtered(max_graphs=1, max_nodes=12, max_edges=20, max_levels=12))
def test_distances_follow_many_levels(batch):
    assert_same(ShortestPaths().histograms(*batch), *batch, naive.shortest_paths)


@given(st.data())
def test_a_shortcut_brings_all_behind_it_closer(data):
    n = data.draw(st.integers(4, 20))
    pairs = [pair for pair in combinations(range(n), 2) if pair[1] > pair[0] + 1]
    shortcuts = data.draw(st.lists(st.sampled_from(pairs), max_size=6, unique=True))
    edges = sorted([*pairwise(range(n)), *shortcuts])
    levels = [0 if v == u + 1 else data.draw(st.integers(0, 4)) for u, v in edges]
    batch = Graphs([0, n], [0, len(edges)], edges), Given(levels, 5)
    assert_same(ShortestPaths().histograms(*batch), *batch, naive.shortest_paths)


@pytest.mark.parametrize(
    ("extractor", "extract", "n", "share"),
    [
        (ShortestPaths(), naive.shortest_paths, 40, 0.1),
        (CyclicPatterns(), naive.cyclic_patterns, 8, 1),
    ],
    ids=["paths", "cycles"],
)
def test_many_features_in_one_graph(extractor, extract, n, share):
    """More than the tally has room for at first."""
    generator = np.random.default_rng(0)
    edges = [pair for pair in combinations(range(n), 2) if generator.random() < share]
    m = len(edges)
    graphs = Graphs([0, n, n + 2], [0, m, m + 1], [*edges, (0, 1)], node_labels=list(range(n + 2)))
    batch = graphs, Given(generator.integers(0, 4, m + 1), 4)
    histograms = extractor.histograms(*batch)
    assert histograms.graph_ptr[1] > 1024
    assert_same(histograms, *batch, extract)


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.integers(0, 5) | st.integers(0, 2**64 - 1),
                st.sampled_from([0, 1, 1024, 2048]),  # the same place in a table of 1024 rows
                st.integers(-2, 2),
            )
        ),
        max_size=3,
    ),
    st.integers(0, 2000),
)
def test_the_tally_counts_like_a_counter(graphs, extra):
    table, rows = tally.empty_tally()
    events, n_events, stop = np.empty((1, 3), np.int64), 0, 0
    for additions in graphs:
        additions = additions + [(i * 2**40, 0, 1) for i in range(1, extra)]
        used, wanted = 0, Counter()
        for feature, step, change in additions:
            used = tally.add(table, rows, used, np.uint64(feature), step, change)
            wanted[feature, step] += change
            if 2 * used > len(table):
                table, rows = tally.grown(table, rows, used)
        events, n_events = tally.drained(events, n_events, table, rows, used)
        found = {(f % 2**64, s): c for f, s, c in events[stop:n_events].tolist()}
        assert len(found) == n_events - stop
        assert found == {key: change for key, change in wanted.items() if change}
        stop = n_events


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
    batch = graphs, Given(levels, 2)
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


@given(filtered())
def test_labels_are_counted(batch):
    assert_same(VertexEdgeHistogram().histograms(*batch), *batch, naive.counts)


@given(filtered())
def test_a_function_is_called_on_the_filtration_graphs(batch):
    def paths(graph):
        labels = {v: naive.spelled(label) for v, label in graph.nodes.data("label", "-")}
        for start, lengths in nx.all_pairs_shortest_path_length(graph):
            for end, length in lengths.items():
                if start != end:
                    yield labels[start], length, labels[end]

    assert_same(FunctionFeatures(paths).histograms(*batch), *batch, naive.shortest_paths)


# Against other libraries


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


@pytest.mark.parametrize("graph", [nx.complete_graph(7), nx.wheel_graph(40), nx.petersen_graph()])
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


# What must not matter


def permuted(graphs, levels, seed):
    """Number the vertices of every graph anew."""
    generator = np.random.default_rng(seed)
    parts, order_of_edges = [], []
    for index, graph in enumerate(graphs):
        place = generator.permutation(graph.n_nodes)
        old = np.argsort(place)
        labels = graph.node_labels
        values = graph.node_attributes
        rows = np.arange(graphs.edge_ptr[index], graphs.edge_ptr[index + 1])
        moved = np.sort(place[graph.edges], axis=1) if len(rows) else graph.edges
        order = np.lexsort((moved[:, 1], moved[:, 0]))
        order_of_edges += rows[order].tolist()
        parts.append(
            Graphs(
                [0, graph.n_nodes],
                [0, graph.n_edges],
                moved[order],
                node_labels=None if labels is None else [labels[v] for v in old],
                edge_labels=graph.edge_labels and [graph.edge_labels[i] for i in order],
                node_attributes=None if values is None else values[old],
                edge_attributes=None
                if graph.edge_attributes is None
                else graph.edge_attributes[order],
            )
        )
    return Graphs.concat(parts), levels[order_of_edges] if len(levels) else levels


@each
def test_vertex_order_does_not_matter(extractor):
    @given(filtered(), st.integers(0, 99))
    def check(batch, seed):
        graphs, filtration = batch
        moved, levels = permuted(graphs, filtration.given, seed)
        again = extractor.histograms(moved, Given(levels, filtration.n_levels_))
        assert table(again) == table(extractor.histograms(graphs, filtration))

    check()


@each_with_sampling
def test_other_graphs_do_not_matter(extractor):
    @given(filtered())
    def check(batch):
        graphs, filtration = batch
        together = table(extractor.histograms(graphs, filtration))
        for index in range(len(graphs)):
            levels = filtration.given[graphs.edge_ptr[index] : graphs.edge_ptr[index + 1]]
            single = Given(levels, filtration.n_levels_)
            assert table(extractor.histograms(graphs[index], single)) == [together[index]]

    check()


@each_with_sampling
def test_graphs_without_much_in_them(extractor):
    graphs = Graphs([0, 0, 1, 4, 6], [0, 0, 0, 0, 1], [[0, 1]])
    histograms = extractor.histograms(graphs, Given([2], 4))
    assert len(histograms) == 4
    assert histograms.n_levels == 4
    assert table(histograms)[0] == {}
    assert len(extractor.histograms([], OneLevel())) == 0


@each_with_sampling
def test_any_kind_of_graph_is_accepted(extractor):
    cycle = nx.cycle_graph(5)
    assert table(extractor.histograms([cycle], OneLevel())) == table(
        extractor.histograms(Graphs.from_networkx([cycle]), OneLevel())
    )


def test_features_are_the_same_in_every_process():
    """Written down once; a change here makes stored histograms worthless."""
    graphs = Graphs([0, 4], [0, 4], [[0, 1], [1, 2], [0, 2], [2, 3]], node_labels=list("CCON"))
    found = {
        type(extractor).__name__: sum(extractor.histograms(graphs, OneLevel()).features.tolist())
        % 2**64
        for extractor in (VertexEdgeHistogram(), ShortestPaths(), Graphlets(), CyclicPatterns())
    }
    assert found == {
        "VertexEdgeHistogram": 2696291823537250913,
        "ShortestPaths": 4709106183822492275,
        "Graphlets": 14132177380842006336,
        "CyclicPatterns": 4488722612225739372,
    }


def test_extractors_never_share_features():
    graphs = Graphs([0, 4], [0, 4], [[0, 1], [1, 2], [0, 2], [2, 3]])
    found = [set(e.histograms(graphs, OneLevel()).features.tolist()) for e in EXTRACTORS[3:]]
    kinds = [VertexEdgeHistogram(edges=False), VertexEdgeHistogram(vertices=False)]
    found += [set(e.histograms(graphs, OneLevel()).features.tolist()) for e in kinds]
    of_type = {}
    for extractor, features in zip([*EXTRACTORS[3:], *kinds], found, strict=True):
        name = repr(extractor) if isinstance(extractor, VertexEdgeHistogram) else ""
        of_type.setdefault((type(extractor), name), set()).update(features)
    for one, other in combinations(of_type.values(), 2):
        assert not one & other


def test_a_vertex_label_is_no_edge_label():
    graphs = Graphs([0, 2], [0, 1], [[0, 1]], node_labels=["a", "a"], edge_labels=["a"])
    histograms = VertexEdgeHistogram().histograms(graphs, OneLevel())
    counts = {histograms.names[f]: c for f, c in table(histograms)[0].items()}
    assert counts == {("vertex", "a"): (2,), ("edge", "a"): (1,)}


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
    histograms = extractor.histograms(graphs, Given([0, 2, 1], 4))
    found = {histograms.names[f]: counts for f, counts in table(histograms)[0].items()}
    assert found == {
        ((0, 1),): (10, 0, 0, 0),
        ((0, 1), (0, 2)): (0, 10, 0, 0),
        ((0, 1), (0, 2), (1, 2)): (0, 0, 10, 10),
    }


# Functions


def test_equal_filtration_graphs_are_not_computed_twice():
    calls = []

    def edges(graph):
        calls.append(graph.number_of_edges())
        graph.remove_nodes_from(list(graph))
        return ["n"]

    graphs = Graphs([0, 3, 5], [0, 2, 3], [[0, 1], [1, 2], [0, 1]])
    histograms = FunctionFeatures(edges).histograms(graphs, Given([1, 3, 0], 6))
    assert calls == [0, 1, 2, 1]
    assert table(histograms) == [{content_hash("n"): (1,) * 6}] * 2


def test_a_function_sees_labels_and_attributes():
    seen = []

    def look(graph):
        seen.append((dict(graph.nodes(data=True)), list(graph.edges(data=True))))
        return []

    graphs = Graphs(
        [0, 2], [0, 1], [[0, 1]], node_labels=["a", 1], edge_labels=["b"],
        node_attributes=[0.5, 1.5], edge_attributes=[[1, 2]],
    )  # fmt: skip
    FunctionFeatures(look).histograms(graphs, OneLevel())
    whole = graphs.to_networkx()[0]
    assert seen == [(dict(whole.nodes(data=True)), list(whole.edges(data=True)))]
    assert seen[0][0][1] == {"label": 1, "attribute": 1.5}


def test_features_of_a_function_are_named():
    values = ["a", 1, True, None, 1.5, ("a", (1, None)), np.int64(7), "a"]
    histograms = FunctionFeatures(lambda graph: iter(values)).histograms(
        [nx.path_graph(2)], OneLevel()
    )
    assert histograms.names == {content_hash(value): value for value in values}
    assert table(histograms)[0][content_hash("a")] == (2,)
    assert table(histograms)[0][content_hash(True)] == (1,)


# What is refused


GRAPH = Graphs([0, 0, 4], [0, 0, 3], [[0, 1], [1, 2], [2, 3]])


@pytest.mark.parametrize(
    ("extractor", "message"),
    [
        (VertexEdgeHistogram(vertices=1), "vertices must be True or False, got 1"),
        (VertexEdgeHistogram(edges="no"), "edges must be True or False, got 'no'"),
        (VertexEdgeHistogram(False, False), "vertices or edges must be True, got False for both"),
        (Graphlets(6), "size must be one of 3, 4, 5, got 6"),
        (Graphlets(connected=None), "connected must be True or False, got None"),
        (Graphlets(sampling=3), "sampling must be True or False, got 3"),
        (Graphlets(sampling=True, epsilon=0), "epsilon must be a number between 0 and 1, got 0"),
        (Graphlets(sampling=True, delta="x"), "delta must be a number between 0 and 1, got 'x'"),
        (
            Graphlets(sampling=True, n_samples=0),
            "n_samples must be an integer of at least 1, got 0",
        ),
        (
            Graphlets(n_samples=9),
            "n_samples is for sampling=True, got n_samples=9 and sampling=None",
        ),
        (
            Graphlets(sampling=True, random_state=None),
            "random_state must be an integer, got None",
        ),
        (CyclicPatterns(2), "max_length must be an integer of at least 3, got 2"),
        (CyclicPatterns(3.5), "max_length must be an integer of at least 3, got 3.5"),
        (CyclicPatterns(trees=0), "trees must be True or False, got 0"),
        (FunctionFeatures("degree"), "function must be callable, got 'degree'"),
        (
            FunctionFeatures(len),
            "graph 0, level 0: the function must return an iterable of features, got 0",
        ),
        (
            FunctionFeatures(lambda graph: Counter("aab")),
            "graph 0, level 0: the function must return features one by one, got a Counter; "
            "for a Counter return counter.elements()",
        ),
        (
            FunctionFeatures(lambda graph: "abc"),
            "graph 0, level 0: the function must return an iterable of features, got 'abc'",
        ),
        (
            FunctionFeatures(lambda graph: [{1}] if graph.number_of_edges() == 3 else []),
            "graph 1, level 2: features must be strings, integers, bools, finite floats, None or "
            "tuples of these, got {1} of type set",
        ),
        (
            FunctionFeatures(lambda graph: [(1, math.nan)]),
            "graph 0, level 0: features must be strings, integers, bools, finite floats, None or "
            "tuples of these, got (1, nan) of type tuple",
        ),
    ],
    ids=named,
)
def test_what_is_wrong_is_said_when_it_is_used(extractor, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        extractor.histograms(GRAPH, Given([0, 2, 1], 3))


@pytest.mark.parametrize(
    ("filtration", "message"),
    [
        (Given([0, 1], 2), "one integer level for each of 3 edges, got an array of int32 of shape"),
        (Given([0, 1, 2], 2), "levels must be from 0 to 1, got 0 to 2"),
        (Given([0, -1, 1], 2), "levels must be from 0 to 1, got -1 to 1"),
    ],
    ids=named,
)
@each
def test_wrong_levels_are_refused(extractor, filtration, message):
    with pytest.raises(ValueError, match=message):
        extractor.histograms(GRAPH, filtration)


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


@each_with_sampling
def test_parameters_are_scikit_learn_parameters(extractor):
    copy = clone(extractor)
    assert copy.get_params() == extractor.get_params()
    assert copy is not extractor
