"""How loops are compiled: numba's `njit`, which also works where nothing can be kept."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from multiprocessing import current_process
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event

from .kept_loops import KeptLoops

_PACKAGE = Path(__file__).parents[1]
_njit: Any = numba.njit
_config: Any = numba.config


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
        made = _njit(no_cfunc_wrapper=True, **options)(function)
        if made is function:  # if the environment says that nothing is compiled
            return made
        if cache:
            try:
                made._cache = KeptLoops(function)
            except RuntimeError as error:
                if "no locator" not in str(error):
                    raise
                _warn_that_nothing_is_kept()
        for types in signature:
            made.compile(types)
            made.disable_compile()
        return made

    return compiled


# For functions that only compiled ones call: they need no way in from Python, and are kept with
# their caller.
_OPTIONS: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
# A piece becomes a part of its caller, which then need not pass dozens of arrays; what is called
# rarely stays apart, because a smaller caller compiles faster.
piece = _njit(forceinline=True, **_OPTIONS)
apart = _njit(**_OPTIONS)
# Loops that make no arrays and return only numbers: without counting who uses an array they
# compile in half the time. `loop` is called from Python, a `part` of it by other loops.
loop = njit(cache=True, nogil=True, _nrt=False)
part = _njit(forceinline=True, _nrt=False, **_OPTIONS)
# Parts with divisors that are never 0: without a check for that, loops take several numbers at a
# time. They are called, as inlined they make their callers slow to compile.
unchecked = _njit(error_model="numpy", _nrt=False, **_OPTIONS)


def record(fields: list[tuple[str, Any]], align: bool = False) -> np.dtype[Any]:
    """Return the type of entries whose fields are attributes in loops, compiled or not.

    Parameters
    ----------
    fields : list of (str, dtype)
        The name and the type of each.
    align : bool
        Whether to lay them out as C does.

    Examples
    --------
    >>> from grafik.arrays.compiled import record
    >>> record([("hash", "u8"), ("depth", "i4")], align=True).itemsize
    16
    """
    plain = np.dtype(fields, align=align)
    return np.dtype((np.record, plain)) if _config.DISABLE_JIT else plain


def uncompiled(loop: Any) -> Any:
    """Return the function that a loop was made of.

    Parameters
    ----------
    loop : function
        One of grafik's, compiled or not.

    Examples
    --------
    >>> from grafik.arrays.compiled import njit, uncompiled
    >>> def plus_one(x):
    ...     return x + 1
    >>> uncompiled(njit(nogil=True)(plus_one)) is plus_one
    True
    """
    return getattr(loop, "py_func", loop)


def compiles() -> bool:
    """Tell whether loops are compiled at all: ``NUMBA_DISABLE_JIT`` forbids it."""
    return not _config.DISABLE_JIT


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


def kept_in(loop: Any) -> Path | None:
    """Return the folder in which compiled loops are kept, None if they are not.

    Parameters
    ----------
    loop : function
        Any that is compiled with ``cache=True``.

    Examples
    --------
    >>> from grafik.arrays.compiled import kept_in, njit
    >>> kept_in(njit(nogil=True)(lambda x: x + 1)) is None
    True
    """
    where = _cache_path(loop)
    if not where:
        return None
    folder = Path(where)
    return _PACKAGE if folder.is_relative_to(_PACKAGE) else folder.parent


def has_kept(loop: Any) -> bool:
    """Tell whether code of a loop is kept on disk, perhaps that of an earlier version.

    Parameters
    ----------
    loop : function
        One that is compiled with ``cache=True``.

    Examples
    --------
    >>> from grafik.arrays.compiled import has_kept, njit
    >>> has_kept(njit(nogil=True)(lambda x: x + 1))
    False
    """
    where = _cache_path(loop)
    return bool(where) and any(Path(where).glob(f"*.{loop.__name__}-*.nbi"))


def _cache_path(loop: Any) -> str:
    """Return the folder for the code of a loop, or nothing, as with NUMBA_DISABLE_JIT."""
    return (loop.stats.cache_path or "") if hasattr(loop, "stats") else ""


class Compilations(event.Listener):
    """Counts the loops of grafik that are compiled, and not loaded, within a ``with`` block."""

    def __init__(self) -> None:
        self.number = 0

    def __enter__(self) -> Compilations:
        event.register("numba:compile", self)
        return self

    def __exit__(self, *_: object) -> None:
        event.unregister("numba:compile", self)

    def on_start(self, event: Any) -> None:
        """Count it."""
        loop = event.data["dispatcher"]
        self.number += loop.__module__.startswith("grafik.") and bool(loop.stats.cache_path)

    def on_end(self, event: Any) -> None:
        """Do nothing."""


class _Notice(event.Listener):
    """Says on a terminal why the first call takes long, if loops are really compiled."""

    given = False

    def on_start(self, event: Any) -> None:
        loop = event.data["dispatcher"]
        if self.given or not loop.__module__.startswith("grafik."):
            return
        where = kept_in(loop)
        if where is None:
            return
        self.given = True
        # Processes that help this one need not say it again.
        if sys.stderr and sys.stderr.isatty() and current_process().name == "MainProcess":
            print(f"grafik: compiling loops, once; they are kept in {where}", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        """Say nothing."""


event.register("numba:compile", _Notice())
