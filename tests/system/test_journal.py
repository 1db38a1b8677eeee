"""Result files survive whatever ends a run, and nothing else is taken for one."""

import errno
import os
import signal
import time
from types import SimpleNamespace

import pytest

from forked import Forked
from grafik.system.journal import Journal, _sync_folder, read_journal

HEADER = {"seed": 0, "protocol": {"name": "paper", "repeats": 10}}
ENTRIES = [{"fold": i, "accuracy": 1 / (3 + i), "params": {"C": 2.0**-i}} for i in range(3)]


def written(path, entries=ENTRIES):
    with Journal(path, HEADER) as journal:
        for entry in entries:
            journal.append(entry)
    return path.read_bytes()


def test_entries_come_back_as_they_were(tmp_path):
    written(tmp_path / "new" / "results.jsonl")
    header, entries = read_journal(tmp_path / "new" / "results.jsonl")
    assert entries == ENTRIES
    assert header == {"format": "grafik results 1", **HEADER}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["results.jsonl"]


def test_a_file_cut_off_anywhere_goes_on_and_ends_the_same(tmp_path, capsys):
    path = tmp_path / "results.jsonl"
    whole = written(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with Journal(path, HEADER) as journal:
            complete = max(whole[:length].count(b"\n") - 1, 0)
            assert journal.entries == ENTRIES[:complete]
            for entry in ENTRIES[complete:]:
                journal.append(entry)
        assert path.read_bytes() == whole
        torn = length > 0 and whole[length - 1 : length] != b"\n"
        assert ("are cut off and computed again" in capsys.readouterr().err) == torn


def test_a_changed_bit_anywhere_is_found_and_its_line_named(tmp_path):
    path = tmp_path / "results.jsonl"
    whole = written(path)
    for place in range(len(whole) - 1):
        line = whole[:place].count(b"\n") + 1
        for bit in (1, 32):
            changed = bytearray(whole)
            changed[place] ^= bit
            path.write_bytes(changed)
            with pytest.raises(ValueError, match=f"results.jsonl, line {line}: .*damaged"):
                Journal(path, HEADER)
            assert path.read_bytes() == changed  # evidence is not touched


@pytest.mark.parametrize(
    "content", [b'{"precious": [1, 2, 3]}', b"x", b'{"format":"grafik results 2"']
)
def test_a_file_of_somebody_else_is_left_alone(tmp_path, content):
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="no result file of grafik"):
        Journal(path, HEADER)
    assert path.read_bytes() == content


def test_another_header_is_refused_and_the_difference_named(tmp_path):
    path = tmp_path / "results.jsonl"
    whole = written(path)
    other = {"seed": 0, "protocol": {"name": "paper", "repeats": 3}, "versions": {"numpy": "3"}}
    message = r"protocol.repeats is 10 there and 3 now; versions is null there and .*numpy"
    with pytest.raises(ValueError, match=message):
        Journal(path, other)
    assert path.read_bytes() == whole


def test_without_results_the_header_may_change(tmp_path):
    path = tmp_path / "results.jsonl"
    written(path, [])
    with Journal(path, {"seed": 1}) as journal:
        journal.append(ENTRIES[0])
    assert read_journal(path) == ({"format": "grafik results 1", "seed": 1}, ENTRIES[:1])
    with pytest.raises(ValueError, match="seed is 1 there and 0 now"):
        Journal(path, HEADER)


@pytest.mark.parametrize("others", [[], ["note.txt"]])
def test_a_journal_that_is_not_needed_any_more_leaves_nothing_but_files_of_others(tmp_path, others):
    folder = tmp_path / "work"
    with Journal(folder / "results.jsonl", HEADER) as journal:
        for name in others:
            (folder / name).touch()
        journal.discard()
    assert folder.exists() == bool(others)
    assert not others or [path.name for path in folder.iterdir()] == others


def test_a_folder_that_is_deleted_meanwhile_is_made_again(tmp_path, monkeypatch):
    folder, plain, times = tmp_path / "work", os.open, []

    def late(path, *arguments):
        if os.fspath(path).endswith(".lock") and not times:
            times.append(1)
            folder.rmdir()
        return plain(path, *arguments)

    monkeypatch.setattr(os, "open", late)
    written(folder / "results.jsonl")
    assert read_journal(folder / "results.jsonl")[1] == ENTRIES


def test_other_files_are_no_result_files(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text("a diary\n")
    with pytest.raises(ValueError, match="line 1: no result file of grafik"):
        Journal(path, HEADER)
    assert path.read_text() == "a diary\n"
    path.write_text("")
    with pytest.raises(ValueError, match="is no result file"):
        read_journal(path)
    with pytest.raises(FileNotFoundError, match="there are no results at"):
        read_journal(tmp_path / "nothing")


def test_the_order_in_which_results_were_ready_does_not_matter(tmp_path):
    expected = written(tmp_path / "a.jsonl")
    with Journal(tmp_path / "b.jsonl", HEADER) as journal:
        for entry in reversed(ENTRIES):
            journal.append(entry)
        journal.finish(ENTRIES)
        assert (tmp_path / "b.jsonl").read_bytes() == expected
        journal.append({"fold": 3})  # to the new file, not to the one before
    assert read_journal(tmp_path / "b.jsonl")[1] == [*ENTRIES, {"fold": 3}]


def test_a_second_run_refuses_and_one_that_was_killed_is_no_obstacle(tmp_path):
    path = tmp_path / "results.jsonl"
    code = (
        "import sys, time; from grafik.system.journal import Journal\n"
        f"journal = Journal({str(path)!r}, {HEADER!r})\n"
        "print('open', flush=True); time.sleep(60)"
    )
    other = Forked(code)
    while not other.written():
        time.sleep(0.002)
    with pytest.raises(BlockingIOError, match="another run writes to"):
        Journal(path, HEADER)
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert (tmp_path / ".lock").exists()
    written(path)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_full_disk_leaves_the_results_before_intact(tmp_path, monkeypatch, code):
    path = tmp_path / "results.jsonl"
    before = written(path, ENTRIES[:2])
    real = os.write
    with Journal(path, HEADER) as journal:

        def half(file, data):
            monkeypatch.setattr(os, "write", full)
            return real(file, data[: len(data) // 2])

        def full(file, data):
            raise OSError(code, os.strerror(code))

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(OSError, match="the results before are intact") as caught:
            journal.append(ENTRIES[2])
        assert caught.value.errno == code
        assert path.read_bytes() == before
        monkeypatch.setattr(os, "write", real)
        journal.append(ENTRIES[2])
    assert path.read_bytes() == written(tmp_path / "other.jsonl")


def test_a_write_that_never_reached_the_disk_does_not_count(tmp_path, monkeypatch):
    path = tmp_path / "results.jsonl"
    before = written(path, ENTRIES[:1])
    with Journal(path, HEADER) as journal:

        def fail(file):
            raise OSError(errno.EIO, "")

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="could not write to"):
            journal.append(ENTRIES[1])
        assert journal.entries == ENTRIES[:1]
    assert path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="users as on POSIX")
def test_a_folder_that_may_not_be_written_to_is_named(tmp_path):
    folder = tmp_path / "closed"
    whole = written(folder / "results.jsonl")
    folder.chmod(0o555)
    (folder / "results.jsonl").chmod(0o444)
    tmp_path.chmod(0o755)
    for parent in tmp_path.parents[:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    user = os.geteuid()
    try:
        if user == 0:  # who may write anywhere
            os.seteuid(65534)
        with pytest.raises(PermissionError, match="results cannot be written to .*closed"):
            Journal(folder / "results.jsonl", HEADER)
    finally:
        os.seteuid(user)
    assert (folder / "results.jsonl").read_bytes() == whole
    folder.chmod(0o755)


def test_lines_that_are_nested_too_deeply_are_refused(tmp_path):
    path = tmp_path / "results.jsonl"
    with Journal(path, {"seed": 0}):
        whole = path.read_bytes()
    path.write_bytes(whole + b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
    with pytest.raises(ValueError, match="results.jsonl, line 2: damaged"):
        read_journal(path)


def test_where_folders_cannot_be_opened_none_is_synced(tmp_path, monkeypatch):
    monkeypatch.setattr("grafik.system.journal.os", SimpleNamespace(name="nt"))
    assert _sync_folder(tmp_path) is None
