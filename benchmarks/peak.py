"""How much a process grows while it does something, by what Linux says of it."""

import ctypes
import gc
from contextlib import suppress
from pathlib import Path

_SELF = Path("/proc/self")


def memory(field: str) -> int | None:
    """Return bytes in use now (VmRSS) or at the peak (VmHWM) of this process; None if unknown."""
    try:
        status = (_SELF / "status").read_text()
    except OSError:  # not Linux
        return None
    return int(status.split(f"{field}:")[1].split()[0]) * 1024


def give_back() -> None:
    """Give memory that is free back to the system; what is kept would hide growth later."""
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def forget_peak() -> int | None:
    """Let the peak start again from what is in use now, and return that."""
    try:
        (_SELF / "clear_refs").write_text("5")
    except OSError:
        return None
    return memory("VmRSS")


def growth_since(before: int | None) -> int | None:
    """Return how far the peak has risen above what :func:`forget_peak` returned."""
    peak = memory("VmHWM")
    # The counts of the kernel are late by some pages.
    return None if before is None or peak is None else max(0, peak - before)
