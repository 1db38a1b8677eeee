"""How the command line reads molecules: as it is told, and else as a model's were."""

import json

import numpy as np
import pytest

from command_line import grafik
from grafik import FiltrationClassifier, FiltrationKernel, GraphIndex, Graphs, datasets

ACIDS = {
    "acetic acid": "CC(=O)O",
    "alanine": "C[C@H](N)C(=O)O",
    "formic acid": "OC=O",
    "benzoic acid": "OC(=O)c1ccccc1",
}
OTHERS = {"ethanol": "CCO", "phenol": "Oc1ccccc1", "butene": "C/C=C/C", "amine": "CCN"}
SMILES = [*ACIDS.values(), *OTHERS.values()]
KIND = ["acid"] * 4 + ["other"] * 4
SMALL = {"levels": [1], "depths": [1], "cv": 2}


def hydrogen_count(atom):
    return atom.GetTotalNumHs()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mols.csv"
    names = [*ACIDS, *OTHERS]
    rows = (",".join(row) for row in zip(names, SMILES, KIND, strict=True))
    path.write_text("\n".join(["name,smiles,kind", *rows, ""]))
    return path


@pytest.fixture
def sdf(tmp_path):
    from rdkit import Chem

    path = tmp_path / "mols.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for smiles in SMILES:
            writer.write(Chem.AddHs(Chem.MolFromSmiles(smiles)))
    return path


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ([], {}),
        (["--atoms", "element"], {}),
        (["--atoms", "typed"], {"atoms": "typed"}),
        (["--hydrogens"], {"hydrogens": True}),
        (["--atoms", "typed", "--chirality"], {"atoms": "typed", "chirality": True}),
    ],
)
def test_options_are_those_of_the_functions_that_read(given, options, table, sdf, tmp_path):
    for data, read in ((table, datasets.read_csv), (sdf, datasets.read_sdf)):
        graphs, _ = read(data, **options)
        told = json.loads(grafik("describe", data, *given, "--json").stdout)
        assert told["n_nodes"] == len(graphs.node_labels)
        assert {label for label, _ in told["node_labels"]} == set(graphs.node_labels)
        out = tmp_path / "K.npz"
        kernel = "--levels", 1, "--depth", 2, "--out", out, "--quiet"
        assert grafik("gram", data, *given, *kernel).returncode == 0
        with np.load(out) as file:
            expected = FiltrationKernel(n_levels=1, depth=2, normalize=True).fit_transform(graphs)
            np.testing.assert_array_equal(file["K"], expected)


@pytest.mark.parametrize(
    "options",
    [{"atoms": "typed"}, {"hydrogens": True}, {"bonds": False}, {"atoms": "typed", "bonds": False}],
)
def test_predictions_and_searches_read_molecules_as_those_they_know(options, table, tmp_path):
    graphs = Graphs.from_smiles(SMILES, **options)
    model = FiltrationClassifier(**SMALL).fit(graphs, KIND)
    model.save(tmp_path / "kind.model")
    told = json.loads(grafik("predict", tmp_path / "kind.model", table, "--json").stdout)
    assert told["predictions"] == model.predict(graphs).tolist()

    index = GraphIndex(FiltrationKernel(normalize=True)).add(graphs)
    index.save(tmp_path / "m.index")
    graphs.to_parquet(tmp_path / "m.parquet")
    for source in ("m.index", "m.parquet"):
        for query, numbers in ((table, range(8)), (f"smiles:{SMILES[1]}", [1])):
            run = grafik("search", tmp_path / source, query, "--top", 1, "--json")
            found = [one["found"][0] for one in json.loads(run.stdout)["queries"]]
            assert [one["graph"] for one in found] == list(numbers)
            np.testing.assert_allclose([one["similarity"] for one in found], 1)


def test_options_that_contradict_a_model_are_refused(table, tmp_path):
    path = tmp_path / "kind.model"
    train = "train", table, "--target", "kind", "--atoms", "typed", "--out", path
    assert grafik(*train).returncode == 0
    assert grafik("predict", path, table, "--atoms", "typed").returncode == 0
    for given, reading in (
        (["--atoms", "element"], "atoms='element'"),
        (["--hydrogens"], "atoms='typed', hydrogens=True"),
    ):
        run = grafik("predict", path, table, *given)
        assert (run.returncode, run.stdout) == (2, "")
        assert f"these molecules were read with {reading}, but those the model" in run.stderr


def test_a_reading_that_cannot_be_repeated_is_refused(table, tmp_path):
    graphs = Graphs.from_smiles(SMILES, atoms=hydrogen_count)
    FiltrationClassifier(**SMALL).fit(graphs, KIND).save(tmp_path / "kind.model")
    run = grafik("predict", tmp_path / "kind.model", table)
    assert (run.returncode, run.stdout) == (2, "")
    assert f"fitted on with atoms={__name__}.hydrogen_count" in run.stderr


def test_a_search_reads_both_sides_alike(table):
    for query in ("smiles:CC(=O)O", str(table)):
        run = grafik("search", table, query, "--atoms", "typed", "--top", 1, "--json")
        first = json.loads(run.stdout)["queries"][0]["found"][0]
        assert (first["graph"], round(first["similarity"], 12)) == (0, 1)


@pytest.mark.parametrize("given", [["--atoms", "typed"], ["--hydrogens"], ["--chirality"]])
def test_what_is_no_molecule_is_not_read_in_some_way(given):
    run = grafik("describe", "csl", *given)
    assert (run.returncode, run.stdout) == (2, "")
    assert f"{given[0]} are for tables of molecules" in run.stderr
