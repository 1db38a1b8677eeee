import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from grafik import Filtration, Graphs, Histograms, datasets
from grafik.features import WeisfeilerLehman, steps
from grafik.features import wl_counts as relabelling
from grafik.features import wl_exact as exact_labels
from grafik.features.events import from_events
from grafik.kernels import postings as postings_module
from grafik.kernels.postings import postings_of
from grafik.system import memory
from strategies import build, raw_batches


class Levels:
    """A filtration with levels drawn for each edge."""

    def __init__(self, levels, n_levels):
        self.found, self.n_levels_ = np.asarray(levels, np.int32), n_levels

    def levels(self, graphs):
        return self.found


@st.composite
def filtered(draw, **options):
    """A batch with a random level for each edge."""
    graphs = build(draw(raw_batches(**options)))
    n_levels = draw(st.integers(1, 5))
    m = len(graphs.edges)
    levels = draw(st.lists(st.integers(0, n_levels - 1), min_size=m, max_size=m))
    return graphs, Levels(levels, n_levels)


def plain(graphs, filtration, depth, edge_labels=False):
    """The histograms of the definition, one dictionary per graph."""
    result = []
    for i, g in enumerate(graphs):
        entry = filtration.found[graphs.edge_ptr[i] : graphs.edge_ptr[i + 1]].tolist()
        graph = (g.n_nodes, g.edges.tolist(), g.node_labels, g.edge_labels)
        result.append(naive.wl_histograms(graph, entry, filtration.n_levels_, depth, edge_labels))
    return result


def renaming(found, expected):
    """Check that histograms agree up to the names of features: any two graphs share the same."""
    for i, a in enumerate(found):
        for j, b in enumerate(found):
            shared = sorted((d, tuple(a[d, f]), tuple(b[d, f])) for d, f in a.keys() & b.keys())
            x, y = expected[i], expected[j]
            assert shared == sorted(
                (d, tuple(x[d, f]), tuple(y[d, f])) for d, f in x.keys() & y.keys()
            )


@given(filtered(), st.integers(0, 3), st.booleans())
def test_labels_are_those_of_the_definition(case, depth, edge_labels):
    graphs, filtration = case
    extractor = WeisfeilerLehman(depth, edge_labels=edge_labels)
    found = extractor.histograms(graphs, filtration)
    renaming([found[i] for i in range(len(graphs))], plain(graphs, filtration, depth, edge_labels))


@given(filtered(), st.integers(0, 3), st.booleans())
def test_exact_labels_are_the_hashed_ones_where_nothing_collides(case, depth, edge_labels):
    graphs, filtration = case
    hashed = WeisfeilerLehman(depth, edge_labels).histograms(graphs, filtration)
    exact = WeisfeilerLehman(depth, edge_labels, exact=True).histograms(graphs, filtration)
    for i in range(len(graphs)):
        assert {f: c.tolist() for f, c in hashed[i].items()} == {
            f: c.tolist() for f, c in exact[i].items()
        }


@given(filtered())
def test_exact_labels_stay_apart_when_hashes_collide(case):
    """With hashes of three bits nearly all collide at first, and none at the end."""
    graphs, filtration = case
    original = exact_labels._entry
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_labels, "_entry", lambda d, what, hashed: original(d, what, hashed & 7))
        found = WeisfeilerLehman(2, exact=True).histograms(graphs, filtration)
    renaming([found[i] for i in range(len(graphs))], plain(graphs, filtration, 2))


def test_a_taken_hash_is_replaced_by_another():
    dictionary = {}
    first = exact_labels._entry(dictionary, (1, 5, ()), 42)
    second = exact_labels._entry(dictionary, (1, 6, ()), 42)
    assert first == 42 != second
    assert exact_labels._entry(dictionary, (1, 6, ()), 42) == second
    assert exact_labels._entry(dictionary, (2, 6, ()), 42) == 42  # another depth, another feature


def test_new_graphs_share_the_exact_labels_of_known_ones():
    graphs, _ = datasets.random_graphs(6, n_nodes=8, density=0.4, n_labels=2)
    filtration = Filtration(n_levels=2).fit(graphs)
    extractor = WeisfeilerLehman(2, exact=True)
    whole = extractor.histograms(graphs, filtration)
    known = extractor.histograms(graphs[:3], filtration)
    size = len(known.dictionary)
    new = extractor.histograms(graphs[3:], filtration, known=known)
    assert len(known.dictionary) == size
    for i in range(3):
        assert new[i].keys() == whole[i + 3].keys()


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("MUTAG", 5),
        ("PTC_MR", 5),
        ("DHFR", 5),
        ("ENZYMES", 5),
        ("IMDB-BINARY", 3),
        ("BZR_MD", 3),
        ("EGO-1", 3),
        ("NCI1", 4),
        ("REDDIT-BINARY", 2),
    ],
)
def test_hashes_do_not_collide_on_real_data(data, name, depth):
    graphs, _ = datasets.read_tu(data / name)
    weight = "attribute" if name == "BZR_MD" else "degree"
    filtration = Filtration(weight, n_levels=3).fit(graphs)
    hashed = WeisfeilerLehman(depth).histograms(graphs, filtration)
    exact = WeisfeilerLehman(depth, exact=True).histograms(graphs, filtration)
    for column, other in zip(sorted_columns(hashed), sorted_columns(exact), strict=True):
        assert np.array_equal(column, other)


def sorted_columns(histograms):
    """Their content in an order that does not depend on how they were made."""
    graphs = np.repeat(np.arange(len(histograms)), np.diff(histograms.graph_ptr))
    order = np.lexsort((histograms.features, histograms.depths, graphs))
    lengths = np.diff(histograms.run_ptr)[order]
    starts = np.repeat(histograms.run_ptr[order] - np.cumsum(lengths) + lengths, lengths)
    runs = starts + np.arange(lengths.sum())
    rows = (histograms.graph_ptr, histograms.depths[order], histograms.features[order], lengths)
    return *rows, histograms.run_levels[runs], histograms.run_counts[runs]


@pytest.mark.parametrize(
    ("depths", "features", "message"),
    [
        ([0, -3], [1, 2], "depths must not be negative, got -3"),
        ([1, 1], [5, 5], "rows 0 and 1 are the same feature of graph 0; add them up"),
    ],
)
def test_rows_that_cannot_be_are_refused(depths, features, message):
    with pytest.raises(ValueError, match=message):
        Histograms(1, [0, 2], depths, np.array(features, np.uint64), [0, 1, 2], [0, 0], [1, 1])


def test_depths_may_be_anything():
    depths = [2**31 - 1, 0, 70, 2**31 - 1]
    features = np.array([1, 1, 9, 2], np.uint64)
    found = Histograms(1, [0, 2, 4], depths, features, np.arange(5), [0] * 4, [1, 2, 3, 4])
    p = postings_of(found)
    assert sorted(zip(p.depths.tolist(), p.features.tolist(), p.masses.tolist(), strict=True)) == [
        (0, 1, 2.0), (70, 9, 3.0), (2**31 - 1, 1, 1.0), (2**31 - 1, 2, 4.0)
    ]  # fmt: skip


PEAK = """
import sys
from pathlib import Path
import numpy as np
from grafik import FiltrationKernel, Graphs, datasets

def status(field):
    return int(Path("/proc/self/status").read_text().split(field + ":")[1].split()[0]) / 1024

if sys.argv[1] == "star":  # every leaf changes its label at every level
    edges = np.column_stack([np.zeros(4000, int), np.arange(1, 4001)])
    graphs = Graphs([0, 4001], [0, 4000], edges, edge_attributes=np.arange(4000.0))
    options = {"weight": "attribute", "thresholds": "distinct"}
else:
    graphs, _ = datasets.random_graphs(3000, n_nodes=20, density=0.1, n_labels=3)
    options = {"n_jobs": 2}
small = graphs if sys.argv[1] == "star" else graphs[:50]
FiltrationKernel(**options).fit_transform(small[:1])  # loads the compiled loops
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
FiltrationKernel(**options).fit_transform(graphs)
print(status("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
@pytest.mark.parametrize(("what", "megabytes"), [("star", 30), ("many", 260)])
def test_memory_stays_within_the_budget(what, megabytes):
    """The star has 4000 levels and few rows; the matrix of the many takes 72 MB."""
    found = subprocess.run(
        [sys.executable, "-c", PEAK, what], capture_output=True, text=True, check=True
    )
    assert float(found.stdout) < megabytes


@st.composite
def bushes(draw):
    """Trees and more, with many leaves on few vertices: some alike, some not."""
    n_hubs, n_leaves = draw(st.integers(1, 4)), draw(st.integers(0, 14))
    hub, label = st.integers(0, n_hubs - 1), st.integers(0, 1)
    inner = draw(st.lists(st.tuples(hub, hub).filter(lambda e: e[0] < e[1]), unique=True))
    edges = inner + [(draw(hub), n_hubs + leaf) for leaf in range(n_leaves)]
    order = draw(st.permutations(range(n_hubs + n_leaves)))
    n_levels = draw(st.integers(1, 4))
    graph = Graphs(
        [0, n_hubs + n_leaves],
        [0, len(edges)],
        np.array([(order[u], order[v]) for u, v in edges], np.int64).reshape(-1, 2),
        node_labels=[draw(label) for _ in range(n_hubs + n_leaves)],
        edge_labels=[draw(label) for _ in edges],
    )
    levels = [draw(st.integers(0, n_levels - 1)) for _ in edges]
    return graph, Levels(levels, n_levels)


@given(bushes(), st.integers(1, 4), st.booleans())
def test_leaves_that_stand_for_others_change_nothing(case, depth, edge_labels):
    graphs, filtration = case
    found = WeisfeilerLehman(depth, edge_labels=edge_labels).histograms(graphs, filtration)
    (expected,) = plain(graphs, filtration, depth, edge_labels)
    counts = sorted((d, counts.tolist()) for (d, _), counts in found[0].items())
    assert counts == sorted((d, list(row)) for (d, _), row in expected.items())
    exact = WeisfeilerLehman(depth, edge_labels=edge_labels, exact=True)
    again = exact.histograms(graphs, filtration)
    for column, other in zip(sorted_columns(found), sorted_columns(again), strict=True):
        assert np.array_equal(column, other)


def test_stars_take_no_more_than_their_leaves():
    """One leaf stands for all, so a star of 200,000 leaves has few changes."""
    n = 200_000
    edges = np.column_stack([np.zeros(n, np.int64), np.arange(1, n + 1)])
    graphs = Graphs([0, n + 1], [0, n], edges)
    filtration = Filtration("degree").fit(graphs)
    found = WeisfeilerLehman(3).histograms(graphs, filtration)
    assert sorted(counts.tolist() for counts in found[0].values()) == [
        *[[1]] * 3, *[[n]] * 3, [n + 1]
    ]  # fmt: skip
    arguments = graphs.edges, filtration.levels(graphs), steps.vertex_hashes(graphs)
    stands_for = relabelling.twins(0, 1, graphs.node_ptr, graphs.edge_ptr, *arguments, None)
    assert sorted(stands_for.tolist())[-3:] == [0, 1, n]


@given(filtered(), st.data())
def test_vertex_order_batches_and_threads_do_not_matter(case, data):
    graphs, filtration = case
    extractor = WeisfeilerLehman(2)
    found = extractor.histograms(graphs, filtration)
    threaded = extractor.histograms(graphs, filtration, n_jobs=3)
    for i, g in enumerate(graphs):
        order = np.array(data.draw(st.permutations(range(g.n_nodes))), int)
        edges = order[g.edges]
        labels = None
        if g.node_labels is not None:
            labels = [g.node_labels[v] for v in np.argsort(order)]
        alone = Graphs([0, g.n_nodes], [0, g.n_edges], edges, node_labels=labels)
        entry = filtration.found[graphs.edge_ptr[i] : graphs.edge_ptr[i + 1]]
        moved = np.lexsort((edges.max(axis=1), edges.min(axis=1))) if len(edges) else []
        permuted = extractor.histograms(alone, Levels(entry[moved], filtration.n_levels_))
        for other in (permuted[0], threaded[i]):
            assert {f: c.tolist() for f, c in found[i].items()} == {
                f: c.tolist() for f, c in other.items()
            }


def events(rows):
    columns = list(zip(*rows, strict=True)) or [[], [], [], []]
    kinds = (np.int64, np.uint64, np.int32, np.int64)
    return [np.array(c, kind) for c, kind in zip(columns, kinds, strict=True)]


occurrences = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 4), st.integers(1, 5)),
    max_size=20,
)


@given(occurrences)
def test_events_add_up_to_occurrences(lives):
    """Each occurrence (graph, feature, birth, length) counts at the levels of its life."""
    rows, expected = [], [{} for _ in range(3)]
    for graph, feature, birth, length in lives:
        death = min(birth + length, 5)
        rows.append((graph, feature, birth, 1))
        if death < 5:
            rows.append((graph, feature, death, -1))
        counts = expected[graph].setdefault((0, feature), np.zeros(5, int))
        counts[birth:death] += 1
    found = from_events(3, 5, *events(rows))
    assert [{f: c.tolist() for f, c in found[g].items()} for g in range(3)] == [
        {f: c.tolist() for f, c in sorted(graph.items())} for graph in expected
    ]
    masses = [[int(c.sum()) for c in found[g].values()] for g in range(3)]
    rows_of = [found._sorted_rows(g) for g in range(3)]
    assert [found.masses[r].tolist() for r in rows_of] == masses


def test_what_is_born_and_dies_at_once_leaves_no_row():
    found = from_events(1, 3, *events([(0, 7, 1, 1), (0, 7, 1, -1), (0, 8, 0, 2)]))
    assert list(found[0]) == [(0, 8)]
    assert len(postings_of(found).features) == 1


def test_lifespans_and_frame():
    found = from_events(2, 4, *events([(0, 7, 1, 2), (0, 7, 2, -2), (0, 7, 3, 1), (1, 9, 0, 5)]))
    assert found.lifespans(0) == {(0, 7): [(1, 2, 2), (3, 4, 1)]}
    assert found.lifespans(1) == {(0, 9): [(0, 4, 5)]}
    frame = found.to_pandas()
    assert frame.to_dict("list") == {
        "graph": [0, 1],
        "depth": [0, 0],
        "feature": [7, 9],
        "mass": [3, 20],
        "level 0": [0, 5],
        "level 1": [2, 5],
        "level 2": [0, 5],
        "level 3": [1, 5],
    }
    with pytest.raises(IndexError, match="there is no graph 2, there are 2"):
        found[2]


@given(filtered(max_graphs=6))
def test_postings_hold_every_row_once_by_feature_and_graph(case):
    graphs, filtration = case
    found = WeisfeilerLehman(1).histograms(graphs, filtration)
    p = postings_of(found)
    seen = set()
    for f in range(len(p.features)):
        key = int(p.depths[f]), int(p.features[f])
        entries = range(p.row_ptr[f], p.row_ptr[f + 1])
        assert list(p.graphs[entries]) == sorted(set(p.graphs[entries]))
        shapes = {}
        for e in entries:
            counts = found[int(p.graphs[e])][key]
            assert p.masses[e] == counts.sum()
            assert 0 <= p.classes[e] < p.class_ptr[f + 1] - p.class_ptr[f]
            shapes.setdefault(tuple(counts / counts.sum()), set()).add(int(p.classes[e]))
            like = p.example[p.class_ptr[f] + p.classes[e]]
            other = found._counts(like)
            assert tuple(other / other.sum()) == tuple(counts / counts.sum())
            assert (found.depths[like], found.features[like]) == key
            seen.add((int(p.graphs[e]), *key))
        # One class for each distinct normalised histogram.
        assert all(len(classes) == 1 for classes in shapes.values())
        assert len(set.union(set(), *shapes.values())) == len(shapes)
        assert p.class_ptr[f + 1] - p.class_ptr[f] == len(shapes)
    assert len(seen) == len(found.features) == len(p.graphs)
    several = np.diff(p.row_ptr) > 1
    order = list(zip(p.depths[several], p.features[several], strict=True))
    assert order == sorted(order)
    assert list(p.depths) == sorted(p.depths)


@pytest.mark.parametrize("bucket", [1, 4, 1000])
@pytest.mark.parametrize("hashed", [True, False])
def test_postings_are_the_same_for_any_buckets_and_threads(bucket, hashed, monkeypatch):
    """Features that are not hashed all have the same first bits, and share one bucket."""
    rng = np.random.default_rng(bucket)
    pairs = np.unique(rng.integers([0, 0, 0], [300, 3, 900], (20_000, 3)), axis=0)
    names = pairs[:, 2].astype(np.uint64)
    features = names * np.uint64(0x9E3779B97F4A7C15) if hashed else names
    n = len(pairs)
    counts = rng.integers(1, 4, n)
    graph_ptr = np.searchsorted(pairs[:, 0], np.arange(301))
    columns = (graph_ptr, pairs[:, 1], features, np.arange(n + 1), rng.integers(0, 5, n), counts)
    monkeypatch.setattr(postings_module, "_BUCKET", bucket)
    histograms = Histograms(5, *columns)
    found = [postings_module._postings(histograms, n_jobs) for n_jobs in (1, 2, 3)]
    for column, *others in zip(*found, strict=True):
        for other in others:
            assert np.array_equal(column, other)
    p = found[0]
    key = (
        np.repeat(p.depths.astype(np.uint64), np.diff(p.row_ptr)),
        np.repeat(p.features, np.diff(p.row_ptr)),
    )
    order = np.lexsort((p.graphs, key[1], key[0]))
    expected = np.lexsort((pairs[:, 0], features, pairs[:, 1]))
    assert np.array_equal(p.graphs[order], pairs[expected, 0])
    assert np.array_equal(key[1][order], features[expected])
    assert np.array_equal(p.masses[order], (counts * (5 - columns[4]))[expected])


@given(filtered(), st.integers(0, 2))
def test_up_to_a_depth(case, depth):
    graphs, filtration = case
    whole = WeisfeilerLehman(3).histograms(graphs, filtration).up_to(depth)
    part = WeisfeilerLehman(depth).histograms(graphs, filtration)
    for i in range(len(graphs)):
        assert {f: c.tolist() for f, c in whole[i].items()} == {
            f: c.tolist() for f, c in part[i].items()
        }


def histograms(**changes):
    columns = {
        "n_levels": 3,
        "graph_ptr": [0, 1, 2],
        "depths": [0, 0],
        "features": np.array([7, 8], np.uint64),
        "run_ptr": [0, 2, 3],
        "run_levels": [0, 2, 1],
        "run_counts": [1, 0, 4],
    }
    return Histograms(**{**columns, **changes})


def test_histograms_can_be_made_by_hand():
    levels = np.array([0, 2, 1], np.int32)
    made = histograms(run_levels=levels)
    assert made[0][0, 7].tolist() == [1, 1, 0]
    assert made[-1][0, 8].tolist() == [0, 4, 4]
    levels[0] = 5  # the caller's own array, neither shared nor frozen
    assert made.run_levels.tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_levels": 0}, "n_levels must be an integer of at least 1"),
        ({"graph_ptr": [0, 1, 3]}, "graph_ptr must rise from 0 to 2"),
        ({"graph_ptr": [0, 3, 2]}, "graph_ptr must rise from 0 to 2"),
        ({"run_ptr": [0, 10**9, 3]}, "run_ptr must rise from 0 to 3"),
        ({"run_ptr": [0, 0, 3]}, "row 0 has no run"),
        ({"depths": [0]}, "must have an entry for each row"),
        ({"run_counts": [1, 2]}, "must have an entry for each run"),
        ({"run_levels": [0, 0, 1]}, "run_levels must rise within each row"),
        ({"run_levels": [0, 3, 1]}, "run_levels must rise within each row, from 0 to 2"),
        ({"run_levels": [-1, 2, 1]}, "run_levels must rise"),
        ({"run_counts": [1, -1, 4]}, "run_counts must not be negative"),
        ({"run_counts": [0, 0, 4]}, "nor all 0 in a row"),
        ({"run_counts": [1, 2**62, 4]}, "are too large for 3 levels"),
    ],
)
def test_histograms_that_do_not_fit_together_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        histograms(**changes)


def test_histograms_are_indexed_by_numbers():
    with pytest.raises(TypeError, match="indexed by the number of a graph, got slice"):
        histograms()[0:2]


def test_edge_labels_do_not_collide_on_real_data(data):
    graphs, _ = datasets.read_tu(data / "MUTAG")
    filtration = Filtration(n_levels=3).fit(graphs)
    hashed = WeisfeilerLehman(4, edge_labels=True).histograms(graphs, filtration)
    exact = WeisfeilerLehman(4, edge_labels=True, exact=True).histograms(graphs, filtration)
    for column, other in zip(sorted_columns(hashed), sorted_columns(exact), strict=True):
        assert np.array_equal(column, other)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"depth": 10**12}, "depth must be at most 10000, got 1000000000000"),
        ({"depth": -1}, "depth must be an integer of at least 0, got -1"),
        ({"depth": 1.0}, "depth must be an integer of at least 0, got 1.0"),
        ({"exact": 1}, "exact must be True or False, got 1"),
        ({"edge_labels": "yes"}, "edge_labels must be True or False, got 'yes'"),
    ],
)
def test_wrong_parameters_are_refused_when_used(parameters, message):
    graphs = Graphs([0, 1], [0, 0], [])
    with pytest.raises(ValueError, match=message):
        WeisfeilerLehman(**parameters).histograms(graphs, Filtration().fit(graphs))


@pytest.mark.parametrize("order", [1, -1], ids=["large after small", "small after large"])
def test_labels_that_come_at_many_levels_are_found_again(order):
    """Tables of labels grow in the middle of a graph, and forget nothing."""
    small, _ = datasets.random_graphs(20, (2, 5), 0.5, random_state=1)
    large, _ = datasets.random_graphs(1, 300, 0.02, random_state=2)
    graphs = Graphs.concat([small, large][::order])
    weights = np.random.default_rng(0).integers(0, 200, len(graphs.edges)).astype(float)
    filtration = Filtration(lambda graphs: weights, thresholds="distinct").fit(graphs)
    features, n_levels = WeisfeilerLehman(depth=4), filtration.n_levels_
    assert n_levels > 190
    found = features.histograms(graphs, filtration)
    Histograms(n_levels, *found.columns)  # which refuses labels that are there twice
    followed = features.occurrences(graphs, filtration).histograms(n_levels)
    for i in range(len(graphs)):
        one, other = ({k: v.tolist() for k, v in h[i].items()} for h in (found, followed))
        assert one == other


def test_a_depth_that_does_not_fit_into_memory_is_refused(monkeypatch):
    graphs, _ = datasets.random_graphs(2, 200, 0.01)
    monkeypatch.setattr(memory, "available", lambda: 1e6)
    filtration = Filtration().fit(graphs)
    with pytest.raises(MemoryError, match="depth 3000 of a graph with 200 vertices .* smaller"):
        WeisfeilerLehman(depth=3000).histograms(graphs, filtration)
    assert len(WeisfeilerLehman(depth=3).histograms(graphs, filtration)) == 2
