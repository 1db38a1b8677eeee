"""Filtration graphs and barcodes in one figure."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from drawn import draw, figure_one, lines, texts, vertices
from grafik import Filtration, Graphs, datasets, plots
from grafik.features import WeisfeilerLehman
from grafik.features.barcodes import barcodes
from grafik.plots.style import blank_figure


def rectangles(axes):
    """Return (left, right) of the bars of a barcode, from top to bottom."""
    (bars,) = [c for c in axes.collections if isinstance(c, PolyCollection)]
    boxes = [path.get_extents() for path in bars.get_paths()]
    return [(box.x0, box.x1) for box in sorted(boxes, key=lambda box: box.y0)]


def test_bars_reach_from_birth_to_death(ax):
    graphs, filtration = figure_one()
    plots.barcode(graphs[0], filtration, ax=ax)
    # Which vertices have exactly one neighbour, counted by hand; see datasets.figure_one.
    lives = {0: (0, 2), 1: (0, 2), 2: (1, 2), 3: (1, 2), 4: (2, 3), 5: (3, 4)}
    assert rectangles(ax) == [(a - 0.5, b - 0.5) for a, b in lives.values()]
    assert [t.get_text() for t in ax.get_yticklabels()] == [f"vertex {v}" for v in lives]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["4", "3", "2", "1"]


def named():
    """The graph of Fig. 1 with names, long ones too."""
    graphs, filtration = figure_one()
    columns = graphs.node_ptr, graphs.edge_ptr, graphs.edges
    names = ["Ann", "Bob", "Cid", "Dora", "Eve", "a very long name indeed"]
    attributes = graphs.edge_attributes
    return Graphs(*columns, edge_attributes=attributes, node_names=names), filtration


def test_bars_and_filtration_graphs_call_vertices_by_name(ax):
    graphs, filtration = named()
    plots.barcode(graphs, filtration, ax=ax)
    found = [label.get_text() for label in ax.get_yticklabels()]
    assert found == ["Ann", "Bob", "Cid", "Dora", "Eve", "a very long name …"]
    axes = plots.filtration(graphs, filtration, figure=Figure((9, 5), layout="constrained"))
    assert "Ann" in texts(axes["graph"])
    assert "a very long n…" in texts(axes["graph"])
    assert [label.get_text() for label in axes["barcode"].get_yticklabels()] == found
    marked = [texts(level) for level in axes["levels"]]
    assert [len(each) for each in marked] == [2, 4, 1, 1]
    assert marked[0] == ["Ann", "Bob"]
    assert marked[3] == ["a very …"]


def test_the_first_figure_of_the_paper():
    graphs, filtration = figure_one()
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = plots.filtration(graphs[0], filtration, figure=figure)
    draw(axes["graph"])
    assert set(texts(axes["graph"])) >= set("4321")
    assert [panel.get_title() for panel in axes["levels"]] == [
        "w ≥ 4",
        "w ≥ 3",
        "w ≥ 2",
        "all edges",
    ]
    places = plots.layout(graphs[0])
    steps = filtration.graphs(graphs[0])
    one_neighbour = [{v for v, d in step.degree() if d == 1} for step in steps.to_networkx()]
    for panel, step, wanted in zip(axes["levels"], steps, one_neighbour, strict=True):
        to_come, old, new = lines(panel)
        assert len(old.get_segments()) + len(new.get_segments()) == step.n_edges
        assert len(to_come.get_segments()) == graphs[0].n_edges - step.n_edges
        marked = vertices(panel)[1]
        assert {tuple(p) for p in marked.get_offsets()} == {tuple(places[v]) for v in wanted}
        assert set(texts(panel)) - {""} == {str(v) for v in wanted}
    heights = [bar.get_height() for bar in axes["histogram"].patches]
    assert heights == [len(wanted) for wanted in one_neighbour] == [2, 4, 1, 1]
    said = [text for panel in figure.axes for text in texts(panel)]
    assert any(text.startswith("Feature of depth 1:\n*(*)\n") for text in said)
    assert not any("0x" in text for text in said)  # a hash would mean nothing to a reader


@pytest.mark.parametrize("size", [(9, 5), (6, 5), (16, 5)])
@pytest.mark.parametrize("layout", [None, "constrained"])
def test_captions_end_before_the_labels_of_their_panels_begin(size, layout):
    graphs, filtration = figure_one()
    figure = Figure(figsize=size, layout=layout)
    name = "exactly one neighbour, which may well have several of its own " + "x" * 60 + " $"
    axes = plots.filtration(graphs[0], filtration, name=name, figure=figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    captions = [text for panel in figure.axes for text in panel.texts if " " in text.get_text()]
    for text, panel in zip(captions, (axes["barcode"], axes["histogram"]), strict=True):
        assert text.get_window_extent(renderer).x1 < panel.get_tightbbox(renderer).x0
    lines_of_name = captions[0].get_text().split("\n\n")[0].partition(":\n")[2].split("\n")
    assert len(lines_of_name) == 3
    assert lines_of_name[-1].endswith("…")
    wide = lines_of_name[0].startswith("exactly one neighbour, which")
    assert wide or size[0] < 16  # room is used


def test_the_figure_leaves_no_space_and_closes_the_last_bar():
    graphs, filtration = figure_one()
    axes = plots.filtration(graphs[0], filtration, figure=blank_figure)
    figure = axes["graph"].figure
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3]
    left, height = round(2.2 * figure.dpi), len(pixels)
    for column in (pixels[:, :left], pixels[:, left:]):
        rows = np.flatnonzero(column.min(axis=(1, 2)) < 250)
        assert np.diff([0, *rows, height]).max() < 0.9 * figure.dpi
    # The right end of the bar that lasts to the last level lies on the border, and is black.
    right, middle = axes["barcode"].transData.transform((3.5, 5.0))
    end = pixels[height - round(middle), round(right) - 2 : round(right) + 2]
    assert end.max(axis=1).min() < 100


def test_an_occurrence_has_one_colour_in_graphs_and_barcode():
    graphs, filtration = figure_one()
    axes = plots.filtration(graphs[0], filtration, figure=Figure())
    bars = next(c for c in axes["barcode"].collections if isinstance(c, PolyCollection))
    of_bars = [to_hex(c) for c in bars.get_facecolors()]
    assert len(set(of_bars)) == 6
    for panel, members in zip(axes["levels"], ([0, 1], [0, 1, 2, 3], [4], [5]), strict=True):
        found = [to_hex(c) for c in vertices(panel)[1].get_facecolors()]
        assert found == [of_bars[v] for v in members]


def test_distances_are_written_as_they_were_given():
    graphs, _ = datasets.figure_one()
    filtration = Filtration("attribute:small", thresholds="distinct").fit(graphs)
    axes = plots.filtration(graphs[0], filtration, figure=Figure())
    titles = [panel.get_title() for panel in axes["levels"]]
    assert titles == ["w ≤ 1", "w ≤ 2", "w ≤ 3", "all edges"]
    assert [label.get_text() for label in axes["histogram"].get_xticklabels()] == list("1234")
    alone = plots.barcode(graphs[0], filtration, ax=Figure().subplots())
    assert [label.get_text() for label in alone.get_xticklabels()] == list("1234")


def test_of_many_levels_some_are_drawn_and_that_is_said():
    edges = list(nx.random_labeled_tree(60, seed=3).edges)
    graphs = Graphs.from_edge_lists([edges], edge_attributes=[[float(i) for i in range(59)]])
    filtration = Filtration("attribute", thresholds="distinct").fit(graphs)
    figure = Figure()
    axes = plots.filtration(graphs, filtration, max_shown=4, figure=figure)
    draw(axes["graph"])
    assert len(axes["levels"]) == 4
    drawn = [sum(len(c.get_segments()) for c in lines(p)[1:]) for p in axes["levels"]]
    assert drawn[0] == 1
    assert drawn[-1] == 59
    assert drawn == sorted(set(drawn))
    assert len(axes["histogram"].patches) == 59
    said = [" ".join(text.split()) for a in figure.axes for text in texts(a)]
    assert any("graphs are those of 4 of 59 levels" in text for text in said)


@pytest.mark.parametrize(("n", "edges"), [(0, []), (1, []), (3, []), (2, [[0, 1]])])
@pytest.mark.parametrize("n_levels", [1, 3])
def test_tiny_graphs_have_a_figure_too(n, edges, n_levels):
    graphs = Graphs([0, n], [0, len(edges)], edges)
    filtration = Filtration("degree", n_levels=n_levels).fit(graphs)
    axes = plots.filtration(graphs, filtration, figure=Figure(layout="constrained"))
    draw(axes["graph"])
    assert [bar.get_height() for bar in axes["histogram"].patches] == [n]


def test_five_hundred_vertices_have_a_figure():
    graph = nx.barabasi_albert_graph(500, 2, seed=0)
    filtration = Filtration("degree").fit(graph)
    axes = plots.filtration(graph, filtration, figure=Figure(layout="constrained"))
    draw(axes["graph"])
    assert axes["barcode"].get_ylabel().endswith("occurrences")
    counts = [bar.get_height() for bar in axes["histogram"].patches]
    found = WeisfeilerLehman(depth=1).histograms(graph, filtration)[0]
    assert counts in [histogram.tolist() for histogram in found.values()]


def test_a_feature_may_be_given_as_on_the_command_line(ax):
    graphs, filtration = figure_one()
    labels = WeisfeilerLehman(depth=2)
    bars = barcodes(graphs, filtration, labels)[0]
    deepest = (bars.vertices == 5) & (bars.depths == 2) & (bars.deaths == 4)
    feature = int(bars.features[deepest][0])
    assert bars.of(2, feature).vertices.tolist() == [5]
    for asked in ("vertex:5", (2, feature), f"2:{feature}", f"2:{feature:#x}"):
        one = plots.barcode(graphs[0], filtration, asked, features=labels, ax=Figure().subplots())
        assert rectangles(one) == [(3 - 0.5, 4 - 0.5)]
    # Without features, the label of depth 1: three neighbours in the end, as vertices 2 and 4 have.
    plots.barcode(graphs[0], filtration, "vertex:0", ax=ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "vertex 2",
        "vertex 0",
        "vertex 4",
    ]
    axes = plots.filtration(graphs[0], filtration, "vertex:0", figure=Figure())
    assert rectangles(axes["barcode"]) == rectangles(ax)


def test_a_vertex_may_be_given_by_name(ax):
    graphs, filtration = named()
    plots.barcode(graphs, filtration, "vertex:Eve", ax=ax)
    assert "Eve" in [label.get_text() for label in ax.get_yticklabels()]
    other = plots.barcode(graphs, filtration, "vertex:4", ax=Figure().subplots())
    assert rectangles(other) == rectangles(ax)
    with pytest.raises(ValueError, match="6 vertices, counted from 0, called Ann, Bob, Cid and so"):
        plots.barcode(graphs, filtration, "vertex:Zoe")


@pytest.mark.parametrize(
    ("feature", "message"),
    [
        ((1, 7), r"the feature \(1, 7\) does not occur in this graph"),
        ("vertex:6", "the graph has 6 vertices, counted from 0; got 6"),
        ("vertex:-1", "the graph has 6 vertices, counted from 0; got -1"),
        ("vertex:", "feature must be 'DEPTH:FEATURE', .* got 'vertex:'"),
        ("7", "feature must be 'DEPTH:FEATURE'"),
        ("1:x", "feature must be 'DEPTH:FEATURE'"),
        (5, "or a pair of integers, got 5"),
        ((1, 2, 3), r"got \(1, 2, 3\)"),
    ],
)
def test_features_that_cannot_be_followed_are_refused(feature, message):
    graphs, filtration = figure_one()
    with pytest.raises(ValueError, match=message):
        plots.barcode(graphs[0], filtration, feature)
