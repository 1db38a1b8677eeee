"""Made-up graphs look like what they stand for, and are the same in every run."""

import numpy as np
import pytest

from benchmarks import inputs


def test_fewer_molecules_are_the_first_of_more():
    graphs, y = inputs.read_with_classes("molecules:2300")
    few, z = inputs.read_with_classes("molecules:1000")
    assert len(graphs) == len(y) == 2300
    assert graphs[:1000] == few
    assert (y[:1000] == z).all()
    assert 23 < graphs.n_nodes.mean() < 27
    assert 2 < graphs.degrees.mean() < 2.3
    assert 0.3 < y.mean() < 0.7


def test_classes_of_molecules_can_be_learned_but_not_by_size_alone():
    graphs, y = inputs.read_with_classes("molecules:1000")
    assert abs(np.corrcoef(graphs.n_nodes, y)[0, 1]) < 0.3
    hetero = np.isin(np.array(graphs.node_labels), ["N", "O"])
    share = np.add.reduceat(hetero, graphs.node_ptr[:-1]) / graphs.n_nodes
    assert np.corrcoef(share, y)[0, 1] > 0.3


def test_proteins_are_like_those_of_dd():
    graphs = inputs.read("proteins:60")
    assert graphs == inputs.read("proteins:60")
    assert graphs.n_nodes[0] == 5748
    assert 200 < np.median(graphs.n_nodes) < 280
    assert 4.5 < graphs.degrees.mean() < 5.5
    assert graphs.degrees.max() < 20
    assert len(set(graphs.node_labels.values)) == 89
    # Neighbours in space have neighbours in common, those in a random graph do not.
    one = graphs[1:2].to_networkx()[0]
    assert sum(bool(set(one[u]) & set(one[v])) for u, v in one.edges) > 0.5 * len(one.edges)


@pytest.mark.parametrize("n", [50, 2000])
def test_networks_have_three_times_as_many_edges_as_vertices(n):
    graphs = inputs.read(f"network:{n}")
    assert (graphs.n_nodes.tolist(), graphs.n_edges.tolist()) == ([n], [3 * n])
    assert graphs == inputs.read(f"network:{n}")


def test_made_graphs_are_never_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("GRAFIK_DATA", str(tmp_path))
    assert inputs.missing("proteins") is None
    assert inputs.missing("network:10") is None
    assert inputs.missing("DD") == "no folder DD in GRAFIK_DATA"


def test_those_to_warm_up_on_come_from_all_over():
    assert list(range(100))[inputs.spread(100, 20)] == list(range(0, 100, 5))
    assert list(range(3))[inputs.spread(3, 20)] == [0, 1, 2]
