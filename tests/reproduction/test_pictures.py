"""The pictures of the experiments: what is drawn where, and what stands out."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from grafik.plots import style
from grafik.reproduction import pictures


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Draws rows, and returns the panels in place of a file."""
    figures = []
    monkeypatch.setattr(style, "save", lambda figure, path, dpi: figures.append(figure))

    def draw(function, rows):
        function(rows, tmp_path / "x.png")
        figures[-1].savefig(tmp_path / "y.png")  # lays it out
        return figures[-1].axes

    return draw


def accuracies(name, means, paper):
    titles = [f"K{i}" for i in range(len(means))]
    return [
        {
            "data": name,
            "method": f"fwl-{title}" if title == "K1" else title,
            "title": title,
            "accuracy": mean,
            "deviation": 1.5,
            "paper": theirs,
        }
        for title, mean, theirs in zip(titles, means, paper, strict=True)
    ]


def dots(panel):
    """Return (accuracy, row, colour) of each method, and the paper's values by row."""
    points = [(line.get_marker(), *line.get_xydata()[0], line.get_color()) for line in panel.lines]
    ours = [(x, y, colour) for marker, x, y, colour in points if marker == "o"]
    return ours, {int(y): x for marker, x, y, _ in points if marker == "|"}


def test_methods_stand_in_rows_the_best_first_beside_the_papers(drawn):
    means = [70.0, 62.5, *range(50, 60)]
    rows = accuracies("A", means, [None, 64.0, *range(51, 61)])
    rows += accuracies("B", [40.0, 90.0], [41.0, None])
    first, second = drawn(pictures.draw_accuracy, rows)[:2]
    assert (first.get_title(), second.get_title()) == ("A", "B")
    names = [label.get_text() for label in first.get_yticklabels()]
    assert names == ["K0", "K1", *(f"K{i}" for i in range(11, 1, -1))]
    ours, theirs = dots(first)
    assert [x for x, *_ in ours] == sorted(means, reverse=True)
    assert [y for _, y, _ in ours] == list(range(12))
    assert theirs == {1: 64.0, **{row: 62.0 - row for row in range(2, 12)}}
    # The best stands out by its colour and its name, filtration kernels by their colour.
    colours = [colour for *_, colour in ours]
    assert colours == [style.VERMILION, style.BLUE, *[style.DARK] * 10]
    bold = [label.get_text() for label in first.get_yticklabels() if label.get_weight() == "bold"]
    assert bold == ["K0"]
    spans = [part.get_segments()[0] for part in first.collections]
    assert_allclose([np.ptp(span[:, 0]) for span in spans], 3.0)
    assert [colour for *_, colour in dots(second)[0]] == [style.VERMILION, style.DARK]


def test_names_of_methods_do_not_overlap(drawn):
    rows = accuracies("A", np.linspace(60, 70, 12).tolist(), [None] * 12)
    for row in rows[::3]:
        row["title"] = f"{row['title']} (distinct weights)"
    panel = drawn(pictures.draw_accuracy, rows)[0]
    boxes = [label.get_window_extent() for label in panel.get_yticklabels()]
    between = [upper.y0 - lower.y1 for upper, lower in pairwise(boxes)]
    assert min(between) > -1.0  # pixels; descenders may touch


def test_our_seconds_and_the_papers_have_one_scale(drawn):
    rows = [
        {"data": name, "levels": k, "seconds": 0.01 * k, "paper": 10.0 * k if k < 3 else None}
        for name in ("A", "B")
        for k in (1, 2, 3)
    ]
    ours, theirs = drawn(pictures.draw_runtime, [*rows, {"data": "A", "levels": None}])
    assert ours.get_ylim() == theirs.get_ylim()
    assert [line.get_ydata().tolist() for line in theirs.lines] == [[10.0, 20.0]] * 2
    labels = [label.get_text() for label in ours.get_yticklabels()]
    assert labels == ["0.01", "0.1", "1", "10"]
