"""The commands that make matrices, models and results."""

import json
import os

import numpy as np
import pytest

from command_line import grafik
from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    FiltrationRegressor,
    Graphs,
    datasets,
    explain_pair,
    load,
)
from grafik.cli.data import load as load_data
from grafik.cli.options import Experiment
from grafik.cli.reproduce import reproduce
from grafik.evaluation import read_results
from grafik.features import WeisfeilerLehman
from grafik.system.files import check_target
from page_data import data_in


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same graphs as a TU folder, and as a Parquet file with classes beside it."""
    folder = tmp_path_factory.mktemp("data")
    graphs, y = datasets.csl(skips=(2, 3), copies=8)
    datasets.write_tu(folder / "TWO", graphs, y)
    graphs.to_parquet(folder / "two.parquet")
    (folder / "classes.txt").write_text("".join(f"skip {s}\n" for s in y))
    for name in ("a.npz", "a.model"):
        (folder / name).mkdir()
    return folder


def test_gram_writes_matrix_classes_and_parameters(folder, tmp_path):
    run = grafik(
        *("gram", "TWO", "--out", tmp_path / "K.npz", "--weight", "triangles", "--json"),
        *("--levels", 2, "--depth", 2, "--gamma", 0.5, "--mass", "min", "--no-normalize"),
        GRAFIK_DATA=str(folder),
    )
    assert run.returncode == 0, run.stderr
    graphs, y = datasets.read_tu(folder / "TWO")
    options = {"weight": "triangles", "n_levels": 2, "gamma": 0.5, "mass": "min"}
    kernel = FiltrationKernel(WeisfeilerLehman(2), **options)
    with np.load(tmp_path / "K.npz", allow_pickle=False) as file:
        np.testing.assert_array_equal(file["K"], kernel.fit_transform(graphs))
        np.testing.assert_array_equal(file["y"], y)
        np.testing.assert_array_equal(file["alphas"], kernel.alphas_)
        told = json.loads(str(file["parameters"]))
    assert told == json.loads(run.stdout)["parameters"]
    asked = "depth", "gamma", "mass", "weight"
    assert [told[name] for name in asked] == [2, 0.5, "min", "triangles"]
    assert [path.name for path in tmp_path.iterdir()] == ["K.npz"]


def test_gram_writes_a_matrix_for_mapping_with_the_rest_beside_it(folder, tmp_path):
    data = folder / "two.parquet", "--labels", folder / "classes.txt"
    run = grafik("gram", *data, "--out", tmp_path / "K.npy", "--jobs", 2, "--json")
    assert run.returncode == 0, run.stderr
    graphs, y = load_data(str(data[0]), data[2])
    kernel = FiltrationKernel(normalize=True)
    matrix = np.load(tmp_path / "K.npy", mmap_mode="r")
    np.testing.assert_array_equal(matrix, kernel.fit_transform(graphs))
    told = json.loads((tmp_path / "K.json").read_text())
    assert told["parameters"] == json.loads(run.stdout)["parameters"]
    assert told["alphas"] == kernel.alphas_.tolist()
    assert told["y"] == y.tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["K.json", "K.npy"]


def test_a_model_is_trained_saved_and_applied(folder, tmp_path):
    model = tmp_path / "two.model"
    data = folder / "two.parquet", "--labels", folder / "classes.txt"
    run = grafik("train", *data, "--out", model, "--weight", "triangles", "--json", "--seed", 5)
    assert run.returncode == 0, run.stderr
    assert load(model).random_state == 5
    told = json.loads(run.stdout)
    assert told["accuracy"] == 1.0
    assert {"weight", "n_levels", "depth", "gamma", "mass", "sigma", "C"} <= set(told["params"])
    assert told["params"]["weight"] == "triangles"
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


def test_a_file_of_classes_that_is_no_text_is_named(folder, tmp_path):
    classes = tmp_path / "classes.txt"
    classes.write_bytes(b"yes\nno\n\xff\xfe\n")
    run = grafik("describe", folder / "two.parquet", "--labels", classes)
    assert run.returncode == 2
    told = " ".join(run.stderr.split())
    said = "must be text in UTF-8, one class per line, but byte 7 (0xff) is not UTF-8"
    assert f"classes.txt: {said}" in told


def test_predict_says_what_a_file_must_hold(folder, tmp_path):
    graphs, y = datasets.read_tu(folder / "TWO")
    FiltrationKernel().fit(graphs).save(tmp_path / "kernel")
    FiltrationRegressor(levels=[1], depths=[1], gammas=[1.0], Cs=[1.0]).fit(graphs, y).save(
        tmp_path / "regressor"
    )
    for arguments, message in (
        (["kernel"], "must hold a classifier or regressor, got a FiltrationKernel"),
        (["regressor", "--proba"], "must hold a classifier, which knows probabilities, got a"),
    ):
        run = grafik("predict", tmp_path / arguments[0], folder / "TWO", *arguments[1:])
        assert (run.returncode, run.stdout) == (2, "")
        assert message in run.stderr
        assert "Traceback" not in run.stderr
    assert grafik("predict", tmp_path / "regressor", folder / "TWO").returncode == 0


def test_predict_refuses_graphs_whose_labels_do_not_match(folder, tmp_path):
    graphs, _ = datasets.random_graphs(20, n_nodes=(4, 8), density=(0.2, 0.7), n_labels=2)
    tried = {"levels": [1], "depths": [1], "gammas": [1.0], "Cs": [1.0]}
    FiltrationClassifier(**tried).fit(graphs, np.arange(20) % 2).save(tmp_path / "model")
    run = grafik("predict", tmp_path / "model", "csl")
    assert (run.returncode, run.stdout) == (2, "")
    assert (
        "these graphs have no vertex labels, but those the model was fitted on have" in run.stderr
    )
    assert "Traceback" not in run.stderr


def test_edge_labels_count_in_matrices_unless_they_shall_not(folder, tmp_path):
    edges = [[(0, 1), (1, 2)]] * 2
    graphs = Graphs.from_edge_lists(edges, edge_labels=[["a", "b"], ["a", "a"]])
    graphs.to_parquet(tmp_path / "two.parquet")
    for options, counted in ((), True), (("--no-edge-labels",), False), (("--edge-labels",), True):
        out = tmp_path / f"{len(options)}{counted}.npz"
        run = grafik("gram", tmp_path / "two.parquet", "--out", out, "--json", *options)
        assert json.loads(run.stdout)["parameters"]["edge_labels"] is counted
        with np.load(out, allow_pickle=False) as file:
            assert (file["K"][0, 1] < 1) == counted
    run = grafik("gram", folder / "TWO", "--edge-labels", "--out", tmp_path / "K.npz")
    assert run.returncode == 2
    assert "edge_labels=True, but the graphs have no edge labels" in run.stderr


def test_a_file_of_classes_may_start_with_a_mark_and_end_with_empty_lines(folder, tmp_path):
    names = [f"skip {i % 2}" for i in range(16)]
    (tmp_path / "classes.txt").write_text("\n".join(names) + "\n\n \n", "utf-8-sig")
    graphs, y = load_data(str(folder / "two.parquet"), tmp_path / "classes.txt")
    assert len(graphs) == 16
    assert y.tolist() == names
    names[2] = ""
    (tmp_path / "classes.txt").write_text("\n".join(names))
    with pytest.raises(ValueError, match=r"classes.txt, line 3: must name the class of a graph"):
        load_data(str(folder / "two.parquet"), tmp_path / "classes.txt")


def test_evaluate_takes_a_parquet_file_with_classes_beside_it(folder, tmp_path):
    data = folder / "two.parquet"
    options = ("-k", "wl,fwl-triangles", "--folds", 2, "--depths", 1, "--json")
    options = (*options, "--no-normalize", "--out", tmp_path / "out")
    run = grafik("evaluate", data, "--labels", folder / "classes.txt", *options)
    assert run.returncode == 0, run.stderr
    assert read_results(tmp_path / "out").header.normalize is False
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
    smaller = grafik("explain", folder / "TWO", 1, 9, *options, "--mass", "min", "--json")
    told = json.loads(smaller.stdout)
    kernel.set_params(mass="min").fit(graphs)
    assert (told["mass"], told["value"]) == ("min", kernel.transform(graphs[[1]])[0, 9])
    product = grafik("explain", folder / "TWO", 0, 0, "--product", "--json")
    assert (json.loads(product.stdout)["value"], product.stderr) == (1.0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "csl", "0", "100"], "no graph 100: csl has 100, counted from 0 to 99"),
        (["show", "csl", "100", "--out", "x.svg"], "no graph 100: csl has 100, counted from 0 to"),
        (
            ["show", "csl", "0", "--feature", "1:-5", "--out", "x.svg"],
            "feature must be an integer of",
        ),
        (
            ["show", "csl", "0", "--feature", "1:" + 26 * "9", "--out", "x.svg"],
            "feature must be at m",
        ),
        (["explain", "csl", "0", "1", "--out", "x.htm", "--json"], "choose one of --out, for a p"),
        (
            ["explain", "nowhere", "0", "1", "--out", "x.txt"],
            "a page must be a .html or .htm file, got 'x",
        ),
        (["report", "nowhere", "--out", "{folder}/no/x.html"], "for x.html; make it first"),
        (["report", "csl", "--data", "csl", "--out", "x.html"], "--data is for results, but csl h"),
        (["report", "csl", "-k", "dance", "--out", "x.html"], "there is no method 'dance'"),
        (["report", "csl", "--weight", "dance", "--out", "x.html"], "weight must be one of 'degr"),
        (["report", "csl", "--depth", "-1", "--out", "x.html"], "depth must be an integer of at l"),
        (["report", "csl", "--graphs", "1", "--out", "x.html"], "Invalid value for '--graphs'"),
        (["explain", "csl", "0", "one"], "there is no graph 'one' in csl, which has no ids; give"),
        (["explain", "csl", "0"], "Missing argument"),
        (["explain", "csl", "0", "1", "--top", "0"], "Invalid value for '--top'"),
        (["explain", "csl", "0", "1", "--gamma", "-1"], "gamma must be a finite number of at"),
        (["explain", "csl", "0", "1", "--mass", "min", "--product"], "leave out --product"),
        (["explain", "csl", "0", "1", "--mass", "max"], "Invalid value for '--mass'"),
        (["explain", "csl", "0", "1", "--weight", "dance"], "dance"),
        (["evaluate", "csl", "-k", "dance"], "there is no method 'dance'"),
        (["evaluate", "csl", "--levels", "few"], "--levels must be numbers separated by commas"),
        (["evaluate", "csl", "--folds", "20"], "need at least 20 graphs of each class"),
        (["evaluate", "{folder}/two.parquet"], "has no classes; give a file with one per line"),
        (["evaluate", "MUTAGG"], "there is no folder or zip MUTAGG, here or in the folder that GR"),
        (["evaluate", "MUTAGG"], "(not set); can be downloaded by name: AIDS, BZR,"),
        (["evaluate", "csl", "--levels", "1-9999999999"], "--levels must be at most 1000 numbers"),
        (["evaluate", "csl", "--levels", "1-2000"], "--levels must be at most 1000 numbers, got m"),
        (["evaluate", "csl", "--levels", "9^999999999"], "--levels must be numbers"),
        (["reproduce", "csl", "--out", "{folder}/classes.txt"], "results cannot be written to"),
        (
            ["reproduce", "csl", "--tables-only", "--out", "{folder}/no"],
            "there are no results of csl in {folder}/no; compute them first, which takes seconds: "
            "grafik reproduce csl --out {folder}/no",
        ),
        (["evaluate", "csl", "--out", "{folder}/classes.txt"], "results cannot be written to"),
        (
            ["reproduce", "accuracy", "--only", "PTC_MR, MUTAG", "--data", "{folder}/no"],
            "there is no folder",
        ),
        (["evaluate", "csl", "--protocol", "slow"], "Invalid value for '--protocol'"),
        (["reproduce", "dance"], "Invalid value for"),
        (["gram", "csl", "--out", "{folder}/no/K.npz"], "for K.npz; make it first"),
        # Names without the right suffix, before the data is missed.
        (
            ["gram", "nowhere", "--out", "K"],
            "a matrix must be a .npz or .npy file, got 'K'; call",
        ),
        (["train", "nowhere", "--out", "m"], "a model must be a .model or .grafik file, got 'm'; "),
        (["index", "nowhere", "--out", "x.model"], "an index must be a .index or .grafik file, go"),
        (["embed", "nowhere", "--out", "v.csv"], "a file of vectors must be a .npz or .parquet f"),
        (
            ["predict", "no", "nowhere", "--out", "p.txt"],
            "a table must be a .csv or .tsv file",
        ),
        (["search", "no", "nowhere", "--out", "p"], "a table must be a .csv or .tsv file, got 'p'"),
        (["report", "nowhere", "--out", "page"], "a page must be a .html or .htm file, got 'page'"),
        (["predict", "no", "csl", "--out", "p.csv", "--json"], "choose one of --out, for a table,"),
        (["gram", "csl", "--out", "{folder}/K.npy", "--memory", "0.1"], "memory must be at least"),
        # Said before any work, and so before the data is missed.
        (["gram", "nowhere", "--out", "{folder}/a.npz"], "is a folder; name a file in it"),
        (["train", "nowhere", "--out", "{folder}/a.model"], "is a folder; name a file in it"),
    ],
)
def test_mistakes_are_one_line_and_code_2(folder, arguments, message):
    run = grafik(*(argument.format(folder=folder) for argument in arguments), GRAFIK_DATA="")
    assert run.returncode == 2
    assert message.format(folder=folder) in run.stderr
    assert "Traceback" not in run.stderr
    assert "what is done is kept" not in run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize(
    "command",
    [
        "describe",
        "train",
        "predict",
        "index",
        "search",
        "embed",
        "gram",
        "explain",
        "show",
        "evaluate",
        "report",
        "reproduce",
        "demo",
        "warm-up",
    ],
)
def test_every_command_explains_itself(command):
    run = grafik(command, "--help")
    assert run.returncode == 0
    told = " ".join(run.stdout.replace("│", " ").split())
    assert f"grafik {command}" in told.split("Usage:")[1].split("Options")[0].split("]", 1)[1]
    assert "--quiet" in told


def test_a_folder_that_is_closed_is_refused_before_the_work(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("os.access", lambda *how: asked.append(how))  # root may write anywhere
    message = r"x\.html cannot be written to .*: not allowed; choose another folder"
    with pytest.raises(PermissionError, match=message):
        check_target(tmp_path / "x.html")
    assert asked == [(tmp_path, os.W_OK | os.X_OK)]


def test_show_takes_features_as_explain_prints_them(folder, tmp_path):
    run = grafik("explain", folder / "TWO", 0, 1, "--levels", 2, "--depth", 1, "--json")
    for found in json.loads(run.stdout)["features"][:2]:
        feature = f"{found['depth']}:{found['feature']}"
        options = ("--levels", 2, "--feature", feature, "--out", tmp_path / "x.svg")
        assert grafik("show", folder / "TWO", 0, *options).returncode == 0


def test_explain_writes_a_page(folder, tmp_path):
    options = (
        "--weight",
        "triangles",
        "--levels",
        2,
        "--depth",
        2,
        "--gamma",
        0.5,
        "--no-normalize",
    )
    run = grafik("explain", folder / "TWO", 1, 9, *options, "--out", tmp_path / "pair.html")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == f"the page is in {tmp_path / 'pair.html'}\n"
    shown = data_in(tmp_path / "pair.html")
    graphs, _ = datasets.read_tu(folder / "TWO")
    assert shown["title"] == "TWO: graphs 1 and 9"
    assert [graph["id"] for graph in shown["graphs"]] == [1, 9]
    assert shown["graphs"][1]["edges"] == graphs[9].edges.ravel().tolist()
    assert [shown["classes"]["names"][code] for code in shown["classes"]["of"]] == ["2", "3"]
    kernel = FiltrationKernel(weight="triangles", n_levels=2).fit(graphs)
    assert shown["kernel"]["alphas"] == kernel.alphas_.tolist()
    assert [shown["kernel"][name] for name in ("depth", "gamma", "normalize")] == [2, 0.5, False]


def test_report_measures_the_accuracy_unless_told_otherwise(folder, tmp_path):
    out = tmp_path / "report.html"
    run = grafik("report", folder / "TWO", "--out", out)
    assert run.returncode == 0, run.stderr
    assert run.stdout == f"the report is in {out} (0.1 MB)\n"
    # There are too few graphs for the usual ten folds.
    assert run.stderr.endswith(
        "accuracy is measured by 8 folds in place of 10, as the smallest class has few graphs\n"
    )
    assert "8-fold" in data_in(out)["accuracy"]["note"]
    asked = grafik("report", folder / "TWO", "--protocol", "paper", "--out", out)
    assert asked.returncode == 2
    assert "10 outer and 3 inner folds need" in asked.stderr
    assert "use fewer folds (protocol=" in asked.stderr
    fewer = grafik("report", folder / "TWO", "-k", "wl", "--folds", 2, "--out", out)
    assert (fewer.returncode, fewer.stderr) == (0, "")
    assert "1 x 2-fold" in data_in(out)["accuracy"]["note"]
    run = grafik("report", folder / "two.parquet", "--out", out, "--no-accuracy", "--graphs", 5)
    assert (run.returncode, run.stderr) == (0, "")
    shown = data_in(out)
    assert "as you asked" in shown["accuracy"]["missing"]
    assert (shown["title"], shown["classes"], len(shown["graphs"])) == ("two", None, 5)


def test_report_takes_results_and_finds_their_data(folder, tmp_path):
    results, out = tmp_path / "results", tmp_path / "report.html"
    options = ("-k", "wl,fwl-triangles", "--folds", 2, "--depths", 1, "--levels", 2)
    run = grafik("evaluate", folder / "TWO", *options, "--out", results)
    assert run.returncode == 0, run.stderr
    run = grafik("report", results, "--out", out, GRAFIK_DATA=str(folder))
    assert (run.returncode, run.stderr) == (0, "")
    shown = data_in(out)
    assert [score["accuracy"] for score in shown["accuracy"]["scores"]] == [50.0, 100.0]
    assert shown["title"] == "TWO"
    assert (shown["filtration"]["weight"], shown["kernel"]["depth"]) == ("triangles", 1)
    options = ("--weight", "core", "--levels", 4, "--depth", 2, "--gamma", 3, "--no-edge-labels")
    options = (*options, "--mass", "min")
    assert (
        grafik("report", results, "--data", folder / "TWO", *options, "--out", out).returncode == 0
    )
    shown = data_in(out)
    assert (shown["filtration"]["weight"], shown["kernel"]["depth"]) == ("core", 2)
    assert (shown["kernel"]["gamma"], shown["kernel"]["mass"]) == (3, "min")

    lost = grafik("report", results, "--out", out, GRAFIK_DATA="")
    assert lost.returncode == 2
    assert "has results of TWO; say where it is: --data DATA" in lost.stderr
    other = grafik("report", results, "--data", "csl", "--out", out)
    assert other.returncode == 2
    assert "has results of other data than csl: the SHA-256 differs" in other.stderr
    twice = grafik("report", results, "-k", "sp", "--out", out)
    assert twice.returncode == 2
    assert "has results; leave them out" in twice.stderr


def test_models_and_new_kernels_are_evaluated_by_name(folder, tmp_path):
    methods = "default,fwl-degree+core-min-gaussian"
    options = ("--folds", 2, "--depths", 1, "--levels", 2, "--gammas", 1, "--sigmas", "2^1")
    run = grafik("evaluate", folder / "TWO", "--methods", methods, *options, "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    titles = [score["title"] for score in found["scores"]]
    assert titles == ["grafik, default", "FWL-degree+core (min, Gaussian)"]
    assert found["scores"][1]["params"]["sigma"] == 2.0


def test_reproduce_beyond_says_what_is_missing(tmp_path):
    out = tmp_path / "mine"
    run = grafik("reproduce", "beyond", "--data", tmp_path, "--repeats", 1, "--out", out)
    assert run.returncode == 0, run.stderr
    assert "Missing: MUTAG, PTC_MR" in run.stdout
    assert (out / "beyond" / "beyond.json").is_file()


def test_reproduce_hands_on_the_number_of_repeats(tmp_path, monkeypatch):
    asked = {}
    monkeypatch.setattr("grafik.reproduction.reproduce", lambda *_, **given: asked.update(given))
    reproduce(Experiment.beyond, repeats=3, out=tmp_path, as_json=True)
    assert asked["repeats"] == 3


def test_reproduce_prints_the_table_and_where_it_is(tmp_path):
    run = grafik("reproduce", "csl", "--out", tmp_path / "mine")
    assert run.returncode == 0, run.stderr
    assert "| 7 | 18 | 100 | 100 | +0 |" in run.stdout
    assert (tmp_path / "mine" / "README.md").is_file()


def test_graph6_files_are_data(tmp_path):
    (tmp_path / "small.g6").write_text(">>graph6<<Bw\nCh\nCi h\n")
    run = grafik("describe", tmp_path / "small.g6")
    assert (run.returncode, run.stdout) == (2, "")
    assert "small.g6, line 3: graph6 has the letters '?' to '~' only" in run.stderr
    (tmp_path / "small.g6").write_text(">>graph6<<Bw\nCh\n")
    run = grafik("describe", tmp_path / "small.g6", "--json")
    assert json.loads(run.stdout)["n_edges"] == 6
    run = grafik("gram", tmp_path / "small.g6", "--out", tmp_path / "K.npz")
    assert run.returncode == 0, run.stderr
