"""Pieces of HTML for notebooks: escaped, without scripts, for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ..graphs.vertex_names import as_text

# Colours of text and lines are those of the notebook, so that they suit light and dark ones.
_LINE = "1px solid rgba(128,128,128,.4)"
_CELL = f"padding:.15em .6em;border-bottom:{_LINE};vertical-align:top;"
_LONGEST = 120


def text(value: Any, longest: int = _LONGEST) -> str:
    """Return a value as text in HTML, on one line and not longer than that.

    Examples
    --------
    >>> from grafik.plots.html import text
    >>> text("<b>"), text("abcdef", 4)
    ('&lt;b&gt;', 'abc…')
    """
    plain = as_text(value)
    return escape(plain if len(plain) <= longest else plain[: longest - 1] + "…")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int]) -> str:
    """Return a table of HTML cells; numbers stand to the right, columns in `left` to the left."""

    def line(tag: str, cells: Sequence[str]) -> str:
        sides = ("left" if i in left else "right" for i in range(len(cells)))
        return "".join(
            f'<{tag} style="{_CELL}text-align:{side}">{cell}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )

    top = f'<thead style="white-space:nowrap"><tr>{line("th", head)}</tr></thead>' if head else ""
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return f'<table style="border-collapse:collapse">{top}<tbody>{body}</tbody></table>'


def bar(part: float, colour: str, width: int = 60) -> str:
    """Return a bar whose length is a part of the width."""
    return (
        f'<span style="display:inline-block;width:{width}px;text-align:left">'
        f'<span style="display:inline-block;height:.6em;width:{width * part:.1f}px;'
        f'background:{colour}"></span></span>'
    )


def display(title: str, *parts: str) -> str:
    """Return what a notebook shows of an object: a title and parts below it."""
    below = "".join(f'<div style="margin:.3em 0">{part}</div>' for part in parts if part)
    return f'<div style="overflow-x:auto"><strong>{title}</strong>{below}</div>'


def side_by_side(parts: Iterable[str]) -> str:
    """Return parts in a row, which wraps."""
    inner = "".join(f"<div>{part}</div>" for part in parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em">{inner}</div>' if inner else ""
