"""What is read from a file is collected only as long as there is memory for what is made of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

from ..system.files import expanded
from ..system.memory import refuse_what_does_not_fit

_STEP = 10**8  # bytes after which the free memory is looked at again

T = TypeVar("T")


def within_memory(
    found: Iterable[T], size: Callable[[T], int], what: str, path: str | os.PathLike[str]
) -> list[T]:
    """Return everything; refuse it once what becomes of it so far would not fit beside it.

    Parameters
    ----------
    found : iterable
    size : callable
        Returns how many bytes one of them will take.
    what : str
        What they are.
    path : path
        The file that they come from.

    Examples
    --------
    >>> from grafik.datasets.within_memory import within_memory
    >>> within_memory(iter("abc"), len, "letters", "some.txt")
    ['a', 'b', 'c']
    """
    kept: list[T] = []
    bytes_of_all = looked = 0
    for one in found:
        kept.append(one)
        bytes_of_all += size(one)
        if bytes_of_all > looked + _STEP:
            file = expanded(path)
            making = f"making a batch of the first {len(kept)} {what} of {file}"
            refuse_what_does_not_fit(bytes_of_all, making, "split the file")
            looked = bytes_of_all
    return kept
