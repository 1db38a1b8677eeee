"""Histograms made by hand: checked where they enter, and read by number of graph."""

import numpy as np
import pytest

from grafik import Histograms


@pytest.mark.parametrize(
    ("depths", "features", "message"),
    [
        ([0, -3], [1, 2], "depths must not be negative, got -3"),
        ([1, 1], [5, 5], "rows 0 and 1 are the same feature of graph 0; add them up"),
    ],
)
def test_rows_that_cannot_be_are_refused(depths, features, message):
    with pytest.raises(ValueError, match=message):
        Histograms(1, [0, 2], depths, np.array(features, np.uint64), [0, 1, 2], [0, 0], [1, 1])


def histograms(**changes):
    columns = {
        "n_levels": 3,
        "graph_ptr": [0, 1, 2],
        "depths": [0, 0],
        "features": np.array([7, 8], np.uint64),
        "run_ptr": [0, 2, 3],
        "run_levels": [0, 2, 1],
        "run_counts": [1, 0, 4],
    }
    return Histograms(**{**columns, **changes})


def test_some_graphs_keep_their_histograms_and_names():
    made = histograms(names={7: "seven"}, graph_ptr=[0, 1, 1, 2])
    chosen = made.of_graphs(np.array([2, 1, 0, 2]))
    assert [chosen[i].keys() for i in range(4)] == [made[i].keys() for i in (2, 1, 0, 2)]
    assert chosen[0][0, 8].tolist() == chosen[3][0, 8].tolist() == [0, 4, 4]
    assert chosen[2][0, 7].tolist() == [1, 1, 0]
    assert chosen.names == {7: "seven"}
    assert len(made.of_graphs(np.array([], int))) == 0


def test_histograms_can_be_made_by_hand():
    levels = np.array([0, 2, 1], np.int32)
    made = histograms(run_levels=levels)
    assert made[0][0, 7].tolist() == [1, 1, 0]
    assert made[-1][0, 8].tolist() == [0, 4, 4]
    levels[0] = 5  # the caller's own array, neither shared nor frozen
    assert made.run_levels.tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_levels": 0}, "n_levels must be an integer of at least 1"),
        ({"graph_ptr": [0, 1, 3]}, "graph_ptr must rise from 0 to 2"),
        ({"graph_ptr": [0, 3, 2]}, "graph_ptr must rise from 0 to 2"),
        ({"run_ptr": [0, 10**9, 3]}, "run_ptr must rise from 0 to 3"),
        ({"run_ptr": [0, 0, 3]}, "row 0 has no run"),
        ({"depths": [0]}, "must have an entry for each row"),
        ({"run_counts": [1, 2]}, "must have an entry for each run"),
        ({"run_levels": [0, 0, 1]}, "run_levels must rise within each row"),
        ({"run_levels": [0, 3, 1]}, "run_levels must rise within each row, from 0 to 2"),
        ({"run_levels": [-1, 2, 1]}, "run_levels must rise"),
        ({"run_counts": [1, -1, 4]}, "run_counts must not be negative"),
        ({"run_counts": [0, 0, 4]}, "nor all 0 in a row"),
        ({"run_counts": [1, 2**62, 4]}, "are too large for 3 levels"),
    ],
)
def test_histograms_that_do_not_fit_together_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        histograms(**changes)


def test_histograms_are_indexed_by_numbers():
    with pytest.raises(TypeError, match="indexed by the number of a graph, got slice"):
        histograms()[0:2]


def test_hashes_may_be_lists_of_large_integers_or_arrays():
    large = [2**64 - 1, 2**63 + 1]
    assert histograms(features=large).features.tolist() == large
    assert histograms(features=np.array(large, np.uint64)).features.tolist() == large
    for wrong in ([2**64, 0], [-1, 0], [0.5, 1]):
        with pytest.raises((ValueError, TypeError), match="features"):
            histograms(features=wrong)
