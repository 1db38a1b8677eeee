"""Targets of tables: large integers, and numbers that are written with commas."""

from decimal import Decimal

import numpy as np
import pytest

from grafik.datasets import read_csv


@pytest.fixture
def write(tmp_path):
    """A function that writes a table of ethane with some targets, and returns its path."""

    def write(*targets):
        path = tmp_path / "mols.csv"
        path.write_text("".join(["smiles;y;z\n", *(f"CC;{one};1\n" for one in targets)]))
        return path

    return write


@pytest.mark.parametrize(
    "texts",
    [
        ["9007199254740993", "9007199254740992", "1"],
        [
            "-9223372036854775808",
            "9223372036854775807",
            "9000000000000000001",
            "+5",
            "007",
            "2.0",
            "3e2",
        ],
        ["9007199254740993.0", "9007199254740992.00"],
        ["0" * 5000 + "9007199254740993", "-" + "0" * 5000 + "9007199254740993"],
    ],
)
def test_whole_numbers_of_64_bits_are_exact(write, texts):
    y = read_csv(write(*texts), target="y")[1]
    assert y.dtype == np.int64
    assert y.tolist() == [int(Decimal(one)) for one in texts]


@pytest.mark.parametrize("other", ["0.5", "9223372036854775808", "1e20"])
def test_whole_numbers_that_floats_do_not_hold_are_refused(write, other):
    path = write("9007199254740993", "9007199254740992", other)
    message = r"line 2: 'y' has 9007199254740993, which no floating .* 9007199254740992; correct it"
    with pytest.raises(ValueError, match=message):
        read_csv(path, target="y")
    with pytest.warns(UserWarning, match=r"1 of 3 rows was left out: line 2"):
        y = read_csv(path, target="y", errors="skip")[1]
    assert y.tolist() == [9007199254740992.0, float(other)]


def test_several_targets_are_floats_which_do_not_hold_all_integers(write):
    path = write("9007199254740993", "9007199254740992")
    with pytest.raises(ValueError, match=r"line 2: 'y' has 9007199254740993, which no floating"):
        read_csv(path, target=["y", "z"])
    assert read_csv(write("9007199254740992"), target=["y", "z"])[1].tolist() == [[2.0**53, 1]]


def test_very_large_numbers_are_floats(write):
    texts = ["1e300", "6.02214076e23", "1e23", str(2**70)]
    assert read_csv(write(*texts), target="y")[1].tolist() == list(map(float, texts))


@pytest.mark.parametrize(
    ("texts", "first"),
    [(["-0,31", "2,13"], 0), (["x", "1,5", "3,5e-2"], 1), (["1.234,5"], 0)],
)
def test_numbers_with_commas_are_named(write, texts, first):
    message = f"'y' is read as text, .* line {first + 2} has '{texts[first]}'; write decimal points"
    with pytest.warns(UserWarning, match=message) as caught:
        assert read_csv(write(*texts), target="y")[1].tolist() == texts
    assert caught[0].filename == __file__


@pytest.mark.parametrize("texts", [["a", "b"], ["1,5", "a", "b"], ["a,1", "b,2"], ["1,2,3"]])
def test_other_texts_with_commas_are_classes(write, texts):
    assert read_csv(write(*texts), target="y")[1].tolist() == texts
