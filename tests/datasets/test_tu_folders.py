"""Files of a data set in a sub-folder of its folder: never silently left out, as in a zip."""

import os

import pytest

from grafik import datasets
from grafik.datasets import tu_folders
from tu_files import SMALL, changed, members, write, zipped


@pytest.fixture
def moved(tmp_path):
    """Return a function that moves a file of a data set to another place in its folder."""

    def move(part, place):
        folder = write(tmp_path / "SMALL", SMALL)
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"SMALL_{part}.txt").rename(folder / place)
        return folder

    return move


@pytest.mark.parametrize("part", ["node_labels", "graph_labels", "edge_attributes"])
@pytest.mark.parametrize("sub", ["sub/", "SMALL/raw/"])
@pytest.mark.parametrize("name", ["SMALL_{}.txt", "SMALL_{}.txt.bak", "small {}.TXT", "{}.txt"])
def test_a_file_in_a_sub_folder_is_an_error_that_names_both(moved, part, sub, name):
    wrong, right = sub + name.format(part), f"SMALL_{part}.txt"
    folder = moved(part, wrong)
    with pytest.raises(ValueError, match=f"no file {right}, but {wrong!r}, which would") as caught:
        datasets.read_tu(folder)
    remedy = f"; move it to {right}, beside SMALL_A.txt, or leave it out with ignore=[{part!r}]"
    assert str(caught.value).endswith(remedy)
    datasets.read_tu(folder, ignore=[part])


def test_a_folder_is_refused_in_the_words_of_its_zip(moved, tmp_path):
    folder = moved("node_labels", "sub/SMALL_node_labels.txt")
    files = [(name.replace("SMALL_node_l", "sub/SMALL_node_l"), text) for name, text in members("")]
    said = []
    for path in (folder, zipped(tmp_path / "SMALL.zip", files)):
        with pytest.raises(ValueError, match="; move it to ") as caught:
            datasets.read_tu(path)
        said.append(str(caught.value).removeprefix(str(path)))
    assert said[0] == said[1]


def test_a_copy_in_a_sub_folder_does_no_harm(tmp_path, recwarn):
    folder = write(tmp_path / "SMALL", SMALL)
    expected = datasets.read_tu(folder)[0]
    write(folder / "copy", SMALL)
    assert datasets.read_tu(folder)[0] == expected
    assert not recwarn


@pytest.mark.parametrize("sub", ["SMALL", "old/SMALL"])
@pytest.mark.parametrize("part", ["node_labels", "graph_indicator"])
def test_a_file_of_a_whole_data_set_below_is_left_there(tmp_path, part, sub):
    """Its lines belong to other edges, so that moving it would do harm."""
    folder = write(tmp_path / "SMALL", changed(**{part: None}))
    inner = write(folder / sub, SMALL)
    way_out = "" if part == "graph_indicator" else f", or leave it out with ignore=[{part!r}]"
    with pytest.raises(ValueError, match=f"but '{sub}/SMALL_{part}.txt', which would") as caught:
        datasets.read_tu(folder)
    said = f"; it belongs to '{sub}/SMALL_A.txt', so read {inner} instead{way_out}"
    assert str(caught.value).endswith(said)
    assert datasets.read_tu(inner)[1].tolist() == [1, -1]


@pytest.mark.parametrize("sub", ["raw", "SMALL", "a/b/c"])
def test_a_data_set_in_a_sub_folder_is_named(tmp_path, sub):
    folder = tmp_path / "SMALL"
    write(folder / sub, SMALL)
    with pytest.raises(
        FileNotFoundError, match=f"but the folder '{sub}' in it has one; "
    ) as caught:
        datasets.read_tu(folder)
    assert str(caught.value).endswith(f"; read {folder / sub}")
    write(folder / "zzz", SMALL)
    with pytest.raises(FileNotFoundError, match=r"; read .*, or another of 2 such folders$"):
        datasets.read_tu(folder)


def test_what_a_mac_leaves_in_a_sub_folder_is_no_data_set(tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "._SMALL_A.txt").touch()
    with pytest.raises(FileNotFoundError, match=r"it has no file NAME_A.txt$"):
        datasets.read_tu(tmp_path)


@pytest.mark.parametrize("other", ["SMALL2", "SMALL_2", "S", "SMALM", "OTHER"])
def test_other_data_sets_in_sub_folders_do_no_harm(tmp_path, other):
    few = {part: SMALL[part] for part in ("A", "graph_indicator")}
    folder = write(tmp_path / "SMALL", few)
    write(folder / "more" / other, SMALL, other)
    (folder / "more" / other / "node_labels.txt").touch()
    for name in (".git/SMALL_node_labels.txt", "__MACOSX/SMALL_node_labels.txt", "old/labels.txt"):
        (folder / name).parent.mkdir()
        (folder / name).touch()
    assert datasets.read_tu(folder)[0].node_labels is None
    (folder / "more" / other / "SMALL_node_labels.txt").touch()
    with pytest.raises(ValueError, match=f"but 'more/{other}/SMALL_node_labels.txt'"):
        datasets.read_tu(folder)


@pytest.mark.skipif(os.name == "nt", reason="links and permissions are others on Windows")
def test_links_are_not_followed_and_locked_folders_are_passed_over(moved, tmp_path, monkeypatch):
    folder = moved("node_labels", "../elsewhere/SMALL_node_labels.txt")
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    (folder / "round").symlink_to(folder)
    (folder / "locked").mkdir()
    scandir = os.scandir

    def scanned(place):
        if os.fspath(place).endswith("locked"):
            raise PermissionError
        return scandir(place)

    monkeypatch.setattr(tu_folders.os, "scandir", scanned)
    assert datasets.read_tu(folder)[0].node_labels is None


def test_few_folders_and_few_names_are_looked_at(tmp_path, monkeypatch):
    deep = tmp_path.joinpath(*"abcde")
    deep.mkdir(parents=True)
    for folder in [tmp_path, *deep.parents, deep]:
        if folder.is_relative_to(tmp_path):
            (folder / "X_node_labels.txt").touch()
    there = [f"{place}/X_node_labels.txt" for place in ("a", "a/b", "a/b/c")]
    assert tu_folders.names_below(tmp_path, "X") == there
    for number in range(300):
        (tmp_path / f"z{number}").mkdir()
    looked = []
    scandir = os.scandir
    monkeypatch.setattr(tu_folders.os, "scandir", lambda place: looked.append(1) or scandir(place))
    assert tu_folders.names_below(tmp_path, "X")[:1] == there[:1]
    assert len(looked) == 101
    monkeypatch.setattr(tu_folders, "_ENTRIES", 1)
    for number in range(9):
        (deep.parents[3] / f"X_{number}").touch()
    assert len(tu_folders.names_below(deep.parents[4], "X")) <= 3
