"""Gram matrices in files: the bits of those in memory, whatever happens on the way."""

import errno
import os
import random
import shutil
import signal
import sys
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from all_kernels import COMBINED, KERNELS
from forked import Forked
from grafik import FiltrationKernel, Graphs, datasets
from grafik.large import blocks
from grafik.large import gram_file as gram_files
from grafik.system.files import MARK
from grafik.system.journal import Journal, read_journal
from interrupted_gram import begun, watched
from strategies import batches

# Kernels of both kinds.
BOTH = {**KERNELS, **{f"{name}, combined": one for name, one in COMBINED.items()}}


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "MOST_GRAPHS", 7)


@pytest.fixture(scope="module")
def graphs():
    weighted, _ = datasets.random_graphs(45, 12, 0.3, n_labels=3, random_state=1)
    return weighted


@pytest.mark.parametrize("name", BOTH)
def test_the_file_has_the_bits_of_fit_transform(tmp_path, graphs, small_blocks, name):
    kernel = BOTH[name]
    matrix = kernel.gram_to(tmp_path / "K.npy", graphs)
    assert matrix.tobytes() == kernel.fit_transform(graphs).tobytes()
    assert not matrix.flags.writeable
    assert [path.name for path in tmp_path.iterdir()] == ["K.npy"]


@pytest.mark.parametrize("name", BOTH)
def test_rows_of_new_graphs_have_the_bits_of_transform(tmp_path, graphs, small_blocks, name):
    kernel = BOTH[name].fit(graphs[:20])
    matrix = kernel.transform_to(tmp_path / "K.npy", graphs[20:])
    assert matrix.shape == (25, 20)
    assert matrix.tobytes() == kernel.transform(graphs[20:]).tobytes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graphs=batches)
def test_any_graphs_in_blocks_of_any_size(tmp_path, monkeypatch, graphs):
    monkeypatch.setattr(blocks, "MOST_GRAPHS", 1 + len(graphs) // 3)
    kernel = FiltrationKernel(normalize=True)
    if len(graphs) == 0:
        with pytest.raises(ValueError, match="at least one graph is needed"):
            kernel.gram_to(tmp_path / "K.npy", graphs)
        return
    matrix = kernel.gram_to(tmp_path / "K.npy", graphs)
    assert matrix.tobytes() == kernel.fit_transform(graphs).tobytes()
    assert kernel.transform_to(tmp_path / "none.npy", graphs[:0]).shape == (0, len(graphs))


def test_only_one_half_is_computed(tmp_path, graphs, small_blocks, monkeypatch):
    computed = watched(monkeypatch)
    FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    assert len(computed) == len(set(computed)) == 7 * 8 // 2
    assert all(place.column <= place.row for place in computed)


def test_it_goes_on_where_it_was_and_the_old_file_stays_until_then(
    tmp_path, graphs, small_blocks, monkeypatch
):
    path = tmp_path / "K.npy"
    np.save(path, np.ones(3))
    begun(monkeypatch, path, graphs)
    assert np.load(path).tolist() == [1, 1, 1]
    computed = watched(monkeypatch)
    matrix = FiltrationKernel().gram_to(path, graphs)
    assert len(computed) == 28 - 9
    assert matrix.tobytes() == FiltrationKernel().fit_transform(graphs).tobytes()


@pytest.mark.parametrize("place", [(0, 0), (8, 1), (1, 8)])
def test_a_block_that_is_not_what_was_written_is_computed_again(
    tmp_path, graphs, small_blocks, monkeypatch, place
):
    begun(monkeypatch, tmp_path / "K.npy", graphs)
    unfinished = np.load(tmp_path / "K.npy.part" / "matrix.npy", mmap_mode="r+")
    unfinished[place] = np.nextafter(unfinished[place], 0)
    unfinished.flush()
    computed = watched(monkeypatch)
    matrix = FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    assert len(computed) == 28 - 9 + 1
    assert matrix.tobytes() == FiltrationKernel().fit_transform(graphs).tobytes()


@pytest.mark.parametrize("damage", ["missing", "replaced", "short", "header"])
def test_without_the_unfinished_matrix_all_is_computed_again(
    tmp_path, graphs, small_blocks, monkeypatch, damage
):
    begun(monkeypatch, tmp_path / "K.npy", graphs)
    unfinished = tmp_path / "K.npy.part" / "matrix.npy"
    whole = unfinished.read_bytes()
    if damage in ("missing", "replaced"):
        unfinished.unlink()
        np.save(tmp_path / "K.npy", np.ones((45, 45)) if damage == "missing" else np.ones(3))
    else:
        unfinished.write_bytes(whole[:-1] if damage == "short" else b"?" + whole[1:])
    computed = watched(monkeypatch)
    matrix = FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    assert len(computed) == 28
    assert matrix.tobytes() == FiltrationKernel().fit_transform(graphs).tobytes()


def test_ended_between_moving_the_file_and_cleaning_up(tmp_path, graphs, small_blocks, monkeypatch):
    def killed(journal):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "discard", killed)
        with pytest.raises(KeyboardInterrupt):
            FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    computed = watched(monkeypatch)
    matrix = FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    assert computed == []
    assert matrix.tobytes() == FiltrationKernel().fit_transform(graphs).tobytes()
    assert [path.name for path in tmp_path.iterdir()] == ["K.npy"]


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"gamma": 2.0}, "kernel.gamma is 1.0 there and 2.0 now"),
        ({"normalize": True}, "kernel.normalize is false there and true now"),
        ({"mass": "min"}, "kernel.mass is .linear. there and .min. now"),
        ({"weight": "triangles"}, "rows is "),
    ],
)
def test_other_parameters_are_refused(
    tmp_path, graphs, small_blocks, monkeypatch, change, difference
):
    begun(monkeypatch, tmp_path / "K.npy", graphs)
    with pytest.raises(ValueError, match=difference):
        FiltrationKernel(**change).gram_to(tmp_path / "K.npy", graphs)


def test_other_graphs_are_refused(tmp_path, graphs, small_blocks, monkeypatch):
    begun(monkeypatch, tmp_path / "K.npy", graphs)
    with pytest.raises(ValueError, match="K.npy.part holds a part of another matrix: .*rows is "):
        FiltrationKernel().gram_to(tmp_path / "K.npy", graphs[::-1])


def test_threads_do_not_matter(tmp_path, graphs, small_blocks, monkeypatch):
    begun(monkeypatch, tmp_path / "K.npy", graphs, FiltrationKernel(n_jobs=1))
    computed = watched(monkeypatch)
    FiltrationKernel(n_jobs=2).gram_to(tmp_path / "K.npy", graphs)
    assert len(computed) == 28 - 9


def test_two_at_once_are_refused(tmp_path, graphs, small_blocks, monkeypatch):
    plain = gram_files.written_here

    def write(kernel, *arguments):
        with pytest.raises(BlockingIOError, match="another run writes to .*K.npy.part"):
            gram_files.write_gram(
                tmp_path / "K.npy",
                kernel,
                *(fitted.histograms_,) * 2,
                memory=1e9,
                write=plain,
            )
        yield from plain(kernel, *arguments)

    monkeypatch.setitem(gram_files.write_gram.__kwdefaults__, "write", write)
    fitted = FiltrationKernel().fit(graphs)
    fitted.gram_to(tmp_path / "K.npy", graphs)


def test_a_full_disk_is_said_before_and_during(tmp_path, graphs, small_blocks, monkeypatch):
    class Usage:
        free = 1000

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: Usage)
        with pytest.raises(OSError, match="takes [0-9.]+ kB, but only [0-9.]+ kB are free in"):
            FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    assert list(tmp_path.iterdir()) == []

    def full(self, start, block):
        if start[0] > 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        plain(self, start, block)

    plain = gram_files.MatrixFile._write
    with monkeypatch.context() as patch:
        patch.setattr(gram_files.MatrixFile, "_write", full)
        with pytest.raises(OSError, match=r"could not write to .*No space.*start again to go on"):
            FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    computed = watched(monkeypatch)
    FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    assert len(computed) == 28 - 6


def test_mistakes_are_refused_before_anything_is_computed(tmp_path, graphs):
    kernel = FiltrationKernel()
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        kernel.gram_to(tmp_path / "nowhere" / "K.npy", None)
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        kernel.gram_to(tmp_path, None)
    for name in ("K.zarr", "K.npz", "K"):
        with pytest.raises(ValueError, match=f"must end with .npy, .* got {name}$"):
            kernel.gram_to(tmp_path / name, None)
        with pytest.raises(ValueError, match=f"must end with .npy, .* got {name}$"):
            kernel.fit(graphs[:3]).transform_to(tmp_path / name, graphs)
    with pytest.raises(ValueError, match="memory must be at least 500000000 bytes, got 1000"):
        kernel.gram_to(tmp_path / "K.npy", graphs, memory=1000)
    assert list(tmp_path.iterdir()) == []


def test_the_mark_of_a_killed_run_on_a_cluster_does_not_stay(tmp_path):
    folder = tmp_path / "K.npy.part"
    folder.mkdir()
    (folder / f"{MARK}0123").touch()
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)]])
    matrix = FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    assert matrix.tobytes() == FiltrationKernel().fit_transform(graphs).tobytes()
    assert [path.name for path in tmp_path.iterdir()] == ["K.npy"]


def test_files_of_others_are_left_alone(tmp_path, graphs, small_blocks, monkeypatch):
    path, mine = tmp_path / "K.npy", tmp_path / "K.npy.part" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("precious")
    with pytest.raises(FileExistsError, match=r"K.npy.part is for .* such as mine.txt; move them"):
        FiltrationKernel().gram_to(path, None)
    assert [file.name for file in mine.parent.iterdir()] == ["mine.txt"]
    mine.unlink()
    plain = gram_files.written_here

    def write(*arguments):
        mine.write_text("while it is computed")
        yield from plain(*arguments)

    monkeypatch.setitem(gram_files.write_gram.__kwdefaults__, "write", write)
    FiltrationKernel().gram_to(path, graphs)
    assert [file.name for file in mine.parent.iterdir()] == ["mine.txt"]


def test_what_begins_when_the_lock_is_released_is_left_alone(
    tmp_path, graphs, small_blocks, monkeypatch
):
    plain, others = Journal.close, []

    def close(journal):
        plain(journal)
        if not others:
            others.append(None)
            others.append(Journal(journal.path, {"of": "another run"}))
            others[1].append({"block": [0, 0]})

    monkeypatch.setattr(Journal, "close", close)
    FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    others[1].close()
    header, entries = read_journal(tmp_path / "K.npy.part" / "blocks.jsonl")
    assert header["of"] == "another run"
    assert entries == [{"block": [0, 0]}]


_KILLED = """
import sys, time
from grafik import FiltrationKernel, datasets
from grafik.large import blocks
blocks.MOST_GRAPHS = 7
plain = blocks.gram_block
def slowly(*arguments):
    time.sleep(0.02)
    return plain(*arguments)
blocks.gram_block = slowly
graphs, _ = datasets.random_graphs(45, 12, 0.3, n_labels=3, random_state=1)
FiltrationKernel().gram_to(sys.argv[1], graphs)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_killed_at_random_moments_at_most_one_block_is_computed_again(
    tmp_path, graphs, small_blocks, monkeypatch
):
    path, rng = tmp_path / "K.npy", random.Random()
    lines = tmp_path / "K.npy.part" / "blocks.jsonl"

    def n_done():
        return max(lines.read_bytes().count(b"\n") - 1, 0) if lines.exists() else 0

    before = 0
    for moment in sorted(rng.sample(range(1, 26), 2)):
        process = Forked(_KILLED, path)
        while n_done() < moment and process.poll() is None:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.03))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert n_done() >= max(before, moment)
        before = n_done()
    computed = watched(monkeypatch)
    matrix = FiltrationKernel().gram_to(path, graphs)
    assert len(computed) == 28 - before
    assert matrix.tobytes() == FiltrationKernel().fit_transform(graphs).tobytes()


_PEAK = """
import resource, sys
from grafik import FiltrationKernel, Graphs, datasets
graphs, _ = datasets.random_graphs(500, 6, 0.4, n_labels=4, random_state=0)
kernel = FiltrationKernel(n_jobs=2)
kernel.gram_to(sys.argv[1], graphs, memory=5e8)  # so that all is loaded and compiled
many = Graphs.concat([graphs] * 18)
kernel.fit(many)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
matrix = kernel.gram_to(sys.argv[1], many, memory=5e8)
print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before), matrix.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="kilobytes as on Linux")
def test_the_peak_of_memory_stays_below_the_budget(tmp_path):
    stdout, stderr = Forked(_PEAK, tmp_path / "K.npy").communicate()
    assert stderr == ""
    growth, size = map(int, stdout.split())
    assert growth < 5e8
    assert size > 6e8


def test_blocks_get_smaller_with_the_budget(graphs):
    kernel = FiltrationKernel(combine="product").fit(graphs)
    how = kernel.on_histograms(), kernel.histograms_, kernel.histograms_
    assert [blocks.size_of_blocks(*how, m) for m in (5e8, 8e8, 1e10)] == [512, 1024, 2048]
    assert blocks.size_of_blocks(*how, 0) == 1


def test_a_disk_that_refuses_the_beginning_or_the_end_is_named(tmp_path, monkeypatch):
    message = r"could not write to .*m\.npy .*start again to go on"
    file = gram_files.MatrixFile(tmp_path / "m.npy", (9, 9), fresh=True)

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=message):
        file.finish()
    file.close()
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    try:
        with pytest.raises(OSError, match=message):
            gram_files.MatrixFile(tmp_path / "m.npy", (9, 9), fresh=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_when_the_file_is_closed_is_named(tmp_path):
    """What was written last may still wait for its place on the disk."""
    file = gram_files.MatrixFile(tmp_path / "m.npy", (9, 9), fresh=True)
    real = file._file

    class Full:
        def close(self):
            real.close()
            raise OSError(errno.ENOSPC, "No space left on device")

    file._file = Full()
    message = r"could not write to .*m\.npy .*start again to go on"
    with pytest.raises(OSError, match=message), file:
        pass


def test_a_file_that_cannot_be_mapped_is_named(tmp_path, graphs, monkeypatch):
    def fail(*_, **__):
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    path = tmp_path / "K.npy"
    with monkeypatch.context() as patch:
        patch.setattr(np, "load", fail)
        with pytest.raises(OSError, match=r"K\.npy is complete, .* mapped into memory \(Cannot"):
            FiltrationKernel().gram_to(path, graphs)
    assert (np.load(path) == FiltrationKernel().fit_transform(graphs)).all()
