"""An index by other kernels keeps its own, refuses what it cannot compare, and knows all labels."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone

from grafik import FiltrationKernel, GaussianKernel, GraphIndex, Graphs, MeanKernel, datasets
from grafik.baselines import CoreWL, PersistentWL, WassersteinWL
from grafik.features import WeisfeilerLehman
from grafik.features import wl_exact as exact_labels
from grafik.kernels.combined import CombinedKernel

WHOLE = {
    "mean": MeanKernel("degree+core"),
    "Gaussian": GaussianKernel(FiltrationKernel(), 8.0),
    "mean, whole graphs": MeanKernel([FiltrationKernel(), CoreWL(1)]),
    "cores": CoreWL(1, normalize=True),
    "persistence": PersistentWL(1, cycles=True, normalize=True),
    "Wasserstein": WassersteinWL(1),
}
whole = pytest.mark.parametrize("kernel", WHOLE.values(), ids=WHOLE)
PATHS = [[(0, 1), (1, 2)], [(0, 1)]]


@pytest.fixture(scope="module")
def batch():
    return datasets.random_graphs(120, n_nodes=(5, 25), density=(0.1, 0.3), n_labels=3)[0]


def labelled(label):
    return Graphs.from_edge_lists(PATHS, node_labels=[[label] * 3, [label] * 2])


@whole
def test_an_index_does_not_change_with_the_kernel_it_was_made_of(kernel, batch):
    kernel = clone(kernel).fit(batch[:30])
    index, twin = GraphIndex(kernel), GraphIndex(clone(kernel).fit(batch[:30]))
    inner = kernel._kept()[0][1] if isinstance(kernel, CombinedKernel) else kernel
    inner.fit(batch[100:120])
    kernel.set_params(**{name: 0 for name in kernel.get_params() if name.endswith("depth")})
    kernel.fit(batch[100:120])
    for one in (index, twin):
        one.add(batch[:20]).add(batch[20:40])
    found, expected = index.search(batch[50:60], 5), twin.search(batch[50:60], 5)
    assert found.similarities.tolist() == expected.similarities.tolist()
    assert found.graphs.tolist() == expected.graphs.tolist()


@whole
def test_graphs_that_no_search_could_compare_are_refused_when_they_are_added(kernel):
    plain = Graphs.from_edge_lists(PATHS)
    directed = Graphs.from_edge_lists(PATHS, directed=True)
    single = Graphs([0, 1], [0, 0], [])
    for first, wrong, message in (
        (plain, directed, "undirected graphs, but these are directed"),
        (plain, labelled("C"), "these graphs have vertex labels"),
        (labelled("C"), plain, "these graphs have no vertex labels"),
    ):
        index = GraphIndex(clone(kernel)).add(first)
        expected = index.search(first).similarities.tolist()
        with pytest.raises(ValueError, match=message):
            index.add(wrong)
        assert len(index) == 2
        assert index.search(first).similarities.tolist() == expected
        assert len(index.add(first)) == 4
    index = GraphIndex(clone(kernel)).add(single).add(plain)
    if kernel in (WHOLE["mean"], WHOLE["Gaussian"]):
        return  # graphs without edges leave it open
    with pytest.raises(ValueError, match="directed"):
        index.add(directed)
    assert index.search(plain, 2).graphs.tolist() == [[1, 2], [2, 1]]


def test_graphs_with_other_columns_than_those_in_the_index_are_refused():
    plain = Graphs.from_edge_lists(PATHS)
    other = Graphs.from_edge_lists(PATHS, edge_labels=[[1, 2], [1]])
    index = GraphIndex(CoreWL(1, normalize=True)).add(plain)
    with pytest.raises(
        ValueError, match=r"\(item 1\) do not fit to those in the index .* edge_lab"
    ):
        index.add(other)
    assert index.search(plain, 1).graphs.tolist() == [[0], [1]]


@whole
def test_an_index_can_be_used_after_a_first_call_that_failed(kernel):
    needs = FiltrationKernel(weight="attribute")
    attributes = Graphs.from_edge_lists(PATHS, edge_attributes=[[[1.0], [2.0]], [[1.0]]])
    index = GraphIndex(MeanKernel([clone(kernel), needs]))
    with pytest.raises(ValueError, match="attribute"):
        index.add(Graphs.from_edge_lists(PATHS))
    assert len(index) == 0
    assert index.add(attributes).search(attributes, 1).graphs.tolist() == [[0], [1]]


@whole
def test_labels_of_graphs_that_were_added_are_known_to_all_kernels(kernel, monkeypatch):
    monkeypatch.setattr("grafik.search.compared._ENTRIES", 1)  # one query at a time
    carbon, oxygen = labelled("C"), labelled("O")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        index = GraphIndex(clone(kernel)).add(carbon).add(oxygen)
        assert index.search(oxygen, 1).graphs.tolist() == [[2], [3]]
        assert index.search(carbon, 1).graphs.tolist() == [[0], [1]]
    with pytest.warns(UserWarning, match="no vertex label of") as told:
        index.search(Graphs.concat([carbon, labelled("N")]), 1)
    assert {str(one.message)[:40] for one in told} == {"no vertex label of graphs 2, 3 was seen "}


def test_an_index_does_not_change_with_a_part_of_the_kernel_it_was_made_of(batch):
    kernel = MeanKernel("degree+core").fit(batch[:5])
    index, twin = GraphIndex(kernel), GraphIndex(clone(kernel).fit(batch[:5]))
    kernel._kept()[0][1].fit(Graphs.from_edge_lists(PATHS))
    found, expected = (one.add(batch[5:10]).search(batch[10:12], 5) for one in (index, twin))
    assert found.similarities.tolist() == expected.similarities.tolist()


@pytest.mark.filterwarnings("ignore:no vertex label of")
def test_exact_labels_are_shared_also_beside_a_part_without_them(batch, monkeypatch):
    original = exact_labels._entry
    monkeypatch.setattr(exact_labels, "_entry", lambda d, what, h: original(d, what, h & 7))
    parts = [FiltrationKernel(WeisfeilerLehman(1, exact=True), n_levels=2), FiltrationKernel()]
    kernel = MeanKernel(parts).fit(batch[:2])
    one, two = GraphIndex(kernel).add(batch[:9]), GraphIndex(kernel)
    for start in range(0, 9, 3):
        two.add(batch[start : start + 3])
    found, again = one.search(batch[6:12], 9), two.search(batch[6:12], 9)
    assert found.similarities.tolist() == again.similarities.tolist()


def test_only_so_many_entries_of_rows_are_there_at_the_same_time(monkeypatch):
    monkeypatch.setattr("grafik.search.compared._ENTRIES", 7)
    graphs = Graphs.from_edge_lists(PATHS)
    index = GraphIndex(MeanKernel("degree")).add(graphs)
    blocks = [block for block, *_ in index._compared.best(Graphs.concat([graphs] * 4), 1)]
    assert blocks == [slice(0, 3), slice(3, 6), slice(6, 8)]  # rows of two graphs


def test_columns_of_an_index_are_known_though_its_first_graph_is_empty():
    empty_and_vertex = Graphs([0, 0, 1], [0, 0, 0], [], node_attributes=[[1.0]])
    index = GraphIndex(CoreWL(1)).add(empty_and_vertex)
    with pytest.raises(ValueError, match=r"\(item 1\) do not fit to those in the index"):
        index.add(Graphs.from_edge_lists(PATHS))
    assert len(index) == 2


class Sizes(BaseEstimator, TransformerMixin):
    """A kernel of another library: numbers of vertices."""

    def fit(self, X, y=None):
        self.seen_ = X.n_nodes
        return self

    def transform(self, X):
        return np.outer(X.n_nodes, self.seen_).astype(float)

    def diagonal(self, X):
        return X.n_nodes.astype(float) ** 2


def test_kernels_of_other_libraries_are_compared_as_parts():
    graphs = Graphs.from_edge_lists(PATHS)
    index = GraphIndex(GaussianKernel(Sizes(), 2.0)).add(graphs).add(graphs)
    found = index.search(graphs, 4)
    assert found.graphs.tolist() == [[0, 1, 2, 3]] * 2  # all are parallel
    assert found.similarities.tolist() == [[1.0] * 4] * 2


def test_an_index_does_not_change_with_a_part_of_another_library():
    """The thresholds of the kernel are kept, and so is what its part has learned."""
    graphs = Graphs.from_edge_lists(PATHS)
    kernel = MeanKernel([Sizes(), FiltrationKernel()]).fit(graphs)
    index, before = GraphIndex(kernel), kernel.transform(graphs).tolist()
    kernel._kept()[0][1].seen_[:] = 1000, 0
    assert kernel.transform(graphs).tolist() != before
    assert index.kernel_.transform(graphs).tolist() == before
