"""Records of SDF files: where they end, and which properties they have, compared with RDKit."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem, rdBase

from grafik.datasets import read_sdf, sdf_records

ETHANOL, BENZENE = (Chem.MolToMolBlock(Chem.MolFromSmiles(one)) for one in ("CCO", "c1ccccc1"))
ENDS = len(ETHANOL.splitlines())  # the line with M  END


def with_p(block, value):
    return f"{block}> <p>\n{value}\n\n"


@pytest.fixture
def written(tmp_path):
    """A function that writes a file and returns its path."""

    def write(text):
        path = tmp_path / "x.sdf"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("end", ["$$$$", "$$$$x", "$$$$  ", "$$$$ 5"])
def test_whatever_starts_with_four_dollars_ends_a_record(written, end):
    path = written(with_p(ETHANOL, 1) + end + "\n" + with_p(BENZENE, 2) + "$$$$\n")
    with Chem.SDMolSupplier(str(path)) as molecules:
        expected = [(m.GetNumAtoms(), int(m.GetProp("p"))) for m in molecules]
    graphs, y = read_sdf(path, target="p")
    assert list(zip(graphs.n_nodes, y, strict=True)) == expected == [(3, 1), (6, 2)]


@pytest.mark.parametrize("end", ["$$$%", "$$$", " $$$$", ""])
@pytest.mark.parametrize("blank", ["", "\n"])
@pytest.mark.parametrize("target", [None, "p"])
def test_two_molecules_in_a_record_are_refused(written, end, blank, target):
    first = with_p(ETHANOL, 1).removesuffix("\n") + blank + end
    third = "$$$$\n" + with_p(ETHANOL, 3)
    path = written(f"{first}\n{with_p(BENZENE, 2)}{third}")
    with pytest.raises(ValueError, match=r"x\.sdf, molecule 1, line 1: line \d+ .*\$\$\$\$"):
        read_sdf(path, target=target)
    with pytest.warns(UserWarning, match=r"1 of 2 rows was left out: molecule 1, line 1 \(line"):
        graphs, y = read_sdf(path, target=target, errors="skip")
    assert graphs.n_nodes.tolist() == [3]
    assert y is None or y.tolist() == [3]


def test_two_molecules_without_properties_in_a_record_are_refused(written):
    path = written(f"{ETHANOL}$$$%\n{BENZENE}$$$$\n")
    with pytest.raises(ValueError, match=rf"line {ENDS + 1 + len(BENZENE.splitlines())} .*M  END"):
        read_sdf(path)


def test_a_property_that_is_read_has_one_value(written):
    path = written(with_p(with_p(ETHANOL, 1), 2))
    with pytest.raises(ValueError, match=rf"line 1: line {ENDS + 4} gives .* 'p' another value; c"):
        read_sdf(path, target="p")
    with pytest.raises(ValueError, match="gives the property 'p' another value"):
        read_sdf(path, id="p")
    assert len(read_sdf(path)[0]) == 1
    assert read_sdf(written(with_p(with_p(ETHANOL, 1), 1)), target="p")[1].tolist() == [1]


@pytest.mark.parametrize("errors", ["raise", "skip"])
def test_properties_below_what_is_wrong_are_known(written, errors):
    path = written(ETHANOL + "> <p>\n1\n\ntext\n\n>  <q>  (1)\n2\n\n$$$$\n")
    with pytest.raises(ValueError, match=r"line \d+ 'text' belongs to no property"):
        read_sdf(path, target="q", errors=errors)


def test_a_header_without_a_name_names_nothing(written):
    path = written(ETHANOL + "> 25\n1\n> <q>\n2\n\n> <p>\n3\n\n$$$$\n")
    with pytest.raises(ValueError, match="belongs to the value of a property without a name; put"):
        read_sdf(path, target="q")
    assert read_sdf(path, target="p")[1].tolist() == [3]


def test_a_record_without_an_end_of_the_molecule_is_named(written):
    path = written(with_p(ETHANOL, 1).replace("M  END\n", "") + "$$$$\n")
    with pytest.raises(ValueError, match="molecule 1, line 1: the record has no line 'M  END'"):
        read_sdf(path, target="p")
    path = written(with_p(ETHANOL, 1) + "$$$$\n" + path.read_text())
    with pytest.raises(ValueError, match=f"molecule 2, line {ENDS + 5}: the record has no line"):
        read_sdf(path, target="p")
    with pytest.raises(ValueError, match="x.sdf has no property 'q', it has 'p'"):
        read_sdf(path, target="q")


@pytest.mark.parametrize(
    "value", ["low\n> 5 <10>", ">5 or <10", "<p>", "a \n b", "1\n  \n3", "1\nM  END\n2", "> <"]
)
def test_values_may_look_like_much_else(written, value):
    path = written(with_p(ETHANOL, value) + "> <q>\n7\n\n$$$$\n")
    assert read_sdf(path, target="p")[1].tolist() == [value]
    assert read_sdf(path, target="q")[1].tolist() == [7]


@pytest.mark.parametrize("name", ["p", "q"])
@pytest.mark.parametrize("between", ["", "  \n"])
def test_properties_without_an_empty_line_between_are_refused(written, name, between):
    path = written(f"{ETHANOL}> <p>\n1\n{between}>  <q>  (1) \n2\n\n$$$$\n")
    line = ENDS + 3 + bool(between)
    message = rf"line 1: line {line} '>  <q>  \(1\)' .* value of 'p'; put an empty line before it"
    with pytest.raises(ValueError, match=message):
        read_sdf(path, target=name)
    assert len(read_sdf(path)[0]) == 1


def test_text_above_the_first_property_is_passed_over():
    lines = ["water", "", "", "0", "M  END", "nobody's", "", "> <y>", "1", ""]
    assert sdf_records.parts(lines, 1, {"y"})[1] == {"_Name": "water", "y": "1"}


def test_long_values_are_read_in_linear_time():
    lines = ["", "", "", "0", "M  END", "> <p>", *["x" * 9] * 300_000]
    found = sdf_records.parts(lines, 1, {"p"})[1]
    assert len(found["p"]) == 2_999_999


NAMES = ["p", "q", "a b", "p<q"]
FORMS = ["> <{}>", ">  <{}>  (1) ", "><{}>", " > 5 <{}>", ">(A>) <{}>"]
HEADERS = st.builds(str.format, st.sampled_from(FORMS), st.sampled_from(NAMES))
BLANK = st.sampled_from([" ", "\t "])
TEXTS = st.one_of(
    st.text("ab0 .<>$M-\t", min_size=1, max_size=5).filter(lambda one: one[:4] != "$$$$"),
    st.sampled_from(["M  END", "$$$", "> <p> (A>B)", "1.5"]),
)
VALUES = st.lists(st.one_of(TEXTS, BLANK, HEADERS), max_size=4)
LIKE_A_HEADER = re.compile(r"\s*>\s*<.+>\s*(\(.*\))?\s*")


def test_a_name_may_hold_the_sign_that_ends_it():
    """Older versions of RDKit end it at the first one, others at the last."""
    lines = [*ETHANOL.splitlines(), "> <p>q>", "1", ""]
    assert sdf_records.parts(lines, 1, {"p>q"})[1]["p>q"] == "1"


@settings(max_examples=200)
@given(st.lists(st.tuples(HEADERS, VALUES, st.integers(1, 2)), max_size=4))
def test_properties_are_those_of_rdkit(blocks):
    lines = [line for header, value, n in blocks for line in [header, *value, *[""] * n]]
    with rdBase.BlockLogs():
        supplier = Chem.SDMolSupplier()
        supplier.SetData(ETHANOL + "\n".join([*lines, "$$$$", ""]))
        (molecule,) = supplier
    in_doubt = any(LIKE_A_HEADER.fullmatch(one) for _, value, _ in blocks for one in value)
    for name in filter(molecule.HasProp, NAMES):
        read, found = sdf_records.parts([*ETHANOL.splitlines(), *lines], 1, {name})
        if isinstance(read, str):
            assert read == ETHANOL
            assert found[name] == molecule.GetProp(name).strip()
        else:
            assert in_doubt or "another value" in read.reason


def test_counts_that_are_no_numbers_cannot_be_parsed(written):
    path = written("a\n\n\nno numbers\nM  END\n$$$$\n")
    with pytest.raises(ValueError, match="molecule 1, line 1: RDKit cannot parse the molecule"):
        read_sdf(path)
