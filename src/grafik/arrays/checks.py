"""Checks of parameters, made when they are used."""

from collections.abc import Iterable
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def checked_depths(depths: Iterable[Any], most: int | None = None) -> list[int]:
    """Return different depths, increasing, or refuse what is none."""
    return sorted({checked_integer("a depth", depth, 0, most) for depth in depths})


def check_buffer(out: Any, n: int) -> None:
    """Refuse a matrix that results cannot be written to."""
    right = type(out) is np.ndarray and out.shape == (n, n) and out.dtype == np.float64
    if not right or not out.flags.c_contiguous or not out.flags.writeable:
        got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(out)
        raise ValueError(
            f"out must be a writeable, C-contiguous array of float64 of shape ({n}, {n}), got {got}"
        )


def checked_gram(kernel: Any, given: Any, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return the matrix of somebody's kernel, in which everything may stand, or refuse it."""
    try:
        found = np.asarray(given)
    except (ValueError, TypeError):  # such as rows of different lengths
        found = np.empty(0, object)
    name = type(kernel).__name__
    if found.shape != shape or found.dtype.kind not in "buif":
        about = [f"{getattr(given, part)}" for part in ("dtype", "shape") if hasattr(given, part)]
        raise ValueError(
            f"the matrix of {name} must be a dense array of numbers of shape {shape}, a row for "
            "each graph and a column for each that it was fitted to, got "
            f"{' '.join([type(given).__name__, *about])}; return kernel values, and not features, "
            "as a NumPy array"
        )
    matrix = found.astype(np.float64, copy=False)
    finite = np.isfinite(matrix)
    if not finite.all():
        row, column = map(int, np.unravel_index(finite.argmin(), shape))
        raise ValueError(
            f"the matrix of {name} must be finite, got {matrix[row, column]} in row {row}, column "
            f"{column}; correct the kernel, or leave that graph out"
        )
    return matrix


def checked_classes(y: Any) -> Any:
    """Return classes as an array; refuse missing ones, and text beside other types."""
    if not hasattr(y, "dtype") and isinstance(y, Iterable):
        y = list(y)
    found = np.asarray(y)
    objects = found.dtype == object and found.ndim == 1
    # NumPy makes text of numbers beside text, and in arrays of objects anything may stand.
    if objects or isinstance(y, list):
        items = found.tolist() if objects else y
        text = [isinstance(one, str) for one in items]
        for place, one in enumerate(items):
            strange = objects and not isinstance(one, (str, Number, np.bool_))
            if strange or text[place] != text[0]:
                raise ValueError(
                    f"graph {place}: classes must be all text or all numbers, got {one!r}"
                )
        if objects:
            found = np.array(items)
    if found.dtype.kind == "f" and found.ndim == 1 and not np.isfinite(found).all():
        place = int(np.isfinite(found).argmin())
        raise ValueError(
            f"graph {place}: y must be a finite number, got {found[place]}; leave the graph out"
        )
    return found
