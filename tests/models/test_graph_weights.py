"""Weights of graphs and classes, against scikit-learn's machines and against repeated graphs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, SVR

import grafik
from grafik import FiltrationClassifier, FiltrationKernel, FiltrationRegressor, Graphs
from grafik.features import WeisfeilerLehman
from grafik.models import svm
from grafik.models.graph_weights import GraphWeights, checked_class_weight, checked_sample_weight
from grafik.models.svm import score_path
from small_models import SMALL, noisy

Cs = [2.0**power for power in range(-8, 7, 2)]


def points(n_classes, apart, seed, n=90):
    """Gram matrix and classes of clouds, and weights from a hundredth to a hundred."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    x = rng.normal(size=(n, 3)) + apart * np.eye(3)[y]
    order = rng.permutation(n)
    return x @ x.T, y, order[: 2 * n // 3], order[2 * n // 3 :], 100 ** rng.uniform(-1, 1, n)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("apart", [0.5, 9.0])
@pytest.mark.parametrize("classes", [None, "balanced", {0: 0.01, 1: 3.0}])
@pytest.mark.parametrize("works", [True, False], ids=["libsvm", "estimators"])
def test_a_path_scores_as_scikit_learn_does_with_weights(
    n_classes, apart, classes, works, monkeypatch
):
    monkeypatch.setattr(svm, "_libsvm_works", lambda: works)
    for seed, given in ((0, None), (1, True), (2, True)):
        gram, y, train, test, samples = points(n_classes, apart, seed)
        expected = []
        for C in Cs:
            machine = SVC(kernel="precomputed", C=C, class_weight=classes)
            weights = samples[train] if given else None
            machine.fit(gram[np.ix_(train, train)], y[train], sample_weight=weights)
            found = machine.predict(gram[np.ix_(test, train)])
            counted = samples[test] if given else None
            expected.append(accuracy_score(y[test], found, sample_weight=counted))
        ours = checked_class_weight(classes, np.arange(n_classes))
        weights = GraphWeights(samples if given else None, ours)
        path = score_path(gram, y, train, test, Cs, max_iter=-1, weights=weights)
        np.testing.assert_allclose(path.scores, expected, rtol=1e-12)
        assert path.n_fits + path.n_skipped == len(Cs)


def test_a_graph_of_small_weight_at_its_bound_is_enough_to_go_on():
    x, y = np.array([-3.0, -2.0, 2.0, 3.0, 1.9]), np.array([0, 0, 1, 1, 0])
    everything = np.arange(5)
    samples = np.array([1.0, 1.0, 1.0, 1.0, 1e-4])  # the last graph is on the wrong side
    weights, values = GraphWeights(samples), [1.0, 10.0, 1e5, 1e7]
    path = score_path(np.outer(x, x), y, everything, everything, values, weights=weights)
    assert path.n_skipped == 0
    without = y[:4], everything[:4], everything[:4], values
    assert score_path(np.outer(x, x), *without).n_skipped == 3


def test_regression_scores_as_scikit_learn_does_with_weights():
    gram, _, train, test, samples = points(2, 2.0, 3)
    y = np.diag(gram) + 3 * gram[0] + 40
    mean = np.average(y[train], weights=samples[train])
    scale = np.sqrt(np.average((y[train] - mean) ** 2, weights=samples[train]))
    expected = []
    for C in Cs:
        machine = SVR(kernel="precomputed", C=C)
        known = gram[np.ix_(train, train)], (y[train] - mean) / scale
        found = machine.fit(*known, sample_weight=samples[train]).predict(gram[np.ix_(test, train)])
        expected.append(r2_score(y[test], found * scale + mean, sample_weight=samples[test]))
    weights = GraphWeights(samples)
    path = score_path(gram, y, train, test, Cs, max_iter=-1, regression=True, weights=weights)
    np.testing.assert_allclose(path.scores, expected, rtol=1e-9)
    uneven = score_path(gram, y, train, test, Cs, regression=True)
    assert not np.allclose(path.scores, uneven.scores, rtol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["balanced", "dict", "samples", "both"])
def test_the_classifier_is_a_kernel_and_a_machine_with_these_weights(n_classes, kind):
    graphs, y = noisy(60, n_classes)
    y = np.where(np.arange(60) % 4 == 0, y, "few")
    samples = np.random.default_rng(0).uniform(0.2, 5, 60)
    given = {"dict": {"many": 4.0}, "balanced": "balanced", "both": "balanced"}.get(kind)
    weights = samples if kind in ("samples", "both") else None
    model = FiltrationClassifier(class_weight=given, **SMALL).fit(graphs, y, weights)
    chosen = model.best_params_
    kernel = FiltrationKernel(
        WeisfeilerLehman(chosen["depth"]),
        n_levels=chosen["n_levels"],
        gamma=chosen["gamma"],
        normalize=True,
    )
    machine = SVC(kernel="precomputed", C=chosen["C"], class_weight=given, break_ties=True)
    gram = kernel.fit_transform(graphs)
    machine.fit(gram, y, sample_weight=weights)
    np.testing.assert_allclose(
        model.decision_function(graphs), machine.decision_function(gram), rtol=1e-6, atol=1e-9
    )
    even = FiltrationClassifier(**SMALL).fit(graphs, y)
    assert not np.allclose(model.decision_function(graphs), even.decision_function(graphs))
    assert model.score(graphs, y, samples) == pytest.approx(
        accuracy_score(y, machine.predict(gram), sample_weight=samples), rel=1e-12
    )


def test_balanced_classes_are_found_however_rare():
    graphs, y = noisy(120, noise=2.0)
    rare = np.flatnonzero((y == "few") | (np.arange(120) % 6 == 0))
    graphs, y = graphs[rare.tolist()], y[rare]
    plain, balanced = (
        FiltrationClassifier(class_weight=w, Cs=[0.1], levels=[1], depths=[1]).fit(graphs, y)
        for w in (None, "balanced")
    )
    found = [np.mean(model.predict(graphs)[y == "many"] == "many") for model in (plain, balanced)]
    assert found[1] > found[0]


def repeated(graphs, y, times):
    """Repeat each graph, and return folds of both, in which copies are together."""
    rows = np.repeat(np.arange(len(y)), times)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(y, y))
    copies = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    return graphs[rows.tolist()], y[rows], folds, copies


def test_a_graph_of_weight_two_counts_as_two_graphs():
    graphs, y = noisy(45)
    times = np.random.default_rng(1).integers(1, 4, 45)
    more, y_more, folds, copies = repeated(graphs, y, times)
    # Thresholds are learned from graphs as they come, so they are given here.
    same = SMALL | {"thresholds": [8.0, 4.0, 0.0], "levels": [3]}
    weighted = FiltrationClassifier(cv=folds, **same).fit(graphs, y, times)
    plain = FiltrationClassifier(cv=copies, **same).fit(more, y_more)
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(weighted.cv_results_[name], plain.cv_results_[name], atol=1e-12)
    assert weighted.best_params_ == plain.best_params_
    np.testing.assert_allclose(
        weighted.predict_proba(graphs), plain.predict_proba(graphs), atol=1e-2
    )
    numbers = graphs.n_edges + 0.5
    weighted = FiltrationRegressor(cv=folds, **same).fit(graphs, numbers, times)
    plain = FiltrationRegressor(cv=copies, **same).fit(more, np.repeat(numbers, times))
    assert (weighted.mean_, weighted.scale_) == pytest.approx((plain.mean_, plain.scale_))
    np.testing.assert_allclose(
        weighted.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], atol=1e-2
    )


@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_a_graph_of_weight_zero_is_as_if_it_were_not_there(scoring):
    graphs, y = noisy(60)
    samples = np.where(np.arange(60) % 3 == 0, 0.0, 1.5)
    y[samples == 0] = "other"  # a class that never counts
    kept = np.flatnonzero(samples)
    some, y_some = graphs[kept.tolist()], y[kept]
    folds = list(StratifiedKFold(3).split(y, y))
    place = {int(row): number for number, row in enumerate(kept)}
    inside = [
        tuple(np.array([place[row] for row in part if row in place]) for part in fold)
        for fold in folds
    ]
    for cv, same in ((3, 3), (folds, inside)):
        one = FiltrationClassifier(scoring=scoring, cv=cv, **SMALL).fit(graphs, y, samples)
        other = FiltrationClassifier(scoring=scoring, cv=same, **SMALL)
        other.fit(some, y_some, samples[kept])
        assert one.best_params_ == other.best_params_
        assert np.array_equal(one.predict_proba(graphs), other.predict_proba(graphs))
        assert one.classes_.tolist() == ["few", "many"]
        assert np.array_equal(one.support_, kept[other.support_])
        assert np.array_equal(one.kernel_.alphas_, other.kernel_.alphas_)


def test_folds_without_graphs_that_count_are_refused():
    graphs, y = noisy(20)
    samples = np.arange(20) >= 5
    folds = [(np.arange(5, 20), np.arange(5)), (np.arange(10), np.arange(10, 20))]
    with pytest.raises(ValueError, match="fold 0 of cv has 15 training and 0 test graphs"):
        FiltrationClassifier(cv=folds, **SMALL).fit(graphs, y, samples)


def test_weights_of_graphs_come_in_any_wrapping():
    for given in ([1, 2.5], (1, 2.5), pd.Series([1, 2.5]), pd.DataFrame({"w": [1, 2.5]})):
        assert checked_sample_weight(given, 2).tolist() == [1.0, 2.5]
    assert checked_sample_weight(None, 2) is None
    given = np.array([1.0, 2.0])
    assert not np.shares_memory(checked_sample_weight(given, 2), given)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0] * 19, r"for each of the 20 graphs, got an array of shape \(19,\)"),
        (1.0, r"for each of the 20 graphs, got an array of shape \(\)"),
        ([1.0] * 19 + [-1.0], "graph 19: the sample weight must be a finite number of at least 0"),
        ([1.0] * 19 + [1e101], r"graph 19: the sample weight must be at most 1e\+100, got 1e\+101"),
        ([1.0, np.nan] * 10, "graph 1: the sample weight must be a finite number .* got nan"),
        ([0.0] * 20, "sample_weight is 0 for all graphs"),
        (["a"] * 20, "sample_weight must be one number for each graph"),
        ([1.0] * 10 + [0.0] * 10, "at least two classes are needed, got only few"),
    ],
)
def test_wrong_weights_of_graphs_are_refused(weights, message):
    graphs, _ = noisy(20)
    with pytest.raises(ValueError, match=message):
        FiltrationClassifier(**SMALL).fit(graphs, ["few"] * 10 + ["many"] * 10, weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("equal", "class_weight must be None, 'balanced', or a dict .* got 'equal'"),
        ([1.0, 2.0], r"such as \{'few': 2.0\}, got \[1.0, 2.0\]"),
        ({"few": 0}, "the weight of class 'few' must be positive; leave its graphs out"),
        ({"few": "much"}, "the weight of class 'few' must be a finite number"),
        ({"fwe": 2.0}, r"has the class 'fwe', but the classes are \['few', 'many'\]"),
    ],
)
def test_wrong_weights_of_classes_are_refused(weights, message):
    graphs, y = noisy(20)
    with pytest.raises(ValueError, match=message):
        FiltrationClassifier(class_weight=weights, **SMALL).fit(graphs, y)


def test_a_rare_class_may_be_named_that_is_not_there():
    given = {"few": 2.0, "many": 3.0, "most": 4.0}
    assert checked_class_weight(given, np.array(["few", "many"])).tolist() == [2.0, 3.0]


@pytest.mark.parametrize("weights", ["balanced", {0: 2.0, 1: 0.5}, {np.int64(1): 3}, {"1": 2.0}])
def test_a_file_keeps_weights_of_classes(weights, tmp_path):
    graphs, y = noisy(30)
    text = isinstance(next(iter(weights)), str) and weights != "balanced"
    codes = np.unique(y, return_inverse=True)[1].astype(str if text else int)
    model = FiltrationClassifier(class_weight=weights, **SMALL).fit(graphs, codes, np.arange(1, 31))
    model.save(tmp_path / "model")
    twin = grafik.load(tmp_path / "model")
    assert twin.class_weight == weights
    assert np.array_equal(twin.predict_proba(graphs), model.predict_proba(graphs))


def test_weights_of_graphs_are_not_changed():
    graphs, y = noisy(30)
    samples = np.resize([0.0, 1.0, 2.0], 30)
    FiltrationClassifier(**SMALL).fit(graphs, y, samples)
    assert samples.tolist() == [0.0, 1.0, 2.0] * 10
    assert isinstance(graphs, Graphs)
