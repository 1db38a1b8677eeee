"""Our own solver against scikit-learn's SVC: the same dual variables, to the bit."""

import platform
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from grafik.models import svm
from grafik.models.compiled_path import Memories, can_predict, predictions
from grafik.models.selection import inner_folds, select
from grafik.models.smo_loops import new_state
from grafik.models.svm import score_path

Cs = [2.0**-12, 0.5, 4.0, 32.0]


def problem(seed, n_classes, *, rounded=False, linear=False, lopsided=False, n=150):
    """A matrix and classes; rounded points give many equal graphs, and so many ties."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    x = rng.normal(size=(n, 3)) + np.eye(3)[y]
    x = np.round(x) if rounded else x
    gram = x @ x.T if linear else np.exp(-((x[:, None] - x[None]) ** 2).sum(-1))
    if lopsided:
        gram += rng.normal(scale=1e-3, size=gram.shape)
    return gram, y, np.arange(0, 2 * n // 3), np.arange(2 * n // 3, n)


def estimators_of(gram, y, C, max_iter):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return SVC(kernel="precomputed", C=C, max_iter=max_iter).fit(gram, y)


def estimators(gram, y, train, costs=None, max_iter=20_000):
    inner = gram[np.ix_(train, train)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return [
            SVC(kernel="precomputed", C=C, max_iter=max_iter).fit(inner, y[train], costs)
            for C in Cs
        ]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("rounded", [True, False])
@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("lopsided", [True, False])
def test_predictions_are_those_of_scikit_learn(n_classes, rounded, linear, lopsided):
    kind = {"rounded": rounded, "linear": linear, "lopsided": lopsided}
    for seed, weighted in enumerate([False, True]):
        gram, y, train, test = problem(seed, n_classes, **kind)
        costs = np.random.default_rng(seed).random(len(train)) + 0.1 if weighted else None
        found, converged = predictions(gram, y[train], train, test, Cs, 20_000, costs, Memories())
        rows = gram[np.ix_(test, train)]
        expected = [model.predict(rows) for model in estimators(gram, y, train, costs)]
        assert np.array_equal(found, expected[: len(found)])
        assert converged.any()


def test_dual_variables_are_those_of_scikit_learn_to_the_bit():
    steps = []
    for seed in range(6):
        gram, y, train, test = problem(seed, 2, rounded=seed % 2 == 0, linear=seed > 3, n=300)
        train = np.random.default_rng(seed).permutation(train)
        model = estimators(gram, y, train)[-1]
        memories = Memories()
        predictions(gram, y[train], train, test, Cs[-1:], 20_000, None, memories)
        dual = memories.take(len(train)).alpha
        assert np.array_equal(-dual[: model.n_support_.sum()], model.dual_coef_[0])
        steps.append(int(model.n_iter_[0]))
    # So many that variables are left out, come back and are left out again.
    assert max(steps) > 4 * len(train)


@pytest.mark.parametrize("max_iter", [1, 50, 400])
def test_an_early_end_gives_what_scikit_learn_gives(max_iter):
    gram, y, train, test = problem(1, 3, linear=True)
    found, converged = predictions(gram, y[train], train, test, Cs, max_iter, None, Memories())
    expected = estimators(gram, y, train, max_iter=max_iter)
    assert np.array_equal(found, [model.predict(gram[np.ix_(test, train)]) for model in expected])
    assert converged.tolist() == [model.fit_status_ == 0 for model in expected]
    assert not converged.all()


def test_a_choice_does_not_depend_on_the_solver(monkeypatch):
    gram, y, *_ = problem(3, 3, rounded=True)
    folds = inner_folds(y, None, 3, random_state=0)
    grams = [({"power": p}, gram**p) for p in (3.0, 1.0, 1.0)]
    found, calls, works = [], [], svm.solver_works()
    monkeypatch.setattr(svm, "predictions", lambda *how: calls.append(1) or predictions(*how))
    for n_entries in (-np.inf, np.inf):
        monkeypatch.setattr(svm._EFFORT, "n_entries", n_entries)
        found.append(select(grams, y, folds, Cs))
        assert len(calls) == (6 if n_entries > 0 and works else 0)
    by_libsvm, by_us = found
    assert by_us.best == by_libsvm.best
    for name, column in by_libsvm.results.items():
        assert np.array_equal(np.asarray(by_us.results[name]), np.asarray(column)), name
    counts = ("n_fits", "n_skipped", "n_unconverged", "best_score")
    assert [getattr(by_us, n) for n in counts] == [getattr(by_libsvm, n) for n in counts]


@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"),
    reason="on other processors, compilers may fuse multiplications and additions",
)
def test_our_solver_passes_its_own_check():
    assert svm.solver_works()


def test_only_after_some_work_our_solver_is_used(monkeypatch):
    gram, y, train, test = problem(0, 2)
    expected = score_path(gram, y, train, test, Cs)
    monkeypatch.setattr(svm, "predictions", lambda *_: pytest.fail("compiled for a small fit"))
    monkeypatch.setattr(svm._EFFORT, "n_entries", 0)
    assert np.array_equal(score_path(gram, y, train, test, Cs).scores, expected.scores)
    assert svm._EFFORT.n_entries == len(Cs) * len(train) ** 2


def test_libsvm_is_used_where_our_solver_might_differ():
    gram = problem(0, 2)[0]
    assert can_predict(gram, None)
    assert not can_predict(gram, np.r_[0.0, np.ones(9)])  # left out by libsvm
    assert not can_predict(1e20 * gram, None)
    assert not can_predict(gram.T[::-1], None)
    assert not can_predict(gram.astype(np.float32), None)


def test_memory_is_used_again_if_it_is_large_enough():
    memories = Memories()
    one = memories.take(10)
    assert memories.take(10) is not one
    memories.give_back(one)
    assert memories.take(5) is one
    memories.give_back(one)
    assert len(memories.take(len(one.alpha) + 1).alpha) > len(one.alpha)
    memories.give_back(one)
    memories.clear()
    assert memories.take(5) is not one


def test_all_variables_may_be_left_out():
    """What lies behind the variables in memory that was used before must not be read."""
    memories, state = Memories(), new_state(30)
    for array in (state.order, state.place, state.looped):
        array[:] = 1 << 40
    memories.give_back(state)
    near = 0.00224126
    gram = np.array([[1, near], [near, 1]])[np.ix_([0, 1, 0, 1], [0, 1, 0, 1])]
    y, rows = np.array([1, 0, 0, 2]), np.arange(4)
    for C in (1.0, 10.0, 100.0):
        found, _ = predictions(gram, y, rows, rows, [C], 8, None, memories)
        model = estimators_of(gram, y, C, 8)
        assert np.array_equal(found[0], model.predict(gram))
