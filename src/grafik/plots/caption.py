"""Texts beside a panel, broken into lines by their real width."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Text

from .style import plain

_GAP = 0.1  # inches between the text and what stands beside it
_LEAST = 0.5  # inches of a line, however narrow the figure is


class Caption(Text):
    """Paragraphs at the left end of a panel that end where the labels of another one begin.

    How wide these labels are is known only when the figure is drawn, so lines are broken then. A
    paragraph is a text and the number of lines that it may take.
    """

    def __init__(
        self, paragraphs: list[tuple[str, int]], ax: Axes, beside: Axes, **look: Any
    ) -> None:
        words = "\n".join(_shown([text], 1) for text, _ in paragraphs)
        super().__init__(0.0, 0.5, words, transform=ax.transAxes, **look)
        self.paragraphs, self.beside = paragraphs, beside
        self.set_in_layout(False)
        ax.add_artist(self)
        self.set_clip_on(False)

    def draw(self, renderer: Any) -> None:
        """Break the lines anew, and draw them."""
        inch = renderer.points_to_pixels(72.0)
        left = self.get_transform().transform(self.get_position())[0]
        labels = self.beside.get_tightbbox(renderer)
        room = max(labels.x0 - left - _GAP * inch, _LEAST * inch)  # type: ignore[union-attr]
        font = self.get_fontproperties()

        def width(text: str) -> float:
            return float(renderer.get_text_width_height_descent(text, font, False)[0])

        room -= width("…")  # which the last line may end with
        parts = [_shown(broken(text, room, width), most) for text, most in self.paragraphs]
        self.set_text("\n".join(parts))
        super().draw(renderer)


def broken(text: str, room: float, width: Callable[[str], float]) -> list[str]:
    """Return lines that are at most as wide as the room; words are cut only if they are wider.

    Examples
    --------
    >>> from grafik.plots.caption import broken
    >>> broken("to be or not to be", 6, len), broken("to befuddle", 6, len)
    (['to be', 'or not', 'to be'], ['to', 'befudd', 'le'])
    """
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if width(longer) <= room:
            lines[-1] = longer
            continue
        lines += [""] * (lines[-1] != "")
        for letter in word:
            if lines[-1] and width(lines[-1] + letter) > room:
                lines.append("")
            lines[-1] += letter
    return lines


def _shown(lines: list[str], most: int) -> str:
    """Return the first lines, as matplotlib shows them as they are."""
    return "\n".join(plain(line, 1000) for line in lines[:most]) + "…" * (len(lines) > most)
