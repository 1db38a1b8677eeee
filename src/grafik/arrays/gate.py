"""The gate: arrays of integers from outside are checked here, because compiled loops check nothing.

Whatever a file, a constructor or another process brings goes through these functions before a
compiled loop sees it. They compare numbers and never subtract them: differences of large integers
wrap around, and what wraps around looks harmless.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


def as_array(values: Any, name: str, wanted: str) -> NDArray[Any]:
    """Return values as an array; refuse gaps, and rows of different lengths."""
    refuse_masked(values, name)
    try:
        return np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{name} must {wanted}") from None


def refuse_masked(values: Any, name: str) -> None:
    """Refuse an array with gaps: what stands behind a mask was not meant.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.arrays.gate import refuse_masked
    >>> refuse_masked(np.ma.masked_equal([3, 9], 9), "sizes")
    Traceback (most recent call last):
    ValueError: sizes must not be masked; fill the gaps or leave their rows out
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} must not be masked; fill the gaps or leave their rows out")


def checked_integers(
    values: ArrayLike, name: str, item_name: Callable[[int], str] | None = None
) -> NDArray[Any]:
    """Return an integer array; anything else is refused, except empty input.

    Examples
    --------
    >>> from grafik.arrays.gate import checked_integers
    >>> checked_integers([3, 1, 2.5], "sizes", "graph {}".format)
    Traceback (most recent call last):
    ValueError: graph 2: sizes must be integers, got 2.5 (an array of float64)
    """
    array = as_array(values, name, "be a rectangular array of integers")
    if array.size == 0 and array.dtype.kind in "fO":
        return array.astype(np.int64)
    if array.dtype.kind in "iu":
        return array
    first = next((i for i, row in enumerate(array) if not _integers(row)), 0) if array.ndim else 0
    where = f"{item_name(first)}: " if item_name else ""
    value = array[first] if array.ndim and len(array) else array
    raise ValueError(f"{where}{name} must be integers, got {value!s} (an array of {array.dtype})")


def _integers(row: Any) -> bool:
    """Return whether all numbers of a row are whole, and have at most 64 bits."""
    return all(
        (isinstance(x, int) or (isinstance(x, float) and x.is_integer())) and -(2**63) <= x < 2**63
        for x in np.ravel(row).tolist()
    )


def checked_pointer(
    pointer: ArrayLike, name: str, end: int | None = None, part: str = "graph"
) -> NDArray[np.int64]:
    """Return a fresh int64 copy of offsets that start at 0 and never decrease.

    Parameters
    ----------
    pointer : array of shape (n + 1,)
    name : str
    end : int, optional
        Where they must end; by default anywhere.
    part : str
        What lies between two of them, for error messages.

    Examples
    --------
    The differences of these would all be positive, if they wrapped around.

    >>> from grafik.arrays.gate import checked_pointer
    >>> third = 2**64 // 3
    >>> checked_pointer([0, third, 2 * third - 2**64, 3], "graph_ptr", 3)
    Traceback (most recent call last):
    ValueError: graph_ptr must rise from 0 to 3, below 2^63: graph 1 would start at ...
    """
    given = checked_integers(pointer, name)
    if given.ndim != 1 or len(given) == 0:
        raise ValueError(f"{name} must have shape (n_{part}s + 1,), got {given.shape}")
    array = given.astype(np.int64)
    wanted = f"{name} must rise from 0" if end is None else f"{name} must rise from 0 to {end}"
    if array[0] != 0:
        raise ValueError(f"{wanted}: {part} 0 would start at {given[0]}")
    # Unsigned numbers from 2^63 on have become negative, and so fall too.
    falls = array[1:] < array[:-1]
    if falls.any():
        at = int(np.argmax(falls))
        start, stop = given[at], given[at + 1]
        raise ValueError(
            f"{wanted}, below 2^63: {part} {at} would start at {start} and end at {stop}"
        )
    if end is not None and array[-1] != end:
        raise ValueError(f"{wanted}: it ends at {array[-1]}")
    return array


def checked_column(
    values: ArrayLike,
    name: str,
    dtype: DTypeLike,
    n: int | None = None,
    least: int | None = None,
    most: int | None = None,
) -> NDArray[Any]:
    """Return a fresh copy of a column of integers, of some type and within some bounds.

    Parameters
    ----------
    values : array of shape (n,)
    name : str
    dtype : dtype
        An integer type; numbers that it cannot hold are refused.
    n : int, optional
        How many there must be; by default any number.
    least, most : int, optional
        Narrower bounds than those of the type.

    Examples
    --------
    >>> from grafik.arrays.gate import checked_column
    >>> checked_column([1, 2**40], "depths", "int32")
    Traceback (most recent call last):
    ValueError: depths must be from -2147483648 to 2147483647: entry 1 is 1099511627776
    """
    given = checked_integers(values, name)
    if given.ndim != 1 or (n is not None and len(given) != n):
        wanted = "one dimension" if n is None else f"shape ({n},)"
        raise ValueError(f"{name} must have {wanted}, got shape {given.shape}")
    info = np.iinfo(np.dtype(dtype))
    low = info.min if least is None else max(least, info.min)
    high = info.max if most is None else min(most, info.max)
    if len(given) and not (low <= int(given.min()) and int(given.max()) <= high):
        at = next(i for i, value in enumerate(given.tolist()) if not low <= value <= high)
        raise ValueError(f"{name} must be from {low} to {high}: entry {at} is {given[at]}")
    return given.astype(dtype)
