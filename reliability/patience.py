"""A plugin of pytest: a test that takes long with loops that are not compiled is ended and skipped.

What it ran until then counts. Processes that it has started are ended too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Generator
from contextlib import suppress
from types import FrameType

import pytest

# Seconds of the processor for the test itself, and of the clock with processes that it waits for.
_OWN, _WHOLE = 4.0, 25.0
# Seconds until a test is ended that could not be ended at once.
_AGAIN = 0.01


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Run a test for as long as patience lasts."""

    def end(number: int, frame: FrameType | None) -> None:
        if _measures(frame):
            clock = next(clock for clock, one, _ in clocks if one == number)
            signal.setitimer(clock, _AGAIN)
        else:
            # Those of joblib have no method that kills them.
            for child in set(multiprocessing.active_children()) - others:
                with suppress(OSError):  # it has ended by itself
                    os.kill(child.pid, signal.SIGKILL)
            pytest.skip("takes long with loops that are not compiled")

    others = set(multiprocessing.active_children())
    clocks = (
        (signal.ITIMER_PROF, signal.SIGPROF, _OWN),
        (signal.ITIMER_REAL, signal.SIGALRM, _WHOLE),
    )
    before = [signal.signal(number, end) for _, number, _ in clocks]
    for clock, _, seconds in clocks:
        signal.setitimer(clock, seconds)
    try:
        return (yield)
    finally:
        for (clock, number, _), handler in zip(clocks, before, strict=True):
            signal.setitimer(clock, 0)
            signal.signal(number, handler)


def _measures(frame: FrameType | None) -> bool:
    """Tell whether coverage.py or Hypothesis measures something.

    The one would keep its lock for ever if it were ended; the other is called where memory is
    freed, and whatever is raised there is lost.
    """
    while frame is not None:
        file = frame.f_code.co_filename.replace("\\", "/")
        if file.endswith("/coverage/collector.py") or frame.f_code.co_name == "gc_callback":
            return True
        frame = frame.f_back
    return False
