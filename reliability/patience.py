"""A plugin of pytest: a test that takes long with loops that are not compiled is ended and skipped.

What it ran until then counts.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from typing import NoReturn

import pytest

_SECONDS = 6.0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Run a test for as long as patience lasts."""

    def end(*_: object) -> NoReturn:
        pytest.skip(f"takes more than {_SECONDS:g} seconds with loops that are not compiled")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
