"""Hashes of marked graphs: equal exactly where labels are, in any order, on any threads."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone

import naive_weights as naive
from grafik import Graphs, datasets
from grafik.reproduction.expressiveness import fingerprints
from grafik.system.threads import new_flag
from grafik.weights import NAMES, Marked, long_work, marked, marked_loops
from strategies import build, raw_batches
from weighted_graphs import larger, one_graph, permuted, random_edges, simple_labels

directed = raw_batches(label=simple_labels, max_nodes=6, loops=False, directed=True).map(
    lambda raw: build(raw, directed=True)
)
smaller = raw_batches(label=simple_labels, max_nodes=6, loops=False).map(build)


def by_definition(graphs, rounds, marks=2):
    known, keys = {}, []
    for g in graphs:
        columns = [x and list(x) for x in (g.node_labels, g.edge_labels)]
        edges = g.edges.tolist()
        keys += naive.marked(
            g.n_nodes, edges, rounds, known, marks, *columns, directed=graphs.directed
        )
    return keys


def numbered(keys):
    """Number keys in the order in which they come first, so that equal partitions look equal."""
    known = {}
    return [known.setdefault(key, len(known)) for key in keys]


def partition(weight, graphs):
    keys = weight(graphs)
    assert keys.dtype == np.int64
    assert keys.shape == (len(graphs.edges), 1)
    return numbered(keys[:, 0].tolist())


@given(graphs=larger, rounds=st.integers(1, 12))
def test_keys_are_equal_where_labels_are(graphs, rounds):
    assert partition(Marked(rounds), graphs) == numbered(by_definition(graphs, rounds))


@given(graphs=directed, rounds=st.integers(1, 8))
def test_keys_of_directed_edges_are_equal_where_labels_are(graphs, rounds):
    assert partition(Marked(rounds), graphs) == numbered(by_definition(graphs, rounds))


@pytest.mark.parametrize("extra", [1, 2])
@given(graphs=smaller, rounds=st.integers(1, 6))
def test_more_marks_match_their_definition(extra, graphs, rounds):
    expected = numbered(by_definition(graphs, rounds, 2 + extra))
    assert partition(Marked(rounds, extra), graphs) == expected


@given(graphs=directed)
def test_more_marks_of_directed_graphs_match_their_definition(graphs):
    assert partition(Marked(4, 1), graphs) == numbered(by_definition(graphs, 4, 3))


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 20])
def test_paths_and_trees_take_as_many_rounds_as_they_are_long(rounds):
    kinds = [nx.path_graph(n) for n in (*range(1, 14), 40)]
    kinds += [nx.cycle_graph(n) for n in range(3, 12)]
    kinds += [nx.balanced_tree(2, 3), nx.star_graph(6), nx.petersen_graph(), nx.empty_graph(3)]
    graphs = Graphs.from_networkx(kinds)
    found = partition(Marked(rounds), graphs)
    assert found == numbered(by_definition(graphs, rounds))
    assert len(set(found)) < len(found)


@given(graphs=larger, seed=st.integers(0, 2**32), extra=st.integers(0, 2))
def test_vertex_order_changes_no_bit(graphs, seed, extra):
    shape = graphs.node_ptr, graphs.edge_ptr, graphs.edges
    graphs = Graphs(*shape, node_labels=graphs.node_labels)  # all that `permuted` keeps
    other, rows = permuted(graphs, np.random.default_rng(seed))
    weight = Marked(extra=extra)
    assert_array_equal(weight(graphs), weight(other)[rows])


@given(graphs=larger)
def test_a_graph_has_the_same_keys_alone_and_in_a_batch(graphs):
    alone = [Marked()(graphs[i : i + 1]) for i in range(len(graphs))]
    empty = np.zeros((0, 1), np.int64)
    assert_array_equal(np.concatenate([empty, *alone]), Marked()(graphs))


def test_equal_labels_have_equal_keys_in_batches_that_know_other_labels():
    columns = {"node_labels": ["C", "O", "C"], "edge_labels": ["-", "="]}
    one = one_graph([(0, 1), (1, 2)], 3, **columns)
    many = Graphs(
        [0, 2, 5], [0, 1, 3], [(0, 1), (0, 1), (1, 2)],
        node_labels=["O", "N", "C", "O", "C"], edge_labels=["#", "-", "="],
    )  # fmt: skip
    assert_array_equal(Marked()(one), Marked()(many)[1:])


def test_labels_and_directions_of_two_edges_do_not_cancel_out():
    # A ring beside the marked edge: over one label from each "p" to a "q", over another one back.
    ring = [(0, 1), (2, 3), (3, 4), (4, 5), (5, 2)]
    for one, other in combinations("abcdef", 2):
        graphs = Graphs(
            [0, 6, 12], [0, 5, 10], ring * 2, node_labels=[*"xxpqpq"] * 2, directed=True,
            edge_labels=["-", one, other, one, other, "-", other, one, other, one],
        )  # fmt: skip
        keys = Marked(rounds=1)(graphs)[:, 0]
        assert keys[graphs.edge_ptr[0]] != keys[graphs.edge_ptr[1]]


def many_graphs():
    sizes = [0, 1, 2, 5, 40, 40, 130, 300]
    lists = [random_edges(n, min(0.5, 6 / max(n, 1)), n) for n in sizes]
    return Graphs.from_edge_lists(lists, sizes)


@pytest.mark.parametrize("extra", [0, 1])
def test_threads_and_blocks_change_no_bit(extra, monkeypatch):
    graphs = many_graphs()[:-1]
    expected = Marked(extra=extra)(graphs)
    assert_array_equal(Marked(extra=extra, n_jobs=3)(graphs), expected)
    monkeypatch.setattr(marked, "_BLOCK", 1 << 20)
    assert_array_equal(Marked(extra=extra)(graphs), expected)
    assert_array_equal(Marked(extra=extra, n_jobs=2)(graphs), expected)


def test_many_rounds_are_as_many_as_there_can_be():
    graphs = many_graphs()
    path = Graphs.from_networkx([nx.path_graph(80)])
    assert_array_equal(Marked(10**9)(graphs), Marked(400)(graphs))
    assert len(np.unique(Marked(10**9)(path))) == 40
    assert len(np.unique(Marked(16)(path))) < 40


def rook_and_shrikhande():
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    shrikhande = nx.Graph()
    for x, y in np.ndindex(4, 4):
        for dx, dy in ((0, 1), (1, 0), (1, 1)):
            shrikhande.add_edge((x, y), ((x + dx) % 4, (y + dy) % 4))
    return Graphs.from_networkx([rook, shrikhande])


def test_strongly_regular_graphs_are_told_apart():
    keys = Marked()(rook_and_shrikhande())
    assert_array_equal(keys[:48], keys[0, 0])
    assert_array_equal(keys[48:], keys[48, 0])
    assert keys[0] != keys[48]


def test_all_graphs_of_up_to_six_vertices_are_told_apart():
    atlas = [g for g in nx.graph_atlas_g() if 0 < len(g) <= 6]
    graphs = Graphs.from_networkx(atlas)
    parts = np.split(Marked()(graphs)[:, 0], graphs.edge_ptr[1:-1])
    found = {(len(g), tuple(sorted(part.tolist()))) for g, part in zip(atlas, parts, strict=True)}
    assert len(found) == len(atlas)


def test_large_stars():
    leaves = 10_000
    star = np.column_stack([np.zeros(leaves, int), np.arange(1, leaves + 1)])
    keys = Marked()(one_graph(star, leaves + 1))
    assert len(np.unique(keys)) == 1
    with pytest.raises(ValueError, match=r"extra=1.* would take up to .* (hours|days) on graph 0"):
        Marked(extra=1)(one_graph(star, leaves + 1))


def test_hopeless_work_is_refused_before_it_begins():
    leaves = 200_000
    star = np.column_stack([np.zeros(leaves, int), np.arange(1, leaves + 1)])
    graphs = Graphs.from_edge_lists([[(0, 1)], star])
    with pytest.raises(
        ValueError, match=r"Marked\(\) would take .* on graph 1, which has 200001 vertices and"
    ):
        Marked()(graphs)


def test_the_limit_is_for_single_graphs(monkeypatch):
    edges = list(combinations(range(12), 2))
    monkeypatch.setattr(long_work, "LIMIT", 1e-3)
    assert len(Marked()(Graphs.from_edge_lists([edges] * 50))) == 50 * len(edges)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": 0}, "rounds must be an integer of at least 1, got 0"),
        ({"rounds": 2.0}, "rounds must be an integer of at least 1, got 2.0"),
        ({"extra": 3}, "extra must be at most 2, got 3"),
        ({"extra": -1}, "extra must be an integer of at least 0, got -1"),
        ({"n_jobs": 0}, "n_jobs must be None or an integer other than 0, got 0"),
    ],
)
def test_other_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Marked(**options)(one_graph([(0, 1)], 2))


def test_parameters_work_as_in_scikit_learn():
    assert clone(Marked(3, extra=1)).get_params() == {"rounds": 3, "extra": 1, "n_jobs": None}
    assert repr(NAMES["marked"]) == "Marked()"
    assert not Marked().ordered


def test_graphs_without_edges_have_no_keys():
    for sizes in ([], [0], [1], [0, 3, 1]):
        graphs = Graphs(np.cumsum([0, *sizes]), [0] * (len(sizes) + 1), [])
        assert Marked()(graphs).shape == (0, 1)


def test_wide_and_narrow_sheets_have_the_same_keys():
    graphs = many_graphs()[4:6]
    expected = Marked()(graphs)
    hashed = np.zeros(len(graphs.edges), np.uint64)
    marking, flag = marked._marking(graphs, False), new_flag()
    for first in range(0, len(hashed), 7):
        stop = min(first + 7, len(hashed))
        marked_loops.hash_marked(first, stop, marking, graphs.adjacency, 16, 0, hashed, flag)
    assert_array_equal(hashed.view(np.int64), expected[:, 0])


def test_more_pairs_of_brec_are_told_apart_than_by_3_wl(data):
    """3-WL tells 270 apart; see experiments/expressiveness."""
    graphs, categories = datasets.brec(data / "BREC" / "pairs.tsv")
    prints = fingerprints(graphs, Marked())
    apart = np.array([a != b for a, b in zip(prints[::2], prints[1::2], strict=True)])
    assert apart.sum() >= 320
    assert apart[np.isin(categories, ["strongly-regular", "4-vertex-condition"])].all()
