"""Who called: warnings point at the line of the user, not at ours."""

from __future__ import annotations

import sys
from types import FrameType

# Our own code, and the code through which ours is called: contextlib is there for decorators.
_BETWEEN = ("grafik", "sklearn", "joblib", "contextlib")


def levels_to_the_user() -> int:
    """Return how many calls up the code is that is neither ours nor of what we use to call it."""
    level, frame = 1, sys._getframe(2)
    while frame.f_back is not None and _package(frame) in _BETWEEN:
        level, frame = level + 1, frame.f_back
    return level + 1


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).split(".")[0]
