"""Protocols: values that are checked, replaced and remembered."""

from dataclasses import replace

import numpy as np
import pytest

from grafik.evaluation.protocols import PROTOCOLS

SMALL = PROTOCOLS["quick"].with_values(
    n_splits=3, levels=(1, 2, 4), depths=(1, 2), gammas=(0.1, 10.0), Cs=(0.01, 1.0, 100.0)
)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"Cs": [0.0]}, "each of Cs must be positive"),
        ({"levels": []}, "levels must have at least one value"),
        ({"levels": [0]}, "each of levels must be an integer of at least 1, got 0"),
        ({"gammas": ["x"]}, "each of gammas must be a finite number"),
        ({"thresholds_from": "test"}, "thresholds_from must be"),
        ({"normalize": "no"}, "normalize must be True or False"),
        ({"repeats": 0}, "repeats must be an integer of at least 1"),
        ({"n_splits": 1}, "n_splits must be an integer of at least 2"),
        ({"inner_splits": 2.5}, "inner_splits must be an integer of at least 2"),
        ({"folds": None}, "a protocol has repeats, n_splits, .*, got 'folds'"),
    ],
)
def test_what_is_no_value_of_a_protocol_is_refused(values, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SMALL.with_values(**values)


def test_a_protocol_keeps_what_is_not_replaced_and_knows_what_is():
    changed = SMALL.with_values(depths=iter([2, 0, 2]), repeats=np.int64(4), levels=None)
    assert changed == replace(SMALL, depths=(0, 2), repeats=4)
    assert type(changed.repeats) is int
    assert changed.changed == ["levels", "depths", "gammas", "Cs"]
    assert PROTOCOLS["quick"].with_values(levels=[10, 1, 3], n_splits=2).changed == []
