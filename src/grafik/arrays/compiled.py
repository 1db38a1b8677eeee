"""How parts of compiled loops are compiled."""

from typing import Any

from numba import njit

# For functions that only compiled ones call: they need no way in from Python, and are kept with
# their caller.
_OPTIONS: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# A piece becomes a part of its caller, which then need not pass dozens of arrays; what is called
# rarely stays apart, because a smaller caller compiles faster.
piece = njit(forceinline=True, **_OPTIONS)
apart = njit(**_OPTIONS)
