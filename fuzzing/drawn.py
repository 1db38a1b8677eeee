"""Values that Hypothesis draws, one for each state of a random generator."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any


@cache
def drawer(name: str, strategy: Callable[[], Any]) -> Callable[[Random], Any]:
    """Return a function that draws from a strategy, and depends on the random generator alone.

    Parameters
    ----------
    name : str
        Names the strategy, in errors.
    strategy : callable
        Returns the strategy; called once.
    """
    from hypothesis import HealthCheck, given, settings

    found: list[Any] = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy())
    def keep(value: Any) -> None:
        found.append(value)

    def draw(random: Random) -> Any:
        for size in (1 << 9, 1 << 11, 1 << 13, 1 << 15):
            found.clear()
            # What it draws depends on these bytes only; too few of them give nothing.
            keep.hypothesis.fuzz_one_input(random.randbytes(size))
            if found:
                return found[0]
        raise ValueError(f"{name}: nothing could be drawn")

    return draw
