"""The table of docs/attributes.md is made from the committed results, and these from data."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

from grafik import datasets
from grafik.evaluation import read_results
from grafik.weights import NodeDistance

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "attributes"


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(FOLDER / "measure.py"))


@pytest.fixture(scope="module")
def result():
    return json.loads((FOLDER / "attributes.json").read_text())


def test_the_page_shows_the_results(script, result):
    assert script["block"](result) in (ROOT / "docs" / "attributes.md").read_text()


def test_the_results_are_those_of_all_folds(script, result):
    for name, found in result["sets"].items():
        summary = read_results(FOLDER / name).summary()
        assert summary.n_missing == 0
        assert json.loads(summary.to_json()) == found
        assert [score.method for score in summary.scores] == [m.name for m in script["methods"]()]


def accuracies(result, name):
    return {one["method"]: one["accuracy"] for one in result["sets"][name]["scores"]}


def test_what_the_page_says_of_the_sets_that_are_made(result):
    for name, seeing in (
        ("charges", ("bins", "both", "w-wl-attributes")),
        ("positions", ("distance", "both")),
    ):
        score = accuracies(result, name)
        for method, accuracy in score.items():
            assert accuracy > 90 if method in seeing else accuracy < 60


def test_what_the_page_says_of_molecules(script, result):
    score = accuracies(result, "DHFR")
    assert max(score, key=score.get) == "w-wl"
    assert score["bins"] < score["wl"] < score["distance"] < score["wl"] + 2
    assert script["_against_first"](result["sets"]["DHFR"], list(score).index("distance")) > 0.05


def test_labels_of_bonded_atoms_tell_their_distance(data):
    graphs, _ = datasets.read_tu(data / "DHFR")
    lengths = NodeDistance(first="large")(graphs)
    kinds = [
        tuple(sorted((graph.node_labels[u], graph.node_labels[v])))
        for graph in graphs
        for u, v in graph.edges.tolist()
    ]
    _, kind = np.unique(np.array(kinds), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    means = np.bincount(kind, lengths) / np.bincount(kind)
    assert np.var(lengths - means[kind]) < 0.1 * np.var(lengths)


@pytest.mark.parametrize("name", ["charges", "positions"])
def test_the_sets_that_are_made_are_the_same_each_time(script, name):
    (graphs, y), (again, also) = script[name](), script[name]()
    assert graphs == again
    assert np.array_equal(y, also)
    sizes = [graphs.n_edges[y == c].mean() for c in (0, 1)]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.1)
