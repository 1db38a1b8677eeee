"""Parameters at their bounds and beyond them, and what the sentences say."""

import re

import numpy as np
import pytest

from grafik.arrays.checks import (
    check_buffer,
    checked_bool,
    checked_choice,
    checked_depths,
    checked_integer,
    checked_list,
    checked_number,
    is_integer,
)


def refused(sentence):
    return pytest.raises(ValueError, match=f"^{re.escape(sentence)}$")


def test_integers_are_those_of_python_and_numpy():
    assert is_integer(3)
    assert is_integer(np.int32(-3))
    assert not any(map(is_integer, (True, np.bool_(True), 3.0, "3", None)))


def test_integers_reach_their_bounds():
    for value in (2, np.int64(5)):
        found = checked_integer("n", value, 2, 5)
        assert found == value
        assert type(found) is int
    assert checked_integer("n", 10**30, 2) == 10**30
    for value in (1, 2.0, True):
        with refused(f"n must be an integer of at least 2, got {value!r}"):
            checked_integer("n", value, 2, 5)
    with refused("n must be at most 5, got 6"):
        checked_integer("n", 6, 2, 5)


def test_true_and_false_are_those_of_python_and_numpy():
    assert checked_bool("normalise", np.bool_(True)) is True
    assert checked_bool("normalise", False) is False
    for value in (1, 0, "yes", None):
        with refused(f"normalise must be True or False, got {value!r}"):
            checked_bool("normalise", value)


def test_numbers_are_finite_and_reach_their_bound():
    assert checked_number("gamma", 0) == 0.0
    assert type(checked_number("gamma", np.float32(0.5))) is float
    assert checked_number("gamma", 2, 2.0) == 2.0
    assert checked_number("gamma", -7.5, -np.inf) == -7.5
    for value in (-1e-300, np.inf, np.nan, True, "1", None, 10**400):
        with refused(f"gamma must be a finite number of at least 0, got {value!r}"):
            checked_number("gamma", value)
    with refused("gamma must be a finite number of at least 0.5, got 0.25"):
        checked_number("gamma", 0.25, 0.5)
    with refused("gamma must be a finite number, got inf"):
        checked_number("gamma", np.inf, -np.inf)


def test_choices_are_named():
    checked_choice("mass", "min", ("min", "max"))
    with refused("mass must be one of 'min', None, got 'mean'"):
        checked_choice("mass", "mean", ("min", None))


def test_lists_hold_several_values():
    assert checked_list("depths", (3, 1), [1]) == [3, 1]
    assert checked_list("depths", iter([2]), [1]) == [2]
    for value in ("ab", b"ab", {1: 2}, 5):
        with refused(f"depths must be a list, such as [1, 3], got {value!r}"):
            checked_list("depths", value, (1, 3))
    with refused("depths must hold at least one value, such as [1, 3], got none"):
        checked_list("depths", [], (1, 3))


def test_depths_increase_from_0():
    assert checked_depths([3, 0, np.int64(3), 1]) == [0, 1, 3]
    assert checked_depths([4], 4) == [4]
    with refused("a depth must be an integer of at least 0, got -1"):
        checked_depths([2, -1])
    with refused("a depth must be at most 4, got 5"):
        checked_depths([5], 4)
    with refused("depths must hold at least one value, such as [1, 3, 5], got none"):
        checked_depths([])


def test_buffers_have_the_right_shape_and_type_and_can_be_written_to():
    check_buffer(np.empty((3, 3)), 3)
    wanted = "out must be a writeable, C-contiguous array of float64 of shape (3, 3), got "
    for wrong in (np.empty((3, 2)), np.empty((3, 3), np.float32)):
        with refused(f"{wanted}{wrong.dtype} of shape {wrong.shape}"):
            check_buffer(wrong, 3)
    fixed, fortran = np.empty((3, 3)), np.empty((3, 3), order="F")
    fixed.flags.writeable = False
    for wrong in (fixed, fortran, np.empty((3, 3)).view(np.matrix)):
        with refused(f"{wanted}float64 of shape (3, 3)"):
            check_buffer(wrong, 3)
    with refused(f"{wanted}[[1.0]]"):
        check_buffer([[1.0]], 3)
