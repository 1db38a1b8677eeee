"""`grafik warm-up`."""

from __future__ import annotations

import time
from contextlib import suppress

from ..system.progress import with_progress
from . import options as opt


def warm_up(quiet: opt.Quiet = False) -> None:
    """Compile loops now, so that nobody waits for it later, such as in a container.

    Compiled code is kept on disk: in the folder of the package, or, if nobody may write there, in
    that for caches of the user, or where NUMBA_CACHE_DIR says: grafik warm-up
    """
    from ..arrays.compiled import Compilations, compiles, kept_in
    from ..arrays.hashing import mix
    from .loops import steps

    if not compiles():
        raise ValueError("nothing is compiled while NUMBA_DISABLE_JIT is set; unset it")
    where = kept_in(mix)
    if where is None:
        raise OSError(
            "compiled loops cannot be kept: neither the folder of grafik nor that for caches of "
            "this user can be written to; set NUMBA_CACHE_DIR to a folder that can be written to"
        )
    begun = time.monotonic()
    with Compilations() as compiled:
        for step in with_progress(steps(), "compiling", False if quiet else None):
            with suppress(ImportError):  # what needs a package that is not installed is not used
                step()
    if quiet:
        return
    if compiled.number == 0:
        print(f"nothing to compile: all loops are kept in {where}")
    else:
        seconds = time.monotonic() - begun
        print(f"compiled {compiled.number} loops in {seconds:.0f} s; they are kept in {where}")
