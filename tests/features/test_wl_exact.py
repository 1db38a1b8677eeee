"""Exact labels: the hashed ones where nothing collides, and kept apart where hashes do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from filtered_graphs import filtered, plain, renaming
from grafik import Filtration, datasets
from grafik.features import WeisfeilerLehman
from grafik.features import wl_exact as exact_labels


@given(filtered(), st.integers(0, 3), st.sampled_from(["auto", False]))
def test_exact_labels_are_the_hashed_ones_where_nothing_collides(case, depth, edge_labels):
    graphs, filtration = case
    hashed = WeisfeilerLehman(depth, edge_labels).histograms(graphs, filtration)
    exact = WeisfeilerLehman(depth, edge_labels, exact=True).histograms(graphs, filtration)
    for i in range(len(graphs)):
        assert {f: c.tolist() for f, c in hashed[i].items()} == {
            f: c.tolist() for f, c in exact[i].items()
        }


@given(filtered())
def test_exact_labels_stay_apart_when_hashes_collide(case):
    """With hashes of three bits nearly all collide at first, and none at the end."""
    graphs, filtration = case
    original = exact_labels._entry
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_labels, "_entry", lambda d, what, hashed: original(d, what, hashed & 7))
        found = WeisfeilerLehman(2, exact=True).histograms(graphs, filtration)
    renaming([found[i] for i in range(len(graphs))], plain(graphs, filtration, 2))


def test_a_taken_hash_is_replaced_by_another():
    dictionary = {}
    first = exact_labels._entry(dictionary, (1, 5, ()), 42)
    second = exact_labels._entry(dictionary, (1, 6, ()), 42)
    assert first == 42 != second
    assert exact_labels._entry(dictionary, (1, 6, ()), 42) == second
    assert exact_labels._entry(dictionary, (2, 6, ()), 42) == 42  # another depth, another feature


def test_new_graphs_share_the_exact_labels_of_known_ones():
    graphs, _ = datasets.random_graphs(6, n_nodes=8, density=0.4, n_labels=2)
    filtration = Filtration(n_levels=2).fit(graphs)
    extractor = WeisfeilerLehman(2, exact=True)
    whole = extractor.histograms(graphs, filtration)
    known = extractor.histograms(graphs[:3], filtration)
    size = len(known.dictionary)
    new = extractor.histograms(graphs[3:], filtration, known=known)
    assert len(known.dictionary) == size
    for i in range(3):
        assert new[i].keys() == whole[i + 3].keys()
