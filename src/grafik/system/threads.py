"""Work cut into blocks of consecutive graphs, done by a few threads."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from itertools import pairwise
from mmap import mmap
from threading import Event, Lock, Thread, current_thread, main_thread
from types import FrameType
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import is_integer
from ..arrays.offsets import offsets
from .progress import progress_bar

Result = TypeVar("Result")
Flag: TypeAlias = NDArray[np.uint8]

_PER_THREAD = 3  # blocks for each thread, so that none waits long for another
_WORTH = 300_000  # nanoseconds that a block must take to be worth passing to a thread
_LONG = 10e9  # nanoseconds of work for which people want to see how far it is
_GLANCE = 0.2  # seconds between two looks for an interrupt
_BRIEF = 1e8  # nanoseconds of work that an interrupt may wait for
_STRETCH = 5e8  # nanoseconds of a block of work that cannot look at a flag
# Signals whose handlers may raise an error.
_NAMES = ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2")
_HELD = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
_FIRST_BYTES = 1 << 22  # of memory, more than Python needs until a new thread runs


def n_threads(n_jobs: Any) -> int:
    """Return the number of threads that `n_jobs` asks for, by scikit-learn's convention."""
    if n_jobs is None:
        return 1
    if not is_integer(n_jobs) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    return int(n_jobs) if n_jobs > 0 else max(1, (processors or 1) + 1 + int(n_jobs))


def blocks_of(
    cost: NDArray[np.int64], n_jobs: Any, *, ns_per_unit: float, max_units: int | None = None
) -> list[tuple[int, int]]:
    """Cut graphs into blocks of about the same cost: a few for each thread, if it is worth it.

    Parameters
    ----------
    cost : ndarray of shape (n_graphs + 1,)
        What all graphs before each one cost, in units of any kind.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors.
    ns_per_unit : float
        How many nanoseconds a unit of the cost takes, roughly.
    max_units : int, optional
        About how much a block may cost, to bound the memory that it takes.
    """
    threads, total = n_threads(n_jobs), int(cost[-1])
    n_blocks = 1
    if threads > 1:
        n_blocks = max(1, min(threads * _PER_THREAD, int(total * ns_per_unit / _WORTH)))
    if max_units is not None:
        n_blocks = max(n_blocks, -(-total // max_units))
    if n_blocks == 1:
        return [(0, len(cost) - 1)]
    targets = [total * i // n_blocks for i in range(1, n_blocks)]
    cuts = sorted({0, *np.searchsorted(cost, targets).tolist(), len(cost) - 1})
    return list(pairwise(cuts)) or [(0, 0)]


def run_blocks(
    work: Callable[[int, int], Result],
    cost: NDArray[np.int64],
    n_jobs: Any,
    *,
    ns_per_unit: float,
    max_units: int | None = None,
    what: str | None = None,
    flag: Flag | None = None,
) -> list[Result]:
    """Call ``work(start, stop)`` for blocks of graphs and return the results in their order.

    Parameters
    ----------
    work : callable
        Must give the same results however the graphs are cut into blocks.
    cost, n_jobs, ns_per_unit, max_units
        As for :func:`blocks_of`.
    what : str, optional
        What is done: the name of a bar on a terminal, if the work is long.
    flag : ndarray of shape (1,), optional
        As for :func:`run_all`, unless the work is brief.
    """
    blocks = blocks_of(cost, n_jobs, ns_per_unit=ns_per_unit, max_units=max_units)
    if cost[-1] * ns_per_unit < _BRIEF:
        flag = None
    if len(blocks) == 1:
        return run_all(work, blocks, 1, flag)
    # The largest first, so that no thread is left alone with it at the end.
    order = sorted(range(len(blocks)), key=lambda i: cost[blocks[i][0]] - cost[blocks[i][1]])
    long = what is not None and cost[-1] * ns_per_unit > _LONG
    with progress_bar(what or "", len(blocks), None if long else False) as advance:

        def step(start: int, stop: int) -> Result:
            result = work(start, stop)
            advance(1)
            return result

        found = run_all(step, [blocks[i] for i in order], n_threads(n_jobs), flag)
    results = dict(zip(order, found, strict=True))
    return [results[i] for i in range(len(blocks))]


def sort_blocks(
    count: Callable[[int, int, NDArray[np.int64]], None],
    fill: Callable[[int, int, NDArray[np.int64]], None],
    n_keys: int,
    cost: NDArray[np.int64],
    n_jobs: Any,
    *,
    ns_per_unit: float,
) -> NDArray[np.int64]:
    """Sort by small keys, in blocks; what has the same key stays in order.

    Parameters
    ----------
    count : callable
        ``count(start, stop, counts)`` adds to `counts` how often each key occurs in a block.
    fill : callable
        ``fill(start, stop, places)`` writes a block; `places` says where, for each key.
    n_keys : int
    cost, n_jobs, ns_per_unit
        As for :func:`blocks_of`.

    Returns
    -------
    ndarray of shape (n_keys + 1,)
        Where each key starts, and where the last one ends.
    """
    most = max(1, int(_STRETCH / ns_per_unit))  # so that an interrupt does not wait for long
    blocks = blocks_of(cost, n_jobs, ns_per_unit=ns_per_unit, max_units=most)
    threads, flag = n_threads(n_jobs), new_flag() if cost[-1] > most else None
    counts = np.zeros((len(blocks), n_keys), np.int64)
    own = {start: number for number, (start, _) in enumerate(blocks)}
    run_all(lambda start, stop: count(start, stop, counts[own[start]]), blocks, threads, flag)
    before = np.cumsum(counts, axis=0)
    ends = offsets(before[-1])
    before -= counts
    before += ends[:-1]
    run_all(lambda start, stop: fill(start, stop, before[own[start]]), blocks, threads, flag)
    return ends


def run_all(
    work: Callable[[int, int], Result],
    blocks: Sequence[tuple[int, int]],
    threads: int,
    flag: Flag | None = None,
) -> list[Result]:
    """Call ``work(start, stop)`` for given blocks, and return the results in their order.

    The thread that calls takes part, unless there is a flag. When it returns or raises, nothing
    goes on in the background. The work must not call this again.

    Parameters
    ----------
    work, blocks, threads
    flag : ndarray of shape (1,), optional
        A new one of :func:`new_flag`, which the loops of the work look at. Python sees no interrupt
        while its main thread is in a compiled loop. So with a flag that thread only waits, and an
        interrupt raises the flag, on which loops return at once; what they return is not used.
    """
    if flag is not None and current_thread() is main_thread():
        return _run_watched(work, blocks, threads, flag)
    if threads == 1 or len(blocks) == 1:
        return [work(*block) for block in blocks]
    to_do, results = deque(range(len(blocks))), dict[int, Result]()

    def take() -> None:
        try:
            while True:
                try:
                    block = to_do.popleft()
                except IndexError:
                    return
                results[block] = work(*blocks[block])
        except BaseException:
            to_do.clear()
            raise

    pool, others = _pool(threads - 1), list[Future[None]]()
    try:
        for _ in range(min(threads, len(blocks)) - 1):
            # An interpreter that is about to exit starts no threads: then all is done in this one.
            with suppress(RuntimeError):
                others.append(pool.submit(take))
        take()
    finally:
        to_do.clear()
        # Those that have not begun may be busy with other work, and would find nothing to do here.
        begun = [other for other in others if not other.cancel()]
        _wait(begun)
    for other in begun:
        other.result()
    return [results[block] for block in range(len(blocks))]


def watched(work: Callable[[Flag], Result]) -> Result:
    """Call a function with a flag, in a thread that an interrupt ends; see :func:`run_all`.

    Examples
    --------
    >>> from grafik.system.threads import watched
    >>> watched(lambda flag: int(flag[0]))
    0
    """
    flag = new_flag()
    return run_all(lambda _, __: work(flag), [(0, 1)], 1, flag)[0]


def uninterrupted(work: Callable[..., Result], *arguments: Any) -> Result:
    """Call a compiled function that returns arrays; Ctrl-C and the like wait until it has returned.

    numba makes arrays with the help of Python, which first does what a signal asks for. The arrays
    are lost then, and an interrupt becomes another error, or ends the process.

    Examples
    --------
    >>> from grafik.system.threads import uninterrupted
    >>> uninterrupted(divmod, 7, 3)
    (2, 1)
    """
    if current_thread() is not main_thread():
        return work(*arguments)
    handlers = {one: signal.getsignal(one) for one in _HELD}
    held = {one: handler for one, handler in handlers.items() if callable(handler)}
    came: dict[int, FrameType | None] = {}

    def note(number: int, frame: FrameType | None) -> None:
        came[number] = frame

    try:
        for one in held:
            signal.signal(one, note)
    except ValueError:  # where Python runs within another program, its main thread may be another
        return work(*arguments)
    try:
        return work(*arguments)
    finally:
        for one in reversed(held):  # an interrupt that comes now must leave none of them held
            signal.signal(one, held[one])
        with ExitStack() as stack:  # so that all are told, whatever they raise
            for number in reversed(came):
                stack.callback(held[number], number, came[number])


def left_if_interrupted(work: Callable[[], Result]) -> Result:
    """Call a long function of another library, which cannot be stopped.

    An interrupt leaves it behind: it goes on in the background, and nobody waits for it.

    Examples
    --------
    >>> from grafik.system.threads import left_if_interrupted
    >>> left_if_interrupted(lambda: 7)
    7
    """
    if current_thread() is not main_thread():
        return work()
    found = Future[Result]()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:
            found.set_exception(error)

    _check_memory()
    try:
        Thread(target=run, name="grafik", daemon=True).start()
    except RuntimeError:  # an interpreter that is about to exit starts no threads
        return work()
    while not found.done():
        wait([found], _GLANCE)
    return found.result()


def new_flag() -> Flag:
    """Return a flag for loops that is not raised."""
    return np.zeros(1, np.uint8)


def _run_watched(
    work: Callable[[int, int], Result], blocks: Sequence[tuple[int, int]], threads: int, flag: Flag
) -> list[Result]:
    """Do all in other threads, and wait for these."""
    pool = _new_pool(max(1, min(threads, len(blocks))))
    futures, all_known = list[Future[Result]](), Event()

    def begin(start: int, stop: int) -> Result:
        # Not before it is in the list: if an interrupt came first, nobody would wait for it.
        all_known.wait()
        if len(futures) < len(blocks):
            raise CancelledError
        return work(start, stop)

    try:
        try:
            futures.extend(pool.submit(begin, *block) for block in blocks)
        except RuntimeError:  # an interpreter that is about to exit starts no threads
            return [work(*block) for block in blocks]
        all_known.set()
        left = set(futures)
        while left and not flag[0]:
            # Where a signal does not end calls of the system, it is seen when one is over.
            done, left = wait(futures, _GLANCE, FIRST_EXCEPTION)
            flag[0] = any(future.exception() for future in done)
    except BaseException:
        flag[0] = 1
        raise
    finally:
        all_known.set()
        for future in futures:
            future.cancel()
        _wait([future for future in futures if not future.cancelled()])
        pool.shutdown()
    # The first error in order; blocks behind it may not have been done.
    return [future.result() for future in futures]


def _wait(futures: list[Future[Any]]) -> None:
    """Wait, even if interrupted, because the threads still write to arrays of the caller."""
    try:
        wait(futures)
    except BaseException:
        _wait(futures)
        raise


def _pool(threads: int) -> ThreadPoolExecutor:
    """Return a pool of threads, which is kept: to start one takes longer than small work."""
    with _lock:
        if _kept.get("threads") != threads:
            if "pool" in _kept:
                _kept["pool"].shutdown(wait=False)
            _kept.update(threads=threads, pool=_new_pool(threads))
        found: ThreadPoolExecutor = _kept["pool"]
        return found


def _new_pool(threads: int) -> ThreadPoolExecutor:
    """Return a new pool."""
    _check_memory()
    return ThreadPoolExecutor(threads, thread_name_prefix="grafik")


def _check_memory() -> None:
    """Refuse to start a thread that has no memory to begin: Python would wait for it for ever."""
    try:
        mmap(-1, _FIRST_BYTES).close()
    except OSError as error:
        raise MemoryError(
            "starting a thread takes more memory than is free; close other programs, or take "
            "fewer graphs at a time"
        ) from error


def _forget() -> None:
    """Forget the pool in a forked process, which has none of its threads."""
    global _lock
    _lock = Lock()
    _kept.clear()


_lock, _kept = Lock(), dict[str, Any]()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
