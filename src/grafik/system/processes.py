"""Units of work in several processes, which end when the one that started them does."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from typing import Any, TypeVar

Item = TypeVar("Item")

# Set in each worker when it starts, so that graphs travel there once and not with every unit.
_here: dict[str, Callable[[Any], Any]] = {}
# Seconds after which a worker notices that its parent was killed.
_LOOK = 0.5
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
    from joblib.externals.loky.process_executor import ProcessPoolExecutor

    pool = ProcessPoolExecutor(
        min(n_processes, len(items)),
        initializer=_start,
        initargs=(work, os.getpid()),
        env=_ONE_THREAD,
    )
    waiting, running = iter(items), set()
    try:
        # A few more than there are processes, so that none of them waits for the next.
        for _, item in zip(range(2 * n_processes), waiting, strict=False):
            running.add(pool.submit(_do, item))
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                for item in waiting:
                    running.add(pool.submit(_do, item))
                    break
                yield future.result()
    except BrokenExecutor as error:
        raise ChildProcessError(
            "a process was ended from outside, perhaps for want of memory; use fewer (n_jobs)"
        ) from error
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def _start(work: Callable[[Any], Any], parent: int) -> None:
    """Begin a worker: it leaves interrupts to its parent, and does not outlive it."""
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
