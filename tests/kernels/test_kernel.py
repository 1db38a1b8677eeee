"""FiltrationKernel among scikit-learn's tools, and its conveniences."""

import math
import pickle
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from all_kernels import DEFINITIONS
from forked import Forked
from grafik import FiltrationKernel, Graphs, Histograms, datasets, weights
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.features import wl_exact as exact_labels
from grafik.kernels.sums import sum_diagonal, sum_gram
from grafik.system import memory
from kernel_strategies import masses
from strategies import build, raw_batches

some = raw_batches(label=st.integers(0, 2), max_graphs=5).filter(len).map(build)


@pytest.fixture(scope="module")
def data():
    return datasets.random_graphs(40, n_nodes=(5, 12), density=(0.2, 0.5), n_labels=2)


def test_pipelines_scores_and_grids_with_nested_parameters():
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    kernel = FiltrationKernel(
        WeisfeilerLehman(depth=1), weight=weights.Walks(1), thresholds="distinct"
    )
    model = make_pipeline(kernel, SVC(kernel="precomputed"))
    assert cross_val_score(model, graphs, y, cv=3).mean() == pytest.approx(1 / 3)
    grid = {
        "filtrationkernel__features__depth": [0, 1],
        "filtrationkernel__weight__length": [1, 7],
        "filtrationkernel__normalize": [True],
    }
    search = GridSearchCV(model, grid, cv=3).fit(graphs, y)
    assert search.best_score_ == 1.0
    assert search.best_params_["filtrationkernel__features__depth"] == 1
    assert search.best_params_["filtrationkernel__weight__length"] == 7
    assert search.predict(graphs).tolist() == y.tolist()
    assert kernel.features.depth == 1
    assert kernel.weight.length == 1
    assert not hasattr(kernel, "alphas_")


def test_parallel_search_gives_the_same(data):
    model = make_pipeline(FiltrationKernel(n_levels=2, normalize=True), SVC(kernel="precomputed"))
    scores = [cross_val_score(model, *data, cv=4, n_jobs=jobs).tolist() for jobs in (1, 2)]
    assert scores[0] == scores[1]


def test_clone_and_parameters():
    kernel = FiltrationKernel(WeisfeilerLehman(2), weight=weights.Walks(3), gamma=0.5)
    twin = clone(kernel)
    assert twin.features is not kernel.features
    assert twin.get_params()["features__depth"] == 2
    assert twin.get_params()["weight__length"] == 3
    twin.set_params(features__depth=4, weight__length=9, gamma=2.0)
    assert (kernel.features.depth, kernel.weight.length, kernel.gamma) == (2, 3, 0.5)
    assert clone(FiltrationKernel(weight=weights.degree)).weight is weights.degree


@given(some)
def test_fitting_again_forgets_and_leaves_no_trace(graphs):
    features = WeisfeilerLehman(2)
    kernel = FiltrationKernel(features, n_levels=2)
    before = pickle.dumps(graphs)
    first = kernel.fit_transform(graphs)
    kernel.fit(datasets.csl(copies=1)[0])
    assert np.array_equal(kernel.fit_transform(graphs), first)
    state = {name: id(value) for name, value in vars(kernel).items()}
    kernel.transform(graphs)
    kernel.diagonal(graphs)
    assert {name: id(value) for name, value in vars(kernel).items()} == state
    assert vars(features) == {"depth": 2, "edge_labels": "auto", "exact": False}
    assert pickle.dumps(graphs) == before


def test_pickling_in_memory(data):
    graphs, _ = data
    kernel = FiltrationKernel(WeisfeilerLehman(2)).fit(graphs[:20])
    twin = pickle.loads(pickle.dumps(kernel))
    assert np.array_equal(twin.transform(graphs), kernel.transform(graphs))


def test_unfitted_kernels_say_so(data):
    for method in ("transform", "diagonal"):
        with pytest.raises(NotFittedError):
            getattr(FiltrationKernel(), method)(data[0])


def test_fit_and_fit_transform_agree_and_y_does_not_matter(data):
    graphs, y = data
    kernel = FiltrationKernel(n_levels=2)
    assert np.array_equal(kernel.fit_transform(graphs, y), kernel.fit(graphs).transform(graphs))


def test_any_kind_of_graphs_and_one_graph():
    graphs = [nx.path_graph(3), nx.star_graph(3), nx.complete_graph(4)]
    kernel = FiltrationKernel(WeisfeilerLehman(1))
    matrix = kernel.fit_transform(graphs)
    assert matrix.shape == (3, 3)
    assert np.array_equal(kernel.transform(graphs[1]), matrix[[1]])
    assert np.array_equal(kernel.transform(g for g in graphs), matrix)
    assert kernel.transform([]).shape == (0, 3)
    with pytest.raises(ValueError, match="at least one graph is needed to fit, got none"):
        kernel.fit([])


def test_empty_graphs_get_finite_values():
    graphs = Graphs([0, 0, 1, 4], [0, 0, 0, 2], [[0, 1], [1, 2]])
    for combine in ("sum", "product"):
        for normalize in (False, True):
            kernel = FiltrationKernel(combine=combine, normalize=normalize, beta=1e-3)
            matrix = kernel.fit_transform(graphs)
            assert np.isfinite(matrix).all()
            if combine == "sum":
                assert (matrix[0] == 0).all()
                assert kernel.diagonal(graphs)[0] == 0
                if normalize:
                    assert np.diag(matrix).tolist() == [0.0, 1.0, 1.0]


@given(some, masses)
def test_normalising_divides_by_self_similarities(graphs, mass):
    kernel = FiltrationKernel(WeisfeilerLehman(2), mass=mass)
    plain = kernel.fit_transform(graphs)
    found = kernel.set_params(normalize=True).fit_transform(graphs)
    own = np.diag(plain)
    for i in range(len(graphs)):
        for j in range(len(graphs)):
            scale = np.sqrt(own[i] * own[j])
            assert found[i, j] == (plain[i, j] / scale if scale > 0 else 0.0)


ways = st.sampled_from([{}, {"mass": "min"}, {"combine": "product"}])


@given(some, st.booleans(), ways, st.sampled_from(["unit", "raw"]))
def test_the_grid_has_the_bits_of_single_kernels(graphs, normalize, way, scale):
    options = {
        **way,
        "normalize": normalize,
        "scale": scale,
        "beta": 1e-3,
        "n_levels": 2,
    }
    kernel = FiltrationKernel(WeisfeilerLehman(1), **options)
    seen = []
    for depth, gamma, matrix in kernel.gram_grid(graphs, depths=[3, 0, 1], gammas=[2.0, 0.5]):
        single = FiltrationKernel(WeisfeilerLehman(depth), gamma=gamma, **options)
        assert np.array_equal(matrix, single.fit_transform(graphs))
        seen.append((depth, gamma))
    assert seen == [(0, 2.0), (1, 2.0), (3, 2.0), (0, 0.5), (1, 0.5), (3, 0.5)]
    assert vars(kernel.features) == {"depth": 1, "edge_labels": "auto", "exact": False}


def test_the_grid_is_lazy_and_its_matrices_are_ones_own(data):
    graphs, _ = data
    grid = FiltrationKernel().gram_grid(graphs, depths=[1, 2])
    _, _, first = next(grid)
    copy = first.copy()
    first[:] = 0
    _, _, second = next(grid)
    assert (np.diag(second) > np.diag(copy)).all()
    with pytest.raises(StopIteration):
        next(grid)


def test_the_grid_without_depths(data):
    graphs, _ = data
    for features, _ in DEFINITIONS.values():
        kernel = FiltrationKernel(features, n_levels=2)
        ((depth, gamma, matrix),) = kernel.gram_grid(graphs)
        assert (depth, gamma) == (None, 1.0)
        assert np.array_equal(matrix, kernel.fit_transform(graphs))
        with pytest.raises(ValueError, match="has no depth, so depths must be None"):
            kernel.gram_grid(graphs, depths=[1])
    with pytest.raises(ValueError, match="a depth must be an integer of at least 0, got -1"):
        FiltrationKernel().gram_grid(graphs, depths=[-1])
    with pytest.raises(ValueError, match="gamma must be a finite number of at least 0, got -1"):
        FiltrationKernel().gram_grid(graphs, gammas=[-1])


def test_functions_are_features():
    graphs = datasets.wl_hard("decalin")[0]

    def leaves(graph):
        return [("degree", d) for _, d in graph.degree]

    kernel = FiltrationKernel(leaves, weight="degree", thresholds="distinct", gamma=0.0)
    matrix = kernel.fit_transform(graphs)
    by_labels = FiltrationKernel(WeisfeilerLehman(1), thresholds="distinct", gamma=0.0)
    # Without labels, depth 1 is the degree and depth 0 counts vertices at every level.
    expected = by_labels.fit_transform(graphs) - (10 * 2) ** 2
    assert np.array_equal(matrix, expected)
    assert ("degree", 3) in kernel.histograms_.names.values()


def test_exact_labels_in_the_kernel(data):
    graphs, _ = data
    hashed = FiltrationKernel(WeisfeilerLehman(2)).fit(graphs[:30])
    exact = FiltrationKernel(WeisfeilerLehman(2, exact=True)).fit(graphs[:30])
    assert np.array_equal(exact.transform(graphs), hashed.transform(graphs))


def test_edge_labels_count_unless_they_shall_not():
    edges = [[(0, 1), (1, 2)]] * 2
    graphs = Graphs.from_edge_lists(edges, edge_labels=[["a", "b"], ["a", "a"]])
    without = FiltrationKernel(WeisfeilerLehman(1, edge_labels=False), n_levels=1)
    assert without.fit_transform(graphs).tolist() == [[14.0, 14.0], [14.0, 14.0]]
    assert without.extractor_.edge_labels is False
    # Depth 1 by hand: the ends are (a), (b), and the middle (a, b); against (a) twice and (a, a).
    for option in ("auto", True):
        with_labels = FiltrationKernel(WeisfeilerLehman(1, edge_labels=option), n_levels=1)
        assert with_labels.fit_transform(graphs).tolist() == [[12.0, 11.0], [11.0, 14.0]]
        assert with_labels.extractor_.edge_labels is True
        assert with_labels.features.edge_labels == option


def test_lighter_edges_of_unseen_graphs_enter_at_the_last_level():
    train = Graphs.from_edge_lists([[(0, 1), (1, 2)]], edge_attributes=[[5.0, 7.0]])
    new = Graphs.from_edge_lists([[(0, 1), (1, 2)]], edge_attributes=[[1.0, 7.0]])
    kernel = FiltrationKernel(
        WeisfeilerLehman(1), weight=weights.Attribute(), thresholds="distinct"
    ).fit(train)
    assert kernel.alphas_.tolist() == [7.0, 5.0]
    assert kernel.filtration_.levels(new).tolist() == [1, 0]
    assert kernel.transform(new)[0, 0] == kernel.diagonal(train)[0]


def test_diagonals_are_those_of_the_matrix(data):
    graphs, _ = data
    for options in ({}, {"normalize": True}, {"combine": "product"}, {"mass": "min"}):
        kernel = FiltrationKernel(WeisfeilerLehman(1), **options)
        matrix = kernel.fit_transform(graphs)
        assert np.array_equal(kernel.diagonal(graphs), np.diag(matrix))


def test_parameters_changed_after_fit_are_checked_or_do_not_matter(data):
    graphs, _ = data
    weight = weights.Walks(2)
    kernel = FiltrationKernel(WeisfeilerLehman(1), weight=weight, thresholds="distinct")
    matrix = kernel.fit_transform(graphs)
    weight.length = 5
    kernel.features.depth = 3
    assert np.array_equal(kernel.transform(graphs), matrix)
    for wrong in ({"combine": "foo"}, {"gamma": -5.0}, {"scale": "foo"}, {"mass": "foo"}):
        changed = clone(FiltrationKernel()).fit(graphs).set_params(**wrong)
        for method in ("transform", "diagonal"):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                getattr(changed, method)(graphs)


def test_a_grid_goes_on_as_it_began(data):
    graphs, _ = data
    kernel = FiltrationKernel(WeisfeilerLehman(1))
    grid = kernel.gram_grid(graphs, depths=[0, 1])
    next(grid)
    kernel.set_params(normalize=True)
    _, _, matrix = next(grid)
    kernel.set_params(normalize=False)
    assert np.array_equal(matrix, kernel.fit_transform(graphs))


@pytest.mark.parametrize(
    "options", [{}, {"normalize": True}, {"mass": "min"}, {"combine": "product", "beta": 0.01}]
)
def test_a_grid_writes_to_the_matrix_it_is_given(options):
    graphs, _ = datasets.random_graphs(20, n_nodes=(2, 8), density=0.4)
    kernel = FiltrationKernel(WeisfeilerLehman(), n_jobs=2, **options)
    out = np.empty((20, 20))
    expected = [matrix for _, _, matrix in kernel.gram_grid(graphs, [0, 1, 3], [0.5, 2.0])]
    n = 0
    for _, _, matrix in kernel.gram_grid(graphs, [0, 1, 3], [0.5, 2.0], out=out):
        assert matrix is out
        assert np.array_equal(out, expected[n])
        out[:] = np.nan  # it is the caller's
        n += 1
    assert n == 6
    for wrong in (np.empty((20, 19)), np.empty((20, 20), np.float32), np.empty((20, 40))[:, ::2]):
        with pytest.raises(ValueError, match=r"out must be .* of shape \(20, 20\), got float"):
            kernel.gram_grid(graphs, out=wrong)
    with pytest.raises(ValueError, match="got 'K'"):
        kernel.gram_grid(graphs, out="K")


@pytest.mark.parametrize(("smaller", "bits"), [(False, 30), (True, 55)])
def test_sums_beyond_what_floats_hold_are_rounded_in_one_order(smaller, bits):
    """The diagonal has the bits of the other entries, and these those of the definition's order."""
    rng = np.random.default_rng(0)
    counts, power = rng.integers(2 ** (bits - 1), 2 ** (bits + 1), 40), 1 if smaller else 2

    def heavy(order, n_graphs):
        n = len(order) * n_graphs
        features = np.tile(np.array(order, np.uint64), n_graphs) << np.uint64(58)
        graph_ptr, zeros = np.arange(n_graphs + 1) * len(order), np.zeros(n, np.int32)
        shuffled = np.tile(counts[np.array(order)], n_graphs)
        return Histograms(1, graph_ptr, zeros, features, np.arange(n + 1), zeros, shuffled)

    axis = np.zeros(1)
    expected = 0.0
    for count in counts.tolist():
        expected += float(count) ** power
    orders = [list(range(40)), list(range(40))[::-1], rng.permutation(40).tolist()]
    assert len({math.fsum(counts[o].astype(float) ** power) for o in orders}) == 1
    for order in orders:
        alone = heavy(order, 1)
        assert sum_diagonal(alone, smaller=smaller)[0] == expected
        turned, twice = heavy(order[::-1], 1), heavy(order, 2)
        assert sum_gram(alone, turned, axis, 1.0, smaller=smaller)[0, 0] == expected
        found = sum_gram(twice, twice, axis, 1.0, smaller=smaller)
        assert np.array_equal(found, np.full((2, 2), expected))


def test_exact_labels_of_new_graphs_agree_with_known_ones(data, monkeypatch):
    """With hashes of four bits, new graphs must use the dictionary of the training graphs."""
    graphs, _ = data
    expected = FiltrationKernel(WeisfeilerLehman(1)).fit(graphs[:30]).transform(graphs)
    original = exact_labels._entry
    monkeypatch.setattr(exact_labels, "_entry", lambda d, what, x: original(d, what, x & 15))
    kernel = FiltrationKernel(WeisfeilerLehman(1, exact=True)).fit(graphs[:30])
    np.testing.assert_allclose(kernel.transform(graphs), expected, rtol=1e-12)


def test_own_extractors_need_no_more_than_histograms(data):
    graphs, _ = data

    class Vertices:
        def histograms(self, graphs, filtration):
            n = np.arange(len(graphs) + 1)
            counts = graphs.n_nodes
            zeros, same = np.zeros(len(graphs), int), np.full(len(graphs), 7, np.uint64)
            return Histograms(filtration.n_levels_, n, zeros, same, n, zeros, counts)

    matrix = FiltrationKernel(Vertices(), n_levels=2).fit_transform(graphs)
    assert np.array_equal(matrix, np.outer(2 * graphs.n_nodes, 2 * graphs.n_nodes))

    class Wrong(Vertices):
        def histograms(self, graphs, filtration):
            return super().histograms(graphs[1:], filtration)

    with pytest.raises(ValueError, match="must return histograms of 40 graphs and 2 levels"):
        FiltrationKernel(Wrong(), n_levels=2).fit(graphs)
    Wrong.histograms = lambda self, graphs, filtration: []
    with pytest.raises(TypeError, match="must return Histograms, got list"):
        FiltrationKernel(Wrong(), n_levels=2).fit(graphs)


def test_matrices_that_do_not_fit_are_refused_before_anything_is_computed(data, monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 1000.0)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0.0)
    kernel = FiltrationKernel()
    with pytest.raises(
        MemoryError, match="matrix of 40 x 40 graphs takes .* .B, .*a part at a time"
    ):
        kernel.fit_transform(data[0])
    with pytest.raises(MemoryError, match="40 x 40"):
        kernel.gram_grid(data[0])


def test_dummies_beyond_reason_are_refused(data):
    for delta in (1e308, -1e250):
        kernel = FiltrationKernel(combine="product", alpha_delta=delta)
        with pytest.raises(ValueError, match="alpha_delta=.* is too far from the thresholds"):
            kernel.fit_transform(data[0])
    tiny = Graphs.from_edge_lists([[(0, 1), (1, 2)]], edge_attributes=[[1e-310, 2e-310]])
    kernel = FiltrationKernel(weight="attribute", scale="raw", combine="product", alpha_delta=1.0)
    with pytest.raises(ValueError, match="is too far from the thresholds"):
        kernel.fit_transform(tiny)


def test_numbers_of_any_kind_are_numbers(data):
    graphs, _ = data
    found = [
        FiltrationKernel(WeisfeilerLehman(1), gamma=gamma).fit_transform(graphs)
        for gamma in (0.5, Fraction(1, 2), np.float32(0.5))
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"gamma": 10**400}, ValueError, "gamma must be a finite number of at least 0"),
        ({"combine": "mean"}, ValueError, "combine must be 'sum' or 'product', got 'mean'"),
        ({"combine": ["sum"]}, ValueError, "combine must be 'sum' or 'product', got .'sum'."),
        ({"mass": "max"}, ValueError, "mass must be 'linear' or 'min', got 'max'"),
        (
            {"mass": "min", "combine": "product"},
            ValueError,
            "mass='min' is for sums, but combine is 'product'.* set combine='sum' or mass='linear'",
        ),
        ({"scale": "log"}, ValueError, "scale must be 'unit' or 'raw', got 'log'"),
        ({"gamma": -1}, ValueError, "gamma must be a finite number of at least 0, got -1"),
        ({"gamma": np.inf}, ValueError, "gamma must be a finite number"),
        ({"gamma": "1"}, ValueError, "gamma must be a finite number of at least 0, got '1'"),
        ({"beta": np.nan}, ValueError, "beta must be a finite number of at least 0"),
        ({"alpha_delta": np.nan}, ValueError, "alpha_delta must be a finite number, got nan"),
        ({"normalize": 1}, ValueError, "normalize must be True or False, got 1"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0, got 0"),
        ({"features": "wl"}, TypeError, "features must be an extractor such as .* got 'wl'"),
        ({"features": WeisfeilerLehman}, TypeError, "features must be an extractor"),
        ({"weight": "degrees"}, ValueError, "degrees"),
        ({"thresholds": "mean"}, ValueError, "thresholds must be 'auto', 'kmeans'"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(parameters, error, message, data):
    with pytest.raises(error, match=message):
        FiltrationKernel(**parameters).fit(data[0])


PEAK = """
import sys
from pathlib import Path
import numpy as np
from grafik import FiltrationKernel, Graphs, datasets

def status(field):
    return int(Path("/proc/self/status").read_text().split(field + ":")[1].split()[0]) / 1024

if sys.argv[1] == "star":  # every leaf changes its label at every level
    edges = np.column_stack([np.zeros(4000, int), np.arange(1, 4001)])
    graphs = Graphs([0, 4001], [0, 4000], edges, edge_attributes=np.arange(4000.0))
    options = {"weight": "attribute", "thresholds": "distinct"}
else:
    graphs, _ = datasets.random_graphs(3000, n_nodes=20, density=0.1, n_labels=3)
    options = {"n_jobs": 2}
small = graphs if sys.argv[1] == "star" else graphs[:50]
FiltrationKernel(**options).fit_transform(small[:1])  # loads the compiled loops
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
FiltrationKernel(**options).fit_transform(graphs)
print(status("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
@pytest.mark.parametrize(("what", "megabytes"), [("star", 30), ("many", 260)])
def test_memory_stays_within_the_budget(what, megabytes):
    """The star has 4000 levels and few rows; the matrix of the many takes 72 MB."""
    stdout, stderr = Forked(PEAK, what).communicate()
    assert stderr == ""
    assert float(stdout) < megabytes


def test_depth_is_that_of_the_default_features(data):
    graphs, _ = data
    for depth in (0, 2):
        expected = FiltrationKernel(WeisfeilerLehman(depth)).fit_transform(graphs)
        kernel = FiltrationKernel(depth=depth)
        assert np.array_equal(kernel.fit_transform(graphs), expected)
        assert kernel.extractor_.depth == depth
    assert FiltrationKernel().fit(graphs).extractor_.depth == 5
    grid = FiltrationKernel(depth=2).gram_grid(graphs)
    assert np.array_equal(next(grid)[2], expected)
    with pytest.raises(ValueError, match="depth must be an integer of at least 0, got -1"):
        FiltrationKernel(depth=-1).fit(graphs)


@pytest.mark.parametrize("features", [WeisfeilerLehman(3), ShortestPaths(), lambda graph: [1]])
def test_depth_beside_features_is_refused(data, features):
    graphs, _ = data
    message = r"depth=2 is that of the default features, but features=.* leave one out: .*depth=2"
    for method in ("fit", "fit_transform", "gram_grid"):
        with pytest.raises(ValueError, match=message):
            getattr(FiltrationKernel(features, depth=2), method)(graphs)


def test_a_grid_search_over_depths(data):
    graphs, y = data
    model = make_pipeline(FiltrationKernel(normalize=True), SVC(kernel="precomputed"))
    search = GridSearchCV(model, {"filtrationkernel__depth": [0, 1, None]}, cv=3).fit(graphs, y)
    kernels = [FiltrationKernel(WeisfeilerLehman(depth), normalize=True) for depth in (0, 1, 5)]
    expected = [
        cross_val_score(make_pipeline(kernel, SVC(kernel="precomputed")), graphs, y, cv=3).mean()
        for kernel in kernels
    ]
    assert search.cv_results_["mean_test_score"].tolist() == expected
