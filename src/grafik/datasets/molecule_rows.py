"""Rows of molecules with targets, as texts, become graphs and numbers; bad rows are left out."""

from __future__ import annotations

import difflib
import math
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays.checks import checked_choice
from ..graphs.batch import Graphs
from ..graphs.convert.atoms import Chemistry
from ..graphs.convert.smiles import MoleculeColumns, Unreadable, read_molecules

Errors: TypeAlias = Literal["raise", "skip"]

# Texts that stand for no value.
_MISSING = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"}
EACH = 400  # bytes that a row takes, besides what its molecule takes
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")
_COMMA = re.compile(r"[+-]?[\d.]*,\d+([eE][+-]?\d+)?")
_EXACT = 2**53  # floats hold all integers below
_NAMED = 10  # this many rows that are left out are named in a warning


class Row(NamedTuple):
    """One molecule of a file.

    Attributes
    ----------
    where : str
        Its place, such as ``"line 7"``.
    molecule : str or Unreadable
        What describes it.
    targets : list of str or None
        The text of each target; None if there is none.
    id : str or None
    """

    where: str
    molecule: Any
    targets: list[str | None]
    id: str | None


class Wanted(NamedTuple):
    """What is read of each row: names of columns or properties, and what happens to bad rows."""

    target: str | Sequence[str] | None
    id: str | None
    errors: Errors

    def checked(self) -> Wanted:
        """Return the same, or refuse it."""
        checked_choice("errors", self.errors, ("raise", "skip"))
        texts = [self.target] if isinstance(self.target, str) else self.target
        if texts is not None and (
            not isinstance(texts, (list, tuple))
            or not texts
            or not all(isinstance(text, str) for text in texts)
        ):
            raise TypeError(f"target must be a name, a list of names or None, got {self.target!r}")
        if self.id is not None and not isinstance(self.id, str):
            raise TypeError(f"id must be a name or None, got {self.id!r}")
        return self

    @property
    def targets(self) -> list[str]:
        """Names of all targets."""
        return [self.target] if isinstance(self.target, str) else list(self.target or [])

    @property
    def names(self) -> list[str]:
        """Names of all that is read beside the molecules."""
        return [*self.targets, *([] if self.id is None else [self.id])]


def graphs_and_targets(
    file: str,
    rows: Sequence[Row],
    wanted: Wanted,
    chemistry: Chemistry,
    parse: Callable[[Any], Any] = lambda text: text,
) -> tuple[Graphs, NDArray[Any] | None]:
    """Return the graphs and the targets of all rows that can be used.

    Parameters
    ----------
    file : str
        Its name.
    rows : sequence of Row
    wanted : Wanted
    chemistry : Chemistry
    parse : callable
        What makes a SMILES string or a molecule of RDKit of what describes a molecule.
    """
    several = wanted.target is not None and not isinstance(wanted.target, str)
    columns = [
        _Column(name, [row.targets[place] for row in rows], several)
        for place, name in enumerate(wanted.targets)
    ]
    bad: dict[int, str] = {}
    kept = list[int]()
    molecules = MoleculeColumns(chemistry, lambda graph: f"{file}, {rows[kept[graph]].where}")
    read = read_molecules((parse(row.molecule) for row in rows), chemistry)
    for position, molecule in enumerate(read):
        reasons = [column.problems.get(position) for column in columns]
        if isinstance(molecule, Unreadable):
            reasons.insert(0, molecule.reason)
        found = next((reason for reason in reasons if reason is not None), None)
        if found is not None:
            bad[position] = found
        elif wanted.errors == "skip" or not bad:
            kept.append(position)
            molecules.add(molecule)
    if bad:
        _refuse_or_warn(file, rows, bad, wanted.errors)
    _warn_of_numbers_among_texts(file, rows, columns)
    ids = None if wanted.id is None else [rows[position].id for position in kept]
    graphs = molecules.graphs(Graphs, ids)
    if not columns:
        return graphs, None
    if several:
        return graphs, np.column_stack([column.values(kept).astype(float) for column in columns])
    return graphs, columns[0].values(kept)


def _refuse_or_warn(file: str, rows: Sequence[Row], bad: dict[int, str], errors: Errors) -> None:
    first = min(bad)
    if errors == "raise":
        more = "" if len(bad) == 1 else f" ({len(bad)} of {len(rows)} rows cannot be used)"
        raise ValueError(
            f"{file}, {rows[first].where}: {bad[first]}; correct it, or leave such rows out with "
            f"errors='skip'{more}"
        )
    if len(bad) == len(rows):
        raise ValueError(f"{file}: no row can be used; {rows[first].where}: {bad[first]}")
    named = ", ".join(f"{rows[i].where} ({bad[i]})" for i in sorted(bad)[:_NAMED])
    more = f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
    were = "was" if len(bad) == 1 else "were"
    warnings.warn(
        f"{file}: {len(bad)} of {len(rows)} rows {were} left out: {named}{more}", stacklevel=4
    )


def _warn_of_numbers_among_texts(
    file: str, rows: Sequence[Row], columns: Sequence[_Column]
) -> None:
    """Warn of a target that has numbers, but not enough to be numeric, or with decimal commas."""
    for column in columns:
        if column.first_text is None or not (column.n_numbers or column.first_comma is not None):
            continue
        why, remedy = f"only {column.n_numbers} of {column.n_values} values are numbers", "correct"
        first = column.first_text
        if column.first_comma is not None:
            why, first = "commas stand in its numbers", column.first_comma
            remedy = "write decimal points, and nothing between thousands, in"
        warnings.warn(
            f"{file}: {column.name!r} is read as text, as {why}; {rows[first].where} has "
            f"{rows[first].targets[0]!r}; {remedy} such values if it should be numeric",
            stacklevel=4,
        )


class _Column:
    """The texts of one target. More than half of them must be numbers for it to be numeric.

    Attributes
    ----------
    name : str
    n_values, n_numbers : int
        How many texts stand for a value, and how many of these are numbers.
    first_text : int or None
        Position of the first that is no number, if the target is not numeric.
    first_comma : int or None
        Position of the first number with a comma, if more than half of the texts are such numbers.
    problems : dict
        What is wrong with some of the texts, by position.
    """

    def __init__(self, name: str, texts: Sequence[str | None], numeric: bool) -> None:
        self._texts = [None if text is None else text.strip() for text in texts]
        there = {i: text for i, text in enumerate(self._texts) if text and text not in _MISSING}
        numbers = {i: number for i, text in there.items() if (number := _number(text)) is not None}
        self._numbers = numbers if numeric or 2 * len(numbers) > len(there) else None
        self.name, self.n_values, self.n_numbers = name, len(there), len(numbers)
        others = (i for i in there if i not in numbers)
        self.first_text = next(others, None) if self._numbers is None else None
        commas = [i for i, text in there.items() if _COMMA.fullmatch(text)]
        self.first_comma = commas[0] if 2 * len(commas) > len(there) else None
        self.problems = {
            i: f"there is no value of {name!r}" for i in range(len(texts)) if i not in there
        }
        if self._numbers is not None:
            why = ", as several targets must be numbers" if numeric else ""
            self.problems |= {
                i: f"{name!r} must be a finite number{why}, got {text!r}"
                for i, text in there.items()
                if i not in numbers
            }
            if numeric or not _are_integers(numbers.values()):
                self.problems |= {
                    i: f"{name!r} has {number}, which no floating point number is; the closest is "
                    f"{int(float(number))}"
                    for i, number in numbers.items()
                    if number != float(number)
                }

    def values(self, kept: Iterable[int]) -> NDArray[Any]:
        """Return the target of some rows: integers if all are whole, floats, or texts."""
        if self._numbers is None:
            return np.array([self._texts[i] for i in kept], dtype=np.str_)
        found = [self._numbers[i] for i in kept]
        return np.array(found, np.int64 if _are_integers(found) else np.float64)


def _are_integers(numbers: Iterable[int | float]) -> bool:
    return all(isinstance(one, int) and -(2**63) <= one < 2**63 for one in numbers)


def _number(text: str) -> int | float | None:
    """Return a finite number; an integer if it is whole, unless it is large and has an exponent."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number) or "_" in text:
        return None
    if abs(number) < _EXACT:
        return int(number) if number.is_integer() else number
    if not _WHOLE.fullmatch(text):
        return number
    digits = text.partition(".")[0].lstrip("+-0")  # as Python refuses thousands of zeros
    return int(digits) if number > 0 else -int(digits)


def missing_name(file: str, kind: str, name: str, there: Sequence[str]) -> str:
    """Return the message for a name that a file lacks, with the closest that it has."""
    by_letters = {one.casefold().strip(): one for one in there}
    close = difflib.get_close_matches(name.casefold().strip(), by_letters, 1)
    meant = f"; did you mean {by_letters[close[0]]!r}?" if close else ""
    listed = ", ".join(map(repr, there[:50])) or "none"
    return f"{file} has no {kind} {name!r}, it has {listed}{meant}"
