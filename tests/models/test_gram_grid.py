"""The Gram matrices to choose from, against kernels fitted one at a time."""

import numpy as np
import pytest
from sklearn.base import clone

from grafik import FiltrationKernel, datasets, weights
from grafik.baselines import ShortestPath
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.models.gram_grid import Grid, filtration_grams


@pytest.fixture(scope="module")
def graphs():
    return datasets.random_graphs(30, n_nodes=(5, 12), density=(0.2, 0.5), n_labels=2)[0]


@pytest.mark.parametrize("combine", ["sum", "product"])
@pytest.mark.parametrize("thresholds", ["kmeans", "kmeans-distinct", "quantile"])
def test_matrices_are_those_of_kernels_fitted_on_the_training_graphs(graphs, combine, thresholds):
    train = np.array([3, 1, 20, 14, 15, 7, 28])
    kernel = FiltrationKernel(combine=combine, thresholds=thresholds, beta=1e-3)
    found = filtration_grams(kernel, graphs, train, Grid([3, 1], [2, 0], [1.0, 0.25]), True)
    seen = []
    for parameters, gram in found:
        single = clone(kernel).set_params(
            features=WeisfeilerLehman(parameters["depth"]),
            n_levels=parameters["n_levels"],
            gamma=parameters["gamma"],
            normalize=True,
        )
        assert np.array_equal(single.fit(graphs[train]).transform(graphs), gram[:, train])
        seen.append(tuple(parameters.values()))
    one = [(1, depth, 0.25) for depth in (0, 2)]
    assert seen == one + [(3, depth, gamma) for gamma in (0.25, 1.0) for depth in (0, 2)]
    assert len(found) == len(seen)


def test_thresholds_that_come_again_are_left_out(graphs):
    kernel = FiltrationKernel(weight="core")
    n_distinct = len(np.unique(weights.core(graphs)))
    found = filtration_grams(kernel, graphs, None, Grid(range(1, 12), [1], [1.0]), False)
    assert [p["n_levels"] for p, _ in found] == list(range(1, n_distinct + 1))
    assert len(found) == n_distinct


def test_where_the_number_of_levels_is_given_there_is_one(graphs):
    for thresholds, number in (("distinct", len(np.unique(weights.core(graphs)))), ([3.0, 1.0], 2)):
        kernel = FiltrationKernel(weight="core", thresholds=thresholds)
        found = filtration_grams(kernel, graphs, None, Grid([1, 3, 5], [1], [1.0]), False)
        assert [p["n_levels"] for p, _ in found] == [number]


def test_several_weights_and_features_without_depth(graphs):
    kernel = FiltrationKernel(ShortestPaths(), weight="degree", normalize=False)
    tried = ["core", weights.Walks(2)]
    found = filtration_grams(kernel, graphs, None, Grid([2], None, [1.0], tried), True)
    for weight, (parameters, gram) in zip(tried, found, strict=True):
        assert parameters == {"weight": weight, "n_levels": 2, "gamma": 1.0}
        single = FiltrationKernel(ShortestPaths(), weight=weight, n_levels=2, normalize=True)
        assert np.array_equal(single.fit_transform(graphs), gram)
    assert (kernel.weight, kernel.normalize, kernel.thresholds) == ("degree", False, "auto")


@pytest.mark.parametrize("alpha_delta", [None, 7.0])
def test_at_one_level_gamma_does_not_matter_to_products_either(graphs, alpha_delta):
    options = {"combine": "product", "alpha_delta": alpha_delta, "beta": 1e-3, "n_levels": 1}
    first, second = (FiltrationKernel(gamma=g, **options).fit_transform(graphs) for g in (0.5, 4.0))
    assert np.array_equal(first, second)
    found = filtration_grams(
        FiltrationKernel(**options), graphs, None, Grid([1], [5], [0.5, 4.0]), False
    )
    assert [np.array_equal(gram, first) for _, gram in found] == [True]


def test_empty_grids_are_refused(graphs):
    kernel = FiltrationKernel()
    for name, grid in (
        ("levels", ([], [1], [1.0])),
        ("depths", ([1], [], [1.0])),
        ("gammas", ([1], [1], [])),
    ):
        with pytest.raises(
            ValueError, match=f"{name} must hold at least one value, such as .*, got none"
        ):
            filtration_grams(kernel, graphs, None, Grid(*grid), True)
    with pytest.raises(ValueError, match="at least one graph is needed to learn thresholds"):
        filtration_grams(kernel, graphs, np.arange(0), Grid([1], [1], [1.0]), True)


class Shallow(FiltrationKernel):
    """A kernel with features of its own."""

    def new_extractor(self):
        return WeisfeilerLehman(depth=1)


def test_kernels_keep_features_of_their_own(graphs):
    kernel = Shallow(weight="triangles")
    ((_, found),) = filtration_grams(kernel, graphs, None, Grid([3], None, [1.0]), False)
    assert np.array_equal(found, kernel.fit_transform(graphs))
    with pytest.raises(ValueError, match="ShortestPath.* has no weight and no levels"):
        filtration_grams(ShortestPath(), graphs, None, Grid([1], None, [1.0]), False)


@pytest.mark.parametrize(
    "features", [ShortestPaths(), WeisfeilerLehman(1)], ids=["paths", "labels"]
)
def test_weights_are_computed_once_whatever_is_counted(graphs, features):
    calls = []

    def watched(batch):
        calls.append(len(batch))
        return weights.degree(batch)

    kernel = FiltrationKernel(features, weight=watched)
    found = [
        gram.copy()
        for _, gram in filtration_grams(kernel, graphs, None, Grid([1, 2, 3], None, [1.0]), False)
    ]
    assert calls == [len(graphs)]
    for n_levels, gram in zip([1, 2, 3], found, strict=True):
        plain = FiltrationKernel(features, weight="degree", n_levels=n_levels)
        assert np.array_equal(gram, plain.fit_transform(graphs))
