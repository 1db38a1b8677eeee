"""Decisions between pairs of classes, winners, and the slope of probabilities."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.svm import SVC

from grafik.models.decision import SupportVectors, calibrated_slope, probabilities, winners


def test_the_slope_is_the_likeliest():
    rng = np.random.default_rng(0)
    decisions = rng.normal(size=4000)
    y = (rng.random(4000) < 1 / (1 + np.exp(-2.5 * decisions))).astype(int)
    assert calibrated_slope(decisions, y) == pytest.approx(2.5, rel=0.1)
    small, kinds = decisions[:30], y[:30]
    targets = np.where(kinds, (kinds.sum() + 1) / (kinds.sum() + 2), 1 / ((1 - kinds).sum() + 2))

    def loss(slope):  # Platt's, with an intercept of 0
        return np.sum(np.logaddexp(0, -slope * small) + (1 - targets) * slope * small)

    expected = minimize_scalar(loss, bounds=(0, 50), method="bounded", options={"xatol": 1e-9}).x
    assert calibrated_slope(small, kinds) == pytest.approx(expected, rel=1e-5)


def test_graphs_that_cannot_be_told_apart_have_no_steep_slope():
    codes = np.repeat([0, 1, 2], 2)
    for rounding in (0.0, 1e-16):
        same = np.resize([rounding, -rounding], 6)
        assert calibrated_slope(same, codes // 2) == 1.0
        assert calibrated_slope(1.5 + np.column_stack([same, -same, same]), codes) == 1.0
    assert calibrated_slope(1e-6 * (codes // 2 - 0.5), codes // 2) > 100


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_decisions_and_winners_are_those_of_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    x = rng.normal(size=(80, 4)) + 2 * np.eye(5)[rng.integers(n_classes, size=80)][:, :4]
    y = rng.permutation(np.arange(80) % n_classes)
    model = SVC(kernel="precomputed", break_ties=True).fit(x @ x.T, y)
    new = rng.normal(size=(50, 4)) @ x.T
    decisions = SupportVectors.of(model).decide(new[:, model.support_])
    np.testing.assert_allclose(decisions, model.decision_function(new), rtol=1e-10, atol=1e-12)
    assert np.array_equal(winners(decisions), model.predict(new))
    assert np.array_equal(probabilities(decisions, 0.7).argmax(axis=1), model.predict(new))
    alone = [SupportVectors.of(model).decide(row[None, model.support_])[0] for row in new]
    assert np.array_equal(alone, decisions)


def test_a_decision_of_zero_is_the_second_class_as_in_scikit_learn():
    gram, y = np.ones((4, 4)), np.array([0, 1, 0, 1])
    machine = SVC(kernel="precomputed").fit(gram, y)
    assert winners(SupportVectors.of(machine).decide(gram[:, machine.support_])).tolist() == (
        machine.predict(gram).tolist()
    )
