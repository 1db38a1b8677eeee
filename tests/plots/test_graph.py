"""Pictures of graphs: artists and their data, not pixels."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from drawn import AWKWARD, draw, lines, texts, vertices
from grafik import Filtration, Graphs, datasets, plots
from grafik.plots import style
from grafik.plots.drawing import _free_place, diameter


def test_edges_and_vertices_are_drawn_where_they_are(ax):
    graph = nx.petersen_graph()
    places = plots.layout(graph)
    plots.graph(graph, ax=ax)
    found = {frozenset(map(tuple, ends)) for ends in lines(ax)[0].get_segments()}
    assert found == {frozenset((tuple(places[u]), tuple(places[v]))) for u, v in graph.edges}
    assert_array_equal(vertices(ax)[0].get_offsets(), places)


def test_directed_edges_are_arrows_that_end_at_a_vertex(ax):
    edges = [(0, 1), (1, 2), (2, 1), (2, 3)]
    graphs = Graphs.from_edge_lists([edges], directed=True)
    places = plots.layout(graphs)
    plots.graph(graphs, ax=ax)
    starts = np.array([line[0] for line in lines(ax)[0].get_segments()])
    tips = np.array([head[0] for head in heads(ax)])
    radius = diameter(places) / 2
    for start, tip, (u, v) in zip(starts, tips, edges, strict=True):
        assert np.hypot(*(start - places[u])) < 0.5 * radius  # under the vertex
        assert np.hypot(*(tip - places[v])) == pytest.approx(radius, rel=0.1)
    # Opposite edges lie side by side.
    shifts = starts[1] - places[1], starts[2] - places[2]
    assert_allclose(shifts[0], -shifts[1])
    assert np.hypot(*shifts[0]) > 0.1 * radius
    assert_array_equal(starts[0], places[0])
    forward, back = tips[1] - starts[1], tips[2] - starts[2]
    assert np.dot(forward, back) < 0
    without = Figure().subplots()
    plots.graph(graphs.undirected(), ax=without)
    assert heads(without) == []


def test_filtrations_of_directed_graphs_have_arrows_at_every_level():
    graphs = Graphs.from_edge_lists(
        [[(0, 1), (2, 1), (2, 3)]], edge_attributes=[[3.0, 2.0, 1.0]], directed=True
    )
    own = Filtration(lambda graphs: graphs.edge_attributes[:, 0], "distinct").fit(graphs)
    axes = plots.filtration(graphs[0], own, figure=Figure(figsize=(9, 5)))
    assert [len(heads(panel)) for panel in (axes["graph"], *axes["levels"])] == [3] * 4
    assert any("->" in text or "<-" in text for a in axes["graph"].figure.axes for text in texts(a))


def heads(axes):
    """The arrow heads: triangles, of which the first corner is the tip."""
    polygons = [c for c in axes.collections if isinstance(c, PolyCollection)]
    return [path.vertices for one in polygons for path in one.get_paths()]


def test_dense_directed_graphs_can_be_laid_out():
    both = [(u, v) for u in range(9) for v in range(9) if u != v]
    places = plots.layout(Graphs.from_edge_lists([both], directed=True))
    assert_array_equal(places, plots.layout(nx.complete_graph(9)))


def test_vertices_never_lie_on_each_other(ax):
    places = plots.layout(nx.karate_club_graph())
    draw(plots.graph(nx.karate_club_graph(), ax=ax))
    box = vertices(ax)[0].get_paths()[0].get_extents(vertices(ax)[0].get_transform())
    spots = ax.transData.transform(places)
    apart = np.hypot(*(spots[:, None] - spots[None]).transpose(2, 0, 1))[np.triu_indices(34, 1)]
    assert np.quantile(apart, 0.01) > box.width


def test_important_vertices_are_dark_and_negative_ones_square(ax):
    plots.graph(nx.path_graph(4), importance=[1.0, 0.0, -1.0, 0.5], ax=ax)
    positive, negative = vertices(ax)
    places = plots.layout(nx.path_graph(4))
    assert_array_equal(positive.get_offsets(), places[[0, 1, 3]])
    assert_array_equal(negative.get_offsets(), places[[2]])
    assert to_hex(positive.get_facecolors()[0]) == style.VERMILION.lower()
    assert to_hex(positive.get_facecolors()[1]) == style.WHITE.lower()
    assert to_hex(negative.get_facecolors()[0]) == style.SKY.lower()
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["for", "against"]
    grey = [np.dot(c[:3], (0.299, 0.587, 0.114)) for c in positive.get_facecolors()]
    assert grey[0] < grey[2] < grey[1]
    shown = {len(c.get_paths()[0].vertices) for c in (positive, negative)}
    assert len(shown) == 2  # two shapes


def test_weights_are_written_and_heavy_edges_thick(ax):
    graphs, _ = datasets.figure_one()
    plots.graph(graphs[0], weights=graphs.edge_attributes.ravel(), ax=ax)
    assert texts(ax) == ["4", "2", "1", "2", "3", "2", "1"]
    widths = lines(ax)[0].get_linewidths()
    assert_array_equal(np.argsort(widths), np.argsort(graphs.edge_attributes.ravel()))


def test_labels_have_colours_and_are_written(ax):
    graphs = Graphs([0, 3], [0, 2], [[0, 1], [1, 2]], node_labels=["C", "O", "C"])
    plots.graph(graphs, ax=ax)
    assert texts(ax) == ["C", "O", "C"]
    assert sorted(len(c.get_offsets()) for c in vertices(ax)) == [1, 2]
    assert len({to_hex(c.get_facecolors()[0]) for c in vertices(ax)}) == 2


def test_texts_keep_off_one_another_where_there_is_a_place():
    taken = []
    found = [_free_place((3.0, 4.0), 2, 20.0, taken) for _ in range(8)]
    assert len(set(found[:6])) == 6
    for i, (left, right, low, high) in enumerate(taken[:6]):
        for other in taken[:i]:
            assert left > other[1] or other[0] > right or low > other[3] or other[2] > high
    # No place is left around this vertex: the others stand where the first one does.
    assert found[6:] == [found[0]] * 2


def test_vertices_are_called_by_name_and_colours_by_label(ax):
    names = ["person_3", "x" * 40, 7]
    graphs = Graphs([0, 3], [0, 2], [[0, 1], [1, 2]], node_labels=list("COC"), node_names=names)
    plots.graph(graphs, ax=ax)
    assert texts(ax) == ["person_3", "x" * 13 + "…", "7"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["C", "O"]
    other = plots.graph(graphs, labels=True, ax=Figure().subplots())
    assert texts(other) == ["C", "O", "C"]
    assert other.get_legend() is None


def test_many_labels_are_explained_by_a_legend(ax):
    graph = nx.path_graph(80)
    nx.set_node_attributes(graph, {v: f"_{v % 10}" for v in graph}, "label")
    draw(plots.graph(graph, ax=ax))
    assert texts(ax) == []
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == [f"_{i}" for i in range(7)] + ["others"]
    assert [len(c.get_offsets()) for c in vertices(ax)] == [8] * 7 + [24]


@pytest.mark.parametrize(
    "graphs",
    [Graphs([0, 0], [0, 0], []), Graphs([0, 1], [0, 0], []), Graphs([0, 500], [0, 0], [])],
)
def test_graphs_without_edges_are_drawn(graphs, ax):
    draw(plots.graph(graphs, importance=np.arange(graphs.n_nodes[0]), ax=ax))
    assert sum(len(c.get_offsets()) for c in vertices(ax)) == graphs.n_nodes[0]


def test_awkward_texts_are_shown_as_they_are():
    graph = nx.cycle_graph(len(AWKWARD))
    nx.set_node_attributes(graph, dict(enumerate(AWKWARD)), "label")
    for labels in (None, False, AWKWARD):
        draw(plots.graph(graph, labels=labels, ax=Figure().subplots()))
    shown = [Figure().text(0, 0, style.plain(text)) for text in AWKWARD]
    seen = [text._preprocess_math(text.get_text()) for text in shown]
    assert [s for s, _ in seen][:5] == AWKWARD[:5]
    assert not any(math for _, math in seen)
    assert [s for s, _ in seen][5:] == ["two\\nlines", "^_{", "x" * 27 + "…"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"importance": [1.0]},
            r"importance must have a number for each of 3 vertices, got \(1,\)",
        ),
        ({"importance": [1.0, np.nan, 1.0]}, "importance must be finite, got nan for vertex 1"),
        ({"weights": [1.0, 2.0, 3.0]}, "weights must have a number for each of 2 edges"),
        ({"labels": ["a"]}, "labels must be True, False or 3 texts"),
        ({"positions": [[0, 0]]}, "positions must be 3 points in the plane"),
        ({"smiles": "CCO", "labels": True}, "RDKit draws molecules: leave out weights"),
    ],
)
def test_mistakes_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        plots.graph(nx.path_graph(3), **options)


@pytest.mark.parametrize(
    ("smiles", "n_lines", "n_dotted"),
    [("CC", 1, 0), ("C=O", 2, 0), ("C#N", 3, 0), ("c1ccccc1", 6, 6), ("C/C=C/C", 4, 0)],
)
def test_bonds_of_molecules_have_as_many_lines_as_chemists_draw(smiles, n_lines, n_dotted, ax):
    batch = Graphs.from_smiles([smiles], chirality=True)
    plots.graph(batch, ax=ax)
    beside, drawn = (part.get_segments() for part in lines(ax))
    assert (len(drawn), len(beside)) == (n_lines, n_dotted)
    middles = {tuple(np.round(np.mean(segment, axis=0), 6)) for segment in drawn}
    assert len(middles) == n_lines  # they lie beside each other


def test_a_label_that_is_no_bond_is_one_line(ax):
    plots.graph(Graphs.from_edge_lists([[(0, 1)]], edge_labels=[["double"]]), ax=ax)
    assert [len(part.get_segments()) for part in lines(ax)] == [1]
