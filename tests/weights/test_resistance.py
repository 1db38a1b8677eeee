"""Effective resistance: a function of the exact fraction, whatever floats say."""

from fractions import Fraction
from math import floor

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import naive_weights as naive
from grafik import Graphs, datasets
from grafik.weights import Resistance, long_work, resistance
from grafik.weights.display import is_small_first
from weighted_graphs import by_definition, larger, one_graph, permuted, random_edges


def rounded(fractions, bits=30):
    return [floor(fraction * 2**bits + Fraction(1, 2)) / 2**bits for fraction in fractions]


def always_exact(monkeypatch):
    """Let no float be good enough."""
    monkeypatch.setattr(resistance, "_error_bounds", lambda circuit, *_: np.inf)


@given(graphs=larger)
def test_resistance_matches_its_definition(graphs):
    expected = rounded(by_definition(naive.resistance, graphs))
    assert Resistance(first="large")(graphs).tolist() == expected
    assert_array_equal(Resistance()(graphs), 0.0 - np.array(expected))


@given(st.integers(2, 11), st.sampled_from([0.2, 0.3, 0.5, 1.0]), st.integers(0, 2**32))
def test_resistance_of_larger_graphs_matches_its_definition(n, density, seed):
    graphs = one_graph(random_edges(n, density, seed), n)
    expected = rounded(by_definition(naive.resistance, graphs))
    assert Resistance("large")(graphs).tolist() == expected


@given(n=st.integers(3, 10), density=st.sampled_from([0.3, 0.6]), seed=st.integers(0, 2**32))
def test_exact_steps_match_the_definition(n, density, seed):
    graphs = one_graph(random_edges(n, density, seed), n)
    with pytest.MonkeyPatch.context() as patch:
        always_exact(patch)
        found = Resistance("large")(graphs).tolist()
    assert found == rounded(by_definition(naive.resistance, graphs))


@pytest.mark.parametrize("bits", [1, 2, 3, 7])
def test_the_middle_between_two_steps_is_rounded_up(bits, monkeypatch):
    monkeypatch.setattr(resistance, "_BITS", bits)
    # An edge of a ring of n has the resistance 1 - 1 / n, which is a middle if n = 2 ** (bits + 1).
    sizes = [3, 4, 7, 8, 9, 15, 16, 17, 2**8]
    for n in sizes:
        graphs = Graphs.from_networkx([nx.cycle_graph(n)])
        expected = rounded([1 - Fraction(1, n)], bits)
        assert set(Resistance("large")(graphs).tolist()) == set(expected)
    two_rings = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 6), (6, 0)]
    expected = rounded([Fraction(3, 4)], bits)
    assert set(Resistance("large")(one_graph(two_rings, 7)).tolist()) == set(expected)


def test_a_middle_is_known_although_voltages_are_no_binary_fractions(monkeypatch):
    """Between 6 vertices, of which 2 pairs are not joined, some resistances are 3 / 8.

    With a step of 1 / 4 that is a middle, but some of the voltages are thirds: no number of digits
    shows on which side of the middle the result is.
    """
    monkeypatch.setattr(resistance, "_BITS", 2)
    pairs = [(u, v) for v in range(6) for u in range(v) if (u, v) not in ((1, 4), (2, 5))]
    graphs = one_graph(pairs, 6)
    fractions = by_definition(naive.resistance, graphs)
    assert Fraction(3, 8) in fractions
    assert Resistance("large")(graphs).tolist() == rounded(fractions, 2)


def test_a_poor_inverse_only_takes_longer(monkeypatch):
    """With a tenth of each correction, a hundred of them are too few for 64 more digits."""

    def slowly(circuit, laplacian, inverse, edge):
        return original(circuit, laplacian, 0.1 * inverse, edge)

    original = resistance._exact_step
    monkeypatch.setattr(resistance, "_exact_step", slowly)
    always_exact(monkeypatch)
    graphs = one_graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 0)], 5)
    expected = rounded(by_definition(naive.resistance, graphs))
    assert Resistance("large")(graphs).tolist() == expected


def test_networkx_agrees():
    graphs, _ = datasets.random_graphs(3, n_nodes=(10, 20), density=(0.1, 0.5), random_state=1)
    expected = []
    for one, graph in zip(graphs, graphs.to_networkx(), strict=True):
        for u, v in one.edges.tolist():
            part = graph.subgraph(nx.node_connected_component(graph, u))
            expected.append(nx.resistance_distance(part, u, v))
    assert_allclose(Resistance("large")(graphs), expected, atol=1e-9)


def test_resistances_add_up_to_the_size_of_spanning_forests():  # Foster's theorem
    lists = [random_edges(n, 5 / n, n) for n in (10, 50, 200, 400)]
    graphs = Graphs.from_edge_lists(lists, [10, 50, 200, 400])
    values = Resistance("large")(graphs)
    sums = [part.sum() for part in np.split(values, graphs.edge_ptr[1:-1])]
    expected = [len(g) - nx.number_connected_components(g) for g in graphs.to_networkx()]
    assert_allclose(sums, expected, atol=1e-6)


def symmetric_graphs():
    """Graphs in which many resistances are equal, but are computed in different ways."""
    kinds = [nx.petersen_graph(), nx.hypercube_graph(4), nx.grid_2d_graph(4, 5), nx.wheel_graph(9)]
    kinds += [nx.circulant_graph(12, [1, 4]), nx.ladder_graph(15), nx.barbell_graph(5, 3)]
    kinds += [nx.complete_bipartite_graph(3, 6), nx.dodecahedral_graph(), nx.tutte_graph()]
    kinds += [nx.random_regular_graph(4, 24, seed=s) for s in range(5)]
    kinds += [nx.gnp_random_graph(14, 0.3, seed=s) for s in range(5)]
    return Graphs.from_networkx([nx.convert_node_labels_to_integers(g) for g in kinds])


def test_no_bit_changes_in_ten_thousand_permuted_graphs():
    copies = 100
    one = symmetric_graphs()
    many = Graphs.concat([one] * copies)
    expected = np.tile(Resistance()(one), copies)
    rng = np.random.default_rng(0)
    for _ in range(5):
        other, rows = permuted(many, rng)
        assert_array_equal(Resistance()(other)[rows], expected)
    assert 5 * len(many) == 10_000


def test_exact_steps_change_no_bit_of_larger_graphs(monkeypatch):
    graphs = Graphs.from_networkx(
        [nx.random_regular_graph(3, 40, seed=0), nx.cycle_graph(50), nx.complete_graph(20)]
    )
    expected = Resistance()(graphs)
    always_exact(monkeypatch)
    assert_array_equal(Resistance()(graphs), expected)


def test_long_rings_whose_floats_are_poor_are_exact():
    found = Resistance("large")(Graphs.from_networkx([nx.cycle_graph(300)]))
    assert set(found.tolist()) == set(rounded([1 - Fraction(1, 300)]))


@given(graphs=larger)
def test_a_graph_has_the_same_weights_alone_and_in_a_batch(graphs):
    alone = [Resistance()(graphs[i : i + 1]) for i in range(len(graphs))]
    assert_array_equal(np.concatenate([[], *alone]), Resistance()(graphs))


def test_large_stars_and_paths():
    leaves = 10_000
    star = np.column_stack([np.zeros(leaves, int), np.arange(1, leaves + 1)])
    n = 200_000
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    triangle_with_tail = np.concatenate([path, [[0, 2]]])
    graphs = Graphs.from_edge_lists([star, path, triangle_with_tail])
    found = Resistance("large")(graphs)
    assert (found < 1).sum() == 3
    assert set(found.tolist()) == {1.0, *rounded([Fraction(2, 3)])}


def test_hopeless_work_is_refused_before_it_begins():
    ring = np.column_stack([np.arange(20_000), np.roll(np.arange(20_000), -1)])
    graphs = Graphs.from_edge_lists([[(0, 1)], ring])
    with pytest.raises(ValueError, match=r"Resistance\(\) would take .* on graph 1, .*betweenness"):
        Resistance()(graphs)


def test_too_large_matrices_are_refused(monkeypatch):
    monkeypatch.setattr(long_work, "LIMIT", np.inf)
    n = 10**6
    ring = np.column_stack([np.arange(n), np.roll(np.arange(n), -1)])
    with pytest.raises(MemoryError, match=r"the weight Resistance\(\) takes 32.0 TB"):
        Resistance()(Graphs.from_edge_lists([ring]))


def test_small_resistances_come_first():
    assert is_small_first("resistance")
    assert not is_small_first(Resistance(first="large"))
    assert clone(Resistance("large")).get_params() == {"first": "large"}
    with pytest.raises(ValueError, match="first must be one of 'small', 'large', got 'big'"):
        Resistance("big")(one_graph([(0, 1)], 2))


def test_directed_graphs_are_refused():
    with pytest.raises(ValueError, match="the weight 'resistance' takes undirected graphs"):
        Resistance()(one_graph([(0, 1)], 2, directed=True))
