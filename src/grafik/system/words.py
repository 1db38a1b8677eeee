"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number and its noun, in the singular or the plural.

    Examples
    --------
    >>> from grafik.system.words import counted
    >>> counted(1, "graph"), counted(2, "graph"), counted(0, "vertex", "vertices")
    ('1 graph', '2 graphs', '0 vertices')
    """
    return f"{number} {one if number == 1 else many or one + 's'}"
