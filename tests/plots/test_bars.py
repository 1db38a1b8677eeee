"""Bars of contributions, one for all that is not shown, and points for accuracies."""

import pytest
from matplotlib.figure import Figure

from grafik import FiltrationKernel, Graphs, datasets, explain_pair, plots
from grafik.evaluation import METHODS, PROTOCOLS, evaluate


@pytest.mark.parametrize("top", [1, 2, 50])
def test_contributions_add_up_with_those_that_are_not_shown(top):
    graphs, _ = datasets.triangle_pair()
    why = explain_pair(FiltrationKernel(weight="triangles", depth=1), graphs[0], graphs[1])
    ax = plots.contributions(why, top=top, ax=Figure().subplots())
    names = [text.get_text() for text in ax.get_yticklabels()]
    n_left = len(why.features) - top
    assert len(names) == min(len(why.features), top + 1)
    assert (names[-1] == f"{n_left} other features") is (n_left > 0)
    bars = sum(patch.get_width() for patch in ax.patches)
    assert bars == pytest.approx(sum(feature.contribution for feature in why.features))


@pytest.mark.parametrize("name", ["$trees_4$", None])
def test_accuracies_of_methods_are_drawn_below_the_name_of_their_data(name):
    """Counts of vertices and edges do not tell a path from a star, but degrees do."""
    path, star = [(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]
    graphs = Graphs.from_edge_lists([path, star] * 6)
    two = PROTOCOLS["quick"].with_values(n_splits=2)
    results = evaluate(["ve-hist", "wl"], graphs, [0, 1] * 6, protocol=two, name=name)
    ax = plots.accuracies(results, ax=Figure().subplots())
    found = [container.lines[0].get_xydata().tolist() for container in ax.containers]
    assert found == [[[100.0, 0.0]], [[50.0, 1.0]]]
    best, other = ax.get_yticklabels()
    assert [best.get_text(), other.get_text()] == [METHODS["wl"].title, METHODS["ve-hist"].title]
    assert [best.get_fontweight(), other.get_fontweight()] == ["bold", "normal"]
    assert ax.get_title() == (r"\$trees_4\$" if name else "")
