"""What a file says of a filtration is checked."""

import numpy as np
import pytest

from grafik import Filtration
from grafik.models.saved_filtration import filtration_parts, restore_filtration


@pytest.mark.parametrize(
    ("content", "arrays", "message"),
    [
        ({"directed": 1}, {}, "directed is 1"),
        ({"attributes": ["a", 2]}, {}, r"attributes are \['a', 2\]"),
        ({}, {"keys": np.array([[1.0], [2.0]])}, r"keys are an array of float64 of shape \(2, 1\)"),
        ({}, {"keys": np.array([1, 2])}, r"keys are an array of int64 of shape \(2,\)"),
        ({}, {"keys": np.empty((2, 0), np.int64)}, r"keys are an array of int64 of shape \(2, 0\)"),
        ({}, {"keys": np.array([[2], [1]])}, "keys do not increase"),
    ],
)
def test_what_no_filtration_has_learned_is_refused(content, arrays, message):
    known = {"alphas": np.array([2.0, 1.0])}, {"directed": None, "attributes": None}
    filtration = Filtration()
    restore_filtration(filtration, known[1], known[0])
    assert filtration_parts(filtration)[0]["directed"] is None
    assert filtration.alphas_.tolist() == [2.0, 1.0]
    with pytest.raises(ValueError, match=message):
        restore_filtration(Filtration(), {**known[1], **content}, {**known[0], **arrays})
