"""Where two graphs differ first: against the definition, and with leaves that stand for others."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive
from filtered_graphs import Levels, written_out
from grafik import Graphs
from grafik.arrays.compiled import uncompiled
from grafik.features import WeisfeilerLehman, wl_differences
from grafik.features.wl_differences import first_difference


@st.composite
def similar_pairs(draw):
    """A graph and a copy with vertices in another order, of which a little may be changed."""
    n_hubs, n_leaves = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    n, directed = n_hubs + n_leaves * (n_hubs > 0), draw(st.booleans())
    hub, some = st.integers(0, max(n_hubs - 1, 0)), st.integers(0, 1)
    inner = st.tuples(hub, hub).filter(lambda edge: edge[0] < edge[1])
    edges = draw(st.lists(inner, unique=True, max_size=8)) if n_hubs > 1 else []
    edges += [(draw(hub), leaf) for leaf in range(n_hubs, n)]
    if directed:
        edges = [tuple(draw(st.permutations(edge))) for edge in edges]
    n_levels, m = draw(st.integers(1, 4)), len(edges)
    numbers = st.integers(0, n_levels - 1)
    kinds, levels = [draw(some) for _ in edges], [draw(numbers) for _ in edges]
    labels = [draw(some) for _ in range(n)] if draw(st.booleans()) else [0] * n
    order = draw(st.permutations(range(n)))
    turned = [(order[u], order[v]) for u, v in edges]
    others = {"kinds": list(kinds), "levels": list(levels)}
    change = draw(st.sampled_from(["none", "kinds", "levels", "edge"]))
    if m and change in others:
        values = {"kinds": some, "levels": numbers}
        others[change][draw(st.integers(0, m - 1))] = draw(values[change])
    if m and change == "edge":
        del turned[-1], others["kinds"][-1], others["levels"][-1]
    how = {"n_nodes": [n, n], "directed": directed}
    how["node_labels"] = [labels, [label for _, label in sorted(zip(order, labels, strict=True))]]
    if draw(st.booleans()):
        how["edge_labels"] = [kinds, others["kinds"]]
    # The constructor sorts edges: levels go with them as attributes.
    given_levels = [np.array(part, float) for part in (levels, others["levels"])]
    graphs = Graphs.from_edge_lists([edges, turned], edge_attributes=given_levels, **how)
    found = np.zeros(0) if graphs.edge_attributes is None else graphs.edge_attributes[:, 0]
    return graphs, Levels(found.astype(np.int32), n_levels)


STAR = Graphs.from_edge_lists(
    [[(0, i) for i in range(1, 6)], [(0, i) for i in range(1, 5)]], [6, 6]
)


@given(similar_pairs(), st.integers(0, 5), st.booleans())
@example((STAR, Levels([0] * 9, 1)), 2, False)
@example((STAR, Levels([0, 0, 1, 1, 1, 0, 0, 1, 1], 2)), 2, False)
def test_first_difference_is_that_of_the_definition(case, depth, edge_labels):
    graphs, filtration = case
    levels, n_levels = filtration.found, filtration.n_levels_
    found = first_difference(graphs, levels, n_levels, depth, edge_labels)
    entries = [part.tolist() for part in np.split(levels, graphs.edge_ptr[1:-1])]
    pair = [written_out(graph) for graph in graphs]
    expected = naive.first_difference(pair, entries, n_levels, depth, edge_labels)
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert (found.depth, found.level) == expected[:2]
    assert tuple(part.tolist() for part in found.vertices) in expected[2]
    # and of all features that differ there, the one with the least hash
    extractor = WeisfeilerLehman(depth, edge_labels=edge_labels and graphs.edge_labels is not None)
    one, other = (extractor.histograms(graphs, filtration)[i] for i in range(2))
    absent = np.zeros(n_levels, np.int64)
    apart = [
        f
        for d, f in one.keys() | other.keys()
        if d == found.depth
        and one.get((d, f), absent)[found.level] != other.get((d, f), absent)[found.level]
    ]
    assert found.feature == min(apart)


def test_the_search_ends_where_nothing_new_is_told_apart(monkeypatch):
    """A large depth costs no more than the rounds that tell something apart."""
    from grafik.features import wl_differences

    seen, follow = [], wl_differences._follow
    monkeypatch.setattr(wl_differences, "_follow", lambda d, *a: (seen.append(d), follow(d, *a))[1])
    path = [(i, i + 1) for i in range(8)]
    graphs = Graphs.from_edge_lists([path, path[::-1]])
    assert first_difference(graphs, np.zeros(16, np.int32), 1, 10_000, False) is None
    assert seen == [0, 1, 2, 3, 4, 5]  # five kinds of vertices, known at depth 4
    seen.clear()
    graphs = Graphs.from_edge_lists([path, path[:-1]])
    assert first_difference(graphs, np.zeros(15, np.int32), 1, 10_000, False).depth == 0
    assert seen == [0]


def test_labels_that_come_at_many_levels_are_counted_in_tables_that_grow():
    rng = np.random.default_rng(0)
    edges = np.unique(np.sort(rng.integers(0, 60, (300, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] < edges[:, 1]]
    m, order = len(edges), rng.permutation(60)
    graphs = Graphs.from_edge_lists([edges, order[edges]], [60, 60], edge_attributes=[range(m)] * 2)
    levels = graphs.edge_attributes[:, 0].astype(np.int32)
    assert first_difference(graphs, levels, m, 4, False) is None
    late = levels.copy()
    late[m + np.flatnonzero(levels[m:] == m - 1)] = m - 2
    found = first_difference(graphs, late, m, 4, False)
    assert (found.depth, found.level) == (1, m - 2)


def test_what_only_deep_labels_tell_apart_while_few_vertices_change():
    """Two paths whose ends have labels; in the other graph, two ends have changed places."""
    size = 14
    path = [(i, i + 1) for i in range(size - 1)]
    edges = path + [(size + u, size + v) for u, v in path]
    ends = ["a", *["-"] * (size - 2), "b", "c", *["-"] * (size - 2), "d"]
    other = list(ends)
    other[size - 1], other[-1] = "d", "b"
    graphs = Graphs.from_edge_lists([edges, edges], node_labels=[ends, other])
    rng = np.random.default_rng(0)
    for n_levels in (1, 4, size - 1):
        entry = rng.permutation(np.arange(size - 1) % n_levels).astype(np.int32)
        levels = np.tile(entry, 4)
        found = first_difference(graphs, levels, n_levels, 20, False)
        # A vertex in the middle of a path that is whole sees both of its ends.
        assert (found.depth, found.level) == (size // 2, n_levels - 1)
        assert sorted(map(len, found.vertices)) == [0, 1]


def test_more_labels_than_can_be_numbered_are_refused():
    with pytest.raises(MemoryError, match="two graphs have more than 4 billion labels"):
        uncompiled(wl_differences._with_space)([], [], 0xFFFFFFFF - 1, 1)
