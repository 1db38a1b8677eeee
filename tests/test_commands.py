"""The commands that make matrices, models and results."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from grafik import FiltrationKernel, datasets, explain_pair
from grafik.features import WeisfeilerLehman


def grafik(*arguments, **options):
    env = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1", **options}
    command = [sys.executable, "-m", "grafik", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same graphs as a TU folder, and as a Parquet file with classes beside it."""
    folder = tmp_path_factory.mktemp("data")
    graphs, y = datasets.csl(skips=(2, 3), copies=8)
    datasets.write_tu(folder / "TWO", graphs, y)
    graphs.to_parquet(folder / "two.parquet")
    (folder / "classes.txt").write_text("".join(f"skip {s}\n" for s in y))
    return folder


def test_gram_writes_matrix_classes_and_parameters(folder, tmp_path):
    run = grafik(
        *("gram", "TWO", "--out", tmp_path / "K.npz", "--weight", "triangles", "--json"),
        *("--levels", 2, "--depth", 2, "--gamma", 0.5, "--no-normalize"),
        GRAFIK_DATA=str(folder),
    )
    assert run.returncode == 0, run.stderr
    graphs, y = datasets.read_tu(folder / "TWO")
    kernel = FiltrationKernel(WeisfeilerLehman(2), weight="triangles", n_levels=2, gamma=0.5)
    with np.load(tmp_path / "K.npz", allow_pickle=False) as file:
        np.testing.assert_array_equal(file["K"], kernel.fit_transform(graphs))
        np.testing.assert_array_equal(file["y"], y)
        np.testing.assert_array_equal(file["alphas"], kernel.alphas_)
        told = json.loads(str(file["parameters"]))
    assert told == json.loads(run.stdout)["parameters"]
    assert (told["depth"], told["gamma"], told["weight"]) == (2, 0.5, "triangles")
    assert [path.name for path in tmp_path.iterdir()] == ["K.npz"]


def test_a_model_is_trained_saved_and_applied(folder, tmp_path):
    model = tmp_path / "two.model"
    data = folder / "two.parquet", "--labels", folder / "classes.txt"
    run = grafik("train", *data, "--out", model, "--weight", "triangles", "--json")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert told["accuracy"] == 1.0
    assert set(told["params"]) == {"n_levels", "depth", "gamma", "C"}
    plain = grafik("predict", model, folder / "TWO")
    assert plain.stdout == (folder / "classes.txt").read_text()
    told = json.loads(grafik("predict", model, folder / "TWO", "--proba", "--json").stdout)
    assert told["predictions"] == plain.stdout.splitlines()
    assert told["classes"] == ["skip 2", "skip 3"]
    assert np.argmax(told["probabilities"], axis=1).tolist() == [0] * 8 + [1] * 8
    model.write_bytes(model.read_bytes()[:-200])
    damaged = grafik("predict", model, folder / "TWO")
    assert damaged.returncode == 2
    assert "Traceback" not in damaged.stderr


def test_evaluate_takes_a_parquet_file_with_classes_beside_it(folder):
    data = folder / "two.parquet"
    options = ("-k", "wl,fwl-triangles", "--folds", 2, "--depths", 1, "--json")
    run = grafik("evaluate", data, "--labels", folder / "classes.txt", *options)
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert [score["accuracy"] for score in told["scores"]] == [50.0, 100.0]
    assert told["setting"]["data"] == "two"
    assert told["setting"]["thresholds_from"] == "train"


def test_explain_says_what_the_library_says(folder):
    options = ("--weight", "triangles", "--levels", 2, "--depth", 2, "--gamma", 0.5)
    run = grafik("explain", "TWO", 1, 9, *options, "--json", GRAFIK_DATA=str(folder))
    assert run.returncode == 0, run.stderr
    graphs, _ = datasets.read_tu(folder / "TWO")
    kernel = FiltrationKernel(
        WeisfeilerLehman(2), weight="triangles", n_levels=2, gamma=0.5, normalize=True
    )
    found = explain_pair(kernel.fit(graphs), graphs[1], graphs[9])
    told = json.loads(run.stdout)
    assert (told["graphs"], told["classes"], told["data"]) == ([1, 9], [2, 3], "TWO")
    assert told["features"] == json.loads(json.dumps(found.to_dict(10)["features"]))
    assert told["value"] == kernel.transform(graphs[[1]])[0, 9]
    plain = grafik("explain", folder / "TWO", 1, 9, *options, "--top", 2)
    assert (
        plain.stdout == f"g is graph 1 (class 2), h is graph 9 (class 3) of TWO\n{found.table(2)}\n"
    )
    product = grafik("explain", folder / "TWO", 0, 0, "--product", "--json")
    assert (json.loads(product.stdout)["value"], product.stderr) == (1.0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "csl", "0", "100"], "there is no graph 100: csl has 100, counted from 0"),
        (["explain", "csl", "0", "one"], "Invalid value for"),
        (["explain", "csl", "0"], "Missing argument"),
        (["explain", "csl", "0", "1", "--top", "0"], "Invalid value for '--top'"),
        (["explain", "csl", "0", "1", "--gamma", "-1"], "gamma must be a finite number of at"),
        (["explain", "csl", "0", "1", "--weight", "dance"], "dance"),
        (["evaluate", "csl", "-k", "dance"], "there is no method 'dance'"),
        (["evaluate", "csl", "--levels", "few"], "--levels must be numbers with commas between"),
        (["evaluate", "csl", "--folds", "20"], "need at least 20 graphs of each class"),
        (["evaluate", "{folder}/two.parquet"], "has no classes; give a file with one per line"),
        (["evaluate", "MUTAGG"], "there is no folder or zip MUTAGG"),
        (["evaluate", "csl", "--protocol", "slow"], "Invalid value for '--protocol'"),
        (["reproduce", "dance"], "Invalid value for"),
        (["gram", "csl", "--out", "{folder}/no/K.npz"], "for K.npz; make it first"),
    ],
)
def test_mistakes_are_one_line_and_code_2(folder, arguments, message):
    run = grafik(*(argument.format(folder=folder) for argument in arguments))
    assert run.returncode == 2
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize(
    "command",
    ["describe", "train", "predict", "gram", "explain", "show", "evaluate", "reproduce", "demo"],
)
def test_every_command_explains_itself(command):
    run = grafik(command, "--help")
    assert run.returncode == 0
    assert len(run.stdout.split()) > 10


def test_reproduce_prints_the_table_and_where_it_is(tmp_path):
    run = grafik("reproduce", "csl", "--out", tmp_path / "mine")
    assert run.returncode == 0, run.stderr
    assert "| 7 | 18 | 100 | 100 | +0 |" in run.stdout
    assert (tmp_path / "mine" / "README.md").is_file()
