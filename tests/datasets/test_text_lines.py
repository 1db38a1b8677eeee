"""Lines of text files: as they stand there, and no more of them than was agreed."""

import gzip
import itertools
import os
import threading
from pathlib import Path

import pytest

from grafik.datasets.text_lines import text_lines


@pytest.fixture
def path(tmp_path):
    return tmp_path / "some.txt"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_lines_keep_their_ends_but_not_the_byte_order_mark(path, pack, mark):
    lines = ["a\n", "ä b\r\n", "\n", "c\r", "  d"]
    path.write_bytes(pack(mark + "".join(lines).encode()))
    assert list(text_lines(path, 100)) == lines
    path.write_bytes(pack(mark))
    assert list(text_lines(path, 100)) == []


def test_paths_that_are_no_file_are_named_with_the_remedy(path, tmp_path):
    path.write_text("a\n")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        next(text_lines(tmp_path, 100))
    with pytest.raises(FileNotFoundError, match=r"there is no file .*sum.txt; did you mean .*some"):
        next(text_lines(tmp_path / "sum.txt", 100))


@pytest.mark.skipif(os.name == "nt", reason="pipes are others on Windows")
def test_a_pipe_is_refused_before_it_is_opened(path):
    os.mkfifo(path)
    outcome = []

    def read():
        with pytest.raises(ValueError, match=r"some.txt cannot be read: it is no .*; save what "):
            next(text_lines(path, 100))
        outcome.append("refused")

    reader = threading.Thread(target=read, daemon=True)  # a reader of a pipe would wait for ever
    reader.start()
    reader.join(10)
    assert outcome == ["refused"]


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="there are no names for open files")
def test_a_pipe_that_has_a_number_is_refused(path):
    reading, writing = os.pipe()
    os.write(writing, b"smiles\nC\n")
    os.close(writing)
    with pytest.raises(ValueError, match=f"^/dev/fd/{reading} cannot be read: it is no regular"):
        next(text_lines(f"/dev/fd/{reading}", 100))
    os.close(reading)


def test_a_zip_is_refused_by_its_first_bytes(path):
    path.write_bytes(b"PK\x03\x04\n")
    with pytest.raises(ValueError, match=r"some.txt is a zip, .*; save it as CSV, or unpack it"):
        next(text_lines(path, 100))
    path.write_bytes(b"PK\n\x03\x04\n")
    assert list(text_lines(path, 100)) == ["PK\n", "\x03\x04\n"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_may_have_as_many_bytes_as_was_agreed(path, pack):
    path.write_bytes(pack(b"12\n" * 5))
    assert list(text_lines(path, 15)) == ["12\n"] * 5
    lines = text_lines(path, 14)
    assert list(itertools.islice(lines, 4)) == ["12\n"] * 4
    with pytest.raises(ValueError, match=r"some.txt holds more than 14 bytes; .*raise max_bytes"):
        next(lines)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_bytes_are_counted_not_letters(path, pack):
    lines = ["ä€𝄞\n", "ä€𝄞\n"]  # two, three and four bytes
    path.write_bytes(pack("".join(lines).encode()))
    assert list(text_lines(path, 20)) == lines
    with pytest.raises(ValueError, match="holds more than 19 bytes"):
        list(text_lines(path, 19))


def test_a_line_may_have_as_many_letters_as_was_agreed(path):
    path.write_text("a\nbcde\n")
    assert list(text_lines(path, 100, 5)) == ["a\n", "bcde\n"]
    lines = text_lines(path, 100, 4)
    assert next(lines) == "a\n"
    with pytest.raises(ValueError, match=r"^some.txt, line 2: longer than 4 letters$"):
        next(lines)


def test_by_default_a_line_has_a_million_letters_at_most(path):
    path.write_text("a" * 2**20)
    assert [len(line) for line in text_lines(path, 2**21)] == [2**20]
    path.write_text("a" * 2**20 + "\n")
    with pytest.raises(ValueError, match=r"line 1: longer than 1048576 letters"):
        next(text_lines(path, 2**21))


def test_a_nul_is_named_with_its_line(path):
    path.write_bytes(b"a\nb\nc\0\nd\n")
    lines = text_lines(path, 100)
    assert [next(lines), next(lines)] == ["a\n", "b\n"]
    with pytest.raises(ValueError, match=r"^some.txt, line 3: holds a NUL; the file is damaged$"):
        next(lines)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("bad", [b"\xff", b"\xe9t\xe9", b"a\xe2\x82", b"\xed\xb3\xbf"])
def test_what_is_not_utf_8_is_named_with_its_line(path, bad, end):
    path.write_bytes(end.join([b"\xef\xbb\xbfa", "\u00e9t\u00e9".encode(), bad, b"b"]))
    lines = text_lines(path, 100)
    assert [next(lines).strip(), next(lines).strip()] == ["a", "\u00e9t\u00e9"]
    with pytest.raises(ValueError, match=r"^some.txt, line 3: not UTF-8 text \(.*\); save"):
        next(lines)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-3],
        lambda data: data[:2] + b"?" + data[3:],
        lambda data: data[:-8] + bytes(8),
        lambda data: data[:10] + b"\xff" * 9 + data[19:],
    ],
    ids=["cut", "method", "checksum", "contents"],
)
def test_a_damaged_gzip_is_refused(path, damage):
    path.write_bytes(damage(gzip.compress(b"some text\n" * 9)))
    with pytest.raises(ValueError, match=r"some.txt is damaged: "):
        list(text_lines(path, 100))


@pytest.mark.parametrize("line", ["\n", "\r\n", " \t\n", "\x0c\n"])
def test_so_many_blank_lines_in_a_row_are_refused(path, line, monkeypatch):
    monkeypatch.setattr("grafik.datasets.text_lines._BLANK", 3)
    path.write_bytes(f"a\n{line * 3}b\n{line * 3}".encode())
    assert len(list(text_lines(path, 100))) == 8
    path.write_bytes(f"a\n{line * 2}b\n{line * 4}b\n".encode())
    with pytest.raises(ValueError, match=r"^some.txt, line 8: the last 4 lines are blank; is the"):
        list(text_lines(path, 100))


def test_by_default_a_million_blank_lines_may_follow_one_another(path):
    path.write_bytes(b"\n" * (2**20 + 1))
    lines = text_lines(path, 2**21)
    assert sum(1 for _ in itertools.islice(lines, 2**20)) == 2**20
    with pytest.raises(ValueError, match="line 1048577: the last 1048577 lines are blank"):
        next(lines)
