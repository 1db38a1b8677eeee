"""Work in blocks gives the same for any number of threads, also after a fork."""

import importlib.util
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread, current_thread
from unittest.mock import MagicMock

import numpy as np
import pytest

from grafik import FiltrationKernel, datasets
from grafik.system import threads
from grafik.system.threads import left_if_interrupted, uninterrupted


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 5, -1])
@pytest.mark.parametrize("max_units", [None, 3])
def test_blocks_cover_everything_once_in_order(n_jobs, max_units):
    cost = np.cumsum([0, 5, 0, 0, 2, 9, 1])
    found = threads.run_blocks(
        lambda a, b: (a, b), cost, n_jobs, ns_per_unit=1e9, max_units=max_units
    )
    assert [edge for block in found for edge in range(*block)] == list(range(6))
    assert threads.run_blocks(
        lambda a, b: (a, b), np.zeros(1, np.int64), n_jobs, ns_per_unit=1.0
    ) == [(0, 0)]


def test_small_work_stays_on_one_thread(monkeypatch):
    monkeypatch.setattr(threads, "_WORTH", 300_000)
    cost = np.arange(1000)
    assert len(threads.blocks_of(cost, 2, ns_per_unit=10.0)) == 1
    assert len(threads.blocks_of(cost, 2, ns_per_unit=1e6)) == 2 * threads._PER_THREAD
    ids = threads.run_blocks(lambda a, b: threading.get_ident(), cost, 2, ns_per_unit=10.0)
    assert ids == [threading.get_ident()]


@pytest.mark.parametrize("n_jobs", [None, 2, 5])
def test_sorting_in_blocks_is_stable(n_jobs):
    keys = np.random.default_rng(0).integers(0, 4, 50)
    found = np.empty(50, np.int64)

    def count(start, stop, counts):
        counts += np.bincount(keys[start:stop], minlength=6)

    def fill(start, stop, places):
        for i in range(start, stop):
            found[places[keys[i]]] = i
            places[keys[i]] += 1

    ends = threads.sort_blocks(count, fill, 6, np.arange(51), n_jobs, ns_per_unit=1.0)
    assert found.tolist() == sorted(range(50), key=lambda i: keys[i])
    assert ends.tolist() == [sum(keys < key) for key in range(7)]


def test_the_thread_that_calls_takes_part():
    here, other = threading.get_ident(), threading.Barrier(2)

    def work(start, stop):
        if start < 2:
            other.wait(10)  # both of them at once
        return threading.get_ident()

    found = threads.run_all(work, [(i, i + 1) for i in range(4)], 2)
    assert here in found
    assert len(set(found)) == 2


def test_an_error_in_a_thread_comes_out():
    def fail(start, stop):
        raise ValueError(f"block {start}")

    with pytest.raises(ValueError, match="block 0"):
        threads.run_blocks(fail, np.arange(61), 2, ns_per_unit=1e9)


def test_nothing_goes_on_after_an_error():
    written = []

    def work(start, stop):
        if start == 0:
            time.sleep(0.05)
            raise KeyboardInterrupt
        time.sleep(0.2)
        written.append(start)

    with pytest.raises(KeyboardInterrupt):
        threads.run_all(work, [(i, i + 1) for i in range(6)], 2)
    n = len(written)
    assert n < 5
    time.sleep(0.5)
    assert len(written) == n


def test_an_error_of_another_thread_comes_out_and_ends_the_work():
    here, done, both = threading.get_ident(), [], threading.Barrier(2)

    def work(start, stop):
        if start < 2:
            both.wait(10)
        if threading.get_ident() != here:
            raise LookupError("there")
        time.sleep(0.05)
        done.append(start)

    with pytest.raises(LookupError, match="there"):
        threads.run_all(work, [(i, i + 1) for i in range(40)], 2)
    assert len(done) < 20


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt, whatever other tests left behind."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_nothing_goes_on_after_an_interrupt_of_the_waiting_thread():
    here, written, both = threading.get_ident(), [], threading.Barrier(2)
    sent = threading.Event()

    def interrupt():
        signal.raise_signal(signal.SIGINT)
        sent.set()

    def work(start, stop):
        both.wait(10)
        if threading.get_ident() == here:
            threading.Timer(0.1, interrupt).start()
        else:
            sent.wait(30)
            time.sleep(0.5)
            written.append(start)

    with pytest.raises(KeyboardInterrupt):
        threads.run_all(work, [(0, 1), (1, 2)], 2)
    assert len(written) == 1


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_raises_the_flag_that_loops_look_at(restarts):
    """Other libraries may ask that calls of the system are begun again after a signal."""
    here, seen = threading.get_ident(), []
    signal.siginterrupt(signal.SIGINT, not restarts)

    def work(flag):
        assert threading.get_ident() != here
        timer.start()  # now that the work has begun
        for _ in range(6000):
            if flag[0]:
                seen.append("flag")
                return
            time.sleep(0.01)

    # To the thread that waits, as Ctrl-C does; others would not wake it up.
    timer = threading.Timer(0.1, signal.pthread_kill, (here, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        threads.watched(work)
    assert seen == ["flag"]  # before the interrupt comes out, all work is over


def test_an_interrupt_while_threads_are_started_leaves_no_work_behind(monkeypatch):
    """As if it came when a thread has begun, but is not yet known to those who wait for it."""
    submit, done = threads.ThreadPoolExecutor.submit, []

    def interrupted(*given):
        submit(*given)
        time.sleep(0.1)  # a thread that did not wait would work now
        raise KeyboardInterrupt

    monkeypatch.setattr(threads.ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        threads.watched(lambda flag: done.append(1))
    time.sleep(0.1)
    assert not done


def test_an_error_in_one_block_raises_the_flag_for_the_others():
    flag, ended = threads.new_flag(), []

    def work(start, stop):
        if start == 1:
            raise LookupError("here")
        for _ in range(6000):
            if flag[0]:
                ended.append(start)
                return
            time.sleep(0.01)

    with pytest.raises(LookupError, match="here"):
        threads.run_all(work, [(0, 1), (1, 2), (2, 3)], 2, flag)
    assert 0 in ended


def test_other_threads_do_watched_work_themselves():
    found = []

    def work():
        here = threading.get_ident()
        found.append(threads.watched(lambda flag: threading.get_ident() == here))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert found == [True]


def test_watched_work_is_done_in_blocks_and_in_order():
    cost, flag = np.arange(11) * 10**9, threads.new_flag()
    how = {"ns_per_unit": 1.0, "max_units": 10**9, "flag": flag}
    found = threads.run_blocks(lambda a, b: (a, b), cost, 3, **how)
    assert found == [(i, i + 1) for i in range(10)]
    here = threading.get_ident()
    brief = threads.run_blocks(
        lambda a, b: threading.get_ident() == here, cost, 1, ns_per_unit=1e-9, flag=flag
    )
    assert brief == [True]


def test_small_work_does_not_wait_for_that_of_others():
    begun, over = threading.Event(), threading.Event()

    def long(start, stop):
        begun.set()
        over.wait(10)

    other = threading.Thread(target=threads.run_all, args=(long, [(0, 1), (1, 2)], 2))
    other.start()
    begun.wait(10)
    time.sleep(0.1)  # now the one thread of the pool is busy
    assert threads.run_all(lambda a, b: a, [(0, 1), (1, 2)], 2) == [0, 1]
    assert not over.is_set()
    assert other.is_alive()
    over.set()
    other.join(10)


def test_work_is_done_here_where_threads_cannot_be_started(monkeypatch):
    def refuse(*_):
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    monkeypatch.setattr(threads.ThreadPoolExecutor, "submit", refuse)
    for flag in (None, threads.new_flag()):
        assert threads.run_all(lambda a, b: a + b, [(0, 1), (1, 2), (2, 3)], 2, flag) == [1, 3, 5]


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
@pytest.mark.parametrize("n_jobs", ["1, threads.new_flag()", "2"])
def test_without_memory_for_a_thread_nobody_waits_for_it(n_jobs):
    code = f"""
import os, resource, threading
from grafik.system import threads
thread = threading.Thread(target=int)
thread.start()
thread.join()  # the system keeps its stack for the next one
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + 4096
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    threads.run_all(lambda start, stop: None, [(0, 1), (1, 2)], {n_jobs})
except MemoryError as error:
    print(error, flush=True)
os._exit(0)
"""
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout.startswith("starting a thread takes more memory than is"), run.stderr


def test_threads_do_not_pile_up():
    for n in (2, 3, 4, 5, 2):
        assert threads.run_all(lambda a, b: a, [(i, i + 1) for i in range(9)], n) == list(range(9))
    time.sleep(0.2)
    assert sum(t.name.startswith("grafik") for t in threading.enumerate()) <= 2


def _traces(queue):
    graphs, _ = datasets.csl(copies=1)
    queue.put(FiltrationKernel(n_jobs=2).fit_transform(graphs).trace())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.skipif("GRAFIK_COVERAGE" in os.environ, reason="coverage.py fails in the forked one")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_threads_are_there_after_a_fork():
    graphs, _ = datasets.csl(copies=1)
    expected = FiltrationKernel(n_jobs=2).fit_transform(graphs).trace()
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=_traces, args=(queue,))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert queue.get() == expected


def test_where_nothing_can_fork_nothing_is_registered_for_it(monkeypatch):
    monkeypatch.delattr(os, "register_at_fork", raising=False)
    spec = importlib.util.spec_from_file_location("grafik.system.others", threads.__file__)
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    assert again._kept == {}


HELD = [getattr(signal, name) for name in threads._NAMES if hasattr(signal, name)]


@pytest.mark.parametrize("number", HELD)
def test_signals_wait_until_uninterrupted_work_has_returned(number):
    done, seen = [], []

    def handler(number, frame):
        seen.append((number, list(done)))
        raise KeyboardInterrupt

    def work(value):
        signal.raise_signal(number)
        signal.raise_signal(number)
        done.append(value)

    before = signal.signal(number, handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            uninterrupted(work, 7)
        assert signal.getsignal(number) is handler
        assert seen == [(number, [7])]
        assert uninterrupted(divmod, 7, 3) == (2, 1)
        with pytest.raises(ZeroDivisionError):
            uninterrupted(divmod, 7, 0)
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)


def test_all_signals_that_came_are_told_in_their_order():
    told = []

    def handler(number, frame):
        told.append(number)
        raise SystemExit(128 + number)

    def work():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)

    before = {one: signal.signal(one, handler) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        with pytest.raises(SystemExit):
            uninterrupted(work)
    finally:
        for one, own in before.items():
            signal.signal(one, own)
    assert told == [signal.SIGTERM, signal.SIGINT]


def test_where_signals_belong_to_another_thread_work_is_done_all_the_same(monkeypatch):
    monkeypatch.setattr(threads, "main_thread", current_thread)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(uninterrupted, divmod, 7, 3).result() == (2, 1)


def test_work_of_others_is_done_here_where_no_thread_can_be_started(monkeypatch):
    monkeypatch.setattr(Thread, "start", MagicMock(side_effect=RuntimeError))
    assert left_if_interrupted(current_thread) is current_thread()


def test_signals_that_are_ignored_stay_so_and_other_threads_change_no_handler():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert uninterrupted(signal.getsignal, signal.SIGTERM) is signal.SIG_IGN
        own = signal.getsignal(signal.SIGINT)
        assert uninterrupted(signal.getsignal, signal.SIGINT) is not own
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(uninterrupted, signal.getsignal, signal.SIGINT).result()
        assert found is own
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_interrupt_leaves_work_of_others_behind():
    begun, end = Event(), Event()

    def work():
        begun.set()
        end.wait(30)

    def press():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    keys = Thread(target=press)
    keys.start()
    with pytest.raises(KeyboardInterrupt):
        left_if_interrupted(work)
    assert not end.is_set()
    end.set()
    keys.join()
    with pytest.raises(ZeroDivisionError):
        left_if_interrupted(lambda: 1 / 0)
    with ThreadPoolExecutor(1) as pool:
        name = pool.submit(left_if_interrupted, lambda: current_thread().name).result()
    assert name.startswith("ThreadPool")


def test_long_sorting_is_cut_and_done_elsewhere(monkeypatch):
    keys, done = np.array([2, 0, 1, 0, 2, 1]), []

    def count(start, stop, counts):
        done.append((start, stop, current_thread().name.startswith("grafik")))
        counts += np.bincount(keys[start:stop], minlength=3)

    def fill(start, stop, places):
        for at in range(start, stop):
            found[places[keys[at]]] = at
            places[keys[at]] += 1

    found = np.empty(6, np.int64)
    for most, blocks in ((2, [(0, 2, True), (2, 4, True), (4, 6, True)]), (6, [(0, 6, False)])):
        monkeypatch.setattr(threads, "_STRETCH", most * 10.0)
        done.clear()
        ends = threads.sort_blocks(count, fill, 3, np.arange(7), None, ns_per_unit=10.0)
        assert (ends.tolist(), found.tolist()) == ([0, 2, 4, 6], [1, 3, 2, 5, 0, 4])
        assert sorted(done) == blocks
