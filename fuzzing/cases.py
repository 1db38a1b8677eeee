"""What a case is, how it may end, and how it is written down."""

import base64
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import grafik

# How a case may end. "void" is one that could not be made, which does not count; "vague" is a
# refusal that does not say where; "wrong" is an input that is read as something that it does not
# say, or refused though it is right; "error" is an exception that no reader should raise.
OUTCOMES = ("accepted", "refused", "void", "vague", "wrong", "error", "memory", "crash", "hang")
FOUND = OUTCOMES[3:]
ENDING = ("memory", "crash", "hang")  # these may end the process


_PACKAGE = str(Path(grafik.__file__).parent)


class Target(NamedTuple):
    """What is fuzzed.

    Attributes
    ----------
    name : str
    kind : {"input", "hostile", "definition"}
        Which figure its cases count for.
    make : callable
        Takes a random generator; returns a case made of dicts, lists, tuples, strings, bytes,
        numbers, bools and None.
    check : callable
        Takes a case and an empty folder; returns if all is right.
    seconds : int
        Of a processor, that a case may take.
    """

    name: str
    kind: str
    make: Callable[[Random], Any]
    check: Callable[[Any, Path], None]
    seconds: int = 10


class Wrong(Exception):
    """Says that a result is not the right one."""


class Refused(Exception):
    """Says that an input was refused, and where it is at fault."""


class Void(Exception):
    """Says that there is no such input."""


class Vague(Exception):
    """Says that an input was refused without a place."""


def case_of(target: Target, seed: int, number: int) -> Any:
    """Return a case; no other one plays a part in it."""
    return target.make(Random(f"{target.name} {seed} {number}"))


def attempt(action: Callable[[], Any], place: str, kinds: tuple[type, ...] = (ValueError,)) -> Any:
    """Return what an action returns; if it refuses its input, it must say at what place.

    Parameters
    ----------
    action : callable
    place : str
        A pattern that the message must have.
    kinds : tuple of types
        The errors by which an input may be refused; those of subclasses have come from elsewhere.
    """
    try:
        return action()
    except Exception as error:
        text = str(error)
        fits = isinstance(error, MemoryError) and "of memory are free" in text
        if not fits and type(error) not in kinds:
            raise
    if not re.search(place, text):
        raise Vague(text)
    raise Refused(text)


def outcome_of(target: Target, case: Any, folder: Path) -> tuple[str, str]:
    """Return how a case ends, and what is said."""
    try:
        target.check(case, folder)
    except (Refused, Void, Vague, Wrong) as end:
        return type(end).__name__.lower(), str(end)
    except MemoryError as error:
        return "memory", _told(error)
    except Exception as error:
        return "error", _told(error)
    return "accepted", ""


def _told(error: Exception) -> str:
    """Return an error and the place in the sources that it came from."""
    called = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in called if frame.filename.startswith(_PACKAGE)]
    where = f" in {Path(frames[-1].filename).name}, {frames[-1].name}" if frames else ""
    return f"{type(error).__name__}{where}: {error}"


def alike(outcome: str, message: str) -> str:
    """Return what findings with the same cause have in common."""
    return outcome + " " + re.sub(r"'[^']*'|\"[^\"]*\"|\S*/\S+|-?[0-9.]+", "#", message)[:100]


def packed(value: Any) -> Any:
    """Return a case in a form that JSON can hold."""
    if isinstance(value, dict):
        return {name: packed(one) for name, one in value.items()}
    if isinstance(value, list):
        return [packed(one) for one in value]
    if isinstance(value, tuple):
        return {"tuple": [packed(one) for one in value]}
    if isinstance(value, bytes):
        if value.isascii():
            return {"ascii": value.decode()}
        return {"base64": base64.b64encode(value).decode()}
    return value


def unpacked(value: Any) -> Any:
    """Return the case that :func:`packed` was given."""
    if isinstance(value, list):
        return [unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"tuple"}:
        return tuple(map(unpacked, value["tuple"]))
    if value.keys() == {"ascii"}:
        return value["ascii"].encode()
    if value.keys() == {"base64"}:
        return base64.b64decode(value["base64"])
    return {name: unpacked(one) for name, one in value.items()}
