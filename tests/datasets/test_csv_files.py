"""Molecules from tables: what is read, what is left out, and every refusal."""

import gzip
import pathlib
import resource

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from grafik import Graphs
from grafik.datasets import read_csv

TABLE = "name,smiles,y\nethanol,CCO,1\nbenzene,c1ccccc1,0\nwater,O,1\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="mols.csv"):
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (TABLE, "mols.csv"),
        (TABLE, "mols.csv.gz"),
        (TABLE.rstrip("\n"), "mols.csv"),
        (TABLE.replace("\n", "\r\n"), "mols.csv"),
        (TABLE.replace("\n", "\r"), "mols.csv"),
        ("\ufeff" + TABLE, "mols.csv"),
        (TABLE.replace(",", "\t"), "mols.tsv"),
        (TABLE.replace(",", ";"), "mols.csv.gz"),
        (TABLE.replace(",", ", "), "mols.txt"),
        ("\n\n" + TABLE.replace("\nwater", "\n\n,,\nwater") + "\n\n", "mols.csv"),
        (TABLE.replace("CCO", '"CCO"').replace("name", '"name"'), "mols.csv"),
    ],
)
def test_tables_in_all_their_spellings(text, name, write):
    graphs, y = read_csv(write(text, name), target="y", id="name")
    expected = Graphs.from_smiles(["CCO", "c1ccccc1", "O"], ids=["ethanol", "benzene", "water"])
    assert graphs == expected
    assert_array_equal(y, [1, 0, 1])
    assert y.dtype == np.int64


def test_options_are_those_of_from_smiles(write):
    path = write("drug\nC[C@H](N)C(=O)O\n")
    options = {"atoms": "typed", "bonds": False, "hydrogens": True, "chirality": True}
    graphs, y = read_csv(path, smiles="drug", **options)
    assert graphs == Graphs.from_smiles("C[C@H](N)C(=O)O", **options)
    assert y is None


@pytest.mark.parametrize(
    ("values", "expected", "kind"),
    [
        (["1", "0"], [1, 0], "i"),
        (["1.0", "-2e3"], [1, -2000], "i"),
        (["1.5", "2"], [1.5, 2.0], "f"),
        (["toxic", "safe"], ["toxic", "safe"], "U"),
        (["Na", "K"], ["Na", "K"], "U"),
        (["True", "False"], ["True", "False"], "U"),
    ],
)
def test_targets_are_numbers_or_texts(values, expected, kind, write):
    rows = "".join(f"C,{value}\n" for value in values)
    _, y = read_csv(write("smiles,y\n" + rows), target="y")
    assert y.tolist() == expected
    assert y.dtype.kind == kind


def test_several_targets_are_columns_of_floats(write):
    path = write("smiles,a,b\nC,1,2.5\nO,3,4\n")
    _, y = read_csv(path, target=["b", "a"])
    assert y.tolist() == [[2.5, 1.0], [4.0, 3.0]]
    assert y.dtype == np.float64
    assert read_csv(path, target=["a"])[1].tolist() == [[1.0], [3.0]]


BAD_ROWS = [
    ("C1CC,1", "RDKit cannot parse the SMILES 'C1CC'"),
    (",1", "the SMILES string is empty"),
    ("C,", "there is no value of 'y'"),
    ("C,NA", "there is no value of 'y'"),
    ("C,#N/A", "there is no value of 'y'"),
    ("C,>10", "'y' must be a finite number, got '>10'"),
    ("C,inf", "'y' must be a finite number, got 'inf'"),
    ("C,1_0", "'y' must be a finite number, got '1_0'"),
    ("C,1,2", "the row has 3 fields, the first line names 2"),
    ("C", "the row has 1 field, the first line names 2"),
]


@pytest.mark.parametrize(("row", "message"), BAD_ROWS)
def test_bad_rows_are_named_or_left_out(row, message, write, capfd):
    path = write(f"smiles,y\nCC,0.5\n{row}\nO,2\n")
    with pytest.raises(ValueError, match=rf"mols.csv, line 3: {message}; .*errors='skip'$"):
        read_csv(path, target="y")
    with pytest.warns(UserWarning, match=rf"mols.csv: 1 of 3 rows .* line 3 \({message}") as caught:
        graphs, y = read_csv(path, target="y", errors="skip")
    assert caught[0].filename == __file__
    assert graphs == Graphs.from_smiles(["CC", "O"])
    assert y.tolist() == [0.5, 2.0]
    assert capfd.readouterr().err == ""


MOLECULES = ["CCO", "c1ccccc1", "O", "CC(=O)[O-]", "C1CC", "", "N", "not a molecule"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(MOLECULES), st.sampled_from(["1", "2.5", "-3", "", "NA", "nan"])),
        min_size=1,
    )
)
@pytest.mark.filterwarnings("ignore:mols.csv")
def test_graphs_targets_and_ids_stay_aligned(rows, write):
    """What is kept is what a loop over the rows would keep."""
    text = "".join(f"{n},{smiles},{y}\n" for n, (smiles, y) in enumerate(rows))
    kept = [
        (str(n), smiles, float(y))
        for n, (smiles, y) in enumerate(rows)
        if smiles not in ("C1CC", "", "not a molecule") and y not in ("", "NA", "nan")
    ]
    path = write("n,smiles,y\n" + text)
    if not kept:
        with pytest.raises(ValueError, match="no row can be used; line 2"):
            read_csv(path, target="y", id="n", errors="skip")
        return
    graphs, y = read_csv(path, target="y", id="n", errors="skip")
    ids, smiles, expected = zip(*kept, strict=True)
    assert graphs == Graphs.from_smiles(smiles, ids=ids)
    assert y.tolist() == list(expected)


def test_a_warning_names_ten_rows_at_most(write):
    path = write("smiles,y\nC,1\n" + "C,\n" * 12)
    with pytest.warns(UserWarning, match=r"12 of 13 rows .*line 12 \([^)]*\) and 2 more$"):
        read_csv(path, target="y", errors="skip")


def test_lines_are_counted_in_the_file(write):
    path = write('\n"smiles",note\nC,"two\nlines"\n\n')
    assert len(read_csv(path)[0]) == 1
    path = write('\n"smiles",note\nC,"two\nlines"\nC1,x\n')
    with pytest.raises(ValueError, match="line 5: RDKit"):
        read_csv(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smiles": "SMILES"}, "no column 'SMILES', it has 'name', 'smiles', 'y'; .*'smiles'"),
        ({"target": "x"}, "mols.csv has no column 'x', it has 'name', 'smiles', 'y'$"),
        ({"target": ["y", "Y "]}, "no column 'Y '.*; did you mean 'y'?"),
        ({"id": "names"}, "no column 'names'.*; did you mean 'name'?"),
        ({"errors": "empty"}, "errors must be"),
        ({"atoms": "x"}, "atoms must be"),
        ({"max_bytes": 20}, "holds more than 20 bytes; if that is right, raise max_bytes"),
    ],
)
def test_wrong_options_are_named_with_the_remedy(options, message, write):
    for name in ("mols.csv", "mols.csv.gz"):
        if "mols.csv" in message and name.endswith("gz"):
            continue
        with pytest.raises(ValueError, match=message):
            read_csv(write(TABLE, name), **options)


@pytest.mark.parametrize("target", [5, [], ["y", 3], {"y"}])
def test_targets_are_names(target, write):
    with pytest.raises(TypeError, match="target must be a name, a list of names or None"):
        read_csv(write(TABLE), target=target)


def test_the_column_of_ids_has_a_name(write):
    with pytest.raises(TypeError, match="id must be a name or None, got 3"):
        read_csv(write(TABLE), id=3)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "mols.csv", "mols.csv is empty"),
        ("\n \n", "mols.csv", "mols.csv is empty"),
        ('"smiles\nC\n', "mols.csv", "mols.csv, line 1: expected names of columns, got '\"smiles"),
        ("smiles,smiles\nC,C\n", "mols.csv", "has 2 columns 'smiles'; give them other names"),
        ('smiles\nC\n"CC', "mols.csv", "line 3: not a row of a table: unexpected end of data"),
        ('smiles\nC\n"C"C\n', "mols.csv", "line 3: not a row of a table"),
        (b"smiles,y\nC,a\0\n", "mols.csv", "line 2: holds a NUL; the file is damaged"),
        (b"smiles\nC\n\xff\xfe\n", "mols.csv", "not UTF-8 text .*; save the file as UTF-8"),
        (b"PK\x03\x04xxxx", "mols.csv", "is a zip, as spreadsheets are; save it as CSV"),
        (b"\x1f\x8b\x08\x00garbage", "mols.csv", "is damaged"),
        ("smiles\n" + "C" * 200_000, "mols.csv", "line 2: not a row of a table: field larger"),
        ("smiles\n" + "C" * 2_000_000, "mols.csv", "line 2: longer than 1048576 letters"),
        ("smiles\n" + "C" * 2_000_000, "mols.csv.gz", "line 2: longer than 1048576 letters"),
    ],
)
def test_files_that_are_no_table_are_refused(text, name, message, write):
    for errors in ("raise", "skip"):
        with pytest.raises(ValueError, match=message):
            read_csv(write(text, name), errors=errors)


def test_a_truncated_file_is_damaged(write):
    whole = gzip.compress(TABLE.encode() * 50)
    with pytest.raises(ValueError, match="is damaged"):
        read_csv(write(whole[:-12], "mols.csv"))


def test_paths_that_are_no_file(tmp_path, write):
    write(TABLE)
    with pytest.raises(FileNotFoundError, match="there is no file .*; did you mean .*mols.csv"):
        read_csv(tmp_path / "mol.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_csv(tmp_path)


@pytest.mark.parametrize("text", ["smiles,y", "smiles,y\n", "\nsmiles,y\n\n,\n"])
@pytest.mark.parametrize("errors", ["raise", "skip"])
def test_a_table_without_rows_is_refused(text, errors, write):
    with pytest.raises(ValueError, match="^mols.csv has no molecules: there is nothing below the"):
        read_csv(write(text), target="y", errors=errors)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["2", "1a"], "'y' is read as text, as only 1 of 2 values are numbers; line 3 has '1a'"),
        (["", ">9", "low", "3"], "only 1 of 3 values are numbers; line 3 has '>9'; correct such"),
    ],
)
@pytest.mark.filterwarnings("ignore:mols.csv. 1 of 4 rows was left out")
def test_numbers_among_texts_are_warned_of(values, message, write):
    path = write("smiles,y\n" + "".join(f"C,{value}\n" for value in values))
    with pytest.warns(UserWarning, match="is read as text") as caught:
        _, y = read_csv(path, target="y", errors="skip")
    assert y.tolist() == [value for value in values if value]
    assert message in str(caught[-1].message)
    assert caught[-1].filename == __file__


def test_several_targets_must_be_numbers(write):
    path = write("smiles,a,b\nC,1,low\nO,3,high\n")
    message = "'b' must be a finite number, as several targets must be numbers, got 'low'"
    with pytest.raises(ValueError, match=f"mols.csv, line 2: {message}"):
        read_csv(path, target=["a", "b"])
    with pytest.raises(ValueError, match=f"no row can be used; line 2: {message}"):
        read_csv(path, target=["a", "b"], errors="skip")


def test_how_to_name_the_column_of_smiles_is_said(tmp_path):
    path = tmp_path / "mols.csv"
    path.write_text("structure,y\nCCO,1\n")
    with pytest.raises(ValueError, match="no column 'smiles'.*smiles='COLUMN', or --smiles COLUMN"):
        read_csv(path)
    with pytest.raises(ValueError, match="no column 'z', it has 'structure', 'y'$"):
        read_csv(path, smiles="structure", target="z")


def test_more_rows_than_memory_has_room_for_are_refused_on_the_way(write, monkeypatch):
    path = write("smiles\n" + "CCCCCC\n" * 12_000 + '"')
    monkeypatch.setattr("grafik.datasets.within_memory._STEP", 10**6)
    monkeypatch.setattr("grafik.system.memory.available", lambda: 1.1e7)
    message = rf"first {{}} molecules of {path} takes 11.\d MB, but only .*; split the file"
    with pytest.raises(MemoryError, match=message.format(r"6\d{3}")):
        read_csv(path)
    with pytest.raises(MemoryError, match=message.format(r"4\d{3}")):
        read_csv(path, hydrogens=True)


@pytest.mark.filterwarnings("ignore:mols.csv. 2 of 5 rows were left out")
@pytest.mark.parametrize("label", [float("nan"), ["a", "list"], KeyError("O")], ids=repr)
def test_errors_of_atoms_name_the_line(label, write):
    def atoms(atom):
        if atom.GetSymbol() != "O":
            return "x"
        if isinstance(label, Exception):
            raise label
        return label

    path = write("smiles,y\nCC,1\nC1,1\nCC,\n\nCC,2\nCCO,3\n")
    with pytest.raises((ValueError, KeyError)) as caught:
        read_csv(path, target="y", errors="skip", atoms=atoms)
    if isinstance(label, Exception):
        assert caught.value.__notes__ == ["atoms= was called with atom 2 of mols.csv, line 7"]
    else:
        assert str(caught.value).startswith("mols.csv, line 7, vertex 2: ")


def test_molecules_are_not_kept_once_they_are_graphs(write):
    """All at once they would take 6 kB each, which only the system sees."""
    statm = pathlib.Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("the system does not say how much memory a process takes")
    path = write("smiles\n" + "CCCCCC\n" * 5000)
    kept = []
    monitor = lambda atom: kept.append(int(statm.read_text().split()[1])) or "C"  # noqa: E731
    assert len(read_csv(path, atoms=monitor)[0]) == 5000
    assert (kept[-1] - kept[500]) * resource.getpagesize() < 10_000_000
