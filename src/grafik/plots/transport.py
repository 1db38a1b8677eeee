"""The transport of one filtration histogram to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..filtration.axis import unit_axis
from ..kernels.sums import wasserstein
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Height of the space between the two histograms, as a multiple of the tallest bar.
_GAP = 1.1
_MANY_TICKS = 10


def transport(
    x: ArrayLike,
    y: ArrayLike,
    alphas: ArrayLike,
    *,
    names: tuple[str, str] = ("G", "G'"),
    ax: Axes | None = None,
) -> Axes:
    """Draw two filtration histograms, and how the mass of one becomes that of the other.

    Both are divided by their mass, as for the distance W1. Mass that stays at its threshold is
    grey, mass that is moved has a colour. Thresholds are drawn to scale; if bars would overlap,
    they are drawn at equal distances instead, and the axis says so.

    Parameters
    ----------
    x, y : array of shape (n_levels,)
        Occurrences of a feature at each level, in one graph and in the other.
    alphas : array of shape (n_levels,)
        Decreasing thresholds.
    names : pair of str
        Names of the two graphs.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import plots
    >>> ax = plots.transport([2, 4, 1, 1], [0, 3, 3, 3], [4, 3, 2, 1], ax=Figure().subplots())
    >>> ax.get_title(loc="left")
    'W1 = 0.875'
    """
    distance = wasserstein(x, y, alphas)
    points = np.asarray(alphas, np.float64)
    shares = [np.asarray(v, np.float64) / np.asarray(v, np.float64).max() for v in (x, y)]
    upper, lower = (share / share.sum() for share in shares)
    places, width, even = _places(points)
    ax = style.new_axes(ax, 5.2, 3.6)
    tallest = float(max(upper.max(), lower.max()))
    top, bottom = 0.5 * _GAP * tallest, -0.5 * _GAP * tallest
    edge: dict[str, Any] = {"edgecolor": style.BLACK, "linewidth": 0.7, "zorder": 3}
    ax.bar(places, upper, width, bottom=top, color=style.BLUE, **edge)
    ax.bar(places, -lower, width, bottom=bottom, color=style.ORANGE, **edge)
    for i, j, start, end, mass in moves(upper, lower):
        left = places[i] + width * (start / upper[i] - 0.5), width * mass / upper[i]
        right = places[j] + width * (end / lower[j] - 0.5), width * mass / lower[j]
        _draw_move(ax, (*left, top), (*right, bottom), moved=i != j)
    ax.set_title(f"W1 = {style.number(distance)}", loc="left", fontsize=10)
    _label(ax, points, places, even, tallest, names)
    return ax


def moves(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> list[tuple[int, int, float, float, float]]:
    """Return the cheapest transport on a line, in which moves never cross.

    Returns
    -------
    list of (from, to, start, end, mass)
        `start` is the mass taken from the first bar before, `end` that brought to the second.
    """
    found = []
    i = j = 0
    taken = brought = 0.0
    while i < len(x) and j < len(y):
        left, room = x[i] - taken, y[j] - brought
        mass = min(left, room)
        if mass > 1e-12:
            found.append((i, j, float(taken), float(brought), float(mass)))
        taken, brought = taken + mass, brought + mass
        if left <= room:
            i, taken = i + 1, 0.0
        if room <= left:
            j, brought = j + 1, 0.0
    return found


def _places(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, bool]:
    """Return where the bars stand, how wide they are, and whether they stand evenly."""
    n = len(points)
    if n == 1:
        return np.zeros(1), 0.5, True
    axis = 1 - unit_axis(points)[0]
    closest = float(np.diff(axis).min())
    even = closest < 0.3 / (n - 1)
    places = np.linspace(0, 1, n) if even else axis
    return places, 0.7 * float(np.diff(places).min()), even


def _draw_move(
    ax: Axes, above: tuple[float, float, float], below: tuple[float, float, float], moved: bool
) -> None:
    """Draw a band from one bar to another; each end is (left, width, height)."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    (a, wide, top), (b, broad, bottom) = above, below
    corners = [(a, top), (a, 0), (b, 0), (b, bottom), (b + broad, bottom)]
    corners += [(b + broad, 0), (a + wide, 0), (a + wide, top), (a, top)]
    curve = Path.CURVE4
    codes = [Path.MOVETO, curve, curve, curve, Path.LINETO, curve, curve, curve, Path.CLOSEPOLY]
    colour, line = (style.VERMILION, 0.6) if moved else (style.GREY, 0.0)
    ax.add_patch(
        PathPatch(
            Path(corners, codes),
            facecolor=colour,
            edgecolor=style.BLACK,
            alpha=0.7 if moved else 0.5,
            linewidth=line,
            zorder=2 if moved else 1,
            label="moved" if moved else "stays",
        )
    )


def _label(
    ax: Axes,
    points: NDArray[np.float64],
    places: NDArray[np.float64],
    even: bool,
    tallest: float,
    names: tuple[str, str],
) -> None:
    step = -(-len(points) // _MANY_TICKS)
    ax.set_xticks(places[::step], [style.number(alpha) for alpha in points[::step]])
    ax.set_xlabel("threshold" + (", not to scale" if even and len(points) > 2 else ""))
    ticks = np.array([0, 0.5, 1.0]) * tallest
    half = 0.5 * _GAP * tallest
    where = [*(half + ticks), *(-half - ticks)]
    ax.set_yticks(where, [style.number(round(t, 3)) for t in (*ticks, *ticks)])
    ax.set_ylabel("share of occurrences")
    ax.set_ylim(-half - 1.2 * tallest, half + 1.2 * tallest)
    for name, y in zip(names, (half + 0.5 * tallest, -half - 0.5 * tallest), strict=True):
        look: dict[str, Any] = {"ha": "left", "va": "center", "fontweight": "bold"}
        ax.text(1.0, y, style.plain(name, 14), transform=ax.get_yaxis_transform(), **look)
    if len(points) == 1:
        ax.set_xlim(-1, 1)
    ax.spines[["top", "right"]].set_visible(False)
