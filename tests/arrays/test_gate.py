"""The gate refuses exactly the integers that Python's own, which never wrap around, refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik.arrays.gate import checked_column, checked_integers, checked_pointer

# Around every power of two at which some type ends, and thirds, whose differences wrap around.
EXTREME = sorted(
    {
        sign * (2**bits + more)
        for bits in (0, 31, 32, 62, 63)
        for more in (-1, 0, 1)
        for sign in (1, -1)
    }
    | {0, 2**64 // 3, 2 * (2**64 // 3) - 2**64, 2**64 - 1, 2**64 - 2}
)
SIGNED = [x for x in EXTREME if -(2**63) <= x < 2**63]
UNSIGNED = [x for x in EXTREME if 0 <= x < 2**64]


@st.composite
def integers(draw):
    dtype, values = draw(
        st.sampled_from(
            [(np.int64, SIGNED), (np.uint64, UNSIGNED), (np.int32, [0, 1, -1, 2**31 - 1])]
        )
    )
    middle = draw(st.lists(st.sampled_from(values), max_size=4))
    if draw(st.booleans()):
        middle.sort()
    ends = [[0], [*middle[-1:]]] if draw(st.booleans()) else [[], []]
    return np.array([*ends[0], *middle, *ends[1]], dtype)


@given(integers(), st.sampled_from([None, 0, 1, 2**31 - 1, 2**62]))
def test_pointers_rise_from_zero_to_their_end(array, end):
    values = [int(x) for x in array]
    right = bool(values) and values[0] == 0 and values == sorted(values) and values[-1] < 2**63
    right = right and end in (None, values[-1])
    if right:
        found = checked_pointer(array, "ptr", end)
        assert found.dtype == np.int64
        assert found.tolist() == values
    else:
        with pytest.raises(ValueError, match=r"ptr must (rise from 0|have shape)"):
            checked_pointer(array, "ptr", end)


@given(
    integers(),
    st.sampled_from([np.int32, np.int64, np.uint64]),
    st.sampled_from([None, 0, -5]),
    st.sampled_from([None, 1, 2**31]),
)
def test_columns_hold_what_their_type_and_bounds_allow(array, dtype, least, most):
    values, info = [int(x) for x in array], np.iinfo(dtype)
    low, high = info.min if least is None else least, info.max if most is None else most
    outside = [i for i, x in enumerate(values) if not low <= x <= high]
    if not outside and max(values, default=0) <= info.max and min(values, default=0) >= info.min:
        found = checked_column(array, "column", dtype, len(values), least, most)
        assert found.dtype == dtype
        assert found.tolist() == values
        assert not np.shares_memory(found, array)
    else:
        with pytest.raises(ValueError, match="column must be from"):
            checked_column(array, "column", dtype, None, least, most)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0, np.nan, 3], r"graph 1: sizes must be integers, got nan"),
        ([0, 1, np.inf], r"graph 2: sizes must be integers, got inf"),
        ([[0, 1], [2]], "sizes must be a rectangular array of integers"),
        (np.ma.array([0, 1], mask=[False, True]), "sizes must not be masked"),
        ([0, 2**70], f"graph 1: sizes must be integers, got {2**70} "),
        ([0, 2**63], r"graph 1: sizes must be integers, got 9.22.*e\+18 "),
        (np.array([-(2**63), 0.5], object), "graph 1: sizes must be integers, got 0.5 "),
        (np.array([2**63 - 1, 0.5], object), "graph 1: sizes must be integers, got 0.5 "),
        ([0, -(2**63) - 1, 2**64], f"graph 1: sizes must be integers, got {-(2**63) - 1} "),
        ("abc", "sizes must be integers, got abc"),
    ],
)
def test_what_is_no_integer_is_named(values, message):
    with pytest.raises(ValueError, match=message):
        checked_integers(values, "sizes", "graph {}".format)


def test_bounds_that_a_type_cannot_hold_do_not_widen_it():
    """What is left out of its range would wrap around."""
    with pytest.raises(ValueError, match=r"column must be from 0 to 9: entry 1 is -1"):
        checked_column([3, -1], "column", np.uint64, least=-5, most=9)
    with pytest.raises(ValueError, match=r"column must be from 0 to 2147483647: entry 0"):
        checked_column([2**31], "column", np.int32, least=0, most=2**31)


def test_bounds_are_allowed_themselves():
    for edge in (-2, 7):
        assert checked_column([edge, 0], "column", np.int64, least=-2, most=7).tolist() == [edge, 0]
    for values, at in (([7, 8, 9], 1), ([-2, -3, -9], 1), ([8], 0)):
        message = rf"column must be from -2 to 7: entry {at} is {values[at]}$"
        with pytest.raises(ValueError, match=message):
            checked_column(values, "column", np.int64, least=-2, most=7)


def test_pointers_that_rise_are_copied_and_others_name_the_first_that_falls():
    given = np.array([0, 2, 2, 5], np.int32)
    found = checked_pointer(given, "ptr", 5)
    assert found.dtype == np.int64
    assert found.tolist() == [0, 2, 2, 5]
    assert checked_pointer([0], "ptr").tolist() == [0]
    with pytest.raises(ValueError, match=r"graph 2 would start at 6 and end at 3$"):
        checked_pointer([0, 4, 6, 3, 1], "ptr")
    with pytest.raises(ValueError, match=r"ptr must rise from 0 to 6: it ends at 5$"):
        checked_pointer(given, "ptr", 6)
    with pytest.raises(ValueError, match=r"ptr must rise from 0: graph 0 would start at 1$"):
        checked_pointer([1, 2], "ptr")


def test_nothing_is_an_integer_array_but_nothing_of_another_kind_is_not():
    for empty in ([], np.empty((0, 2)), np.empty(0, object)):
        assert checked_integers(empty, "sizes").dtype == np.int64
    for other in (np.empty(0, bool), np.empty(0, "U1")):
        with pytest.raises(ValueError, match=r"sizes must be integers, got \[\] \(an array of"):
            checked_integers(other, "sizes")
    with pytest.raises(ValueError, match=r"sizes must be integers, got 1.0 "):
        checked_integers([1.0], "sizes")
    with pytest.raises(ValueError, match=r"sizes must be integers, got 2.5 "):
        checked_integers(2.5, "sizes")


def test_the_first_row_that_is_not_whole_is_named():
    rows = [[0.0, 1.0], [2.0, 2.5], [0.5, 0.5]]
    with pytest.raises(ValueError, match=r"graph 1: sizes must be integers, got \[2"):
        checked_integers(rows, "sizes", "graph {}".format)


def test_a_mask_without_gaps_is_no_mistake():
    plain = np.ma.array([3, 4], mask=[False, False])
    assert checked_integers(plain, "sizes").tolist() == [3, 4]


def test_columns_have_one_dimension_and_their_length():
    with pytest.raises(ValueError, match=r"column must have shape \(3,\), got shape \(2,\)"):
        checked_column([1, 2], "column", np.int64, 3)
    with pytest.raises(ValueError, match=r"column must have one dimension, got shape \(1, 2\)"):
        checked_column([[1, 2]], "column", np.int64)
