"""Parts of a picture of a graph: vertices, edges, texts and colours of importance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from ..graphs.batch import Graphs
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LETTER = 7.0  # size of a text beside a vertex, in points
_INSIDE = 3  # at most this many letters fit into a vertex


def frame(ax: Axes, places: NDArray[np.float64]) -> float:
    """Show all vertices and nothing else; return the length of a unit in points."""
    ax.set_aspect("equal", adjustable="box")
    ax.set_axis_off()
    low, high = (places.min(axis=0), places.max(axis=0)) if len(places) else (np.zeros(2),) * 2
    # A single vertex, or a pair, need not fill the picture.
    margin = 0.35 + 0.04 * (high - low).max() + max(0.0, 3.0 - (high - low).max()) / 3
    ax.set_xlim(low[0] - margin, high[0] + margin)
    ax.set_ylim(low[1] - margin, high[1] + margin)
    if not len(places):
        ax.text(0.5, 0.5, "no vertices", transform=ax.transAxes, ha="center", va="center")
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    span = high - low + 2 * margin
    return float(72 * min(box.width / span[0], box.height / span[1]))


def diameter(places: NDArray[np.float64]) -> float:
    """Return the diameter of vertices, so that nearly none of them overlap."""
    if len(places) < 2:
        return 0.4
    nearest = cKDTree(places).query(places, k=2)[0][:, 1]
    low, high = places.min(axis=0), places.max(axis=0)
    least = 0.008 * float((high - low).max())
    return float(np.clip(0.8 * np.quantile(nearest, 0.1), least, 0.5))


def thinness(m: int) -> float:
    """Return a factor that makes lines thinner the more there are."""
    return float(np.clip(np.sqrt(60 / max(m, 1)), 0.2, 1.0))


def draw_edges(
    ax: Axes,
    batch: Graphs,
    places: NDArray[np.float64],
    which: NDArray[np.int64],
    *,
    size: float,
    colour: str,
    widths: Any = 1.0,
    line: str = "solid",
) -> None:
    """Draw some edges as one collection of lines; directed ones end in an arrow.

    In molecules, double and triple bonds have two and three lines, and an aromatic bond has a
    dotted one beside it. `size` is the diameter of the vertices, at whose border arrows end.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    ends, cap, heads = places[batch.edges[which]], "round", None
    if batch.directed:
        ends, heads = _arrows(batch, ends, which, size)
        cap = "butt"
    look: dict[str, Any] = {"linestyles": line, "capstyle": cap, "zorder": 1}
    if batch.reading is not None:
        ends, widths, more, thick = _bonds(batch, ends, which, 0.22 * size, widths)
        beside = LineCollection(list(more), colors=colour, linewidths=thick, zorder=1)
        beside.set_linestyle("dotted")
        ax.add_collection(beside, autolim=False)
    lines = LineCollection(list(ends), colors=colour, linewidths=widths, **look)
    ax.add_collection(lines, autolim=False)
    if heads is not None:
        tips = PolyCollection(list(heads), facecolors=colour, edgecolors="none", zorder=2)
        ax.add_collection(tips, autolim=False)


def _bonds(
    batch: Graphs,
    ends: NDArray[np.float64],
    which: NDArray[np.int64],
    apart: float,
    widths: Any,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the lines of bonds and their widths, and the dotted lines of aromatic ones."""
    labels = [] if batch.edge_labels is None else list(batch.edge_labels)
    kinds = np.array([str(label).rsplit("-", 1)[-1] for label in labels] or [""] * len(batch.edges))
    along = ends[:, 1] - ends[:, 0]
    along = along / np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    aside = apart * np.column_stack([-along[:, 1], along[:, 0]])[:, None]
    thick = np.broadcast_to(np.asarray(widths, np.float64), len(which))
    kind = kinds[which]
    # For each kind of bond, where its lines lie beside the middle.
    places = {"double": (-0.5, 0.5), "triple": (-1.0, 0.0, 1.0)}
    step = [(i, at) for i, one in enumerate(kind.tolist()) for at in places.get(one, (0.0,))]
    rows = np.array([i for i, _ in step], np.int64)
    steps, aromatic = np.array([at for _, at in step]), kind == "aromatic"
    lines = ends[rows] + steps[:, None, None] * aside[rows]
    return lines, thick[rows], ends[aromatic] + aside[aromatic], thick[aromatic]


def _arrows(
    batch: Graphs, ends: NDArray[np.float64], which: NDArray[np.int64], size: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lines of directed edges, and the triangles at their ends.

    Opposite edges lie side by side.
    """
    n = max(int(batch.node_ptr[-1]), 1)
    there, back = (batch.edges.astype(np.int64) @ [[n, 1], [1, n]]).T
    opposite = np.isin(there, back)[which]
    along = ends[:, 1] - ends[:, 0]
    length = np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    along = along / length
    aside = np.column_stack([-along[:, 1], along[:, 0]])
    shift = 0.17 * size * opposite[:, None] * aside
    tip = ends[:, 1] + shift - 0.5 * size * along
    head = np.minimum(0.5 * size, 0.3 * np.maximum(length - 0.5 * size, 0.0))
    base = tip - head * along
    heads = np.stack([tip, base + 0.35 * head * aside, base - 0.35 * head * aside], axis=1)
    return np.stack([ends[:, 0] + shift, base], axis=1), heads


def draw_vertices(
    ax: Axes,
    places: NDArray[np.float64],
    size: float,
    colours: Any,
    *,
    marker: str = "o",
    label: str | None = None,
    edge: Any = style.BLACK,
    width: float = 0.7,
) -> None:
    """Draw vertices of one shape; their width is in the unit of their positions."""
    from matplotlib.collections import PathCollection
    from matplotlib.markers import MarkerStyle
    from matplotlib.transforms import Affine2D, AffineDeltaTransform

    shape = MarkerStyle(marker)
    data: Any = ax.transData  # affine on plain axes, which the types do not say
    vertices = PathCollection(
        [shape.get_path().transformed(shape.get_transform())],
        offsets=places,
        offset_transform=ax.transData,
        facecolors=colours,
        edgecolors=edge,
        linewidths=width if len(places) <= 100 else 0.3 * width,
        zorder=3,
        label=label,
    )
    # Sizes are in the unit of positions, so that vertices do not overlap at any scale.
    vertices.set_transform(Affine2D().scale(size) + AffineDeltaTransform(data))
    ax.add_collection(vertices, autolim=False)


def write_labels(
    ax: Axes,
    places: NDArray[np.float64],
    texts: list[str],
    colours: Any,
    size: float,
    unit: float,
) -> None:
    """Write short texts into the vertices, longer ones beside them."""
    from matplotlib import patheffects
    from matplotlib.colors import to_rgb

    longest = max((len(text.replace("\\$", "$")) for text in texts), default=0)
    inside = longest <= _INSIDE and size * unit >= 7.5
    halo = [patheffects.withStroke(linewidth=2.0, foreground=style.WHITE)]
    taken: list[tuple[float, ...]] = []
    for (x, y), text, colour in zip(places, texts, colours, strict=True):
        if not text:
            continue
        where: dict[str, Any] = {"ha": "center", "zorder": 4}
        if inside:
            dark = np.dot(to_rgb(colour), (0.299, 0.587, 0.114)) < 0.45
            ink = style.WHITE if dark else style.BLACK
            letter = min(9.0, size * unit / (0.75 + 0.42 * longest))
            where |= {"va": "center_baseline"}
            written = ax.text(x, y, text, fontsize=letter, color=ink, **where)
        else:
            away = _free_place((x * unit, y * unit), len(text), size * unit / 2, taken)
            where |= {"va": "center", "path_effects": halo}
            written = ax.annotate(text, (x, y), away, textcoords="offset points", **where)
            written.set_fontsize(_LETTER)
        # Otherwise a long text would shrink the graph.
        written.set_in_layout(False)


def _free_place(
    point: tuple[float, float], length: int, radius: float, taken: list[tuple[float, ...]]
) -> tuple[float, float]:
    """Return the offset of a text from its vertex, in points, that keeps off earlier texts."""
    width, height = 0.58 * _LETTER * length, 1.25 * _LETTER
    up, right = radius + height / 2, radius + width / 2 + 1
    for away in ((0, up), (0, -up), (right, 0), (-right, 0), (right, up), (-right, up), (0, up)):
        x, y = point[0] + away[0], point[1] + away[1]
        box = x - width / 2, x + width / 2, y - height / 2, y + height / 2
        if all(box[0] > t[1] or t[0] > box[1] or box[2] > t[3] or t[2] > box[3] for t in taken):
            break
    taken.append(box)
    return away


def checked_values(name: str, values: ArrayLike, n: int, what: str) -> NDArray[np.float64]:
    """Return a finite number for each vertex or edge; refuse anything else."""
    array = np.asarray(values, np.float64)
    if array.shape != (n,):
        plural = {"vertex": "vertices", "edge": "edges"}[what]
        raise ValueError(f"{name} must have a number for each of {n} {plural}, got {array.shape}")
    if not np.isfinite(array).all():
        bad = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{name} must be finite, got {array[bad]} for {what} {bad}")
    return array


class Shades:
    """Colours of importance, and the bar that says what they mean."""

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        most = float(np.abs(numbers).max(initial=0.0)) or 1.0
        signed = bool((numbers < 0).any())
        norm = Normalize(-most if signed else 0.0, most)
        self.scale = ScalarMappable(norm, style.importance_map(signed))
        self.colours = np.asarray(self.scale.to_rgba(numbers)).reshape(-1, 4)

    def add_bar(self, ax: Axes, label: str = "importance") -> None:
        """Draw the bar of colours beside the axes."""
        bar = ax.figure.colorbar(self.scale, ax=ax, shrink=0.7, pad=0.02)
        bar.set_label(label)
        bar.ax.tick_params(labelsize=8)
