"""Files of a data set whose names are slightly wrong: never silently left out."""

import zipfile

import numpy as np
import pytest

from grafik import datasets
from grafik.datasets.tu_words import PARTS
from tu_files import SMALL, members, write, zipped

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
    "SMALL_nde_lbels.txt",
    "SMALL_nnode_labbels.txt",
    "SMALL_mode_lapels.txt",
    "SMOLL_node_labels.txt",
    "node_labels.txt",
    "Node labels.TXT",
    "SMALL_node_labels copy.txt",
    "SMALL_node_labels copy 2.txt",
    "Copy of SMALL_node_labels.txt",
    "SMALL_node_labels.txt.crdownload",
    "SMALL_node_labels.txt.download",
    "SMALL_labels.txt",
    "SMALL_label.csv",
    "SMALL_vertex_labels.txt",
    "SMALL_vertices_label.txt",
    "SMALL_node_labels.part1.txt",
    "SMALL_node_labels.part1",
    "SMALL_node_labels.txt.part12",
    "SMALL_node_labels.chunk1.txt",
    "SMALL-Node-Labels.original.csv",
    "SMALL_node_labels_v2.old.txt",
    "node_labels.part1.txt",
    "SMALL_labels_node.txt",
    "SMALL_label_node.txt",
    "SMALL_label_nodes.txt",
    "labels_node.txt",
    "SMALL_atom_labels.txt",
    "SMALL_atoms_label.txt",
    "SMALL_labels_atom.txt",
    "SMALL_node_class.txt",
    "SMALL_node_classes.txt",
    "SMALL_atom_class.txt",
]


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_a_name_that_differs_a_little_is_an_error_that_names_both(tmp_path, name):
    folder = write(tmp_path / "SMALL", SMALL)
    (folder / "SMALL_node_labels.txt").rename(folder / name)
    with pytest.raises(ValueError, match="SMALL has no file SMALL_node_labels.txt, but ") as caught:
        datasets.read_tu(folder)
    assert repr(name) in str(caught.value)
    assert datasets.read_tu(folder, ignore=["node_labels"])[0].node_labels is None


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("edge_labels", "SMALL_bond_labels.txt"),
        ("edge_labels", "SMALL_bonds_class.txt"),
        ("edge_labels", "SMALL_labels_edge.txt"),
        ("edge_attributes", "SMALL_bond_attributes.txt"),
        ("node_attributes", "SMALL_attributes_node.txt"),
        ("node_attributes", "SMALL_atom_attributes.txt"),
        ("graph_attributes", "SMALL_attributes_graph.txt"),
        ("graph_indicator", "SMALL_graph_indicator.part1.txt"),
    ],
)
def test_other_parts_are_not_lost_by_another_name(tmp_path, part, name):
    folder = write(tmp_path / "SMALL", {**SMALL, "graph_attributes": "1\n2\n"})
    (folder / f"SMALL_{part}.txt").rename(folder / name)
    with pytest.raises(ValueError, match=f"no file SMALL_{part}.txt, but {name!r}, .*; rename it"):
        datasets.read_tu(folder)


@pytest.mark.parametrize(
    "name",
    [
        *("graph_labels.txt", "SMALL_classes.txt", "classes.txt", "SMALL_labels.txt"),
        *("SMALL_class.txt", "SMALL_labels_graph.txt", "SMALL_graph_classes.txt"),
    ],
)
def test_classes_are_not_lost_by_another_name(tmp_path, name):
    folder = write(tmp_path / "SMALL", SMALL)
    (folder / "SMALL_graph_labels.txt").rename(folder / name)
    with pytest.raises(
        ValueError, match="SMALL has no file SMALL_graph_labels.txt, but "
    ) as caught:
        datasets.read_tu(folder)
    assert f"{name!r}, which would not be read; rename it to SMALL_gr" in str(caught.value)
    assert "ignore=['graph_labels']" in str(caught.value)


@pytest.mark.parametrize("part", ["node_labels", "graph_labels"])
@pytest.mark.parametrize(
    ("home", "place"),
    [
        ("SMALL/", ""),
        ("", "SMALL/"),
        ("SMALL/", "other/"),
        ("SMALL/", "SMALL/raw/"),
    ],
)
def test_a_member_in_another_folder_is_an_error_that_names_both(tmp_path, part, home, place):
    right, wrong = f"{home}SMALL_{part}.txt", f"{place}SMALL_{part}.txt"
    files = [(wrong if name == right else name, text) for name, text in members(home)]
    path = zipped(tmp_path / "SMALL.zip", files)
    with pytest.raises(ValueError, match=r"SMALL.zip has no file .*, but ") as caught:
        datasets.read_tu(path)
    assert f"no file {right}, but {wrong!r}" in str(caught.value)
    remedy = f"; move it to {right}, beside {home}SMALL_A.txt, or leave it out with"
    assert f"{remedy} ignore=[{part!r}]" in str(caught.value)


def test_a_member_beside_the_folder_of_the_others_is_named_without_a_dot(tmp_path):
    right = "SMALL/SMALL_node_labels.txt"
    files = [(name.replace(right, "./SMALL_node_labels.txt"), text) for name, text in members()]
    message = f"no file {right}, but 'SMALL_node_labels.txt', .*; move it to {right}, beside "
    with pytest.raises(ValueError, match=message):
        datasets.read_tu(zipped(tmp_path / "SMALL.zip", files))


def test_a_folder_in_a_zip_with_the_name_of_a_file_is_an_error(tmp_path):
    right = "SMALL/SMALL_node_labels.txt"
    files = [(name + "/" * (name == right), text) for name, text in members()]
    with pytest.raises(
        ValueError, match=f"but '{right}/', .*; put a file {right} in its place, or leave it out"
    ):
        datasets.read_tu(zipped(tmp_path / "SMALL.zip", files))


def test_what_a_mac_adds_to_a_zip_does_no_harm(tmp_path):
    files = [(f"SMALL/SMALL_{part}.txt", SMALL[part]) for part in ("A", "graph_indicator")]
    extra = [("__MACOSX/SMALL/SMALL_node_labels.txt", "x"), ("__MACOSX/._SMALL_classes.txt", "x")]
    assert datasets.read_tu(zipped(tmp_path / "SMALL.zip", files + extra))[0].node_labels is None


def test_what_a_mac_adds_hides_no_name_that_differs_a_little(tmp_path):
    """What it adds comes first in the order of names."""
    folder = write(tmp_path / "SMALL", SMALL)
    (folder / "._SMALL_A.txt").write_text("what a Mac leaves on other disks")
    (folder / "SMALL_node_labels.txt").rename(folder / "SMALL_node_label.txt")
    with pytest.raises(ValueError, match="no file SMALL_node_labels.txt, but 'SMALL_node_label.t"):
        datasets.read_tu(folder)


def test_no_file_that_must_be_there_can_be_left_out(tmp_path):
    folder = write(tmp_path / "SMALL", SMALL)
    (folder / "SMALL_graph_indicator.txt").rename(folder / "SMALL_graph_indicators.txt")
    with pytest.raises(ValueError, match=r"; rename it to SMALL_graph_indicator.txt$"):
        datasets.read_tu(folder)


@pytest.mark.parametrize("name", ["SMALL_A.TXT", "SMALL_a.txt", "A.txt", "SMALL_A.txt.bak"])
def test_edges_of_another_name_are_named(tmp_path, name):
    folder = write(tmp_path / "SMALL", SMALL)
    (folder / "SMALL_A.txt").rename(folder / name)
    with pytest.raises(FileNotFoundError, match=r"no file NAME_A.txt, but .*; rename it to NAME_A"):
        datasets.read_tu(folder)


def test_where_both_are_there_a_warning_names_them(tmp_path):
    folder = write(tmp_path / "SMALL", SMALL)
    expected = datasets.read_tu(folder)[0]
    (folder / "SMALL_node_labels.csv").write_text("x")
    with pytest.warns(
        UserWarning, match=r"SMALL_node_labels.txt is read, 'SMALL_node_labels.csv' is"
    ) as caught:
        graphs = datasets.read_tu(folder)[0]
    assert graphs == expected
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "name", ["SMALL_node_labels.part1.txt", "SMALL_labels_node.txt", "SMALL_atom_labels.txt"]
)
def test_a_file_of_another_name_beside_the_right_one_is_left_out_with_a_warning(tmp_path, name):
    folder = write(tmp_path / "SMALL", SMALL)
    expected = datasets.read_tu(folder)[0]
    (folder / name).write_text("x")
    with pytest.warns(UserWarning, match=f"SMALL_node_labels.txt is read, {name!r} is not"):
        assert datasets.read_tu(folder)[0] == expected


OTHERS = [
    "README.txt",
    "SMALL_README.txt",
    "SMALL_label_readme.txt",
    "SMALL_node_labels_description.txt",
    "SMALL_graph_labels_names.txt",
    "SMALL_gedlib.txt",
    "SMALL_coordinates.txt",
    "SMALL_graph_names.txt",
    "SMALL_label_map.txt",
    "SMALL_node_feature_names.txt",
    "SMALL_splits.txt",
    "readme.txt",
]


def test_other_files_beside_a_whole_data_set_do_no_harm(tmp_path, recwarn):
    folder = write(tmp_path / "SMALL", SMALL)
    expected = datasets.read_tu(folder)[0]
    for name in OTHERS:
        (folder / name).write_text("hello")
    assert datasets.read_tu(folder)[0] == expected
    assert not recwarn


def test_a_name_that_may_stand_for_two_files_is_named_with_the_likelier_one(tmp_path):
    folder = write(tmp_path / "SMALL", SMALL)
    (folder / "SMALL_labels.txt").write_text("x")
    with pytest.warns(UserWarning, match="SMALL_graph_labels.txt is read, 'SMALL_labels.txt' is"):
        datasets.read_tu(folder)


@pytest.mark.parametrize(
    "name",
    [
        *OTHERS,
        "SMALL_node_labels.readme.txt",
        "SMALL_node_labels_histogram.png",
        "SMALL_atom_names.txt",
        "SMALL_features.png",
        "features.txt",
        "weights.txt",
        "y.txt",
        "PROTEINS_node_labels.txt",
        "labels",
        "labels.png",
        "x",
    ],
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
