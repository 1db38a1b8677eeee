"""Constrained layout whose result has the same bits each time."""

from __future__ import annotations

from typing import Any

from matplotlib.layout_engine import ConstrainedLayoutEngine

_DIGITS = 9  # of a position as a part of the figure; in print, less than the width of an atom


class RoundedLayout(ConstrainedLayoutEngine):
    """Matplotlib's constrained layout, with rounded positions.

    The last bits of positions, and with them the names in SVG files, were not the same each time,
    probably because its solver goes by where constraints are in memory.
    """

    def execute(self, fig: Any) -> Any:
        """Lay a figure out."""
        found = super().execute(fig)
        for ax in fig.axes:
            place = ax.get_position(original=True).bounds
            ax._set_position([round(float(value), _DIGITS) for value in place])
        return found
