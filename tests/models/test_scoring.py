"""Scorers in the choice of parameters, against scikit-learn's search and plain loops."""

import numpy as np
import pytest
import sklearn
from sklearn.metrics import (
    f1_score,
    get_scorer,
    log_loss,
    make_scorer,
    max_error,
    mean_absolute_error,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR

import grafik
from grafik import FiltrationClassifier, FiltrationKernel, FiltrationRegressor, Graphs
from grafik.features import WeisfeilerLehman
from grafik.models import svm
from grafik.models.decision import calibrated_slope, probabilities
from small_models import SMALL, noisy

FIXED = SMALL | {"thresholds": [8.0, 4.0, 0.0], "levels": [3], "depths": [1]}


def folds_of(y, n=3):
    return list(StratifiedKFold(n, shuffle=True, random_state=2).split(y, y))


@pytest.mark.parametrize(
    ("scoring", "n_classes"),
    [
        ("accuracy", 2),
        ("balanced_accuracy", 3),
        ("f1_macro", 3),
        ("matthews_corrcoef", 3),
        ("roc_auc", 2),
        ("average_precision", 2),
        (make_scorer(f1_score, pos_label="few"), 2),
        (make_scorer(roc_auc_score, response_method="decision_function"), 2),
    ],
)
@pytest.mark.parametrize("works", [True, False], ids=["libsvm", "estimators"])
def test_the_choice_is_that_of_an_exhaustive_search(scoring, n_classes, works, monkeypatch):
    monkeypatch.setattr(svm, "_libsvm_works", lambda: works)
    graphs, y = noisy(60, n_classes)
    if scoring == "average_precision":
        y = (y == "many").astype(int)
    folds = folds_of(y)
    model = FiltrationClassifier(scoring=scoring, cv=folds, **FIXED).fit(graphs, y)
    kernel = FiltrationKernel(WeisfeilerLehman(1), thresholds=FIXED["thresholds"], normalize=True)
    pipeline = make_pipeline(kernel, SVC(kernel="precomputed"))
    grid = {"svc__C": FIXED["Cs"]}
    search = GridSearchCV(pipeline, grid, scoring=scoring, cv=folds).fit(graphs, y)
    np.testing.assert_allclose(
        model.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"], rtol=1e-12
    )
    assert model.best_params_["C"] == search.best_params_["svc__C"]
    assert model.best_score_ == pytest.approx(search.best_score_, rel=1e-12)
    assert model.score(graphs, y) == pytest.approx(search.score(graphs, y), rel=1e-9)


def test_accuracy_and_r2_are_the_scores_without_a_scorer():
    graphs, y = noisy(60, 3, noise=2.0)
    wide = SMALL | {"Cs": [1.0, 1e3, 1e5]}
    none, named = (
        FiltrationClassifier(scoring=s, **wide).fit(graphs, y) for s in (None, "accuracy")
    )
    assert none.cv_results_["params"] == named.cv_results_["params"]
    for name in ("split0_test_score", "mean_test_score", "rank_test_score"):
        assert np.array_equal(none.cv_results_[name], named.cv_results_[name])
    for name in ("n_fits_", "n_skipped_", "n_unconverged_"):
        assert getattr(none, name) == getattr(named, name)
    assert named.n_skipped_ > 0
    numbers = graphs.n_edges * 1000.0 + 7
    none, named = (
        FiltrationRegressor(scoring=s, **SMALL).fit(graphs, numbers) for s in (None, "r2")
    )
    np.testing.assert_allclose(
        none.cv_results_["mean_test_score"], named.cv_results_["mean_test_score"], rtol=1e-9
    )


def test_errors_of_regression_are_in_the_unit_of_the_target():
    graphs, _ = noisy(60)
    y, samples = 1000.0 * graphs.n_edges + 5e4, np.random.default_rng(0).uniform(0.1, 2, 60)
    folds = list(KFold(3, shuffle=True, random_state=0).split(y))
    model = FiltrationRegressor(scoring="neg_mean_absolute_error", cv=folds, **FIXED)
    model.fit(graphs, y, samples)
    kernel = FiltrationKernel(WeisfeilerLehman(1), thresholds=FIXED["thresholds"], normalize=True)
    gram, expected = kernel.fit_transform(graphs), np.zeros((2, 3))
    for column, (train, test) in enumerate(folds):
        mean = np.average(y[train], weights=samples[train])
        scale = np.sqrt(np.average((y[train] - mean) ** 2, weights=samples[train]))
        for row, C in enumerate(FIXED["Cs"]):
            machine = SVR(kernel="precomputed", C=C)
            known = gram[np.ix_(train, train)], (y[train] - mean) / scale
            machine.fit(*known, sample_weight=samples[train])
            found = machine.predict(gram[np.ix_(test, train)]) * scale + mean
            expected[row, column] = -mean_absolute_error(
                y[test], found, sample_weight=samples[test]
            )
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], expected.mean(axis=1))
    assert model.best_score_ < -100
    own = mean_absolute_error(y, model.predict(graphs), sample_weight=samples)
    assert model.score(graphs, y, samples) == pytest.approx(-own)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_of_a_fold_are_calibrated_on_the_other_folds(n_classes):
    graphs, y = noisy(60, n_classes)
    folds, names, samples = folds_of(y), np.unique(y), np.random.default_rng(0).uniform(0.5, 2, 60)
    model = FiltrationClassifier(scoring="neg_log_loss", cv=folds, **FIXED)
    model.fit(graphs, y, samples)
    kernel = FiltrationKernel(WeisfeilerLehman(1), thresholds=FIXED["thresholds"], normalize=True)
    gram, codes = kernel.fit_transform(graphs), np.searchsorted(names, y)
    for row, C in enumerate(FIXED["Cs"]):
        decisions = []
        for train, test in folds:
            machine = SVC(kernel="precomputed", C=C)
            machine.fit(gram[np.ix_(train, train)], y[train], sample_weight=samples[train])
            decisions.append(machine.decision_function(gram[np.ix_(test, train)]))
        for number, (_, test) in enumerate(folds):
            others = [i for i in range(3) if i != number]
            held = np.concatenate([folds[i][1] for i in others])
            slope = calibrated_slope(
                np.concatenate([decisions[i] for i in others]), codes[held], samples[held]
            )
            found = probabilities(decisions[number], slope)
            expected = -log_loss(y[test], found, sample_weight=samples[test])
            got = model.cv_results_[f"split{number}_test_score"][row]
            assert got == pytest.approx(expected, rel=1e-5)


def test_with_one_fold_probabilities_are_calibrated_on_it():
    graphs, y = noisy(60)
    model = FiltrationClassifier(scoring="neg_log_loss", cv=folds_of(y)[:1], **FIXED)
    assert np.log(0.4) < model.fit(graphs, y).best_score_ < 0


def test_without_other_folds_of_all_classes_decisions_are_not_scaled():
    graphs, y = noisy(18, 3)
    lacking = np.flatnonzero(y != "most")
    folds = [(lacking[i::2], lacking[1 - i :: 2]) for i in range(2)]
    model = FiltrationClassifier(
        scoring=make_scorer(log_loss, response_method="predict_proba", labels=["few", "many"]),
        cv=folds,
        **FIXED,
    )
    kernel = FiltrationKernel(WeisfeilerLehman(1), thresholds=FIXED["thresholds"], normalize=True)
    gram = kernel.fit_transform(graphs)
    model.fit(graphs, y)
    for number, (train, test) in enumerate(folds):
        machine = SVC(kernel="precomputed", C=1.0).fit(gram[np.ix_(train, train)], y[train])
        found = probabilities(machine.decision_function(gram[np.ix_(test, train)]), 1.0)
        expected = log_loss(y[test], found, labels=["few", "many"])
        assert model.cv_results_[f"split{number}_test_score"][0] == pytest.approx(expected)


def test_training_graphs_of_one_class_only_are_nothing_to_score():
    graphs, y = noisy(12)
    folds = [(np.flatnonzero(y == "few"), np.flatnonzero(y == "many"))]
    model = FiltrationClassifier(scoring="accuracy", cv=folds, **FIXED)
    with pytest.raises(ValueError, match="a fold has training graphs of class few only, so that"):
        model.fit(graphs, y)


def test_of_numbers_that_cannot_be_scored_no_classes_are_named():
    graphs, _ = noisy(12)
    model = FiltrationRegressor(scoring=lambda *given: np.inf, cv=3, **FIXED)
    with pytest.raises(ValueError, match="one finite number, got inf for 4 graphs; use fewer"):
        model.fit(graphs, graphs.n_edges * 1.0)


def test_a_function_sees_the_held_out_graphs_and_what_is_predicted_for_them():
    graphs, y = noisy(60)
    folds, seen = folds_of(y), []

    def share_of_large(model, X, truth):
        assert isinstance(X, Graphs)
        right = model.predict(X) == truth
        seen.append((X, truth, model.predict(list(X)), model.classes_.tolist()))
        return right[X.n_nodes > 9].mean()

    model = FiltrationClassifier(scoring=share_of_large, cv=folds, **FIXED).fit(graphs, y)
    assert len(seen) == model.n_fits_ == 6
    for number in range(6):
        X, truth, found, names = seen[number]
        test = folds[number // 2][1]
        assert graphs[test.tolist()] == X
        assert (truth == y[test]).all()
        assert set(found) <= set(names) == {"few", "many"}
    with pytest.raises(
        ValueError, match="a scorer may ask for predictions of the graphs that it is"
    ):
        FiltrationClassifier(scoring=lambda model, X, y: model.predict(X[:2]).size, **FIXED).fit(
            graphs, y
        )


def test_weights_go_to_scorers_that_take_them():
    graphs, _ = noisy(40)
    y, samples, seen = graphs.n_edges * 1.0, np.linspace(1, 2, 40), []

    def scorer(model, X, y, sample_weight=None):
        seen.append(sample_weight)
        return 1.0

    FiltrationRegressor(scoring=scorer, **FIXED).fit(graphs, y, samples)
    assert np.array_equal(np.unique(np.concatenate(seen)), samples)
    FiltrationRegressor(scoring=make_scorer(max_error, greater_is_better=False), **FIXED).fit(
        graphs, y, samples
    )
    with sklearn.config_context(enable_metadata_routing=True):
        model = FiltrationRegressor(scoring="neg_mean_squared_error", **FIXED)
        assert model.fit(graphs, y, samples).score(graphs, y, samples) < 0


@pytest.mark.parametrize(
    ("scoring", "message"),
    [
        ("acuracy", "has no scorer of the name 'acuracy'; did you mean 'accuracy'"),
        ("quality", r"no scorer of the name 'quality'; see sklearn.metrics.get_scorer_names\(\)"),
        (
            ["accuracy", "f1"],
            r"scoring must be None, one of the names .*, got \['accuracy', 'f1'\]",
        ),
        (7, "scoring must be None, one of the names"),
        (f1_score, "looks like it is a metric function rather than a scorer"),
        ("f1", "pos_label=1 is not a valid label"),
        (lambda *given: np.nan, "the score of a fold must be one finite number, got nan for 7 gra"),
        (lambda *given: {"a": 1.0}, "must be one finite number, got {'a': 1.0}"),
    ],
)
def test_what_is_no_scorer_is_refused(scoring, message):
    with pytest.raises(ValueError, match=message):
        FiltrationClassifier(scoring=scoring, **SMALL).fit(*noisy(20))


def test_a_file_keeps_names_of_scorers_and_refuses_functions(tmp_path):
    graphs, y = noisy(30)
    model = FiltrationClassifier(scoring="balanced_accuracy", **SMALL).fit(graphs, y)
    model.save(tmp_path / "model")
    twin = grafik.load(tmp_path / "model")
    assert twin.scoring == "balanced_accuracy"
    assert twin.score(graphs, y) == model.score(graphs, y)
    model.set_params(scoring=get_scorer("accuracy")).fit(graphs, y)
    with pytest.raises(
        ValueError, match=r"scoring is make_scorer\(accuracy_score.*cannot be saved"
    ):
        model.save(tmp_path / "other")
