"""The comparison with fingerprints: MUTAG as molecules, the same folds, tables of predictions."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from grafik import Graphs, datasets, molecules
from grafik.system.journal import read_journal

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "experiments" / "molecules"


@pytest.fixture
def script(monkeypatch):
    """The script as a module; it stands in no package."""
    monkeypatch.syspath_prepend(FOLDER)
    for name in ("compare", "mutag"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import compare

    yield compare
    for name in ("compare", "mutag"):
        sys.modules.pop(name, None)


def coded(smiles):
    """Return a molecule in the codes of MUTAG, which has no charges."""
    symbols, kinds = ["C", "N", "O", "F", "I", "Cl", "Br"], ["aromatic", "single", "double"]
    made = Graphs.from_smiles([smiles])
    return Graphs(
        made.node_ptr,
        made.edge_ptr,
        made.edges,
        node_labels=[symbols.index(label) for label in made.node_labels],
        edge_labels=[kinds.index(label) for label in made.edge_labels],
    )[0]


@pytest.mark.parametrize(
    "smiles",
    [
        "O=[N+]([O-])c1ccccc1",
        "Nc1ccc([N+](=O)[O-])cc1Cl",
        "c1ccc2ncccc2c1",
        "C[N+](C)=Cc1ccccc1",
        "O=CNc1ccc(Br)cc1",
    ],
)
def test_codes_of_mutag_become_the_molecule(smiles, script):
    assert Chem.MolToSmiles(script.molecule_of(coded(smiles))) == Chem.CanonSmiles(smiles)


def test_a_carbon_of_five_bonds_is_no_molecule(script, capfd):
    ends = [[0, 1], [0, 2], [0, 3]]
    wrong = Graphs([0, 4], [0, 3], ends, node_labels=[0] * 4, edge_labels=[2, 2, 1])
    assert script.molecule_of(wrong[0]) is None
    assert capfd.readouterr().err == ""


def test_mutag_as_molecules(script, data):
    found = script.mutag(data / "MUTAG")
    _, y = datasets.read_tu(data / "MUTAG")
    assert found.y.tolist() == (np.delete(y, [82, 187]) == 1).tolist()
    assert len({Chem.MolToSmiles(molecule) for molecule in found.molecules}) == len(y) - 2


def test_folds_are_the_same_for_all_and_keep_scaffolds_apart(script):
    _, units = read_journal(FOLDER / "units.jsonl")
    rows = {}
    for unit in units:
        place = unit["data"], unit["way"], unit["fold"]
        assert rows.setdefault(place, unit["rows"]) == unit["rows"]
        assert len(unit["predicted"]) == len(unit["rows"])
    assert len(units) == len(rows) * len(script.METHODS) == (20 + 6 + 10) * 5
    for data in (script.chembl(), script.nci()):
        groups = molecules.scaffolds(data.molecules)
        for part in script.parts(data, "scaffold", 3):
            assert not set(groups[part.train]) & set(groups[part.test])
            for learned, scored in part.inner:
                own = groups[part.train]
                assert not set(own[learned]) & set(own[scored])
    for fold, part in enumerate(script.parts(script.nci(), "scaffold", 5)):
        assert rows["NCI", "scaffold", fold] == part.test.tolist()


def test_scores_and_tables_are_those_of_the_predictions(script):
    results = json.loads((FOLDER / "results.json").read_text())
    assert script.scored({})["scores"] == results["scores"]
    text = script.table(results)
    assert (FOLDER / "results.md").read_text() == text
    assert text in (ROOT / "docs" / "molecules.md").read_text()
    _, units = read_journal(FOLDER / "units.jsonl")
    this = "CHEMBL2321810", "random", "ECFP4, random forest"
    mine = [unit for unit in units if (unit["data"], unit["way"], unit["method"]) == this]
    errors = np.concatenate([np.subtract(unit["y"], unit["predicted"]) for unit in mine])
    row = next(r for r in results["scores"] if (r["data"], r["folds"], r["method"]) == this)
    assert row["rmse"] == pytest.approx(np.sqrt((errors**2).mean()), rel=1e-4)
