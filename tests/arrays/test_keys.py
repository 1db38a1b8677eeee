"""Keys: the order of rows, and ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grafik.arrays.keys import distinct_rows, ordered_integers, ranks

floats = st.floats(allow_nan=False, allow_infinity=False)
# Few values, so that there are ties, and the ends of the range.
integers = st.sampled_from([-(2**63), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1])


def rows(n_columns):
    return arrays(np.int64, st.tuples(st.integers(0, 12), st.just(n_columns)), elements=integers)


@given(floats, floats)
def test_integers_have_the_order_of_floats(a, b):
    x, y = ordered_integers(np.array([a, b])).tolist()
    assert ((a < b) - (a > b)) == ((x < y) - (x > y))


@given(st.integers(1, 3).flatmap(lambda k: st.tuples(rows(k), rows(k))))
def test_ranks_are_those_of_tuples(both):
    known, keys = both
    distinct = distinct_rows(known)
    expected = sorted(set(map(tuple, known.tolist())))
    assert list(map(tuple, distinct.tolist())) == expected
    found = ranks(keys, distinct).tolist()
    for key, rank in zip(map(tuple, keys.tolist()), found, strict=True):
        below = sum(one < key for one in expected)
        assert rank == (below if key in expected else below - 0.5)


def test_keys_have_as_many_columns_as_those_that_are_known():
    known = np.array([[1, 2], [3, 4]])
    assert ranks(np.array([[3, 4], [2, 0]]), known).tolist() == [1.0, 0.5]
    with pytest.raises(ValueError, match="keys have 2 columns, got 1"):
        ranks(np.array([[3]]), known)
