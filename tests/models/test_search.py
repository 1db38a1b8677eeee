"""The search for the best kernel: what is tried, what it is equal to, and how it ends."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    GaussianKernel,
    Graphs,
    MeanKernel,
    as_graphs,
    datasets,
    explain_prediction,
    load,
)
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.kernels.gram import KernelOnHistograms
from grafik.models import search, tried_grams
from grafik.models.choice import Choice, simplicity
from grafik.models.selection import Contest
from grafik.models.summary import filtration_kernels
from grafik.models.svm import CPath
from small_models import noisy


def tried_by(monkeypatch, model, graphs, y):
    """Fit a model; return each kernel that competed, with a copy of its matrix."""
    found, enter = [], Contest.enter

    def watched(contest, parameters, gram, Cs=None):
        found.append((dict(parameters), gram.copy()))
        return enter(contest, parameters, gram, Cs)

    monkeypatch.setattr(Contest, "enter", watched)
    model.fit(graphs, y)
    monkeypatch.setattr(Contest, "enter", enter)
    return found


def built(parameters, features=None, **options):
    """Build the kernel of some parameters by hand."""
    options |= {"normalize": True, "mass": parameters.get("mass", "linear")}
    if parameters["weight"] is None:
        names, steps = ["degree"], {"n_levels": 1}
    else:
        names = parameters["weight"].split("+")
        steps = {name: parameters[name] for name in ("n_levels", "thresholds", "gamma")}
    extractor = features or WeisfeilerLehman(parameters["depth"])
    parts = [FiltrationKernel(extractor, weight=name, **steps, **options) for name in names]
    kernel = parts[0] if len(parts) == 1 else MeanKernel(parts)
    sigma = parameters.get("sigma")
    return kernel if sigma is None else GaussianKernel(kernel, sigma)


def test_every_matrix_is_that_of_the_kernel_with_its_parameters(monkeypatch):
    graphs, y = noisy(40)
    found = tried_by(monkeypatch, FiltrationClassifier(), graphs, y)
    assert len(found) > 25
    for parameters, gram in found:
        assert np.array_equal(built(parameters).fit_transform(graphs), gram), parameters
    several = [one for one, _ in found if one["weight"] is not None and "+" in one["weight"]]
    gaussian = [one for one, _ in found if one["sigma"] is not None]
    assert several
    assert gaussian
    assert {one["mass"] for one, _ in found} == {"linear", "min"}
    assert {1, 3, 5} <= {one["depth"] for one, _ in found}
    assert {one.get("thresholds", "kmeans") for one, _ in found} == {"kmeans", "kmeans-distinct"}


def test_what_is_not_kept_for_want_of_memory_is_computed_again(monkeypatch):
    graphs, y = noisy(40)
    model = FiltrationClassifier().fit(graphs, y)
    monkeypatch.setattr(tried_grams, "_KEPT", 0.0)
    again = FiltrationClassifier().fit(graphs, y)
    assert again.best_params_ == model.best_params_
    assert np.array_equal(again.decision_function(graphs), model.decision_function(graphs))
    for name in ("mean_test_score", "rank_test_score"):
        assert np.array_equal(again.cv_results_[name], model.cv_results_[name])


@pytest.mark.parametrize("kind", [FiltrationClassifier, FiltrationRegressor])
def test_the_chosen_kernel_gives_the_rows_that_the_machine_learned_from(monkeypatch, kind):
    graphs, y = noisy(50)
    target = y if kind is FiltrationClassifier else graphs.n_edges * 1.0
    model = kind(random_state=1)
    found = tried_by(monkeypatch, model, graphs, target)
    best = {name: one for name, one in model.best_params_.items() if name != "C"}
    gram = next(gram for parameters, gram in found if parameters == best)
    assert np.array_equal(model.kernel_.transform(graphs), gram[:, model.support_])
    assert np.array_equal(model.kernel_.diagonal(graphs), gram.diagonal())
    # Its parameters are those of the fit: on the same graphs it learns the same.
    again = clone(model.kernel_).fit(graphs[model.support_.tolist()])
    assert np.array_equal(again.transform(graphs), gram[:, model.support_])


def test_given_thresholds_are_listed_with_the_number_of_their_levels():
    graphs, _ = noisy(4)
    kernel = KernelOnHistograms.of(FiltrationKernel(normalize=True))
    grams = tried_grams.TriedGrams(kernel, WeisfeilerLehman(0), graphs)
    entered = []

    class Open:
        best_score = 0.0

        def enter(self, parameters, gram, Cs):
            entered.append(parameters)
            return 0.0

    effort = search.EFFORTS["quick"]
    space = search.Space(None, False, [0], effort.ladders, (), effort)
    climber = search.Search(grams, Open(), space)
    for choice in (
        Choice(("degree",), (9.0, 4.0, 0.0), depth=0),
        Choice(("degree", "core"), "distinct", depth=0),
        Choice(("degree",), "kmeans", 2, depth=0),
    ):
        climber._enter(choice, [0], [None])
    levels = [
        len(grams.filtered(one, "distinct", 1).filtration.alphas_) for one in ("degree", "core")
    ]
    assert levels[0] != levels[1]
    assert [one["n_levels"] for one in entered] == [3, max(levels), 2]


@pytest.mark.parametrize("room", [0.0, np.inf])
def test_with_and_without_room_to_keep_anything_matrices_are_the_same(room):
    graphs, _ = noisy(5)
    kernel = KernelOnHistograms.of(FiltrationKernel(normalize=True))
    grams = tried_grams.TriedGrams(kernel, WeisfeilerLehman(), graphs)
    grams._left = room
    filtered = grams.filtered("degree", "kmeans", 2)
    for depths in ([0, 1], [1], [0]):
        found = [gram.copy() for gram in grams.one(filtered, "linear", depths, 1.0)]
        for depth, gram in zip(depths, found, strict=True):
            expected = FiltrationKernel(WeisfeilerLehman(depth), n_levels=2, normalize=True)
            assert np.array_equal(gram, expected.fit_transform(graphs))
    assert bool(grams._kept) == bool(grams._steps) == bool(grams._counted) == (room > 0)


def test_depths_may_be_asked_for_in_any_order():
    graphs, _ = noisy(20)
    kernel = KernelOnHistograms.of(FiltrationKernel(normalize=True))
    grams = tried_grams.TriedGrams(kernel, WeisfeilerLehman(), graphs)
    filtered = grams.filtered("degree", "kmeans", 3)
    for depths in ([1], [3], [0, 2, 4], [2], [1, 3]):
        found = [gram.copy() for gram in grams.one(filtered, "linear", depths, 1.0)]
        for depth, gram in zip(depths, found, strict=True):
            expected = FiltrationKernel(WeisfeilerLehman(depth), normalize=True)
            assert np.array_equal(gram, expected.fit_transform(graphs)), (depths, depth)


@pytest.mark.parametrize(
    ("scores", "tried", "end"),
    [
        ({1: 0.5, 2: 0.6, 3: 0.7, 4: 0.7, 5: 0.9}, [3, 4], 3),  # equal is not better
        ({1: 0.7, 2: 0.6, 3: 0.5, 4: 0.4, 5: 0.9}, [3, 1], 1),
        ({1: 0.1, 2: 0.6, 3: 0.5, 4: 0.9, 5: 0.9}, [3, 1], 2),
    ],
)
def test_a_ladder_is_climbed_as_long_as_it_gets_better(monkeypatch, scores, tried, end):
    climber, seen = object.__new__(search.Search), []

    def enter(choice, depths, sigmas):
        seen.append(choice.depth)
        climber.scores[choice] = scores[choice.depth]

    start = Choice(depth=2)
    climber.scores = {start: scores[2]}
    monkeypatch.setattr(climber, "_enter", enter, raising=False)
    assert climber._climb(start, "depth", (1, 2, 3, 4, 5)).depth == end
    assert seen == tried


def test_plain_weisfeiler_lehman_wins_ties():
    trees = [nx.star_graph(n) for n in range(4, 14)]
    rings = [nx.cycle_graph(n) for n in range(5, 15)]
    model = FiltrationClassifier().fit([*trees, *rings], [0] * 10 + [1] * 10)
    scores = model.cv_results_["mean_test_score"]
    assert model.best_score_ == 1.0
    assert (scores == 1.0).sum() > 10
    expected = {"weight": None, "n_levels": 1, "depth": 1, "mass": "linear", "sigma": None}
    assert model.best_params_ == {**expected, "C": 0.25}


def test_simpler_choices_come_first():
    order = [
        Choice(depth=1),
        Choice(depth=3),
        Choice(depth=1, mass="min"),
        Choice(depth=1, sigma=1.0),
        Choice(("degree",), n_levels=2, depth=1),
        Choice(("degree",), n_levels=4, depth=1),
        Choice(("degree",), n_levels=2, depth=1, mass="min"),
        Choice(("degree", "core"), n_levels=2, depth=0),
    ]
    keys = [simplicity(one.parameters) for one in order]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("normalize", [True, False])
def test_a_grid_has_several_weights_masses_rules_and_gaussians(monkeypatch, normalize):
    graphs, y = noisy(30)
    model = FiltrationClassifier(
        weight=["degree+core", "triangles"],
        thresholds=["kmeans", "quantile"],
        mass=["linear", "min"],
        sigmas=[4.0, None],
        levels=[2, 3],
        depths=[0, 2],
        gammas=[1.0],
        normalize=normalize,
    )
    found = tried_by(monkeypatch, model, graphs, y)
    assert 2 * 2 * 2 * 2 * 2 < len(found) <= 2 * 2 * 2 * 2 * 2 * 2
    for parameters, gram in found:
        expected = built(parameters)
        if not normalize and parameters["sigma"] is None and "+" not in parameters["weight"]:
            expected.set_params(normalize=False)
        assert np.array_equal(expected.fit_transform(graphs), gram), parameters
    assert {one["sigma"] for one, _ in found} == {4.0, None}


def test_what_is_given_is_not_searched_for():
    graphs, y = noisy(40)
    model = FiltrationClassifier(weight="triangles", mass="min", sigmas=[None], Cs=[1.0, 8.0])
    table = pd.DataFrame(model.fit(graphs, y).cv_results_)
    assert set(table["param_weight"].dropna()) == {"triangles"}
    assert set(table["param_mass"]) == {"min"}
    assert set(table["param_sigma"]) == {None}
    assert set(table["param_C"]) == {1.0, 8.0}
    assert set(table["param_n_levels"]) >= {1, 4}
    assert len(table) == len(model.cv_results_["params"])
    several = FiltrationClassifier(weight=["degree+core", "degree"]).fit(graphs, y)
    found = {one["weight"] for one in several.cv_results_["params"]}
    assert found == {None, "degree+core", "degree"}


def test_other_features_keep_their_depth():
    graphs, y = noisy(30)
    model = FiltrationClassifier(ShortestPaths()).fit(graphs, y)
    assert "depth" not in model.best_params_
    model = FiltrationClassifier(WeisfeilerLehman(2), effort="quick").fit(graphs, y)
    assert "depth" not in model.best_params_
    assert filtration_kernels(model.kernel_)[0].extractor_.depth == 2


def test_products_and_kernels_that_are_not_normalised_have_no_minimum_and_no_gaussian():
    graphs, y = noisy(30)
    product = FiltrationClassifier(combine="product", effort="quick").fit(graphs, y)
    assert {one["mass"] for one in product.cv_results_["params"]} == {"linear"}
    plain = FiltrationClassifier(normalize=False, effort="quick").fit(graphs, y)
    tried = plain.cv_results_["params"]
    assert {one["sigma"] for one in tried} == {None}
    assert not [one for one in tried if one["weight"] is not None and "+" in one["weight"]]
    for mass in ("min", ["linear", "min"], ["min", "linear"]):
        with pytest.raises(ValueError, match="combine='sum' or mass='linear'"):
            FiltrationClassifier(combine="product", mass=mass).fit(graphs, y)


def test_efforts():
    graphs, y = noisy(40)
    models = [FiltrationClassifier(effort=effort).fit(graphs, y) for effort in search.EFFORTS]
    tried = [{repr(row) for row in model.cv_results_["params"]} for model in models]
    assert len(tried[0]) < len(tried[1]) < len(tried[2])
    splits = [sum(name.startswith("split") for name in model.cv_results_) for model in models]
    assert splits == [3, 9, 15]
    assert all(model.search_complete_ for model in models)


def test_a_search_that_is_out_of_time_says_so_and_keeps_what_it_has(tmp_path):
    graphs, y = noisy(40)
    with pytest.warns(UserWarning, match=r"ended early, as max_seconds=0 was over: .* effort="):
        model = FiltrationClassifier(max_seconds=0).fit(graphs, y)
    assert not model.search_complete_
    assert {one["weight"] for one in model.cv_results_["params"]} == {None}
    assert "The search ended early" in str(model)
    model.save(tmp_path / "model")
    assert not load(tmp_path / "model").search_complete_
    assert FiltrationClassifier(max_seconds=1e6, effort="quick").fit(graphs, y).search_complete_


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"effort": "fast"}, "effort must be"),
        ({"mass": "max"}, "mass must be"),
        ({"mass": []}, "mass"),
        ({"sigmas": [0]}, "sigma must be a finite number above 0, got 0"),
        ({"sigmas": [-1.0]}, "sigma"),
        ({"sigmas": []}, "sigmas"),
        ({"max_seconds": -1}, "max_seconds"),
        ({"weight": "degree+"}, "lacks a name"),
        ({"weight": ["degree+size"]}, "weight must be one of"),
        ({"weight": "degree+degree"}, "twice"),
        ({"weight": [None, "degree"]}, "None among its weights"),
        ({"thresholds": 3}, "thresholds must be"),
        ({"thresholds": ["kmeans", [3.0, 1.0]]}, "thresholds must be"),
        ({"thresholds": ["kmeans", "middle"]}, "thresholds must be"),
        ({"depths": [1], "thresholds": ["middle"]}, "thresholds must be"),
    ],
)
def test_bad_values_are_refused(given, message):
    graphs, y = noisy(20)
    with pytest.raises(ValueError, match=message):
        FiltrationClassifier(**given).fit(graphs, y)


def test_a_grid_that_is_out_of_time_says_so_too():
    graphs, y = noisy(30)
    with pytest.warns(UserWarning, match="ended early"):
        model = FiltrationClassifier(max_seconds=0, levels=[1, 2, 3], depths=[1]).fit(graphs, y)
    assert {one["n_levels"] for one in model.cv_results_["params"]} == {1}
    assert not model.search_complete_


def test_no_weight_is_computed_after_the_time(monkeypatch):
    graphs, y = noisy(30)
    clock = iter(range(10**6))
    monkeypatch.setattr(search.time, "monotonic", lambda: next(clock))
    computed = []
    values = tried_grams.values
    monkeypatch.setattr(tried_grams, "values", lambda w, g: computed.append(w) or values(w, g))
    # One tick at the start, then one before each kernel and each weight.
    with pytest.warns(UserWarning, match="ended early"):
        FiltrationClassifier(max_seconds=5.5).fit(graphs, y)
    assert computed == ["degree", "core"]


def test_scores_that_differ_by_rounding_alone_are_ties():
    y = np.repeat([0, 1], 6)
    folds = [(np.arange(12) % 3 != part, np.arange(12) % 3 == part) for part in range(3)]
    folds = [(np.flatnonzero(train), np.flatnonzero(test)) for train, test in folds]
    contest = Contest(y, folds, [1.0], simplest=simplicity)
    scores = iter([[0.5, 0.6, 0.6], [0.6, 0.6, 0.5]])
    assert np.mean([0.5, 0.6, 0.6]) > np.mean([0.6, 0.6, 0.5])
    found = [CPath(np.array([one]), 1, 0, 0) for one in next(scores)]
    contest._scored = lambda gram, Cs: found
    contest.enter(Choice(("degree",), n_levels=2, depth=1).parameters, np.eye(12))
    found = [CPath(np.array([one]), 1, 0, 0) for one in next(scores)]
    contest._scored = lambda gram, Cs: found
    contest.enter(Choice(depth=1).parameters, 2 * np.eye(12))
    result = contest.result()
    assert result.best["weight"] is None
    assert np.array_equal(result.gram, 2 * np.eye(12))


def test_threads_do_not_matter():
    graphs, y = noisy(60)
    one, two = (FiltrationClassifier(n_jobs=n).fit(graphs, y) for n in (1, 2))
    assert one.best_params_ == two.best_params_
    assert np.array_equal(one.decision_function(graphs), two.decision_function(graphs))


def test_edge_attributes_are_tried_without_being_asked_for(recwarn):
    rng = np.random.default_rng(0)
    graphs, y = [], []
    for number in range(40):
        graph = nx.gnp_random_graph(10, 0.4, seed=number)
        for u, v in graph.edges:
            ends = graph.degree[u] + graph.degree[v]
            graph.edges[u, v]["weight"] = ends if number % 2 else rng.uniform(2, 12)
        graphs.append(graph)
        y.append(number % 2)
    model = FiltrationClassifier().fit(as_graphs(graphs), y)
    tried = {one["weight"] for one in model.cv_results_["params"]}
    assert {"attribute", "attribute:small"} <= tried
    assert not [one for one in recwarn if "does not use" in str(one.message)]


def test_directed_graphs_and_graphs_without_edges():
    rng = np.random.default_rng(1)
    directed = [nx.gnp_random_graph(8, 0.3, seed=n, directed=True) for n in range(20)]
    y = rng.permutation(np.arange(20) % 2)
    model = FiltrationClassifier(effort="quick").fit(as_graphs(directed, directed=True), y)
    assert {one["weight"] for one in model.cv_results_["params"]} <= {None, "degree"}
    plain = FiltrationClassifier(effort="quick", normalize=False)
    plain.fit(as_graphs(directed, directed=True), y)
    assert {one["weight"] for one in plain.cv_results_["params"]} <= {None, "degree"}
    bare = Graphs(np.arange(21), [0] * 21, [])
    model = FiltrationClassifier().fit(bare, y)
    assert {one["weight"] for one in model.cv_results_["params"]} == {None}
    assert "only one level" in model.verdict()


def test_a_model_with_several_filtrations_and_a_gaussian_is_saved_and_explained(tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=8)
    model = FiltrationClassifier(weight="walks+triangles", mass="min", sigmas=[4.0], depths=[1, 2])
    model.fit(graphs, y)
    assert isinstance(model.kernel_, GaussianKernel)
    assert isinstance(model.kernel_.kernel_, MeanKernel)
    model.save(tmp_path / "model")
    twin = load(tmp_path / "model")
    assert np.array_equal(twin.decision_function(graphs), model.decision_function(graphs))
    assert str(twin) == str(model)
    found = explain_prediction(twin, graphs[0])
    np.testing.assert_allclose(found.value, model.decision_function(graphs[0])[0], rtol=1e-9)
