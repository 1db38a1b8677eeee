"""Memory: refusing work that does not fit, and keeping freed memory for the next call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

from .memory_limits import available

# Where Linux says how large the second-level cache is.
_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")
_SURELY_FREE = 1e7  # bytes; for less it is not worth asking the system
_STEP = 10**8  # bytes after which what grows is compared with the free memory again


def refuse_what_does_not_fit(n_bytes: float, what: str, way_out: str) -> None:
    """Raise a MemoryError if more memory is needed than the system says is free.

    Parameters
    ----------
    n_bytes : float
        How much is needed.
    what : str
        What needs it.
    way_out : str
        What can be done about it.
    """
    if n_bytes < _SURELY_FREE:
        return
    free = available()
    if free is not None and n_bytes > free:
        raise MemoryError(
            f"{what} takes {in_words(n_bytes)}, but only {in_words(free)} of memory are free; "
            f"{way_out}"
        )


@contextmanager
def memory_for(what: str, way_out: str) -> Iterator[None]:
    """Say what took too much memory, where the system gives no more and only says how many bytes.

    Also decorates functions.

    Parameters
    ----------
    what : str
        What needs it.
    way_out : str
        What can be done about it.

    Examples
    --------
    >>> from grafik.system.memory import memory_for
    >>> with memory_for("counting to a billion", "count to less"):
    ...     raise MemoryError("no 8 GB left")
    Traceback (most recent call last):
    MemoryError: counting to a billion takes more memory than is free (no 8 GB left); count to less
    """
    try:
        yield
    except MemoryError as error:
        if "; " in str(error):  # it has a remedy already
            raise
        reason = f" ({error})" if str(error) else ""
        raise MemoryError(f"{what} takes more memory than is free{reason}; {way_out}") from error


class Growth:
    """What is kept piece by piece, until it takes as much memory again to make something of it.

    Parameters
    ----------
    what, way_out : str
        As for :func:`refuse_what_does_not_fit`.
    """

    def __init__(self, what: str, way_out: str) -> None:
        self._what, self._way_out = what, way_out
        self._bytes = self._looked = 0

    def add(self, n_bytes: int) -> None:
        """Take another piece; refuse it if what all will make does not fit beside them."""
        self._bytes += n_bytes
        if self._bytes > self._looked + _STEP:
            refuse_what_does_not_fit(self._bytes, self._what, self._way_out)
            self._looked = self._bytes


def refuse_large_gram(n_rows: int, n_columns: int, matrices: int) -> None:
    """Refuse a Gram matrix if it and the others that are there at the same time do not fit."""
    refuse_what_does_not_fit(
        8.0 * n_rows * n_columns * matrices,
        f"the Gram matrix of {n_rows} x {n_columns} graphs",
        "fit fewer graphs, write it to a file block by block: kernel.gram_to('K.npy', graphs), or "
        "get rows a part at a time: kernel.transform(graphs[:1000])",
    )


def in_words(n_bytes: float) -> str:
    """Write a size in a unit that suits it.

    Examples
    --------
    >>> from grafik.system.memory import in_words
    >>> in_words(2.5e9), in_words(72e6), in_words(512)
    ('2.5 GB', '72.0 MB', '0.5 kB')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes / 1e3:.1f} kB"


@cache
def cache_size() -> int:
    """Return the size of the second-level cache of a core in bytes, 1 MB where nobody tells."""
    try:
        text = _CACHE.read_text().strip()
        size = int(text.rstrip("KM")) << {"K": 10, "M": 20}.get(text[-1:], 0)
    except (OSError, ValueError):
        return 1 << 20
    return min(max(size, 1 << 17), 1 << 23)


@cache
def keep_freed() -> None:
    """Let the C library of Linux keep freed memory for the next call.

    It returns freed memory to the system, and gets it again page by page, until the program has
    once freed a block of nearly 32 MB. From then on it keeps about 60 MB for each thread, and more
    if small objects that are in use lie after it. Small Gram matrices gain most. Whoever sets
    ``MALLOC_TRIM_THRESHOLD_``, as Dask does for its workers, has the last word.
    """
    np.empty(31 << 20, np.uint8)
