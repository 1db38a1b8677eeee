"""Molecules from SDF files: the same graphs as RDKit reads, with properties."""

import gzip
import tracemalloc
from pathlib import Path

import pytest
import rdkit
from rdkit import Chem
from rdkit.Chem import rdDistGeom

from grafik import Graphs
from grafik.datasets import read_sdf, sdf_files

SMILES = ["CCO", "c1cc[nH]c1", "C[C@H](N)C(=O)O", "F/C=C/F"]
NCI = Path(rdkit.__file__).parent / "Data" / "NCI" / "first_200.props.sdf"


@pytest.fixture
def path(tmp_path):
    """A file as RDKit writes it."""
    path = tmp_path / "mols.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for number, smiles in enumerate(SMILES):
            molecule = Chem.MolFromSmiles(smiles)
            molecule.SetProp("_Name", f"mol {number}")
            molecule.SetProp("code", f"X-{number}")
            molecule.SetDoubleProp("pIC50", number + 0.5)
            molecule.SetIntProp("class", number % 2)
            writer.write(molecule)
    return path


def test_molecules_properties_and_names(path):
    graphs, y = read_sdf(path, target="pIC50", id="code", atoms="typed", chirality=True)
    ids = [f"X-{number}" for number in range(4)]
    assert graphs == Graphs.from_smiles(SMILES, atoms="typed", chirality=True, ids=ids)
    assert y.tolist() == [0.5, 1.5, 2.5, 3.5]
    graphs, y = read_sdf(path, target="class", id="_Name")
    assert list(graphs.ids) == ["mol 0", "mol 1", "mol 2", "mol 3"]
    assert y.tolist() == [0, 1, 0, 1]
    assert read_sdf(path)[1] is None
    assert read_sdf(path, target=["class", "pIC50"])[1].tolist()[1] == [1.0, 1.5]


def test_spellings_of_the_file(path, tmp_path):
    expected = read_sdf(path, target="class")
    text = path.read_bytes()
    for name, data in {
        "a.sdf.gz": gzip.compress(text),
        "b.sdf": text.replace(b"\n", b"\r\n"),
        "c.sdf": b"\xef\xbb\xbf" + text,
        "d.sdf": text.rstrip().removesuffix(b"$$$$"),
    }.items():
        (tmp_path / name).write_bytes(data)
        graphs, y = read_sdf(tmp_path / name, target="class")
        assert graphs == expected[0]
        assert y.tolist() == expected[1].tolist()


def test_hydrogens_and_coordinates(tmp_path):
    molecule = Chem.AddHs(Chem.MolFromSmiles("C[C@H](N)C(=O)O"))
    rdDistGeom.EmbedMolecule(molecule, randomSeed=1)
    path = tmp_path / "mols.sdf"
    path.write_text(Chem.MolToMolBlock(molecule))
    graphs, _ = read_sdf(path, chirality=True)
    assert graphs == Graphs.from_smiles("C[C@H](N)C(=O)O", chirality=True)
    graphs, _ = read_sdf(path, chirality=True, hydrogens=True)
    assert graphs == Graphs.from_smiles("C[C@H](N)C(=O)O", chirality=True, hydrogens=True)


def test_a_file_that_comes_with_rdkit():
    graphs, y = read_sdf(NCI, target=["AMW", "CLOGP"], errors="raise")
    molecules = list(Chem.SDMolSupplier(str(NCI)))
    assert graphs == Graphs.from_smiles(molecules)
    expected = [[float(m.GetProp(name)) for name in ("AMW", "CLOGP")] for m in molecules]
    assert y.tolist() == expected


def test_bad_records_are_named_or_left_out(path, capfd):
    records = path.read_text().split("$$$$\n")[:-1]
    records[1] = "no molecule\n"
    records[2] = records[2].replace(">  <pIC50>", ">  <pIC51>")
    texas = Chem.MolToMolBlock(Chem.MolFromSmiles("CC(C)(C)(C)C", sanitize=False), kekulize=False)
    records[3] = texas + ">  <pIC50>\n7\n\n"
    path.write_text("$$$$\n".join([*records, ""]))
    start = 1 + len(records[0].splitlines()) + 1
    with pytest.raises(ValueError, match=rf"mols.sdf, molecule 2, line {start}: the fourth"):
        read_sdf(path, target="pIC50")
    with pytest.warns(UserWarning, match="3 of 4 rows were left out") as caught:
        graphs, y = read_sdf(path, target="pIC50", id="_Name", errors="skip")
    message = str(caught[0].message)
    assert "(there is no value of 'pIC50')" in message
    assert "(RDKit cannot use the molecule: Explicit valence for atom # 1 C, 5" in message
    assert caught[0].filename == __file__
    assert graphs == Graphs.from_smiles(["CCO"], ids=["mol 0"])
    assert y.tolist() == [0.5]
    assert capfd.readouterr().err == ""


def test_blank_lines_take_no_memory_and_are_counted(path):
    text = path.read_text()
    path.write_text("\n" * 500_000)
    tracemalloc.start()
    with pytest.raises(ValueError, match="mols.sdf has no molecules"):
        read_sdf(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000
    path.write_text(text + "\n" * 9 + text)
    start = text.count("\n") + 1
    with pytest.warns(UserWarning, match=rf"1 of 8 rows .* molecule 5, line {start} \(the"):
        assert len(read_sdf(path, errors="skip")[0]) == 7


def test_names_that_do_not_occur_are_refused(path, tmp_path):
    with pytest.raises(ValueError, match="no property 'pIC5', it has .*; did you mean 'pIC50'?"):
        read_sdf(path, target="pIC5")
    with pytest.raises(ValueError, match="no property 'Code', .*did you mean 'code'?"):
        read_sdf(path, id="Code")
    (tmp_path / "empty.sdf").write_text("\n\n")
    with pytest.raises(ValueError, match="empty.sdf has no molecules"):
        read_sdf(tmp_path / "empty.sdf")
    with pytest.raises(ValueError, match="holds more than 100 bytes"):
        read_sdf(path, max_bytes=100)


def test_more_records_than_memory_has_room_for_are_refused_on_the_way(path, monkeypatch):
    path.write_text("$$$$\n" * 40_000)
    monkeypatch.setattr("grafik.datasets.within_memory._STEP", 10**6)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 1.1e7)
    message = rf"first 2\d{{4}} molecules of {path} takes 1.* MB, but only .*; split the file"
    with pytest.raises(MemoryError, match=message):
        read_sdf(path)


def test_records_without_lines_are_named(path):
    path.write_text("\n$$$$\n")
    with pytest.raises(ValueError, match="mols.sdf, molecule 1, line 1: the record is empty; corr"):
        read_sdf(path)


@pytest.mark.parametrize("record", ["", " \n" * 9, "x\n\n\n"])
@pytest.mark.parametrize("errors", ["raise", "skip"])
def test_very_many_records_that_are_too_short_are_refused(path, record, errors):
    whole = path.read_text()
    path.write_text(whole + f"{record}$$$$\n" * 70_000)
    line = whole.count("\n") + 1 + 65_536 * (record.count("\n") + 1)
    message = f"mols.sdf, molecule 65541, line {line}: the last 65537 records are too short for a "
    with pytest.raises(ValueError, match=message):
        read_sdf(path, errors=errors)


@pytest.mark.filterwarnings("ignore:mols.sdf. 9 of 13 rows were left out")
def test_short_records_between_molecules_are_left_out(path, monkeypatch):
    expected = read_sdf(path)[0]
    monkeypatch.setattr(sdf_files, "_SHORT", 3)
    records = path.read_text().split("$$$$\n")[:-1]
    mixed = [text for one in records[:3] for text in ("x\n", "", "\n" * 9, one)]
    path.write_text("$$$$\n".join([*mixed, records[3], ""]))
    assert read_sdf(path, errors="skip")[0] == expected
