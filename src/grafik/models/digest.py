"""Digests of Gram matrices, by which equal ones are known."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import has_kept, loop

# Matrices with fewer graphs are hashed without compiled code, unless it was compiled before.
_FEW = 700
# Numbers that are mixed side by side, each into a state of its own.
_LANES = 8


def digest(gram: NDArray[np.float64], used: NDArray[np.intp]) -> bytes:
    """Return a digest of the rows and columns that matter: different for different matrices.

    Mostly it has 8 states of 64 bits, each of every eighth number of a row. Two
    matrices have the same digest only by chance, once in 2^64 times.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.models.digest import digest
    >>> some, used = np.eye(3), np.array([0, 1])
    >>> other = some.copy()
    >>> other[2, 0] = 5
    >>> digest(some, used) == digest(other, used)
    True
    >>> digest(some, np.arange(3)) == digest(other, np.arange(3))
    False
    """
    plain = gram.dtype == np.float64 and gram.flags.c_contiguous and gram.flags.writeable
    if not plain or (len(used) < _FEW and not _is_kept()):
        part = gram if len(used) == len(gram) else gram[np.ix_(used, used)]
        return sha256(np.ascontiguousarray(part).data).digest()
    state = np.arange(1, _LANES + 1).astype(np.uint64)
    rows = np.asarray(used, np.int64)
    columns = rows[: 0 if len(used) == len(gram) else None]
    _mix(gram.view(np.uint64), rows, columns, np.empty(len(used), np.uint64), state)
    return state.tobytes()


@cache
def _is_kept() -> bool:
    """Tell whether the loop was compiled before; the answer is the same as long as we live."""
    return has_kept(_mix)


@loop
def _mix(bits: Any, rows: Any, columns: Any, scratch: Any, state: Any) -> None:
    """Mix numbers into the states; for given others, each number leads to a state of its own."""
    n = len(rows)
    for r in rows:
        row = bits[r]
        if len(columns):
            for k in range(n):
                scratch[k] = row[columns[k]]
            row = scratch
        for k in range(0, n - _LANES + 1, _LANES):
            for lane in range(_LANES):
                x = (state[lane] ^ row[k + lane]) * np.uint64(0x9E3779B97F4A7C15)
                state[lane] = x ^ (x >> np.uint64(29))
        for k in range(n - n % _LANES, n):
            x = (state[0] ^ row[k]) * np.uint64(0x9E3779B97F4A7C15)
            state[0] = x ^ (x >> np.uint64(29))
