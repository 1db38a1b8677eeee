"""Signals that end a command: Ctrl-C, and what batch systems send."""

from __future__ import annotations

import signal
import sys
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

# Seconds until a signal that Python has dropped is sent again.
_AGAIN = 0.01


def end_on_signals() -> None:
    """Exit as usual where a signal asks for it, so that files are closed and no process is left."""
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "setitimer"):
        sys.unraisablehook = _raise_soon


def _stop(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _raise_soon(dropped: Any) -> None:
    """Raise again what a signal has raised while Python freed memory, where it drops exceptions."""
    end, here = dropped.exc_value, current_thread() is main_thread()
    if not here or not isinstance(end, (KeyboardInterrupt, SystemExit)):
        sys.__unraisablehook__(dropped)
        return

    def raise_again(number: int, frame: FrameType | None) -> None:
        raise end

    signal.signal(signal.SIGALRM, raise_again)
    signal.setitimer(signal.ITIMER_REAL, _AGAIN)
