"""Vectors of means are exact, those of Gaussians are close, and other kernels are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from all_kernels import COMBINED
from grafik import FiltrationKernel, GaussianKernel, KernelEmbedding, MeanKernel, datasets
from grafik.baselines import WL, CoreWL, ShortestPath, VEHist
from grafik.embeddings.explicit_maps import (
    GaussianMap,
    MeanMap,
    Options,
    Vectors,
    explicit_map,
    stream,
)
from strategies import build, raw_batches

some = raw_batches(label=st.integers(0, 2), max_graphs=5).filter(len).map(build)
EXACT = {
    "one": FiltrationKernel(depth=2),
    "several": MeanKernel("degree+core+jaccard", weights=[1, 2, 4]),
    "smaller masses": MeanKernel.of_weights("degree+core", mass="min", depth=2),
    "features": MeanKernel([WL(2), ShortestPath(), VEHist()]),
    "nested": MeanKernel([MeanKernel([ShortestPath(), WL(1)], [3, 1]), VEHist()], [1, 5]),
}

pytestmark = pytest.mark.filterwarnings("ignore:no (vertex|edge) label of")


@pytest.fixture(scope="module")
def data():
    return datasets.random_graphs(40, n_nodes=(4, 12), density=(0.2, 0.5), n_labels=2)


@pytest.mark.parametrize("kernel", EXACT.values(), ids=EXACT)
@given(graphs=some)
def test_products_of_a_mean_are_the_kernel(kernel, graphs):
    embedding = KernelEmbedding(kernel)
    vectors = embedding.fit_transform(graphs).toarray()
    normalised = clone(kernel)
    if isinstance(kernel, FiltrationKernel):
        normalised.set_params(normalize=True)
    assert np.allclose(vectors @ vectors.T, normalised.fit_transform(graphs), atol=1e-9)
    assert np.allclose(embedding.transform(graphs).toarray(), vectors, atol=1e-9)


def test_products_of_a_gaussian_are_close_and_right_on_average(data):
    graphs, _ = data
    kernel = GaussianKernel(MeanKernel("degree+core"), 2.0)
    matrix = kernel.fit_transform(graphs)
    found = []
    for seed in range(20):
        vectors = KernelEmbedding(kernel, n_components=512, random_state=seed).fit_transform(graphs)
        found.append((vectors @ vectors.T).toarray())
    errors = np.array(found) - matrix
    assert np.sqrt((errors**2).mean()) < 1.5 / np.sqrt(512)
    assert np.abs(errors.mean(axis=0)).max() < 6 / np.sqrt(512 * 20)
    assert np.abs(found[0] - found[1]).max() > 1e-3


@pytest.mark.parametrize("options", [{}, {"min_graphs": 8}, {"rank": 1}])
def test_features_that_are_dropped_do_not_bias_the_products_of_a_gaussian(data, options):
    graphs, new = data[0][:25], data[0][25:]
    kernel = FiltrationKernel(depth=2)
    inner = KernelEmbedding(kernel, **options)
    known = inner.fit_transform(graphs)
    embedding = KernelEmbedding(GaussianKernel(kernel, 8.0), n_components=2**15, **options)
    vectors = embedding.fit_transform(graphs)
    for batch, rows in ((graphs, known), (new, inner.transform(new))):
        lengths = rows.power(2).sum(axis=1)
        assert lengths.min() < 0.9 or (batch is graphs and not options)
        expected = np.exp(-8.0 * (1 - (rows @ known.T).toarray()))
        found = (embedding.transform(batch) @ vectors.T).toarray()
        assert np.abs(found - expected).max() < 0.03
    if not options:  # all that new graphs share with those of the fit is there
        exact = GaussianKernel(kernel, 8.0).fit(graphs).transform(new)
        assert np.abs(found - exact).max() < 0.03


def test_a_graph_without_features_has_no_random_features():
    graphs = [[(0, 1)], [(0, 1), (1, 2)]]
    kernel = GaussianKernel(ShortestPath())
    embedding = KernelEmbedding(kernel, n_components=64).fit(graphs)
    lonely = datasets.random_graphs(1, n_nodes=3, density=0.0)[0]
    assert embedding.transform(lonely).nnz == 0
    assert embedding.transform(graphs).nnz == 2 * 64


@pytest.mark.parametrize("name", COMBINED)
def test_rows_do_not_depend_on_other_graphs_and_threads_do_not_matter(name, data):
    graphs, _ = data
    kernel = COMBINED[name]
    if "product" in repr(kernel):
        with pytest.raises(ValueError, match="'degree' has combine='product'.*combine='sum'"):
            KernelEmbedding(kernel).fit(graphs)
        return
    embedding = KernelEmbedding(kernel, n_components=32).fit(graphs[:30])
    vectors = embedding.transform(graphs).toarray()
    assert np.array_equal(embedding.transform(graphs[35:]).toarray(), vectors[35:])
    threads = KernelEmbedding(kernel, n_components=32, n_jobs=2).fit(graphs[:30])
    assert np.array_equal(threads.transform(graphs).toarray(), vectors)
    names = embedding.get_feature_names_out()
    assert len(set(names)) == len(names) == vectors.shape[1]


def test_names_and_pipelines(data):
    graphs, y = data
    kernel = MeanKernel([("a", WL(1)), ("b", GaussianKernel(WL(1)))])
    embedding = KernelEmbedding(kernel, n_components=3).fit(graphs)
    names = embedding.get_feature_names_out().tolist()
    assert names[-3:] == ["b: random0", "b: random1", "b: random2"]
    assert all(name.startswith("a: ") for name in names[:-3])
    model = make_pipeline(KernelEmbedding(kernel), LogisticRegression(max_iter=1000))
    model.set_params(kernelembedding__kernel__b__sigma=4.0, kernelembedding__n_components=50)
    assert model.fit(graphs, y).score(graphs, y) > 0.6


def test_parts_of_a_mean_draw_different_directions(data):
    graphs, _ = data
    kernel = MeanKernel([("a", GaussianKernel(WL(1))), ("b", GaussianKernel(WL(1)))])
    vectors = KernelEmbedding(kernel, n_components=8).fit_transform(graphs).toarray()
    assert not np.allclose(vectors[:, :8], vectors[:, 8:])


def test_maps_within_others_draw_from_streams_of_their_own():
    seeds = [(3,), (3, 0), (3, 0, 0), (3, 0, 1), (3, 1), (4,), (4, 0)]
    drawn = [stream(seed).standard_normal(4).tolist() for seed in seeds]
    assert len({tuple(values) for values in drawn}) == len(seeds)


class Given:
    """A map whose vectors, and self-similarities, are given."""

    def __init__(self, rows, own):
        self.vectors = Vectors(csr_matrix(rows), np.array(own))

    def transform(self, graphs):
        return self.vectors


def test_a_mean_has_as_many_weights_as_parts():
    part = "one", Given([[1.0]], [1.0])
    assert MeanMap([part], [3.0]).transform(None).rows.toarray().tolist() == [[1.0]]
    with pytest.raises(ValueError, match="shorter|longer"):
        MeanMap([part], [1.0, 1.0]).transform(None)


def test_parts_of_a_mean_that_lack_a_graph_leave_the_others_to_be_normalised():
    # The first graph has features in both parts, the second one in one part, the last in none.
    rows = [[0.6, 0.8], [1.0, 0.0], [0.0, 0.0]]
    parts = (
        ("a", Given(rows, [1.0, 1.0, 0.0])),
        ("b", Given([[1.0], [0.0], [0.0]], [1.0, 0.0, 0.0])),
    )
    mean = MeanMap(parts, [1, 3])
    found = mean.transform(None)
    assert np.allclose((found.rows @ found.rows.T).diagonal(), [1.0, 0.25, 0.0])
    assert found.own.tolist() == [1.0, 0.25, 0.0]
    again = MeanMap([("mean", mean)], [1.0]).transform(None).rows
    assert np.allclose(again.toarray()[1], [1.0, 0.0, 0.0])
    assert np.allclose((again @ again.T).diagonal(), [1.0, 1.0, 0.0])
    assert np.isfinite(again.data).all()


def test_a_gaussian_of_a_gaussian_is_close():
    gram = np.array([[1.0, 0.8, 0.3], [0.8, 1.0, 0.5], [0.3, 0.5, 1.0]])
    inner = Given(np.linalg.cholesky(gram), np.ones(3))
    for kernel in (GaussianKernel(WL(1), 0.5), GaussianKernel(GaussianKernel(WL(1), 0.5), 2.0)):
        made = explicit_map("kernel", kernel, Options({"n_jobs": None}, 1024, (0,)))
        deepest = made
        while isinstance(deepest.inner, GaussianMap):
            deepest = deepest.inner
        deepest.inner = inner
        vectors = made.transform(None).rows
        found = (vectors @ vectors.T).toarray()
        expected = np.exp(-0.5 * (1 - gram))
        if made is not deepest:
            expected = np.exp(-2.0 * (1 - expected))
        assert np.abs(found - expected).max() < 0.15
        assert np.abs(expected - expected[0, 2]).max() > 0.25


def test_messages(data):
    graphs, _ = data
    for kernel, message in (
        (FiltrationKernel, r"kernel is the class FiltrationKernel; pass a kernel: Filt.*\(\)"),
        ("degree", "kernel is the text 'degree'"),
        (CoreWL(1), "kernel is a CoreWL, which has no explicit map"),
        (MeanKernel([("cores", CoreWL(1))]), "part 'cores' is a CoreWL"),
        (GaussianKernel(CoreWL(1)), "kernel.kernel is a CoreWL"),
        (GaussianKernel(WL(1), -1.0), "sigma must be"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            KernelEmbedding(kernel).fit(graphs)
    with pytest.raises(ValueError, match="n_components must be"):
        KernelEmbedding(WL(1), n_components=0).fit(graphs)
    with pytest.raises(NotFittedError):
        KernelEmbedding(WL(1)).transform(graphs)
