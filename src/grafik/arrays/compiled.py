"""How parts of compiled loops are compiled."""

from typing import Any

from numba import njit

# For functions that only compiled ones call. Without a way in from Python they are compiled in half
# the time, and where they are called they are kept with the caller.
_OPTIONS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
piece = njit(nogil=True, **_OPTIONS)
