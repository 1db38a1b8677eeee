"""Maps of graphs: positions of kernel PCA, a colour and a marker for each class."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import KernelPCA

from grafik import plots


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
        told = [text.get_text() for text in found.texts]
        assert told == [f"all equal\n{len(K)} graphs at one point"] * (len(K) > 1)
        assert len(found.get_xticks()) == 0 or len(K) == 1
    assert not ax.texts
    assert len(ax.get_xticks()) > 0
    with pytest.raises(ValueError, match="at most 24 classes, got 30"):
        plots.data_map(np.eye(30), np.arange(30))
    with pytest.raises(ValueError, match="names must have a text for each of 2 graphs, got 1"):
        plots.data_map(np.eye(2), names=["a"])


def test_names_stand_beside_their_graphs(ax):
    x = np.random.default_rng(0).normal(size=(4, 3))
    plots.data_map(x @ x.T, names=["one", None, "", "$four$"], ax=ax)
    positions, _ = plots.kernel_pca(x @ x.T)
    assert [text.get_text() for text in ax.texts] == ["one", r"\$four\$"]
    assert_array_equal([text.xy for text in ax.texts], positions[[0, 3]])
