"""Axes of a figure of their own, and no figure left behind."""

import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure


@pytest.fixture
def ax():
    return Figure(layout="constrained").subplots()


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    yield
    assert pyplot.get_fignums() == []
