"""What long commands have in common: a cluster may do the work, and they can be resumed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def cluster(scheduler: str | None) -> Iterator[Any]:
    """Connect to a scheduler, if one is named; yield the client, or None."""
    if scheduler is None:
        yield None
        return
    from ..distributed import connected

    with connected(scheduler) as client:
        yield client


@contextmanager
def resumable(out: Path | None) -> Iterator[None]:
    """Print how to go on if the work inside is interrupted or fails.

    Parameters
    ----------
    out : Path or None
        Folder that results are kept in.
    """
    try:
        yield
    except (KeyboardInterrupt, SystemExit, ChildProcessError, ConnectionError):
        print(_remedy(out), file=sys.stderr)
        raise
    except OSError as error:
        # This is the disk, not a mistake of the user. Without results, the error says it all.
        if error.errno is not None and (out is None or _has_results(out)):
            print(_remedy(out), file=sys.stderr)
        raise


def _remedy(out: Path | None) -> str:
    if out is None:
        return "nothing was kept; with --out DIR it can be continued"
    if not _has_results(out):
        return "nothing was done yet"
    return f"what is done is kept; to go on: {shlex.join(['grafik', *sys.argv[1:]])}"


def _has_results(out: Path) -> bool:
    return out.is_dir() and any(out.rglob("*.json*"))
