"""What a report says of accuracies that there are not, and which results it refuses."""

from types import SimpleNamespace

import numpy as np
import pytest

from command_line import grafik
from grafik import Graphs
from grafik.cli import options, report

GRAPHS = Graphs.from_edge_lists([[(0, 1)]] * 40)
CLASSES = np.repeat(["a", "b"], 20)
QUICK = options.ProtocolName.quick


@pytest.mark.parametrize("y", [None, np.arange(40.0), np.zeros((40, 2), int)])
def test_without_classes_there_is_no_accuracy(y):
    found = report._measured(report._KERNELS, GRAPHS, y, QUICK, None, 0)
    assert found == (None, "It was not measured: there are no classes to predict.")


def test_what_was_asked_for_must_be_measured_and_the_default_need_not(monkeypatch, capsys):
    def evaluate(*arguments, **options):
        raise ValueError("these graphs are odd")

    monkeypatch.setattr("grafik.evaluation.evaluate", evaluate)
    found = report._measured(report._KERNELS, GRAPHS, CLASSES, QUICK, None, 0)
    assert found == (None, "It could not be measured: these graphs are odd.")
    assert "accuracy is left out: these graphs are odd" in capsys.readouterr().err
    for kernels, folds in (("wl", None), (report._KERNELS, 5)):
        with pytest.raises(ValueError, match="these graphs are odd"):
            report._measured(kernels, GRAPHS, CLASSES, QUICK, folds, 0)


def results(name, digest):
    data = SimpleNamespace(name=name, sha256=digest)
    return SimpleNamespace(header=SimpleNamespace(data=data))


def test_results_name_their_data_and_are_of_no_other():
    assert report._name(results("MUTAG", ""), "here") == "MUTAG"
    with pytest.raises(ValueError, match="here does not say what its data is called; add --data"):
        report._name(results(None, ""), "here")
    for y in (None, CLASSES):
        with pytest.raises(ValueError, match="here has results of other data than MUTAG: the SHA"):
            report._check_same(results("MUTAG", "of others"), GRAPHS, y, "here", "MUTAG")


def test_options_of_kernels_are_not_for_results(monkeypatch, tmp_path):
    monkeypatch.setattr(report, "_results_at", lambda source: results("GONE", ""))
    for option in (("-k", "sp"), ("--no-accuracy",), ("--folds", 3)):
        run = grafik("report", "here", *option, "--out", tmp_path / "x.html")
        assert run.returncode == 2
        assert "but here has results; leave them out" in run.stderr


def test_data_of_results_that_are_elsewhere_must_be_named(monkeypatch, tmp_path):
    out = ("--out", tmp_path / "x.html")
    assert "say where it is" not in grafik("report", "GONE", *out).stderr
    monkeypatch.setattr(report, "_results_at", lambda source: results("GONE", ""))
    assert "say where it is: --data DATA" in grafik("report", "here", *out).stderr
    assert "say where it is" not in grafik("report", "here", "--data", "GONE", *out).stderr


def test_it_is_told_where_a_page_is_unless_it_shall_be_quiet(monkeypatch, tmp_path):
    def written(out, *data, **options):
        out.write_bytes(bytes(300_000))

    monkeypatch.setattr("grafik.report.write_report", written)
    GRAPHS.to_parquet(tmp_path / "some.parquet")
    command = ("report", tmp_path / "some.parquet", "--no-accuracy", "--out", tmp_path / "x.html")
    assert grafik(*command).stdout == f"the report is in {tmp_path / 'x.html'} (0.3 MB)\n"
    assert grafik(*command, "--quiet").stdout == ""
