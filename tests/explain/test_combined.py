"""Explanations of means and Gaussians: parts and features add up, and say what they explain."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR

from all_kernels import COMBINED, WHOLE_GRAPHS
from grafik import (
    FiltrationKernel,
    GaussianKernel,
    Graphs,
    MeanKernel,
    datasets,
    explain_pair,
    explain_prediction,
    vertex_importance,
)
from grafik.baselines import WL, CoreWL, ShortestPath

ALL = {**COMBINED, **{f"{name}, whole graphs": one for name, one in WHOLE_GRAPHS.items()}}
every = pytest.mark.parametrize("kernel", ALL.values(), ids=ALL)


@pytest.fixture(scope="module")
def data():
    graphs, _ = datasets.random_graphs(24, n_nodes=(4, 9), density=(0.2, 0.5), n_labels=2)
    return graphs, np.arange(24) % 2


def added(found):
    return sum(feature.contribution for feature in found.features)


@every
def test_pairs_are_the_kernel_and_add_up(kernel, data):
    graphs, _ = data
    fitted = clone(kernel)
    matrix = fitted.fit_transform(graphs)
    for i, j in ((0, 1), (3, 6), (2, 2), (6, 6)):
        found = explain_pair(fitted, graphs[i], graphs[j])
        assert found.value == pytest.approx(matrix[i, j], rel=1e-13, abs=1e-300)
        assert found.base + added(found) == pytest.approx(found.total, abs=1e-12)
        if found.parts:
            parts = [part.weight * part.similarity for part in found.parts]
            assert parts == pytest.approx([part.contribution for part in found.parts])
            assert sum(parts) == pytest.approx(found.total, abs=1e-12)
        if found.sigma is not None and matrix[i, i] and matrix[j, j]:
            inner = np.exp(-found.sigma * (1 - found.similarity))
            assert found.value == pytest.approx(inner, rel=1e-12)
        told = json.loads(json.dumps(found.to_dict(3)))
        assert len(told["features"]) == min(3, told["n_features"])
        frame = found.to_pandas()
        assert len(frame) == len(found.features)
        assert ("sigma" in told) == (found.sigma is not None)
        assert frame.attrs.get("explained") == told.get("explained")


@every
def test_decisions_add_up_with_the_remainder(kernel, data):
    graphs, y = data
    model = make_pipeline(clone(kernel), SVC(kernel="precomputed", C=5.0)).fit(graphs, y)
    found = explain_prediction(model, graphs[4])
    decision = model.decision_function(graphs[4])[0]
    assert found.value == pytest.approx(decision, abs=1e-9)
    assert found.base + found.remainder + added(found) == pytest.approx(decision, abs=1e-9)
    by_graph = sum(graph.contribution for graph in found.graphs)
    assert found.intercept + by_graph == pytest.approx(decision, abs=1e-9)
    by_part = sum(part.contribution for part in found.parts)
    assert found.intercept + found.remainder + by_part == pytest.approx(decision, abs=1e-9)
    assert found.linearised == ("Gaussian" in repr(kernel))
    assert found.linearised or found.remainder == 0
    assert ("the Gaussian is linearised" in str(found)) == found.linearised
    told = json.loads(json.dumps(found.to_dict(3)))
    assert (told["linearised"], told["remainder"]) == (found.linearised, found.remainder)
    frame = found.to_pandas()
    assert len(frame) == len(found.features)
    assert frame.attrs == {"linearised": found.linearised, "remainder": found.remainder}


def test_a_gaussian_is_replaced_by_its_tangent(data):
    graphs, y = data
    kernel = GaussianKernel(MeanKernel("degree+core", weights=[1, 3]), 2.0)
    model = make_pipeline(kernel, KernelRidge(kernel="precomputed")).fit(graphs, y)
    found, expected = explain_prediction(model, graphs[5]), {}
    for s, coefficient in enumerate(model[-1].dual_coef_):
        pair = explain_pair(model[0], graphs[5], graphs[s])
        for one in pair.features:
            for key in one.keys:
                slope = coefficient * 2.0 * pair.value / len(one.keys)
                place = one.part, key
                expected[place] = expected.get(place, 0) + slope * one.contribution
    for one in found.features:
        assert one.contribution == pytest.approx(
            sum(expected.get((one.part, key), 0) for key in one.keys), abs=1e-9
        )


def test_without_support_vectors_nothing_but_the_intercept_is_left():
    """A tube that is wide enough holds all numbers, so that no graph is needed to tell them."""
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]])
    model = make_pipeline(MeanKernel("degree+core"), SVR(kernel="precomputed", epsilon=9.0))
    found = explain_prediction(model.fit(graphs, [1.0, 2.0, 3.0]), graphs[1])
    assert len(model[-1].support_) == 0
    assert found.value == found.intercept == model.predict(graphs)[1]
    assert (found.features, found.graphs, found.parts) == ((), (), ())
    assert (found.linearised, found.remainder) == (False, 0.0)


def test_a_mean_that_lacks_a_part_is_normalised_within_a_gaussian():
    """A single vertex has no paths, so its kernel with itself is 1/2; that of a path is 1."""
    kernel = MeanKernel([("paths", ShortestPath()), ("sizes", FiltrationKernel(depth=0))])
    vertex_and_path = Graphs.from_edge_lists([[], [(0, 1), (1, 2)]], n_nodes=[1, 3])
    found = explain_pair(GaussianKernel(kernel, 2.0).fit(vertex_and_path), *vertex_and_path)
    assert found.similarity == pytest.approx(np.sqrt(0.5), rel=1e-13)
    assert found.value == pytest.approx(np.exp(-2 * (1 - np.sqrt(0.5))), rel=1e-13)
    assert found.base == 0.0
    assert added(found) == pytest.approx(found.total, rel=1e-13)
    contributions = [part.contribution for part in found.parts]
    assert contributions == pytest.approx([0.0, np.sqrt(0.5)], rel=1e-13)
    assert [part.weight for part in found.parts] == pytest.approx([np.sqrt(0.5)] * 2, rel=1e-13)


def test_parts_and_features_of_a_mean_are_named(data):
    graphs, y = data
    kernel = MeanKernel([("outer", MeanKernel("degree+core")), ("cores", CoreWL(1))], [3, 1])
    found = explain_pair(kernel.fit(graphs), graphs[0], graphs[1])
    assert [part.name for part in found.parts] == ["outer", "cores"]
    assert [part.weight for part in found.parts] == [0.75, 0.25]
    assert {feature.part for feature in found.features} == {"outer/degree", "outer/core"}
    assert found.base == found.parts[1].contribution
    assert found.parts[1].explanation is None
    assert found.to_pandas().columns[0] == "part"
    assert "not split by features" in str(found)
    lines = str(found).splitlines()
    assert lines[0].endswith("(mean kernel)")
    assert lines[1].startswith("parts: outer ")
    assert "outer/degree" in lines[4] or "outer/core" in lines[4]
    model = make_pipeline(kernel, SVC(kernel="precomputed")).fit(graphs, y)
    names = [part.name for part in explain_prediction(model, graphs[0]).parts]
    assert names == ["outer/degree", "outer/core", "cores"]


def test_a_gaussian_says_what_it_explains(data):
    graphs, _ = data
    found = explain_pair(GaussianKernel(FiltrationKernel(), 4.0), graphs[0], graphs[1])
    assert not found.fitted
    assert f"its Gaussian exp(-4 (1 - K)) is {found.value:.10g}" in str(found)
    assert found.to_dict()["explained"].startswith("similarity; value = exp(")
    alone = explain_pair(FiltrationKernel(normalize=True), graphs[0], graphs[1])
    assert found.similarity == alone.value
    assert [f.contribution for f in found.features] == [f.contribution for f in alone.features]


def test_vertices_of_means_have_shares_of_all_parts(data):
    graphs, y = data
    mean = MeanKernel([FiltrationKernel(), WL(2), ShortestPath()], [1, 2, 4])
    for kernel in (MeanKernel("degree+core"), GaussianKernel(MeanKernel("degree+core"))):
        found = explain_pair(kernel.fit(graphs), graphs[0], graphs[1])
        for graph in (0, 1):
            shares = vertex_importance(found, graph)
            assert shares.sum() == pytest.approx(found.total)
            assert len(shares) == found.n_nodes[graph]
    found = explain_pair(mean.fit(graphs), graphs[0], graphs[1])
    first = sum(part.contribution for part in found.parts[:2])
    assert vertex_importance(found).sum() == pytest.approx(first)
    model = make_pipeline(MeanKernel("degree+core"), SVC(kernel="precomputed")).fit(graphs, y)
    why = explain_prediction(model, graphs[3])
    assert vertex_importance(why).sum() == pytest.approx(why.value - why.base)
    with pytest.raises(TypeError, match="single vertices"):
        vertex_importance(explain_pair(MeanKernel([ShortestPath()]), graphs[0], graphs[1]))


def test_what_cannot_be_explained_is_refused_by_its_name(data):
    graphs, _ = data

    class Foreign(FiltrationKernel.__mro__[1]):
        def fit(self, X, y=None):
            self.n_ = len(X)
            return self

        def transform(self, X):
            return np.ones((len(X), self.n_))

        def diagonal(self, X):
            return np.ones(len(X))

    with pytest.raises(TypeError, match="part 'foreign' cannot be explained: Foreign compares"):
        explain_pair(MeanKernel([Foreign(), WL(1)]), graphs[0], graphs[1])
    with pytest.raises(TypeError, match="MeanKernel or GaussianKernel, got a CoreWL"):
        explain_pair(CoreWL(1), graphs[0], graphs[1])


def test_plots_and_notebooks_take_them(data):
    graphs, _ = data
    found = explain_pair(MeanKernel("degree+core"), graphs[0], graphs[1])
    assert "degree" in found._repr_html_()
    ax = found.plot(3, ax=Figure().subplots())
    assert len(ax.patches) >= 3
