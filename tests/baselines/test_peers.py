"""Values of the baselines, against GraKeL."""

import numpy as np
import pytest

from grafik import datasets
from grafik.baselines import WL, CoreWL, ShortestPath, VEHist, WLOptimalAssignment

grakel = pytest.importorskip("grakel", reason="GraKeL has no wheels for this Python")


def for_grakel(graphs):
    """Both directions of all edges, with a label 1 where there is none."""
    result = []
    for graph in graphs:
        kinds = graph.edge_labels or [1] * graph.n_edges
        edges, labels = {v: {} for v in range(graph.n_nodes)}, {}
        for (u, v), kind in zip(graph.edges.tolist(), kinds, strict=True):
            edges[u][v] = edges[v][u] = 1.0
            labels[u, v] = labels[v, u] = kind
        result.append((edges, dict(enumerate(graph.node_labels)), labels))
    return result


@pytest.fixture(scope="module", params=["MUTAG", "PTC_MR", "ENZYMES"])
def both(request, data):
    graphs, _ = datasets.read_tu(data / request.param)
    graphs = graphs[:: max(1, len(graphs) // 200)]  # GraKeL takes long for all of them
    return graphs, for_grakel(graphs)


@pytest.mark.filterwarnings("ignore")
def test_grakel_vertex_and_edge_histograms(both):
    graphs, peers = both
    vertices = grakel.VertexHistogram().fit_transform(peers)
    edges = grakel.EdgeHistogram().fit_transform(peers)  # of both directions
    assert np.array_equal(VEHist().fit_transform(graphs), vertices + edges / 4)


@pytest.mark.filterwarnings("ignore")
def test_grakel_shortest_paths(both):
    graphs, peers = both
    expected = grakel.ShortestPath(with_labels=True).fit_transform(peers)
    assert np.array_equal(ShortestPath().fit_transform(graphs), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("depth", [1, 5])
def test_grakel_subtrees(both, depth):
    graphs, peers = both
    base = grakel.VertexHistogram
    expected = grakel.WeisfeilerLehman(n_iter=depth, base_graph_kernel=base).fit_transform(peers)
    assert np.array_equal(WL(depth).fit_transform(graphs), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("depth", [1, 5])
def test_grakel_optimal_assignment(both, depth):
    graphs, peers = both
    if depth > 1:  # GraKeL takes long for all of them
        graphs, peers = graphs[::4], peers[::4]
    expected = grakel.WeisfeilerLehmanOptimalAssignment(n_iter=depth).fit_transform(peers)
    assert np.array_equal(WLOptimalAssignment(depth).fit_transform(graphs), expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("depth", [1, 5])
def test_grakel_subtrees_of_cores(both, depth):
    graphs, peers = both
    base = (grakel.WeisfeilerLehman, {"n_iter": depth, "base_graph_kernel": grakel.VertexHistogram})
    expected = grakel.CoreFramework(base_graph_kernel=base).fit_transform(
        [grakel.Graph(*peer[:2]) for peer in peers]
    )
    assert np.array_equal(CoreWL(depth).fit_transform(graphs), expected)


@pytest.mark.filterwarnings("ignore")
def test_grakel_normalised_and_out_of_sample(both):
    graphs, peers = both
    theirs = grakel.WeisfeilerLehman(n_iter=2, normalize=True)
    train = theirs.fit_transform(peers[:100])
    test = theirs.transform(peers[100:150])
    ours = WL(2, normalize=True)
    np.testing.assert_allclose(ours.fit_transform(graphs[:100]), train, rtol=1e-14)
    np.testing.assert_allclose(ours.transform(graphs[100:150]), test, rtol=1e-14)
