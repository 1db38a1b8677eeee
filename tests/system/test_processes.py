"""Units of work in several processes: all of them, errors too, and no process is left."""

import os
import signal
import threading
import time
from contextlib import closing

import pytest

from grafik import datasets
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.system import processes
from grafik.system.processes import results_of

EXECUTOR = "joblib.externals.loky.process_executor.ProcessPoolExecutor"


class Changed:
    """An executor that cannot be told what its processes will do."""

    def __init__(self, max_workers, context=None):
        raise AssertionError("must not be used")

    def shutdown(self, wait=True, kill_workers=False):
        raise AssertionError("must not be used")


class Unkillable(Changed):
    """An executor that cannot end its processes."""

    def __init__(self, max_workers, initializer=None, initargs=(), env=None):
        raise AssertionError("must not be used")

    def shutdown(self, wait=True):
        raise AssertionError("must not be used")


def withdraw(monkeypatch, change):
    if change is None:
        monkeypatch.delattr(EXECUTOR)
    else:
        monkeypatch.setattr(EXECUTOR, change)
    assert processes._loky_executor() is None


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_executor_behind_joblib_can_be_used():
    """Else joblib's own way is taken, and interrupts take longer: then see what has changed."""
    assert processes._loky_executor() is not None


@pytest.mark.parametrize("n_processes", [1, 2, 3])
def test_all_items_are_done_once_wherever_that_is(n_processes):
    factor = 3  # what is no name of a module travels as well
    found = results_of(lambda item: (item, factor * item), range(20), n_processes)
    assert sorted(found) == [(item, 3 * item) for item in range(20)]
    assert list(results_of(str, [], n_processes)) == []


@pytest.mark.parametrize("change", [None, Changed, Unkillable])
def test_without_the_executor_results_are_the_same(monkeypatch, change):
    withdraw(monkeypatch, change)
    factor = 3
    found = results_of(lambda item: (item, factor * item), range(20), 2)
    assert sorted(found) == [(item, 3 * item) for item in range(20)]


def test_without_the_executor_an_evaluation_has_the_same_bytes(monkeypatch, tmp_path):
    graphs, y = datasets.csl(skips=(2, 3), copies=6)
    options = {"protocol": PROTOCOLS["quick"].with_values(n_splits=2)}
    evaluate("ve-hist", graphs, y, out=tmp_path / "one", **options)
    withdraw(monkeypatch, None)
    evaluate("ve-hist", graphs, y, out=tmp_path / "other", n_jobs=2, **options)
    for name in ("results.jsonl", "summary.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


@pytest.mark.parametrize("loky", [True, False])
def test_an_error_comes_out_with_its_notes(monkeypatch, loky):
    if not loky:
        withdraw(monkeypatch, None)

    def fail(item):
        error = LookupError(f"item {item}")
        error.add_note("there")
        raise error

    with pytest.raises(LookupError, match="item") as caught:
        list(results_of(fail, range(4), 2))
    assert caught.value.__notes__ == ["there"]


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
@pytest.mark.parametrize("loky", [True, False])
def test_a_process_that_dies_is_an_error(monkeypatch, loky):
    if not loky:
        withdraw(monkeypatch, None)

    def die(item):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ChildProcessError, match="a process was ended from outside"):
        list(results_of(die, range(4), 2))


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_no_process_is_left_when_nobody_wants_the_rest(tmp_path):
    def who(item):
        (tmp_path / str(os.getpid())).touch()
        time.sleep(600 if item else 1)

    with closing(results_of(who, range(10), 2)) as found:
        next(found)
        pids = [int(path.name) for path in tmp_path.iterdir()]
    assert len(pids) == 2
    assert os.getpid() not in pids
    end = time.monotonic() + 10
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(alive, pids))


def test_only_errors_of_the_executors_own_thread_are_kept_quiet(monkeypatch):
    """It prints one if its workers end just when it gives them work."""
    shown = []
    monkeypatch.setattr(threading, "excepthook", lambda error: shown.append(error.thread.name))

    def stumble():
        raise BrokenPipeError("gone")

    def run(name):
        thread = threading.Thread(target=stumble, name=name)
        thread.start()
        thread.join()

    with processes._silent_manager():
        run("ExecutorManagerThread")
        run("another")
    run("ExecutorManagerThread")
    assert shown == ["another", "ExecutorManagerThread"]


def test_a_worker_ends_once_its_parent_is_another(monkeypatch):
    parents, done = [7, 7, 1], []
    monkeypatch.setattr(os, "getppid", lambda: parents.pop(0))
    monkeypatch.setattr(os, "_exit", done.append)
    monkeypatch.setattr(processes.time, "sleep", done.append)
    processes._follow(7)
    assert done == [processes._LOOK, processes._LOOK, 1]
