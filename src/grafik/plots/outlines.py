"""Drawings of RDKit as shapes of matplotlib, which stay sharp in vector formats."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SVG = "{http://www.w3.org/2000/svg}"
# Lines that RDKit draws thinner than this vanish in print.
_THINNEST = 0.25


def draw_outlines(ax: Axes, text: str, width: int, height: int) -> None:
    """Draw the ellipses and paths of an SVG that RDKit made, one unit of the axes for each pixel.

    Parameters
    ----------
    ax : matplotlib Axes
    text : str
        The SVG.
    width, height : int
        Its size.
    """
    from matplotlib.patches import Ellipse, PathPatch

    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal", adjustable="box")
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    unit = 72 * min(box.width / width, box.height / height)  # points for each pixel
    for shape in ElementTree.fromstring(text):
        if shape.tag == f"{_SVG}ellipse":
            x, y, a, b = (float(shape.attrib[name]) for name in ("cx", "cy", "rx", "ry"))
            look = _look(shape, unit)
            ax.add_patch(Ellipse((x, y), 2 * a, 2 * b, zorder=1, **look))
        elif shape.tag == f"{_SVG}path":
            ax.add_patch(PathPatch(_path(shape.attrib["d"]), zorder=2, **_look(shape, unit)))


def _look(shape: Any, unit: float) -> dict[str, Any]:
    """Return colours and the width of a line, from an element of SVG."""
    style = dict(re.findall(r"([\w-]+):([^;]+)", shape.attrib.get("style", "")))
    look = {"stroke": "none", "stroke-width": "1px", **shape.attrib, **style}
    width = float(look["stroke-width"].removesuffix("px"))
    return {
        "facecolor": look.get("fill", "none"),
        "edgecolor": look["stroke"],
        "linewidth": 0.0 if look["stroke"] == "none" else max(width * unit, _THINNEST),
        "capstyle": "round",
        "joinstyle": "round",
    }


def _path(text: str) -> Any:
    """Return a path of straight lines and curves."""
    from matplotlib.path import Path

    # The command, how many points it takes, and what matplotlib calls it.
    commands = {"M": (1, Path.MOVETO), "L": (1, Path.LINETO), "Q": (2, Path.CURVE3)}
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", text):
        numbers = np.array(re.findall(r"-?\d+\.?\d*", rest), np.float64).reshape(-1, 2)
        if command == "Z":
            points.append(points[-1])
            codes.append(int(Path.CLOSEPOLY))
            continue
        if command not in commands or len(numbers) != commands[command][0]:
            raise ValueError(
                f"a drawing of RDKit must be made of M, L, Q and Z, got {command}{rest}"
            )
        points += [(float(x), float(y)) for x, y in numbers]
        codes += [int(commands[command][1])] * len(numbers)
    return Path(points, codes)
