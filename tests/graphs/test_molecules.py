"""Scaffolds: what molecules have in common, for groups of folds."""

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem
from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles
from sklearn.model_selection import GroupKFold

from grafik import Graphs, molecules

SMILES = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "O=C(O)c1ccccc1O",
    "C[C@H]1CC[C@@H](C1)c1ccncc1",
    "C[C@@H]1CC[C@H](C1)c1ccncc1",
    "CCO",
    "CCCCN",
    "O=C1CCCCC1",
]


def test_scaffolds_are_those_of_rdkit():
    found = molecules.scaffolds(SMILES)
    assert found.dtype.kind == "U"
    assert found.tolist() == [MurckoScaffoldSmiles(s, includeChirality=False) for s in SMILES]
    assert found[0] == found[1] == "c1ccccc1"
    assert found[2] == found[3]
    assert found[4] == found[5] == ""
    assert found[6] == "O=C1CCCCC1"


def test_molecules_columns_and_ids_have_the_same_scaffolds():
    expected = molecules.scaffolds(SMILES).tolist()
    made = [Chem.AddHs(Chem.MolFromSmiles(smiles)) for smiles in SMILES]
    ids = Graphs.from_smiles(SMILES, ids=SMILES).ids
    for same in (made, pd.Series(SMILES), np.array(SMILES), ids):
        assert molecules.scaffolds(same).tolist() == expected


def test_scaffolds_are_groups_of_scikit_learn():
    groups = molecules.scaffolds(SMILES)
    for train, test in GroupKFold(3).split(SMILES, groups=groups):
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize(
    ("item", "message"),
    [("C1CC", "RDKit cannot parse the SMILES 'C1CC'"), (None, "no SMILES"), ("", "is empty")],
)
def test_what_is_no_molecule_is_named(item, message, capfd):
    with pytest.raises(ValueError, match=f"graph 1: .*{message}.*; correct it or leave it out"):
        molecules.scaffolds(["C", item])
    assert capfd.readouterr().err == ""
