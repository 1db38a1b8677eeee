"""How loops are compiled: numba's `njit`, which also works where nothing can be kept."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from multiprocessing import current_process
from pathlib import Path
from typing import Any

import numba
from numba.core import event

_PACKAGE = Path(__file__).parents[1]
_njit: Any = numba.njit


def njit(*signature: str, cache: bool = False, **options: Any) -> Callable[[Any], Any]:
    """Compile a function; where its code cannot be kept on disk, warn once and go on without.

    Parameters
    ----------
    *signature : str
        At most one, with which the function is compiled at once.
    cache : bool
        Whether to keep the code on disk.
    **options
        Those of :func:`numba.njit`.

    Examples
    --------
    >>> from grafik.arrays.compiled import njit
    >>> @njit(nogil=True)
    ... def plus_one(x):
    ...     return x + 1
    >>> plus_one(1)
    2
    """

    def compiled(function: Any) -> Any:
        if cache:
            try:
                return _njit(*signature, cache=True, no_cfunc_wrapper=True, **options)(function)
            except RuntimeError as error:
                if "no locator" not in str(error):
                    raise
                _warn_that_nothing_is_kept()
        return _njit(*signature, no_cfunc_wrapper=True, **options)(function)

    return compiled


# For functions that only compiled ones call: they need no way in from Python, and are kept with
# their caller.
_OPTIONS: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# A piece becomes a part of its caller, which then need not pass dozens of arrays; what is called
# rarely stays apart, because a smaller caller compiles faster.
piece = _njit(forceinline=True, **_OPTIONS)
apart = _njit(**_OPTIONS)

_warned = False


def _warn_that_nothing_is_kept() -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            "grafik cannot keep its compiled loops: neither its own folder nor the folder for "
            "caches of this user can be written to. Each process compiles them anew, which may "
            "take a minute; set the environment variable NUMBA_CACHE_DIR to a folder that can be "
            "written to",
            RuntimeWarning,
            stacklevel=4,
        )


class _Notice(event.Listener):
    """Says on a terminal why the first call takes long, if loops are really compiled."""

    given = False

    def on_start(self, event: Any) -> None:
        loop = event.data["dispatcher"]
        kept_in = loop.stats.cache_path
        if self.given or not kept_in or not loop.__module__.startswith("grafik."):
            return
        self.given = True
        # Processes that help this one need not say it again.
        if sys.stderr and sys.stderr.isatty() and current_process().name == "MainProcess":
            folder = Path(kept_in)
            where = _PACKAGE if folder.is_relative_to(_PACKAGE) else folder.parent
            print(f"grafik: compiling loops, once; they are kept in {where}", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        """Say nothing."""


event.register("numba:compile", _Notice())
