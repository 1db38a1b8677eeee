"""Findings made small: whatever can be left out, without the finding going away, is."""

from collections.abc import Callable, Iterator
from typing import Any


def minimised(case: Any, remains: Callable[[Any], bool], tries: int = 600) -> Any:
    """Return a smaller case of which the same is true.

    Parameters
    ----------
    case : case
    remains : callable
        Whether a case still shows the finding.
    tries : int
        How often that may be asked.
    """
    while True:
        for smaller in _smaller(case):
            if tries == 0:
                return case
            tries -= 1
            if remains(smaller):
                case = smaller
                break
        else:
            return case


def _smaller(value: Any) -> Iterator[Any]:
    """Yield what is left of a value when a part is left out, large parts first."""
    if isinstance(value, dict):
        for name in value:
            yield {key: one for key, one in value.items() if key != name}
        for name, one in value.items():
            for less in _smaller(one):
                yield {**value, name: less}
    elif isinstance(value, (list, tuple, bytes, str)):
        size = len(value)
        while size:
            for start in range(0, len(value), size):
                yield value[:start] + value[start + size :]
            size //= 2
        if isinstance(value, (list, tuple)):
            for place, one in enumerate(value):
                for less in _smaller(one):
                    yield value[:place] + type(value)([less]) + value[place + 1 :]
    elif isinstance(value, bool):
        if value:
            yield False
    elif isinstance(value, (int, float)) and value == value and abs(value) > 1:
        yield type(value)(0)
        yield type(value)(1)
