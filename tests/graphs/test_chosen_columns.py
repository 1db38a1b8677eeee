"""Columns of node attributes are chosen by number or by name, each once."""

import pytest

from grafik.graphs.chosen_columns import positions


def test_columns_are_numbers_or_names():
    assert positions(None, 3, None) == [0, 1, 2]
    assert positions(1, 3, None) == [1]
    assert positions(["mass", 0], 2, ("charge", "mass")) == [1, 0]


@pytest.mark.parametrize(
    ("columns", "names", "message"),
    [
        ([], None, "must be different numbers or names, at least one, got"),
        ([1, 1], None, r"must be different numbers or names, at least one, got \[1, 1\]"),
        (1.5, None, "must be different numbers or names, at least one, got 1.5"),
        ("mass", None, "has the name 'mass', but the node attributes have no names; give numbers"),
        ("x", ("charge", "mass"), "no node attribute 'x'; there are 'charge', 'mass'"),
        (2, None, "must be numbers from 0 to 1, as there are 2 node attributes, or names, got 2"),
        ([-1], None, "must be numbers from 0 to 1"),
        ([True], None, "must be numbers from 0 to 1"),
    ],
)
def test_other_columns_are_refused(columns, names, message):
    with pytest.raises(ValueError, match=message):
        positions(columns, 2, names)
