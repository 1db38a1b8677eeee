"""Bars of contributions: a bar for all that is not shown, if there is something."""

import pytest
from matplotlib.figure import Figure

from grafik import FiltrationKernel, datasets, explain_pair, plots


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
