"""The picture of what a model tried."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from grafik import FiltrationClassifier, FiltrationRegressor, plots
from small_models import noisy


@pytest.fixture(scope="module")
def model():
    return FiltrationClassifier(effort="quick").fit(*noisy(40))


def dots(ax):
    """Return position and score of every dot."""
    found = {}
    for container in ax.containers:
        line = container.lines[0]
        found |= dict(zip(line.get_ydata().tolist(), line.get_xdata().tolist(), strict=True))
    return [found[at] for at in range(len(found))]


def test_the_best_come_first_each_with_its_best_c(model):
    ax = plots.tried(model, top=5, ax=Figure().subplots())
    results = model.cv_results_
    kernels = {}
    for row, score in zip(results["params"], results["mean_test_score"], strict=True):
        key = repr({name: one for name, one in row.items() if name != "C"})
        kernels[key] = max(score, kernels.get(key, 0.0))
    expected = sorted(kernels.values(), reverse=True)
    assert dots(ax)[:4] == expected[:4]
    assert len(dots(ax)) == 5
    assert "accuracy" in ax.get_xlabel()


def test_the_best_without_a_filtration_is_always_shown(model):
    plain = [row["n_levels"] == 1 for row in model.cv_results_["params"]]
    best = model.cv_results_["mean_test_score"][plain].max()
    for top in (1, 2, 1000):
        ax = plots.tried(model, top=top, ax=Figure().subplots())
        texts = [label.get_text() for label in ax.get_yticklabels()]
        shown = [score for score, text in zip(dots(ax), texts, strict=True) if "no filtr" in text]
        assert max(shown) == best


def test_a_grid_and_numbers_are_drawn_too():
    graphs, _ = noisy(40)
    model = FiltrationRegressor(weight="core", levels=[2, 3], depths=[1], gammas=[1.0])
    model.fit(graphs, graphs.n_edges)
    ax = plots.tried(model, ax=Figure().subplots())
    assert np.allclose(dots(ax), sorted(dots(ax), reverse=True))
    assert ax.get_yticklabels()[0].get_text().startswith("given weight, ")
    assert "R^2" in ax.get_xlabel()


def test_what_is_not_fitted_or_no_number_is_refused(model):
    with pytest.raises(NotFittedError):
        plots.tried(FiltrationClassifier())
    with pytest.raises(ValueError, match="top must be"):
        plots.tried(model, top=0)
