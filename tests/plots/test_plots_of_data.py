"""Pictures of kernels and results: matrices, maps, transport and curves."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image
from sklearn.decomposition import KernelPCA
from test_commands import grafik

from grafik import FiltrationKernel, datasets, plots, wasserstein
from grafik.evaluation import METHODS, evaluate
from grafik.plots.gram import clustered
from grafik.plots.transport import moves


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    yield
    assert pyplot.get_fignums() == []


@pytest.fixture(scope="module")
def kernel():
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    order = np.random.default_rng(0).permutation(len(y))
    K = FiltrationKernel(weight="triangles", normalize=True).fit_transform(graphs[order])
    return K, y[order]


# Transport

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


# Gram matrices


def test_rows_of_a_class_stand_together(kernel, ax):
    K, y = kernel
    plots.gram(K, y, ax=ax)
    order = np.argsort(y, kind="stable")
    assert_array_equal(ax.images[0].get_array(), K[np.ix_(order, order)])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["2", "3", "5"]
    assert list(ax.get_yticks()) == [3, 9, 15]
    assert {line.get_ydata()[0] for line in ax.lines if line.get_ydata()[0] > 1} == {6, 12}


def test_clustering_puts_equal_graphs_side_by_side(kernel, ax):
    K, _ = kernel
    order = clustered(K)
    assert sorted(order) == list(range(len(K)))
    # Graphs of one class are isomorphic, so only the first of each differs from the one before.
    same = [K[i, j] > 1 - 1e-9 for i, j in pairwise(order)]
    assert same.count(False) == len(np.unique(K.round(9), axis=0)) - 1
    plots.gram(K, ax=ax)
    assert_array_equal(ax.images[0].get_array(), K[np.ix_(order, order)])
    assert ax.get_xlabel() == "graphs, by similarity"


def test_large_matrices_are_averaged(ax):
    K = np.add.outer(np.arange(2500.0), np.arange(2500.0))
    plots.gram(K, order="given", ax=ax)
    shown = ax.images[0].get_array()
    assert shown.shape == (834, 834)
    assert shown[1, 2] == K[3:6, 6:9].mean()
    assert shown[-1, -1] == K[2499, 2499]
    assert "3 x 3 averaged" in ax.get_xlabel()


@pytest.mark.parametrize(
    ("K", "options", "message"),
    [
        (np.ones((2, 3)), {}, r"must be square and not empty, got shape \(2, 3\)"),
        (np.empty((0, 0)), {}, "must be square and not empty"),
        ([[1, 2], [3, 4]], {}, "must be symmetric"),
        ([[np.nan]], {}, "must be finite"),
        ([[1.0]], {"y": [1, 2]}, "y must have a value for each of 1 graphs"),
        ([[1.0]], {"order": "class"}, "needs the class of each graph"),
        ([[1.0]], {"order": "random"}, "order must be"),
    ],
)
def test_matrices_that_are_none_are_refused(K, options, message):
    with pytest.raises(ValueError, match=message):
        plots.gram(K, **options)


# Maps


def test_positions_are_those_of_kernel_pca():
    points = np.random.default_rng(1).normal(size=(300, 4)) * [5, 3, 1, 0.5]
    for n in (40, 300):  # both ways of computing it
        K = points[:n] @ points[:n].T
        positions, shares = plots.kernel_pca(K)
        wanted = KernelPCA(2, kernel="precomputed").fit_transform(K)
        assert_allclose(np.abs(positions), np.abs(wanted), atol=1e-6)
        centred = points[:n] - points[:n].mean(axis=0)
        assert_allclose(shares, (wanted**2).sum(axis=0) / (centred**2).sum(), rtol=1e-6)
        far = np.abs(positions).argmax(axis=0)
        assert (positions[far, [0, 1]] > 0).all()
        assert_array_equal(plots.kernel_pca(K)[0], positions)


def test_distances_are_kept_where_two_components_suffice():
    points = np.random.default_rng(2).normal(size=(30, 2))
    positions, shares = plots.kernel_pca(points @ points.T)
    assert_allclose(shares.sum(), 1.0)
    for x in (points, positions):
        x.flags.writeable = False
    apart = [np.hypot(*(x[:, None] - x[None]).transpose(2, 0, 1)) for x in (points, positions)]
    assert_allclose(apart[0], apart[1], atol=1e-9)


def test_classes_have_their_own_colour_and_marker(ax):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 5))
    y = np.array([f"_{i % 20}$" for i in range(60)])
    plots.data_map(x @ x.T, y, ax=ax)
    ax.figure.savefig("/dev/null", format="png")
    looks = set()
    for points in ax.collections:
        shape = points.get_paths()[0].vertices.round(6).tobytes()
        looks.add((shape, tuple(points.get_facecolors()[0].round(3))))
    assert len(ax.collections) == len(looks) == 20
    positions, _ = plots.kernel_pca(x @ x.T)
    assert_array_equal(ax.collections[0].get_offsets(), positions[y == "_0$"])
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == [name.replace("$", r"\$") for name in np.unique(y)]


def test_numbers_are_shown_by_colour_and_few_graphs_are_fine(ax):
    plots.data_map(np.eye(3), np.array([0.5, 1.5, 2.5]), ax=ax)
    assert_array_equal(ax.collections[0].get_array(), [0.5, 1.5, 2.5])
    for K in ([[1.0]], np.ones((2, 2)), np.zeros((3, 3))):
        found = plots.data_map(K, ax=Figure().subplots())
        assert_allclose(found.collections[0].get_offsets(), 0.0, atol=1e-7)
        assert found.get_xlabel() == "component 1 (0 % of variance)"
    with pytest.raises(ValueError, match="at most 24 classes, got 30"):
        plots.data_map(np.eye(30), np.arange(30))
    with pytest.raises(ValueError, match="names must have a text for each of 2 graphs, got 1"):
        plots.data_map(np.eye(2), names=["a"])


# Curves


def test_accuracy_by_levels_comes_from_results(tmp_path, ax):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    methods = [replace(METHODS["fwl-d"], name=f"k={k}", values={"levels": (k,)}) for k in (1, 2, 3)]
    results = evaluate(
        [*methods, "wl"], graphs, y, protocol="quick", n_splits=2, name="csl", out=tmp_path
    )
    wanted = [results.accuracies(f"k={k}") for k in (1, 2, 3)]
    for given_as in (results, tmp_path, [results]):
        drawn = plots.levels(given_as, ax=Figure().subplots())
        assert drawn.lines[0].get_xdata().tolist() == [1, 2, 3]
        assert_allclose(drawn.lines[0].get_ydata(), [100 * w.mean() for w in wanted], rtol=1e-5)
        assert drawn.lines[0].get_label() == "csl"
    only = evaluate(["wl"], graphs, y, protocol="quick", n_splits=2)
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
    with pytest.raises(ValueError, match="values and seconds must be as many"):
        plots.growth([1, 2], [1])


# The command


def test_show_draws_a_graph_of_a_data_set(tmp_path):
    graphs, _ = datasets.figure_one()
    graphs.to_parquet(tmp_path / "one_$.parquet")
    for kind in ("svg", "png", "pdf"):
        run = grafik(
            *("show", tmp_path / "one_$.parquet", 0, "--weight", "attribute", "--levels", 4),
            *("--feature", "vertex:5", "--out", tmp_path / f"x.{kind}"),
        )
        assert run.returncode == 0, run.stderr
        assert str(tmp_path / f"x.{kind}") in run.stdout
        assert run.stderr == ""
    with Image.open(tmp_path / "x.png") as image:
        assert min(image.size) > 300
    text = (tmp_path / "x.svg").read_text()
    assert "<svg" in text
    assert "vertex 5" in text  # matplotlib keeps what it draws as paths in a comment


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["5", "--out", "{0}/x.svg"], "there is no graph 5: "),
        (["0", "--out", "{0}/x.jpg"], "a picture must be a file .svg, .png or .pdf"),
        (["0", "--out", "{0}/no/x.svg"], "for x.svg; make it first"),
        (["0", "--out", "{0}/x.svg", "--feature", "7"], "--feature must be DEPTH:FEATURE"),
        (["0", "--out", "{0}/x.svg", "--feature", "1:7"], "the feature (1, 7) does not occur"),
        (["0", "--out", "{0}/x.svg", "--feature", "vertex:9"], "the graph has 6 vertices"),
    ],
)
def test_mistakes_of_show_are_one_line(arguments, message, tmp_path):
    datasets.figure_one()[0].to_parquet(tmp_path / "one.parquet")
    run = grafik("show", tmp_path / "one.parquet", *(a.format(tmp_path) for a in arguments))
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert json.dumps(sorted(p.name for p in tmp_path.iterdir())) == '["one.parquet"]'
