"""What is in the cache of downloads: kept, also if it cannot be read, and never deleted unasked."""

import pytest

from grafik import datasets
from tu_files import changed, members, zipped
from tu_server import archive

# The two directions of an edge have different weights.
APART = changed(edge_attributes="1\n2\n2\n2\n3\n3\n4\n4\n")


def apart():
    return archive(lambda: [(f"SMALL/SMALL_{part}.txt", text) for part, text in APART.items()])


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_zip_that_was_there_before_is_read(server, fetch, tmp_path):
    zipped(tmp_path / "SMALL.zip", members())
    assert len(fetch()[0]) == 2
    assert server.requests == []
    assert names(tmp_path) == ["SMALL.zip", "SMALL.zip.sha256"]


def test_a_zip_that_was_there_before_outlives_a_small_limit(server, fetch, tmp_path):
    zipped(tmp_path / "SMALL.zip", members())
    message = r"SMALL.zip is refused: it unpacks to .*, more than max_bytes=10; if .*, raise max_by"
    with pytest.raises(ValueError, match=message):
        fetch(max_bytes=10)
    assert names(tmp_path) == ["SMALL.zip"]
    assert len(fetch()[0]) == 2
    assert server.requests == []


@pytest.mark.parametrize("data", [archive(lambda: [("note.txt", "mine")]), b"mine"])
def test_another_file_of_that_name_is_left_alone(fetch, tmp_path, data):
    file = tmp_path / "SMALL.zip"
    file.write_bytes(data)
    message = rf"{file}.*; {file} is left as it is: .*, or move it away to download SMALL anew$"
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        fetch()
    assert names(tmp_path) == ["SMALL.zip"]
    assert file.read_bytes() == data


def test_a_folder_of_that_name_is_left_alone(fetch, tmp_path):
    (tmp_path / "SMALL.zip").mkdir()
    with pytest.raises(FileExistsError, match=r"SMALL.zip is no file; move it away to download SM"):
        fetch()
    assert names(tmp_path) == ["SMALL.zip"]


def test_a_pinned_hash_does_not_replace_what_was_there_before(server, fetch, tmp_path):
    file = zipped(tmp_path / "SMALL.zip", members("other/"))
    before = file.read_bytes()
    with pytest.raises(FileExistsError, match=r"SMALL.zip .* not the SHA-256 of it; move it aw"):
        fetch(known_hash="0" * 64)
    assert (file.read_bytes(), server.requests) == (before, [])


def test_a_download_need_only_be_read_in_some_way_to_be_kept(server, fetch, tmp_path):
    server.answers = [apart()]
    message = r"fold=.*; .*SMALL.zip is left as it is: call again with other options, or move it"
    with pytest.raises(ValueError, match=message):
        fetch()
    assert names(tmp_path) == ["SMALL.zip"]
    expected = datasets.read_tu(tmp_path / "SMALL.zip", fold="mean")[0]
    assert fetch(fold="mean")[0] == expected
    assert server.requests == ["/data/SMALL.zip"]
    assert names(tmp_path) == ["SMALL.zip", "SMALL.zip.sha256"]


@pytest.mark.parametrize("options", [{"fold": "mean"}, {"ignore": ["edge_attributes"]}])
def test_a_download_is_read_with_the_options(server, fetch, options):
    server.answers = [apart()]
    assert len(fetch(**options)[0]) == 2


def test_a_target_that_is_missing_deletes_nothing(fetch, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no file SMALL_graph_attributes.txt; .*anew$"):
        fetch(target="attributes")
    assert names(tmp_path) == ["SMALL.zip"]


def test_warnings_point_at_the_line_of_the_user(server, fetch):
    server.answers = [archive(lambda: [*members(), ("SMALL/SMALL_labels.txt", "1")])]
    with pytest.warns(UserWarning, match="'SMALL/SMALL_labels.txt' is not") as caught:
        fetch()
    assert len(caught) == 1
    assert caught[0].filename.endswith("conftest.py")


def test_what_takes_the_place_of_a_download_is_recorded(server, fetch, tmp_path):
    fetch()
    record = tmp_path / "SMALL.zip.sha256"
    right = record.read_text()
    zipped(tmp_path / "SMALL.zip", members("other/"))
    record.write_text("0" * 64)
    fetch(known_hash=right.strip())
    assert record.read_text() == right
    fetch()
    assert len(server.requests) == 2
