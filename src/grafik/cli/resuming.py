"""What long commands have in common: they can be stopped, and go on when started again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def resumable(kept: bool) -> Iterator[None]:
    """Say how to go on, when the work inside is interrupted or fails.

    Parameters
    ----------
    kept : bool
        Whether results are kept in files.
    """
    try:
        yield
    except (KeyboardInterrupt, SystemExit, ChildProcessError):
        print(_remedy(kept), file=sys.stderr)
        raise
    except OSError as error:
        if error.errno is not None:  # the disk, and not a mistake of the user
            print(_remedy(kept), file=sys.stderr)
        raise


def _remedy(kept: bool) -> str:
    if not kept:
        return "nothing was kept; with --out DIR it can be continued"
    return f"what is done is kept; to go on: {shlex.join(['grafik', *sys.argv[1:]])}"
