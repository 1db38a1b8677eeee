"""What a fitted model says of itself."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import grafik
from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    Graphs,
    datasets,
    weights,
)
from grafik.features import ShortestPaths, WeisfeilerLehman
from grafik.models.summary import chosen
from small_models import SMALL, noisy


@pytest.fixture(scope="module")
def regular():
    """Graphs that only a filtration tells apart."""
    return datasets.csl(skips=(2, 3, 5), copies=8)


def with_scores(model, one, several):
    """Let one level and three levels have these scores in the folds."""
    splits = np.array([one, several], float)
    model.cv_results_ = {"params": [{"n_levels": 1}, {"n_levels": 3}]}
    model.cv_results_ |= {f"split{i}_test_score": column for i, column in enumerate(splits.T)}
    model.cv_results_["mean_test_score"] = splits.mean(axis=1)
    return model


def test_a_filtration_that_helps(regular):
    graphs, y = regular
    model = FiltrationClassifier(weight=["degree", weights.Walks(9)], depths=[1]).fit(graphs, y)
    lines = str(model).splitlines()
    assert lines[0] == (
        f"FiltrationClassifier with {len(model.support_)} support vectors, 3 classes: 2, 3, 5"
    )
    chosen = model.best_params_
    assert lines[1] == (
        f"chosen: weight Walks(length=9), {chosen['n_levels']} levels, depth 1, "
        f"gamma {chosen['gamma']:g}, C {chosen['C']:g}"
    )
    n = len(model.cv_results_["params"])
    assert lines[2].startswith("accuracy in cross-validation: 1.000 (deviation 0.000 over 3 folds)")
    assert lines[2].endswith(f"the best of {n}, so expect less on new graphs")
    rows = zip(model.cv_results_["params"], model.cv_results_["mean_test_score"], strict=True)
    plain = max(score for row, score in rows if row["n_levels"] == 1)
    assert (
        lines[3]
        == model.verdict()
        == (
            f"The filtration gained {1 - plain:.3f} over plain Weisfeiler-Lehman "
            f"(1.000 against {plain:.3f}, better in 3 of 3 folds)."
        )
    )
    assert model.summary() == str(model)


def test_what_is_printed_before_a_fit_are_the_parameters(regular):
    model = FiltrationClassifier(weight="walks")
    assert str(model) == repr(model) == "FiltrationClassifier(weight='walks')"
    for method in (model.summary, model.verdict):
        with pytest.raises(NotFittedError):
            method()
    assert repr(model.fit(*regular)) == "FiltrationClassifier(weight='walks')"


def test_one_level_that_won():
    graphs, y = noisy(60)
    model = FiltrationRegressor(weight=["degree"], **SMALL)
    model.fit(graphs, graphs.n_edges)
    assert model.best_params_["n_levels"] == 1
    found = model.cv_results_["mean_test_score"]
    level = np.array([row["n_levels"] for row in model.cv_results_["params"]])
    best = np.flatnonzero(level > 1)[found[level > 1].argmax()]
    assert model.verdict() == (
        "The filtration did not help: one level won, which is plain Weisfeiler-Lehman "
        f"({found.max():.3f}). The best filtration, of 3 levels by degree, reached "
        f"{found[best]:.3f}."
    )
    lines = str(model).splitlines()
    assert lines[0] == f"FiltrationRegressor with {len(model.support_)} support vectors"
    assert "weight" not in lines[1]
    assert "gamma" not in lines[1]
    assert lines[2].startswith(f"R^2 in cross-validation: {model.best_score_:.3f} ")
    tie = with_scores(FiltrationClassifier(**SMALL).fit(graphs, y), [0.5, 0.7], [0.6, 0.6])
    assert tie.verdict().endswith("The best filtration, of 3 levels, was no better (0.600).")


@pytest.mark.parametrize(
    ("several", "better", "chance"),
    [
        ([0.8, 0.8, 0.8], 3, False),
        ([0.72, 0.69, 0.72], 2, True),
        ([0.9, 0.69, 0.69], 1, True),
    ],
)
def test_a_gain_that_may_be_chance_is_called_so(regular, several, better, chance):
    model = with_scores(FiltrationClassifier().fit(*regular), [0.7, 0.7, 0.7], several)
    assert f"better in {better} of 3 folds)" in model.verdict()
    assert model.verdict().endswith(", which may be chance.") == chance


def test_nothing_to_compare_with(regular):
    graphs, y = regular
    same = FiltrationClassifier(weight="degree").fit(graphs, y)  # all degrees are the same
    assert (
        "only one level to choose from, so there is no filtration: this is plain" in same.verdict()
    )
    assert "; to know it, add 1 to levels." in (
        FiltrationClassifier(weight="walks", levels=[2, 3]).fit(graphs, y).verdict()
    )
    distinct = FiltrationClassifier(weight="walks", thresholds="distinct", depths=[1, 2])
    distinct.fit(graphs, y)
    remedy = "to know it, use thresholds='kmeans' and have 1 in levels."
    assert distinct.verdict().endswith(remedy)
    assert remedy not in distinct.set_params(thresholds="kmeans").fit(graphs, y).verdict()


def test_other_features_scores_and_files(regular, tmp_path):
    graphs, y = regular
    model = FiltrationClassifier(
        ShortestPaths(), weight="walks", levels=[1, 2], scoring="balanced_accuracy"
    ).fit(graphs, y)
    assert "the same features without a filtration" in model.verdict()
    assert "balanced_accuracy in cross-validation: " in str(model)
    assert "depth" not in str(model)
    assert "Edge labels" not in str(model)
    model.save(tmp_path / "model")
    assert str(grafik.load(tmp_path / "model")) == str(model)
    named = model.set_params(scoring=lambda *given: 123456.0).fit(graphs, y)
    assert "<lambda> in cross-validation: 1.2346e+05 " in str(named)


@pytest.mark.parametrize("used", [True, False])
def test_whether_edge_labels_were_used(used):
    bonds = [["single", "double", "single"], ["single"] * 3] * 6
    graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (2, 3)]] * 12, edge_labels=bonds)
    model = FiltrationClassifier(WeisfeilerLehman(1, edge_labels=used), levels=[1])
    lines = str(model.fit(graphs, [0, 1] * 6)).splitlines()
    assert lines[-1] == f"Edge labels were {'used' if used else 'not used'}."
    assert (model.best_score_ == 1.0) == used


@pytest.mark.filterwarnings("ignore:the machine that was chosen did not converge")
def test_a_machine_that_did_not_converge_says_so():
    model = FiltrationClassifier(max_iter=2, **SMALL).fit(*noisy(60))
    assert str(model).splitlines()[-1].startswith("The machine did not converge")


def test_many_classes_are_not_listed():
    graphs, _ = datasets.random_graphs(24, random_state=0)
    model = FiltrationClassifier(**SMALL).fit(graphs, np.arange(24) % 8)
    assert str(model).splitlines()[0].endswith("support vectors, 8 classes")


def test_minimum_and_gaussian_are_not_called_plain():
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    model = FiltrationClassifier(
        weight="walks", levels=[1, 3], depths=[1], sigmas=[4.0], mass="min"
    )
    found = model.fit(graphs, y).verdict()
    assert "over Weisfeiler-Lehman with the smaller masses and a Gaussian with sigma 4 (" in found
    model = FiltrationClassifier(mass="min", weight="degree", levels=[1], depths=[1]).fit(graphs, y)
    assert "plain" not in model.verdict()
    # What the filtration gains is told against the plain kernel, and against the best without one.
    model = FiltrationClassifier(levels=[1, 3], depths=[1], mass=["linear", "min"]).fit(graphs, y)
    params = [{"n_levels": 1}, {"n_levels": 1, "mass": "min"}, {"n_levels": 3}]
    model.cv_results_ = {"params": params, "split0_test_score": np.array([0.5, 0.6, 0.9])}
    model.cv_results_ |= {"split1_test_score": np.array([0.5, 0.6, 0.9])}
    model.cv_results_["mean_test_score"] = np.array([0.5, 0.6, 0.9])
    assert model.verdict() == (
        "The filtration gained 0.400 over plain Weisfeiler-Lehman (0.900 against 0.500, better in "
        "2 of 2 folds). The best without a filtration is Weisfeiler-Lehman with the smaller masses "
        "(0.600)."
    )


def test_thresholds_are_named_unless_they_are_those_of_the_paper_or_chosen_by_the_weight():
    graphs = datasets.csl(copies=1)[0][:3]
    kernel = FiltrationKernel(weight="walks", depth=1, n_levels=2).fit(graphs)
    best = {"depth": 1, "gamma": 1.0, "C": 4.0}
    for rule, named in (("kmeans", False), ("auto", False), ("quantile", True)):
        model = SimpleNamespace(best_params_={**best, "thresholds": rule}, kernel_=kernel)
        assert (f"thresholds {rule}" in chosen(model)) is named
