import pickle
from enum import Enum, IntEnum
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik.graphs.labels import Labels, content, content_hash
from strategies import labels as label


def typed(value):
    """A key that is equal only for labels of the same type and value."""
    if isinstance(value, tuple):
        return tuple(map(typed, value))
    return type(value).__name__, value


@given(st.lists(label))
def test_encoding_keeps_every_value_and_its_type(values):
    assert [typed(v) for v in Labels(values)] == [typed(v) for v in values]


@given(st.lists(label, min_size=1))
def test_items_share_a_code_and_a_hash_exactly_if_type_and_value_agree(values):
    encoded = Labels(values)
    for column in (encoded.codes, encoded.hashes):
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                assert (column[i] == column[j]) == (typed(a) == typed(b))


def test_one_true_one_point_zero_and_the_digit_are_four_labels():
    encoded = Labels([1, True, 1.0, "1", np.int8(1), np.bool_(True), np.float32(1)])
    assert encoded.codes.tolist() == [0, 1, 2, 3, 0, 1, 2]
    assert [type(v) for v in encoded.values] == [int, bool, float, str]


def test_tuples_that_python_calls_equal_are_different_labels():
    assert Labels([(1, True), (1, 1), (True, 1), ((1,), 1)]).codes.tolist() == [0, 1, 2, 3]


class Atom(str, Enum):  # noqa: UP042
    C = "C"


class Kind(IntEnum):
    one = 1


class Pair(NamedTuple):
    a: int
    b: bool


def test_subclasses_count_as_the_type_they_stand_for():
    for items in ([Atom.C, "C"], ["C", Atom.C]):
        assert list(Labels(items)) == ["C", "C"]
        assert type(Labels(items)[0]) is str
        assert Labels(items).hashes.tolist() == Labels(["C", "C"]).hashes.tolist()
    assert Labels([Kind.one]) == Labels([1])
    assert Labels([Pair(1, True), Pair(1, 1)]) == Labels([(1, True), (1, 1)])


def test_long_and_short_floats_are_floats():
    assert Labels(np.array([0.1, 0.5], np.longdouble)) == Labels([0.1, 0.5])
    assert Labels(np.array([0.5], np.float16)) == Labels([0.5])
    assert type(Labels(np.array([0.5], np.longdouble))[0]) is float


def test_codes_cannot_be_handed_in():
    with pytest.raises(TypeError):
        Labels(("a",), codes=np.array([5]))


def test_minus_zero_is_zero():
    assert Labels([0.0, -0.0]).codes.tolist() == [0, 0]
    assert [str(value) for value in Labels([-0.0]).values] == ["0.0"]
    assert [str(value) for value in Labels(np.array([-0.0])).values] == ["0.0"]
    assert Labels(np.array([-0.0])) == Labels([0.0])


def test_tuple_contents_do_not_run_into_each_other():
    pairs = [("a", "bc"), ("ab", "c"), ("abc",), (("a",), "bc"), ()]
    assert len({content(p) for p in pairs}) == len(pairs)


@given(
    st.one_of(
        st.lists(st.integers(-5, 5)).map(lambda x: np.array(x, np.int8)),
        st.lists(st.integers(-(2**63), 2**63 - 1)).map(lambda x: np.array(x, np.int64)),
        st.lists(st.integers(0, 2**64 - 1)).map(lambda x: np.array(x, np.uint64)),
        st.lists(st.integers(2**64 - 9, 2**64 - 1)).map(lambda x: np.array(x, np.uint64)),
        st.lists(st.booleans()).map(lambda x: np.array(x, bool)),
        st.lists(st.text(st.characters(min_codepoint=1), max_size=4)).map(
            lambda x: np.array([s.rstrip("\0") for s in x], np.str_)
        ),
        st.lists(st.floats(allow_nan=False, allow_infinity=False)).map(np.array),
    )
)
def test_arrays_and_lists_of_the_same_values_encode_alike(array):
    assert Labels(array) == Labels(array.tolist())


def test_extreme_int8_values_do_not_overflow():
    values = np.array([-128, 127, 0], np.int8)
    assert list(Labels(values)) == [-128, 127, 0]


def test_several_columns_become_tuples_and_one_column_does_not():
    assert list(Labels(np.array([[1, 2], [3, 4], [1, 2]]))) == [(1, 2), (3, 4), (1, 2)]
    assert list(Labels(np.array([[1], [3]]))) == [1, 3]


def test_hashes_are_the_first_eight_bytes_of_blake2b():
    assert content(7) == b"i7"
    digest = bytes.fromhex("283a6b3a9638ea55")  # printf i7 | b2sum -l 64
    assert content_hash(7) == int.from_bytes(digest, "little")


def test_hashes_are_the_same_in_every_process(others):
    values = ["C", 1, None, True, 2.5, ("a", 1), "\ud800"]
    code = f"from grafik.graphs.labels import Labels; print(Labels({values!r}).hashes.tolist())"
    assert others(code) == [f"{Labels(values).hashes.tolist()}\n"] * 2


@given(st.lists(st.lists(label), min_size=1, max_size=4))
def test_concat_is_list_concatenation(parts):
    whole = [value for part in parts for value in part]
    assert Labels.concat([Labels(part) for part in parts]) == Labels(whole)


@given(st.lists(label), st.data())
def test_slices_hold_no_value_that_does_not_occur(values, data):
    which = data.draw(st.slices(len(values)))
    part = Labels(values)[which]
    assert [typed(v) for v in part] == [typed(v) for v in values[which]]
    assert sorted(set(part.codes.tolist())) == list(range(len(part.values)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", float("nan")], "label 1: a label must be finite, got nan"),
        (np.array([1.0, np.inf]), "label 1: a label must be finite, got inf"),
        ([1, [2]], "label 1: labels must be strings.*got .2. of type list"),
        ([(1, {})], "label 0: labels must be strings.*got .* of type dict"),
        ([b"a"], "label 0: labels must be strings.*of type bytes"),
        (np.array(["2020-01-01"], "datetime64[D]"), "got an array of datetime64"),
        (np.zeros((2, 0), int), "labels must have one or two dimensions"),
    ],
)
def test_what_is_no_label_is_refused_with_its_position(values, message):
    with pytest.raises(ValueError, match=message):
        Labels(values)


class Unhashable(str):
    """Text that no dictionary takes."""

    __hash__ = None


def test_a_label_that_cannot_be_hashed_is_refused_as_python_says_it():
    with pytest.raises(TypeError, match="unhashable type: 'Unhashable'"):
        Labels(["a", Unhashable("b")])


def test_labels_are_frozen_also_after_pickling():
    for labels in (Labels(["a", "b"]), pickle.loads(pickle.dumps(Labels(["a"])))):
        with pytest.raises(ValueError, match="read-only"):
            labels.codes[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            labels.codes.flags.writeable = True
        with pytest.raises(AttributeError, match="frozen"):
            labels.values = ()
        with pytest.raises(AttributeError, match="frozen"):
            del labels.codes


def test_equality_is_typed():
    assert Labels([1, 2]) != Labels([True, 2])
    assert Labels([1, 2]) != Labels([1])
    assert Labels(["b", "a"])[::-1] == Labels(["a", "b"])
    assert Labels([1]) != [1]


@pytest.mark.parametrize(
    ("column", "place"),
    [
        (np.ma.masked_array([1, 2, 5], [0, 1, 0]), 1),
        (np.ma.masked_array(["a", "b"], [1, 0]), 0),
        (np.ma.masked_array([[1, 2], [3, 4], [5, 6]], [[0, 0], [0, 0], [0, 1]]), 2),
        (np.ma.masked_array([None, "a", 3], [0, 0, 1], dtype=object), 2),
    ],
)
def test_what_stands_behind_a_mask_is_no_label(column, place):
    with pytest.raises(ValueError, match=f"label {place}: a label must not be masked; fill"):
        Labels(column)
    column.mask = False
    assert list(Labels(column)) == list(Labels(column.data))
