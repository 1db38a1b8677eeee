"""Hash tables against dictionaries."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grafik.arrays.hash_table import empty_table, find, place_of, table_of

# Few keys, so that they come again, and meet in a small table.
keys = st.lists(st.tuples(st.integers(0, 9).map(lambda i: i << 60), st.integers(0, 3)), max_size=40)


@given(keys, st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**31 - 1)))
def test_features_are_found_by_depth_and_hash(raw, other):
    known = list(dict.fromkeys(raw))
    depths = np.array([depth for _, depth in known], np.int32)
    table = table_of(depths, np.array([key for key, _ in known], np.uint64))
    for key, depth in {*known, other, (0, 4), (10 << 60, 0)}:
        expected = known.index((key, depth)) if (key, depth) in known else -1
        assert find(table, np.int32(depth), np.uint64(key)) == expected


@given(st.lists(keys, max_size=5))
def test_numbers_up_to_the_floor_leave_their_places(rounds):
    """What one graph has put there is not found by the next one, which needs no other table."""
    size = max(map(len, rounds), default=0)
    table, n = empty_table(size), 0
    for pairs in rounds:
        floor, expected = n, {}
        for key, tag in pairs[:1]:
            places = [
                place_of(some, np.uint64(key), np.int32(tag), np.int64(floor))
                for some in (table, empty_table(size))
            ]
            assert places[0] == places[1]
        for key, tag in pairs:
            at = place_of(table, np.uint64(key), np.int32(tag), np.int64(floor))
            if table[at]["number"] <= floor:
                assert (key, tag) not in expected
                n += 1
                table[at] = key, n, tag
                expected[key, tag] = n
            assert table[at]["number"] == expected[key, tag]
