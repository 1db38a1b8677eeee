"""Curves of accuracy by levels, and of growing times."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from grafik import datasets, plots
from grafik.evaluation import METHODS, PROTOCOLS, evaluate


def test_accuracy_by_levels_comes_from_results(tmp_path, ax):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    methods = [replace(METHODS["fwl-d"], name=f"k={k}", values={"levels": (k,)}) for k in (1, 2, 3)]
    two = PROTOCOLS["quick"].with_values(n_splits=2)
    results = evaluate([*methods, "wl"], graphs, y, protocol=two, name="csl", out=tmp_path)
    wanted = [results.accuracies(f"k={k}") for k in (1, 2, 3)]
    for given_as in (results, tmp_path, [results]):
        drawn = plots.levels(given_as, ax=Figure().subplots())
        assert drawn.lines[0].get_xdata().tolist() == [1, 2, 3]
        assert_allclose(drawn.lines[0].get_ydata(), [100 * w.mean() for w in wanted], rtol=1e-5)
        assert drawn.lines[0].get_label() == "csl"
    only = evaluate(["wl"], graphs, y, protocol=two)
    with pytest.raises(ValueError, match="there is no accuracy by number of levels"):
        plots.levels(only)


def test_bands_are_one_deviation_to_each_side(ax):
    rows = [
        {"data": "$A_1$", "levels": k, "accuracy": 50.0 + k, "deviation": k, "paper": 40.0 + k}
        for k in (3, 1, 2)
    ]
    plots.levels(rows, ax=ax)
    ax.figure.savefig("/dev/null", format="png")
    (band,) = ax.collections
    corners = {tuple(point) for point in band.get_paths()[0].vertices}
    assert corners >= {(k, 50.0) for k in (1, 2, 3)} | {(k, 50.0 + 2 * k) for k in (1, 2, 3)}
    ours, theirs = ax.lines
    assert ours.get_ydata().tolist() == [51, 52, 53]
    assert theirs.get_ydata().tolist() == [41, 42, 43]
    assert theirs.get_linestyle() == "--"
    assert [t.get_text() for t in ax.get_legend().get_texts()][1] == r"\$A_1\$, the paper's"
    with pytest.raises(ValueError, match="a row needs 'accuracy'"):
        plots.levels([{"data": "A", "levels": 1}])


@pytest.mark.parametrize(
    ("seconds", "ticks"),
    [
        ([0.012, 0.04, 0.4], ["0.01", "0.1", "1"]),
        ([0.17, 0.5, 1.6], ["0.2", "0.5", "1", "2"]),
        ([0.12, 0.25, 0.3], ["0.15", "0.2", "0.3"]),
        ([2e-7, 3e-3, 4e4], ["1e-07", "0.0001", "0.1", "100", "100,000", "100,000,000"]),
    ],
)
def test_ticks_are_round_numbers_written_out(ax, seconds, ticks):
    plots.growth([70, 640, 3100], seconds, ax=ax)
    ax.figure.savefig("/dev/null", format="png")
    assert [label.get_text() for label in ax.get_yticklabels()] == ticks
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        *("100", "200", "500", "1,000", "2,000")
    ]
    assert len(ax.xaxis.get_minorticklocs()) == len(ax.yaxis.get_minorticklocs()) == 0
    # All points lie inside, below the legend.
    inside = ax.transAxes.inverted().transform(ax.transData.transform([(70, min(seconds))]))
    assert (inside > 0).all()
    assert seconds[-1] < ax.get_ylim()[1]


def test_growth_shows_the_exponent(ax):
    x = np.array([10, 20, 40, 80, 160, 320])
    plots.growth(x, 0.5 * x**1.5, label="$n_1$", ax=ax)
    ax.figure.savefig("/dev/null", format="png")
    measured, fit = ax.lines
    assert measured.get_xdata().tolist() == x.tolist()
    assert fit.get_label() == "exponent 1.50, from 40 to 320"
    assert_allclose(fit.get_ydata(), 0.5 * np.array([40, 320]) ** 1.5)
    assert len(plots.growth([1], [1], ax=Figure().subplots()).lines) == 1
    with pytest.raises(ValueError, match="seconds must be positive and finite"):
        plots.growth([1, 2], [0, 1])
    with pytest.raises(ValueError, match="values and seconds must be equally many"):
        plots.growth([1, 2], [1])


def test_what_has_no_accuracies_is_refused():
    with pytest.raises(TypeError, match="expected Results, a folder of them or rows, got 3"):
        plots.levels(3)


@pytest.mark.parametrize(("most", "ticks"), [(12, list(range(1, 13))), (40, None)])
def test_there_is_a_tick_at_each_number_of_levels_unless_there_are_many(most, ticks, ax):
    row = {"data": "csl", "accuracy": 50.0, "deviation": 0.0}
    plots.levels([row | {"levels": k} for k in range(1, most + 1)], ax=ax)
    found = ax.get_xticks()
    assert np.array_equal(found, np.round(found))
    assert list(found) == ticks if ticks else len(found) < 14
