"""Systems without locks on files, as Windows: all works, and nothing keeps two runs apart."""

import os

import pytest

try:
    import fcntl
except ImportError:
    fcntl = None

from grafik.system import files, locks, unfinished


@pytest.fixture(autouse=True)
def _no_locks(monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    monkeypatch.setattr(unfinished, "fcntl", None)


def test_two_runs_may_hold_a_folder(tmp_path):
    first, second = locks.FolderLock(tmp_path), locks.FolderLock(tmp_path)
    second.release()
    first.release()


def test_files_are_written_and_what_others_left_stays(tmp_path):
    left = tmp_path / ".note.txt.k1ll3d_1.part"
    left.touch()
    with files.replacing(tmp_path / "note.txt") as part:
        part.write_text("all of it")
    assert (tmp_path / "note.txt").read_text() == "all of it"
    assert left.exists()


def test_a_closed_folder_is_refused_where_the_system_only_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OSError, match=r"cannot be written to .* \(Permission denied\); choose"):
        files.make_folder(tmp_path / "results")


def test_disks_without_locks_are_as_good_as_locked(tmp_path, monkeypatch):
    class Disk:
        LOCK_EX, LOCK_NB = 2, 4

        def flock(self, file, how):
            assert (file, how) == (7, 6)
            raise OSError("no locks here")

    assert unfinished._is_locked(7) is True
    monkeypatch.setattr(unfinished, "fcntl", Disk())
    assert unfinished._is_locked(7) is True


@pytest.mark.skipif(fcntl is None, reason="this system has no such locks")
def test_one_of_two_has_the_lock(tmp_path, monkeypatch):
    monkeypatch.setattr(unfinished, "fcntl", fcntl)
    (tmp_path / "part").touch()
    with (tmp_path / "part").open() as first, (tmp_path / "part").open() as second:
        assert unfinished._is_locked(first.fileno()) is True
        assert unfinished._is_locked(second.fileno()) is False


def test_a_folder_that_cannot_be_deleted_stays(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError("not now")

    (tmp_path / "part").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, "rmdir", refuse)
        unfinished._delete(tmp_path / "part")
    assert (tmp_path / "part").exists()
    unfinished._delete(tmp_path / "part")
    assert not (tmp_path / "part").exists()
