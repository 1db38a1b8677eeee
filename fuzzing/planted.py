"""Targets that end badly on purpose, so that tests see each kind of ending found."""

import os
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from .cases import Target, Wrong, attempt

# A reader of bytes does this when it meets the byte.
_ENDINGS = {
    b"A": "crash",
    b"L": "hang",
    b"M": "memory",
    b"W": "wrong",
    b"E": "error",
    b"V": "vague",
}


def make(random: Random) -> dict[str, Any]:
    """Return lower case letters, and often an h at the end, which is refused."""
    letters = bytes(random.choice(b"abcdefg") for _ in range(random.randrange(5)))
    return {"data": letters + random.choice((b"", b"", b"h")), "other": [1, 2, 3]}


def _made_with(letter: bytes) -> Any:
    def one(random: Random) -> dict[str, Any]:
        case = make(random)
        if random.random() < 0.4:
            at = random.randrange(len(case["data"]) + 1)
            case["data"] = case["data"][:at] + letter + case["data"][at:]
        return case

    return one


def check(case: dict[str, Any], folder: Path) -> None:
    """Read bytes from a file, badly."""
    path = folder / "data"
    path.write_bytes(case["data"])
    attempt(lambda: _read(path), "letter")


def _read(path: Path) -> None:
    data = path.read_bytes()
    if b"h" in data:
        raise ValueError(f"letter {data.index(b'h')} is h")
    for letter, ending in _ENDINGS.items():
        if letter not in data:
            continue
        if ending == "crash":
            os.abort()
        elif ending == "hang":
            while True:
                time.process_time()
        elif ending == "memory":
            np.ones(1 << 40)
        elif ending == "wrong":
            raise Wrong("read as something else")
        elif ending == "error":
            raise ZeroDivisionError
        else:
            raise ValueError("something is wrong")


TARGETS = [
    Target(f"planted-{ending}", "planted", _made_with(letter), check, 1)
    for letter, ending in _ENDINGS.items()
]
