"""FiltrationClassifier and FiltrationRegressor among scikit-learn's tools."""

from functools import partial

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    Graphs,
    datasets,
    weights,
)
from grafik.evaluation import evaluate
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.models import selection
from grafik.system import memory
from small_models import SMALL, noisy


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_model_is_a_kernel_and_a_machine_with_the_chosen_parameters(n_classes):
    graphs, y = noisy(n_classes=n_classes)
    model = FiltrationClassifier(**SMALL).fit(graphs[:40], y[:40])
    chosen = model.best_params_
    kernel = FiltrationKernel(
        WeisfeilerLehman(chosen["depth"]),
        n_levels=chosen["n_levels"],
        gamma=chosen["gamma"],
        normalize=True,
    )
    machine = SVC(kernel="precomputed", C=chosen["C"], break_ties=True)
    machine.fit(kernel.fit_transform(graphs[:40]), y[:40])
    rows = kernel.transform(graphs)
    assert model.predict(graphs).tolist() == machine.predict(rows).tolist()
    np.testing.assert_allclose(
        model.decision_function(graphs), machine.decision_function(rows), rtol=1e-9, atol=1e-12
    )
    assert model.score(graphs, y) == machine.score(rows, y)
    assert model.classes_.tolist() == ["few", "many", "most"][:n_classes]
    assert len(model.kernel_.histograms_) == len(machine.support_)


def test_probabilities_are_not_calibrated_where_no_fold_trains_on_all_classes():
    graphs, y = noisy(12, 3)
    lacking = [np.flatnonzero(y != name) for name in ("few", "most")]
    folds = [(train, np.setdiff1d(np.arange(12), train)) for train in lacking]
    model = FiltrationClassifier(cv=folds, **SMALL).fit(graphs, y)
    assert model.slope_ == 1.0
    assert model.predict_proba(graphs).argmax(axis=1).tolist() == [
        model.classes_.tolist().index(name) for name in model.predict(graphs)
    ]


def test_it_chooses_what_an_exhaustive_search_with_its_folds_chooses():
    graphs, y = noisy()
    folds = list(StratifiedKFold(4, shuffle=True, random_state=3).split(y, y))
    model = FiltrationClassifier(cv=folds, thresholds=[6.0, 4.0, 2.0], depths=[0, 2])
    model.set_params(gammas=(0.125, 1.0, 8.0), Cs=(0.5, 2.0, 8.0, 32.0, 256.0)).fit(graphs, y)
    # With thresholds that are given, nothing is learned but the machine.
    kernel = FiltrationKernel(WeisfeilerLehman(), thresholds=[6.0, 4.0, 2.0], normalize=True)
    pipeline = make_pipeline(kernel, SVC(kernel="precomputed"))
    grid = [
        {
            "filtrationkernel__features__depth": [depth],
            "filtrationkernel__gamma": [gamma],
            "svc__C": model.Cs,
        }
        for depth in (0, 2)
        for gamma in model.gammas
    ]
    search = GridSearchCV(pipeline, grid, cv=folds).fit(graphs, y)
    depth, gamma, C = (search.best_params_[name] for name in grid[0])
    assert model.best_params_ == {"n_levels": 3, "depth": depth, "gamma": gamma, "C": C}
    assert model.best_score_ == search.best_score_
    assert np.array_equal(
        model.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"]
    )
    assert np.array_equal(
        model.cv_results_["rank_test_score"], search.cv_results_["rank_test_score"]
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_agree_with_predictions_and_tell_more_than_shares(n_classes):
    graphs, y = noisy(150, n_classes, noise=4.0)
    model = FiltrationClassifier(**SMALL).fit(graphs[:90], y[:90])
    found = model.predict_proba(graphs[90:])
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert (found > 0).all()
    assert (model.classes_[found.argmax(axis=1)] == model.predict(graphs[90:])).all()
    shares = np.full(found.shape, 1 / n_classes)
    assert log_loss(y[90:], found) < log_loss(y[90:], shares)


def test_chance_gets_even_probabilities():
    graphs, _ = noisy(80)
    y = np.random.default_rng(1).permutation(np.arange(80) % 2)
    model = FiltrationClassifier(**SMALL).fit(graphs[:60], y[:60])
    found = model.predict_proba(graphs[60:])
    assert (np.abs(found - 0.5) < 0.25).all()
    assert (found.argmax(axis=1) == model.predict(graphs[60:])).all()


def test_of_several_weights_the_best_is_chosen():
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    tried = ["degree", weights.Walks(7), weights.core]
    model = FiltrationClassifier(weight=tried).fit(graphs, y)
    assert model.best_params_["weight"] is tried[1]
    assert model.score(graphs, y) == 1.0
    tried = [row["weight"] for row in model.cv_results_["params"]]
    assert weights.core not in tried  # it is the same for all edges


def test_small_data_of_any_kind():
    trees = [nx.random_labeled_tree(n, seed=n) for n in range(5, 15)]
    rings = [nx.cycle_graph(n) for n in range(5, 15)]
    y = ["tree"] * 10 + ["ring"] * 10
    model = FiltrationClassifier().fit([*trees, *rings], y)
    assert model.predict([nx.star_graph(6), nx.cycle_graph(20)]).tolist() == ["tree", "ring"]
    assert model.predict(nx.cycle_graph(17)).tolist() == ["ring"]
    assert cross_val_score(FiltrationClassifier(), [*trees, *rings], y, cv=4).mean() >= 0.9
    assert model.predict([]).shape == (0,)
    assert model.predict_proba([]).shape == (0, 2)


def test_classes_of_very_few_graphs():
    graphs, _ = noisy(20)
    for counts in ((18, 2), (19, 1), (17, 2, 1)):
        y = np.repeat(np.arange(len(counts)), counts)
        rare = len(counts) - 1
        with pytest.warns(UserWarning, match=rf"class {rare} has {counts[rare]} graph") as seen:
            model = FiltrationClassifier(**SMALL).fit(graphs, y)
        assert seen[0].filename == __file__
        assert ("it was not learned" in str(seen[0].message)) == (counts[rare] == 1)
        found = model.predict_proba(graphs)
        assert (found.argmax(axis=1) == model.predict(graphs)).all()
        assert np.isfinite(found).all()


def test_graphs_without_edges_or_vertices():
    graphs = Graphs([0, 0, 1, 2, 4, 4, 6, 7, 9], [0] * 9, [])
    y = [0, 0, 0, 1, 0, 1, 0, 1]
    model = FiltrationClassifier(**SMALL).fit(graphs, y)
    assert np.isfinite(model.decision_function(graphs)).all()


def test_scikit_learn_conventions():
    model = FiltrationClassifier(WeisfeilerLehman(2), weight=weights.Walks(3), levels=[1, 2])
    assert is_classifier(model)
    assert is_regressor(FiltrationRegressor())
    twin = clone(model)
    assert twin.get_params()["features__depth"] == 2
    twin.set_params(weight__length=5, cv=4)
    assert (model.weight.length, model.cv) == (3, None)
    for method in ("predict", "decision_function", "predict_proba", "save"):
        with pytest.raises(NotFittedError):
            getattr(model, method)([nx.path_graph(3)])
    graphs, y = noisy(40)
    before = {name: repr(value) for name, value in model.get_params().items()}
    assert model.fit(graphs, y) is model
    assert {name: repr(value) for name, value in model.get_params().items()} == before
    assert {row["depth"] for row in model.cv_results_["params"] if "depth" in row} == set()


def test_cross_validation_pipelines_and_lists():
    graphs, y = noisy(60, noise=2.0)
    model = FiltrationClassifier(**SMALL)
    scores = cross_val_score(model, graphs, y, cv=4)
    assert scores.mean() > 0.7
    assert cross_val_score(model, list(graphs), list(y), cv=4).tolist() == scores.tolist()
    assert cross_val_score(model, graphs.to_networkx(), y, cv=4).tolist() == scores.tolist()
    assert cross_val_predict(model, graphs, y, cv=4, method="predict_proba").shape == (60, 2)
    pipeline = make_pipeline(FunctionTransformer(), model)
    assert cross_val_score(pipeline, graphs, y, cv=4).tolist() == scores.tolist()
    labelled = y == "few"
    assert FiltrationClassifier(**SMALL).fit(graphs, labelled).predict(graphs).dtype == bool


def test_threads_and_repetitions_give_the_same_bits(monkeypatch):
    monkeypatch.setattr(selection, "_WORTH_THREADS", 0)
    graphs, y = noisy(n_classes=3)
    one, other, third = (
        FiltrationClassifier(n_jobs=n_jobs, **SMALL).fit(graphs[:40], y[:40])
        for n_jobs in (None, 2, 2)
    )
    assert one.best_params_ == other.best_params_ == third.best_params_
    for twin in (other, third):
        assert np.array_equal(one.predict_proba(graphs), twin.predict_proba(graphs))


def test_a_prediction_does_not_depend_on_the_graphs_beside_it():
    graphs, y = noisy(n_classes=3)
    model = FiltrationClassifier(**SMALL).fit(graphs[:40], y[:40])
    alone = np.concatenate([model.decision_function(graphs[[i]]) for i in range(len(graphs))])
    assert np.array_equal(alone, model.decision_function(graphs))


def test_features_without_depth_and_products():
    graphs, y = noisy(40)
    model = FiltrationClassifier(ShortestPaths(), levels=[1, 2]).fit(graphs, y)
    assert set(model.best_params_) == {"n_levels", "gamma", "C"}
    product = FiltrationClassifier(combine="product", beta=1e-3, **SMALL).fit(graphs, y)
    assert product.kernel_.combine == "product"
    assert model.predict(graphs).shape == product.predict(graphs).shape


def test_fits_are_counted_and_one_warning_says_if_the_last_did_not_converge():
    graphs, y = noisy()
    model = FiltrationClassifier(**SMALL).fit(graphs, y)
    assert model.converged_
    n_grams = len(model.cv_results_["params"]) // 2
    assert model.n_fits_ + model.n_skipped_ == 3 * 2 * n_grams
    with pytest.warns(ConvergenceWarning, match="did not converge within max_iter=2 ") as seen:
        model.set_params(max_iter=2).fit(graphs, y)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert model.n_unconverged_ == model.n_fits_ > 0
    assert not model.converged_


def test_progress_is_shown_on_request_only(capsys):
    graphs, y = noisy(30)
    FiltrationClassifier(**SMALL).fit(graphs, y)
    assert capsys.readouterr().err == ""
    FiltrationClassifier(progress=True, **SMALL).fit(graphs, y)
    output = capsys.readouterr()
    assert "choosing a kernel" in output.err
    assert output.out == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"levels": []},
            r"levels must hold at least one value, such as \[1, 2, 3, 5, 8\], got none",
        ),
        ({"levels": 0}, r"levels must be a list, such as \[1, 2, 3, 5, 8\], got 0"),
        ({"depths": 5}, r"depths must be a list, such as \[1, 3, 5\], got 5"),
        ({"depths": []}, "depths must hold at least one value"),
        ({"depths": "135"}, "depths must be a list, such as .*, got '135'"),
        ({"gammas": 1.0}, r"gammas must be a list, such as \[0.125, 1.0, 8.0\], got 1.0"),
        ({"gammas": []}, "gammas must hold at least one value"),
        ({"Cs": 10}, r"Cs must be a list, such as \[1.0, 100.0\], got 10"),
        ({"Cs": []}, "Cs must hold at least one value"),
        ({"weight": []}, r"weight must hold at least one value, such as \['degree', 'walks'\]"),
        ({"levels": [0]}, "a number of levels must be an integer of at least 1, got 0"),
        ({"gammas": [-1.0]}, "gamma must be a finite number of at least 0"),
        ({"Cs": [0.0]}, "Cs must be positive"),
        ({"cv": 11}, "11 folds need at least 11 graphs of some class, but the largest .* has 10"),
        ({"cv": 1}, "the number of folds must be an integer of at least 2, got 1"),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1"),
        ({"normalize": 1}, "normalize must be True or False"),
        ({"weight": "size"}, "weight must be one of"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"depths": [1], "features": ShortestPaths()}, "has no depth"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(change, message):
    graphs, y = noisy(20)
    with pytest.raises(ValueError, match=message):
        FiltrationClassifier(**{**SMALL, **change}).fit(graphs, y)


def test_work_that_does_not_fit_is_refused_before_it_begins(monkeypatch):
    graphs, y = noisy(20)
    monkeypatch.setattr(memory, "available", lambda: 1000.0)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0.0)
    with pytest.raises(MemoryError, match="choosing a kernel for 20 graphs takes .* .B"):
        FiltrationClassifier(**SMALL).fit(graphs, y)


def test_a_fit_that_fails_changes_nothing():
    graphs, y = noisy()
    model = FiltrationClassifier(**SMALL)
    with pytest.raises(ValueError, match="at least two classes are needed, got only few"):
        model.fit(graphs, np.full(60, "few"))
    with pytest.raises(NotFittedError):
        model.predict(graphs)
    before = model.fit(graphs, y).predict(graphs).tolist()
    for changes, wrong in (({}, np.full(60, "few")), ({"levels": [0]}, np.resize(["x", "y"], 60))):
        with pytest.raises(ValueError, match="at least"):
            model.set_params(**changes).fit(graphs, wrong)
        assert model.predict(graphs).tolist() == before
    number = FiltrationRegressor(**SMALL).fit(graphs, graphs.n_edges)
    before = number.predict(graphs).tolist()
    with pytest.raises(ValueError, match="at least 1"):
        number.set_params(levels=[0]).fit(graphs, 1000.0 * graphs.n_edges)
    assert number.predict(graphs).tolist() == before


@pytest.mark.parametrize(
    "y",
    [
        [1, "a"] * 8,
        [1, "1"] * 8,
        ["a", None] * 8,
        ["b", "a", None] * 8,
        [1, None] * 8,
        ["a", np.nan] * 8,
        np.array([1, "a"] * 8, object),
        np.array(["a", None] * 8, object),
        pd.Series(["a", None] * 8),
        pd.Series(["a", None] * 8, dtype="string"),
        pd.Series(["a", None] * 8, dtype="category"),
        pd.Series([1, pd.NA] * 8, dtype=object),
    ],
)
def test_classes_of_several_kinds_are_refused(y):
    graphs, _ = datasets.random_graphs(len(y))
    for judge in (FiltrationClassifier(**SMALL).fit, partial(evaluate, "wl")):
        with pytest.raises(ValueError, match=r"graph [12]: classes must be all text or all numb"):
            judge(graphs, y)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_classes_that_are_not_finite_are_refused(value):
    graphs, _ = datasets.random_graphs(16)
    for y in ([1, value] * 8, np.array([1, value] * 8), np.array([1, value] * 8, object)):
        for judge in (FiltrationClassifier(**SMALL).fit, partial(evaluate, "wl")):
            with pytest.raises(
                ValueError, match=f"graph 1: y must be a finite number, got {value}"
            ):
                judge(graphs, y)


def test_classes_may_come_in_any_wrapping():
    graphs, y = noisy(30)
    expected = FiltrationClassifier(**SMALL).fit(graphs, y).predict(graphs).tolist()
    for same in (
        y.tolist(),
        y.astype(object),
        pd.Series(y),
        pd.Series(y, dtype="string"),
        pd.Series(y, dtype="category"),
    ):
        model = FiltrationClassifier(**SMALL).fit(graphs, same)
        assert model.predict(graphs).tolist() == expected
    codes = np.unique(y, return_inverse=True)[1]
    for same in (codes.astype(object), pd.array(codes, dtype="Int64"), codes.astype(float)):
        model = FiltrationClassifier(**SMALL).fit(graphs, same)
        assert [model.classes_[0], model.classes_[1]] == [0, 1]


def test_wrong_targets_are_refused():
    graphs, y = noisy(20)
    model = FiltrationClassifier(**SMALL)
    with pytest.raises(ValueError, match="there are 20 graphs, but y has 19 entries"):
        model.fit(graphs, y[:19])
    with pytest.raises(ValueError, match="at least two classes are needed, got only"):
        model.fit(graphs, ["one"] * 20)
    with pytest.raises(ValueError, match=r"graph 1: .* got the number 0.05.*FiltrationRegressor"):
        model.fit(graphs, np.linspace(0, 0.95, 20))
    for both in (model, FiltrationRegressor(**SMALL)):
        with pytest.raises(ValueError, match=r"one after the other: fit\(graphs, y\)"):
            both.fit((graphs, y))
        with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
            both.fit(graphs)
    with pytest.raises(ValueError, match="graph 3: the target must be a finite number, got nan"):
        FiltrationRegressor(**SMALL).fit(graphs, [1.0, 2.0, 3.0, np.nan] + [4.0] * 16)
