"""Persistence of labels, against union-find by the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_baselines
from baseline_definitions import depths, gram, plain, raw
from grafik import Graphs, datasets
from grafik.baselines import WL, CoreWL, PersistentWL
from grafik.baselines.persistent_wl_loops import add_multiset_distances
from grafik.graphs.label_hashes import wl_labels
from strategies import build


@settings(max_examples=150)
@given(
    raw,
    st.integers(0, 2),
    st.sampled_from([1, 2]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_persistence_by_union_find(batch, depth, p, tau, uniform, cycles, counts):
    graphs = build(batch)
    hashes = wl_labels(graphs, depth, None)
    features = []
    for i, graph in enumerate(plain(batch)):
        order = hashes[:, graphs.node_ptr[i] : graphs.node_ptr[i + 1]].tolist()
        options = depth, p, tau, uniform, cycles, counts
        features.append(naive_baselines.persistent_features(*graph, order, *options))
    metric = "uniform" if uniform else "minkowski"
    kernel = PersistentWL(depth, p=p, tau=tau, metric=metric, cycles=cycles, counts=counts)
    found = kernel.fit_transform(build(batch))
    np.testing.assert_allclose(found, gram(features, naive_baselines.dot), rtol=1e-12, atol=1e-12)


@given(raw, depths)
def test_labels_of_vertices_are_those_of_the_definition(batch, depth):
    hashes = wl_labels(build(batch), depth, 2)
    for d in range(depth + 1):
        written = [label for g in plain(batch) for label in naive.wl_labels(*g, d)]
        pairs = set(zip(hashes[d].tolist(), written, strict=True))
        assert len(pairs) == len(set(written)) == len(set(hashes[d].tolist()))


@given(raw, depths)
def test_uniform_persistence_is_the_subtree_kernel(batch, depth):
    graphs = build(batch)
    uniform = PersistentWL(depth, metric="uniform").fit_transform(graphs)
    assert np.array_equal(uniform, WL(depth).fit_transform(graphs))


def test_persistence_by_hand():
    """A triangle a, a, b with a tail c at b, without rounds: weights 1, 2, 2 and 2."""
    graphs = Graphs.from_edge_lists([[(0, 1), (0, 2), (1, 2), (2, 3)]], node_labels=[list("aabc")])
    # One a ends at 1; of a, b and c two end at 2, and the last never does, which is 2 as well.
    assert PersistentWL(0).fit_transform(graphs).tolist() == [[3**2 + 2**2 + 2**2]]
    # One of the two edges between a and b closes the triangle, at 2.
    cycles = PersistentWL(0, cycles=True).fit_transform(graphs)
    assert cycles.tolist() == [[3**2 + 2**2 + 2**2 + 2**2 + 2**2]]
    squared = PersistentWL(0, p=2).fit_transform(graphs)
    assert squared.tolist() == [[5**2 + 4**2 + 4**2]]


def test_persistence_tells_graphs_apart_that_subtrees_do_not():
    graphs = datasets.wl_hard("decalin")[0]
    alike = WL(5, normalize=True).fit_transform(graphs)
    assert alike[0, 1] == pytest.approx(1.0)
    longer = Graphs.from_edge_lists(
        [
            [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)],
            [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)],
        ]
    )
    assert WL(3, normalize=True).fit_transform(longer)[0, 1] == pytest.approx(1.0)
    cycles = PersistentWL(3, cycles=True, normalize=True).fit_transform(longer)
    assert cycles[0, 1] < 0.99


def test_a_star_with_many_leaves_takes_no_quadratic_time():
    n = 100_000
    edges = np.column_stack([np.zeros(n - 1, int), np.arange(1, n)])
    star = Graphs([0, n], [0, n - 1], edges, node_labels=np.arange(n))
    assert PersistentWL(2, cycles=True).fit_transform(star)[0, 0] > 0
    assert CoreWL(1).fit_transform(star)[0, 0] > 0


def test_a_raised_flag_leaves_weights_as_they_are():
    ends, around = np.array([[0, 1]]), np.array([7, 8], np.uint64)
    weights = np.ones(1)
    for raised, wanted in ((1, 1.0), (0, 3.0)):
        flag = np.full(1, raised, np.uint8)
        add_multiset_distances(np.array([0, 1, 2]), around, ends, 1, weights, flag)
        assert weights.tolist() == [wanted]
