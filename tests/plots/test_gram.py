"""Pictures of Gram matrices: by class or by similarity, averaged if large."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_array_equal

from grafik import FiltrationKernel, datasets, plots
from grafik.plots.gram import clustered


@pytest.fixture(scope="module")
def kernel():
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    order = np.random.default_rng(0).permutation(len(y))
    K = FiltrationKernel(weight="triangles", normalize=True).fit_transform(graphs[order])
    return K, y[order]


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


def test_equal_entries_are_said_to_be_equal_and_have_no_scale(kernel, ax):
    nearly = np.full((4, 4), 0.5)
    nearly[1, 2] = nearly[2, 1] = 0.5 + 1e-15
    plots.gram(nearly, ax=ax)
    assert [text.get_text() for text in ax.texts] == ["all equal\nkernel 0.5"]
    assert ax.figure.axes == [ax]
    other = plots.gram(kernel[0], ax=Figure().subplots())
    assert not other.texts
    assert len(other.figure.axes) == 2


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


def test_two_graphs_have_nothing_to_be_clustered_by(ax):
    matrix = np.array([[1.0, 0.5], [0.5, 1.0]])
    assert clustered(matrix).tolist() == [0, 1]
    assert clustered(np.ones((1, 1))).tolist() == [0]
    plots.gram(matrix, ax=ax)
    assert_array_equal(ax.images[0].get_array(), matrix)


def test_very_many_classes_are_parted_but_not_named(ax):
    n = 60
    plots.gram(np.eye(n), np.arange(n), ax=ax)
    assert len(ax.lines) == 4 * (n - 1)
    assert ax.get_ylabel() == ""
