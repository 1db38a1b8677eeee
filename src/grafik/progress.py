"""Progress of long work, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item", covariant=True)


class Finite(Protocol[Item]):
    """What can be iterated over and knows its length."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Item]: ...


def shown(items: Finite[Item], what: str, wanted: bool | None = None) -> Iterator[Item]:
    """Iterate while a bar on stderr says how far it is and how long it will take.

    Parameters
    ----------
    items : sized iterable
    what : str
        What is being done.
    wanted : bool or None
        Whether to show it; None is on a terminal only.
    """
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    hidden = not console.is_terminal if wanted is None else not wanted
    return iter(
        track(
            items,
            what,
            total=len(items),
            console=console,
            transient=console.is_terminal,  # elsewhere the end of it is all that is shown
            disable=hidden,
        )
    )
