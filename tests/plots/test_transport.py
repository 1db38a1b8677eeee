"""Pictures of transport: what moves, how far, at which cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from grafik import plots, wasserstein
from grafik.plots.transport import moves

masses = st.lists(st.integers(0, 9), min_size=1, max_size=8)


@given(st.data())
def test_moved_mass_costs_the_distance(data):
    x = data.draw(masses.filter(any))
    y = data.draw(st.lists(st.integers(0, 9), min_size=len(x), max_size=len(x)).filter(any))
    alphas = np.cumsum(data.draw(st.lists(st.integers(1, 9), min_size=len(x), max_size=len(x))))
    alphas = alphas[::-1].astype(float)
    p, q = np.array(x) / sum(x), np.array(y) / sum(y)
    found = moves(p, q)
    cost = sum(mass * abs(alphas[i] - alphas[j]) for i, j, _, _, mass in found)
    assert_allclose(cost, wasserstein(x, y, alphas), atol=1e-9)
    taken, brought = np.zeros(len(x)), np.zeros(len(x))
    for i, j, start, end, mass in found:
        assert_allclose([taken[i], brought[j]], [start, end], atol=1e-9)
        taken[i] += mass
        brought[j] += mass
    assert_allclose(taken, p, atol=1e-9)
    assert_allclose(brought, q, atol=1e-9)


def test_transport_shows_histograms_moves_and_distance(ax):
    x, y, alphas = [2, 4, 1, 1], [0, 3, 3, 3], [4.0, 3.0, 2.0, 1.0]
    plots.transport(x, y, alphas, names=("$G_1$", "_H"), ax=ax)
    upper, lower = ([bar.get_height() for bar in group] for group in ax.containers)
    assert_allclose(upper, np.array(x) / 8)
    assert_allclose(lower, -np.array(y) / 9)
    assert ax.get_title(loc="left") == f"W1 = {wasserstein(x, y, alphas):.4g}"
    bands = [patch for patch in ax.patches if patch.get_label() in ("moved", "stays")]
    assert [b.get_label() for b in bands].count("moved") == sum(
        i != j for i, j, *_ in moves(np.array(x) / 8, np.array(y) / 9)
    )
    assert [t.get_text() for t in ax.get_xticklabels()] == ["4", "3", "2", "1"]
    assert [t.get_text() for t in ax.texts] == [r"\$G_1\$", "_H"]
    assert "not to scale" not in ax.get_xlabel()
    ax.figure.savefig("/dev/null", format="png")


def test_crowded_thresholds_are_drawn_evenly_and_one_level_is_fine(ax):
    plots.transport([1, 2, 3], [3, 2, 1], [1e6, 2.0, 1.0], ax=ax)
    assert ax.get_xlabel() == "threshold, not to scale"
    left = [bar.get_x() for bar in ax.containers[0]]
    assert_allclose(np.diff(left), left[1] - left[0])
    other = plots.transport([5], [2], [1.0], ax=Figure().subplots())
    assert other.get_title(loc="left") == "W1 = 0"
    with pytest.raises(ValueError, match="not all zero"):
        plots.transport([0], [2], [1.0])
