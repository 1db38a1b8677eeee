"""Writing data sets in TU format: whole folders, or nothing."""

import os
from pathlib import Path

import pytest

from grafik import Graphs, datasets
from grafik.datasets import tu, write_tu


def test_written_folders_can_be_read_by_others(tmp_path):
    write_tu(tmp_path / "NEW", Graphs([0, 1], [0, 0], []))
    assert (tmp_path / "NEW").stat().st_mode & 0o777 == 0o755


def test_any_kind_of_graphs_can_be_written(tmp_path):
    write_tu(tmp_path / "NEW", [[(0, 1), (1, 2)]], [5])
    assert datasets.read_tu(tmp_path / "NEW")[0][0].edges.tolist() == [[0, 1], [1, 2]]


def test_folders_that_hold_something_are_never_touched(tmp_path):
    folder = tmp_path / "FULL"
    folder.mkdir()
    (folder / "mine.txt").write_text("precious")
    with pytest.raises(FileExistsError, match="FULL already exists"):
        write_tu(folder, Graphs([0, 1], [0, 0], []))
    assert os.listdir(folder) == ["mine.txt"]
    (tmp_path / "EMPTY").mkdir()
    write_tu(tmp_path / "EMPTY", Graphs([0, 1], [0, 0], []))
    assert "EMPTY_A.txt" in os.listdir(tmp_path / "EMPTY")


@pytest.mark.parametrize("where", ["nowhere", "link", "empty"])
def test_links_are_never_replaced(tmp_path, where):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(where)
    with pytest.raises(FileExistsError, match=r"link already exists; choose another folder"):
        write_tu(tmp_path / "link", Graphs([0, 1], [0, 0], []))
    assert sorted(os.listdir(tmp_path)) == ["empty", "link"]


def test_long_tables_are_written_in_pieces(tmp_path, monkeypatch):
    graphs, y = datasets.csl(copies=1)
    write_tu(tmp_path / "whole" / "CSL", graphs, y)
    monkeypatch.setattr(tu, "_ROWS", 7)
    write_tu(tmp_path / "pieces" / "CSL", graphs, y)
    for file in (tmp_path / "whole" / "CSL").iterdir():
        assert (tmp_path / "pieces" / "CSL" / file.name).read_text() == file.read_text()
    assert len((tmp_path / "pieces" / "CSL" / "CSL_A.txt").read_text().splitlines()) == 1640


def test_writing_says_what_took_too_much_memory(tmp_path, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(tu, "_files", fail)
    message = r"writing .*NEW takes more memory than is free; write fewer graphs to a folder"
    with pytest.raises(MemoryError, match=f"^{message}$"):
        write_tu(tmp_path / "NEW", Graphs([0, 1], [0, 0], []))


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(OSError, match="no space left"):
        write_tu(tmp_path / "NEW", Graphs([0, 1], [0, 0], []))
    assert os.listdir(tmp_path) == []
