"""What notebooks show: complete, escaped, small, without scripts, and for dark pages too."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from drawn import figure_one
from forked import Forked
from grafik import FiltrationKernel, GraphIndex, Graphs, datasets, explain_pair, explain_prediction
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.features import WeisfeilerLehman
from grafik.features.barcodes import barcodes
from grafik.plots import style
from kernel_strategies import batches, kernels

EVIL = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a & b"]
TAGS = {"div", "span", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"}
TAGS |= {"svg", "path", "circle", "rect", "text", "title"}


def shown(value):
    """What a notebook shows, as an element; it must be well-formed, small and harmless."""
    html = value._repr_html_()
    assert len(html.encode()) < 50_000
    found = ElementTree.fromstring(html)
    for part in found.iter():
        assert part.tag.split("}")[-1] in TAGS
        assert not any(name.startswith("on") or name == "href" for name in part.attrib)
        assert not re.search(r"(^|;)color:", part.get("style", ""))  # the notebook's own
    return found


def text(element):
    return " ".join("".join(element.itertext()).split())


def tags(element, name):
    return [part for part in element.iter() if part.tag.split("}")[-1] == name]


def named(labels, names, **columns):
    """A ring whose vertices have labels and names."""
    n = len(names)
    ring = [(i, (i + 1) % n) for i in range(n)]
    return Graphs([0, n], [0, n], ring, node_labels=labels, node_names=names, **columns)


def test_a_batch_says_what_it_holds_and_draws_its_first_graphs():
    graphs = Graphs.concat(5 * [named(["C", "C", "O"], ["a", "b", "c"], edge_attributes=[1, 2, 3])])
    found = shown(graphs.with_ids(["x", "y", EVIL[0], "z", "w"]))
    said = text(found)
    assert said.startswith("Graphs: 5")
    assert "15 in all; 3 to 3 per graph" in said
    assert "2: C (10), O (5)" in said
    assert "attributes of edges" in said
    assert "such as a" in said
    assert len(tags(found, "svg")) == 4
    assert f"graph {EVIL[0][:19]}" in said


def test_a_graph_is_drawn_with_its_labels_and_names():
    found = shown(named(["C", "CCCC", "O"], ["Ann", EVIL[0], 7])[0])
    assert text(found).startswith("Graph: 3 vertices, 3 edges")
    assert len(tags(found, "circle")) == 3
    titles = [part.text for part in tags(found, "title")]
    assert titles[0] == "vertex Ann, label C"
    assert titles[1].startswith(f"vertex {EVIL[0]}, label CCCC")
    written = [part.text for part in tags(found, "text")]
    assert written == ["C", "Ann", EVIL[0][:11] + "…", "O", "7"]
    (lines,) = tags(found, "path")
    assert lines.get("d").count("M") == 3


def test_directed_edges_have_heads_at_their_second_ends():
    graph = Graphs([0, 2], [0, 1], [(1, 0)], directed=True)[0]
    found = shown(graph)
    assert text(found).startswith("Graph: 2 vertices, 1 directed edge")
    line, head = (part.get("d") for part in tags(found, "path"))
    circles = [(float(c.get("cx")), float(c.get("cy"))) for c in tags(found, "circle")]
    points = np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", line), float)
    assert points == pytest.approx(np.array(circles[::-1]), abs=0.11)
    tip = np.array(re.findall(r"M(-?[\d.]+) (-?[\d.]+)", head)[0], float)
    assert np.hypot(*(tip - circles[0])) < np.hypot(*(tip - circles[1]))


WITHOUT_MATPLOTLIB = """
import sys
sys.modules["matplotlib"] = None  # as if it were not installed
from grafik import FiltrationKernel, datasets, explain_pair
graphs, _ = datasets.triangle_pair()
for one in (graphs, graphs[0], explain_pair(FiltrationKernel(), graphs[0], graphs[1])):
    assert one._repr_html_()
"""


def test_nothing_of_this_needs_matplotlib():
    run = Forked(WITHOUT_MATPLOTLIB)
    _, complaint = run.communicate()
    assert run.returncode == 0, complaint


@pytest.mark.parametrize("n", [0, 1, 61, 500])
def test_graphs_of_any_size_are_shown(n):
    graphs = Graphs([0, n], [0, 0], [])
    assert len(tags(shown(graphs[0]), "svg")) == (n == 1)
    assert "Graphs: 1" in text(shown(graphs))
    assert text(shown(graphs[:0])).startswith("Graphs: 0")


def test_many_long_texts_take_little_space():
    labels = [f"{i}{'&<>' * 5000}" for i in range(60)]
    edges = [(i, j) for i in range(60) for j in range(i)][:120]
    graphs = Graphs([0, 60], [0, 120], edges, node_labels=labels, node_names=labels)
    assert len(tags(shown(graphs[0]), "circle")) == 60
    shown(Graphs.concat(9 * [graphs]))
    shown(explain_pair(FiltrationKernel(), graphs, graphs))


def test_bars_of_a_feature_are_drawn_and_others_counted():
    graphs, filtration = figure_one()
    bars = barcodes(graphs, filtration, WeisfeilerLehman(1))
    one = bars[0].of(1, int(bars[0].features[bars[0].depths == 1][0]))
    found = shown(one)
    assert tags(found, "title")[0].text == "vertex 0, levels 0 to 1"
    assert len(tags(found, "rect")) == len(one) == 6
    assert "6 bars, 4 levels" in text(found)
    for several in (bars, bars[0]):
        rows = [[cell.text for cell in tags(row, "td")] for row in tags(shown(several), "tr")[1:]]
        assert rows == [["0", "1", "6"], ["1", "4", "16"]]
    ax = one.plot(ax=Figure().subplots())
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"vertex {v}" for v in range(6)]
    with pytest.raises(ValueError, match=r"these are of 5; choose one, as in bars.of\(0, 0x"):
        bars[0].plot()


def test_explanations_show_the_largest_contributions_and_vertices():
    graphs = named(["C", "<b>", "O", "C"], [*EVIL, "d"])
    why = explain_pair(FiltrationKernel(), graphs, graphs)
    found = shown(why)
    rows = tags(found, "tr")
    assert len(rows) == 1 + 10
    assert [code.text for code in tags(found, "code")] == [f.name for f in why.features[:10]]
    assert f"{len(why.features) - 10} other features, together" in text(found)
    assert text(found).startswith(why.about[0])
    assert EVIL[2] in text(found)
    ax = why.plot(3, ax=Figure().subplots())
    assert [bar.get_width() for bar in ax.patches][:3] == [f.contribution for f in why.features[:3]]
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(why.total)


@given(kernels(), batches.filter(len))
def test_whatever_is_explained_can_be_shown(kernel, graphs):
    why = explain_pair(kernel, graphs[0], graphs[len(graphs) - 1])
    assert text(shown(why)).startswith(why.about[0])
    for graph in graphs[:2]:
        assert f"{graph.n_edges:,} edge" in text(shown(graph))


def test_predictions_are_shown_with_both_signs():
    graphs, _ = datasets.random_graphs(20, n_nodes=8, density=(0.1, 0.6))
    model = make_pipeline(FiltrationKernel(normalize=True), SVC(kernel="precomputed"))
    why = explain_prediction(model.fit(graphs, graphs.n_edges > 9), graphs[0])
    bars = [part.get("style") for part in tags(shown(why), "span")][1::2]
    signs = [f.contribution > 0 for f in why.features[:10]]
    assert ["#D55E00" in bar for bar in bars] == signs
    assert set(signs) == {True, False}
    ax = why.plot(4, ax=Figure().subplots())
    assert [bar.get_width() > 0 for bar in ax.patches][:4] == signs[:4]


def test_an_index_says_what_it_holds():
    graphs, _ = datasets.csl(copies=2)
    index = GraphIndex(FiltrationKernel(normalize=True))
    assert text(shown(index)).startswith("GraphIndex: 0 graphs")
    said = text(shown(index.add(graphs)))
    assert said.startswith("GraphIndex: 20 graphs")
    assert "FiltrationKernel(normalize=True)" in said
    assert "thresholds" in said


def test_results_are_shown_and_drawn():
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    quick = PROTOCOLS["quick"].with_values(n_splits=2)
    results = evaluate(["wl", "fwl-triangles"], graphs, y, protocol=quick)
    scores = results.summary().scores
    said = text(shown(results))
    for score in scores:
        assert f"{score.title}{score.accuracy:.2f} ± {score.deviation:.2f}" in said
    assert results.summary().note() in said
    ax = results.plot(ax=Figure().subplots())
    drawn = [one.lines[0] for one in ax.containers]
    assert [score.accuracy for score in scores] == [50.0, 100.0]  # the best at the top:
    assert [float(*point.get_xdata()) for point in drawn] == [100.0, 50.0]
    assert [point.get_color() for point in drawn] == [style.VERMILION, style.BLUE]
    labels = ax.get_yticklabels()
    assert [label.get_text() for label in labels] == [scores[1].title, scores[0].title]
    assert [label.get_fontweight() for label in labels] == ["bold", "normal"]
    unfinished = type(results)(results.header, [])
    assert "NOT FINISHED" in text(shown(unfinished))
    with pytest.raises(ValueError, match="no repeat is complete yet"):
        unfinished.plot()
