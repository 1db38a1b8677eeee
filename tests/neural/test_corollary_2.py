"""Corollary 2: a network that sees the filtration graphs tells all graphs apart, for some weight.

Networks have random weights, in double precision. Copies of a graph with other orders of vertices
differ in the last bits alone, because sums are taken in another order: by less than `LAST_BITS` of
the largest output. Different graphs differ by more than `APART`. Between the two lie five orders of
magnitude in which nothing may lie. Seen were at most 2e-14 and at least 6e-6.
"""

from itertools import combinations

import numpy as np
import pytest

import naive
from grafik import Filtration, Graphs, datasets

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./run test-neural")

from grafik.neural import FiltrationGIN  # noqa: E402

LAST_BITS, APART = 1e-12, 1e-7
# Depth 1 decides with canonical levels (Theorem 3). Without a filtration, more rounds tell more
# apart, but no more than there are vertices.
CANONICAL = {"weight": "canonical", "thresholds": "distinct", "n_layers": 1}
PLAIN = {"weight": "degree", "n_levels": 1, "n_layers": 6}


def outputs(graphs, n_layers, seed=0, **options):
    """Outputs of a random network for all graphs, divided by the largest."""
    filtration = Filtration(**options)
    levels = torch.as_tensor(filtration.fit_levels(graphs)).long()
    graph_of = torch.arange(len(graphs)).repeat_interleave(torch.as_tensor(graphs.n_nodes))
    starts = np.repeat(graphs.node_ptr[:-1], graphs.n_edges)
    edges = torch.as_tensor((graphs.edges + starts[:, None]).T)
    torch.manual_seed(seed)
    sizes = {"hidden_channels": 4, "n_layers": n_layers}
    network = FiltrationGIN(1, 4, filtration.n_levels_, **sizes).double().eval()
    with torch.inference_mode():
        found = network(
            torch.ones(len(graph_of), 1, dtype=torch.float64),
            torch.cat([edges, edges.flip(0)], 1),
            torch.cat([levels, levels]),
            graph_of,
            len(graphs),
        ).numpy()
    return found / np.abs(found).max()


def permuted(graphs, seed=0):
    random = np.random.default_rng(seed)
    orders = [random.permutation(n) for n in graphs.n_nodes]
    edges = [order[graph.edges].tolist() for order, graph in zip(orders, graphs, strict=True)]
    return Graphs.from_edge_lists(edges, graphs.n_nodes.tolist())


def distance(one, other):
    return np.abs(one - other).max()


@pytest.fixture(scope="module")
def atlas():
    graphs = datasets.atlas()[0]
    return graphs[np.flatnonzero(graphs.n_nodes <= 6)]


@pytest.fixture(scope="module")
def hard():
    return Graphs.concat([datasets.wl_hard()[0], datasets.triangle_pair()[0]])


@pytest.fixture(scope="module")
def brec(data):
    if not (data / "BREC" / "pairs.tsv").is_file():
        pytest.skip("no BREC/pairs.tsv among the data sets")
    graphs, _ = datasets.brec(data / "BREC" / "pairs.tsv")
    return [graphs[i : i + 2] for i in range(0, len(graphs), 2)]


@pytest.mark.parametrize("family", ["atlas", "hard"])
@pytest.mark.parametrize("seed", [0, 1])
def test_canonical_levels_tell_all_graphs_apart_and_no_copies(family, seed, request):
    pytest.importorskip("igraph")
    graphs = request.getfixturevalue(family)
    n = len(graphs)
    found = outputs(Graphs.concat([graphs, permuted(graphs, seed)]), seed=seed, **CANONICAL)
    assert max(distance(found[i], found[n + i]) for i in range(n)) < LAST_BITS
    assert min(distance(found[i], found[j]) for i, j in combinations(range(n), 2)) > APART


def test_canonical_levels_tell_the_pairs_of_brec_apart_and_no_copies(brec):
    pytest.importorskip("igraph")
    for number, pair in enumerate(brec):
        both = Graphs.concat([pair, permuted(pair[:1], number)])
        one, other, copy = outputs(both, **CANONICAL)
        assert distance(one, other) > APART, number
        assert distance(one, copy) < LAST_BITS, number


@pytest.mark.parametrize("family", ["atlas", "hard"])
@pytest.mark.parametrize("seed", [0, 1])
def test_one_level_tells_apart_exactly_what_weisfeiler_lehman_does(family, seed, request):
    graphs = request.getfixturevalue(family)
    found = outputs(graphs, seed=seed, **PLAIN)
    colours = naive.stable_colours([(g.n_nodes, g.edges.tolist()) for g in graphs])
    n_equal = 0
    for i, j in combinations(range(len(graphs)), 2):
        if colours[i] == colours[j]:
            assert distance(found[i], found[j]) < LAST_BITS, (i, j)
            n_equal += 1
        else:
            assert distance(found[i], found[j]) > APART, (i, j)
    assert n_equal > 0


def test_one_level_tells_no_pair_of_brec_apart_as_weisfeiler_lehman(brec):
    for number, pair in enumerate(brec):
        one, other = naive.stable_colours([(g.n_nodes, g.edges.tolist()) for g in pair])
        assert one == other
        assert distance(*outputs(pair, **PLAIN)) < LAST_BITS, number
