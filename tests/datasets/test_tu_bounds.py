"""Bounds of readers of TU files: what is just allowed is read, and one more is not."""

import struct
import zipfile

import numpy as np
import pytest

from grafik import datasets
from grafik.datasets import text_lines, tu_tables, tu_words
from grafik.datasets.tu_folders import names_below
from tu_files import members, write, zipped


def touch(folder, n, name="X_{}.txt"):
    folder.mkdir(parents=True)
    for number in range(n):
        (folder / name.format(number)).touch()


def test_three_folders_deep_is_looked_and_no_deeper(tmp_path):
    for place in ("1/2/3", "1/2/3/4"):
        touch(tmp_path / place, 1, "X_node_labels.txt")
    assert names_below(tmp_path, "X") == ["1/2/3/X_node_labels.txt"]


def test_a_hundred_folders_are_looked_at(tmp_path):
    for number in range(103):
        touch(tmp_path / "many" / f"{number:03}", 1, "X_node_labels.txt")
    found = names_below(tmp_path / "many", "X")
    assert found == [f"{number:03}/X_node_labels.txt" for number in range(100)]


def test_a_thousand_names_are_looked_at(tmp_path):
    touch(tmp_path / "long" / "sub", 1001)
    assert len(names_below(tmp_path / "long", "X")) == 1000


def test_a_zip_may_have_a_thousand_members(tmp_path):
    notes = [(f"SMALL/note-{number}.md", "") for number in range(1001 - len(members()))]
    path = zipped(tmp_path / "SMALL.zip", [*members(), *notes[1:]])
    assert len(datasets.read_tu(path)[0]) == 2
    zipped(path, [*members(), *notes])
    with pytest.raises(ValueError, match="is refused: it has more than 1000 members"):
        datasets.read_tu(path)


@pytest.mark.parametrize(("count", "right"), [(65535, True), (65534, False)])
def test_only_the_largest_number_of_members_stands_for_one_elsewhere(tmp_path, count, right):
    path = zipped(tmp_path / "SMALL.zip", members())
    data = bytearray(path.read_bytes())
    struct.pack_into("<H", data, len(data) - 12, count)
    path.write_bytes(data)
    if right:
        assert len(datasets.read_tu(path)[0]) == 2
    else:
        with pytest.raises(ValueError, match="it has 65534 members, but lists 7"):
            datasets.read_tu(path)


def test_the_start_of_a_long_name_is_shown(tmp_path):
    path = zipped(tmp_path / "SMALL.zip", [*members(), ("abcde" * 60, "")])
    with pytest.raises(ValueError, match=f", of 300 letters, '{'abcde' * 8}...'"):
        datasets.read_tu(path)


def test_five_of_many_data_sets_are_named(tmp_path):
    names = [f"D{number}/D{number}_A.txt" for number in range(6)]
    path = zipped(tmp_path / "all.zip", [(name, "1, 2\n") for name in names])
    with pytest.raises(ValueError, match=r"more than one data set: .*D0.*D4[^D]*, \.\.\."):
        datasets.read_tu(path)


def test_a_member_with_other_bytes_is_named(tmp_path):
    path = tmp_path / "SMALL.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, text in members():
            file.writestr(name, text)
    data = path.read_bytes()
    before = dict(members())["SMALL/SMALL_node_labels.txt"].encode()
    assert data.count(before) == 1
    path.write_bytes(data.replace(before, before.replace(b"4", b"7")))
    with pytest.raises(ValueError, match=r"zip is damaged: SMALL/SMALL_node_labels.txt: Bad CRC"):
        datasets.read_tu(path)


def test_exponents_may_have_a_plus():
    assert tu_tables._parse(b"1e+5\n2", np.float64, 1).tolist() == [[1e5], [2.0]]
    assert tu_tables._parse(b"+1\n2", np.float64, 1) is None


def test_a_million_blank_lines_may_follow_one_another(tmp_path):
    path = tmp_path / "blank"
    path.write_text("a\n" + "\n" * (1 << 20) + "b\n")
    assert sum(1 for _ in text_lines.text_lines(path, 1 << 30)) == (1 << 20) + 2
    path.write_text("a\n" + "\n" * ((1 << 20) + 1) + "b\n")
    with pytest.raises(ValueError, match="blank"):
        list(text_lines.text_lines(path, 1 << 30))


@pytest.mark.parametrize(("last", "right"), [(1_000_100, True), (1_000_101, False)])
def test_a_million_graphs_may_be_without_vertices(tmp_path, last, right):
    folder = write(tmp_path / "SMALL", {"A": "", "graph_indicator": f"{last}\n"})
    if right:
        assert len(datasets.read_tu(folder)[0]) == last
    else:
        with pytest.raises(ValueError, match=str(last)):
            datasets.read_tu(folder)


def test_words_of_the_name_of_a_data_set_explain_nothing():
    assert tu_words._continued("key_node_labels_new.txt", "key") == ("node_labels",)
    assert tu_words._continued("x_node_labels_key.txt", "x") == ()
