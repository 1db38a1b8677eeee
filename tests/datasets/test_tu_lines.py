"""Lines of TU files that are bad, too long or too many; and the bounds of what is written."""

import numpy as np
import pytest

from grafik import Graphs, datasets
from tu_files import SMALL, changed, write


def test_a_bad_line_behind_many_good_ones_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("grafik.datasets.tu_files._PIECE", 50)
    for end in ("\n", "\r\n", "\r"):
        for n_good in (0, 1, 9, 10, 11, 57):
            lines = ["1, 2"] * n_good + ["x, 1", "also, bad"]
            files = {"A": end.join(lines), "graph_indicator": "1\n1\n"}
            with pytest.raises(ValueError, match=f"_A.txt, line {n_good + 1}: expected an integer"):
                datasets.read_tu(write(tmp_path / "SMALL", files))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"A": "1, 2" + "\n" * 3_000_000 + "2, 1"}, "_A.txt, line 2: the line is empty"),
        (
            {"A": "1," * 200_000 + "1"},
            "_A.txt, line 1: expected 2 numbers .* got '1,1,1.*\\.\\.\\.'",
        ),
        ({"A": "1, " + "1" * 300_000}, "_A.txt, line 1: 1+ is too large an integer"),
        (
            {"node_attributes": "1," * 200_000 + "1"},
            "_node_attributes.txt, line 1: 200001 numbers, more than 100000",
        ),
    ],
)
def test_lines_that_are_far_too_long_or_many_are_named(tmp_path, files, message):
    folder = write(tmp_path / "SMALL", {**changed(), **files})
    with pytest.raises(ValueError, match=message) as caught:
        datasets.read_tu(folder)
    assert len(str(caught.value)) < 300


def test_files_that_do_not_fit_in_memory_are_refused(tmp_path, monkeypatch):
    folder = write(tmp_path / "SMALL", SMALL)
    monkeypatch.setattr("grafik.system.memory._SURELY_FREE", 0)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 10.0)
    with pytest.raises(MemoryError, match=r"reading SMALL_graph_indicator.txt of .* takes 0.0 kB"):
        datasets.read_tu(folder)


def test_labels_of_64_bits_are_written_and_no_others(tmp_path):
    bounds = [-(2**63), 2**63 - 1]
    graphs = Graphs([0, 2], [0, 1], [[0, 1]], node_labels=bounds, edge_labels=bounds[1:])
    datasets.write_tu(tmp_path / "X", graphs, [0])
    found, _ = datasets.read_tu(tmp_path / "X")
    assert list(found.node_labels) == bounds
    assert list(found.edge_labels) == bounds[1:]
    for label in (-(2**63) - 1, 2**63):
        beyond = Graphs([0, 2], [0, 0], [], node_labels=[0, label])
        with pytest.raises(ValueError, match=f"node_labels holds {label}: .* only integers"):
            datasets.write_tu(tmp_path / "Y", beyond, [0])
    assert np.array_equal([path.name for path in tmp_path.iterdir()], ["X"])


def test_folders_on_the_way_are_made_and_may_be_there(tmp_path):
    graphs = Graphs([0, 2], [0, 1], [[0, 1]])
    for name in ("X", "Y"):
        datasets.write_tu(tmp_path / "a" / "b" / name, graphs, [0])
        assert datasets.read_tu(tmp_path / "a" / "b" / name)[0] == graphs
