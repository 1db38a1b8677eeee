"""What a report says of accuracies that there are not, and which results it refuses."""

from types import SimpleNamespace

import numpy as np
import pytest

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
