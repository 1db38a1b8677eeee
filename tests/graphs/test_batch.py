"""A batch of graphs: frozen arrays, and a sequence that is indexed, joined, compared and copied."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik import Graph, Graphs
from strategies import batches, build, raw_batches


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
