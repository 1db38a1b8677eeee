"""Regression: a machine on the standardised target."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, cross_val_score
from sklearn.svm import SVR

from grafik import FiltrationKernel, FiltrationRegressor, datasets
from grafik.features import WeisfeilerLehman
from small_models import SMALL, noisy


def test_targets_too_large_to_be_scaled_are_refused():
    graphs, _ = datasets.random_graphs(12)
    with pytest.raises(ValueError, match="are too large; divide them"):
        FiltrationRegressor(**SMALL).fit(graphs, np.arange(12) * 1e200)


def test_regression_is_a_machine_on_the_standardised_target():
    graphs, _ = noisy(60)
    y = 1000.0 + 50 * graphs.n_edges
    model = FiltrationRegressor(levels=[1, 2], depths=[0, 1], normalize=False)
    model.fit(graphs[:40], y[:40])
    chosen, mean, scale = model.best_params_, y[:40].mean(), y[:40].std()
    kernel = FiltrationKernel(
        WeisfeilerLehman(chosen["depth"]), n_levels=chosen["n_levels"], gamma=chosen["gamma"]
    )
    machine = SVR(kernel="precomputed", C=chosen["C"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.set_params(max_iter=model.max_iter)
        machine.fit(kernel.fit_transform(graphs[:40]), (y[:40] - mean) / scale)
    expected = machine.predict(kernel.transform(graphs)) * scale + mean
    np.testing.assert_allclose(model.predict(graphs), expected, rtol=1e-9)
    assert model.score(graphs[40:], y[40:]) > 0.9
    scores = cross_val_score(FiltrationRegressor(**SMALL), graphs, y, cv=KFold(3))
    assert scores.mean() > 0.5


def test_regression_does_not_depend_on_the_unit():
    graphs, _ = noisy(40)
    y = graphs.n_edges.astype(float)
    one = FiltrationRegressor(**SMALL).fit(graphs, y)
    other = FiltrationRegressor(**SMALL).fit(graphs, 2.0**20 * y)
    assert one.best_params_ == other.best_params_
    assert np.array_equal(2.0**20 * one.predict(graphs), other.predict(graphs))


def test_a_constant_target_is_predicted():
    graphs, _ = noisy(20)
    model = FiltrationRegressor(**SMALL).fit(graphs, np.full(20, 7.0))
    assert (model.predict(graphs) == 7.0).all()
