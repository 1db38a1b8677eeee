"""Estimators among scikit-learn's tools: names of arguments, metadata routing and tags."""

import inspect

import pytest
from sklearn.base import BaseEstimator

import grafik
from grafik import baselines

# What scikit-learn calls, by position or by these names.
CALLED = ("fit", "transform", "fit_transform", "predict", "predict_proba", "decision_function")
ESTIMATORS = [
    found
    for room in (grafik, baselines)
    for found in (getattr(room, name) for name in room.__all__)
    if inspect.isclass(found) and issubclass(found, BaseEstimator)
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda found: found.__name__)
def test_graphs_are_called_x_and_targets_y(estimator):
    for name in (*CALLED, "score"):
        if method := getattr(estimator, name, None):
            _, *names = inspect.signature(method).parameters
            assert names[0] == "X"
            if "fit" in name or name == "score":
                assert names[1] == "y"
    assert hasattr(estimator, "fit")
