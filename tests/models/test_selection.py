"""The choice of parameters, against scikit-learn's exhaustive search."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from grafik import FiltrationKernel, datasets
from grafik.features import WeisfeilerLehman
from grafik.models import selection
from grafik.models.choice import simplicity
from grafik.models.gram_grid import Grid, filtration_grams
from grafik.models.selection import inner_folds, select

Cs = [2.0**power for power in (-5, -1, 1, 3, 8)]


class OfMany(ClassifierMixin, BaseEstimator):
    """A machine on one of several Gram matrices; graphs are given by their number."""

    grams = ()  # no parameter, because scikit-learn copies parameters for every fit

    def __init__(self, which=0, C=1.0):
        self.which, self.C = which, C

    def fit(self, X, y):
        self.rows_ = X[:, 0]
        gram = self.grams[self.which][np.ix_(self.rows_, self.rows_)]
        self.machine_ = SVC(kernel="precomputed", C=self.C).fit(gram, y)
        self.classes_ = self.machine_.classes_
        return self

    def predict(self, X):
        return self.machine_.predict(self.grams[self.which][np.ix_(X[:, 0], self.rows_)])


@pytest.fixture(scope="module", params=[2, 3], ids=["two classes", "three classes"])
def data(request):
    graphs, _ = datasets.random_graphs(
        60, n_nodes=(6, 14), density=(0.2, 0.5), n_labels=2, random_state=1
    )
    noise = np.random.default_rng(0).normal(scale=12, size=len(graphs))
    y = np.argsort(np.argsort(graphs.n_edges + noise)) * request.param // len(graphs)
    return graphs, np.array(["few", "many", "most"])[y]


def test_the_choice_is_that_of_an_exhaustive_search(data, monkeypatch):
    graphs, y = data
    # None of these ties for the best score: equal means may differ in their last bit, by which
    # scikit-learn chooses, while here ties go to the simplest.
    levels, depths, gammas = [1, 3, 30, 40], [0, 1, 3], [0.125, 8.0, 2.0**12]
    train = np.arange(50)
    folds = inner_folds(y, train, 3, random_state=0)
    everything, grams = [], []
    for n_levels in levels:
        for depth in depths:
            for gamma in gammas:
                options = {"n_levels": n_levels, "gamma": gamma, "normalize": True}
                kernel = FiltrationKernel(WeisfeilerLehman(depth), **options).fit(graphs[train])
                grams.append(np.zeros((60, 60)))
                grams[-1][:, train] = kernel.transform(graphs)
                everything.append({"n_levels": n_levels, "depth": depth, "gamma": gamma})
    grid = [{"which": [which], "C": Cs} for which in range(len(grams))]
    rows = np.arange(60)[:, np.newaxis]
    monkeypatch.setattr(OfMany, "grams", grams)
    search = GridSearchCV(OfMany(), grid, cv=folds, refit=False).fit(rows, y)

    candidates = filtration_grams(
        FiltrationKernel(), graphs, train, Grid(levels, depths, gammas), normalize=True
    )
    found = select(candidates, y, folds, Cs, simplest=simplicity)
    best = search.best_params_
    assert found.best == {**everything[best["which"]], "C": best["C"]}
    assert found.best_score == search.best_score_
    assert np.array_equal(found.gram[:, train], grams[best["which"]][:, train])
    tried = [str({**everything[p["which"]], "C": p["C"]}) for p in search.cv_results_["params"]]
    for name in [*(f"split{i}_test_score" for i in range(3)), "mean_test_score", "std_test_score"]:
        expected = dict(zip(tried, search.cv_results_[name], strict=True))
        got = dict(zip(map(str, found.results["params"]), found.results[name], strict=True))
        assert got == {key: expected[key] for key in got}
    n_distinct = 3 * (1 + 3 + 3)  # at most, as 40 levels are 30 again
    assert len(candidates) <= n_distinct
    assert found.n_fits + found.n_skipped == len(candidates) * 3 * len(Cs)


def grams_of(n, powers, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    return [np.abs(x @ x.T + 3) ** p for p in powers], np.arange(n) % 2


def test_equal_matrices_are_fitted_once_and_rows_in_no_fold_play_no_part():
    (one, other), y = grams_of(40, (1, 2))
    folds = inner_folds(y, np.arange(30), 3, random_state=0)
    same = one.copy()
    same[35:] = same[:, 35:] = 7.0
    alone = select([({"p": 1}, one), ({"p": 2}, other)], y, folds, Cs)
    twice = select([({"p": 1}, one), ({"p": 3}, same), ({"p": 2}, other)], y, folds, Cs)
    assert twice.n_fits == alone.n_fits
    assert twice.n_skipped == alone.n_skipped + 3 * len(Cs)
    assert twice.best == alone.best
    assert [row["p"] for row in twice.results["params"]] == [1] * 5 + [3] * 5 + [2] * 5
    assert np.array_equal(
        twice.results["mean_test_score"][:5], twice.results["mean_test_score"][5:10]
    )


def test_one_buffer_for_all_matrices_and_the_best_is_kept():
    matrices, y = grams_of(30, (0.5, 1, 2, 3))
    folds = inner_folds(y, None, 3, random_state=0)

    def refilled():
        out = np.empty((30, 30))
        for number, matrix in enumerate(matrices):
            out[:] = matrix
            yield {"number": number}, out
            assert np.array_equal(out, matrix)

    found = select(refilled(), y, folds, Cs)
    assert np.array_equal(found.gram, matrices[found.best["number"]])


def test_ties_go_to_the_simplest_then_to_the_first_then_to_the_smallest_c():
    x = np.repeat([-1.0, 1.0], 10)
    y = np.repeat([0, 1], 10)
    folds = inner_folds(y, None, 2, random_state=0)
    grams = [({"size": s}, f * np.outer(x, x)) for s, f in ((3, 1.0), (1, 2.0), (1, 3.0), (2, 4.0))]
    assert select(grams, y, folds, Cs).best == {"size": 3, "C": Cs[0]}
    found = select(grams, y, folds, Cs, simplest=lambda parameters: parameters["size"])
    assert found.best == {"size": 1, "C": Cs[0]}
    assert np.array_equal(found.gram, 2 * np.outer(x, x))
    assert [row["size"] for row in found.results["params"][:: len(Cs)]] == [1, 1, 2, 3]
    assert (found.results["rank_test_score"] == 1).all()


def test_threads_find_the_same(monkeypatch):
    matrices, y = grams_of(60, (1, 2))
    folds = inner_folds(y, None, 3, random_state=0)
    grams = [({"number": i}, matrix) for i, matrix in enumerate(matrices)]
    alone = select(grams, y, folds, Cs)
    monkeypatch.setattr(selection, "_WORTH_THREADS", 0)
    together = select(grams, y, folds, Cs, n_jobs=3)
    assert alone.best == together.best
    assert np.array_equal(alone.results["mean_test_score"], together.results["mean_test_score"])
    assert (alone.n_fits, alone.n_skipped) == (together.n_fits, together.n_skipped)


def test_fits_that_do_not_converge_are_counted():
    matrices, y = grams_of(40, (3,))
    folds = inner_folds(y, None, 3, random_state=0)
    found = select([({}, matrices[0])], y, folds, Cs, max_iter=1)
    assert found.n_unconverged == found.n_fits == 3 * len(Cs)


def test_there_must_be_something_to_choose_from():
    y = np.array([0, 1] * 5)
    folds = inner_folds(y, None, 2, random_state=0)
    with pytest.raises(ValueError, match="at least one Gram matrix is needed"):
        select([], y, folds, Cs)
    for bad in ([], [0.0, 1.0], [-1.0], [np.inf], ["1"]):
        with pytest.raises(ValueError, match="C"):
            select([({}, np.eye(10))], y, folds, bad)


@pytest.mark.parametrize("counts", [(30, 20), (10, 2), (5, 1, 1), (3, 3), (1, 1, 3), (3, 40, 7)])
def test_folds_part_the_graphs_and_share_out_each_class(counts):
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    train = np.arange(len(y))
    folds = inner_folds(y, train, 3, random_state=1)
    assert len(folds) == 3
    assert np.array_equal(np.sort(np.concatenate([test for _, test in folds])), train)
    for inside, outside in folds:
        assert np.array_equal(np.sort(np.concatenate([inside, outside])), train)
        for kind, count in enumerate(counts):
            assert abs((y[outside] == kind).sum() - count / len(folds)) < 1


def test_folds_are_those_of_the_seed_and_stay_within_the_training_graphs():
    y, train = np.arange(40) % 3, np.arange(5, 40, 2)
    one, same, other = (inner_folds(y, train, 3, random_state=s) for s in (0, 0, 1))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(one, same, strict=True))
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(one, other, strict=True))
    assert set(np.concatenate([test for _, test in one])) == set(train)


def test_folds_that_cannot_be_made_are_refused():
    for y, message in (
        (np.array(["a"] * 9), "at least two classes are needed, got only a"),
        (np.arange(0), "at least two classes are needed, got no graphs"),
        (np.arange(9), "at least one class needs two graphs .* got 9 graphs of 9 classes"),
    ):
        with pytest.raises(ValueError, match=message):
            inner_folds(y, None, 3, random_state=0)
    with pytest.raises(ValueError, match="the number of folds must be an integer of at least 2"):
        inner_folds(np.array([0, 1, 0, 1]), None, 1, random_state=0)
    with pytest.raises(ValueError, match="at least 4 graphs are needed to cross-validate, got 3"):
        inner_folds(np.arange(3.0), None, 3, random_state=0, regression=True)
    with pytest.raises(ValueError, match="3 folds need at least 6 graphs.* got 5; use at most 2"):
        inner_folds(np.arange(5.0), None, 3, random_state=0, regression=True)
    with pytest.raises(ValueError, match="10 folds need at least 10 graphs .* has 4; use at"):
        inner_folds(np.array([0, 1, 0, 1, 0, 0]), None, 10, random_state=0)
