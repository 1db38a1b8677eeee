"""Records of SDF files: their lines, the molecule in them, and their properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..graphs.convert.smiles import Unreadable
from ..system.memory import Growth

TITLE = "_Name"  # what RDKit calls the first line of a record
_END_OF_RECORD, _END_OF_MOLECULE = "$$$$", "M  END"
_BLANK = 5  # lines that are kept at the start of a record: with so many, it is none any more
_LINES = 8_000_000  # in a record: a million atoms take no more, and damaged files have no end
_STRING = 64  # bytes that Python takes for a line, besides its letters
_COUNTS = 3  # lines above the counts of atoms and bonds, which may hold anything
# A line that hardly is a value: ``> <name>``, or ``>  <name>  (1)`` as RDKit writes it.
_LIKE_A_HEADER = re.compile(r"\s*>\s*<(.+)>\s*(\(.*\))?\s*")


class Record(NamedTuple):
    """One record of a file: which, in what line it starts, and its lines without their ends."""

    number: int
    start: int
    lines: list[str]

    @property
    def where(self) -> str:
        """Its place in the file."""
        return f"molecule {self.number}, line {self.start}"


def records(file: str, lines: Iterable[str]) -> Iterator[Record]:
    """Yield the records of a file."""
    found, kept = Record(1, 1, []), _growth(file, 1)
    for position, line in enumerate(lines, 1):
        text, taken = line.rstrip("\r\n"), found.lines
        if text.startswith(_END_OF_RECORD):
            yield found
            found = Record(found.number + 1, position + 1, [])
            kept = _growth(file, position + 1)
        elif text or len(taken) != _BLANK or any(taken):
            if len(taken) == _LINES:
                raise ValueError(
                    f"{file}, {found.where}: the record has more than {_LINES:,} lines; is a line "
                    f"{_END_OF_RECORD!r} missing?"
                )
            kept.add(_STRING + len(text))
            taken.append(text)
    if any(line.strip() for line in found.lines):
        yield found


def _growth(file: str, start: int) -> Growth:
    return Growth(
        f"the molecule from line {start} of {file}",
        f"is a line {_END_OF_RECORD!r} missing? Otherwise leave it out",
    )


def parts(
    lines: list[str], start: int, wanted: set[str]
) -> tuple[str | Unreadable, dict[str, str]]:
    """Return the part of a record that describes the molecule, and its properties.

    Parameters
    ----------
    lines : list of str
    start : int
        The number of the first line, for messages.
    wanted : set of str
        The properties whose values are needed. Those of others are left empty.
    """
    found = {TITLE: lines[0].strip() if lines else ""}
    if not any(map(str.strip, lines)):
        return Unreadable("the record is empty"), found
    if not any(map(str.strip, lines[_COUNTS : _COUNTS + 1])):
        return Unreadable("the fourth line of the record does not count atoms and bonds"), found
    ends = (i for i in range(_COUNTS, len(lines)) if lines[i].startswith(_END_OF_MOLECULE))
    end = next(ends, None)
    if end is None:
        return Unreadable(f"the record has no line {_END_OF_MOLECULE!r}"), found
    fault = _add_properties(lines, end + 1, start, wanted, found)
    if fault:  # what is behind it was not looked at, but is there
        headers = (line for line in map(str.strip, lines[end + 1 :]) if line.startswith(">"))
        found |= dict.fromkeys(filter(None, map(_name, headers)), "")
        return Unreadable(fault), found
    return "\n".join([*lines[: end + 1], ""]), found


def _add_properties(
    lines: list[str], first: int, start: int, wanted: set[str], found: dict[str, str]
) -> str:
    """Take the properties from the lines below a molecule; return what is wrong with them.

    A molecule whose record has lost its end must not give its properties to the one before.
    """
    here, seen = first, set[str | None]()
    while here < len(lines):
        text = lines[here].strip()
        if text.startswith(">"):
            name, stop = _name(text), _empty_line(lines, here + 1)
            for i in range(here + 1, stop):
                like = _LIKE_A_HEADER.fullmatch(lines[i])
                if like and not wanted.isdisjoint((name, like[1])):
                    above = "a property without a name" if name is None else repr(name)
                    return (
                        f"line {start + i} {lines[i].strip()!r} looks like a property, but belongs "
                        f"to the value of {above}; put an empty line before it"
                    )
            if name is not None:
                value = "\n".join(lines[here + 1 : stop] if name in wanted else []).strip()
                if name in seen and found[name] != value:
                    return f"line {start + here} gives the property {name!r} another value"
                found[name] = value
            seen.add(name)
            here = stop
        elif text.startswith(_END_OF_MOLECULE) or (text and seen):
            return (
                f"line {start + here} {text[:20]!r} belongs to no property, as if a line "
                f"{_END_OF_RECORD!r} were missing above it"
            )
        here += 1
    return ""


def _name(header: str) -> str | None:
    """Return the name of a property, None if it has none; RDKit as well takes the last ``>``."""
    first, last = header.find("<"), header.rfind(">")
    return header[first + 1 : last] if 0 <= first < last - 1 else None


def _empty_line(lines: list[str], first: int) -> int:
    try:
        return lines.index("", first)
    except ValueError:
        return len(lines)
