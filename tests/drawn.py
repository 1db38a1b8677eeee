"""What is on axes: texts, vertices, lines; and the graph of the first figure."""

import os

from matplotlib.collections import LineCollection, PathCollection

from grafik import Filtration, datasets, weights

AWKWARD = ["$x_1$", "_under", "a$b", "é β ≥", "back\\slash$", "two\nlines", "^_{", "x" * 90]


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
    heavy = weights.Attribute()
    return graphs, Filtration(heavy, thresholds="distinct").fit(graphs)
