"""Kernels of other libraries as parts of means and Gaussians, and calls that fail."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import NotFittedError

from grafik import FiltrationKernel, GaussianKernel, Graphs, MeanKernel, datasets
from grafik.baselines import WL, CoreWL


class Foreign(BaseEstimator, TransformerMixin):
    """A kernel of another library: numbers of vertices and edges."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def fit(self, X, y=None):
        self.seen_ = self._vectors(X)
        return self

    def transform(self, X):
        return self._vectors(X) @ self.seen_.T

    def diagonal(self, X):
        return (self._vectors(X) ** 2).sum(axis=1)

    def _vectors(self, graphs):
        assert isinstance(graphs, Graphs)  # converted once, for all parts
        return self.scale * np.stack([graphs.n_nodes, graphs.n_edges], axis=1).astype(float)


@pytest.fixture(scope="module")
def small():
    return datasets.random_graphs(40, n_nodes=(4, 12), density=(0.2, 0.5), n_labels=2)


def test_kernels_of_other_libraries(small):
    graphs, _ = small
    kernel = GaussianKernel(MeanKernel([Foreign(), FiltrationKernel()]), 2.0)
    matrix = kernel.fit_transform(graphs)
    own = Foreign().fit(graphs)
    one = own.transform(graphs) / np.sqrt(np.outer(own.diagonal(graphs), own.diagonal(graphs)))
    other = FiltrationKernel(normalize=True).fit_transform(graphs)
    assert_allclose(matrix, np.exp(-2 * (1 - (one + other) / 2)), rtol=1e-10)
    assert_allclose(kernel.transform(graphs), matrix, rtol=1e-12)
    assert_allclose(kernel.fit(graphs).transform(graphs), matrix, rtol=1e-12)
    assert (clone(kernel).set_params(kernel__foreign__scale=2.0).fit(graphs).kernel_.parts_)[0][
        1
    ].scale == 2.0


def test_a_fitted_part_that_keeps_no_self_similarities_is_refused():
    own = Foreign().fit(Graphs.from_edge_lists([[(0, 1)]]))
    with pytest.raises(TypeError, match="'foreign' was fitted elsewhere, and Foreign does not"):
        MeanKernel([Foreign()]).learned([own])


class Bare(BaseEstimator):
    """A kernel of another library that has only what is needed."""

    def __init__(self, scale=1.0, wrong=None):
        self.scale = scale
        self.wrong = wrong

    def fit(self, X, y=None):
        self.inner_ = Foreign().fit(X)
        return self

    def transform(self, X):
        matrix = self.scale * self.inner_.transform(X)
        if self.wrong == "matrix":
            matrix[0, -1] = np.nan
        return matrix[:, 1:] if self.wrong == "columns" else matrix

    def diagonal(self, X):
        found = self.scale * self.inner_.diagonal(X)
        if self.wrong == "shape":
            return found[:, None]
        if self.wrong in (-1.0, np.inf):
            found[1] = self.wrong
        return found


def test_kernels_of_other_libraries_need_no_fit_transform(small):
    graphs, _ = small
    for make in (lambda part: MeanKernel([part, WL(1)]), GaussianKernel):
        expected = make(Foreign()).fit_transform(graphs)
        kernel = make(Bare())
        assert np.array_equal(kernel.fit_transform(graphs), expected)
        assert np.array_equal(kernel.transform(graphs), expected)


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600])
def test_numbers_of_other_libraries_may_be_of_any_size(small, scale):
    graphs, _ = small
    for make in (lambda part: MeanKernel([part, WL(1)]), GaussianKernel):
        expected = make(Bare()).fit_transform(graphs)
        kernel = make(Bare(scale))
        assert np.array_equal(kernel.fit_transform(graphs), expected)
        assert np.array_equal(kernel.transform(graphs[:5]), expected[:5])
        assert np.array_equal(kernel.diagonal(graphs), np.ones(len(graphs)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("matrix", "part 'odd', Bare.*, must give finite kernels, .* got nan"),
        (np.inf, "part 'odd', Bare.*, must give finite kernels .* got inf for graph 1"),
        (
            -1.0,
            "part 'odd', Bare.*, must give finite kernels of at least 0 .* got -1.0 for graph 1",
        ),
        ("columns", r"'odd', Bare.*, must give a matrix of shape \(40, 40\), got \(40, 39\)"),
        ("shape", r"part 'odd', Bare.*, must give 40 numbers as diagonal, got \(40, 1\)"),
    ],
)
def test_wrong_numbers_of_other_libraries_are_refused(small, wrong, message):
    graphs, _ = small
    kernel = MeanKernel([("odd", Bare(wrong=wrong)), WL(1)])
    for use in (kernel.fit_transform, lambda graphs: kernel.fit(graphs).transform(graphs)):
        with pytest.raises(ValueError, match=message):
            use(graphs)
    fitted = GaussianKernel(MeanKernel([("odd", Bare())])).fit(graphs)
    fitted.kernel_.parts_[0][1].wrong = wrong
    with pytest.raises(ValueError, match=message):
        fitted.transform(graphs)


def test_matrices_of_other_libraries_are_not_written_to(small):
    graphs, _ = small
    kernel = GaussianKernel(Kept()).fit(graphs)
    before = kernel.kernel_.matrix_.copy()
    kernel.transform(graphs)
    assert np.array_equal(kernel.kernel_.matrix_, before)


class Kept(Foreign):
    """It gives away its own matrix."""

    def fit(self, X, y=None):
        super().fit(X)
        self.matrix_ = super().transform(X)
        return self

    def transform(self, X):
        return self.matrix_


class Plain:
    """What is needed to compare graphs, but not to be copied."""

    fit = Foreign.fit
    transform = Foreign.transform
    diagonal = Foreign.diagonal


def test_parts_that_cannot_be_copied_are_refused_by_name():
    with pytest.raises(TypeError, match="part 'plain' cannot be copied, because Plain has no get"):
        MeanKernel([("plain", Plain())]).fit([[(0, 1)]])
    with pytest.raises(TypeError, match="kernel cannot be copied, because Plain has no get_params"):
        GaussianKernel(Plain()).fit([[(0, 1)]])


class Failing(Foreign):
    """It cannot be fitted."""

    def fit(self, X, y=None):
        raise RuntimeError("no")


def test_a_call_that_fails_leaves_a_fitted_kernel_as_it_was(small, tmp_path):
    graphs, _ = small
    kernel = GaussianKernel(MeanKernel([("wl", WL(1)), ("cores", CoreWL(1))]), 2.0).fit(graphs)
    matrix = kernel.transform(graphs)
    directed = Graphs.from_edge_lists([[(0, 1)]], directed=True)
    for call, error in (
        (lambda: kernel.fit_transform(graphs[:3], client="a client"), TypeError),
        (lambda: kernel.gram_to(tmp_path / "K.npy", graphs[:3]), TypeError),
        (lambda: kernel.fit([]), ValueError),
        (lambda: kernel.fit(directed), ValueError),
        (lambda: kernel.fit_transform(directed), ValueError),
        (lambda: clone(kernel).set_params(sigma=-1.0).fit(graphs), ValueError),
        (lambda: kernel.set_params(kernel__cores=Failing()).fit(graphs[:3]), RuntimeError),
        (lambda: kernel.fit_transform(graphs[:3]), RuntimeError),
    ):
        with pytest.raises(error):
            call()
        assert np.array_equal(kernel.transform(graphs), matrix)
    fresh = MeanKernel([WL(1), CoreWL(1)])
    with pytest.raises(ValueError, match="directed"):
        fresh.fit(directed)
    with pytest.raises(NotFittedError):
        fresh.transform(graphs)
