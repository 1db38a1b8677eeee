"""What commands print, and what they do not where they shall be quiet."""

import re

import numpy as np
import pytest

from command_line import grafik
from grafik import FiltrationClassifier, Graphs, datasets
from grafik.cli import demo
from grafik.cli.options import Experiment
from grafik.cli.reproduce import reproduce
from grafik.reproduction import csl


@pytest.fixture(scope="module")
def little(tmp_path_factory):
    """Stars and paths with classes, and a model that tells them apart."""
    folder = tmp_path_factory.mktemp("little")
    stars = [[(0, leaf) for leaf in range(1, n)] for n in range(4, 10)]
    paths = [[(v - 1, v) for v in range(1, n)] for n in range(4, 10)]
    graphs, y = Graphs.from_edge_lists(stars + paths), np.repeat([1, 2], 6)
    datasets.write_tu(folder / "LITTLE", graphs, y)
    tried = {"levels": [1], "depths": [1], "gammas": [1.0], "Cs": [1.0]}
    FiltrationClassifier(**tried).fit(graphs, y).save(folder / "little.model")
    return folder


def test_probabilities_are_printed_in_four_digits_and_written_in_all(little, tmp_path):
    command = ("predict", little / "little.model", little / "LITTLE", "--proba")
    header, *lines = grafik(*command).stdout.splitlines()
    assert header.split("\t") == ["prediction", "probability of 1", "probability of 2"]
    shown = np.array([line.split("\t") for line in lines], float)
    assert shown[:, 0].tolist() == [1] * 6 + [2] * 6
    run = grafik(*command, "--out", tmp_path / "found.csv", "--quiet")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    written = np.loadtxt(tmp_path / "found.csv", delimiter=",", skiprows=1)
    assert np.array_equal(written.round(4), shown)
    assert not np.array_equal(written, shown)
    run = grafik(*command, "--out", tmp_path / "found.csv")
    assert run.stdout == f"12 predictions are in {tmp_path / 'found.csv'}\n"


def test_results_of_one_method_are_a_table_and_nothing_else_unless_they_are_kept(little, tmp_path):
    command = ("evaluate", little / "LITTLE", "--methods", "ve-hist", "--folds", 2, "--Cs", 1)
    run = grafik(*command)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("accuracy, %") == 1
    assert "difference" not in run.stdout
    assert "results and tables are in" not in run.stderr
    run = grafik(*command[:3], "ve-hist,sp", *command[4:], "--out", tmp_path / "kept")
    assert f"results and tables are in {tmp_path / 'kept'}" in run.stderr


def test_reproduce_prints_tables_only_where_it_shall_be_quiet(tmp_path, monkeypatch, capsys):
    (tmp_path / "csl").mkdir()
    (tmp_path / "csl" / "csl.md").write_text("a table")
    monkeypatch.setattr("grafik.reproduction.reproduce", lambda *_, **given: tmp_path / "page")
    reproduce(Experiment.csl, out=tmp_path)
    assert capsys.readouterr().out == f"a table\nall results are on {tmp_path / 'page'}\n"
    reproduce(Experiment.csl, out=tmp_path, quiet=True)
    assert capsys.readouterr().out == "a table\n"


def test_the_demo_shows_a_row_for_each_length_of_walks(monkeypatch, capsys):
    rows = [csl.Row(length, 10 + length, 20.0 + length, 90) for length in range(1, 9)]
    monkeypatch.setattr(csl, "csl_row", lambda length: rows[length - 1])
    trained = demo.Trained(70, 30, "weight walks", 12_000, 99.0)
    monkeypatch.setattr(demo, "train_save_load_apply", lambda: trained)
    demo.demo()
    told = capsys.readouterr().out
    found = re.findall(r"│ +(\d+) +│ +(\d+) +│ +(\d+) % +│ +(\d+) % +│", told)
    assert [tuple(map(int, row)) for row in found] == rows
    assert "a file of 12 kB and loaded again, it classified 99 % of the other 30" in told
