import copy
import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from grafik import Graph, Graphs
from grafik.graphs import labels
from grafik.graphs import simple_edges as simplify
from strategies import batches, build, raw_batches


def triangle(**columns):
    return Graphs([0, 3], [0, 3], [[0, 1], [1, 2], [0, 2]], **columns)


@pytest.fixture(params=[1 << 20, 3], ids=["one block", "many blocks"])
def block(request, monkeypatch):
    monkeypatch.setattr(simplify, "_BLOCK", request.param)


# What the constructor makes of its input


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


@given(raw_batches())
def test_neighbour_lists_are_those_of_the_definition(raw):
    graphs = build(raw)
    indptr, neighbors, edge_ids = graphs.adjacency
    expected = [row for g in raw for row in naive.neighbours(g.n, g.edges)]
    assert [neighbors[a:b].tolist() for a, b in pairwise(indptr)] == expected
    assert graphs.degrees.tolist() == [len(row) for row in expected]
    for g, graph in enumerate(graphs):
        for v in range(graph.n_nodes):
            row = slice(*indptr[graphs.node_ptr[g] + v :][:2])
            for u, e in zip(neighbors[row], edge_ids[row], strict=True):
                assert sorted((u, v)) == graph.edges[e].tolist()


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


def test_input_is_copied_and_never_changed():
    node_ptr, edge_ptr = np.array([0, 3]), np.array([0, 3])
    edges, values = np.array([[2, 1], [1, 0], [1, 0]]), np.array([1.0, 2.0, 2.0])
    kept = [a.copy() for a in (node_ptr, edge_ptr, edges, values)]
    graphs = Graphs(node_ptr, edge_ptr, edges, edge_attributes=values, node_attributes=values)
    for array, before in zip((node_ptr, edge_ptr, edges, values), kept, strict=True):
        assert np.array_equal(array, before)
        array[:] = 9
    assert graphs[0].edges.tolist() == [[0, 1], [1, 2]]
    assert graphs[0].edge_attributes.tolist() == [[2.0], [1.0]]
    assert graphs.node_attributes.tolist() == [[1.0], [2.0], [2.0]]


def test_arrays_have_the_documented_types_and_cannot_be_written():
    graphs = triangle(node_labels=list("abc"), edge_attributes=[1, 2, 3], node_attributes=[1, 2, 3])
    for name, dtype in (
        ("node_ptr", np.int64),
        ("edge_ptr", np.int64),
        ("edges", np.int32),
        ("node_attributes", np.float64),
        ("edge_attributes", np.float64),
    ):
        for batch in (graphs, graphs[:1], graphs[[0]], pickle.loads(pickle.dumps(graphs))):
            array = getattr(batch, name)
            assert array.dtype == dtype
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True
    for array in graphs.adjacency:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError, match="frozen"):
        graphs.edges = None
    with pytest.raises(AttributeError, match="frozen"):
        del graphs.edges
    with pytest.raises(AttributeError, match="frozen"):
        graphs[0].n_nodes = 5
    with pytest.raises(AttributeError, match="frozen"):
        del graphs[0]._batch
    with pytest.raises(AttributeError, match="frozen"):
        graphs.__init__([0], [0], [])


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


# What the constructor refuses


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (
            ([0, 3], [0, 1], [[0, 3]]),
            {},
            r"graph 0, edge 0 \(0, 3\): there is no vertex 3; .* 0 to 2",
        ),
        (([0, 3], [0, 1], [[-1, 0]]), {}, "graph 0, edge 0 .*: there is no vertex -1"),
        (
            ([0, 2, 4], [0, 1, 3], [[0, 1], [0, 1], [1, 2]]),
            {},
            r"graph 1, edge 1 \(1, 2\): .* vertex 2",
        ),
        (([0, 0], [0, 1], [[0, 0]]), {}, "no vertex 0; the graph has no vertices"),
        (([0, 3], [0, 1], [[0, 2**40]]), {}, "no vertex 1099511627776"),
        (([0, 3], [0, 1], np.array([[0, 2**63]], np.uint64)), {}, "no vertex 9223372036854775808"),
        (
            ([0, 3], [0, 1], [[0.0, 1.0]]),
            {},
            "graph 0, edge 0: edges must be integers, got .*float64",
        ),
        (([0, 3], [0, 1], [[True, False]]), {}, "edges must be integers, got .*bool"),
        (([0, 3], [0, 1], [["a", "b"]]), {}, "edges must be integers"),
        (([0, 3], [0, 1], [[0, 1, 2]]), {}, r"edges must have shape \(n_edges, 2\), got \(1, 3\)"),
        (([0, 3], [0, 1], [[0, 1], [2]]), {}, "edges must be a rectangular array of integers"),
        (([0, 3], [0, 2], [[0, 1]]), {}, "edge_ptr ends at 2, but there are 1 edges"),
        (([1, 3], [0, 0], []), {}, "node_ptr must start at 0, got 1"),
        (([0, 3, 2], [0, 0, 0], []), {}, "node_ptr must not decrease.*: graph 1 .* 3 and end at 2"),
        (([0, 3], [0, 2, 1], [[0, 1]]), {}, "edge_ptr must not decrease.*: graph 1"),
        (([0, 3], [0, 0, 0], []), {}, "one entry per graph and one more, got 2 and 3"),
        (([], [0], []), {}, r"node_ptr must have shape \(n_graphs \+ 1,\)"),
        (([0, 2**31], [0, 0], []), {}, "graph 0 has 2147483648 vertices, at most 2147483647"),
        (([0, 1], [0, 0], []), {"node_labels": []}, "node_labels has 0 entries, 1 are needed"),
        (
            ([0, 1], [0, 0], []),
            {"node_labels": "C"},
            "node_labels must be a list with one label per item, got 'C'",
        ),
        (([0, 1], [0, 0], []), {"edge_labels": [1]}, "edge_labels has 1 entries, 0 are needed"),
        (
            ([0, 1, 3], [0, 0, 0], []),
            {"node_labels": ["a", "b", float("nan")]},
            "graph 1, vertex 1: a label must be finite, got nan",
        ),
        (
            ([0, 2, 4], [0, 0, 0], []),
            {"node_attributes": [0, 1, 2, np.inf]},
            "graph 1, vertex 1: node_attributes must be finite, got inf",
        ),
        (
            ([0, 2], [0, 1], [[0, 1]]),
            {"edge_attributes": [[1.0, np.nan]]},
            r"graph 0, edge 0 \(0, 1\): edge_attributes must be finite, got nan",
        ),
        (
            ([0, 1], [0, 0], []),
            {"node_attributes": ["x"]},
            "graph 0, vertex 0: node_attributes must be numbers, got",
        ),
        (([0, 1], [0, 0], []), {"node_attributes": [[]]}, r"shape \(n,\) or \(n, d\)"),
        (([0, 2], [0, 0], []), {"node_attributes": [[1], [1, 2]]}, "rows of equal length"),
        (([0, 1], [0, 0], []), {"node_attributes": [1, 2]}, "has 2 rows, 1 are needed"),
        (([0, 2], [0, 1], [[0, 1.5]]), {}, r"graph 0, edge 0: edges must be integers, got \[0"),
        (([0, 2], [0, 2], [[0, 1], [1, 0.5]]), {}, r"graph 0, edge 1: edges must be integers"),
        ((np.array([0, 2**63], np.uint64), [0, 0], []), {}, "nor exceed 2.63: graph 0"),
        (([0, 1], [0, 0], []), {"node_labels": 5}, "node_labels must be a list .*, got 5"),
        (([0, 1], [0, 0], []), {"node_labels": {0: "C"}}, r"got a dict; .* \[labels\[i\] for i"),
        (([0, 1], [0, 0], []), {"node_labels": {"C"}}, "node_labels must be a list .* got a set"),
        (
            ([0, 3], [0, 0], []),
            {"node_attributes": [1.0, 2.0, None]},
            "graph 0, vertex 2: node_attributes must be numbers, got None",
        ),
        (
            ([0, 2], [0, 0], []),
            {"node_attributes": np.ma.array([1.0, 2.0], mask=[False, True])},
            "node_attributes must not be masked",
        ),
        (
            ([0, 1], [0, 0], []),
            {"node_attributes": np.array([np.finfo(np.longdouble).max])},
            "graph 0, vertex 0: node_attributes must be finite",
        ),
        (([0, 1], [0, 0], []), {"on_invalid": "keep"}, "on_invalid must be one of 'drop', 'raise'"),
        (([0, 1], [0, 0], []), {"fold": "median"}, "fold must be one of None, 'first'"),
    ],
)
def test_the_gate_names_what_is_wrong_and_where(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        Graphs(*arguments, **options)


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
        match=r"graph 1, edge 2 .* has the label 'b', but .* as graph 1, edge 0 .* has 'a'",
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
    with pytest.raises(ValueError, match="pass fold='first'"):
        Graphs(*edges, edge_labels=["b", "a"], fold="sum")


def test_folding_that_overflows_is_refused():
    with pytest.raises(ValueError, match="graph 0, edge 0 .*: the sum of its attributes overflows"):
        Graphs([0, 2], [0, 2], [[1, 0], [0, 1]], edge_attributes=[1e308, 1e308], fold="sum")
    with pytest.raises(ValueError, match="the mean of its attributes overflows"):
        Graphs([0, 2], [0, 2], [[1, 0], [0, 1]], edge_attributes=[1.5e308, 1.5e308], fold="mean")


# A batch as a sequence


@given(batches, st.data())
def test_indexing_is_that_of_a_list(graphs, data):
    items = list(graphs)
    n = len(items)
    assert [graphs[i] for i in range(-n, n)] == items + items
    which = data.draw(st.slices(n))
    assert list(graphs[which]) == items[which]
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    assert list(graphs[np.array(mask, bool)]) == [g for g, m in zip(items, mask, strict=True) if m]
    if n:
        chosen = data.draw(st.lists(st.integers(-n, n - 1)))
        assert graphs[np.array(0)] == graphs[np.int8(0)] == items[0]
        for form in (chosen, np.array(chosen, np.int16), (np.array(chosen, int), ...)):
            assert list(graphs[form]) == [items[i] for i in chosen]


@given(st.lists(raw_batches(), max_size=3))
def test_parts_joined_are_the_whole(raws):
    graphs = [g for raw in raws for g in raw]
    columns = {
        (
            g.node_labels is None,
            g.edge_labels is None,
            g.node_attributes is None,
            g.edge_attributes is None,
        )
        for g in graphs
    }
    if len(columns) > 1 or (
        graphs
        and any(
            len({len(row) for g in graphs for row in getattr(g, c) or []}) > 1
            for c in ("node_attributes", "edge_attributes")
        )
    ):
        return
    assert Graphs.concat([build(raw) for raw in raws]) == build(graphs)


@given(batches, st.data())
def test_slices_joined_are_the_whole(graphs, data):
    cut = data.draw(st.integers(0, len(graphs)))
    joined = Graphs.concat([graphs[:cut], graphs[cut:]])
    assert joined == graphs
    assert list(joined.adjacency.neighbors) == list(graphs.adjacency.neighbors)


@given(raw_batches(max_graphs=3), st.data())
def test_permuted_vertices_give_permuted_neighbours(raw, data):
    graphs = build(raw)
    orders = [data.draw(st.permutations(range(g.n))) for g in raw]
    for g, order in zip(raw, orders, strict=True):
        g.edges = [(order[u], order[v]) for u, v in g.edges]
        if g.node_labels is not None:
            g.node_labels = [g.node_labels[order.index(v)] for v in range(g.n)]
        if g.node_attributes is not None:
            g.node_attributes = [g.node_attributes[order.index(v)] for v in range(g.n)]
    permuted = build(raw)
    for a, b, order in zip(graphs, permuted, orders, strict=True):
        assert naive.simple_edges([(order[u], order[v]) for u, v in a.edges.tolist()]) == [
            tuple(e) for e in b.edges.tolist()
        ]
        if a.node_labels is not None:
            assert [b.node_labels[order[v]] for v in range(a.n_nodes)] == a.node_labels


@given(batches)
def test_pickling_and_copying_keep_everything(graphs):
    for twin in (pickle.loads(pickle.dumps(graphs)), copy.deepcopy(graphs)):
        assert twin == graphs
        assert twin.dropped == graphs.dropped
    for g in graphs:
        assert pickle.loads(pickle.dumps(g)) == g


def test_a_pickled_graph_does_not_carry_its_batch():
    edges = np.tile([[0, 1], [1, 2]], (5000, 1))
    graphs = Graphs(np.arange(5001) * 3, np.arange(5001) * 2, edges)
    assert len(pickle.dumps(graphs[7])) < 2000 < len(pickle.dumps(graphs))


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (3, IndexError, "there is no graph 3, the batch has 2 graphs"),
        (-3, IndexError, "there is no graph -3"),
        ([0, 2], IndexError, "there is no graph 2"),
        ([True], IndexError, "the mask has 1 entries for 2 graphs"),
        ("a", TypeError, "indexed by an integer, a slice, a mask or a list of integers, got 'a'"),
        (1.0, TypeError, "got 1.0"),
        ([0.0, 1.0], TypeError, "got "),
        (True, TypeError, "got True"),
        (None, TypeError, "got None"),
        ((0, 1, 2), IndexError, "there is no graph 2"),
        ((0, 5), IndexError, "there is no graph 5"),
    ],
)
def test_wrong_indices_are_refused(index, error, message):
    graphs = Graphs([0, 1, 2], [0, 0, 0], [])
    with pytest.raises(error, match=message):
        graphs[index]


def test_joining_refuses_batches_with_different_columns():
    with pytest.raises(ValueError, match="item 1 has no node_labels, but item 0 has"):
        Graphs.concat([triangle(node_labels=list("abc")), triangle()])
    with pytest.raises(ValueError, match="item 1 has 2 edge_attributes, but item 0 has 1"):
        Graphs.concat(
            [triangle(edge_attributes=[1, 2, 3]), triangle(edge_attributes=np.ones((3, 2)))]
        )
    with pytest.raises(TypeError, match="concat joins Graphs, but item 1 is a Graph"):
        Graphs.concat([triangle(), triangle()[0]])


def test_joining_ignores_batches_without_vertices_or_edges():
    labelled = triangle(node_labels=list("abc"), edge_labels=[1, 2, 3])
    nothing, single = Graphs([0, 0], [0, 0], []), Graphs([0, 1], [0, 0], [], node_labels=["z"])
    joined = Graphs.concat([nothing, labelled, single])
    assert [g.n_nodes for g in joined] == [0, 3, 1]
    assert list(joined.node_labels) == list("abcz")
    assert list(joined.edge_labels) == [1, 3, 2]  # (0, 1), (0, 2), (1, 2)
    assert Graphs.concat([]) == Graphs([0], [0], [])


def test_joining_adds_up_what_was_dropped():
    loops = Graphs([0, 1], [0, 2], [[0, 0], [0, 0]])
    assert Graphs.concat([loops, loops, triangle()]).dropped == (4, 0, 0)


def test_equality_sees_every_column():
    graphs = triangle(node_labels=[1, 2, 3])
    assert graphs == triangle(node_labels=np.array([1, 2, 3]))
    assert graphs != triangle(node_labels=[True, 2, 3])
    assert graphs != triangle()
    assert triangle(edge_attributes=[1, 2, 3]) != triangle(edge_attributes=[1, 2, 4])
    assert graphs != Graphs([0, 3], [0, 2], [[0, 1], [1, 2]], node_labels=[1, 2, 3])
    assert graphs[0] == triangle(node_labels=[1, 2, 3])[0] != triangle()[0]
    assert graphs != [graphs[0]]
    assert graphs[:0] == triangle()[:0]  # without vertices there are no labels to differ
    with pytest.raises(TypeError, match="unhashable"):
        hash(graphs)


def test_numpy_makes_one_object_per_graph_of_a_batch():
    array = np.asarray(Graphs([0, 1, 2], [0, 0, 0], []))
    assert array.shape == (2,)
    assert all(isinstance(g, Graph) for g in array)


# Looking


def test_repr_counts_what_is_there():
    assert repr(Graphs([0], [0], [])) == "Graphs(0 graphs, 0 vertices, 0 edges)"
    full = triangle(
        node_labels=["C", "C", 1],
        edge_labels=[None] * 3,
        node_attributes=np.ones((3, 2)),
        edge_attributes=[1, 2, 3],
    )
    assert repr(full) == (
        "Graphs(1 graph, 3 vertices, 3 edges, 2 node labels, 2 node attributes, "
        "1 edge label, 1 edge attribute)"
    )
    assert repr(triangle()[0]) == "Graph(3 vertices, 3 edges)"


def test_describe_counts_by_hand():
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (1, 2)], [], []], [4, 1, 0], node_labels=[["a", "b", "a", 1], [True], []]
    )
    summary = graphs.describe()
    assert (summary.n_graphs, summary.n_nodes, summary.n_edges) == (3, 5, 2)
    assert summary.nodes == (0, 5 / 3, 1.0, 4)
    assert summary.edges == (0, 2 / 3, 0.0, 2)
    assert summary.degrees == (0, 0.8, 1.0, 2)
    assert (summary.isolated, summary.edgeless) == (2, 2)
    assert sorted(summary.node_labels, key=repr) == [("a", 2), ("b", 1), (1, 1), (True, 1)]
    assert summary.node_labels[0] == ("a", 2)
    assert summary.edge_labels is None
    text = str(summary)
    assert "5 in all; per graph 0 to 4, mean 1.67, median 1" in text
    assert "4: 'a' (2), " in text


def test_an_empty_batch_can_be_described():
    assert Graphs([0], [0], []).describe().nodes == (0, 0.0, 0.0, 0)
