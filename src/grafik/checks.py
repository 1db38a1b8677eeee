"""Checks of parameters, made when they are used."""

from typing import Any

import numpy as np


def is_integer(value: Any) -> bool:
    """Tell an integer of Python or NumPy; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def checked_integer(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return an integer within some bounds, or refuse it."""
    if not is_integer(value) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value!r}")
    return int(value)


def checked_bool(name: str, value: Any) -> bool:
    """Return True or False, or refuse anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def checked_number(name: str, value: Any) -> float:
    """Return a finite number of at least 0, or refuse it."""
    try:
        number = np.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number) or number < 0:
        raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")
    return number
