"""Labels of vertices after rounds of relabelling, in directed graphs and others."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import naive
from filtered_graphs import filtered, written_out
from grafik import Graphs
from grafik.features import WeisfeilerLehman
from grafik.graphs.label_hashes import wl_labels


@given(filtered(), st.integers(0, 3))
def test_labels_are_those_of_the_definition(case, depth):
    graphs, _ = case
    found = wl_labels(graphs, depth, None).tolist()
    for d in range(depth + 1):
        written = []
        for g in graphs:
            written += naive.labels_at(written_out(g), [0] * g.n_edges, 0, depth, False)[d]
        assert len(set(zip(found[d], written, strict=True))) == len(set(written))
        assert len(set(found[d])) == len(set(written))


@given(filtered(), st.integers(0, 2))
def test_labels_are_those_that_are_counted(case, depth):
    graphs, filtration = case
    found = wl_labels(graphs, depth, None).tolist()
    counted = Counter()
    for counts in WeisfeilerLehman(depth, edge_labels=False).histograms(graphs, filtration):
        counted.update({key: count[-1] for key, count in counts.items() if count[-1]})
    assert counted == Counter((d, x) for d, row in enumerate(found) for x in row)


def test_labels_tell_where_edges_lead():
    """A path, one with an edge turned, one with all edges turned; and what they share."""
    lists = [[(0, 1), (1, 2)], [(0, 1), (2, 1)], [(1, 0), (2, 1)]]
    path, one, all_turned = (
        sorted(wl_labels(Graphs.from_edge_lists([edges], directed=True), 1, None)[1].tolist())
        for edges in lists
    )
    assert path == all_turned  # read from the other end
    assert len(set(path)) == 3
    assert len(set(one)) == 2
    assert len(set(path) & set(one)) == 1  # a vertex with one edge, which leads away
