"""Weisfeiler-Lehman labels: those of the definition for any order of vertices, no collisions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from filtered_graphs import Levels, filtered, plain, renaming, sorted_columns
from grafik import Filtration, Graphs, datasets
from grafik.features import WeisfeilerLehman, weisfeiler_lehman


@given(filtered(), st.integers(0, 3), st.sampled_from(["auto", False]))
def test_labels_are_those_of_the_definition(case, depth, edge_labels):
    graphs, filtration = case
    extractor = WeisfeilerLehman(depth, edge_labels=edge_labels)
    found = extractor.histograms(graphs, filtration)
    renaming([found[i] for i in range(len(graphs))], plain(graphs, filtration, depth, edge_labels))


@pytest.mark.parametrize(
    ("name", "depth", "every"),
    [
        ("MUTAG", 5, 1),
        ("PTC_MR", 5, 2),
        ("DHFR", 5, 8),
        ("ENZYMES", 5, 8),
        ("IMDB-BINARY", 3, 6),
        ("BZR_MD", 3, 8),
        ("EGO-1", 3, 8),
        ("NCI1", 4, 40),
        ("REDDIT-BINARY", 2, 120),
    ],
)
def test_hashes_do_not_collide_on_real_data(data, name, depth, every):
    """Of most data sets some graphs are enough; exact labels take long."""
    graphs = datasets.read_tu(data / name)[0][::every]
    weight = "attribute:small" if name == "BZR_MD" else "degree"
    filtration = Filtration(weight, n_levels=3).fit(graphs)
    hashed = WeisfeilerLehman(depth).histograms(graphs, filtration)
    exact = WeisfeilerLehman(depth, exact=True).histograms(graphs, filtration)
    for column, other in zip(sorted_columns(hashed), sorted_columns(exact), strict=True):
        assert np.array_equal(column, other)


@given(filtered(), st.data())
def test_vertex_order_batches_and_threads_do_not_matter(case, data):
    graphs, filtration = case
    extractor = WeisfeilerLehman(2)
    found = extractor.histograms(graphs, filtration)
    threaded = extractor.histograms(graphs, filtration, n_jobs=3)
    for i, g in enumerate(graphs):
        order = np.array(data.draw(st.permutations(range(g.n_nodes))), int)
        edges = order[g.edges]
        labels = None
        if g.node_labels is not None:
            labels = [g.node_labels[v] for v in np.argsort(order)]
        shape = [0, g.n_nodes], [0, g.n_edges]
        labels = {"node_labels": labels, "edge_labels": g.edge_labels}
        alone = Graphs(*shape, edges, **labels, directed=g.directed)
        entry = filtration.found[graphs.edge_ptr[i] : graphs.edge_ptr[i + 1]]
        ends = edges if g.directed else np.sort(edges, axis=1)
        moved = np.lexsort((ends[:, 1], ends[:, 0]))
        permuted = extractor.histograms(alone, Levels(entry[moved], filtration.n_levels_))
        for other in (permuted[0], threaded[i]):
            assert {f: c.tolist() for f, c in found[i].items()} == {
                f: c.tolist() for f, c in other.items()
            }


@given(filtered(), st.integers(0, 2))
def test_up_to_a_depth(case, depth):
    graphs, filtration = case
    whole = WeisfeilerLehman(3).histograms(graphs, filtration).up_to(depth)
    part = WeisfeilerLehman(depth).histograms(graphs, filtration)
    for i in range(len(graphs)):
        assert {f: c.tolist() for f, c in whole[i].items()} == {
            f: c.tolist() for f, c in part[i].items()
        }


def test_edge_labels_do_not_collide_on_real_data(data):
    graphs, _ = datasets.read_tu(data / "MUTAG")
    filtration = Filtration(n_levels=3).fit(graphs)
    hashed = WeisfeilerLehman(4, edge_labels=True).histograms(graphs, filtration)
    exact = WeisfeilerLehman(4, edge_labels=True, exact=True).histograms(graphs, filtration)
    for column, other in zip(sorted_columns(hashed), sorted_columns(exact), strict=True):
        assert np.array_equal(column, other)


@given(filtered(), st.integers(0, 2), st.booleans())
def test_edge_labels_count_by_default_where_graphs_have_them(case, depth, exact):
    graphs, filtration = case
    asked = WeisfeilerLehman(depth, edge_labels=True, exact=exact)
    if graphs.edge_labels is None and len(graphs.edges):
        same = WeisfeilerLehman(depth, edge_labels=False, exact=exact)
        with pytest.raises(
            ValueError, match="edge_labels=True, but the graphs have no edge labels"
        ):
            asked.histograms(graphs, filtration)
        with pytest.raises(
            ValueError, match="edge_labels=True, but the graphs have no edge labels"
        ):
            asked.occurrences(graphs, filtration)
    else:
        same = asked
    found = WeisfeilerLehman(depth, exact=exact).histograms(graphs, filtration)
    for column, other in zip(
        found.columns, same.histograms(graphs, filtration).columns, strict=True
    ):
        assert np.array_equal(column, other)


def test_graphs_without_edges_count_the_same_either_way():
    graphs = Graphs([0, 2, 3], [0, 0, 0], [], node_labels=["C", "O", "C"])
    filtration = Filtration(n_levels=1).fit(graphs)
    first, *others = (
        WeisfeilerLehman(2, edge_labels=option, exact=exact).histograms(graphs, filtration)
        for option in (False, True, "auto")
        for exact in (False, True)
    )
    assert all(list(map(list, one.columns)) == list(map(list, first.columns)) for one in others)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"depth": 10**12}, "depth must be at most 10000, got 1000000000000"),
        ({"depth": -1}, "depth must be an integer of at least 0, got -1"),
        ({"depth": 1.0}, "depth must be an integer of at least 0, got 1.0"),
        ({"exact": 1}, "exact must be True or False, got 1"),
        ({"edge_labels": "yes"}, "edge_labels must be 'auto', True or False, got 'yes'"),
    ],
)
def test_wrong_parameters_are_refused_when_used(parameters, message):
    graphs = Graphs([0, 1], [0, 0], [])
    with pytest.raises(ValueError, match=message):
        WeisfeilerLehman(**parameters).histograms(graphs, Filtration().fit(graphs))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_how_graphs_are_cut_into_blocks_does_not_matter(n_jobs, monkeypatch):
    graphs, _ = datasets.random_graphs(12, (2, 9), 0.4, n_labels=2, random_state=3)
    filtration = Filtration("degree", n_levels=3).fit(graphs)
    whole = WeisfeilerLehman(2).histograms(graphs, filtration)
    monkeypatch.setattr(weisfeiler_lehman, "_BLOCK", 20)
    found = WeisfeilerLehman(2).histograms(graphs, filtration, n_jobs=n_jobs)
    for column, other in zip(sorted_columns(found), sorted_columns(whole), strict=True):
        assert np.array_equal(column, other)
