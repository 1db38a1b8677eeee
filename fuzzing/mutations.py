"""Edits of bytes, of text and of plain values, all by a random generator."""

import re
from random import Random
from typing import Any, TypeAlias

# Numbers at which something ends, and what looks like a number.
EXTREMES = [
    *(0, 1, -1, 2, 127, 128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32),
    *(-(2**31), -(2**31) - 1, 2**53, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1),
    *(2**64 - 1, 2**64, 2**64 // 3, 10**30),
]
ODD_NUMBERS = [
    *map(str, EXTREMES),
    *("", " ", "-", "+1", "1.0", "1.", ".5", ".", "1e3", "1E+02", "1e400", "-1e400", "1e-400"),
    *("nan", "NaN", "inf", "-inf", "0x1", "1_0", "00", "-0", "-0.0", "1 2", "'1'", "True", "None"),
    *("\uff11", "\u0661", "\u22121", "1\x00", "1\xa0", "1;2", "1,", ",", "1e", "1d0", "9" * 400),
]
ODD_VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.5, -0.0, float("nan"), float("inf"), float("-inf"), 1e308),
    *(5e-324, "", "a", "\x00", "\ud800", (), (1, True), [], [1], {}, b"", b"x", 2**63, -(2**70)),
]


Edit: TypeAlias = tuple[int, int, bytes]


def byte_edit(random: Random, data: bytes) -> Edit:
    """Return where bytes are changed, how many are left out there, and what is put in."""
    if not data:
        return 0, 0, random.randbytes(random.randrange(1, 9))
    at = random.randrange(len(data))
    size = min(random.choice((1, 1, 2, 4, 8, 64)), len(data) - at)
    piece = data[at : at + size]
    how = random.randrange(8)
    if how == 0:
        return at, 1, bytes([piece[0] ^ 1 << random.randrange(8)])
    if how == 1:
        return at, size, random.randbytes(size)
    if how == 2:
        return at, size, b""
    if how == 3:
        return at, 0, piece
    if how == 4:
        return at, 0, random.randbytes(size)
    if how == 5:
        return at, size, random.choice((b"\0", b"\xff")) * size
    if how == 6:
        return at, len(data) - at, b""
    wide = random.choice((2, 4, 8))
    number = random.choice(EXTREMES) % 256**wide
    return at, wide, number.to_bytes(wide, random.choice(("little", "big")))


def with_edits(data: bytes, edits: list[Edit]) -> bytes:
    """Return bytes with all edits made, one after the other."""
    for at, size, piece in edits:
        data = data[:at] + piece + data[at + size :]
    return data


def byte_edits(random: Random, data: bytes, number: int) -> list[Edit]:
    """Return so many edits, each of what those before have left."""
    edits: list[Edit] = []
    for _ in range(number):
        edits.append(byte_edit(random, with_edits(data, edits)))
    return edits


def edited_bytes(random: Random, data: bytes) -> bytes:
    """Change bytes somewhere: one, a piece, or the end."""
    return with_edits(data, [byte_edit(random, data)])


def edited_text(random: Random, data: bytes) -> bytes:
    """Change a text of numbers in lines: a number, a line, a letter."""
    how = random.randrange(9)
    lines = data.splitlines(keepends=True)
    if how >= 6 or not lines:
        return edited_bytes(random, data)
    at = random.randrange(len(lines))
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, lines[random.randrange(len(lines))])
    elif how == 2:
        other = random.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif how == 3:
        lines.insert(at, random.choice((b"\n", b"\r", b" \n", b"\x0c\n", b"\xe2\x80\xa8", b"\x85")))
    else:
        numbers = list(re.finditer(rb"[-0-9.e]+", lines[at]))
        if numbers:
            one = random.choice(numbers)
            odd = random.choice(ODD_NUMBERS).encode()
            lines[at] = lines[at][: one.start()] + odd + lines[at][one.end() :]
    return b"".join(lines)


def value_edits(random: Random, value: Any, number: int) -> list[list[Any]]:
    """Return edits of things within a value made of dicts and lists, however deep they are.

    Each is a path of names and positions, what is done there, and what comes there instead.
    """
    edits: list[list[Any]] = []
    for _ in range(number):
        path: list[Any] = []
        at = value
        while isinstance(at, (dict, list, tuple)) and at and (not path or random.random() > 0.15):
            path.append(
                random.choice(list(at)) if isinstance(at, dict) else random.randrange(len(at))
            )
            at = at[path[-1]]
        how = random.choice(("set", "set", "set", "set", "drop", "repeat"))
        edits.append([path, how, _another(random, at) if how == "set" else None])
    return edits


def with_value_edits(value: Any, edits: list[list[Any]]) -> Any:
    """Return a value with all edits made; those of what is not there any more are passed over."""
    for path, how, new in edits:
        value = _edited(value, path, how, new)
    return value


def _edited(value: Any, path: list[Any], how: str, new: Any) -> Any:
    if not path:
        return new if how == "set" else value
    key, rest = path[0], path[1:]
    named = isinstance(value, dict) and key in value
    placed = isinstance(value, (list, tuple)) and isinstance(key, int) and key < len(value)
    if not named and not placed:
        return value
    items = dict(value) if named else list(value)
    if rest or how == "set":
        items[key] = _edited(items[key], rest, how, new)
    elif how == "drop":
        del items[key]
    elif named:
        items[f"{key}2"] = items[key]
    else:
        items.insert(key, items[key])
    return items if named else type(value)(items)


def _another(random: Random, value: Any) -> Any:
    """Return a value in place of another one, often one like it."""
    how = random.random()
    if isinstance(value, bool) and how < 0.6:
        return not value
    if isinstance(value, int) and how < 0.8:
        return random.choice((random.choice(EXTREMES), value + 1, value - 1, -value))
    if isinstance(value, float) and how < 0.8:
        odd = (0.0, -1.0, 1e308, 5e-324, float("nan"), float("inf"), value * 2, -value)
        return random.choice(odd)
    if isinstance(value, str) and value and how < 0.7:
        at = random.randrange(len(value))
        return value[:at] + random.choice(("", "x", "\x00", "'", "\ud800")) + value[at + 1 :]
    return random.choice(ODD_VALUES)
