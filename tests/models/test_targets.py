"""Targets that users give by mistake, and those that mean the same."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from grafik import FiltrationClassifier, FiltrationRegressor
from grafik.evaluation import evaluate
from grafik.models.targets import as_numbers
from small_models import SMALL, noisy


def test_one_column_is_as_good_as_none():
    graphs, y = noisy(30)
    expected = FiltrationClassifier(**SMALL).fit(graphs, y).decision_function(graphs)
    for same in (
        pd.DataFrame({"class": y}),
        pd.DataFrame({"class": pd.Series(y, dtype="category")}),
        y[:, np.newaxis],
        [[one] for one in y],
    ):
        model = FiltrationClassifier(**SMALL).fit(graphs, same)
        assert np.array_equal(model.decision_function(graphs), expected)
        assert model.score(graphs, same) == model.score(graphs, y)
    numbers = graphs.n_edges * 1.0
    expected = FiltrationRegressor(**SMALL).fit(graphs, numbers).predict(graphs)
    for same in (
        pd.DataFrame({"y": numbers}),
        pd.Series(numbers, dtype="Float64"),
        numbers[:, np.newaxis],
        [[one] for one in numbers],
        numbers.astype(object),
        [Decimal(one) for one in numbers.tolist()],
        iter(numbers.tolist()),
    ):
        assert np.array_equal(
            FiltrationRegressor(**SMALL).fit(graphs, same).predict(graphs), expected
        )


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            None,
            "requires y to be passed, but the target y is None; give the (class|target) of each",
        ),
        ("class", "y must be a sequence with the (class|target) of each graph, got 'class'"),
        (5, "y must be a sequence with the (class|target) of each graph, got 5"),
        (
            pd.DataFrame({"active": [1, 2] * 10, "id": range(20)}),
            r"y must have one column, .* got 2 columns, \['active', 'id'\]; .* y\['active'\]",
        ),
        (np.zeros((20, 3)), "y must have one column, with the (class|target) .* got 3 columns"),
        ([1, 2] * 7, "there are 20 graphs, but y has 14 entries"),
        ([1, np.nan] * 10, "graph 1: (y|the target) must be a finite number, got nan; leave the"),
    ],
)
def test_mistakes_that_both_models_refuse(y, message):
    graphs, _ = noisy(20)
    for model in (FiltrationClassifier(**SMALL), FiltrationRegressor(**SMALL)):
        with pytest.raises(ValueError, match=message):
            model.fit(graphs, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            ["few", "many"] * 10,
            "graph 0: the target must be a number, got the text 'few'; .*Classifier",
        ),
        ([1.0, "2.0"] * 10, "graph 1: the target must be a number, got the text '2.0'; convert it"),
        (pd.Series(["1.5"] * 20), "graph 0: the target must be a number, got the text '1.5'"),
        (
            [1.0, None] * 10,
            "graph 1: the target must be a finite number, got None; leave the graph",
        ),
        (
            pd.Series([1.0, pd.NA] * 10, dtype="Float64"),
            "graph 1: .* finite number, got (<NA>|nan)",
        ),
        ([1.0, -np.inf] * 10, "graph 1: the target must be a finite number, got -inf"),
        ([1j] * 20, "graph 0: the target must be a finite number, got 1j"),
        (np.zeros((20, 1, 1)), r"one number for each graph, got an array of shape \(20, 1, 1\)"),
    ],
)
def test_regression_needs_numbers(y, message):
    graphs, _ = noisy(20)
    with pytest.raises(ValueError, match=message):
        FiltrationRegressor(**SMALL).fit(graphs, y)


def test_classes_must_not_be_measurements():
    graphs, _ = noisy(20)
    with pytest.raises(ValueError, match="graph 1: y must be classes, got .*Regressor"):
        FiltrationClassifier(**SMALL).fit(graphs, np.linspace(0, 1, 20))


def test_an_evaluation_refuses_several_columns_as_well():
    graphs, y = noisy(30)
    with pytest.raises(ValueError, match="y must have one column, with the class of each graph"):
        evaluate("wl", graphs, pd.DataFrame({"a": y, "b": y}))


def test_numbers_may_stand_in_one_column_or_be_of_any_kind():
    assert as_numbers(np.array([[1.0], [2.5]])).tolist() == [1.0, 2.5]
    assert as_numbers([Fraction(1, 2), 3]).tolist() == [0.5, 3.0]


def test_a_list_of_lists_of_one_number_is_one_column():
    assert as_numbers([[1.0], [2.5]]).tolist() == [1.0, 2.5]
    with pytest.raises(
        ValueError, match=r"one number for each graph, got an array of shape \(2, 2"
    ):
        as_numbers([[1.0, 2.0], [2.5, 3.0]])
