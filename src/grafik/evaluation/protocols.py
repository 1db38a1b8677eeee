"""Protocols: how often, in how many folds, and which parameters are tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..arrays.checks import checked_bool, checked_choice, checked_integer, checked_number
from .header import ProtocolRecord

# Attributes with values to try; the other attributes say how they are tried.
TRIED = ("levels", "depths", "gammas", "sigmas", "sizes", "Cs")
_LEAST = {"repeats": 1, "n_splits": 2, "inner_splits": 2, "levels": 1, "depths": 0, "sizes": 3}


@dataclass(frozen=True)
class Protocol:
    """How kernels are compared: stratified folds, and a grid inside each training part.

    All values are checked when a protocol is made. Values to try are sorted and made unique. A
    kernel is tried with the values of those parameters that it has.

    Attributes
    ----------
    name : str
        Name in tables and result files.
    repeats : int
        How often the graphs are shuffled and cut into folds anew.
    n_splits : int
        Outer folds.
    inner_splits : int
        Folds inside each training part, by which parameters are chosen.
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
    sigmas : tuple of float
        For Gaussians on top of a kernel, ``exp(-sigma (1 - K))``.
    normalize : bool
        Whether kernels given by name or through :func:`swept` are cosine-normalised.
    thresholds_from : {"train", "all"}
        Whether thresholds are learned from each training part alone, or, as in the paper, from all
        graphs, so that the test part influences them.
    random_state : int
        Seed of the folds, which depend only on this number, the classes and the groups.

    Examples
    --------
    >>> from grafik.evaluation import PROTOCOLS
    >>> short = PROTOCOLS["paper"].with_values(repeats=2, levels=[3, 1, 3])
    >>> short.name, short.repeats, short.n_splits, short.levels
    ('paper', 2, 10, (1, 3))
    """

    name: str
    repeats: int
    n_splits: int
    inner_splits: int
    levels: tuple[int, ...]
    depths: tuple[int, ...]
    gammas: tuple[float, ...]
    sizes: tuple[int, ...]
    Cs: tuple[float, ...]
    sigmas: tuple[float, ...] = (1.0, 4.0, 16.0)
    normalize: bool = True
    thresholds_from: str = "train"
    random_state: int = 0

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {name: _tried(name, getattr(self, name)) for name in TRIED}
        for name in ("repeats", "n_splits", "inner_splits"):
            checked[name] = checked_integer(name, getattr(self, name), _LEAST[name])
        checked["normalize"] = checked_bool("normalize", self.normalize)
        checked["random_state"] = checked_integer("random_state", self.random_state, 0, 2**32 - 1)
        checked_choice("thresholds_from", self.thresholds_from, ("train", "all"))
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def with_values(self, **given: Any) -> Protocol:
        """Return the protocol with other values of some attributes; None leaves one unchanged.

        Parameters
        ----------
        repeats, n_splits, inner_splits : int
        levels, depths, gammas, sigmas, sizes, Cs : iterable
        normalize : bool
        thresholds_from : {"train", "all"}
        random_state : int

        Examples
        --------
        >>> from grafik.evaluation import PROTOCOLS
        >>> PROTOCOLS["quick"].with_values(n_splits=5, depths=None, gammas=[1]).changed
        ['gammas']
        >>> PROTOCOLS["quick"].with_values(n_splits=1)
        Traceback (most recent call last):
        ValueError: n_splits must be an integer of at least 2, got 1
        """
        known = [name for name in self.__dataclass_fields__ if name != "name"]
        for name in given:
            if name not in known:
                raise TypeError(f"a protocol has {', '.join(known)}, got {name!r}")
        return replace(self, **{name: one for name, one in given.items() if one is not None})

    @property
    def changed(self) -> list[str]:
        """Parameters whose values differ from those of the protocol with this name."""
        usual = PROTOCOLS.get(self.name, self)
        return [name for name in TRIED if getattr(self, name) != getattr(usual, name)]

    def record(self) -> ProtocolRecord:
        """Return what a result file says about the protocol, for all methods."""
        return ProtocolRecord(
            self.name,
            self.repeats,
            self.n_splits,
            self.inner_splits,
            list(self.Cs),
            self.changed,
        )


def as_protocol(given: str | Protocol) -> Protocol:
    """Return the protocol with a name; a protocol is returned as it is.

    Examples
    --------
    >>> from grafik.evaluation.protocols import as_protocol
    >>> as_protocol("quick").repeats
    1
    """
    if isinstance(given, Protocol):
        return given
    if not isinstance(given, str) or given not in PROTOCOLS:
        names = ", ".join(map(repr, PROTOCOLS))
        raise ValueError(f"protocol must be one of {names}, or a Protocol, got {given!r}")
    return PROTOCOLS[given]


def _tried(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values of the grid, sorted and unique, or refuse them."""
    found: set[Any]
    if name in _LEAST:
        found = {checked_integer(f"each of {name}", value, _LEAST[name]) for value in values}
    else:
        found = {checked_number(f"each of {name}", value) for value in values}
    if name in ("Cs", "sigmas") and 0.0 in found:
        raise ValueError(f"each of {name} must be positive, got 0")
    if not found:
        raise ValueError(f"{name} must have at least one value, got none")
    return tuple(sorted(found))


def _powers(*exponents: int) -> tuple[float, ...]:
    return tuple(2.0**exponent for exponent in exponents)


_ELEVEN = _powers(-12, -8, -5, -3, -1, 0, 1, 3, 5, 8, 12)

PROTOCOLS = {
    # Appendix E of the paper.
    "paper": Protocol(
        name="paper",
        repeats=10,
        n_splits=10,
        inner_splits=3,
        levels=tuple(range(1, 11)),
        depths=(1, 2, 3, 4, 5),
        gammas=_ELEVEN,
        sizes=(3, 4, 5),
        Cs=_ELEVEN,
    ),
    # One repeat, every second or third value of each parameter.
    "quick": Protocol(
        name="quick",
        repeats=1,
        n_splits=10,
        inner_splits=3,
        levels=(1, 3, 10),
        depths=(1, 3, 5),
        gammas=_powers(-5, 0, 5),
        sizes=(3, 5),
        Cs=_powers(-8, -3, 0, 3, 8),
    ),
}
