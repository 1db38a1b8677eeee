"""What `grafik train` trains: classifiers and regressors, with one of several weights."""

import json

import numpy as np
import pytest

from command_line import grafik
from grafik import FiltrationClassifier, GaussianKernel, Graphs, MeanKernel, datasets, load
from grafik.cli.model_options import Task
from grafik.cli.train import decided


@pytest.mark.parametrize(
    ("y", "regression", "why"),
    [
        (["a", "b"], False, "classification, as the target is not a number"),
        ([0, 1] * 6, False, "classification, as the target has 2 different whole numbers; for num"),
        ([0.0, 1.0] * 6, False, "classification, as the target has 2 different whole numbers"),
        ([0.5, 1.0], True, "regression, as the target has numbers that are not whole; for classe"),
        (["0.5", "1"], True, "regression, as the target has numbers that are not whole"),
        (["0", "1"] * 6, False, "classification, as the target has 2 different whole numbers"),
        (list(range(11)), True, "regression, as the target has 11 different numbers for 11 graphs"),
        (list(range(11)) * 5, False, "classification, as the target has 11 different whole"),
        (list(range(10)) * 2, False, "classification, as the target has 10 different whole"),
        (list(range(7)), True, "regression, as the target has 7 different numbers for 7 graphs"),
        ([True, False], False, "classification, as the target is not a number"),
        (["nan", "1"], False, "classification, as the target is not a number"),
    ],
)
def test_the_target_decides_and_it_is_said(y, regression, why):
    found, target, said = decided(Task.auto, np.array(y))
    assert found is regression
    assert said.startswith(why)
    assert target.tolist() == ([float(one) for one in y] if regression else y)


def test_the_task_can_be_asked_for():
    assert decided(Task.classify, np.arange(11))[0] is False
    assert decided(Task.classify, np.array(["0.5", "1.5"]))[1].tolist() == ["0.5", "1.5"]
    with pytest.raises(ValueError, match="needs classes, but the target has numbers such as 0.5"):
        decided(Task.classify, np.array([1.0, 0.5]))
    found, target, said = decided(Task.regress, np.array(["3", "4"]))
    assert (found, target.tolist(), said) == (True, [3.0, 4.0], "regression")
    with pytest.raises(ValueError, match="needs a number for each graph, but graph 1 has 'two'"):
        decided(Task.regress, np.array(["1", "two"]))
    with pytest.raises(ValueError, match="2 targets for each graph, but a model predicts one"):
        decided(Task.auto, np.zeros((3, 2)))


def test_a_file_of_numbers_makes_a_regressor(tmp_path):
    graphs, _ = datasets.random_graphs(30, n_nodes=10, density=(0.1, 0.4))
    graphs.to_parquet(tmp_path / "g.parquet")
    (tmp_path / "y.txt").write_text("".join(f"{n / 2}\n" for n in graphs.n_edges))
    data = tmp_path / "g.parquet", "--labels", tmp_path / "y.txt"
    run = grafik("train", *data, "--out", tmp_path / "g.model", "--json")
    told = json.loads(run.stdout)
    assert told["task"] == "regress"
    assert told["r2"] == load(tmp_path / "g.model").best_score_ > 0.5
    found = grafik("predict", tmp_path / "g.model", tmp_path / "g.parquet").stdout.split()
    assert np.corrcoef(np.array(found, float), graphs.n_edges)[0, 1] > 0.9


def test_of_several_weights_the_best_is_chosen(tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=8)
    datasets.write_tu(tmp_path / "TWO", graphs, y)
    model = tmp_path / "m.model"
    run = grafik("train", tmp_path / "TWO", "--weight", "degree, triangles", "--out", model)
    assert run.returncode == 0, run.stderr
    assert "weight triangles" in run.stdout
    assert load(model).weight == ["degree", "triangles"]
    assert load(model).best_params_["weight"] == "triangles"
    for weight, message in (
        ("degree,", "--weight must be names separated by commas, got 'degree,'"),
        ("degree,dance", "dance"),
    ):
        run = grafik("train", tmp_path / "TWO", "--weight", weight, "--out", model)
        assert run.returncode == 2
        assert message in run.stderr


def test_it_is_said_what_the_filtration_gained_and_whether_edge_labels_count(tmp_path):
    degrees = "--weight", "degree"  # all of them are 4
    run = grafik("train", "csl", *degrees, "--out", tmp_path / "csl.model")
    assert "so there is no filtration: this is plain Weisfeiler-Lehman." in run.stdout
    assert "\nEdge labels were not used.\nsaved to " in run.stdout
    graphs, _ = datasets.wl_hard("decalin")
    labels = [[kind] * 11 for kind in "ab" * 6]
    edges = [graphs[i % 2].edges for i in range(12)]
    batch = Graphs.from_edge_lists(edges, edge_labels=labels)
    batch.to_parquet(tmp_path / "g.parquet")
    (tmp_path / "y.txt").write_text("left\nright\n" * 6)
    data = tmp_path / "g.parquet", "--labels", tmp_path / "y.txt"
    run = grafik("train", *data, "--out", tmp_path / "g.model")
    assert "The filtration did not help: one level won" in run.stdout
    assert "\nEdge labels were used.\n" in run.stdout
    told = json.loads(grafik("train", *data, "--out", tmp_path / "g.model", "--json").stdout)
    assert told["verdict"].startswith("The filtration did not help: one level won")


def test_models_of_several_filtrations_are_trained_and_applied(tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=8)
    datasets.write_tu(tmp_path / "TWO", graphs, y)
    model = tmp_path / "m.model"
    options = "--weight", "core + triangles", "--effort", "quick", "--out", model
    run = grafik("train", tmp_path / "TWO", *options)
    assert run.returncode == 0, run.stderr
    assert "\nchosen: weight core+triangles, " in run.stdout
    assert "None" not in run.stdout
    assert isinstance(load(model).kernel_, MeanKernel)
    run = grafik("predict", model, tmp_path / "TWO")
    assert run.stdout.split() == [str(one) for one in y]
    tried = {"levels": [2], "depths": [1], "gammas": [1.0], "Cs": [1.0], "sigmas": [4.0]}
    fitted = FiltrationClassifier(weight="core+triangles", **tried).fit(graphs, y)
    assert isinstance(fitted.kernel_, GaussianKernel)
    fitted.save(model)
    told = json.loads(grafik("predict", model, tmp_path / "TWO", "--proba", "--json").stdout)
    assert told["predictions"] == y.tolist()
    assert told["probabilities"] == fitted.predict_proba(graphs).tolist()


def test_molecules_are_read_as_a_model_of_several_filtrations_knows_them(tmp_path):
    smiles = ["CCO", "c1ccccc1", "CCCO", "C1CCCC1", "CO", "Cc1ccccc1"]
    table, model = tmp_path / "m.csv", tmp_path / "m.model"
    table.write_text("\n".join(["smiles", *smiles]))
    tried = {"levels": [2], "depths": [1], "gammas": [1.0], "Cs": [1.0], "sigmas": [None, 4.0]}
    graphs = Graphs.from_smiles(smiles, atoms="typed")
    fitted = FiltrationClassifier(weight="degree+core", **tried).fit(graphs, [0, 1] * 3)
    assert isinstance(fitted.kernel_, (GaussianKernel, MeanKernel))
    fitted.save(model)
    run = grafik("predict", model, table)
    assert (run.returncode, len(run.stdout.split())) == (0, 6), run.stderr
    run = grafik("predict", model, table, "--hydrogens")
    assert run.returncode == 2
    assert "hydrogens" in run.stderr


@pytest.mark.filterwarnings("default:the search for the best kernel:UserWarning")
def test_no_filtration_is_said_in_words(tmp_path):
    graphs, _ = datasets.random_graphs(24, n_nodes=(4, 8), density=0.4, n_labels=2)
    graphs.to_parquet(tmp_path / "g.parquet")
    (tmp_path / "y.txt").write_text("yes\nno\n" * 12)
    data = tmp_path / "g.parquet", "--labels", tmp_path / "y.txt"
    run = grafik("train", *data, "--out", tmp_path / "g.model", "--max-seconds", 0)
    assert run.returncode == 0, run.stderr
    assert "\nchosen: no filtration, depth " in run.stdout
    assert "\nThe search ended before a filtration was tried, so this is plain" in run.stdout
    assert "None" not in run.stdout
    assert "max_seconds=0 was over" in run.stderr
