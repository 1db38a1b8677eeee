"""Parameters of the baselines: which are refused, and which matter after fit."""

import sys

import numpy as np
import pytest
from sklearn.base import clone

from grafik import datasets
from grafik.baselines import (
    WL,
    CoreWL,
    CyclicPattern,
    GraphletSampling,
    PersistentWL,
    WassersteinWL,
    WLOptimalAssignment,
)


@pytest.fixture(scope="module")
def graphs():
    return datasets.random_graphs(40, n_nodes=(4, 12), density=(0.2, 0.5), n_labels=2)[0]


@pytest.mark.parametrize(
    ("kernel", "changed"),
    [
        (WL(1), {"depth": 3}),
        (CoreWL(1), {"depth": 3, "edge_labels": True}),
        (WLOptimalAssignment(1), {"depth": 3}),
        (WassersteinWL(1), {"depth": 3, "solver": "emd", "embedding": "continuous"}),
        (PersistentWL(1), {"depth": 3, "p": 2, "cycles": True}),
        (GraphletSampling(3), {"size": 4, "random_state": 7}),
    ],
)
def test_options_of_descriptions_changed_after_fit_do_not_matter(kernel, changed, graphs):
    matrix = kernel.fit_transform(graphs)
    assert np.array_equal(clone(kernel).fit(graphs).set_params(**changed).transform(graphs), matrix)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (WL(-1), "depth must be an integer of at least 0, got -1"),
        (WL(edge_labels=1), "edge_labels must be 'auto', True or False, got 1"),
        (CoreWL(2.0), "depth must be an integer of at least 0, got 2.0"),
        (CoreWL(edge_labels=None), "edge_labels must be 'auto', True or False, got None"),
        (WLOptimalAssignment("5"), "depth must be an integer of at least 0, got '5'"),
        (WLOptimalAssignment(10**6), "depth must be at most 10000, got 1000000"),
        (GraphletSampling(6), "size must be one of 3, 4, 5, got 6"),
        (GraphletSampling(sampling=None), "sampling must be True or False, got None"),
        (GraphletSampling(epsilon=0), "epsilon must be a number between 0 and 1, got 0"),
        (GraphletSampling(random_state=None), "random_state must be an integer, got None"),
        (CyclicPattern(2), "max_length must be an integer of at least 3, got 2"),
        (PersistentWL(p=3), "p must be at most 2, got 3"),
        (PersistentWL(tau=-1), "tau must be a finite number of at least 0, got -1"),
        (PersistentWL(tau=1e31), "tau must be at most 1e\\+30, got 1e\\+31"),
        (PersistentWL(metric="jaccard"), "metric must be one of 'minkowski', 'uniform', got"),
        (PersistentWL(cycles=2), "cycles must be True or False, got 2"),
        (WassersteinWL(gamma=-1), "gamma must be a finite number of at least 0, got -1"),
        (WassersteinWL(gamma=np.inf), "gamma must be a finite number of at least 0, got inf"),
        (WassersteinWL(embedding="labels"), "embedding must be one of 'categorical', 'contin"),
        (WassersteinWL(solver="sinkhorn"), "solver must be one of 'auto', 'emd', got 'sink"),
        (WassersteinWL(progress="yes"), "progress must be True or False, got 'yes'"),
        (WassersteinWL(edge_weight="degree"), "edge_weight is for embedding='continuous'"),
        (WassersteinWL(embedding="continuous", edge_weight="x"), "edge_weight must be one of"),
        (WassersteinWL(embedding="continuous"), "needs node attributes, got graphs without any"),
    ],
)
def test_wrong_parameters_are_refused_in_fit(kernel, message):
    with pytest.raises(ValueError, match=message):
        kernel.fit(datasets.csl(copies=1)[0])


def test_without_pot_labels_still_work(graphs, monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    assert WassersteinWL(1).fit_transform(graphs).shape == (40, 40)
    with pytest.raises(ImportError, match=r"needs ot, .* pip install 'grafik\[transport\]'"):
        WassersteinWL(1, solver="emd").fit_transform(graphs)
