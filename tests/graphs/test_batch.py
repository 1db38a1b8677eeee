"""A batch of graphs: frozen arrays, and a sequence that is indexed, joined, compared and copied."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik import Graph, Graphs
from strategies import build, full_batches, raw_batches


def triangle(**columns):
    return Graphs([0, 3], [0, 3], [[0, 1], [1, 2], [0, 2]], **columns)


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


# A batch as a sequence


@given(full_batches(), st.data())
def test_indexing_is_that_of_a_list(graphs, data):
    items = list(graphs)
    n = len(items)
    assert [graphs[i] for i in range(-n, n)] == items + items
    which = data.draw(st.slices(n))
    assert list(graphs[which]) == items[which]
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    assert list(graphs[np.array(mask, bool)]) == [g for g, m in zip(items, mask, strict=True) if m]
    assert list(graphs[[]]) == []
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


@given(full_batches(), st.data())
def test_slices_joined_are_the_whole(graphs, data):
    cut = data.draw(st.integers(0, len(graphs)))
    joined = Graphs.concat([graphs[:cut], graphs[cut:]])
    assert joined == graphs
    assert list(joined.adjacency.neighbors) == list(graphs.adjacency.neighbors)


@given(full_batches())
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
        (3, IndexError, "there is no graph 3; the batch has 2 graphs"),
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


def test_equality_sees_names_ids_and_directions():
    full = {
        "node_names": ["a", "b", "c"],
        "node_attributes": [1, 2, 3],
        "node_attribute_names": ["x"],
        "edge_attributes": [1, 2, 3],
        "edge_attribute_names": ["weight"],
        "ids": ["one"],
        "directed": True,
    }
    graphs = triangle(**full)
    assert graphs == triangle(**full)
    others = {
        "node_names": ["a", "c", "b"],
        "node_attribute_names": ["y"],
        "edge_attribute_names": None,
        "ids": ["two"],
        "directed": False,
    }
    for name, other in others.items():
        assert graphs != triangle(**full | {name: other})
        assert graphs[0] != triangle(**full | {name: other})[0]
    for name in ("node_names", "ids"):
        assert graphs != triangle(**full | {name: None})


def test_vertices_without_names_are_called_by_their_numbers():
    assert triangle(node_names=[0, 1, 2]) == triangle() != triangle(node_names=["0", "1", "2"])
    joined = Graphs.concat([triangle(node_names=list("abc")), triangle()])
    assert joined[0].node_names == ["a", "b", "c"]
    assert joined[1].node_names == [0, 1, 2]


def test_names_of_empty_columns_do_not_count():
    named = triangle(edge_attributes=[1, 2, 3], edge_attribute_names=["w"])
    assert named[:0] == triangle()[:0]
    wide = Graphs([0, 1], [0, 0], [], edge_attributes=np.ones((0, 2)))
    points = Graphs([0, 1], [0, 0], [], edge_attributes=np.ones((0, 1)))
    assert points == wide == Graphs([0, 1], [0, 0], [])
    assert Graphs.concat([points, named])[1:] == named


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"directed": True}, "item 1 has directed=True, but item 0 has directed=False; make them"),
        (
            {"edge_attribute_names": ["w"]},
            r"item 1 has edge_attribute_names=\('w',\), but item 0 has edge_attribute_names=None",
        ),
        ({"ids": [7]}, "item 0 has no ids, but item 1 has; give all the same columns"),
    ],
)
def test_joining_refuses_batches_that_mean_different_things(columns, message):
    with pytest.raises(ValueError, match=message):
        Graphs.concat(
            [triangle(edge_attributes=[1, 2, 3]), triangle(edge_attributes=[1, 2, 3], **columns)]
        )


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"node_names": ["a", "b", "a"]},
            "graph 0, vertex 0 and graph 0, vertex 2 have the same name 'a'; names .* must differ",
        ),
        ({"node_names": ["a", "b"]}, "node_names has 2 entries, 3 are needed"),
        ({"node_names": ["a", "b", float("nan")]}, "graph 0, vertex 2: a label must be finite"),
        ({"ids": ["a", "b"]}, "ids has 2 entries, 1 are needed"),
        ({"ids": "a"}, "ids must be a list with one label per item, got 'a'"),
        ({"ids": [{}]}, "graph 0: labels must be strings.*got {}"),
        ({"edge_attribute_names": 5}, "edge_attribute_names must be a list of names, got 5"),
        ({"edge_attribute_names": ["w"]}, "edge_attribute_names must be 0 different names.*'w'"),
        (
            {"node_attributes": np.ones((3, 2)), "node_attribute_names": ["x", "x"]},
            "node_attribute_names must be 2 different names, one for each column, got",
        ),
        (
            {"node_attributes": np.ones((3, 1)), "node_attribute_names": [0]},
            "node_attribute_names must be strings, got 0",
        ),
        ({"directed": None}, "directed must be True or False, got None"),
    ],
)
def test_names_ids_and_directions_are_checked(columns, message):
    with pytest.raises(ValueError, match=message):
        triangle(**columns)


# Directions


@given(raw_batches())
def test_directed_edges_are_kept_as_they_lead(raw):
    graphs = build(raw, directed=True)
    for graph, g in zip(graphs, raw, strict=True):
        pairs = [pair for pair in g.edges if pair[0] != pair[1]]
        assert list(map(tuple, graph.edges.tolist())) == sorted(set(pairs))
        for name in ("edge_labels", "edge_attributes"):
            if getattr(g, name) is not None:
                found = dict(zip(g.edges, getattr(g, name), strict=True))
                expected = [found[pair] for pair in sorted(set(pairs))]
                assert list(map(repr, expected)) == [
                    repr(list(x) if isinstance(x, np.ndarray) else x) for x in plain(graph, name)
                ]
    assert graphs.dropped.reversed == 0
    assert graphs.undirected() == build(raw)


def plain(graph, name):
    """The labels or attributes of a graph's edges as plain values."""
    values = getattr(graph, name)
    return [] if values is None else values if isinstance(values, list) else values.tolist()


def test_undirected_folds_opposite_edges_and_keeps_all_else():
    columns = {
        "node_names": list("abc"),
        "node_labels": [1, 2, 3],
        "edge_attribute_names": ["w"],
        "ids": ["one"],
    }
    pairs = [[0, 1], [1, 0], [2, 1]]
    graphs = Graphs([0, 3], [0, 3], pairs, edge_attributes=[1, 2, 3], directed=True, **columns)
    with pytest.raises(ValueError, match=r"edge 1 \(1, 0\) has the attributes \[2.0\], but"):
        graphs.undirected()
    assert graphs.undirected("sum") == Graphs(
        [0, 3], [0, 2], [[0, 1], [1, 2]], edge_attributes=[3, 3], **columns
    )
    assert graphs.undirected("max").undirected() == graphs.undirected("max")
    assert graphs.degrees.tolist() == [2, 3, 1]


def test_ids_are_given_and_taken_away():
    graphs = Graphs([0, 1, 2], [0, 0, 0], [])
    named = graphs.with_ids(["x", 7])
    assert [g.id for g in named] == ["x", 7]
    assert [g.id for g in named[::-1]] == [7, "x"]
    assert graphs[0].id is None
    assert named.with_ids(None) == graphs
    with pytest.raises(ValueError, match="ids has 1 entries, 2 are needed"):
        graphs.with_ids(["x"])


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
    assert repr(triangle(directed=True)[0]) == "Graph(3 vertices, 3 directed edges)"


def test_a_graph_equals_no_other_thing():
    (graph,) = Graphs.from_edge_lists([[(0, 1)]])
    assert graph == graph
    assert (graph == 3, graph == [(0, 1)], graph is None) == (False, False, False)
