"""What is said where there is no file to read."""

import os
import re

import pytest

import grafik
from grafik import FiltrationKernel, Graphs, datasets
from grafik.evaluation import read_results
from grafik.system.files import check_source


@pytest.mark.parametrize("read", [grafik.load, Graphs.from_parquet, check_source])
def test_what_is_no_file_is_named(tmp_path, read):
    (tmp_path / "broken").symlink_to(tmp_path / "gone")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    (tmp_path / "file").touch()
    for name, kind, said in (
        ("", IsADirectoryError, f"{tmp_path} is a folder; name a file in it"),
        ("gone", FileNotFoundError, f"there is no file {tmp_path / 'gone'}"),
        ("broken", FileNotFoundError, f"broken: it is a link to {tmp_path / 'gone'}"),
        ("round", FileExistsError, "round is a link that leads to itself; remove it, or"),
        ("file/in", FileNotFoundError, f"there is no file {tmp_path / 'file' / 'in'}"),
        ("a" * 300, FileNotFoundError, f"{'a' * 300}: File name too long"),
        ("a\0b", FileNotFoundError, r"a\x00b': embedded null byte"),
    ):
        with pytest.raises(kind, match=f"{re.escape(said)}"):
            read(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("read", [grafik.load, Graphs.from_parquet])
def test_pipes_and_devices_are_not_opened(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", os.devnull):
        with pytest.raises(FileExistsError, match=f"{path} is a device or a pipe, not a file; na"):
            read(path)


def test_a_tilde_is_the_home_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    kernel = FiltrationKernel(depth=1).fit(graphs)
    kernel.save("~/kernel.grafik")
    assert (grafik.load("~/kernel.grafik").transform(graphs) == kernel.transform(graphs)).all()
    graphs.to_parquet("~/graphs.parquet")
    assert Graphs.from_parquet("~/graphs.parquet") == graphs
    two = grafik.evaluation.PROTOCOLS["quick"].with_values(n_splits=2)
    found = grafik.evaluation.evaluate("wl", graphs, y, protocol=two, out="~/results")
    assert read_results("~/results").units == found.units
    assert sorted(os.listdir(tmp_path)) == ["graphs.parquet", "kernel.grafik", "results"]


def test_names_may_begin_with_a_tilde(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graphs = datasets.csl(copies=1)[0]
    FiltrationKernel(depth=1).fit(graphs).save("~no-such-user")
    grafik.load("~no-such-user")
    graphs.to_parquet("~nobody-here")
    assert Graphs.from_parquet("~nobody-here") == graphs
    assert sorted(os.listdir(tmp_path)) == ["~no-such-user", "~nobody-here"]
