"""Layouts: the same in every process, without overlaps, true to lengths."""

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_allclose

from grafik import plots


def test_layouts_are_the_same_in_every_process(others):
    code = (
        "import networkx as nx; from grafik import plots; "
        "print(plots.layout(nx.karate_club_graph()).tobytes().hex())"
    )
    own = plots.layout(nx.karate_club_graph()).tobytes().hex()
    assert others(code) == [own + "\n"] * 2


@pytest.mark.parametrize("graph", [nx.path_graph(12), nx.cycle_graph(20), nx.grid_2d_graph(5, 6)])
def test_distances_on_paper_are_those_in_the_graph(graph):
    graph = nx.convert_node_labels_to_integers(graph)
    x = plots.layout(graph)
    wanted = dict(nx.all_pairs_shortest_path_length(graph))
    pairs = [(u, v) for u in graph for v in graph if u < v]
    far = np.array([np.hypot(*(x[u] - x[v])) for u, v in pairs])
    assert np.corrcoef(far, [wanted[u][v] for u, v in pairs])[0, 1] > 0.93
    ends = np.array(graph.edges)
    assert_allclose(np.hypot(*(x[ends[:, 0]] - x[ends[:, 1]]).T), 1.0, atol=0.35)


def test_lengths_of_edges_are_kept():
    x = plots.layout([[(0, 1), (1, 2), (0, 2)]], lengths=[3.0, 4.0, 5.0])
    sides = [np.hypot(*(x[u] - x[v])) for u, v in ((0, 1), (0, 2), (1, 2))]
    assert_allclose(np.array(sides) / sides[0], [1, 4 / 3, 5 / 3], rtol=0.02)


def test_components_do_not_lie_on_each_other():
    parts = [nx.cycle_graph(5), nx.path_graph(4), nx.star_graph(6), nx.empty_graph(9)]
    x = plots.layout(nx.disjoint_union_all(parts))
    boxes, start = [], 0
    for size in (5, 4, 7, *[1] * 9):
        boxes.append((*x[start : start + size].min(axis=0), *x[start : start + size].max(axis=0)))
        start += size
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[0] > b[2] or b[0] > a[2] or a[1] > b[3] or b[1] > a[3]


def test_layouts_of_what_cannot_be_drawn_are_refused():
    with pytest.raises(ValueError, match="at most 2000 vertices can be drawn, this one has 2001"):
        plots.layout(nx.empty_graph(2001))
    with pytest.raises(ValueError, match="a picture shows one graph, got 2"):
        plots.layout([nx.path_graph(2)] * 2)
    with pytest.raises(ValueError, match="lengths must be a positive number for each of 1 edges"):
        plots.layout(nx.path_graph(2), lengths=[0.0])
