"""Lines of growing data end where they should, and advice follows from where they ended."""

import math
from itertools import pairwise

import pytest
from numpy.testing import assert_allclose
from PIL import Image

from benchmarks import machine, picture, scale, scale_advice


def point(graphs, seconds, gigabytes):
    return {"graphs": graphs, "seconds": seconds, "peak_growth_bytes": gigabytes * 1e9}


def line(name, *points, stopped=None):
    ended = stopped and {"graphs": stopped, "because": "too long"}
    return {"name": name, "label": f"the {name}", "points": list(points), "stopped": ended}


def result(*lines):
    return {
        **machine.machine(),
        "complete": True,
        "load": 0.1,
        "limit_seconds": 120.0,
        "lines": list(lines),
    }


# Time and memory with the square of the number of graphs; 8 GB are reached at 40,000.
GRAM = line("gram", point(10_000, 1.0, 0.5), point(20_000, 4.0, 2.0), stopped=100_000)
DISK = line("disk", point(10_000, 2.0, 0.1), point(20_000, 8.0, 0.1), stopped=100_000)
EXACT = line("exact", point(10_000, 1.0, 0.5), point(100_000, 10.0, 5.0))


def test_growth_goes_on_as_it_was():
    assert_allclose(scale.foreseen([10, 20], [1.0, 8.0], 40), 64.0)
    assert_allclose(scale.foreseen([10, 20], [1.0, 1.1], 40), 2.2)  # at least linear
    assert_allclose(scale.foreseen([10], [3.0], 20), 12.0)
    assert scale.foreseen([], [], 20) is None
    assert scale.foreseen([10], [0.0], 20) is None


@pytest.mark.parametrize(
    ("seconds", "memory", "disk", "words"),
    [
        (101.0, 5e9, 0, ""),
        (90.0, 5e9, 0, "about 100 s foreseen, the limit is 90 s"),
        (101.0, 3e9, 0, "about 4.0 GB foreseen, the limit is 3.0 GB"),
        (101.0, None, 0, ""),
        (101.0, None, 2500, "40 GB of disk, the limit is 25 GB"),
    ],
)
def test_a_line_ends_before_it_takes_too_much(seconds, memory, disk, words):
    points = [point(1000, 1.0, 0.04), point(2000, 10.0, 0.4)]
    assert scale.reason_to_stop(points, 4000, scale.Limits(seconds, memory), disk) == words


def test_what_fails_ends_a_line_and_is_written_down(monkeypatch):
    answers = [{"seconds": 1.0, "peak_growth_bytes": 10}, {"crashed": "MemoryError: too large"}]

    class Worker:
        def __init__(self, task, limit):
            assert task["call"] == "many.gram"

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def run(self):
            return answers.pop(0)

    monkeypatch.setattr(scale, "Worker", Worker)
    found = scale.measure_line("gram", scale.Limits(1000.0, None))
    assert [one["graphs"] for one in found["points"]] == [1000]
    assert found["stopped"] == {"graphs": 2000, "because": "crashed: MemoryError: too large"}


def test_reach_is_where_the_first_limit_is_met():
    assert_allclose(scale_advice.reach(GRAM, 120.0, 8e9), 40_000)
    assert_allclose(scale_advice.reach(GRAM, 2.25, 8e9), 15_000)  # between two points
    assert scale_advice.reach(GRAM, 0.5, 8e9) == 0
    assert scale_advice.reach(EXACT, 120.0, 8e9) == math.inf  # never ended
    assert_allclose(scale_advice.reach(EXACT, 120.0, 3e9), 60_000)
    assert scale_advice.reach(line("gram"), 120.0, 8e9) == 0
    # Beyond the size before which it was ended, nothing is claimed.
    assert scale_advice.reach({**GRAM, "stopped": {"graphs": 30_000}}, 120.0, 8e9) == 30_000


def test_advice_follows_from_what_was_measured():
    text = scale_advice.advice(result(GRAM, DISK, EXACT))
    assert "| up to 40,000 | `kernel.fit_transform(graphs)`" in text
    assert "| up to 70,000 | `kernel.gram_to" in text
    assert "| up to 100,000 at least | vectors and a linear machine" in text
    assert text.index("fit_transform") < text.index("gram_to") < text.index("write_parts")
    assert 'method="hashed"' not in text  # exact vectors went all the way
    # A disk that is slower than memory is large gets no line.
    slow = line("disk", point(10_000, 60.0, 0.1), point(20_000, 240.0, 0.1), stopped=50_000)
    assert "gram_to" not in scale_advice.advice(result(GRAM, slow, EXACT))


def test_advice_says_from_where_on_vectors_are_faster():
    machine_line = line("machine", point(10_000, 0.5, 1.0), point(100_000, 50.0, 1.0))
    words = "faster than a Gram matrix and a kernel machine from 100,000 graphs on"
    text = " ".join(scale_advice.advice(result(GRAM, machine_line, EXACT)).split())
    assert words in text
    quick = line("machine", point(10_000, 0.5, 1.0), point(100_000, 5.0, 1.0))
    assert "kernel machine" not in scale_advice.advice(result(GRAM, quick, EXACT))


@pytest.mark.parametrize(
    ("value", "expected"), [(0.5, 0), (7, 7), (39_999, 30_000), (123_456, 100_000)]
)
def test_numbers_of_graphs_are_rounded_down(value, expected):
    assert scale_advice.rounded(value) == expected


def test_every_point_and_every_end_is_written():
    whole = "\n".join(scale_advice.section(result(GRAM, EXACT)))
    assert "| the gram | 1.00 s, 500 MB | 4.00 s, 2000 MB | - |" in whole
    assert "| the exact | 1.00 s, 500 MB | - | 10.0 s, 5000 MB |" in whole
    assert "- the gram: ended before 100,000, too long." in whole
    assert "the exact: ended" not in whole


def test_ways_are_drawn_with_labels_that_do_not_overlap(tmp_path):
    found = result(GRAM, DISK, EXACT, line("empty"))
    path = picture.draw_scale(found, tmp_path / "scale.png")
    with Image.open(path) as image:
        assert image.text["Source"] == picture.source(found)
    wanted = {"a": 0.5, "b": 0.51, "c": 0.1, "d": 0.5}
    places = picture.spread_apart(wanted, 0.05)
    heights = sorted(places.values())
    assert min(y - x for x, y in pairwise(heights)) >= 0.0499
    assert sorted(places, key=places.get) == sorted(wanted, key=wanted.get)
    assert picture.spread_apart({}, 0.05) == {}
