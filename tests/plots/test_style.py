"""Backends, files and colours: the users' own are left alone, the same picture is the same file."""

import matplotlib
import networkx as nx
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from drawn import figure_one
from forked import Forked
from grafik import plots
from grafik.plots import style


def test_the_users_backend_is_left_alone_and_figures_are_pyplots():
    before = matplotlib.get_backend()
    with matplotlib.rc_context({"backend": "agg"}):
        ax = plots.graph(nx.path_graph(3))
        assert ax.figure.number in pyplot.get_fignums()
        pyplot.close(ax.figure)
    assert matplotlib.get_backend() == before


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_the_same_picture_makes_the_same_file(kind, tmp_path):
    graphs, filtration = figure_one()
    found = []
    for name in ("a", "b"):
        figure = plots.filtration(graphs[0], filtration, figure=Figure())["graph"].figure
        found.append(plots.save(figure, tmp_path / f"{name}.{kind}").read_bytes())
    assert found[0] == found[1]
    assert found[0][:5] in (b"<?xml", b"\x89PNG\r", b"%PDF-")


def test_other_files_are_refused_and_nothing_is_left(tmp_path):
    with pytest.raises(ValueError, match=r"a .svg, .png or .pdf file, got 'x.jpg'"):
        plots.save(Figure(), tmp_path / "x.jpg")
    assert list(tmp_path.iterdir()) == []


def test_drawing_without_matplotlib_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
        "from grafik import plots\n"
        "try: plots.transport([1], [1], [1])\n"
        "except ImportError as error: print(error)"
    )
    stdout, _ = Forked(code).communicate()
    assert "pip install 'grafik[plot]'" in stdout


def test_colours_are_told_apart_without_colour():
    bright = [np.dot(to_rgba(c)[:3], (0.299, 0.587, 0.114)) for c in style.CYCLE]
    assert min(abs(np.diff(bright))) > 0.04


def test_the_last_bits_of_a_layout_change_nothing(tmp_path, monkeypatch):
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    plain = ConstrainedLayoutEngine.execute

    def shaken(engine, figure):
        found = plain(engine, figure)
        for ax in figure.axes:
            ax._set_position([value * (1 + shake[0]) for value in ax.get_position().bounds])
        return found

    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", shaken)
    written, shake = [], [0.0]
    for shake[0] in (0.0, 1e-15, -1e-15):
        figure = style.blank_figure(4, 3)
        for ax in figure.subplots(2, 2).flat:
            ax.plot([0, 1], [1, 0])
            ax.set_title("a title")
        written.append(plots.save(figure, tmp_path / "picture.svg").read_bytes())
    assert written[0] == written[1] == written[2]
