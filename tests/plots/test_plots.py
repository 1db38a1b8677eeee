"""Pictures show what they are said to show: artists and their data, not pixels."""

import os
import subprocess
import sys

import matplotlib
import networkx as nx
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, PathPatch
from numpy.testing import assert_allclose, assert_array_equal

from grafik import Filtration, Graphs, datasets, plots, weights
from grafik.features import WeisfeilerLehman
from grafik.features.barcodes import barcodes
from grafik.plots import style
from grafik.plots.barcode import label_of

AWKWARD = ["$x_1$", "_under", "a$b", "é β ≥", "back\\slash$", "two\nlines", "^_{", "x" * 90]


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    yield
    assert pyplot.get_fignums() == []


def draw(axes):
    """Make matplotlib do all of its work, as it would for a file."""
    figure = axes.figure
    figure.savefig(os.devnull, format="png", dpi=40)
    return axes


def texts(axes):
    return [text.get_text() for text in axes.texts]


def vertices(axes):
    return [c for c in axes.collections if isinstance(c, PathCollection)]


def lines(axes):
    return [c for c in axes.collections if isinstance(c, LineCollection)]


def figure_one():
    graphs, _ = datasets.figure_one()
    heavy = weights.Attribute(small_first=False)
    return graphs, Filtration(heavy, thresholds="distinct").fit(graphs)


# Layout


def test_layouts_are_the_same_in_every_process():
    code = (
        "import networkx as nx; from grafik import plots; "
        "print(plots.layout(nx.karate_club_graph()).tobytes().hex())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {plots.layout(nx.karate_club_graph()).tobytes().hex()}


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


# Graphs


def test_edges_and_vertices_are_drawn_where_they_are(ax):
    graph = nx.petersen_graph()
    places = plots.layout(graph)
    plots.graph(graph, ax=ax)
    found = {frozenset(map(tuple, ends)) for ends in lines(ax)[0].get_segments()}
    assert found == {frozenset((tuple(places[u]), tuple(places[v]))) for u, v in graph.edges}
    assert_array_equal(vertices(ax)[0].get_offsets(), places)


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
        ({"smiles": "CCO", "labels": True}, "RDKit chooses positions and labels itself"),
    ],
)
def test_mistakes_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        plots.graph(nx.path_graph(3), **options)


# Molecules


def test_important_atoms_stand_on_their_colour():
    from grafik.plots.graph import Shades

    values = np.array([0.0, 0.5, 1.0])
    ax = plots.molecule("CCO", importance=values, ax=Figure().subplots())
    grounds = [patch for patch in ax.patches if isinstance(patch, Ellipse)]
    colours = np.array([patch.get_facecolor() for patch in grounds])
    assert_allclose(colours, Shades(values).colours, atol=1 / 255)
    # The two bonds go from atom to atom; the one to the O, which is written, is cut short.
    lines = [patch.get_path() for patch in ax.patches if isinstance(patch, PathPatch)]
    first = next(line for line in lines if len(line) == 2)
    assert_allclose(first.vertices[0], grounds[0].get_center(), atol=0.2)
    assert_allclose(first.vertices[1], grounds[1].get_center(), atol=0.2)


def test_molecules_are_outlines_and_no_pixels(tmp_path):
    figure = Figure()
    ax = plots.molecule("CC(=O)Oc1ccccc1C(=O)[O-]", ax=figure.subplots())
    assert len(ax.images) == 0
    assert "<image" not in plots.save(figure, tmp_path / "x.svg").read_text()
    letters = [patch for patch in ax.patches if len(patch.get_path()) > 20]
    assert len(letters) == 4  # the O's, each with a hole
    for patch in letters:
        outer, hole = (_area(polygon) for polygon in patch.get_path().to_polygons())
        assert outer * hole < 0  # they go around in opposite directions
        assert abs(hole) < abs(outer)


def _area(polygon):
    x, y = polygon.T
    return (x * np.roll(y, 1) - y * np.roll(x, 1)).sum() / 2


def test_a_graph_made_from_smiles_is_drawn_as_a_molecule():
    smiles = "CC(=O)Oc1ccccc1C(=O)O"
    for hydrogens in (False, True):
        graphs = Graphs.from_smiles([smiles], hydrogens=hydrogens)
        values = np.linspace(-1, 1, graphs.n_nodes[0])
        ax = plots.graph(graphs, importance=values, smiles=smiles, ax=Figure().subplots())
        assert sum(isinstance(patch, Ellipse) for patch in ax.patches) == graphs.n_nodes[0]
    with pytest.raises(ValueError, match="the graph is not that of 'CCO'"):
        plots.graph(graphs, smiles="CCO")
    with pytest.raises(ValueError, match="the graph is not that of 'CCN'"):
        plots.graph(Graphs.from_smiles(["CCO"]), smiles="CCN")


def test_molecules_without_rdkit_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(ImportError, match=r"pip install 'grafik\[molecules\]'"):
        plots.molecule("CCO")


# Filtrations


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
    assert any("feature:\n*(*)\ndepth 1" in text for panel in figure.axes for text in texts(panel))


def test_an_occurrence_has_one_colour_in_graphs_and_barcode():
    graphs, filtration = figure_one()
    axes = plots.filtration(graphs[0], filtration, figure=Figure())
    bars = next(c for c in axes["barcode"].collections if isinstance(c, PolyCollection))
    of_bars = [to_hex(c) for c in bars.get_facecolors()]
    assert len(set(of_bars)) == 6
    for panel, members in zip(axes["levels"], ([0, 1], [0, 1, 2, 3], [4], [5]), strict=True):
        found = [to_hex(c) for c in vertices(panel)[1].get_facecolors()]
        assert found == [of_bars[v] for v in members]


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
    assert any("graphs of 4 of 59 levels" in text for a in figure.axes for text in texts(a))


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


def test_the_label_of_a_vertex_is_followed():
    graphs, filtration = figure_one()
    depth, feature = label_of(graphs[0], filtration, 5, 2)
    bars = barcodes(graphs, filtration, WeisfeilerLehman(depth=2))[0].of(depth, feature)
    ax = plots.barcode(graphs[0], filtration, (depth, feature), ax=Figure().subplots())
    assert rectangles(ax) == [(3 - 0.5, 4 - 0.5)]
    assert bars.vertices.tolist() == [5]
    with pytest.raises(ValueError, match=r"the feature \(1, 7\) does not occur in this graph"):
        plots.barcode(graphs[0], filtration, (1, 7))
    with pytest.raises(ValueError, match="the graph has 6 vertices, counted from 0; got 6"):
        label_of(graphs[0], filtration, 6, 1)


# Backends and files


def test_the_users_backend_is_left_alone_and_figures_are_pyplots():
    before = matplotlib.get_backend()
    with matplotlib.rc_context({"backend": "agg"}):
        ax = plots.graph(nx.path_graph(3))
        assert ax.figure.number in pyplot.get_fignums()
        pyplot.close(ax.figure)
    assert matplotlib.get_backend() == before


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_picture_makes_the_same_file(kind, tmp_path):
    graphs, filtration = figure_one()
    found = []
    for name in ("a", "b"):
        figure = plots.filtration(graphs[0], filtration, figure=Figure())["graph"].figure
        found.append(plots.save(figure, tmp_path / f"{name}.{kind}").read_bytes())
    assert found[0] == found[1]
    assert found[0][:5] in (b"<?xml", b"\x89PNG\r", b"%PDF-")


def test_other_files_are_refused_and_nothing_is_left(tmp_path):
    with pytest.raises(ValueError, match=r"a file .svg, .png or .pdf, got 'x.jpg'"):
        plots.save(Figure(), tmp_path / "x.jpg")
    assert list(tmp_path.iterdir()) == []


def test_drawing_without_matplotlib_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
        "from grafik import plots\n"
        "try: plots.transport([1], [1], [1])\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'grafik[plot]'" in run.stdout


def test_colours_are_told_apart_without_colour():
    bright = [np.dot(to_rgba(c)[:3], (0.299, 0.587, 0.114)) for c in style.CYCLE]
    assert min(abs(np.diff(bright))) > 0.04
