"""AddFiltration: the level of every edge of PyTorch Geometric's graphs, and all else unchanged."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.exceptions import NotFittedError

import naive
import naive_weights
from grafik import Filtration, Graphs, datasets
from strategies import build, raw_batches

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./run test-neural")
pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed")

from torch_geometric.data import Data  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402
from torch_geometric.transforms import Compose, ToUndirected  # noqa: E402

from grafik.neural import AddFiltration, FiltrationGIN  # noqa: E402


@given(raw_batches(max_graphs=3).filter(len))
def test_levels_are_those_of_the_definition_in_both_directions(raw):
    graphs = build(raw)
    transform = AddFiltration("degree", "distinct").fit(graphs.to_pyg())
    alphas = transform.filtration_.alphas_.tolist()
    for data, graph in zip(transform(graphs.to_pyg()), graphs, strict=True):
        edges = naive.simple_edges(graph.edges.tolist())
        own = naive.levels(naive_weights.degree(graph.n_nodes, edges), alphas)
        found = dict(zip(edges, own, strict=True))
        pairs = [tuple(sorted(pair)) for pair in data.edge_index.T.tolist()]
        assert data.edge_level.tolist() == [found[pair] for pair in pairs]
        assert data.edge_level.dtype == torch.int64


def test_one_graph_is_as_many():
    graphs, y = datasets.wl_hard()
    many = graphs.to_pyg(y)
    transform = AddFiltration("triangles", n_levels=2).fit(many)
    for one, other in zip(transform(many), map(transform, many), strict=True):
        assert torch.equal(one.edge_level, other.edge_level)
    assert transform(many[:0]) == []


def test_nothing_else_is_changed_and_the_graph_is_read_back():
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (1, 2)], [(0, 1)]],
        node_labels=[["C", "O", "C"], ["N", "C"]],
        edge_labels=[[1, 2], [2]],
        ids=["a", "b"],
    )
    given = graphs.to_pyg()
    found = AddFiltration(n_levels=2).fit(given)(given)
    assert not any(hasattr(data, "edge_level") for data in given)
    assert Graphs.from_pyg(found) == graphs
    assert [set(new.keys()) - set(old.keys()) for new, old in zip(found, given, strict=True)] == [
        {"edge_level"}
    ] * 2


def test_self_loops_enter_first_and_repetitions_with_their_edge():
    data = Data(edge_index=torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 2, 1]]), num_nodes=3)
    data.edge_weight = torch.tensor([1.0, 1.0, 5.0, 5.0, 9.0, 1.0])
    found = AddFiltration("attribute", "distinct").fit(data)(data)
    assert found.edge_level.tolist() == [1, 1, 0, 0, 0, 1]


@pytest.mark.parametrize("weight", ["degree", "triangles"])
def test_edge_weights_that_are_not_used_may_be_anything(weight):
    data = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    expected = AddFiltration(weight).fit(data)(data).edge_level
    for odd in ([1.0, 2.0, 3.0, 4.0], [np.nan, np.nan, np.inf, 1.0], [1.0]):
        data.edge_weight = torch.tensor(odd)
        assert torch.equal(AddFiltration(weight).fit(data)(data).edge_level, expected)
        with pytest.raises(ValueError, match="edge"):
            AddFiltration("attribute").fit(data)


@pytest.mark.parametrize("ids", [["a", None, "c"], [None, "b", None], [None] * 3])
def test_graphs_without_an_id_go_through_a_loader(ids):
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)], [(0, 1)]], ids=ids)
    assert Graphs.from_pyg(graphs.to_pyg()).ids == graphs.ids
    (batch,) = DataLoader(AddFiltration().fit(graphs.to_pyg())(graphs.to_pyg()), batch_size=3)
    again = Graphs.from_pyg(batch.to_data_list())
    assert again.ids == graphs.ids
    assert again == graphs


def test_directions_count_where_they_are_asked_for():
    data = Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 2]]), num_nodes=3)
    data.edge_weight = torch.tensor([1.0, 2.0, 3.0])
    transform = AddFiltration("attribute", "distinct", directed=True).fit(data)
    assert transform(data).edge_level.tolist() == [2, 1, 0]
    with pytest.raises(ValueError, match="graph 0"):
        AddFiltration().fit(data)


def test_features_of_any_kind_are_left_alone_but_labels_can_be_read():
    graphs = Graphs.from_edge_lists([[(0, 1), (1, 2)]] * 2, node_labels=[[0, 0, 1], [1, 0, 0]])
    pytest.importorskip("igraph")
    data = graphs.to_pyg()
    for one in data:
        del one.node_label_values
        one.x = torch.nn.functional.one_hot(one.x[:, 0], 2).float()
    read = AddFiltration("canonical", "distinct", node_label="x").fit(data)
    expected = Filtration("canonical", "distinct").fit_levels(graphs)
    assert torch.cat([one.edge_level[:2] for one in read(data)]).tolist() == expected.tolist()
    for one in data:
        one.x = torch.randn(3, 5)
    AddFiltration().fit(data)
    with pytest.raises(ValueError, match="'x' holds neither integers nor one-hot rows"):
        read(data[0])


def test_unfitted_and_other_things_are_refused():
    graphs = datasets.triangle_pair()[0].to_pyg()
    with pytest.raises(NotFittedError):
        AddFiltration()(graphs[0])
    with pytest.raises(NotFittedError):
        AddFiltration().n_levels_  # noqa: B018
    transform = AddFiltration().fit(graphs)
    with pytest.raises(ValueError, match=r"pass batch.to_data_list\(\)"):
        transform(next(iter(DataLoader(graphs, batch_size=2))))
    with pytest.raises(ValueError, match="n_levels must be an integer of at least 1"):
        AddFiltration(n_levels=0).fit(graphs)


def test_it_is_a_transform_among_others_and_batches_have_its_levels():
    graphs, y = datasets.csl(skips=(2, 3), copies=2)
    transform = AddFiltration("walks", n_levels=3).fit(graphs.to_pyg())
    several = Compose([ToUndirected(), transform])
    data = [several(one) for one in graphs.to_pyg(y)]
    batch = next(iter(DataLoader(data, batch_size=4)))
    assert torch.equal(batch.edge_level, torch.cat([one.edge_level for one in data]))
    assert repr(transform) == "AddFiltration('walks', 'auto', n_levels=3)"
    torch.manual_seed(0)
    network = FiltrationGIN(1, 2, transform.n_levels_).double().eval()
    x = torch.ones(batch.num_nodes, 1, dtype=torch.float64)
    found = network(x, batch.edge_index, batch.edge_level, batch.batch).detach().numpy()
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)  # copies of one graph
    assert np.abs(found[0] - found[2]).max() > 1e-6
