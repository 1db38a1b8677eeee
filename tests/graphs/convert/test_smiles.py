"""From SMILES, and every refusal."""

import sys

import pytest

from grafik import Graphs


def test_smiles_atoms_and_bonds():
    graphs = Graphs.from_smiles(["C=O", "c1ccccc1", "C#N", "[Na+].[Cl-]"])
    assert graphs.n_nodes.tolist() == [2, 6, 2, 2]
    assert graphs[0].node_labels == [6, 8]
    assert graphs[0].edge_labels == ["DOUBLE"]
    assert graphs[1].edge_attributes.tolist() == [[1.5]] * 6
    assert graphs[1].edge_labels == ["AROMATIC"] * 6
    assert graphs[2].edge_attributes.tolist() == [[3.0]]
    assert graphs[3].n_edges == 0


def test_smiles_hydrogens_and_molecules():
    from rdkit import Chem

    assert Graphs.from_smiles("C", hydrogens=True).n_nodes.tolist() == [5]
    assert Graphs.from_smiles([Chem.MolFromSmiles("CCO")]) == Graphs.from_smiles(["CCO"])


def test_smiles_that_cannot_be_parsed_are_named(capfd):
    with pytest.raises(ValueError, match="graph 1: RDKit cannot parse the SMILES 'C1CC'"):
        Graphs.from_smiles(["CCO", "C1CC"])
    with pytest.raises(TypeError, match="graph 0 is None, not a SMILES string"):
        Graphs.from_smiles([None])
    assert capfd.readouterr().err == ""


def test_an_absent_package_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(
        ImportError, match=r"from_smiles needs rdkit.Chem.*pip install 'grafik\[mol"
    ):
        Graphs.from_smiles("C")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="to_networkx needs networkx.*pip install 'networkx'"):
        Graphs([0, 1], [0, 0], []).to_networkx()
