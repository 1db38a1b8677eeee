"""Counting labels while edges enter: leaves that stand for others, and tables that grow."""

from itertools import pairwise

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filtered_graphs import Levels, plain, sorted_columns
from grafik import Filtration, Graphs, Histograms, datasets
from grafik.features import WeisfeilerLehman, steps, weisfeiler_lehman, wl_arcs, wl_counts
from grafik.system import memory


@st.composite
def bushes(draw):
    """Trees and more, with many leaves on few vertices: some alike, some not."""
    n_hubs, n_leaves = draw(st.integers(1, 4)), draw(st.integers(0, 14))
    hub, label = st.integers(0, n_hubs - 1), st.integers(0, 1)
    inner = draw(st.lists(st.tuples(hub, hub).filter(lambda e: e[0] < e[1]), unique=True))
    edges = inner + [(draw(hub), n_hubs + leaf) for leaf in range(n_leaves)]
    if directed := draw(st.booleans()):
        edges = [draw(st.permutations(edge)) for edge in edges]
    order = draw(st.permutations(range(n_hubs + n_leaves)))
    n_levels = draw(st.integers(1, 4))
    graph = Graphs(
        [0, n_hubs + n_leaves],
        [0, len(edges)],
        np.array([(order[u], order[v]) for u, v in edges], np.int64).reshape(-1, 2),
        node_labels=[draw(label) for _ in range(n_hubs + n_leaves)],
        edge_labels=[draw(label) for _ in edges],
        directed=directed,
    )
    levels = [draw(st.integers(0, n_levels - 1)) for _ in edges]
    return graph, Levels(levels, n_levels)


@given(bushes(), st.integers(1, 4), st.sampled_from(["auto", True, False]))
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
    levels = filtration.levels(graphs)
    stands_for = wl_arcs.twins(0, 1, steps.Batch.of(graphs), levels, None)
    assert sorted(stands_for.tolist())[-3:] == [0, 1, n]


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("order", [1, -1], ids=["large after small", "small after large"])
def test_labels_that_come_at_many_levels_are_found_again(order, directed):
    """Tables of labels grow in the middle of a graph, and forget nothing."""
    small, _ = datasets.random_graphs(20, (2, 5), 0.5, random_state=1)
    large, _ = datasets.random_graphs(1, 300, 0.02, random_state=2)
    graphs = Graphs.concat([small, large][::order])
    if directed:
        turned = np.random.default_rng(1).permuted(graphs.edges, axis=1)
        graphs = Graphs(graphs.node_ptr, graphs.edge_ptr, turned, directed=True)
    weights = np.random.default_rng(0).integers(0, 200, len(graphs.edges)).astype(float)
    filtration = Filtration(lambda graphs: weights, thresholds="distinct").fit(graphs)
    features, n_levels = WeisfeilerLehman(depth=4), filtration.n_levels_
    assert n_levels > 190
    found = features.histograms(graphs, filtration)
    Histograms(n_levels, *found.columns)  # which refuses labels that are there twice
    followed = features.occurrences(graphs, filtration).histograms(n_levels)
    for column, other in zip(sorted_columns(found), sorted_columns(followed), strict=True):
        assert np.array_equal(column, other)


RING = [(v, (v + 1) % 8) for v in range(8)]
CHORDS = [(v, v + 4) for v in range(4)]
PATH = list(pairwise(range(8)))


@pytest.mark.parametrize(
    ("sizes", "labels", "edges", "levels"),
    [
        ([6], range(6), PATH[:5], [0] * 5),
        # Next to a larger graph, so that there is space for many more labels than in the table.
        ([8, 40], range(48), RING + CHORDS, [0] * 8 + [1, 2, 3, 4]),
        ([16], [*range(8)] * 2, PATH + [(u + 8, v + 8) for u, v in PATH], [0] * 7 + [1] * 7),
    ],
    ids=["few levels", "new labels at each level", "the same labels at another level"],
)
def test_tables_of_many_labels_have_room_for_all(sizes, labels, edges, levels, monkeypatch):
    """Tables for many labels are fuller than others; 8 vertices have just as many as it takes."""
    if numba.config.DISABLE_JIT:  # where labels take long
        monkeypatch.setattr(wl_counts, "_LARGE", 256)
    features = WeisfeilerLehman(depth=wl_counts._LARGE // 8 - 1)
    edge_ptr = [0] + [len(edges)] * len(sizes)
    graphs = Graphs(np.cumsum([0, *sizes]), edge_ptr, edges, node_labels=list(labels))
    order = np.lexsort(np.sort(edges, axis=1).T[::-1])
    filtration = Levels(np.array(levels)[order], max(levels) + 1)
    found = features.histograms(graphs, filtration)
    Histograms(filtration.n_levels_, *found.columns)  # which refuses labels that are there twice
    followed = features.occurrences(graphs, filtration).histograms(filtration.n_levels_)
    for column, other in zip(sorted_columns(found), sorted_columns(followed), strict=True):
        assert np.array_equal(column, other)


def test_a_flag_raised_while_space_is_made_leaves_labels_unwritten(monkeypatch):
    labels, levels = list(range(8)), np.arange(12, dtype=np.int32)
    graphs = Graphs([0, 8], [0, 12], RING + CHORDS, node_labels=labels)
    (expected,) = plain(graphs, Levels(levels, 12), 3)
    batch, flag = steps.Batch.of(graphs), np.zeros(1, np.uint8)
    times = wl_arcs.twins(0, 1, batch, levels, None)
    arcs = wl_arcs.by_level(0, 1, batch, levels, 12, times)

    def count():
        return len(wl_counts.count_labels(0, 1, batch, arcs, times, None, 3, flag).rows)

    def interrupted(state, *arrays):
        flag[0] = state["level"] == wl_counts._DONE
        return original(state, *arrays)

    assert count() == len(expected)
    original = wl_counts._with_space
    monkeypatch.setattr(wl_counts, "_with_space", interrupted)
    assert count() == 0
    assert flag[0]


def test_more_changes_of_labels_than_can_be_numbered_are_refused():
    state = np.zeros(1, wl_counts._STATE)[0]
    runs = np.empty(0, wl_counts._RUN)
    found = wl_counts._Found(np.empty(0, wl_counts._LABEL), runs, np.empty(16, np.uint32))
    state["alive"], state["runs"] = 1, 0xFFFFFFFF - 4
    with pytest.raises(MemoryError, match="a graph has more than 4 billion changes of labels"):
        wl_counts._with_space(state, found, None, 1)


def test_a_depth_that_does_not_fit_into_memory_is_refused(monkeypatch):
    graphs, _ = datasets.random_graphs(2, 200, 0.01)
    monkeypatch.setattr(memory, "available", lambda: 1e6)
    filtration = Filtration().fit(graphs)
    # 60 bytes for each of the depths 0 to 3000 of each vertex.
    message = r"depth 3000 of a graph with 200 vertices takes 36\.0 MB, .* smaller"
    with pytest.raises(MemoryError, match=message):
        WeisfeilerLehman(depth=3000).histograms(graphs, filtration)
    assert len(WeisfeilerLehman(depth=3).histograms(graphs, filtration)) == 2


def test_labels_that_are_kept_are_compared_with_the_free_memory(monkeypatch):
    """Where one block of graphs fits, their sum may not."""
    graphs, _ = datasets.csl(copies=2)
    kept = []
    monkeypatch.setattr(weisfeiler_lehman, "_BLOCK", 100)
    monkeypatch.setattr(memory.Growth, "add", lambda self, n_bytes: kept.append(n_bytes))
    found = WeisfeilerLehman(depth=1).histograms(graphs, Filtration().fit(graphs))
    assert len(kept) > 5
    # 16 bytes for a label and 8 for a run.
    assert sum(kept) == 16 * len(found.features) + 8 * len(found.run_levels)


def test_numpy_is_told_which_labels_do_not_fit(monkeypatch):
    def fail(*_):
        raise MemoryError("Unable to allocate 1 TiB")

    graphs, _ = datasets.csl(copies=1)
    filtration = Filtration().fit(graphs)
    monkeypatch.setattr(weisfeiler_lehman, "count_labels", fail)
    message = (
        r"^counting labels of depth 5 of 10 graphs takes more memory than is free \(Unable to "
        r"allocate 1 TiB\); take a smaller depth, or fewer graphs at a time$"
    )
    with pytest.raises(MemoryError, match=message):
        WeisfeilerLehman(depth=5).histograms(graphs, filtration)
