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


def edited_value(random: Random, value: Any) -> Any:
    """Change one thing within a value made of dicts and lists, however deep it is."""
    inside = list(value) if isinstance(value, dict) else range(len(value)) if _listed(value) else ()
    if not inside or random.random() < 0.15:
        return _another(random, value)
    key = random.choice(inside)
    if isinstance(value, dict):
        how = random.randrange(12)
        if how == 0:
            return {name: one for name, one in value.items() if name != key}
        if how == 1:
            return {**value, key + random.choice("_1x"): value[key]}
        return {**value, key: edited_value(random, value[key])}
    how = random.randrange(10)
    before, after = value[:key], value[key + 1 :]
    if how == 0:
        return before + after
    if how == 1:
        return value[: key + 1] + value[key:]
    return before + type(value)([edited_value(random, value[key])]) + after


def _listed(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _another(random: Random, value: Any) -> Any:
    """Return a value in place of another one, often one like it."""
    how = random.random()
    if isinstance(value, bool) and how < 0.6:
        return not value
    if isinstance(value, int) and how < 0.7:
        return random.choice((random.choice(EXTREMES), value + 1, value - 1, -value))
    if isinstance(value, float) and how < 0.7:
        odd = (0.0, -1.0, 1e308, 5e-324, float("nan"), float("inf"), value * 2, -value)
        return random.choice(odd)
    if isinstance(value, str) and value and how < 0.7:
        at = random.randrange(len(value))
        return value[:at] + random.choice(("", "x", "\x00", "'", "\ud800")) + value[at + 1 :]
    return random.choice(ODD_VALUES)
