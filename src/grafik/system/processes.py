"""Units of work in several processes, which end when the one that started them does."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from contextlib import contextmanager
from inspect import signature
from itertools import islice
from typing import Any, TypeVar

from joblib import Parallel, delayed

Item = TypeVar("Item")

# Set in each worker when it starts, so that graphs travel there once and not with every item.
_here: dict[str, Callable[[Any], Any]] = {}
_LOOK = 0.5  # seconds between two looks of a worker at whether its parent is alive
# Each process does one thing at a time; more threads would only take turns.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


def results_of(
    work: Callable[[Item], Any], items: Sequence[Item], n_processes: int
) -> Generator[Any, None, None]:
    """Yield ``work(item)`` for all items, each as soon as it is ready.

    With one process all is done in this one, in order. When the iteration ends, by an error or
    otherwise, no process is left.
    """
    if n_processes == 1 or len(items) <= 1:
        yield from map(work, items)
        return
    executor = _loky_executor()
    try:
        if executor is not None:
            yield from _from_executor(executor, work, items, min(n_processes, len(items)))
        else:
            parallel = Parallel(n_processes, return_as="generator_unordered", max_nbytes=None)
            yield from parallel(delayed(_call)(work, item) for item in items)
    except BrokenExecutor as error:
        raise ChildProcessError(
            "a process was ended from outside, perhaps for want of memory; use fewer (n_jobs)"
        ) from error


def _loky_executor() -> Any:
    """Return the class of executors behind joblib; None if it is not as it is known.

    It is no public interface, but its processes get the work once, and can be ended in the midst of
    it. With :class:`joblib.Parallel` the work travels with each item, and processes stay for later.
    """
    try:
        from joblib.externals.loky.process_executor import ProcessPoolExecutor

        signature(ProcessPoolExecutor).bind(1, initializer=_start, initargs=(), env={})
        signature(ProcessPoolExecutor.shutdown).bind(None, wait=True, kill_workers=True)
    except (ImportError, AttributeError, TypeError, ValueError):
        return None
    return ProcessPoolExecutor


def _from_executor(
    executor: Any, work: Callable[[Item], Any], items: Sequence[Item], n_processes: int
) -> Generator[Any, None, None]:
    pool = executor(n_processes, initializer=_start, initargs=(work, os.getpid()), env=_ONE_THREAD)
    waiting = iter(items)
    try:
        # A few more than there are processes, so that none of them waits for the next.
        running = {pool.submit(_do, item) for item in islice(waiting, 2 * n_processes)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
                running |= {pool.submit(_do, item) for item in islice(waiting, 1)}
    finally:
        with _silent_manager():
            pool.shutdown(wait=True, kill_workers=True)


@contextmanager
def _silent_manager() -> Iterator[None]:
    """Keep quiet when loky's own thread stumbles over workers that end while it gives them work."""
    usual = threading.excepthook

    def report(error: threading.ExceptHookArgs) -> None:
        if error.thread is None or error.thread.name != "ExecutorManagerThread":
            usual(error)

    threading.excepthook = report
    try:
        yield
    finally:
        threading.excepthook = usual


def _start(work: Callable[[Any], Any], parent: int) -> None:
    """Prepare a worker: it leaves interrupts to its parent, and ends when its parent does."""
    _here["work"] = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


def _do(item: Any) -> Any:
    return _here["work"](item)


def _call(work: Callable[[Item], Any], item: Item) -> Any:
    return work(item)
