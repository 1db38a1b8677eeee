"""Progress of long work, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item", covariant=True)


class Finite(Protocol[Item]):
    """What can be iterated over and knows its length."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Item]: ...


def with_progress(items: Finite[Item], what: str, wanted: bool | None = None) -> Iterator[Item]:
    """Iterate, while a bar on standard error shows how far it is and how long it will take.

    Parameters
    ----------
    items : sized iterable
    what, wanted
        As of :func:`progress_bar`.
    """
    with progress_bar(what, len(items), wanted) as advance:
        for item in items:
            yield item
            advance(1)


@contextmanager
def progress_bar(
    what: str, total: int, wanted: bool | None = None, done: int = 0
) -> Iterator[Callable[[int], Any]]:
    """Show a bar with the remaining time, if that is wanted; yield a function that moves it on.

    Parameters
    ----------
    what : str
        What is being done.
    total, done : int
        Number of steps, and how many of them were done before.
    wanted : bool or None
        Whether to show the bar; None shows it on a terminal only.

    Examples
    --------
    >>> from grafik.system.progress import progress_bar
    >>> with progress_bar("counting", 3, wanted=False) as advance:
    ...     advance(1)
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda steps: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        what,
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        "left",
        TimeRemainingColumn(),
    )
    # Steps are few and slow: the last seconds alone would not tell how long the others take.
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=3600) as bar:
        task = bar.add_task("", total=total, completed=done)
        yield lambda steps: bar.advance(task, steps)


@contextmanager
def progress_line(what: str, wanted: bool | None = None) -> Iterator[Callable[[str], Any]]:
    """Show one line that tells what is tried at the moment; yield a function that changes it.

    For work whose number of steps is not known before. `what` and `wanted` are as of
    :func:`progress_bar`.

    Examples
    --------
    >>> from grafik.system.progress import progress_line
    >>> with progress_line("choosing", wanted=False) as say:
    ...     say("the first one")
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda text: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=Console(stderr=True)) as line:
        task = line.add_task(what, total=None)
        yield lambda text: line.update(task, description=f"{what}: {text}", advance=1)
