"""Runtimes: what is measured, and what is kept."""

import json

import numpy as np
import pytest

from grafik import datasets
from grafik.reproduction import runtime

SEEN = []


class Counted:
    """A kernel that notes which batches it has seen."""

    def fit_transform(self, graphs):
        SEEN.append(graphs)
        return np.eye(len(graphs))

    def get_params(self, deep=True):
        return {}


def test_the_least_of_some_runs_counts_each_with_a_batch_of_its_own(monkeypatch):
    clock = iter([0.0, 5.0, 10.0, 12.0, 20.0, 24.0])
    monkeypatch.setattr(runtime.time, "perf_counter", lambda: next(clock))
    graphs = datasets.csl(copies=2)[0]
    SEEN.clear()
    assert runtime._seconds(Counted(), graphs) == 2.0
    first, *others = SEEN
    assert len(first) == 10
    assert len(others) == len({id(batch) for batch in others}) == 3
    assert all(batch == graphs and batch is not graphs for batch in others)


def test_tables_of_other_versions_are_refused(tmp_path):
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "runtime.json").write_text(json.dumps({"rows": []}))
    with pytest.raises(ValueError, match="runtime.json has no runtimes of this version of grafik"):
        runtime._read(tmp_path)


def test_without_rows_there_is_no_picture(tmp_path):
    runtime._write(tmp_path, {}, [])
    assert runtime._read(tmp_path) == ({}, [])
    assert not (tmp_path / "runtime" / "runtime.png").exists()
