"""From SMILES and RDKit molecules: what labels tell, and every refusal."""

import re
import sys

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem

from grafik import Graphs
from grafik.graphs.convert.atoms import bonds_of

# As in tests of RDKit itself: charges, aromatic and other rings, stereo centres and double bonds.
SMILES = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "c1cc[nH]c1",
    "C1CC[NH2+]C1",
    "CC(=O)[O-].[Na+]",
    "C[C@H](N)C(=O)O",
    "F/C=C/C#N",
    "O=[N+]([O-])c1ccc2ccccc2c1",
]


def typed(smiles, **options):
    return Graphs.from_smiles(smiles, atoms="typed", **options)[0].node_labels


def test_atoms_are_element_symbols_and_bonds_their_types():
    graphs = Graphs.from_smiles(["C=O", "c1ccccc1", "C#N", "[Na+].[Cl-]"])
    assert graphs.n_nodes.tolist() == [2, 6, 2, 2]
    assert graphs[0].node_labels == ["C", "O"]
    assert graphs[0].edge_labels == ["double"]
    assert graphs.edge_attribute_names == ("order",)
    assert graphs[1].edge_attributes.tolist() == [[1.5]] * 6
    assert graphs[1].edge_labels == ["aromatic"] * 6
    assert graphs[2].edge_attributes.tolist() == [[3.0]]
    assert graphs[3].n_edges == 0
    assert graphs[3].node_labels == ["Na", "Cl"]


def test_typed_atoms_read_as_chemists_write_them():
    acid, diol, salt = (typed(s) for s in ("CC(=O)O", "CC(O)O", "CC(=O)[O-]"))
    assert acid == ["CH3", "C", "O", "OH"]
    assert diol == ["CH3", "CH", "OH", "OH"]
    assert salt == ["CH3", "C", "O", "O-"]
    assert typed("c1cc[nH]c1C") == ["cH", "cH", "cH", "nH", "c", "CH3"]
    assert typed("C1CC[NH2+]C1") == ["ring-CH2"] * 3 + ["ring-NH2+", "ring-CH2"]
    assert typed("[Ca+2].[NH4+].O.[O-2]") == ["Ca+2", "NH4+", "OH2", "O-2"]
    # A carbon in a ring is no chromium.
    assert typed("[Cr].C1=CC1") == ["Cr", "ring-CH", "ring-CH", "ring-CH2"]


def test_a_function_labels_atoms():
    graphs = Graphs.from_smiles(["CO"], atoms=lambda atom: (atom.GetAtomicNum(), atom.GetDegree()))
    assert graphs[0].node_labels == [(6, 1), (8, 1)]

    def fail(atom):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        Graphs.from_smiles(["C"], atoms=fail)
    assert caught.value.__notes__ == ["atoms= was called with atom 0 of graph 0"]
    with pytest.raises(ValueError, match="graph 1, vertex 2"):
        Graphs.from_smiles(["C", "CCO"], atoms=lambda atom: {} if atom.GetIdx() == 2 else "x")


def test_chirality_is_told_if_asked_for():
    mirrored = ["C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"]
    assert Graphs.from_smiles(mirrored[:1]) == Graphs.from_smiles(mirrored[1:])
    left, right = Graphs.from_smiles(mirrored, chirality=True)
    assert (left.node_labels[1], right.node_labels[1]) == ("S-C", "R-C")
    assert typed(mirrored[1], chirality=True)[1] == "R-CH"
    trans, cis, unknown = Graphs.from_smiles(["F/C=C/F", "F/C=C\\F", "FC=CF"], chirality=True)
    assert trans.edge_labels == ["single", "E-double", "single"]
    assert cis.edge_labels == ["single", "Z-double", "single"]
    assert unknown.edge_labels == ["single", "double", "single"]
    numbered = Graphs.from_smiles(mirrored[:1], chirality=True, atoms=Chem.Atom.GetAtomicNum)
    assert numbered[0].node_labels[:3] == [6, ("S", 6), 7]


def test_bonds_can_be_left_out():
    graphs = Graphs.from_smiles("C=O", bonds=False, chirality=True)
    assert graphs.edge_labels is None
    assert graphs.edge_attributes is None
    assert graphs.n_edges.tolist() == [1]


@pytest.mark.parametrize("smiles", SMILES)
@pytest.mark.parametrize("hydrogens", [False, True])
def test_molecules_and_their_smiles_are_the_same_graph(smiles, hydrogens):
    options = {"atoms": "typed", "chirality": True, "hydrogens": hydrogens}
    expected = Graphs.from_smiles([smiles], **options)
    molecule = Chem.MolFromSmiles(smiles)
    for same in (molecule, Chem.AddHs(molecule)):
        before = same.ToBinary(Chem.PropertyPickleOptions.AllProps)
        assert Graphs.from_smiles([same], **options) == expected
        assert same.ToBinary(Chem.PropertyPickleOptions.AllProps) == before
    heavy = molecule.GetNumAtoms()
    assert typed(smiles, hydrogens=True)[:heavy] == typed(smiles)
    assert expected.n_nodes[0] == (Chem.AddHs(molecule) if hydrogens else molecule).GetNumAtoms()


def test_molecules_that_rdkit_has_not_completed_are_taken(capfd):
    raw = Chem.MolFromSmiles("C1CC[NH2+]C1", sanitize=False)
    assert Graphs.from_smiles([raw], atoms="typed", hydrogens=True)[0].node_labels[3] == "ring-NH2+"
    assert capfd.readouterr().err == ""


def test_columns_and_ids():
    graphs = Graphs.from_smiles(pd.Series(["C", "CO"], index=[7, 3]), ids=["methane", "methanol"])
    assert graphs.n_nodes.tolist() == [1, 2]
    assert graphs[1].id == "methanol"
    assert Graphs.from_smiles(np.array(["C", "CO"])) == Graphs.from_smiles(["C", "CO"])
    with pytest.raises(TypeError, match=r"got a table; choose .* frame\['drug'\]"):
        Graphs.from_smiles(pd.DataFrame({"drug": ["C"]}))


NOT_READ = [
    (None, "there is no SMILES string, only None"),
    (float("nan"), "there is no SMILES string, only nan"),
    (pd.NA, "there is no SMILES string, only <NA>"),
    ("", "the SMILES string is empty"),
    (" ", "the SMILES string is empty"),
    ("C1CC", "RDKit cannot parse the SMILES 'C1CC'"),
    ("C(C)(C)(C)(C)C", "RDKit cannot parse the SMILES .*: Explicit valence for atom # 0 C, 5"),
    ("c1cccc1", "RDKit cannot parse the SMILES 'c1cccc1': Can't kekulize mol"),
    ("mols.csv.gz", "'mols.csv.gz' is a file, .*read it with grafik.datasets"),
]


@pytest.mark.parametrize(("item", "message"), NOT_READ)
def test_what_cannot_be_read_is_named_with_its_reason_and_the_remedy(item, message, capfd):
    with pytest.raises(
        ValueError,
        match=rf"graph 1: {message}.*; correct it .* Graphs.from_smiles\(smiles, errors='empty'\)",
    ):
        Graphs.from_smiles(["CCO", item])
    with pytest.warns(UserWarning, match=rf"^1 of 3 molecules .*: graph 1 \({message}") as caught:
        graphs = Graphs.from_smiles(["CCO", item, "C=O"], errors="empty")
    assert caught[0].filename == __file__
    assert graphs.n_nodes.tolist() == [3, 0, 2]
    assert graphs[2].edge_labels == ["double"]
    assert capfd.readouterr().err == ""


def test_a_warning_names_ten_at_most():
    with pytest.warns(UserWarning, match=r"12 of 12 .*graph 9 \([^)]*\) and 2 more$"):
        assert Graphs.from_smiles([""] * 12, errors="empty").n_nodes.tolist() == [0] * 12


def test_what_is_no_molecule_is_refused():
    for errors in ("raise", "empty"):
        with pytest.raises(TypeError, match="graph 1 is 5 of type int, not a SMILES string"):
            Graphs.from_smiles(["C", 5], errors=errors)
    with pytest.raises(ValueError, match="atoms must be 'element', 'typed', or a function.*'atom'"):
        Graphs.from_smiles("C", atoms="atom")
    with pytest.raises(ValueError, match="errors must be .*'skip'"):
        Graphs.from_smiles("C", errors="skip")


def test_an_absent_package_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(
        ImportError, match=r"reading molecules needs rdkit.Chem.*pip install 'grafik\[mol"
    ):
        Graphs.from_smiles("C")
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="to_networkx needs networkx.*pip install 'networkx'"):
        Graphs([0, 1], [0, 0], []).to_networkx()


@pytest.mark.parametrize(
    "smiles",
    [
        "C\0O",
        "CC(=O)\xff",
        "\x0fC",
        "CC\u2212",
        "\u200bC |o1:1|",
        "CC[Fe] |C:\x001.1|",
        "CO |$\xe9;$|",
    ],
)
def test_characters_that_smiles_do_not_have_are_named(smiles):
    odd = re.escape(next(ascii(one) for one in smiles if not " " <= one <= "~"))
    with pytest.raises(
        ValueError, match=f"^graph 1: the SMILES .* holds {odd}, which SMILES do not have; correct"
    ):
        Graphs.from_smiles(["CC", smiles])


def test_a_string_that_takes_rdkit_too_long_is_refused():
    assert Graphs.from_smiles("C" * 20_000).n_nodes == 20_000
    with pytest.raises(ValueError, match=r"graph 1: .* has 20,001 characters, .* beyond 20,000"):
        Graphs.from_smiles(["CC", "C" * 20_001])


def test_a_molecule_whose_fault_rdkit_cannot_name_is_refused():
    with pytest.raises(ValueError, match=r"graph 1: RDKit cannot parse the SMILES '\[CH128\]'"):
        Graphs.from_smiles(["CC", "[CH128]"])


@pytest.mark.parametrize("blank", [" ", "\n", "\t", "\r\n", "\u00a0", "  "])
def test_what_follows_a_blank_is_not_left_out_in_silence(blank):
    with pytest.raises(
        ValueError, match=r"graph 1: the SMILES 'CC.*O' holds a blank, behind .*; le"
    ):
        Graphs.from_smiles(["C", f"CC{blank}O"])
    assert Graphs.from_smiles([f"{blank}CCO{blank}"]).n_nodes == 3


def test_what_chemaxon_says_of_a_molecule_may_follow_a_blank():
    label = "C[C@H](O)F |$Pol p;;; x y $|"
    for smiles in ("C[C@H](O)F |o1:1|", "  C[C@H](O)F |o1:1|\n", label):
        assert Graphs.from_smiles(smiles).n_nodes == 4
    for more in ("|o1:1| CC", "|o1:1", "|o1:1|\nCC", "CC |o1:1|"):
        with pytest.raises(ValueError, match="holds a blank"):
            Graphs.from_smiles(f"C[C@H](O)F {more}")


def test_rdkit_speaks_again_whatever_came_of_reading(capfd):
    def broken(atom):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine") as kept:
        Graphs.from_smiles(["CC"], atoms=broken)
    assert Chem.MolFromSmiles("XX") is None
    assert "XX" in capfd.readouterr().err
    assert kept.value is not None


def test_molecules_of_very_many_atoms_do_not_end_python():
    chain = Chem.MolFromSmiles("C" * 40_000 + "C1CC1", sanitize=False)
    graph = Graphs.from_smiles([chain], atoms="typed")[0]
    assert graph.node_labels == ["CH3", *["CH2"] * 39_999, "ring-CH", "ring-CH2", "ring-CH2"]
    assert graph.n_edges == 40_003


def test_the_order_of_bonds_is_that_of_rdkit(monkeypatch):
    molecule = Chem.MolFromSmiles("C1CC2CC1C=CC2=O")
    expected = [bond.GetIdx() for bond in molecule.GetBonds()]
    monkeypatch.setattr("grafik.graphs.convert.atoms._FEW", 0)
    assert [bond.GetIdx() for bond in bonds_of(molecule)] == expected


def test_the_atom_that_stands_for_any_has_one_name():
    from_text = Chem.MolFromSmiles("*CC")
    from_block = Chem.MolFromMolBlock(Chem.MolToMolBlock(from_text))
    for molecule in ("*CC", from_text, from_block):
        assert Graphs.from_smiles([molecule])[0].node_labels == ["*", "C", "C"]
        assert Graphs.from_smiles([molecule], atoms="typed")[0].node_labels[0] == "*"
