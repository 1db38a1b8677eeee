"""From objects of PyTorch Geometric, and every refusal."""

import importlib.util
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grafik import Graphs
from grafik.graphs.convert.pyg_objects import NO_ID
from strategies import build, full_batches, raw_batches

# PyTorch Geometric; these objects have its attributes, with NumPy arrays for tensors


def to_pyg(graphs):
    result = []
    for g in graphs:
        pairs = np.concatenate([g.edges, g.edges[:, ::-1]]).T.astype(np.int64)
        data = SimpleNamespace(edge_index=pairs, num_nodes=g.n_nodes)
        if g.node_labels is not None:
            data.x = np.array(g.node_labels, np.int64)
        if g.edge_labels is not None:
            data.edge_type = np.array(g.edge_labels * 2, np.int64)
        if g.node_attributes is not None:
            data.pos = g.node_attributes
        if g.edge_attributes is not None:
            data.edge_attr = np.tile(g.edge_attributes, (2, 1))
        result.append(data)
    return result


@given(raw_batches(label=st.integers(-9, 9)).map(build))
def test_pyg_round_trip_is_the_identity(graphs):
    again = Graphs.from_pyg(to_pyg(graphs), on_invalid="raise", **pyg_names(graphs))
    for column in ("edges", "node_attributes", "edge_attributes"):
        assert np.array_equal(*(_rows(one, column) for one in (again, graphs)))
    assert list(again.node_labels or []) == list(graphs.node_labels or [])
    assert list(again.edge_labels or []) == list(graphs.edge_labels or [])


def _rows(graphs, column):
    found = getattr(graphs, column)
    return [] if found is None else found.tolist()


def pyg_names(graphs):
    """The tensors that a batch has, so that none is asked for in vain."""
    names = {"edge_attribute": "edge_attr", "node_attribute": "pos"}
    return {k: v for k, v in names.items() if getattr(graphs, k + "s") is not None}


# Written by to_pyg


class Tensor(np.ndarray):
    """Stands for a tensor."""


@pytest.fixture
def torch(monkeypatch):
    """Stand-ins for PyTorch and PyTorch Geometric, unless they are installed: ./run test-neural."""
    if importlib.util.find_spec("torch_geometric") is not None:
        return
    parts = {
        "torch": {"as_tensor": lambda array: array.view(Tensor)},
        "torch_geometric": {},
        "torch_geometric.data": {"Data": SimpleNamespace},
    }
    for name, content in parts.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)


once = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@once
@given(graphs=full_batches())
def test_what_to_pyg_writes_is_read_back(torch, graphs):
    again = Graphs.from_pyg(graphs.to_pyg())
    if len(graphs) == 0:
        return
    assert again == graphs
    for column in ("node_labels", "edge_labels", "node_names", "ids"):
        kinds = [list(map(type, getattr(one, column) or [])) for one in (again, graphs)]
        assert kinds[0] == kinds[1]


def test_to_pyg_writes_what_pyg_expects(torch):
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (1, 2)], [(0, 1)]],
        node_labels=[["C", "O", "C"], ["N", "C"]],
        edge_labels=[[1, 2], [2]],
        edge_attributes=[[0.5, 2], [3]],
        edge_attribute_names=["weight"],
        node_names=[["a", "b", "c"], ["d", "e"]],
        ids=["x", "y"],
    )
    first, second = graphs.to_pyg(np.array([1.5, 2.5]))
    assert str(first.edge_index.dtype).endswith("int64")
    assert first.edge_index.tolist() == [[0, 1, 1, 2], [1, 2, 0, 1]]
    assert first.num_nodes == 3
    assert [first.node_label_values[i] for i in first.x[:, 0].tolist()] == ["C", "O", "C"]
    assert first.x.shape == (3, 1)
    assert [first.edge_label_values[i] for i in first.edge_type.tolist()] == [1, 2, 1, 2]
    assert first.edge_weight.tolist() == [0.5, 2, 0.5, 2]
    assert second.node_names == ["d", "e"]
    assert (first.id, second.id) == ("x", "y")
    assert second.y.tolist() == [2.5]
    assert not hasattr(first, "directed")
    assert type(first.edge_index).__name__ == "Tensor"
    first.edge_weight[:] = 7  # a copy
    assert graphs.edge_attributes[0, 0] == 0.5


@pytest.mark.parametrize("names", [None, ("x", "y")])
def test_to_pyg_writes_names_of_attributes_that_have_some(torch, names):
    values = [[[1.0, 2.0], [3.0, 4.0]]]
    graphs = Graphs.from_edge_lists(
        [[(0, 1)]],
        node_attributes=values,
        edge_attributes=[values[0][:1]],
        node_attribute_names=names,
        edge_attribute_names=names,
    )
    (data,) = graphs.to_pyg()
    assert data.node_attributes.tolist() == values[0]
    assert data.edge_attributes.tolist() == [[1.0, 2.0]] * 2
    for kind in ("node", "edge"):
        assert hasattr(data, f"{kind}_attribute_names") == (names is not None)
        assert names is None or getattr(data, f"{kind}_attribute_names") == names


@pytest.mark.parametrize(
    ("ids", "written"),
    [
        (["x", "y"], [{"id": "x"}, {"id": "y"}]),
        (["x", None], [{"id": "x", NO_ID: False}, {"id": "", NO_ID: True}]),
        ([None, 7], [{"id": 0, NO_ID: True}, {"id": 7, NO_ID: False}]),
        ([None, None], [{NO_ID: True}, {NO_ID: True}]),
    ],
)
def test_to_pyg_says_which_graphs_have_no_id(torch, ids, written):
    graphs = Graphs.from_edge_lists([[(0, 1)]] * 2, ids=ids)
    data = graphs.to_pyg()
    for one, expected in zip(data, written, strict=True):
        names = [name for name in ("id", NO_ID) if hasattr(one, name)]
        assert {name: getattr(one, name) for name in names} == expected
    assert Graphs.from_pyg(data) == graphs


def test_to_pyg_keeps_directions(torch):
    graphs = Graphs.from_edge_lists([[(1, 0), (1, 2)]], directed=True)
    data = graphs.to_pyg()
    assert data[0].edge_index.tolist() == [[1, 1], [0, 2]]
    assert Graphs.from_pyg(data) == graphs
    assert Graphs.from_pyg(data, directed=False) == graphs.undirected()


def test_to_pyg_says_what_it_needs(torch, monkeypatch):
    graphs = Graphs.from_edge_lists([[(0, 1)]])
    with pytest.raises(ValueError, match=r"y must have shape \(1,\) or \(1, c\), got \(2,\)"):
        graphs.to_pyg([1, 2])
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="to_pyg needs torch, which is not installed: pip inst"):
        graphs.to_pyg()


def test_pyg_labels_must_count_the_values_that_are_there():
    data = pyg(np.array([[0], [2]]))
    data.node_label_values = ["C", "O"]
    with pytest.raises(ValueError, match="'x' must be integers that count the labels in"):
        Graphs.from_pyg(data)


def test_pyg_weights_are_read_by_default():
    data = pyg()
    data.edge_weight = np.array([2.5, 2.5])
    graphs = Graphs.from_pyg(data)
    assert graphs.edge_attribute_names == ("weight",)
    assert graphs.edge_attributes.tolist() == [[2.5]]
    assert Graphs.from_pyg(data, edge_attribute=None).edge_attributes is None
    data.edge_attr = np.array([[1.0, 2.0], [1.0, 2.0]])
    graphs = Graphs.from_pyg(data, edge_attribute=["edge_attr", "edge_weight"])
    assert graphs.edge_attribute_names == ("edge_attr[0]", "edge_attr[1]", "weight")


def test_pyg_directions():
    data = pyg(pairs=((0, 1), (2, 1)), n=3)
    assert Graphs.from_pyg(data, directed=True).edges.tolist() == [[0, 1], [2, 1]]
    assert Graphs.from_pyg(data, directed=False).edges.tolist() == [[0, 1], [1, 2]]


def pyg(x=None, pairs=((0, 1), (1, 0)), n=2):
    edge_index = np.array(pairs, np.int64).reshape(-1, 2).T
    return SimpleNamespace(edge_index=edge_index, num_nodes=n, **({} if x is None else {"x": x}))


def test_pyg_one_hot_rows_are_labels_and_integer_columns_tuples():
    assert Graphs.from_pyg(pyg(np.array([[0.0, 1.0], [1.0, 0.0]])))[0].node_labels == [1, 0]
    assert Graphs.from_pyg(pyg(np.array([[5, 1], [1, 0]])))[0].node_labels == [(5, 1), (1, 0)]
    assert Graphs.from_pyg(pyg(np.ones((2, 1))))[0].node_labels == [0, 0]
    assert Graphs.from_pyg([pyg(n=0, pairs=())]).n_nodes.tolist() == [0]


def test_pyg_reads_tensors_by_their_cpu_copy():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def detach(self):
            return self

        def cpu(self):
            return self.array

    data = SimpleNamespace(
        edge_index=Tensor(np.array([[0, 1], [1, 0]])), num_nodes=2, x=Tensor(np.array([3, 4]))
    )
    assert Graphs.from_pyg(data)[0].node_labels == [3, 4]


@pytest.mark.parametrize(
    ("graphs", "options", "message"),
    [
        ([pyg(np.ones((2, 2)))], {}, "'x' holds neither integers nor one-hot rows"),
        (
            [pyg(pairs=((0, 1),))],
            {},
            "graph 0 is directed: it has an edge from 0 to 1 and none back",
        ),
        ([pyg(np.array([1, 2])), pyg()], {}, "graph 1 has no 'x', but graph 0 has"),
        ([pyg(np.array([1, 2, 3]))], {}, r"graph 0: 'x' needs 2 rows, got shape \(3,\)"),
        ([pyg(np.eye(2)), pyg(np.eye(3)[:2])], {}, "graph 1: 'x' has 3 columns, others have 2"),
    ],
)
def test_pyg_refusals(graphs, options, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_pyg(graphs, **options)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (SimpleNamespace(edge_index=None, num_nodes=2), "graph 0: edge_index must be .* got None"),
        (SimpleNamespace(edge_index=np.zeros((4, 2), int), num_nodes=4), r"shape \(4, 2\)"),
        (
            SimpleNamespace(edge_index=np.zeros((2, 1)), num_nodes=4),
            "graph 0: edge_index .*float64",
        ),
        (SimpleNamespace(edge_index=np.zeros((2, 1), int), num_nodes=None), "num_nodes must be a"),
        (
            SimpleNamespace(edge_index=np.array([[0, 1], [1, 2**63]], "u8"), num_nodes=2),
            r"graph 0, edge 1 \(1, 9223372036854775808\): there is no vertex 92.*8; .* from 0 to 1",
        ),
        (
            SimpleNamespace(edge_index=np.array([[2**63 - 1], [0]]), num_nodes=2),
            r"graph 0, edge 0 .*: there is no vertex 9223372036854775807; .* from 0 to 1",
        ),
        (
            SimpleNamespace(edge_index=np.array([[0], [0]]), num_nodes=0),
            r"graph 0, edge 0 \(0, 0\): there is no vertex 0; the graph has no vertices",
        ),
        (
            SimpleNamespace(edge_index=np.zeros((2, 1), int), num_nodes=2, ptr=[0, 1, 2]),
            r"graph 0 is a Batch of several graphs; pass batch.to_data_list\(\)",
        ),
    ],
)
def test_pyg_refuses_what_is_not_one_graph(data, message):
    with pytest.raises(ValueError, match=message):
        Graphs.from_pyg([data])


def test_pyg_tells_of_a_name_that_nothing_has():
    with pytest.warns(UserWarning, match="no graph has 'typo'"):
        assert Graphs.from_pyg([pyg()], edge_attribute="typo").edge_attributes is None


def test_pyg_graphs_without_vertices_need_no_labels():
    graphs = Graphs.from_pyg([pyg(n=0, pairs=()), pyg(np.array([1, 2]))])
    assert graphs.n_nodes.tolist() == [0, 2]


def test_directed_pyg_graphs_can_be_folded():
    assert len(Graphs.from_pyg(pyg(pairs=((0, 1),)), fold="first").edges) == 1


@given(raw_batches(label=st.integers(-9, 9)).map(build))
def test_real_pyg_data(graphs):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    data = pytest.importorskip("torch_geometric.data", reason="PyTorch Geometric is not installed")
    tensors = [
        data.Data(**{k: torch.tensor(v) if k != "num_nodes" else v for k, v in vars(d).items()})
        for d in to_pyg(graphs)
    ]
    assert Graphs.from_pyg(tensors, **pyg_names(graphs)).edges.tolist() == graphs.edges.tolist()
