"""Where thresholds lie between 1 and 0, and which rule a weight gets."""

import warnings

import numpy as np
import pytest

from grafik.filtration.axis import LARGEST, Axis, unit_axis
from grafik.filtration.thresholds import rule_for

ALPHAS = np.array([6.0, 5.0, 2.0])


def test_one_threshold_and_thresholds_far_apart():
    points, length = unit_axis(np.array([7.0]))
    assert (points.tolist(), length) == ([0.0], 1.0)
    points, length = unit_axis(np.array([1.5e308, 0.0, -1.5e308]))
    assert (points.tolist(), length) == ([1.0, 0.5, 0.0], LARGEST)


def test_the_scale_says_what_length_means():
    for scale, length in (("unit", 1.0), ("raw", 4.0)):
        axis = Axis.of(ALPHAS, scale)
        assert axis.points.tolist() == [1.0, 0.75, 0.0]
        assert (axis.length, axis.delta) == (length, 0.0)


def test_a_missing_feature_may_lie_anywhere_near():
    axis = Axis.of(ALPHAS, "raw", alpha_delta=-2.0)
    assert axis.points.tolist() == [1.0, 0.875, 0.5]
    assert (axis.length, axis.delta) == (8.0, 0.0)
    assert Axis.of(ALPHAS, "unit", alpha_delta=0.75).delta == 0.75
    assert Axis.of(np.array([1.0, 0.0]), "raw", alpha_delta=1e199).delta == 1.0
    with pytest.raises(ValueError, match=r"alpha_delta=1e\+200 is too far from the thresholds"):
        Axis.of(np.array([1.0, 0.0]), "raw", alpha_delta=1e200)


def test_rates_are_those_of_the_length_and_stay_finite():
    assert Axis.of(ALPHAS, "raw").rate(0.5) == 2.0
    assert Axis.of(ALPHAS, "unit").rate(0.5) == 0.5
    assert Axis.of(ALPHAS, "raw").rate(1e308) == LARGEST


def test_levels_of_weights_without_an_order_are_warned_of_unless_they_mean_something():
    with pytest.warns(UserWarning, match="thresholds='kmeans' puts together edges"):
        assert rule_for("kmeans", ordered=False, n_levels=2) == "kmeans"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rule, ordered, n_levels in (
            ("kmeans", False, 1),
            ("kmeans", True, 2),
            ("distinct", False, 2),
            ("no rule", False, 2),
        ):
            assert rule_for(rule, ordered, n_levels) == rule
        assert rule_for("auto", ordered=False, n_levels=1) == "kmeans"
        assert rule_for("auto", ordered=False, n_levels=2) == "distinct"
