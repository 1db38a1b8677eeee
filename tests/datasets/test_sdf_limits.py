"""Records of SDF files that would take all memory, or RDKit too long, are refused."""

import pytest
from rdkit import Chem

from grafik import Graphs
from grafik.datasets import read_sdf, sdf_records, sdf_rings
from grafik.system import memory

CHAIN = [(i, i + 1) for i in range(59)]
LADDER = [*CHAIN[:29], *CHAIN[30:], *((i, i + 30) for i in range(30))]
RECORD = """
     x

  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS {} {} 0 0 0
M  V30 BEGIN ATOM
{}M  V30 END ATOM
M  V30 BEGIN BOND
{}M  V30 END BOND
M  V30 END CTAB
M  END
$$$$
"""


def record(n_atoms, bonds):
    """A record of carbon atoms."""
    atoms = [f"M  V30 {i + 1} C {i} 0 0 0\n" for i in range(n_atoms)]
    lines = [f"M  V30 {i + 1} 1 {u + 1} {v + 1}\n" for i, (u, v) in enumerate(bonds)]
    return RECORD.format(n_atoms, len(bonds), "".join(atoms), "".join(lines))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.sdf"


@pytest.fixture
def lower(monkeypatch):
    """Lower limits, for small molecules."""
    monkeypatch.setattr(sdf_rings, "_MOST_RINGS", 28)
    monkeypatch.setattr(sdf_rings, "_MOST_BONDS", 50)


def test_a_record_that_never_ends_is_refused(path, monkeypatch):
    monkeypatch.setattr(sdf_records, "_LINES", 1000)
    path.write_text(record(3, CHAIN[:2]) + "x\n" * 1001)
    message = "x.sdf, molecule 2, line 19: the record has more than 1,000 lines; is a line 'M  END'"
    with pytest.raises(ValueError, match=message.replace("M  END", r"\$\$\$\$")):
        read_sdf(path, errors="skip")
    path.write_text(record(3, CHAIN[:2]) + "x\n" * 1000)
    with pytest.warns(UserWarning, match="1 of 2 rows was left out"):
        assert len(read_sdf(path, errors="skip")[0]) == 1


def test_a_record_of_a_million_atoms_is_not_too_long():
    """Each atom and each of twice as many bonds may take two lines, as they have 80 letters."""
    assert sdf_records._LINES > 6_000_000


def test_a_record_that_does_not_fit_in_memory_is_refused(path, monkeypatch):
    monkeypatch.setattr(memory, "_STEP", 10**6)
    monkeypatch.setattr(memory, "available", lambda: 1.2e7)
    path.write_text(record(3, CHAIN[:2]) + ("x" * 10_000 + "\n") * 1500)
    with pytest.raises(
        MemoryError, match=r"from line 19 of x\.sdf takes 1\d.* MB, but only .*; is"
    ):
        read_sdf(path)


@pytest.mark.parametrize("bonds", [LADDER, [*CHAIN, (59, 0)], [*CHAIN[:-1], (30, 59)]])
def test_molecules_that_take_rdkit_too_long_are_refused(path, lower, bonds):
    path.write_text(record(60, bonds))
    with pytest.raises(ValueError, match=r"line 1: .* take RDKit too long; .*from_smiles"):
        read_sdf(path)


def test_atoms_and_molecules_beside_it_do_not_hide_rings(path, lower):
    path.write_text(record(260, [*LADDER, *((i, i + 1) for i in range(60, 260, 2))]))
    with pytest.raises(ValueError, match=r"line 1: the molecule has 29 rings, and more than 28 ta"):
        read_sdf(path)


@pytest.mark.parametrize("bonds", [CHAIN, [(i, i + 1) for i in range(0, 59, 2)], LADDER[:49]])
def test_large_molecules_that_do_no_harm_are_read(path, lower, bonds):
    text = record(60, bonds)
    path.write_text(text)
    graphs, _ = read_sdf(path)
    assert graphs == Graphs.from_smiles([Chem.MolFromMolBlock(text.removesuffix("$$$$\n"))])


def test_lines_that_go_on_are_one_bond():
    lines = record(60, LADDER).replace("M  V30 7 1 7 8\n", "M  V30 7 1 7 8 -\nM  V30 CFG=1\n")
    assert sdf_rings.rings_and_bonds(lines)[:2] == (29, 88)


def test_chains_of_thousands_of_atoms_are_read(path):
    path.write_text(record(30_000, [(i, i + 1) for i in range(29_999)]))
    assert read_sdf(path)[0].n_nodes.tolist() == [30_000]


def test_beginnings_without_an_end_are_passed_over_in_linear_time():
    block = "M  V30 BEGIN BOND\n" * 100_000
    assert sdf_rings.rings_and_bonds(block) == (0, 0, False)
    assert sdf_rings.rings_and_bonds(block + "M  V30 END BOND\n")[1] == 99_999
