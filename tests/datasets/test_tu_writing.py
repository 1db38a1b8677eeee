"""Writing data sets in TU format: whole folders, or nothing."""

import os
from pathlib import Path

import pytest

from grafik import Graphs, datasets
from grafik.datasets import tu, write_tu


@pytest.fixture
def mask():
    """A function that sets the permissions that new files and folders do not get."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("without", [0o022, 0o002, 0o077])
def test_a_new_folder_has_the_permissions_of_an_ordinary_one(tmp_path, mask, without):
    mask(without)
    parent = tmp_path / "shared"
    for bits in (0o755, 0o2755):  # of the second, what is made in it has the group
        (tmp_path / "shared").mkdir(exist_ok=True)
        parent.chmod(bits)
        write_tu(parent / f"NEW{bits}", Graphs([0, 1], [0, 0], []))
        ordinary = parent / f"ORDINARY{bits}"
        ordinary.mkdir()
        assert (parent / f"NEW{bits}").stat().st_mode == ordinary.stat().st_mode
        (ordinary / "file").touch()
        written = parent / f"NEW{bits}" / f"NEW{bits}_A.txt"
        assert written.stat().st_mode == (ordinary / "file").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("bits", [0o2700, 0o700, 0o777, 0o1770])
def test_an_empty_folder_keeps_its_permissions(tmp_path, mask, bits):
    mask(0o077)
    (tmp_path / "EMPTY").mkdir()
    (tmp_path / "EMPTY").chmod(bits)
    write_tu(tmp_path / "EMPTY", Graphs([0, 1], [0, 0], []))
    assert (tmp_path / "EMPTY").stat().st_mode & 0o7777 == bits


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
