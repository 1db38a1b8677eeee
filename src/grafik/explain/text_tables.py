"""Tables of plain text: aligned columns, and ranges of numbers in few letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..features.histograms import Lifespan


def level_text(spans: Sequence[Lifespan]) -> str:
    """Return the levels at which a feature lives, however often it occurs."""
    return ranges_text((birth, death) for birth, death, _ in spans)


def ranges_text(spans: Iterable[tuple[int, int]]) -> str:
    """Return numbers from the first of each span to before its last, such as 0-2,5."""
    joined: list[list[int]] = []
    for birth, death in spans:
        if joined and joined[-1][1] == birth:
            joined[-1][1] = death
        else:
            joined.append([birth, death])
    parts = [str(a) if b == a + 1 else f"{a}-{b - 1}" for a, b in joined]
    return ",".join([*parts[:2], "..", parts[-1]] if len(parts) > 4 else parts) or "-"


def aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return rows of text with aligned columns; only the last one is left-aligned."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join([*(cell.rjust(w) for cell, w in zip(row[:-1], widths, strict=False)), row[-1]])
        for row in table
    ]
