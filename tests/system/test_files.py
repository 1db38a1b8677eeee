"""Files that killed processes leave behind, and disks that are full."""

import errno
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grafik import FiltrationKernel, Graphs, datasets
from grafik.datasets import write_tu
from grafik.reproduction.tables import write_tables
from grafik.system.files import (
    check_target,
    clear_unfinished,
    is_marked,
    make_folder,
    marked,
    replacing,
    resumable,
    writable,
)
from grafik.system.locks import FolderLock

KILLED = """
import pathlib, sys, time
from grafik.system.files import replacing
from grafik.system.unfinished import unfinished
target, folder = pathlib.Path(sys.argv[1]), sys.argv[2] == "folder"
with (unfinished(target, folder=True) if folder else replacing(target)) as part:
    (part / "half" if folder else part).write_text("half")
    print("writing", flush=True)
    time.sleep(600)
"""


def writer(target, kind):
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(target), kind], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "writing\n"
    return child


def kill(child):
    child.send_signal(signal.SIGKILL)
    child.communicate()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def kernel():
    return FiltrationKernel().fit(datasets.csl(copies=1)[0])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
def test_the_next_write_of_the_same_name_clears_what_a_killed_one_left(tmp_path, kernel):
    graphs = Graphs.from_edge_lists([[(0, 1)]])
    for name, kind, write in (
        ("model [1].grafik", "file", kernel.save),
        ("graphs.parquet", "file", graphs.to_parquet),
        ("TU", "folder", lambda path: write_tu(path, graphs, [1])),
    ):
        place = tmp_path / name.partition(".")[0]
        place.mkdir()
        kill(writer(place / name, kind))
        (place / ".other.abcdefgh.part").touch()
        assert len(names(place)) == 2
        assert re.fullmatch(
            rf"\.{re.escape(name)}\..+\.part", min(set(names(place)) - {".other.abcdefgh.part"})
        )
        write(place / name)
        assert names(place) == [".other.abcdefgh.part", name]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
def test_what_somebody_still_writes_is_left_alone(tmp_path):
    target = tmp_path / "note.txt"
    child = writer(target, "file")
    with replacing(target) as part:
        part.write_text("whole")
        assert len(names(tmp_path)) == 2
    assert target.read_text() == "whole"
    assert len(names(tmp_path)) == 2
    kill(child)
    with replacing(target) as part:
        part.write_text("again")
    assert names(tmp_path) == ["note.txt"]


@pytest.mark.parametrize("middle", ["notes", "my.notes", "a_long_one", "NOTES_OF", "notes-of"])
def test_files_of_others_with_similar_names_are_not_deleted(tmp_path, middle):
    note = tmp_path / f".m.grafik.{middle}.part"
    note.write_text("mine")
    with replacing(tmp_path / "m.grafik") as part:
        part.write_text("whole")
    clear_unfinished(tmp_path, "*.grafik")
    assert note.read_text() == "mine"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_pipes_and_links_are_not_opened(tmp_path):
    pipe, link = tmp_path / ".n.grafik.abcdefgh.part", tmp_path / ".n.grafik.abcdefg1.part"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    code = (
        "import sys; from grafik.system.files import replacing\n"
        "with replacing(sys.argv[1]) as part: part.write_text('whole')"
    )
    # In a process of its own, as nothing else ends one that waits for a pipe.
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "n.grafik")], check=True, timeout=60)
    assert names(tmp_path) == [link.name, pipe.name, "n.grafik"]


FULL = """
import os, pathlib, resource, shutil, sys
from grafik import FiltrationKernel, Graphs, datasets
from grafik.report import write_report
graphs, y = datasets.csl(copies=3)
kernel = FiltrationKernel().fit(graphs)
path = sys.argv[1]
write = {
    "save": lambda: kernel.save(path),
    "parquet": lambda: graphs.to_parquet(path),
    "tu": lambda: datasets.write_tu(path, graphs, y),
    "report": lambda: write_report(path, graphs, y),
}[sys.argv[2]]
write()  # compiles loops, which are kept on the same disk
remove = shutil.rmtree if pathlib.Path(path).is_dir() else os.remove
remove(path)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, resource.RLIM_INFINITY))
try:
    write()
except OSError as error:
    print(f"{error.errno} {error}")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
@pytest.mark.parametrize("what", ["save", "parquet", "tu", "report"])
def test_a_disk_that_takes_no_more_is_named_and_nothing_is_left(tmp_path, what):
    path = tmp_path / "out.html"
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(path), what], capture_output=True, text=True
    )
    assert (
        "out.html could not be written (File too large), and is as it was before" in run.stdout
    ), run.stdout + run.stderr
    assert names(tmp_path) == []


def test_other_errors_come_out_as_they_are(tmp_path):
    with pytest.raises(FileNotFoundError, match="elsewhere"), replacing(tmp_path / "x"):
        (tmp_path / "elsewhere").read_text()
    assert names(tmp_path) == []


def test_folders_are_made_with_those_above_and_may_be_there(tmp_path):
    for name, make in (
        ("results", make_folder),
        ("locked", lambda folder: FolderLock(folder).release()),
        ("tables", lambda folder: write_tables(folder, "t", "text", [{"a": 1}], {})),
    ):
        for _ in range(2):
            make(tmp_path / name / "a" / "b")
            assert (tmp_path / name / "a" / "b").is_dir()


def test_a_disk_without_room_for_a_name_is_named(tmp_path, monkeypatch):
    def full(*how):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), ".x.txt.a1b2.part")

    monkeypatch.setattr("tempfile.mkstemp", full)
    message = r"x\.txt could not be written \(No space left .* before; make room, or choose"
    with pytest.raises(OSError, match=message) as raised, replacing(tmp_path / "x.txt"):
        pass
    assert raised.value.errno == errno.ENOSPC


def test_a_disk_is_named_also_if_closing_a_file_fails_in_another_way(tmp_path):
    def write():
        try:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        finally:
            raise ZeroDivisionError("in the midst of closing")

    message = r"x\.txt could not be written \(File too large\).*; make room"
    with pytest.raises(OSError, match=message), replacing(tmp_path / "x.txt"):
        write()
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "x.txt"):
        _ = 1 / 0
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (writable, r"results cannot be written to .*place \({}\); choose another folder"),
        (lambda path: resumable(path, "all is kept"), r"write to .*place \({}\); all is kept, so"),
    ],
)
def test_errors_without_a_number_are_told_in_their_own_words(tmp_path, named, message):
    words = "9 requested and 4 written"  # as NumPy has it when a disk takes a part of an array
    with pytest.raises(OSError, match=message.format(words)), named(tmp_path / "place"):
        raise OSError(words)
    number = OSError(errno.ENOSPC, "words of somebody else")
    with (
        pytest.raises(OSError, match=message.format(os.strerror(errno.ENOSPC))) as raised,
        named(tmp_path / "place"),
    ):
        raise number
    assert raised.value.errno == errno.ENOSPC


def test_a_target_must_be_a_name_in_a_folder(tmp_path):
    check_target(tmp_path / "file")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        check_target(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder .*nowhere for file"):
        check_target(tmp_path / "nowhere" / "file")


def test_a_later_mark_takes_the_place_of_an_earlier_one(tmp_path):
    with marked(tmp_path) as first:
        assert is_marked(tmp_path, first)
        with marked(tmp_path) as second:
            assert is_marked(tmp_path, second)
            assert not is_marked(tmp_path, first)
    assert names(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_devices_and_pipes_are_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for write in (check_target, lambda path: replacing(path).__enter__()):
        with pytest.raises(FileExistsError, match="pipe is a device or a pipe, not a file; choose"):
            write(pipe)
    assert pipe.is_fifo()
    with pytest.raises(FileExistsError, match="is a device or a pipe"):
        FiltrationKernel(depth=1).gram_to(pipe, datasets.csl(copies=1)[0][:2])


STDOUT = """
import sys
from grafik.system.files import check_target, replacing
for write in (check_target, lambda path: replacing(path).__enter__()):
    try:
        write(sys.argv[1])
    except FileExistsError as error:
        print(error, file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system has no such links")
def test_a_link_to_a_pipe_without_a_name_is_not_replaced(tmp_path):
    link = tmp_path / "out"
    link.symlink_to("/proc/self/fd/1")
    run = subprocess.run(
        [sys.executable, "-c", STDOUT, str(link)], capture_output=True, text=True, check=True
    )
    said = f"{link} is a device or a pipe, not a file; choose another name"
    assert run.stderr.splitlines() == [said, said]
    assert names(tmp_path) == ["out"]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with replacing(link) as part:
        assert part.parent == target.parent
        part.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    target.unlink()
    with replacing(link) as part:
        part.write_text("again")
    assert (link.is_symlink(), target.read_text()) == (True, "again")


@pytest.mark.skipif(os.name == "nt", reason="links need a permission on Windows")
@pytest.mark.parametrize("far", ["link.npy", "other.npy"])
def test_a_link_that_leads_to_itself_is_named_with_the_remedy(tmp_path, far):
    link = tmp_path / "link.npy"
    (tmp_path / "other.npy").symlink_to(link)
    if far != link.name:
        link.symlink_to(tmp_path / far)
    else:
        link.symlink_to(link)
    graphs = datasets.csl(skips=(2, 3), copies=1)[0]
    for write in (
        lambda: check_target(link),
        lambda: replacing(link).__enter__(),
        lambda: FiltrationKernel().gram_to(link, graphs),
        lambda: graphs.to_parquet(link),
    ):
        with pytest.raises(FileExistsError, match=r"link.npy is a link that leads to itself; remo"):
            write()
    assert names(tmp_path) == ["link.npy", "other.npy"]


def test_a_matrix_is_written_through_a_link(tmp_path):
    graphs = datasets.csl(copies=1)[0][:3]
    (tmp_path / "far").mkdir()
    link = tmp_path / "K.npy"
    link.symlink_to(tmp_path / "far" / "K.npy")
    kernel = FiltrationKernel(depth=1)
    kernel.gram_to(link, graphs)
    assert link.is_symlink()
    assert np.array_equal(np.load(link), kernel.fit_transform(graphs))


def test_a_name_with_a_nul_is_refused(tmp_path):
    with pytest.raises(ValueError, match="the name of a file must not hold a NUL"):
        check_target(tmp_path / "a\0b")


@pytest.mark.skipif(os.name == "nt", reason="Windows takes such names")
def test_a_name_that_the_system_cannot_write_is_refused(tmp_path, kernel):
    graphs, y = datasets.csl(copies=1)
    for write in (check_target, kernel.save, graphs.to_parquet, lambda to: write_tu(to, graphs, y)):
        with pytest.raises(
            ValueError, match=r"a\\ud800b' cannot be the name of a file: .*; choose"
        ):
            write(str(tmp_path / "a\ud800b"))
    assert names(tmp_path) == []


def test_a_folder_with_a_nul_in_its_name_is_refused(tmp_path):
    with pytest.raises(ValueError, match="the name of a file must not hold a NUL"):
        write_tu(tmp_path / "a\0b", *datasets.csl(copies=1))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
@pytest.mark.parametrize("letter", ["n", "\N{GREEK SMALL LETTER NU}"])
def test_the_longest_name_that_is_legal_can_be_written(tmp_path, letter, kernel):
    target = tmp_path / (letter * (255 // len(letter.encode())))
    kill(writer(target, "file"))
    assert len(names(tmp_path)) == 1
    kernel.save(target)
    assert names(tmp_path) == [target.name]
    datasets.csl(copies=1)[0].to_parquet(target)
    assert names(tmp_path) == [target.name]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other limits")
def test_a_name_that_is_too_long_is_said_to_be(tmp_path, kernel):
    graphs, y = datasets.csl(copies=1)
    for write, length in (
        (check_target, 256),
        (kernel.save, 256),
        (graphs.to_parquet, 256),
        (lambda to: write_tu(to, graphs, y), 256),
        (lambda to: write_tu(to, graphs, y), 250),  # its files have longer names
        (lambda to: kernel.gram_to(f"{to}.npy", graphs), 252),
        (lambda to: kernel.gram_to(f"{to}.npy", graphs), 250),  # its folder has a longer one
    ):
        with pytest.raises(OSError, match=r"n[.a-z]+ could not be written \(.*; choose a shorter"):
            write(tmp_path / ("n" * length))
    assert names(tmp_path) == []


def test_only_unfinished_files_of_the_names_are_cleared(tmp_path):
    names_of = [".a.grafik.k1ll3d_1.part", ".b.npy.k1ll3d_1.part", "a.grafik", ".a.grafik.part"]
    for name in names_of:
        (tmp_path / name).touch()
    clear_unfinished(tmp_path, "*.grafik")
    assert names(tmp_path) == sorted(names_of[1:])


def test_a_lock_is_taken_again_where_the_file_was_deleted_meanwhile(tmp_path, monkeypatch):
    answers = iter([False, True])
    real = os.path.samestat
    monkeypatch.setattr(os.path, "samestat", lambda *both: next(answers) and real(*both))
    lock = FolderLock(tmp_path)
    assert next(answers, None) is None
    with pytest.raises(BlockingIOError, match="another run writes to"):
        FolderLock(tmp_path)
    lock.release()


def test_a_temporary_file_that_another_writer_took_is_given_up(tmp_path, monkeypatch):
    answers = iter([False, True])
    monkeypatch.setattr("grafik.system.unfinished._is_locked", lambda file: next(answers))
    with replacing(tmp_path / "note.txt") as part:
        part.write_text("all of it")
    assert (tmp_path / "note.txt").read_text() == "all of it"
    assert next(answers, None) is None


@pytest.mark.parametrize("length", [240, 241, 255])
def test_names_are_as_long_as_systems_allow(tmp_path, length):
    with replacing(tmp_path / ("n" * length)) as part:
        part.write_text("whole")
        assert len(part.name) <= 255
    assert names(tmp_path) == ["n" * length]
