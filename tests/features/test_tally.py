"""The tally counts like a Counter, however much it holds."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_features as naive
from feature_counts import assert_same
from filtered_graphs import Levels
from grafik import Graphs
from grafik.features import tally
from grafik.features.cyclic_patterns import CyclicPatterns
from grafik.features.shortest_paths import ShortestPaths


@pytest.mark.parametrize(
    ("extractor", "extract", "n", "share"),
    [
        (ShortestPaths(), naive.shortest_paths, 40, 0.1),
        (CyclicPatterns(), naive.cyclic_patterns, 8, 1),
    ],
    ids=["paths", "cycles"],
)
def test_many_features_in_one_graph(extractor, extract, n, share):
    """More than the tally has room for at first."""
    generator = np.random.default_rng(0)
    edges = [pair for pair in combinations(range(n), 2) if generator.random() < share]
    m = len(edges)
    graphs = Graphs([0, n, n + 2], [0, m, m + 1], [*edges, (0, 1)], node_labels=list(range(n + 2)))
    batch = graphs, Levels(generator.integers(0, 4, m + 1), 4)
    histograms = extractor.histograms(*batch)
    assert histograms.graph_ptr[1] > 1024
    assert_same(histograms, *batch, extract)


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.integers(0, 5) | st.integers(0, 2**64 - 1),
                st.sampled_from([0, 1, 1024, 2048]),  # the same place in a table of 1024 rows
                st.integers(-2, 2),
            )
        ),
        max_size=3,
    ),
    st.integers(0, 2000),
)
def test_the_tally_counts_like_a_counter(graphs, extra):
    table, rows = tally.empty_tally()
    events, n_events, stop = np.empty((1, 3), np.int64), 0, 0
    for additions in graphs:
        additions = additions + [(i * 2**40, 0, 1) for i in range(1, extra)]
        used, wanted = 0, Counter()
        for feature, step, change in additions:
            used = tally.add(table, rows, used, np.uint64(feature), step, change)
            wanted[feature, step] += change
            if 2 * used > len(table):
                table, rows = tally.grown(table, rows, used)
        events, n_events = tally.drained(events, n_events, table, rows, used)
        found = {(f % 2**64, s): c for f, s, c in events[stop:n_events].tolist()}
        assert len(found) == n_events - stop
        assert found == {key: change for key, change in wanted.items() if change}
        stop = n_events
