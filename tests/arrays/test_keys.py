"""Ranks of keys, which are rows of integers."""

import numpy as np
import pytest

from grafik.arrays.keys import ranks


def test_keys_have_as_many_columns_as_those_that_are_known():
    known = np.array([[1, 2], [3, 4]])
    assert ranks(np.array([[3, 4], [2, 0]]), known).tolist() == [1.0, 0.5]
    with pytest.raises(ValueError, match="keys have 2 columns, got 1"):
        ranks(np.array([[3]]), known)
