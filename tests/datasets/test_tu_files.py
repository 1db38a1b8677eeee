"""Data sets in zips: read like folders, and refused if they are damaged or made to do harm."""

import io
import zipfile
from pathlib import Path

import pytest

from grafik import datasets
from grafik.datasets import tu_members, tu_tables
from tu_files import SMALL, members, write, zipped


@pytest.mark.parametrize(
    "prefix",
    [
        *("", "SMALL/", "a/b/", "./", ".//././/", "./SMALL/", "SMALL//", "SMALL/./", "a//./b///"),
        *("SMALL\\", ".\\SMALL\\", "a\\b/", "a\\\\b\\"),
    ],
)
def test_a_zip_is_read_like_its_folder_and_writes_nothing(tmp_path, prefix, monkeypatch):
    path = zipped(
        tmp_path / "SMALL.zip",
        [*members(prefix), ("SMALL/README.txt", "hi"), ("__MACOSX/SMALL/._SMALL_A.txt", "x")],
    )
    expected = datasets.read_tu(write(tmp_path / "SMALL", SMALL))
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    graphs, y = datasets.read_tu(path)
    assert graphs == expected[0]
    assert y.tolist() == expected[1].tolist()
    assert sorted(tmp_path.rglob("*")) == before
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize(
    "name",
    [
        *("../SMALL_A.txt", "/etc/SMALL_A.txt", "C:/x_A.txt", "a\\..\\b.txt", "C:\\x_A.txt"),
        *("./../SMALL_A.txt", "./a/../SMALL_A.txt", "./C:/x_A.txt", "..\\a_A.txt"),
        *("\\etc\\SMALL_A.txt", "\\\\server\\x_A.txt", ".\\..\\x_A.txt", "a/..\\../x_A.txt"),
    ],
)
def test_members_that_leave_the_archive_are_refused(tmp_path, name):
    info = zipfile.ZipInfo("placeholder")
    info.filename = name
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr(info, "1, 2")
        for member, text in members():
            archive.writestr(member, text)
    with pytest.raises(ValueError, match="evil.zip is refused: .* points outside the archive"):
        datasets.read_tu(tmp_path / "evil.zip")


def test_links_and_encrypted_members_are_refused(tmp_path):
    link = zipfile.ZipInfo("SMALL/SMALL_A.txt")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ValueError, match="is a link"):
        datasets.read_tu(tmp_path / "link.zip")
    data = bytearray(zipped(tmp_path / "plain.zip", members()).read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(signature) + offset] |= 1
    (tmp_path / "secret.zip").write_bytes(data)
    with pytest.raises(ValueError, match="is encrypted"):
        datasets.read_tu(tmp_path / "secret.zip")


def test_zip_bombs_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    path = zipped(tmp_path / "bomb.zip", [*members(), ("SMALL/zeros.txt", b"0\n" * 5_000_000)])
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("unpacked"))
    with pytest.raises(
        ValueError, match="bomb.zip is refused: it unpacks to 100.* max_bytes=1000000"
    ):
        datasets.read_tu(path, max_bytes=1_000_000)
    many = zipped(
        tmp_path / "many.zip", [(f"{i}.txt", "") for i in range(tu_members._MAX_MEMBERS + 1)]
    )
    with pytest.raises(ValueError, match="it has more than 1000 members"):
        datasets.read_tu(many)


def test_zips_that_lie_about_sizes_are_refused(tmp_path):
    data = bytearray(zipped(tmp_path / "plain.zip", members()).read_bytes())
    entry = data.find(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = (5).to_bytes(4, "little")
    (tmp_path / "lie.zip").write_bytes(data)
    with pytest.raises(ValueError, match="lie.zip is damaged: SMALL/SMALL_A.txt"):
        datasets.read_tu(tmp_path / "lie.zip")


def test_members_of_the_same_name_are_refused(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = zipped(tmp_path / "twice.zip", [*members(), *members()])
    with pytest.raises(ValueError, match="it has two members"):
        datasets.read_tu(path)


@pytest.mark.parametrize("part", ["A", "node_labels"])
def test_members_that_differ_in_a_dot_for_their_folder_are_refused(tmp_path, part):
    files = [*members(""), (f"./SMALL_{part}.txt", SMALL[part])]
    for order in (files, files[::-1]):
        with pytest.raises(ValueError, match=f"it has two members 'SMALL_{part}.txt'"):
            datasets.read_tu(zipped(tmp_path / "twice.zip", order))


@pytest.mark.parametrize(
    "other", ["SMALL//SMALL_A.txt", "SMALL\\SMALL_A.txt", "SMALL/./SMALL_A.txt"]
)
def test_members_that_differ_in_slashes_are_refused(tmp_path, other):
    files = [*members(), (other, SMALL["A"])]
    with pytest.raises(ValueError, match="it has two members 'SMALL/SMALL_A.txt'"):
        datasets.read_tu(zipped(tmp_path / "twice.zip", files))


def test_folders_that_a_windows_program_lists_are_no_files(tmp_path):
    expected = datasets.read_tu(zipped(tmp_path / "plain.zip", members()))[0]
    files = [("SMALL\\", ""), *members("SMALL\\"), ("__MACOSX\\SMALL\\._SMALL_A.txt", "x")]
    assert datasets.read_tu(zipped(tmp_path / "windows.zip", files))[0] == expected


@pytest.mark.parametrize("name", [".", "./.", ".\\."])
def test_a_member_that_is_only_dots_is_refused(tmp_path, name):
    path = zipped(tmp_path / "dot.zip", [*members(), (name, "x")])
    with pytest.raises(ValueError, match=r"dot.zip is refused: '.*' is no name of a file"):
        datasets.read_tu(path)


@pytest.mark.parametrize(
    "name", ["n" * 256, "a/" + "n" * 256 + "/b", "a\\" + "n" * 256, "a/" * 2049]
)
def test_names_that_no_file_has_are_refused_in_few_words(tmp_path, name):
    path = zipped(tmp_path / "long.zip", [*members(), (name, "x")])
    with pytest.raises(
        ValueError, match=r"long.zip is refused: a member has too long a "
    ) as caught:
        datasets.read_tu(path)
    assert len(str(caught.value)) < len(str(path)) + 150
    longest = [*members(), ("n" * 255, "x"), ("a/" * 2048, "")]
    assert len(datasets.read_tu(zipped(tmp_path / "right.zip", longest))[0]) == 2


def test_the_folder_in_which_all_members_are_may_be_listed(tmp_path):
    expected = datasets.read_tu(zipped(tmp_path / "plain.zip", members()))[0]
    files = [("./", ""), ("./SMALL/", ""), *members("./SMALL/"), ("./.hidden", "x")]
    files.append(("./__MACOSX/SMALL/._SMALL_A.txt", "x"))
    assert datasets.read_tu(zipped(tmp_path / "dots.zip", files))[0] == expected


def test_files_of_the_same_name_elsewhere_in_a_zip_do_not_count(tmp_path):
    other = [("old/SMALL_node_labels.txt", "9\n" * 6), ("SMALL/.SMALL_A.txt", "?")]
    plain, _ = datasets.read_tu(zipped(tmp_path / "plain.zip", members()))
    for order in ([*members(), *other], [*other, *members()]):
        assert datasets.read_tu(zipped(tmp_path / "more.zip", order))[0] == plain


def test_a_zip_with_two_data_sets_is_refused(tmp_path):
    path = zipped(tmp_path / "two.zip", [*members("a/"), *members("b/")])
    with pytest.raises(ValueError, match="more than one data set: a/SMALL, b/SMALL$"):
        datasets.read_tu(path)
    path = zipped(tmp_path / "many.zip", [(f"{letter}_A.txt", "") for letter in "fedcba"])
    with pytest.raises(ValueError, match=r"more than one data set: a, b, c, d, e, \.\.\.$"):
        datasets.read_tu(path)


def test_damaged_zips_are_refused_or_read_right(tmp_path):
    expected = datasets.read_tu(zipped(tmp_path / "SMALL.zip", members()))
    data = (tmp_path / "SMALL.zip").read_bytes()
    path, wrong, right = tmp_path / "damaged.zip", 0, {}
    for size in range(0, len(data), 31):
        path.write_bytes(data[:size])
        with pytest.raises(ValueError, match="neither a folder nor a complete zip"):
            datasets.read_tu(path)
    for place in range(0, len(data), 5):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x04]) + data[place + 1 :])
        try:
            graphs, y = datasets.read_tu(path)
        except (ValueError, FileNotFoundError) as error:
            assert "damaged" in str(error) or "SMALL" in str(error)  # noqa: PT017
            continue
        columns = ("node_labels", "edge_labels", "node_attributes", "edge_attributes")
        # A changed name hides an optional file; that is all that may go unseen.
        hidden = tuple(c for c in columns if getattr(graphs, c) is None)
        if hidden not in right:
            right[hidden], _ = datasets.read_tu(tmp_path / "SMALL.zip", ignore=hidden)
        wrong += graphs != right[hidden]
        wrong += y is not None and y.tolist() != expected[1].tolist()
    assert wrong == 0


def test_a_damaged_list_of_members_is_refused(tmp_path):
    """It has no checksum: members that it names wrongly, or not at all, would not be read."""
    whole = zipped(tmp_path / "whole.zip", members()).read_bytes()
    path, listed = tmp_path / "SMALL.zip", whole.index(b"PK\x01\x02")
    at = whole.index(b"SMALL_node_labels", listed)
    path.write_bytes(whole[:at] + b"SMALL_n000000bels" + whole[at + 17 :])
    with pytest.raises(ValueError, match=r"SMALL.zip is damaged: .*n000000bels.txt: File name in"):
        datasets.read_tu(path)
    # The record before swallows that of the labels, as if it were a long comment on it.
    before = whole.rindex(b"PK\x01\x02", listed, whole.rindex(b"PK\x01\x02", listed, at))
    length = whole.index(b"PK\x01\x02", at) - whole.rindex(b"PK\x01\x02", listed, at)
    field = before + 32
    path.write_bytes(whole[:field] + length.to_bytes(2, "little") + whole[field + 2 :])
    with pytest.raises(ValueError, match=r"SMALL.zip is damaged: it has 7 members, but lists 6"):
        datasets.read_tu(path)


@pytest.mark.parametrize("comment", [b"", b"a comment"])
@pytest.mark.parametrize("behind", [b"\n", b"x" * 12, b"\0" * 1000])
def test_a_zip_that_other_bytes_follow_is_refused(tmp_path, comment, behind):
    path = zipped(tmp_path / "SMALL.zip", members())
    expected = datasets.read_tu(path)[0]
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = comment
    assert datasets.read_tu(path)[0] == expected
    path.write_bytes(path.read_bytes() + behind)
    with pytest.raises(ValueError, match=r"SMALL.zip is damaged: other bytes follow the zip; fetc"):
        datasets.read_tu(path)


def streamed(path, kind):
    """A zip as it is written where nobody can go back: sizes and checksums stand behind members."""

    class Pipe(io.RawIOBase):
        data = bytearray()

        def writable(self):
            return True

        def write(self, some):
            self.data += some
            return len(some)

    with zipfile.ZipFile(pipe := Pipe(), "w", kind) as archive:
        for name, text in members():
            archive.writestr(name, text)
    path.write_bytes(pipe.data)
    return path


def large(path, kind):
    """A zip with room for large members: their sizes stand elsewhere."""
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, text in members():
            with archive.open(name, "w", force_zip64=True) as file:
                file.write(text.encode())
    return path


@pytest.mark.parametrize("kind", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("make", [streamed, large])
def test_members_that_have_their_sizes_elsewhere_are_read(tmp_path, make, kind):
    expected = datasets.read_tu(zipped(tmp_path / "SMALL.zip", members()))
    graphs, y = datasets.read_tu(make(tmp_path / "other.zip", kind))
    assert graphs == expected[0]
    assert y.tolist() == expected[1].tolist()


@pytest.mark.parametrize(("make", "kind"), [(zipped, None), (streamed, zipfile.ZIP_STORED)])
def test_a_member_that_only_the_list_calls_empty_is_refused(tmp_path, make, kind):
    """Without bytes and with the checksum of none, it would be read without complaint."""
    path = tmp_path / "SMALL.zip"
    data = bytearray(make(path, members() if kind is None else kind).read_bytes())
    entry = data.rindex(b"PK\x01\x02", 0, data.rindex(b"SMALL_node_labels"))
    data[entry + 16 : entry + 20] = data[entry + 24 : entry + 28] = bytes(4)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"SMALL_node_labels.txt has two sizes or checksums$"):
        datasets.read_tu(path)


def test_a_table_without_a_bad_line_is_named_as_a_whole(monkeypatch):
    for parse in (tu_tables._parse, lambda *piece: None):
        monkeypatch.setattr(tu_tables, "_parse", parse)
        message = tu_tables._first_fault(b"1\n2\n", "X_A.txt", "integer", 1)
        assert message == "X_A.txt cannot be read as a table of integers"
    assert list(tu_tables._lines(b"a\r\n\nb\r")) == ["a", "", "b"]
