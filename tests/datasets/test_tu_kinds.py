"""What has the name of a file of a data set but is no regular file: never silently left out."""

import os

import pytest

from grafik import datasets
from grafik.datasets.tu_words import PARTS
from tu_files import SMALL, write

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes are others on Windows")


def dangling(file):
    file.symlink_to(file.parent / "objects" / "one")
    return f" is a link to '{file.parent.resolve()}/objects/one', which is not there; fetch it"


def dangling_by_another(file):
    (file.parent / "between").symlink_to("gone")
    file.symlink_to("between")
    return f" is a link to '{file.parent.resolve()}/gone', which is not there; fetch it"


def below_a_file(file):
    (file.parent / "plain").touch()
    file.symlink_to("plain/one")
    return f" is a link to '{file.parent.resolve()}/plain/one', which is not there; fetch it"


def round_and_round(file):
    file.symlink_to(file.name)
    return f" is a link to '{file.name}', which cannot be followed: "


def too_long(file):
    file.symlink_to("x" * 300)
    return f" is a link to {'x' * 300!r}, which cannot be followed: "


def folder(file):
    file.mkdir()
    (file / file.name).write_text("1\n")
    return " is a folder; put a file in its place"


def link_to_a_folder(file):
    (file.parent / "raw").mkdir()
    file.symlink_to("raw")
    return " is a link to 'raw', which is a folder; put a file in its place"


def pipe(file):
    os.mkfifo(file)
    return " is no regular file; put a file in its place"


def link_to_a_pipe(file):
    os.mkfifo(file.parent / "pipe")
    file.symlink_to("pipe")
    return " is a link to 'pipe', which is no regular file; put a file in its place"


KINDS = [
    dangling,
    dangling_by_another,
    below_a_file,
    round_and_round,
    too_long,
    folder,
    link_to_a_folder,
    pipe,
    link_to_a_pipe,
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["A", *PARTS])
def test_what_is_no_file_is_an_error_that_says_what_it_is(tmp_path, part, kind):
    place = write(tmp_path / "SMALL", SMALL)
    file = place / f"SMALL_{part}.txt"
    file.unlink(missing_ok=True)
    message = kind(file)
    with pytest.raises(ValueError, match="SMALL") as caught:
        datasets.read_tu(place)
    assert str(caught.value).startswith(f"{file}{message}")
    left_out = f", or leave it out with ignore=[{part!r}]"
    if part in PARTS[1:]:
        assert str(caught.value).endswith(left_out)
        datasets.read_tu(place, ignore=[part])
    else:
        assert "ignore" not in str(caught.value)


def test_a_link_to_a_file_is_read(tmp_path):
    place = write(tmp_path / "SMALL", SMALL)
    expected, y = datasets.read_tu(place)
    for part in SMALL:
        file = place / f"SMALL_{part}.txt"
        file.rename(tmp_path / part)
        (tmp_path / f"{part} link").symlink_to(part)
        file.symlink_to(tmp_path / f"{part} link")
    graphs, found = datasets.read_tu(place)
    assert graphs == expected
    assert found.tolist() == y.tolist()


@pytest.mark.parametrize("method", ["stat", "lstat"])
def test_a_file_that_may_not_be_looked_at_is_an_error(tmp_path, monkeypatch, method):
    place = write(tmp_path / "SMALL", SMALL)
    look = getattr(type(place), method)

    def refused(path, *, follow_symlinks=True):
        if path.name == "SMALL_node_labels.txt" and follow_symlinks:
            raise PermissionError(13, "Permission denied", str(path))
        return look(path) if follow_symlinks else os.lstat(path)

    monkeypatch.setattr(type(place), method, refused)
    with pytest.raises(PermissionError, match="SMALL_node_labels.txt"):
        datasets.read_tu(place)


def test_a_pipe_in_the_place_of_a_zip_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "SMALL.zip")
    with pytest.raises(ValueError, match="neither a folder .*: it is no regular file; save "):
        datasets.read_tu(tmp_path / "SMALL.zip")


def test_a_name_that_is_too_long_for_other_files_is_no_other_error(tmp_path):
    name = "X" * 245
    place = write(tmp_path / "X", {"A": SMALL["A"]}, name)
    with pytest.raises(FileNotFoundError, match=f"has no file {name}_graph_indicator.txt"):
        datasets.read_tu(place)


READERS = [datasets.read_csv, datasets.read_graph6, datasets.brec, datasets.read_tu]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    "kind", [dangling, dangling_by_another, below_a_file, round_and_round, too_long]
)
def test_a_broken_link_is_named_with_where_it_leads(tmp_path, read, kind):
    place = tmp_path / "given"
    message = kind(place)
    with pytest.raises(FileNotFoundError) as caught:
        read(place)
    assert f" {place}: it{message}" in str(caught.value)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + "/b", "a/" * 3000])
def test_a_name_that_is_too_long_is_that_of_no_file(tmp_path, read, name):
    with pytest.raises(FileNotFoundError, match=r"^there is no .*/a.*: File name too long"):
        read(tmp_path / name)


@pytest.mark.parametrize("read", READERS)
def test_a_name_with_a_nul_is_that_of_no_file(tmp_path, read):
    with pytest.raises(FileNotFoundError, match=r"^there is no .*a\0b: embedded null"):
        read(tmp_path / "a\0b")


@pytest.mark.parametrize("read", READERS)
def test_a_path_that_may_not_be_looked_at_is_an_error_that_names_it(tmp_path, monkeypatch, read):
    def refused(path, *, follow_symlinks=True):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(type(tmp_path), "stat", refused)
    with pytest.raises(PermissionError, match="Permission denied: .*given"):
        read(tmp_path / "given")
