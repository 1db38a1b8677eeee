"""Graphs and bars as small pieces of SVG, for notebooks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.barcodes import Barcode
from ..graphs.batch import Graphs
from ..graphs.vertex_names import vertex_names
from . import style
from .drawing import diameter
from .html import text
from .layout import layout

# Larger graphs are not drawn: they take more bytes than a notebook should keep.
MOST_VERTICES, MOST_EDGES = 60, 120
_MOST_NAMED = 25
_STEP = 30  # pixels from a vertex to its neighbour
_LETTERS = 3  # that fit into a vertex
_MOST_BARS = 25


def can_be_drawn(graphs: Graphs) -> bool:
    """Tell whether a graph is small enough, and not empty."""
    return 0 < graphs.node_ptr[-1] <= MOST_VERTICES and len(graphs.edges) <= MOST_EDGES


def graph_svg(graph: Graphs, width: int) -> str:
    """Return one graph that can be drawn; vertices say their names and labels when pointed at."""
    places = _STEP * layout(graph) * (1, -1)
    radius = max(4.0, _STEP * diameter(places / _STEP) / 2)
    low, high = places.min(axis=0) - radius - 12, places.max(axis=0) + radius + 12
    across, down = high - low
    # A pair of vertices need not fill the picture.
    width = round(min(width, 1.4 * across, 1.2 * width * across / down))
    box = f"{low[0]:.0f} {low[1]:.0f} {across:.0f} {down:.0f}"
    lines, height = _lines(graph, places, radius), width * down / across
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:.0f}" '
        f'viewBox="{box}" role="img" font-family="sans-serif" text-anchor="middle">'
        f"{lines}{_vertices(graph, places, radius)}</svg>"
    )


def _lines(graph: Graphs, places: NDArray[np.float64], radius: float) -> str:
    """Return the edges in the colour of the text; directed ones have heads."""
    ends = places[graph.edges]
    path = "".join(f"M{x:.1f} {y:.1f}L{a:.1f} {b:.1f}" for (x, y), (a, b) in ends.tolist())
    found = f'<path d="{path}" stroke="currentColor" stroke-opacity=".6" fill="none"/>'
    if graph.directed:
        along = ends[:, 1] - ends[:, 0]
        along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
        tips = ends[:, 1] - along * radius
        aside = along[:, ::-1] * (-1, 1)
        corners = np.stack(
            [tips, tips - 7 * along + 3 * aside, tips - 7 * along - 3 * aside], axis=1
        )
        heads = "".join(
            "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in three) + "Z" for three in corners.tolist()
        )
        found += f'<path d="{heads}" fill="currentColor" fill-opacity=".7"/>'
    return found


def _vertices(graph: Graphs, places: NDArray[np.float64], radius: float) -> str:
    labels, n = graph.node_labels, len(places)
    names = vertex_names(graph.node_names, n)
    kinds = np.zeros(n, np.int64)
    if labels is not None:
        often = np.argsort(-np.bincount(labels.codes, minlength=len(labels.values)), kind="stable")
        kinds = np.argsort(often)[labels.codes]
    found = []
    for v, (x, y) in enumerate(places.tolist()):
        colour = style.SKY if labels is None else style.CYCLE[min(kinds[v], len(style.CYCLE) - 1)]
        label = "" if labels is None else text(labels[v], 40)
        said = f"vertex {text(names[v], 40)}" + (f", label {label}" if label else "")
        found.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" '
            f'stroke="currentColor"><title>{said}</title></circle>'
        )
        if label and len(str(labels[v])) <= _LETTERS:  # type: ignore[index]
            found.append(_written(x, y, label, _ink(colour), 0.9 * radius))
        if graph.node_names is not None and n <= _MOST_NAMED:
            short = text(names[v], 12)
            found.append(_written(x, y - radius - 6, short, "currentColor", 8.0))
    return "".join(found)


def _written(x: float, y: float, letters: str, ink: str, size: float) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" dy=".35em" font-size="{size:.1f}" fill="{ink}" '
        f'pointer-events="none">{letters}</text>'
    )


def _ink(colour: str) -> str:
    """Return black or white, whichever can be read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return style.WHITE if 0.299 * red + 0.587 * green + 0.114 * blue < 0.45 else style.BLACK


def bars_svg(bars: Barcode) -> str:
    """Return the first bars of one feature, from birth to death."""
    row, left, width = 14, 70, 360
    shown = range(min(len(bars), _MOST_BARS))
    step = (width - left) / bars.n_levels
    high = row * len(shown) + 16
    parts: list[Any] = []
    for i in shown:
        first, last = int(bars.births[i]), int(bars.deaths[i])
        name = f"vertex {bars.vertices[i]}"
        parts.append(
            f'<text x="{left - 6}" y="{row * i + 10}" text-anchor="end">{name}</text>'
            f'<rect x="{left + step * first:.1f}" y="{row * i + 1}" rx="2" '
            f'width="{step * (last - first):.1f}" height="{row - 3}" fill="{style.VERMILION}">'
            f"<title>{name}, levels {first} to {last - 1}</title></rect>"
        )
    every = -(-bars.n_levels // 12)
    for level in range(0, bars.n_levels, every):
        x = left + step * (level + 0.5)
        parts.append(f'<text x="{x:.1f}" y="{high - 3}" text-anchor="middle">{level}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{high}" role="img" '
        f'font-family="sans-serif" font-size="10" fill="currentColor">{"".join(parts)}</svg>'
    )
