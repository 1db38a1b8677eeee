"""Models among the methods of an evaluation: fitted to training parts, tested on the others."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    Graphs,
    datasets,
    weights,
)
from grafik.evaluation import PROTOCOLS, evaluate, model_methods, read_results
from grafik.evaluation.methods import as_methods
from grafik.evaluation.model_methods import ModelMethod, plain
from grafik.evaluation.results import FILE
from grafik.evaluation.unit import Unit, Work
from grafik.large.fingerprint import described

THREE = PROTOCOLS["quick"].with_values(n_splits=3, depths=[1], Cs=[1.0])
QUICK = FiltrationClassifier(
    weight=["degree", "walks"], levels=[1, 2], depths=[1], gammas=[1.0], Cs=[1.0, 100.0]
)


def two_classes(n=30):
    thin, _ = datasets.random_graphs(n // 2, (6, 12), 0.25, n_labels=2, random_state=0)
    dense, _ = datasets.random_graphs(n // 2, (6, 12), 0.4, n_labels=2, random_state=1)
    return Graphs.concat([thin, dense]), np.repeat(["a", "b"], n // 2)


def seed_of(unit):
    return int(np.random.SeedSequence([0, unit["repeat"], unit["fold"]]).generate_state(1)[0])


@pytest.fixture
def _small_default(monkeypatch):
    """A default model that tries little."""
    monkeypatch.setattr(model_methods, "FiltrationClassifier", lambda **_: clone(QUICK))


@pytest.mark.usefixtures("_small_default")
def test_units_are_those_of_a_fit_to_the_training_part(tmp_path):
    graphs, y = two_classes()
    results = evaluate(["wl", "default"], graphs, y, protocol=THREE, out=tmp_path)
    assert results.header.methods["default"].title == "grafik, default"
    assert results.header.methods["default"].grid == {}
    mine = [unit for unit in results.units if unit["method"] == "default"]
    assert len(mine) == 3
    for unit in mine:
        tested = np.array(results.header.folds[0]) == unit["fold"]
        model = clone(QUICK).set_params(random_state=seed_of(unit))
        model.fit(graphs[np.flatnonzero(~tested)], y[~tested])
        right = (model.predict(graphs[np.flatnonzero(tested)]) == y[tested]).sum()
        assert (unit["n_correct"], unit["n_test"]) == (right, tested.sum())
        assert unit["params"] == model.best_params_
        assert unit["inner_accuracy"] == model.best_score_
        assert unit["n_fits"] == model.n_fits_ + 1
        assert unit["n_skipped"] == model.n_skipped_
        assert unit["n_unconverged"] == model.n_unconverged_ + (not model.converged_)
    assert read_results(tmp_path) == results
    assert "grafik, default" in (tmp_path / "summary.md").read_text()
    before = (tmp_path / FILE).read_bytes()
    evaluate(["wl", "default"], graphs, y, protocol=THREE, out=tmp_path, n_jobs=2)
    assert (tmp_path / FILE).read_bytes() == before


class Majority(BaseEstimator):
    """A model of others, in which names of ours stand for other things."""

    def __init__(self, said=()):
        self.said = said

    def fit(self, graphs, y):
        names, counts = np.unique(y, return_counts=True)
        self.found_ = names[np.argmax(counts)]
        for name, value in self.said:
            setattr(self, name, value)
        return self

    def predict(self, graphs):
        return np.repeat(self.found_, len(graphs))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([("n_unconverged_", 3), ("best_score_", np.float32(0.5))], (3, 0, 3, 0.5)),
        ([("n_fits_", 2), ("n_unconverged_", 1), ("n_skipped_", 4)], (3, 4, 1, None)),
        ([("n_fits_", -5), ("n_unconverged_", 2**70), ("n_skipped_", "no")], (1, 0, 0, None)),
        ([("n_fits_", 2.5), ("best_score_", np.nan), ("converged_", False)], (1, 0, 1, None)),
        ([("best_score_", [0.5, 0.6]), ("n_fits_", True)], (1, 0, 0, None)),
    ],
)
def test_what_models_of_others_say_of_themselves_is_kept_where_it_can_be(said, expected, tmp_path):
    graphs, y = two_classes()
    results = evaluate({"mine": Majority(said)}, graphs, y, protocol=THREE, out=tmp_path)
    names = ("n_fits", "n_skipped", "n_unconverged", "inner_accuracy")
    assert [tuple(unit[name] for name in names) for unit in results.units] == [expected] * 3
    assert read_results(tmp_path) == results


def test_a_model_of_numbers_is_no_method():
    with pytest.raises(TypeError, match="got FiltrationRegressor"):
        as_methods([("numbers", FiltrationRegressor())])


def test_the_default_model_is_as_it_is_but_for_threads_and_progress():
    (method,) = as_methods("default")
    assert method.ours
    plain = {"n_jobs": 1, "progress": False}
    assert method.text.startswith(f"{described(FiltrationClassifier(**plain))}, trying (Cs=[1.0,")
    (quick,) = as_methods("default-quick")
    assert quick.text.split("trying")[1] != method.text.split("trying")[1]
    assert method.title == "grafik, default"


@pytest.mark.usefixtures("_small_default")
def test_thresholds_of_all_graphs_are_refused():
    graphs, y = two_classes()
    protocol = THREE.with_values(thresholds_from="all")
    message = "default is a model, which learns from the training part alone.*leave it out, or"
    with pytest.raises(ValueError, match=message):
        evaluate("wl,default", graphs, y, protocol=protocol)


class Watched(BaseEstimator):
    """A model that notes what it is given, and predicts what it is told."""

    seen: list = []  # noqa: RUF012

    def __init__(self, cv=3, random_state=None, answer="right"):
        self.cv = cv
        self.random_state = random_state
        self.answer = answer

    def fit(self, graphs, y):
        self.seen.append((graphs, y, self.cv, self.random_state))
        self.n_edges_ = np.median(graphs.n_edges)
        self.best_params_ = {"weight": weights.Walks(3), "levels": (1, np.int64(2)), "x": np.nan}
        return self

    def predict(self, graphs):
        return [0] if self.answer == "short" else (graphs.n_edges > self.n_edges_).astype(int)


def work_of(method, graphs, y, groups=None):
    return Work(graphs, np.unique(y, return_inverse=True)[1], {"m": method}, THREE, groups)


def test_the_test_part_is_not_seen():
    graphs, y = two_classes()
    Watched.seen.clear()
    work = work_of(ModelMethod("m", "m", Watched()), graphs, y)
    found, _ = work(Unit("m", 0, 1))
    train, test = work.folds(0)[1]
    (seen,) = Watched.seen
    assert seen[0] == graphs[train]
    assert (seen[1] == work.y[train]).all()
    assert seen[2:] == (3, None)  # a user's model is used as it is
    median = np.median(graphs[train].n_edges)
    assert found["n_correct"] == ((graphs[test].n_edges > median) == work.y[test]).sum()
    assert (found["inner_accuracy"], found["n_fits"], found["n_unconverged"]) == (None, 1, 0)
    assert found["params"] == {"weight": "Walks(length=3)", "levels": [1, 2], "x": "nan"}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_our_models_keep_groups_together_inside_the_training_part():
    graphs, y = two_classes()
    groups = np.arange(30) // 2
    Watched.seen.clear()
    work = work_of(ModelMethod("m", "m", Watched(), ours=True), graphs, y, groups)
    work(Unit("m", 0, 2))
    train, _ = work.folds(0)[2]
    _, _, cv, seed = Watched.seen[0]
    assert seed == seed_of({"repeat": 0, "fold": 2})
    assert [(train[a].tolist(), train[b].tolist()) for a, b in cv] == [
        (a.tolist(), b.tolist()) for a, b in work.inner_folds(train, 0, 2)
    ]
    for a, b in cv:
        assert not set(groups[train[a]]) & set(groups[train[b]])
        assert sorted([*a, *b]) == list(range(len(train)))


def test_any_estimator_with_fit_and_predict_is_a_model():
    graphs, y = two_classes()
    pipeline = make_pipeline(FiltrationKernel(normalize=True), SVC(kernel="precomputed"))
    search = GridSearchCV(pipeline, {"svc__C": [1.0, 100.0]}, cv=2)
    results = evaluate({"pipe": pipeline, "search": search}, graphs, y, protocol=THREE)
    assert all("svc__C" in u["params"] for u in results.units if u["method"] == "search")
    # A model that has no fit_transform goes alone, and by the name of its class.
    assert evaluate(Watched(), graphs, y, protocol=THREE).methods == ["Watched"]
    for unit in results.units:
        if unit["method"] == "pipe":
            tested = np.array(results.header.folds[0]) == unit["fold"]
            model = clone(pipeline).fit(graphs[np.flatnonzero(~tested)], y[~tested])
            right = (model.predict(graphs[np.flatnonzero(tested)]) == y[tested]).sum()
            assert unit["n_correct"] == right


def test_what_is_no_model_is_refused():
    graphs, y = two_classes()
    with pytest.raises(ValueError, match="Watched must predict one class for each of 10 graphs"):
        evaluate({"m": Watched(answer="short")}, graphs, y, protocol=THREE)
    with pytest.raises(TypeError, match="a model with fit and predict, or a pair .*, got type"):
        evaluate([FiltrationClassifier], graphs, y, protocol=THREE)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fits_that_end_early_are_counted_the_last_one_too():
    graphs, y = two_classes()
    hurried = clone(QUICK).set_params(max_iter=1)
    (unit, *_) = evaluate({"m": hurried}, graphs, y, protocol=THREE).units
    assert unit["n_unconverged"] == unit["n_fits"] > 1


def test_other_models_are_other_runs(tmp_path):
    graphs, y = two_classes()
    evaluate({"m": QUICK}, graphs, y, protocol=THREE, out=tmp_path)
    other = clone(QUICK).set_params(levels=[1])
    with pytest.raises(ValueError, match="methods.m.kernel is"):
        evaluate({"m": other}, graphs, y, protocol=THREE, out=tmp_path)


def test_parameters_become_json():
    assert plain({"a": np.float64(0.5), 1: [None, True, "x"], "inf": np.inf}) == {
        "a": 0.5,
        "1": [None, True, "x"],
        "inf": "inf",
    }
