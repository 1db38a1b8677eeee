"""Matrices that are the same for all folds are computed once, and change no result."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from grafik import datasets
from grafik.evaluation import METHODS, PROTOCOLS, kept_grams
from grafik.evaluation.kept_grams import KeptGrams
from grafik.evaluation.methods import READINGS, gaussian
from grafik.evaluation.unit import Work

TRIED = PROTOCOLS["quick"].with_values(
    n_splits=3, levels=[1, 2], depths=[1, 2], gammas=[0.5, 8.0], sizes=[3], Cs=[1.0, 100.0]
)
GRAPHS, Y = datasets.random_graphs(36, (4, 9), 0.4, n_labels=2, random_state=3)


def counted(method, calls):
    """A method that writes down each time when its matrices are computed."""

    def sweep(*given):
        for found in method.sweep(*given):
            calls.append(found[0])
            yield found

    return replace(method, sweep=sweep)


def results(method, keep=True, monkeypatch=None):
    if not keep:
        monkeypatch.setattr(kept_grams, "available", lambda: 1.0)
    work = Work(GRAPHS, np.arange(len(GRAPHS)) % 2, {method.name: method}, TRIED)
    return [work(unit)[0] for unit in work.units()]


@pytest.mark.parametrize(
    "name", ["ve-hist", "gs", "sp", "wl-oa", "w-wl", "p-wl", "ve-hist-gaussian"]
)
def test_matrices_are_computed_once_for_all_folds(name, monkeypatch):
    kept, anew = [], []
    method = {**METHODS, **READINGS}[name]
    found = results(counted(method, kept))
    assert found == results(counted(method, anew), False, monkeypatch)
    assert len(kept) == method.n_grams(TRIED)
    assert len(anew) == 3 * len(kept)


@pytest.mark.parametrize("name", ["fwl-d", "fwl-rw"])
def test_what_is_learned_from_a_training_part_is_computed_for_each(name):
    calls = []
    method = METHODS[name]
    results(counted(method, calls))
    assert len(calls) > method.n_grams(TRIED)


def test_no_named_method_that_learns_is_kept():
    learned = {name for name, method in {**METHODS, **READINGS}.items() if method.learns}
    assert learned == {"fwl-d", "fwl-rw", "fwl-d-distinct"}
    assert not gaussian(METHODS["wl"]).learns
    assert gaussian(METHODS["fwl-d"]).learns


def test_matrices_do_not_travel_to_other_processes():
    kept = KeptGrams()
    assert list(kept.of(METHODS["wl"], GRAPHS, None, TRIED))
    assert pickle.loads(pickle.dumps(kept))._known == {}
    assert set(kept._known) == {"wl"}
