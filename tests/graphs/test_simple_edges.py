"""Edges are made simple: each once, what is dropped counted, what differs folded or refused."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from grafik import Graphs
from grafik.graphs import labels
from grafik.graphs import simple_edges as simplify
from strategies import build, raw_batches


@pytest.fixture(params=[1 << 20, 3], ids=["one block", "many blocks"])
def block(request, monkeypatch):
    monkeypatch.setattr(simplify, "_BLOCK", request.param)


@pytest.mark.usefixtures("block")
def test_edges_are_made_simple_and_what_is_dropped_is_counted():
    @given(raw_batches())
    def check(raw):
        graphs = build(raw)
        assert graphs.n_nodes.tolist() == [g.n for g in raw]
        assert [g.edges.tolist() for g in graphs] == [
            [list(e) for e in naive.simple_edges(g.edges)] for g in raw
        ]
        counts = np.sum([(0, 0, 0), *(naive.dropped(g.edges) for g in raw)], axis=0)
        assert tuple(graphs.dropped) == tuple(counts)

    check()


@given(raw_batches())
def test_labels_and_attributes_follow_their_edges(raw):
    graphs = build(raw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simplify, "_BLOCK", 3)
        assert build(raw) == graphs
    for g, given_graph in zip(graphs, raw, strict=True):
        assert g.node_labels == given_graph.node_labels
        for name in ("edge_labels", "edge_attributes"):
            values = getattr(given_graph, name)
            if values is None or getattr(g, name) is None:
                continue
            of = {(min(e), max(e)): x for e, x in zip(given_graph.edges, values, strict=True)}
            found = [x if name == "edge_labels" else list(x) for x in getattr(g, name)]
            assert found == [of[tuple(e)] for e in g.edges.tolist()]


@given(raw_batches(), st.randoms())
def test_order_and_direction_of_the_input_do_not_matter(raw, random):
    graphs = build(raw)
    for g in raw:
        order = random.sample(range(len(g.edges)), len(g.edges))
        g.edges = [random.choice([g.edges[i], g.edges[i][::-1]]) for i in order]
        if g.edge_labels is not None:
            g.edge_labels = [g.edge_labels[i] for i in order]
        if g.edge_attributes is not None:
            g.edge_attributes = [g.edge_attributes[i] for i in order]
    assert build(raw) == graphs


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("columns", [(), ("edge_labels",), ("edge_labels", "edge_attributes")])
def test_building_takes_little_more_memory_than_the_arrays(shuffled, columns, monkeypatch):
    for module in (simplify, labels):
        monkeypatch.setattr(module, "_BLOCK", 1 << 13)
    n, count = 25, 20_000
    pairs = np.array(naive.simple_edges([(i, (i * 7 + 3) % n) for i in range(n)]), np.int32)
    if shuffled:
        pairs = pairs[::-1, ::-1]
    m = len(pairs)
    given_columns = {
        "node_labels": np.tile(np.arange(n) % 5, count),
        "edge_labels": np.tile(np.arange(m) % 3, count),
        "edge_attributes": np.tile(np.arange(m) / 7, count),
    }
    chosen = {name: given_columns[name] for name in ("node_labels", *columns)}
    arguments = np.arange(count + 1) * n, np.arange(count + 1) * m, np.tile(pairs, (count, 1))
    tracemalloc.start()
    graphs = Graphs(*arguments, **chosen)
    now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    arrays = sum(a.nbytes for a in (graphs.node_ptr, graphs.edge_ptr, graphs.edges))
    for name in chosen:
        column = getattr(graphs, name)
        arrays += column.nbytes if name.endswith("attributes") else column.codes.nbytes
    assert now < 1.01 * arrays
    assert peak < 1.5 * arrays


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([[0, 1], [2, 2]], r"graph 1, edge 1 \(2, 2\) is a self loop; remove it, or pass"),
        ([[0, 1], [1, 2], [0, 1]], r"graph 1, edge 2 \(0, 1\) is listed more than once"),
        ([[0, 1], [1, 0]], r"graph 1, edge 1 \(1, 0\) is listed more than once; remove it"),
    ],
)
def test_invalid_edges_can_be_refused(edges, message):
    with pytest.raises(ValueError, match=message):
        Graphs([0, 3, 6], [0, 1, 1 + len(edges)], [[0, 1], *edges], on_invalid="raise")


def test_valid_edges_in_any_order_are_not_refused():
    graphs = Graphs([0, 3], [0, 2], [[2, 1], [1, 0]], on_invalid="raise")
    assert graphs[0].edges.tolist() == [[0, 1], [1, 2]]


def test_sorted_edges_listed_twice_are_seen():
    graphs = Graphs([0, 3], [0, 4], [[0, 1], [0, 1], [0, 2], [1, 2]])
    assert graphs[0].edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert tuple(graphs.dropped) == (0, 1, 0)


def test_the_first_of_several_mistakes_is_named():
    edges = [[1, 2], [0, 1], [1, 2], [0, 1]]
    with pytest.raises(ValueError, match="graph 0, edge 2 "):
        Graphs([0, 3], [0, 4], edges, on_invalid="raise")


def test_edges_listed_twice_must_agree():
    twice = ([0, 2, 5], [0, 1, 4], [[0, 1], [0, 1], [1, 2], [1, 0]])
    with pytest.raises(
        ValueError,
        match=r"graph 1, edge 2 .* has the label 'b', but .*, graph 1, edge 0 .* has 'a'",
    ):
        Graphs(*twice, edge_labels=["x", "a", "c", "b"])
    with pytest.raises(ValueError, match="has the attributes"):
        Graphs(*twice, edge_attributes=[[9, 9], [1, 5], [2, 2], [1, 6]])  # one column of two
    with pytest.raises(
        ValueError,
        match=r"graph 1, edge 2 .* has the attributes \[3.0\], .* edge 0 .* has \[1.0\]; .*fold",
    ):
        Graphs(*twice, edge_attributes=[9.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("fold", "value"), [("first", 1.0), ("sum", 6.0), ("mean", 2.0), ("min", 1.0), ("max", 3.0)]
)
def test_folding_makes_one_attribute_of_several(fold, value):
    edges = [[0, 1], [1, 2], [1, 0], [0, 1]]
    graphs = Graphs([0, 3], [0, 4], edges, edge_attributes=[1.0, 7.0, 2.0, 3.0], fold=fold)
    assert graphs[0].edge_attributes.tolist() == [[value], [7.0]]


def test_folding_keeps_the_first_of_many():
    edges = [[0, 1], [1, 0]] * 40
    graphs = Graphs([0, 2], [0, 80], edges, edge_attributes=np.arange(80), fold="first")
    assert graphs.edge_attributes.tolist() == [[0.0]]


def test_folding_labels_takes_the_first_only_if_told_so():
    edges = ([0, 2], [0, 2], [[1, 0], [0, 1]])
    assert Graphs(*edges, edge_labels=["b", "a"], fold="first")[0].edge_labels == ["b"]
    assert Graphs(*edges, edge_labels=["b", "a"], fold="first").edge_labels.values == ("b",)
    with pytest.raises(ValueError, match="keep the first with .*fold='first'"):
        Graphs(*edges, edge_labels=["b", "a"], fold="sum")


def test_folding_that_overflows_is_refused():
    with pytest.raises(ValueError, match="graph 0, edge 0 .*: the sum of its attributes overflows"):
        Graphs([0, 2], [0, 2], [[1, 0], [0, 1]], edge_attributes=[1e308, 1e308], fold="sum")
    with pytest.raises(ValueError, match="the mean of its attributes overflows"):
        Graphs([0, 2], [0, 2], [[1, 0], [0, 1]], edge_attributes=[1.5e308, 1.5e308], fold="mean")


def test_folding_leaves_edges_alone_that_occur_once():
    graphs = Graphs([0, 2], [0, 1], [[0, 1]], edge_attributes=[3.5], fold="sum")
    assert graphs.edge_attributes.tolist() == [[3.5]]
