"""Tables of molecules as data: every command takes them, and says what is wrong with them."""

import csv
import gzip
import json
import warnings

import numpy as np
import pytest

from command_line import grafik
from grafik import FiltrationClassifier, FiltrationRegressor, datasets, load

ROWS = """name,smiles,logP,kind
ethanol,CCO,-0.31,alcohol
benzene,c1ccccc1,2.13,ring
cyclohexane,C1CCCCC1,3.44,ring
propanol,CCCO,0.25,alcohol
butanol,CCCCO,0.88,alcohol
toluene,Cc1ccccc1,2.73,ring
phenol,Oc1ccccc1,1.46,ring
methanol,CO,-0.74,alcohol
pentanol,CCCCCO,1.51,alcohol
cyclopentane,C1CCCC1,3.0,ring
"""
NAMES = [line.split(",")[0] for line in ROWS.splitlines()[1:]]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mols.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def broken(tmp_path):
    """The same table with a molecule that cannot be read, in line 4."""
    path = tmp_path / "broken.csv"
    lines = ROWS.splitlines()
    path.write_text("\n".join([*lines[:3], "bad,C1CC,0.5,ring", *lines[3:]]) + "\n")
    return path


def test_numbers_are_predicted_by_a_regressor_and_words_by_a_classifier(table, tmp_path):
    for target, kind, said in (
        ("logP", FiltrationRegressor, "task: regression, as the target has numbers that are not w"),
        ("kind", FiltrationClassifier, "task: classification, as the target is not a number"),
    ):
        out = tmp_path / f"{target}.model"
        run = grafik("train", table, "--smiles", "smiles", "--target", target, "--out", out)
        assert (run.returncode, run.stderr) == (0, "")
        assert said in run.stdout
        graphs, y = datasets.read_csv(table, target=target)
        model, expected = load(out), kind(random_state=0).fit(graphs, y)
        assert type(model) is kind
        assert model.predict(graphs).tolist() == expected.predict(graphs).tolist()
        assert ("R^2" in run.stdout) is (kind is FiltrationRegressor)


def test_predictions_come_with_ids(table, tmp_path):
    out = tmp_path / "m.model"
    assert grafik("train", table, "--target", "kind", "--out", out).returncode == 0
    graphs, _ = datasets.read_csv(table)
    model = load(out)
    expected = model.predict(graphs).tolist()
    told = json.loads(grafik("predict", out, table, "--id", "name", "--json").stdout)
    assert told == {"predictions": expected, "ids": NAMES}
    assert "ids" not in json.loads(grafik("predict", out, table, "--json").stdout)
    plain = grafik("predict", out, table, "--id", "name").stdout.splitlines()
    assert plain[:2] == ["id\tprediction", f"ethanol\t{expected[0]}"]
    assert grafik("predict", out, table).stdout.splitlines() == expected
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        path = tmp_path / f"predictions{suffix}"
        run = grafik("predict", out, table, "--id", "name", "--proba", "--out", path)
        assert (run.stdout, run.stderr) == (f"10 predictions are in {path}\n", "")
        with path.open(newline="") as file:
            header, *rows = csv.reader(file, delimiter=delimiter)
        assert header == ["id", "prediction", "probability of alcohol", "probability of ring"]
        assert [row[0] for row in rows] == NAMES
        assert [row[1] for row in rows] == expected
        shares = np.array([row[2:] for row in rows], float)
        np.testing.assert_array_equal(shares, model.predict_proba(graphs))


def test_rows_that_cannot_be_used_are_refused_or_left_out_and_named(broken, tmp_path):
    out = tmp_path / "m.model"
    train = "train", broken, "--target", "logP", "--out", out
    run = grafik(*train)
    assert run.returncode == 2
    assert "broken.csv, line 4: " in run.stderr
    assert "leave such rows out with --errors skip" in run.stderr
    assert not out.exists()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        run = grafik(*train, "--errors", "skip", "--json")
        quiet = grafik(*train, "--errors", "skip", "--quiet")
    assert json.loads(run.stdout)["task"] == "regress"
    assert run.stderr.startswith("grafik: warning: broken.csv: 1 of 11 rows was left out: line 4")
    assert len(run.stderr.splitlines()) == 1
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    assert grafik("predict", out, broken, "--errors", "skip").returncode == 2
    skipped = "predict", out, broken, "--errors", "skip", "--id", "name", "--json", "--quiet"
    assert json.loads(grafik(*skipped).stdout)["ids"] == NAMES


def test_explain_and_report_take_ids(table, broken, tmp_path):
    pair = "explain", table, "ethanol", "propanol", "--id", "name"
    told = json.loads(grafik(*pair, "--json").stdout)
    assert (told["graphs"], told["ids"]) == ([0, 3], ["ethanol", "propanol"])
    by_number = json.loads(grafik("explain", table, 0, 3, "--json").stdout)
    assert by_number["ids"] == [None, None]
    assert {**by_number, "ids": told["ids"]} == told
    text = grafik(*pair, "--target", "kind").stdout
    assert text.startswith("g is graph 0 (ethanol, class alcohol), h is graph 3 (propanol, class a")
    assert text.count("ethanol") == 1
    page = tmp_path / "page.html"
    assert grafik(*pair, "--out", page, "--quiet").returncode == 0
    assert "<title>mols: ethanol and propanol</title>" in page.read_text()
    run = grafik("report", table, "--id", "name", "--no-accuracy", "--out", page)
    assert (run.returncode, run.stderr) == (0, "")
    assert all(f'"name":"{name}"' in page.read_text() for name in NAMES)
    run = grafik("explain", table, "ethanol", "water", "--id", "name")
    assert run.returncode == 2
    assert f"there is no graph 'water' in {table}, by id or by number" in run.stderr
    skip = "explain", broken, "ethanol", "propanol", "--errors", "skip"
    assert "add --id COLUMN" in grafik(*skip).stderr
    left = json.loads(grafik(*skip, "--id", "name", "--json", "--quiet").stdout)
    assert left["ids"] == told["ids"]


def test_every_command_takes_a_table(table, tmp_path):
    smiles = table.parent / "other.tsv.gz"
    with gzip.open(smiles, "wt") as file:
        file.write(ROWS.replace(",", "\t").replace("smiles", "SMILES"))
    data = smiles, "--smiles", "SMILES"
    told = json.loads(grafik("describe", *data, "--target", "logP", "--json").stdout)
    assert (told["n_graphs"], told["classes"], told["target"]) == (10, None, [-0.74, 3.44])
    assert "from -0.74 to 3.44" in grafik("describe", *data, "--target", "logP").stdout
    matrix = tmp_path / "K.npz"
    run = grafik("gram", *data, "--target", "kind", "--id", "name", "--out", matrix)
    assert run.returncode == 0, run.stderr
    with np.load(matrix) as file:
        assert file["ids"].tolist() == NAMES
        assert file["y"].tolist() == [line.split(",")[3] for line in ROWS.splitlines()[1:]]
    told = json.loads(grafik("explain", *data, 0, 3, "--target", "kind", "--json").stdout)
    assert (told["data"], told["classes"]) == ("other", ["alcohol", "alcohol"])
    picture = tmp_path / "x.svg"
    run = grafik("show", *data, 1, "--out", picture, "--quiet")
    assert (run.returncode, run.stdout) == (0, "")
    assert picture.stat().st_size > 1000
    options = "-k", "wl", "--folds", 5, "--depths", 1, "--json"
    told = json.loads(grafik("evaluate", *data, "--target", "kind", *options).stdout)
    assert told["setting"]["data"] == "other"
    page = tmp_path / "page.html"
    run = grafik("report", *data, "--target", "kind", "--no-accuracy", "--out", page)
    assert (run.returncode, run.stderr) == (0, "")
    assert "alcohol" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "{0}", "--out", "{1}/x.model"], "say what is to be predicted in {0}: --target"),
        (["train", "{0}", "--target", "logp", "--out", "{1}/x.model"], "'logp'"),
        (["describe", "{0}", "--smiles", "SMILES"], "'SMILES'"),
        (["describe", "{1}/no.csv"], "there is no file {1}/no.csv"),
        (["describe", "{1}/mols.smi"], "mols.smi is not data: that is a TU folder or zip, or a .p"),
        (["describe", "csl", "--target", "y"], "--target are for tables of molecules (.csv, .tsv"),
        (["describe", "csl", "--errors", "skip"], "--errors are for tables of molecules"),
        (["describe", "{0}", "--labels", "{0}", "--target", "y"], "choose one of --labels, a file"),
        (["train", "csl", "--smiles", "s", "--out", "{1}/x.model"], "and csl is none; leave"),
        (["gram", "{0}", "--errors", "skip", "--out", "{1}/K.npz"], "which row a result is for"),
        (["embed", "{0}", "--errors", "skip", "--out", "{1}/v.npz"], "add --id COLUMN"),
        (["index", "{0}", "--errors", "skip", "--out", "{1}/m.index"], "add --id COLUMN"),
    ],
)
def test_mistakes_are_one_line_and_code_2(arguments, message, table, tmp_path):
    (tmp_path / "mols.smi").write_text("CCO\n")
    run = grafik(*(one.format(table, tmp_path) for one in arguments))
    assert (run.returncode, run.stdout) == (2, "")
    assert message.format(table, tmp_path) in run.stderr
    assert "Traceback" not in run.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mols.csv", "mols.smi"]


def test_an_sdf_file_has_molecules_and_properties(tmp_path):
    from rdkit import Chem

    path = tmp_path / "mols.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for name, smiles in (("a", "CCO"), ("b", "CO")):
            molecule = Chem.MolFromSmiles(smiles)
            molecule.SetProp("code", name)
            writer.write(molecule)
    told = json.loads(grafik("describe", path, "--target", "code", "--json").stdout)
    assert told["classes"] == [["a", 1], ["b", 1]]
    run = grafik("describe", path, "--smiles", "smiles")
    assert run.returncode == 2
    assert "--smiles is for tables" in run.stderr
