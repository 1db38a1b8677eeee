"""What a disturbed process does to itself: it counts, ticks, jumps in time, or ends itself."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from random import Random
from typing import Any, TypeAlias

# A block that an operation runs in.
Within: TypeAlias = Callable[[], AbstractContextManager[None]]
# The same, which counts what happens in it.
Counting: TypeAlias = Callable[[list[int]], AbstractContextManager[None]]

# Calls of Python that reach the disk; pyarrow writes in ways of its own.
_OF_DISK = frozenset(
    (
        *("open", "write", "flush", "close", "truncate", "ftruncate", "fsync", "chmod", "flock"),
        *("replace", "rename", "unlink", "remove", "mkdir", "rmdir"),
    )
)
_TOLD = "disturbances:"
_TICK = 0.001  # seconds between two signals
_NS = 10**9
_YEARS, _DAY = 10**9 * _NS, 10**5 * _NS  # thirty of them


def telling(within: Counting) -> Within:
    """Return a block that says at its end how often something has happened."""

    @contextmanager
    def block() -> Iterator[None]:
        times = [0]
        try:
            with within(times):
                yield
        finally:
            print(f"{_TOLD} {times[0]}", file=sys.stderr)

    return block


def told(text: str) -> int:
    """Return how often something has happened, by what a process wrote."""
    return int(text.rpartition(_TOLD)[2].split()[0]) if _TOLD in text else 0


@contextmanager
def counting(times: list[int], act: Callable[[], object] | None = None) -> Iterator[None]:
    """Count calls that reach the disk; do something before each."""

    def look(frame: Any, event: str, called: Any) -> None:
        if event == "c_call" and getattr(called, "__name__", "") in _OF_DISK:
            times[0] += 1
            if act is not None:
                act()

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def killed_before(number: int) -> Within:
    """Return a block that ends its process before one of the calls that reach the disk."""
    times = [0]

    def act() -> None:
        if times[0] == number:
            os.kill(os.getpid(), signal.SIGKILL)

    return partial(counting, times, act)


@contextmanager
def ticking(times: list[int]) -> Iterator[None]:
    """Send this process signals all the time, so that calls of the system end early."""

    def count(*_: object) -> None:
        times[0] += 1

    signal.signal(signal.SIGALRM, count)
    signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


@contextmanager
def jumping(random: Random, times: list[int]) -> Iterator[None]:
    """Let the clocks of the module `time` jump, that of the day also back."""
    ahead = {"time": 0, "monotonic": 0, "perf_counter": 0}

    def moved(clock: str, plain: Callable[[], int]) -> int:
        times[0] += 1
        if random.random() < 0.3:
            if clock == "time":
                ahead[clock] = random.randrange(-_YEARS, _YEARS)
            else:
                ahead[clock] += random.randrange(_DAY)
        return max(plain() + ahead[clock], 0)

    for clock in ahead:
        here = partial(moved, clock, getattr(time, f"{clock}_ns"))
        setattr(time, f"{clock}_ns", here)
        setattr(time, clock, lambda here=here: here() / _NS)
    yield
