"""Scores for many C, against scikit-learn asked one C at a time."""

import sys
import threading
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.svm import SVC, SVR, _libsvm

from grafik.models import svm
from grafik.models.svm import fit, score_path

Cs = [2.0**power for power in range(-8, 7, 2)]


def points(n_classes, apart, n=90, seed=0):
    """Gram matrix and classes of clouds that are `apart` from each other, in three dimensions."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    x = rng.normal(size=(n, 3)) + apart * np.eye(3)[y]
    order = rng.permutation(n)
    return x @ x.T, y, order[: 2 * n // 3], order[2 * n // 3 :]


def one_by_one(gram, y, train, test):
    scores = []
    for C in Cs:
        model = SVC(kernel="precomputed", C=C).fit(gram[np.ix_(train, train)], y[train])
        scores.append(model.score(gram[np.ix_(test, train)], y[test]))
    return scores


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("apart", [0.5, 2.0, 9.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_path_scores_as_scikit_learn_does_one_c_at_a_time(n_classes, apart, seed):
    gram, y, train, test = points(n_classes, apart, seed=seed)
    path = score_path(gram, y, train, test, Cs)
    assert path.scores.tolist() == one_by_one(gram, y, train, test)
    assert path.n_fits + path.n_skipped == len(Cs)
    assert path.n_unconverged == 0
    assert (path.n_skipped > 0) == (apart == 9.0)


def test_larger_c_do_not_matter_once_no_dual_variable_reaches_c():
    gram, y, train, _ = points(3, 9.0)
    inner = gram[np.ix_(train, train)]
    classes = y[train].astype(float)
    free = next(C for C in Cs if not fit(inner, classes, C, 10**6, False).reaches_bound())
    expected = SVC(kernel="precomputed", C=free, tol=1e-12).fit(inner, y[train])
    assert np.abs(expected.dual_coef_).max() < free
    for C in (1.5 * free, 1e3 * free):
        model = SVC(kernel="precomputed", C=C, tol=1e-12).fit(inner, y[train])
        np.testing.assert_allclose(
            model.decision_function(inner), expected.decision_function(inner), atol=1e-9
        )


def test_one_pair_of_classes_at_the_bound_is_enough_to_go_on():
    x = np.array([[9.0, 0], [8, 1], [0, 9], [1, 8], [-9, -9], [-9, -9], [-8, -9]])
    y = np.array([0, 0, 1, 1, 1, 2, 2])  # the two equal points are of classes 1 and 2
    everything = np.arange(7)
    path = score_path(x @ x.T, y, everything, everything, Cs)
    assert path.n_skipped == 0
    path = score_path(x @ x.T, np.minimum(y, 1), everything, everything, Cs)
    assert path.n_skipped > 0


def test_early_ends_are_counted_and_do_not_end_the_path():
    gram, y, train, test = points(2, 9.0)
    # Two steps leave every dual variable below the larger C.
    path = score_path(gram, y, train, test, Cs, max_iter=2)
    assert (path.n_fits, path.n_skipped, path.n_unconverged) == (len(Cs), 0, len(Cs))


def test_the_matrix_is_not_changed_and_only_its_rows_in_question_count():
    gram, y, train, test = points(2, 2.0)
    before, scores = gram.copy(), score_path(gram, y, train, test, Cs).scores
    assert np.array_equal(gram, before)
    used = np.concatenate([train, test])
    wide = np.full((200, 200), np.nan)
    wide[np.ix_(used, used)] = gram[np.ix_(used, used)]
    assert np.array_equal(score_path(wide, y, train, test, Cs).scores, scores)


def test_a_single_class_needs_no_machine():
    gram, y, train, test = points(2, 2.0)
    path = score_path(gram, y, train[y[train] == 1], test, Cs)
    assert path.scores.tolist() == [np.mean(y[test] == 1)] * len(Cs)
    assert (path.n_fits, path.n_skipped) == (0, len(Cs))


def test_regression_scores_as_scikit_learn_does_on_a_standardised_target():
    gram, _, train, test = points(2, 2.0)
    y = np.diag(gram) + 3 * gram[0] + 40
    z = (y - y[train].mean()) / y[train].std()
    expected = []
    for C in Cs:
        model = SVR(kernel="precomputed", C=C).fit(gram[np.ix_(train, train)], z[train])
        expected.append(r2_score(z[test], model.predict(gram[np.ix_(test, train)])))
    path = score_path(gram, y, train, test, Cs, regression=True)
    np.testing.assert_allclose(path.scores, expected, rtol=1e-12)
    assert max(expected) > 0.2
    in_other_units = score_path(gram, 64 * y - 32, train, test, Cs, regression=True)
    np.testing.assert_allclose(in_other_units.scores, path.scores, rtol=1e-6)


def test_a_constant_target_is_predicted():
    gram, _, train, test = points(2, 2.0)
    path = score_path(gram, np.full(len(gram), 5.0), train, test, Cs, regression=True)
    assert path.scores.tolist() == [1.0] * len(Cs)
    assert path.n_skipped == len(Cs) - 1


def test_threads_leave_the_filters_of_warnings_as_they_were():
    gram, y, train, test = points(2, 0.5)
    before = list(warnings.filters)
    work = [threading.Thread(target=score_path, args=(gram, y, train, test, Cs, 2)) for _ in "1234"]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert list(warnings.filters) == before
    with pytest.warns(ConvergenceWarning):
        SVC(kernel="precomputed", max_iter=1).fit(gram, y)


def test_the_short_way_to_libsvm_can_be_taken():
    """Else the estimators are used, and all is slow: then see what scikit-learn has changed."""
    assert svm._libsvm_works()


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("max_iter", [-1, 20])
@pytest.mark.parametrize("seed", range(4))
def test_both_ways_to_libsvm_end_at_the_same_machine(n_classes, max_iter, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(60, 4)), 7 * rng.integers(n_classes, size=60) - 7
    gram, numbers = x @ x.T, rng.normal(size=60)
    train, test = np.arange(40), np.arange(40, 60)
    for target, regression in ((y, False), (numbers, True)):
        paths = []
        for works in (True, False):
            monkeypatch.setattr(svm, "_libsvm_works", lambda works=works: works)
            paths.append(score_path(gram, target, train, test, Cs, max_iter, regression=regression))
        assert paths[0].scores.tolist() == paths[1].scores.tolist()
        assert paths[0][1:] == paths[1][1:]
        assert (paths[0].n_unconverged > 0) == (max_iter == 20)


def wrong_duals(*given, **options):
    support, vectors, n_support, dual, *rest = _libsvm.fit(*given, **options)
    return support, vectors, n_support, 2 * dual, *rest


CHANGES = {
    "gone": None,
    "fit is gone": {"fit": None},
    "fit takes other arguments": {"fit": lambda gram, y: _libsvm.fit(gram, y)},
    "fit returns something else": {"fit": lambda *given, **options: (0,) * 8},
    "fit returns other coefficients": {"fit": wrong_duals},
    "fit says that it never ends early": {
        "fit": lambda *given, **options: (*_libsvm.fit(*given, **options)[:7], 0)
    },
    "predict takes other arguments": {"predict": lambda rows, model: rows[0]},
    "predict returns something else": {
        "predict": lambda rows, *given, **options: np.zeros(len(rows))
    },
    "it cannot be silenced": {"set_verbosity_wrap": None},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_without_the_binding_or_with_another_one_scores_are_the_same(monkeypatch, change):
    (gram, y, train, test), numbers = points(3, 2.0), np.sin(np.arange(90.0))
    wanted = [
        score_path(gram, target, train, test, Cs, regression=target is numbers)
        for target in (y, numbers)
    ]
    names = {name: getattr(_libsvm, name) for name in ("fit", "predict", "set_verbosity_wrap")}
    if change is None:
        monkeypatch.setitem(sys.modules, "sklearn.svm._libsvm", None)
        monkeypatch.delattr(sklearn.svm, "_libsvm")
    else:
        # The estimators keep the true one.
        monkeypatch.setattr(sklearn.svm, "_libsvm", SimpleNamespace(**(names | change)))
    monkeypatch.setattr(svm, "_libsvm_works", svm._libsvm_works.__wrapped__)
    assert not svm._libsvm_works()
    for target, path in zip((y, numbers), wanted, strict=True):
        found = score_path(gram, target, train, test, Cs, regression=target is numbers)
        assert found.scores.tolist() == path.scores.tolist()
        assert found[1:] == path[1:]


def test_classes_that_are_not_there_to_learn_from_count_as_wrong():
    gram, y, train, test = points(3, 9.0)
    known = train[y[train] != 1]
    path = score_path(gram, y, known, test, Cs)
    model = SVC(kernel="precomputed", C=Cs[-1]).fit(gram[np.ix_(known, known)], y[known])
    assert path.scores[-1] == model.score(gram[np.ix_(test, known)], y[test])
    assert 0 < path.scores[-1] <= np.mean(y[test] != 1) < 1


def test_warnings_of_fits_at_the_same_time_are_hidden_and_then_shown_again():
    silence = svm._Silence()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with silence.kept():
            with silence.kept():
                warnings.warn("inside", ConvergenceWarning, stacklevel=1)
            warnings.warn("between", ConvergenceWarning, stacklevel=1)
        warnings.warn("after", ConvergenceWarning, stacklevel=1)
    assert [str(one.message) for one in caught] == ["after"]


def test_our_solver_is_not_used_without_libsvms_own_or_where_bits_differ(monkeypatch):
    svm.solver_works.cache_clear()
    try:
        monkeypatch.setattr(svm, "_libsvm_works", lambda: False)
        assert not svm.solver_works()
        svm.solver_works.cache_clear()
        monkeypatch.setattr(svm, "_libsvm_works", lambda: True)
        other = np.zeros((1, 40)), np.array([True])
        monkeypatch.setattr(svm, "predictions", lambda *arguments: other)
        assert not svm.solver_works()
    finally:
        svm.solver_works.cache_clear()
