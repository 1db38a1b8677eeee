"""Means and Gaussians of kernels: their definitions, what they promise, and what they refuse."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import naive
from all_kernels import COMBINED, WHOLE_GRAPHS
from grafik import FiltrationKernel, GaussianKernel, Graphs, MeanKernel, datasets, weights
from grafik.baselines import WL, CoreWL, ShortestPath, VEHist, WassersteinWL
from grafik.features import WeisfeilerLehman
from grafik.large import blocks, gram_file
from grafik.large.gram_file import written_here
from grafik.weights.several import several_weights
from kernel_definitions import naive_gram
from strategies import build, raw_batches

ALL = {**COMBINED, **{f"{name}, whole graphs": one for name, one in WHOLE_GRAPHS.items()}}
every = pytest.mark.parametrize("kernel", ALL.values(), ids=ALL)
some = raw_batches(label=st.integers(0, 2), max_graphs=5).filter(len).map(build)

# Some graphs have labels that others lack, on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:no (vertex|edge) label of")


@pytest.fixture(scope="module")
def small():
    return datasets.random_graphs(40, n_nodes=(4, 12), density=(0.2, 0.5), n_labels=2)


# Definitions


@given(
    raw_batches(label=st.integers(0, 1), max_graphs=4, max_nodes=5).filter(len).map(build),
    st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=4, max_size=4),
    st.sampled_from([0.5, 4.0, 100.0]),
)
def test_mean_and_gaussian_are_their_definitions(graphs, how_much, sigma):
    parts = [
        FiltrationKernel(WeisfeilerLehman(1), weight="degree", gamma=2.0),
        FiltrationKernel(WeisfeilerLehman(2), weight="triangles", n_levels=2, normalize=True),
        FiltrationKernel(WeisfeilerLehman(0), weight="degree", combine="product", beta=1e-2),
        FiltrationKernel(WeisfeilerLehman(2), weight="core", mass="min", gamma=0.5),
    ]
    grams = [naive_gram(clone(part).fit(graphs), graphs) for part in parts]
    mean = MeanKernel(parts, weights=how_much)
    expected = naive.mean_kernel(grams, how_much)
    assert_allclose(mean.fit_transform(graphs), expected, rtol=1e-12)
    gaussian = GaussianKernel(mean, sigma).fit_transform(graphs)
    assert_allclose(gaussian, naive.gaussian_kernel(expected, sigma), rtol=1e-11)
    alone = GaussianKernel(parts[0], sigma).fit_transform(graphs)
    assert_allclose(alone, naive.gaussian_kernel(grams[0], sigma), rtol=1e-11)


def test_a_gaussian_is_that_of_distances_in_feature_space(small):
    graphs, _ = small
    inner = FiltrationKernel(normalize=True).fit_transform(graphs)
    squared = np.diag(inner)[:, None] + np.diag(inner)[None, :] - 2 * inner
    found = GaussianKernel(FiltrationKernel(), sigma=3.0).fit_transform(graphs)
    assert_allclose(found, np.exp(-1.5 * squared), rtol=1e-12)


@pytest.mark.parametrize("name", ["MUTAG", "IMDB-BINARY", "EGO-1"])
def test_positive_semi_definite_on_real_data(data, name):
    graphs, _ = datasets.read_tu(data / name)
    mean = MeanKernel.of_weights("degree+curvature+jaccard", depth=3, gamma=8.0)
    for kernel in (mean, GaussianKernel(mean, 4.0)):
        values = np.linalg.eigvalsh(kernel.fit_transform(graphs))
        assert values[0] >= -1e-12 * values[-1]


# Promises


@every
@given(graphs=some, seed=st.integers(0, 99))
def test_matrices_are_sound_and_their_rows_those_of_transform_in_any_order(kernel, graphs, seed):
    one, other = clone(kernel), clone(kernel)
    matrix = one.fit_transform(graphs)
    assert np.isfinite(matrix).all()
    assert np.array_equal(matrix, matrix.T)
    assert matrix.max() <= 1
    values = np.linalg.eigvalsh(matrix)
    assert values[0] >= -1e-10 * max(values[-1], 1e-300)
    assert np.array_equal(other.fit(graphs).transform(graphs), matrix)
    assert np.array_equal(one.transform(graphs), matrix)
    assert np.array_equal(one.diagonal(graphs), np.diag(matrix))
    assert np.array_equal(one.training_diagonal(), np.diag(matrix))
    order = np.random.default_rng(seed).permutation(len(graphs))
    assert np.array_equal(one.transform(graphs[order.tolist()]), matrix[order])
    assert np.array_equal(one.transform(graphs[:1]), matrix[:1])


@every
def test_threads_and_copies_do_not_matter(kernel, small):
    graphs, _ = small
    twin = clone(kernel)
    matrix = twin.fit_transform(graphs[:30])
    threads = {name: jobs for name, jobs in kernel.get_params().items() if name.endswith("n_jobs")}
    for jobs in (1, 2, -1):
        other = clone(kernel).set_params(**dict.fromkeys(threads, jobs))
        assert np.array_equal(other.fit_transform(graphs[:30]), matrix)
        assert np.array_equal(other.transform(graphs), twin.transform(graphs))
    copy = pickle.loads(pickle.dumps(twin))
    assert np.array_equal(copy.transform(graphs), twin.transform(graphs))


@every
def test_equal_graphs_have_exactly_one(kernel, small):
    graphs, _ = small
    graphs = graphs[graphs.n_edges > 0]
    n = len(graphs)
    matrix = clone(kernel).fit_transform(Graphs.concat([graphs, graphs]))
    assert np.array_equal(np.diag(matrix), np.ones(2 * n))
    assert np.array_equal(np.diag(matrix[n:, :n]), np.ones(n))


def test_processes_have_the_same_bits(small, others):
    code = """
from grafik import GaussianKernel, MeanKernel, datasets
graphs, _ = datasets.random_graphs(40, n_nodes=(4, 12), density=(0.2, 0.5), n_labels=2)
K = GaussianKernel(MeanKernel("degree+curvature+jaccard", n_jobs=2), 4.0).fit_transform(graphs)
print(K.tobytes().hex())
"""
    kernel = GaussianKernel(MeanKernel("degree+curvature+jaccard"), 4.0)
    here = kernel.fit_transform(small[0]).tobytes().hex()
    assert [printed.strip() for printed in others(code)] == [here, here]


def test_graphs_without_self_similarity():
    graphs = Graphs.from_edge_lists([[], [(0, 1)], [(0, 1), (1, 2)]], n_nodes=[2, 2, 3])
    mean = MeanKernel([ShortestPath(), WL(1)], weights=[3.0, 1.0])
    matrix = mean.fit_transform(graphs)
    assert np.diag(matrix).tolist() == [0.25, 1.0, 1.0]
    assert mean.diagonal(graphs).tolist() == [0.25, 1.0, 1.0]
    alone = WL(1, normalize=True).fit_transform(graphs)
    assert matrix[0, 1] == alone[0, 1] / 4
    paths = GaussianKernel(ShortestPath(), 2.0)
    assert paths.fit_transform(graphs)[0].tolist() == [0.0, 0.0, 0.0]
    assert paths.diagonal(graphs).tolist() == [0.0, 1.0, 1.0]
    assert paths.transform(graphs[:1]).tolist() == [[0.0, 0.0, 0.0]]
    # A mean below 1 is normalised, so that the distance of a graph from itself is 0.
    whole = GaussianKernel(mean, 2.0)
    assert np.diag(whole.fit_transform(graphs)).tolist() == [1.0, 1.0, 1.0]
    within = MeanKernel([mean, VEHist()]).fit_transform(graphs)
    assert np.diag(within).tolist() == [1.0, 1.0, 1.0]


def test_new_graphs_without_self_similarity():
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)]], n_nodes=[2, 3])
    empty = Graphs.from_edge_lists([[]], n_nodes=[3])
    for part in (ShortestPath(), CoreWL(1), WassersteinWL(1)):
        kernel = GaussianKernel(part).fit(graphs)
        own = clone(part).set_params(normalize=True).fit(graphs).diagonal(empty)
        assert kernel.diagonal(empty).tolist() == own.tolist()
        assert ((kernel.transform(empty) > 0) == (own[:, None] > 0)).all()


# scikit-learn


def test_names_of_parts():
    kernel = MeanKernel(
        [
            FiltrationKernel(),
            ("curved", FiltrationKernel(weight="curvature")),
            FiltrationKernel(weight=weights.Walks(4)),
            FiltrationKernel(weight=weights.core),
            WL(2),
            WL(3),
        ]
    )
    names = [name for name, _ in kernel._named()]
    assert names == ["degree", "curved", "walks", "core", "wl-1", "wl-2"]
    assert kernel.get_params()["wl-2__depth"] == 3
    assert [name for name, _ in MeanKernel([("wl", WL(1)), WL(2)])._named()] == ["wl", "wl-1"]
    with pytest.raises(ValueError, match="two parts are called 'a'"):
        MeanKernel([("a", WL()), ("a", VEHist())]).fit([[(0, 1)]])
    for name in ("weights", "a__b"):
        with pytest.raises(ValueError, match=f"a part cannot be called {name!r}"):
            MeanKernel([(name, WL())]).fit([[(0, 1)]])


def test_names_that_are_made_are_none_that_are_given():
    kernel = MeanKernel([("wl-1", VEHist()), WL(1), WL(2), ("wl-3", VEHist())])
    assert [name for name, _ in kernel._named()] == ["wl-1", "wl-2", "wl-4", "wl-3"]
    kernel = MeanKernel([("wl-1", VEHist()), ("wl", WL(1)), WL(2)])
    assert [name for name, _ in kernel._named()] == ["wl-1", "wl", "wl-2"]


def test_kernels_with_wrong_parts_can_be_shown():
    for parts in (None, [], [WL], [3]):
        kernel = MeanKernel(parts)
        assert kernel.get_params() == {"parts": parts, "weights": None, "n_jobs": None}
        assert "MeanKernel" in kernel._repr_html_()


def test_parameters_that_are_refused_change_nothing():
    kernel = MeanKernel("degree+core")
    for wrong in ({"foo__gamma": 3}, {"foo": WL()}, {"weights": [1, 2], "degree__foo": 1}):
        with pytest.raises(ValueError, match="Invalid parameter 'foo'"):
            kernel.set_params(**wrong)
        assert kernel.get_params(deep=False) == MeanKernel("degree+core").get_params(deep=False)


@pytest.mark.parametrize("scale", [5e-324, 2.0**-1040, 2.0**-900])
def test_tiny_weights_are_weights(small, scale):
    graphs, _ = small
    expected = MeanKernel("degree+core", weights=[1, 3]).fit_transform(graphs)
    found = MeanKernel("degree+core", weights=[scale, 3 * scale]).fit_transform(graphs)
    assert np.array_equal(found, expected)


def test_nested_parameters_and_parts_are_set_by_name(small):
    graphs, _ = small
    kernel = MeanKernel("degree+core")
    kernel.set_params(degree__gamma=8.0, core=WL(2), weights=[1, 2])
    assert kernel.get_params()["degree__gamma"] == 8.0
    expected = MeanKernel([FiltrationKernel(gamma=8.0), WL(2)], weights=[1, 2])
    assert np.array_equal(kernel.fit_transform(graphs), expected.fit_transform(graphs))
    assert [name for name, _ in kernel.parts_] == ["degree", "core"]
    with pytest.raises(ValueError, match="Invalid parameter 'jaccard'"):
        kernel.set_params(jaccard__gamma=1.0)
    outer = GaussianKernel(MeanKernel("degree+core"), 2.0)
    outer.set_params(kernel__core__n_levels=2, sigma=4.0)
    assert outer.kernel.get_params()["core__n_levels"] == 2
    assert clone(outer).get_params()["kernel__core__n_levels"] == 2
    own = FiltrationKernel()
    kernel = MeanKernel([own, WL(1)])
    clone(kernel).set_params(degree__gamma=5.0)
    assert own.gamma == 1.0
    kernel.fit(graphs)
    assert not hasattr(own, "alphas_")
    assert own.normalize is False


def test_pipelines_grids_and_scores(small):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    kernel = GaussianKernel(MeanKernel([("walks", FiltrationKernel(weight="walks")), WL(1)]))
    model = make_pipeline(kernel, SVC(kernel="precomputed"))
    grid = {
        "gaussiankernel__sigma": [1.0, 4.0],
        "gaussiankernel__kernel__walks__gamma": [0.5, 8.0],
        "gaussiankernel__kernel__wl": [WL(2), VEHist()],
        "gaussiankernel__kernel__weights": [None, [1.0, 3.0]],
    }
    search = GridSearchCV(model, grid, cv=3).fit(graphs, y)
    assert search.best_params_.keys() == grid.keys()
    assert search.predict(graphs).shape == y.shape
    scores = [cross_val_score(model, *small, cv=4, n_jobs=jobs).tolist() for jobs in (1, 2)]
    assert scores[0] == scores[1]


def test_fitting_leaves_no_trace_and_forgets(small):
    graphs, _ = small
    for kernel in ALL.values():
        twin = clone(kernel)
        before = pickle.dumps(graphs)
        first = twin.fit_transform(graphs)
        twin.fit(graphs[:7])
        assert twin.transform(graphs[:3]).shape == (3, 7)
        assert np.array_equal(twin.fit_transform(graphs), first)
        state = {name: id(value) for name, value in vars(twin).items()}
        twin.transform(graphs)
        twin.diagonal(graphs)
        assert {name: id(value) for name, value in vars(twin).items()} == state
        assert pickle.dumps(graphs) == before


def test_unfitted_kernels_say_so(small):
    for kernel in (MeanKernel("degree"), GaussianKernel(WL())):
        for method in ("transform", "diagonal", "count"):
            with pytest.raises(NotFittedError):
                getattr(kernel, method)(small[0])
        for method in ("on_histograms", "training_diagonal"):
            with pytest.raises(NotFittedError):
                getattr(kernel, method)()


# Fitted parts


def test_kernels_made_of_fitted_parts(small):
    graphs, _ = small
    kernel = GaussianKernel(MeanKernel("degree+core", weights=[1, 2]), 4.0)
    matrix = kernel.fit_transform(graphs)
    parts = [FiltrationKernel(weight=name).fit(graphs) for name in ("degree", "core")]
    built = kernel.learned(kernel.kernel.learned(parts))
    assert np.array_equal(built.transform(graphs), matrix)
    assert np.array_equal(built.diagonal(graphs), np.ones(len(graphs)))
    assert built.kernel_.parts_ == list(zip(["degree", "core"], parts, strict=True))
    with pytest.raises(ValueError, match="2 fitted parts are needed, got 1"):
        kernel.kernel.learned(parts[:1])
    with pytest.raises(NotFittedError):
        kernel.learned(FiltrationKernel())
    with pytest.raises(ValueError, match=r"different numbers of graphs: \[40, 9\]"):
        kernel.kernel.learned([parts[0], FiltrationKernel(weight="core").fit(graphs[:9])])


def test_fitted_parts_need_not_be_normalised_themselves(small):
    graphs, _ = small
    kernel = MeanKernel([CoreWL(1), VEHist()], weights=[1, 2])
    parts = [CoreWL(1).fit(graphs), VEHist().fit(graphs)]
    expected = naive.mean_kernel([part.transform(graphs).tolist() for part in parts], [1, 2])
    assert_allclose(kernel.learned(parts).transform(graphs), expected, rtol=1e-12)
    assert_allclose(kernel.fit_transform(graphs), expected, rtol=1e-12)


# What is refused


def test_several_weights():
    assert several_weights(" degree + core") == ["degree", "core"]
    for text, message in {
        "degree+": "lacks a name",
        "+": "lacks a name",
        "degree+size": "weight must be one of 'degree', .*, got 'size'",
        "degree+degree": "names 'degree' twice",
    }.items():
        with pytest.raises(ValueError, match=message):
            several_weights(text)
    with pytest.raises(TypeError, match=r"one text, as in 'degree\+curvature', got \['degree'\]"):
        several_weights(["degree"])


def test_several_weights_in_one_kernel_are_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"MeanKernel.of_weights\('degree\+core'\)"):
        FiltrationKernel(weight="degree+core").fit([[(0, 1)]])


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (MeanKernel([]), "parts must be a list of kernels"),
        (MeanKernel(WL()), "parts must be a list of kernels"),
        (MeanKernel(["degree", "core"]), "part 0 is the text 'degree'.*FiltrationClassifier"),
        (MeanKernel([WL]), r"part 0 is the class WL; pass a kernel: WL\(\)"),
        (MeanKernel([("a", SVC())]), "part 'a' must be a kernel .* SVC has no transform"),
        (MeanKernel([WL(), 3]), "part 1 must be a kernel .* int has no fit"),
        (MeanKernel([WL(-1)]), "depth must be"),
        (MeanKernel("degree+core", weights=[1]), "weights must be 2 positive finite numbers"),
        (MeanKernel("degree+core", weights=[1, 0]), "weights must be 2 positive"),
        (MeanKernel("degree+core", weights=[1, np.nan]), "weights must be 2 positive"),
        (MeanKernel("degree+core", weights=[1e308, 1e308]), "weights must be 2 positive"),
        (MeanKernel("degree+core", weights="ab"), "weights must be 2 positive"),
        (MeanKernel("degree+core", weights=["1", "2"]), "weights must be 2 positive"),
        (MeanKernel("degree+core", weights=[True, 2]), "weights must be 2 positive"),
        (MeanKernel("degree+core", weights=np.array([True, True])), "weights must be 2 positive"),
        (MeanKernel("degree+core", n_jobs=0), "n_jobs must be"),
        (
            MeanKernel([MeanKernel("degree", weights=[0])]),
            "weights must be 1 positive finite number,",
        ),
        (
            FiltrationKernel(mass=np.array(["min", "min"])),
            "mass must be 'linear' or 'min', got arr",
        ),
        (FiltrationKernel(combine=np.array(["sum", "sum"])), "combine must be 'sum' or 'product'"),
        (
            FiltrationKernel(scale=np.array(["raw", "raw"])),
            "scale must be 'unit' or 'raw', got arr",
        ),
        (GaussianKernel("degree"), "kernel is the text 'degree'"),
        (GaussianKernel(WL), "kernel is the class WL"),
        (GaussianKernel(SVC()), "kernel must be a kernel .* SVC has no transform"),
        (GaussianKernel(WL(), 0.0), "sigma must be a finite number above 0, got 0.0"),
        (GaussianKernel(WL(), -1.0), "sigma must be a finite number above 0, got -1.0"),
        (GaussianKernel(WL(), np.inf), "sigma must be a finite number"),
        (GaussianKernel(WL(), "1"), "sigma must be a finite number"),
    ],
)
def test_messages(kernel, message):
    for method in ("fit", "fit_transform"):
        with pytest.raises((TypeError, ValueError), match=message):
            getattr(kernel, method)([[(0, 1)]])


def test_what_a_part_cannot_do_is_refused_by_its_name(small, tmp_path):
    graphs, _ = small
    kernel = GaussianKernel(MeanKernel([("wl", WL(1)), ("cores", CoreWL(1))]))
    for what, call in {
        "gram_to": lambda: kernel.gram_to(tmp_path / "K.npy", graphs),
        "transform_to": lambda: kernel.fit(graphs).transform_to(tmp_path / "K.npy", graphs),
        "client=": lambda: kernel.fit_transform(graphs, client="a client"),
        "file": lambda: kernel.fit(graphs).save(tmp_path / "kernel"),
    }.items():
        with pytest.raises(TypeError, match=f"part 'cores' has no {what}: CoreWL compares whole"):
            call()
    with pytest.raises(TypeError, match="part 'cores' has no client="):
        kernel.fit(graphs).transform(graphs, client="a client")
    assert list(tmp_path.iterdir()) == []


def test_another_matrix_is_not_taken_for_the_one_that_was_begun(small, tmp_path, monkeypatch):
    graphs, _ = small
    monkeypatch.setattr(blocks, "MOST_GRAPHS", 7)
    kernel = GaussianKernel(MeanKernel("degree+core", weights=[1, 2]), 4.0)

    def stopped(kernel, cut, places, file):
        yield from written_here(kernel, cut, places[:5], file)
        raise KeyboardInterrupt

    node, x = kernel.fit(graphs).on_histograms(), kernel.fit(graphs).histograms_
    with pytest.raises(KeyboardInterrupt):
        gram_file.write_gram(tmp_path / "K.npy", node, x, x, memory=1e9, write=stopped)
    for change in ({"sigma": 3.0}, {"kernel__weights": [2, 1]}, {"kernel__core__gamma": 8.0}):
        with pytest.raises(ValueError, match="holds a part of another matrix: kernel"):
            clone(kernel).set_params(**change).gram_to(tmp_path / "K.npy", graphs)
    matrix = kernel.gram_to(tmp_path / "K.npy", graphs)
    assert matrix.tobytes() == kernel.fit_transform(graphs).tobytes()


def test_no_graphs_are_refused_and_none_are_compared(small):
    kernel = MeanKernel("degree+core")
    with pytest.raises(ValueError, match="at least one graph is needed to fit, got none"):
        kernel.fit([])
    assert kernel.fit(small[0]).transform([]).shape == (0, 40)
    assert GaussianKernel(CoreWL(1)).fit(small[0]).transform([]).shape == (0, 40)


def test_new_graphs_must_match_those_of_the_fit():
    directed = Graphs.from_edge_lists([[(0, 1)]], directed=True)
    kernel = MeanKernel([WL(1), ShortestPath()]).fit([[(0, 1)], [(0, 1), (1, 2)]])
    with pytest.raises(ValueError, match="directed"):
        kernel.transform(directed)
