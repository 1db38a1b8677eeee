"""Events of births and deaths add up to histograms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grafik.features.events import Events, collect, from_events
from grafik.kernels.postings import postings_of


def events(rows):
    columns = list(zip(*rows, strict=True)) or [[], [], [], []]
    kinds = (np.int64, np.uint64, np.int32, np.int64)
    return [np.array(c, kind) for c, kind in zip(columns, kinds, strict=True)]


occurrences = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 4), st.integers(1, 5)),
    max_size=20,
)


@given(occurrences)
def test_events_add_up_to_occurrences(lives):
    """Each occurrence (graph, feature, birth, length) counts at the levels of its life."""
    rows, expected = [], [{} for _ in range(3)]
    for graph, feature, birth, length in lives:
        death = min(birth + length, 5)
        rows.append((graph, feature, birth, 1))
        if death < 5:
            rows.append((graph, feature, death, -1))
        counts = expected[graph].setdefault((0, feature), np.zeros(5, int))
        counts[birth:death] += 1
    found = from_events(3, 5, *events(rows))
    assert [{f: c.tolist() for f, c in found[g].items()} for g in range(3)] == [
        {f: c.tolist() for f, c in sorted(graph.items())} for graph in expected
    ]
    masses = [[int(c.sum()) for c in found[g].values()] for g in range(3)]
    rows_of = [found._sorted_rows(g) for g in range(3)]
    assert [found.masses[r].tolist() for r in rows_of] == masses


def test_what_is_born_and_dies_at_once_leaves_no_row():
    found = from_events(1, 3, *events([(0, 7, 1, 1), (0, 7, 1, -1), (0, 8, 0, 2)]))
    assert list(found[0]) == [(0, 8)]
    assert len(postings_of(found).features) == 1


def test_lifespans_and_frame():
    found = from_events(2, 4, *events([(0, 7, 1, 2), (0, 7, 2, -2), (0, 7, 3, 1), (1, 9, 0, 5)]))
    assert found.lifespans(0) == {(0, 7): [(1, 2, 2), (3, 4, 1)]}
    assert found.lifespans(1) == {(0, 9): [(0, 4, 5)]}
    frame = found.to_pandas()
    assert frame.to_dict("list") == {
        "graph": [0, 1],
        "depth": [0, 0],
        "feature": [7, 9],
        "mass": [3, 20],
        "level 0": [0, 5],
        "level 1": [2, 5],
        "level 2": [0, 5],
        "level 3": [1, 5],
    }
    with pytest.raises(IndexError, match="there is no graph 2, there are 2"):
        found[2]


def test_more_changes_than_rows_have_numbers_are_refused():
    """Numbers of rows have 32 bits."""
    many = Events(*([range(1 << 32)] * 5))
    with pytest.raises(ValueError, match="4294967296 changes of features are too many to count"):
        collect(many)
