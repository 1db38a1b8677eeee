"""Weights that return keys, and several weights as one."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from grafik import (
    Filtration,
    FiltrationEmbedding,
    FiltrationKernel,
    Graphs,
    MeanKernel,
    as_graphs,
    datasets,
    load,
    weights,
)
from grafik.system.archive import read_archive, write_archive
from grafik.weights import Attribute, Combined
from strategies import batches


def in_order_of_tuples(columns):
    """Return the levels of edges that enter by decreasing tuples."""
    tuples = list(zip(*columns, strict=True))
    order = sorted(set(tuples), reverse=True)
    return [order.index(one) for one in tuples]


@given(batches)
def test_ties_of_the_first_are_broken_by_the_next(graphs):
    names = ["degree", "triangles", "betweenness"]
    levels = Filtration(Combined(names), "distinct").fit_levels(graphs)
    columns = [weights.compute(name, graphs).tolist() for name in names]
    assert levels.tolist() == in_order_of_tuples(columns)
    alone = Filtration(Combined(["curvature"]), "distinct").fit_levels(graphs)
    assert_array_equal(alone, Filtration("curvature", "distinct").fit_levels(graphs))


def test_keys_are_exact_where_floats_are_not():
    graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (2, 3)]])
    huge = np.array([2**60, 2**60 + 1, 2**60 + 2])
    filtration = Filtration(lambda graphs: huge[:, None], "distinct").fit(graphs)
    assert filtration.levels(graphs).tolist() == [2, 1, 0]
    assert filtration.alphas_.tolist() == [2.0, 1.0, 0.0]
    with pytest.raises(ValueError, match=r"graph 0, edge 1 \(1, 2\): .* an integer that no float"):
        Filtration(lambda graphs: huge).fit(graphs)
    for least in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(ValueError, match=f"the weight {least} is an integer that no float"):
            weights.values(lambda graphs, one=least: [0, 1, one], graphs)
    assert Filtration(lambda graphs: huge * 2**2 // 2**2 * 1.0).fit(graphs).n_levels_ == 1


def test_an_unseen_key_enters_with_the_next_smaller_one():
    given = {}
    filtration = Filtration(lambda graphs: given["keys"], "distinct")
    given["keys"] = [(5, 0), (3, 7)]
    filtration.fit(Graphs.from_edge_lists([[(0, 1), (1, 2)]]))
    given["keys"] = [(9, 9), (5, 0), (5, -1), (3, 8), (3, 7), (3, 6), (-1, 0)]
    path = Graphs.from_edge_lists([[(v, v + 1) for v in range(7)]])
    assert filtration.levels(path).tolist() == [0, 0, 1, 1, 1, 1, 1]
    given["keys"] = [(1,)] * 7
    with pytest.raises(ValueError, match="keys have 2 columns, got 1"):
        filtration.levels(path)


def test_a_function_may_return_nothing_for_graphs_without_edges():
    filtration = Filtration(lambda graphs: [(u, v) for u, v in graphs.edges.tolist()])
    filtration.fit(Graphs.from_edge_lists([[]], n_nodes=[3]))
    assert filtration.levels(Graphs.from_edge_lists([[(0, 1), (1, 2)]])).tolist() == [0, 0]


def test_training_graphs_without_edges_have_no_keys():
    both = Combined(["degree", "core"])
    filtration = Filtration(both).fit(Graphs.from_edge_lists([[]], n_nodes=[3]))
    path = Graphs.from_edge_lists([[(0, 1), (1, 2)]])
    assert filtration.levels(path).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            [(1, 2.5)] * 2,
            r"got shape \(2, 2\); keys, .* must be integers, got float64",
        ),
        ([(1, 2**70)] * 2, "integers of at most 64 bits with a sign, got object"),
        (np.full((2, 1), 2**63, np.uint64), r"fit after \.view\(numpy\.int64\)"),
        (np.zeros((2, 0), int), r"got shape \(2, 0\)"),
        (np.zeros((3, 1), int), r"got shape \(3, 1\)"),
    ],
)
def test_wrong_keys_are_refused(returned, message):
    path = Graphs.from_edge_lists([[(0, 1), (1, 2)]])
    with pytest.raises(ValueError, match=message):
        Filtration(lambda graphs: returned).fit(path)


def test_numbers_are_not_made_of_keys():
    path = Graphs.from_edge_lists([[(0, 1), (1, 2)]])
    with pytest.raises(ValueError, match="returns keys, whose ranks only a filtration knows"):
        weights.compute(Combined(["degree"]), path)


@pytest.mark.parametrize("wrong", ["degree", [], None, 3])
def test_combined_needs_a_list(wrong):
    path = Graphs.from_edge_lists([[(0, 1), (1, 2)]])
    with pytest.raises(ValueError, match="weights must be a list of at least one weight"):
        Combined(wrong)(path)


def test_auto_does_not_put_together_what_has_no_order():
    graphs, _ = datasets.csl(copies=1)
    distinct = Filtration("canonical", "distinct").fit(graphs)
    assert_array_equal(Filtration("canonical").fit(graphs).alphas_, distinct.alphas_)
    with pytest.warns(UserWarning, match="the order of this weight means nothing") as caught:
        Filtration("canonical", "kmeans").fit(graphs)
    assert caught[0].filename == __file__
    by_degree = Filtration(Combined(["betweenness", "canonical"])).fit(graphs)
    assert by_degree.n_levels_ == 3


def test_kernels_of_keys_are_saved_shared_and_applied(tmp_path):
    graphs, _ = datasets.random_graphs(14, n_nodes=(3, 9), density=0.4)
    both = Combined(["degree", "betweenness"])
    kernel = FiltrationKernel(weight=both, thresholds="distinct").fit(graphs[:8])
    kernel.save(tmp_path / "kernel")
    again = load(tmp_path / "kernel")
    assert_array_equal(again.filtration_.keys_, kernel.filtration_.keys_)
    assert_array_equal(again.transform(graphs), kernel.transform(graphs))
    archive = read_archive(tmp_path / "kernel")
    for wrong in (archive.arrays["keys"][:3], archive.arrays["keys"][::-1], np.zeros((0, 2), int)):
        arrays = {**archive.arrays, "keys": np.ascontiguousarray(wrong)}
        write_archive(tmp_path / "forged", archive.kind, archive.content, arrays)
        with pytest.raises(ValueError, match="does not hold a valid FiltrationKernel"):
            load(tmp_path / "forged")
    mean = MeanKernel([("one", kernel), ("other", FiltrationKernel())]).fit(graphs[:8])
    part = FiltrationKernel(weight=both, thresholds="distinct", normalize=True).fit(graphs[:8])
    assert_array_equal(mean.parts_[0][1].transform(graphs), part.transform(graphs))


def test_ranks_of_keys_are_learned_before_vectors_are_hashed():
    graphs, _ = datasets.random_graphs(10, n_nodes=(3, 9), density=0.4)
    both = Combined(["degree", "betweenness"])
    embedding = FiltrationEmbedding(weight=both, thresholds=[9, 4, 0], method="hashed")
    with pytest.raises(NotFittedError):
        embedding.transform(graphs)
    embedding.fit(graphs)
    alone = [embedding.transform(graphs[[i]]).toarray()[0] for i in range(10)]
    assert_array_equal(alone, embedding.transform(graphs).toarray())


def test_a_weight_must_always_return_the_same_kind():
    answers = {3: [[1], [2], [3]], 2: [1.0, 2.0]}
    filtration = Filtration(lambda graphs: answers[len(graphs.edges)])
    long, short = (Graphs.from_edge_lists([[(v, v + 1) for v in range(n)]]) for n in (3, 2))
    with pytest.raises(ValueError, match="returns numbers for these .* returned keys when"):
        filtration.fit(long).levels(short)
    with pytest.raises(ValueError, match="returns keys for these .* returned numbers when"):
        filtration.fit(short).levels(long)


def test_combined_names_what_it_reads():
    graphs = as_graphs(datasets.figure_one()[0])
    named = Graphs.from_edge_lists(
        [[(0, 1)]], edge_attributes=[[[3.0, 1.0]]], edge_attribute_names=["calls", "hours"]
    )
    both = Combined(["degree", Attribute("hours")])
    assert Filtration(both).fit(named).attributes_ == ("hours",)
    assert Filtration(Combined(["degree"])).fit(graphs).attributes_ is None
