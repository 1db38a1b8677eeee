"""What vertices are called in tables, pages and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_text(name: Any) -> str:
    r"""Return a name as text on one line.

    Examples
    --------
    >>> from grafik.graphs.vertex_names import as_text
    >>> as_text("person_3"), as_text(7), as_text("two\nlines")
    ('person_3', '7', 'two\\nlines')
    """
    text = str(name)
    return text if text.isprintable() else repr(text)[1:-1]


def vertex_names(names: Sequence[Any] | None, n: int) -> list[str]:
    """Return what each of `n` vertices is called: its name, or its number if there are none."""
    return [as_text(name) for name in (range(n) if names is None else names)]
