"""Files of a data set whose names are slightly wrong: never silently left out."""

import zipfile

import numpy as np
import pytest

from grafik import datasets
from grafik.datasets.tu_names import PARTS
from tu_files import SMALL, members, write

OTHER_NAMES = [
    "SMALL_node_label.txt",
    "SMALL_Node_Labels.txt",
    "small_node_labels.txt",
    "SMALL_node_labels.TXT",
    "SMALL_node_labels.csv",
    "SMALL_node_labels.txt.bak",
    "SMALL_node_labels_txt",
    "SMALLnodelabels.txt",
    "SMALL-node-labels.txt",
    "SMALL_nodes_labels.txt",
    "SMOLL_node_labels.txt",
]


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_a_name_that_differs_a_little_is_an_error_that_names_both(tmp_path, name):
    folder = write(tmp_path / "SMALL", SMALL)
    (folder / "SMALL_node_labels.txt").rename(folder / name)
    with pytest.raises(ValueError, match="SMALL has no file SMALL_node_labels.txt, but ") as caught:
        datasets.read_tu(folder)
    assert repr(name) in str(caught.value)
    assert datasets.read_tu(folder, ignore=["node_labels"])[0].node_labels is None


def test_where_both_are_there_a_warning_names_them(tmp_path):
    folder = write(tmp_path / "SMALL", SMALL)
    expected = datasets.read_tu(folder)[0]
    (folder / "SMALL_node_labels.csv").write_text("x")
    with pytest.warns(
        UserWarning, match=r"SMALL_node_labels.txt is read, 'SMALL_node_labels.csv' is"
    ):
        graphs = datasets.read_tu(folder)[0]
    assert graphs == expected


@pytest.mark.parametrize(
    "name",
    ["README.txt", "SMALL_README.txt", "SMALL_label_readme.txt", "SMALL_coordinates.txt", "x"],
)
def test_other_files_do_no_harm(tmp_path, name):
    files = {part: SMALL[part] for part in ("A", "graph_indicator")}
    folder = write(tmp_path / "SMALL", files)
    (folder / name).write_text("hello")
    (folder / "._SMALL_node_labels.txt").write_text("what a Mac leaves on other disks")
    assert datasets.read_tu(folder)[0].node_labels is None


@pytest.mark.parametrize("part", PARTS)
def test_no_wrong_byte_in_the_name_of_a_member_loses_it(tmp_path, part):
    whole = f"SMALL/SMALL_{part}.txt"
    path, expected = tmp_path / "SMALL.zip", None
    for at in range(-1, len(whole)):
        for letter in "q.Q/\0\\:_-é" if at >= 0 else " ":
            name = whole if at < 0 else whole[:at] + letter + whole[at + 1 :]
            if at >= 0 and letter == whole[at]:
                continue
            with zipfile.ZipFile(path, "w") as archive:
                for member, text in members():
                    info = zipfile.ZipInfo(member)
                    info.filename = name if member == whole else member
                    archive.writestr(info, text)
            try:
                graphs, y = datasets.read_tu(path)
            except (ValueError, FileNotFoundError) as error:
                assert "SMALL" in str(error)  # noqa: PT017
                continue
            found = graphs, y.tolist()
            expected = found if at < 0 else expected
            assert found == expected, name
    assert expected is not None
    assert np.array_equal(expected[1], [1, -1])
