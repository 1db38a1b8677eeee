"""Results of an evaluation, as they are computed and as they are read back."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import is_integer
from ..system.files import expanded
from ..system.journal import read_journal
from ..system.words import counted
from .header import Header

if TYPE_CHECKING:
    from .summary import Summary

FILE = "results.jsonl"
_NEEDED = ("n_correct", "n_test", "n_fits", "n_unconverged")
_MOST = 2**53  # numbers below are exact as floats, and no run counts that far


class _Misplaced(ValueError):
    """A result that does not belong where it is, at a position among the units."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Results:
    """The result of each unit of work, and what it was computed from.

    Attributes
    ----------
    header : Header
        Data, methods, grids, protocol, seeds and versions.
    units : list of dict
        One for each method, repeat and outer fold.
    """

    header: Header
    units: list[dict[str, Any]]

    def __post_init__(self) -> None:
        header, seen = self.header, set()
        sizes = [Counter(folds) for folds in header.folds]
        for position, unit in enumerate(self.units):
            place = tuple(unit.get(name) for name in ("method", "repeat", "fold"))
            known = (
                place[0] in self.methods
                and all(map(is_integer, place[1:]))
                and place[1] in range(header.protocol.repeats)
                and place[2] in range(header.protocol.n_splits)
            )
            if not known:
                what: str | None = "is not part of this evaluation"
            elif place in seen:
                what = "is there twice"
            elif not _is_complete(unit):
                what = "is not a result of this version of grafik"
            else:
                what = _impossible(unit, header, sizes[unit["repeat"]][unit["fold"]])
            if what is not None:
                raise _Misplaced(
                    position,
                    f"the result of method {place[0]}, repeat {place[1]}, fold {place[2]} {what}; "
                    "delete this line to compute it again",
                )
            seen.add(place)

    @classmethod
    def of_file(cls, header: Header, units: list[dict[str, Any]], path: Path) -> Results:
        """Return what a file holds; an error names the file and the line."""
        try:
            return cls(header, units)
        except _Misplaced as error:
            line = error.position + 2  # the first one is the header
            raise ValueError(f"{path}, line {line}: {error}") from None

    @property
    def methods(self) -> list[str]:
        """Names of the methods."""
        return list(self.header.methods)

    @property
    def n_missing(self) -> int:
        """Number of units that have not been computed yet."""
        protocol = self.header.protocol
        return len(self.methods) * protocol.repeats * protocol.n_splits - len(self.units)

    def accuracies(self, method: str) -> NDArray[np.float64]:
        """Return the accuracies of a method, NaN where one is not computed yet.

        Returns
        -------
        ndarray of shape (repeats, n_splits)
        """
        protocol = self.header.protocol
        found = np.full((protocol.repeats, protocol.n_splits), np.nan)
        for unit in self.units:
            if unit["method"] == method:
                found[unit["repeat"], unit["fold"]] = unit["n_correct"] / unit["n_test"]
        return found

    def summary(self) -> Summary:
        """Return means, deviations and tests."""
        from .summary import summarise

        return summarise(self)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the accuracy of each method; see :func:`grafik.plots.accuracies`."""
        from ..plots import accuracies

        return accuracies(self, ax=ax)

    def _repr_html_(self) -> str:
        from ..plots.notebook import results_html

        return results_html(self)


def _is_complete(unit: dict[str, Any]) -> bool:
    """Tell whether a unit has all that summaries need, of the right types."""
    whole = all(is_integer(unit.get(name)) for name in _NEEDED)
    whole = whole and is_integer(unit.get("n_skipped", 0))
    score = unit.get("inner_accuracy")
    number = score is None or is_integer(score) or isinstance(score, float)
    return whole and number and isinstance(unit.get("params"), dict)


def _impossible(unit: dict[str, Any], header: Header, n_tested: int) -> str | None:
    """Return what no evaluation could have found, None if there is no such number."""
    n_test, score = unit["n_test"], unit.get("inner_accuracy")
    if n_test != n_tested or not n_test:
        return f"has n_test={n_test}, but {counted(n_tested, 'graph')} are tested there"
    if not 0 <= unit["n_correct"] <= n_test:
        return f"has n_correct={unit['n_correct']}, but tests {counted(n_test, 'graph')}"
    for name in ("n_fits", "n_skipped", "n_unconverged"):
        if not 0 <= unit.get(name, 0) < _MOST:
            return f"has {name}={unit[name]}, which nobody can have counted"
    if unit["n_unconverged"] > unit["n_fits"]:
        return f"has n_unconverged={unit['n_unconverged']} of n_fits={unit['n_fits']}"
    # Models without a grid choose by scores of their own.
    tried = bool(header.methods[unit["method"]].grid)
    if tried and score is not None and not 0 <= score <= 1:
        return f"has inner_accuracy={score}, which must be between 0 and 1"
    if tried and unit["params"].get("C") not in header.protocol.Cs:
        return f"has C={unit['params'].get('C')!r}, which was not tried"
    return None


def read_results(folder: str | os.PathLike[str]) -> Results:
    """Read what :func:`grafik.evaluation.evaluate` wrote to a folder, finished or not.

    Examples
    --------
    >>> import tempfile
    >>> from grafik import datasets
    >>> from grafik.evaluation import PROTOCOLS, evaluate, read_results
    >>> graphs, y = datasets.csl(skips=(2, 3), copies=6)
    >>> folder = tempfile.mkdtemp()
    >>> two = PROTOCOLS["quick"].with_values(n_splits=2)
    >>> _ = evaluate("wl", graphs, y, protocol=two, out=folder)
    >>> read_results(folder).accuracies("wl")
    array([[0.5, 0.5]])
    """
    path = expanded(folder) / FILE
    header, units = read_journal(path)
    try:
        known = Header.from_json(header)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ValueError(f"{path}, line 1: {error}") from error
    return Results.of_file(known, units, path)


def is_begun(folder: str | os.PathLike[str]) -> bool:
    """Tell whether a folder has results to read: at least a complete header line."""
    path = expanded(folder) / FILE
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline().endswith(b"\n")
