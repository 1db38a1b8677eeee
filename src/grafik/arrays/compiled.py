"""How parts of compiled loops are compiled."""

from typing import Any

from numba import njit

# For functions that only compiled ones call: they need no way in from Python, and are kept with
# their caller.
_OPTIONS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
piece = njit(nogil=True, **_OPTIONS)
