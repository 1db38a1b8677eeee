"""Protocols: how often, in how many folds, and which parameters are tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..arrays.checks import checked_integer, checked_number


@dataclass(frozen=True)
class Grid:
    """The values that are tried, for kernels that have the parameter.

    Attributes
    ----------
    levels : tuple of int
        Numbers of levels of filtrations.
    depths : tuple of int
        Rounds of Weisfeiler-Lehman labels.
    gammas : tuple of float
        For filtration kernels and W-WL.
    sizes : tuple of int
        Vertices of graphlets.
    Cs : tuple of float
        For the support vector machine.
    """

    levels: tuple[int, ...]
    depths: tuple[int, ...]
    gammas: tuple[float, ...]
    sizes: tuple[int, ...]
    Cs: tuple[float, ...]

    def with_values(self, **given: Iterable[Any] | None) -> Grid:
        """Return the grid with some values replaced, sorted and each once; None keeps them.

        Examples
        --------
        >>> from grafik.evaluation.protocols import PROTOCOLS
        >>> PROTOCOLS["paper"].grid.with_values(levels=[3, 1, 3], depths=None).levels
        (1, 3)
        """
        changed = {name: values for name, values in given.items() if values is not None}
        return replace(self, **{name: _checked(name, values) for name, values in changed.items()})

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, for result files."""
        return {name: list(values) for name, values in asdict(self).items()}


@dataclass(frozen=True)
class Protocol:
    """How kernels are compared: stratified folds, and a grid inside each training part.

    Attributes
    ----------
    repeats : int
        How often the graphs are shuffled and cut into folds anew.
    n_splits : int
        Outer folds.
    inner_splits : int
        Folds inside each training part, by which parameters are chosen.
    grid : Grid
    """

    repeats: int
    n_splits: int
    inner_splits: int
    grid: Grid


_POWERS = tuple(2.0**i for i in (-12, -8, -5, -3, -1, 0, 1, 3, 5, 8, 12))

PROTOCOLS = {
    # Appendix E of the paper.
    "paper": Protocol(
        10,
        10,
        3,
        Grid(
            levels=tuple(range(1, 11)),
            depths=(1, 2, 3, 4, 5),
            gammas=_POWERS,
            sizes=(3, 4, 5),
            Cs=_POWERS,
        ),
    ),
    # One repeat, every second or third value of each parameter.
    "quick": Protocol(
        1,
        10,
        3,
        Grid(
            levels=(1, 3, 10),
            depths=(1, 3, 5),
            gammas=tuple(2.0**i for i in (-5, 0, 5)),
            sizes=(3, 5),
            Cs=tuple(2.0**i for i in (-8, -3, 0, 3, 8)),
        ),
    ),
}

_LEAST = {"levels": 1, "depths": 0, "sizes": 3}


def _checked(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    found: set[Any]
    if name in _LEAST:
        found = {checked_integer(f"each of {name}", value, _LEAST[name]) for value in values}
    else:
        found = {checked_number(f"each of {name}", value) for value in values}
    if name == "Cs" and 0.0 in found:
        raise ValueError("each of Cs must be positive, got 0")
    if not found:
        raise ValueError(f"{name} must have at least one value, got none")
    return tuple(sorted(found))
