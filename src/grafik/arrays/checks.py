"""Checks of parameters, made when they are used."""

from collections.abc import Iterable
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


def checked_number(name: str, value: Any, least: float = 0.0) -> float:
    """Return a finite number of at least some size, or refuse it."""
    try:
        number = np.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number) or number < least:
        kind = "a finite number" if least == -np.inf else f"a finite number of at least {least:g}"
        raise ValueError(f"{name} must be {kind}, got {value!r}")
    return number


def checked_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Refuse an option that is none of the allowed ones."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def checked_list(name: str, values: Any, example: Iterable[Any]) -> list[Any]:
    """Return values as a list; refuse one value in place of several, and none.

    Examples
    --------
    >>> from grafik.arrays.checks import checked_list
    >>> checked_list("depths", 5, [1, 3, 5])
    Traceback (most recent call last):
    ValueError: depths must be a list, such as [1, 3, 5], got 5
    """
    if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list, such as {list(example)}, got {values!r}")
    found = list(values)
    if not found:
        raise ValueError(f"{name} must hold at least one value, such as {list(example)}, got none")
    return found


def checked_depths(depths: Iterable[Any], most: int | None = None) -> list[int]:
    """Return different depths, increasing, or refuse what is none."""
    several = checked_list("depths", depths, (1, 3, 5))
    return sorted({checked_integer("a depth", depth, 0, most) for depth in several})


def check_buffer(out: Any, n: int) -> None:
    """Refuse a matrix that results cannot be written to."""
    right = type(out) is np.ndarray and out.shape == (n, n) and out.dtype == np.float64
    if not right or not out.flags.c_contiguous or not out.flags.writeable:
        got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(out)
        raise ValueError(
            f"out must be a writeable, C-contiguous array of float64 of shape ({n}, {n}), got {got}"
        )
