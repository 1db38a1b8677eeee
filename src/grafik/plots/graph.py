"""One graph: its vertices with labels or importance, its edges with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from ..graphs.batch import Graphs
from . import style
from .layout import one_graph, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What can still be read in a picture of a column's width.
_MANY_LABELS = 60
_MANY_WEIGHTS = 40
_MANY_KINDS = 8
_LETTER = 7.0  # points
_INSIDE, _LONGEST = 3, 14  # letters that fit into a vertex, and beside one


def graph(
    graph: Any,
    *,
    importance: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    labels: bool | Sequence[Any] | None = None,
    legend: bool | None = None,
    positions: ArrayLike | None = None,
    smiles: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a graph; vertices may be coloured by importance, and molecules drawn as such.

    Without importance, vertices of different labels have different colours. Important vertices are
    dark; where some numbers are negative, those vertices are squares, so that the sign can be seen
    without colours.

    Parameters
    ----------
    graph : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    importance : array of shape (n_nodes,), optional
        A number for each vertex, such as :func:`grafik.vertex_importance` gives.
    weights : array of shape (n_edges,), optional
        A number for each edge. Few of them are written on the edges; heavy edges are thick.
    labels : bool or sequence of shape (n_nodes,), optional
        Whether to write the labels of the vertices, or what to write instead; empty texts leave
        vertices without. By default labels are written where they can be read.
    legend : bool, optional
        Whether to say which colour and marker stands for which label; by default where labels are
        not written on the vertices.
    positions : array of shape (n_nodes, 2), optional
        By default those of :func:`layout`.
    smiles : str, optional
        The molecule that the graph was made from, to be drawn by RDKit (:func:`molecule`).
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import networkx as nx
    >>> from matplotlib.figure import Figure
    >>> from grafik import plots
    >>> club = nx.karate_club_graph()
    >>> ax = plots.graph(club, importance=[d for _, d in club.degree()], ax=Figure().subplots())
    >>> len(ax.collections[0].get_segments())
    78
    """
    batch = one_graph(graph)
    n, m = int(batch.node_ptr[-1]), len(batch.edges)
    numbers = None if importance is None else checked_values("importance", importance, n, "vertex")
    if smiles is not None:
        if weights is not None or positions is not None or labels is not None:
            raise ValueError("RDKit chooses positions and labels itself: leave them out")
        from .molecule import molecule

        return molecule(smiles, importance=numbers, graph=batch, ax=ax)
    heavy = None if weights is None else checked_values("weights", weights, m, "edge")
    places = placed(batch, positions)
    texts = _texts(batch, labels)
    ax = style.new_axes(ax, 4.8, 4.2)
    unit = frame(ax, places)
    draw_edges(ax, batch, places, np.arange(m), colour=style.DARK, widths=_widths(heavy, m))
    if heavy is not None and m <= _MANY_WEIGHTS:
        _write_weights(ax, batch, places, heavy, unit)
    size = diameter(places)
    if numbers is not None:
        colours = _draw_importance(ax, places, numbers, size)
    else:
        colours = _draw_kinds(
            ax, batch, places, size, legend=texts is None if legend is None else legend
        )
    if texts is not None:
        write_labels(ax, places, texts, colours, size, unit)
    return ax


def checked_values(name: str, values: ArrayLike, n: int, what: str) -> NDArray[np.float64]:
    """Return a finite number for each vertex or edge, or refuse what is none."""
    array = np.asarray(values, np.float64)
    if array.shape != (n,):
        plural = {"vertex": "vertices", "edge": "edges"}[what]
        raise ValueError(f"{name} must have a number for each of {n} {plural}, got {array.shape}")
    if not np.isfinite(array).all():
        bad = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{name} must be finite, got {array[bad]} for {what} {bad}")
    return array


def draw_edges(
    ax: Axes,
    batch: Graphs,
    places: NDArray[np.float64],
    which: NDArray[np.int64],
    *,
    colour: str,
    widths: Any = 1.0,
    line: str = "solid",
) -> None:
    """Draw some edges as one collection of lines."""
    from matplotlib.collections import LineCollection

    ends = places[batch.edges[which]]
    lines = LineCollection(
        list(ends), colors=colour, linewidths=widths, linestyles=line, zorder=1, capstyle="round"
    )
    ax.add_collection(lines, autolim=False)


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
    # In the unit of positions, so that vertices never grow over each other.
    vertices.set_transform(Affine2D().scale(size) + AffineDeltaTransform(data))
    ax.add_collection(vertices, autolim=False)


def _explain_marks(ax: Axes, marks: list[tuple[str, str, Any]]) -> None:
    """Say which marker and colour stands for what, outside of the axes."""
    from matplotlib.lines import Line2D

    outline: dict[str, Any] = {"linestyle": "", "markeredgecolor": style.BLACK}
    style.legend(
        ax,
        [Line2D([], [], marker=marker, color=colour, **outline) for _, marker, colour in marks],
        [name for name, *_ in marks],
        handletextpad=0.1,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=min(4, len(marks)),
    )


def frame(ax: Axes, places: NDArray[np.float64]) -> float:
    """Show all vertices and nothing else; return how many points of print a unit is long."""
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
    """Return how wide vertices are drawn, so that nearly all of them keep apart."""
    if len(places) < 2:
        return 0.4
    nearest = cKDTree(places).query(places, k=2)[0][:, 1]
    low, high = places.min(axis=0), places.max(axis=0)
    least = 0.008 * float((high - low).max())
    return float(np.clip(0.8 * np.quantile(nearest, 0.1), least, 0.5))


def _widths(weights: NDArray[np.float64] | None, m: int) -> Any:
    if weights is None or m == 0 or np.ptp(weights) == 0:
        return 1.1 * thinness(m)
    return thinness(m) * (0.6 + 2.6 * (weights - weights.min()) / np.ptp(weights))


def thinness(m: int) -> float:
    """Return by how much lines are thinner than usual, so that many do not cover all."""
    return float(np.clip(np.sqrt(60 / max(m, 1)), 0.2, 1.0))


def _write_weights(
    ax: Axes,
    batch: Graphs,
    places: NDArray[np.float64],
    weights: NDArray[np.float64],
    unit: float,
) -> None:
    """Write weights on the edges, if most edges have room between their ends."""
    lengths = np.hypot(*(places[batch.edges[:, 0]] - places[batch.edges[:, 1]]).T)
    longest = max((len(style.number(weight)) for weight in weights), default=0)
    if not len(lengths) or (np.median(lengths) - diameter(places)) * unit < 3 + 4 * longest:
        return
    for (x, y), weight in zip(places[batch.edges].mean(axis=1), weights, strict=True):
        box = {"boxstyle": "round,pad=0.12", "facecolor": style.WHITE, "edgecolor": "none"}
        text = style.number(weight)
        ax.text(x, y, text, fontsize=8, ha="center", va="center", bbox=box, zorder=2)


def _texts(batch: Graphs, labels: bool | Sequence[Any] | None) -> list[str] | None:
    """Return what is written on the vertices, if anything."""
    n = int(batch.node_ptr[-1])
    if labels is None:
        labels = batch.node_labels is not None and n <= _MANY_LABELS
    if isinstance(labels, (bool, np.bool_)):
        if not labels:
            return None
        own = batch.node_labels
        return [style.plain(text, _LONGEST) for text in (range(n) if own is None else own)]
    if isinstance(labels, str) or len(labels) != n:
        raise ValueError(f"labels must be True, False or {n} texts, one for each vertex")
    return [style.plain(text, _LONGEST) for text in labels]


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
        # Otherwise a long text would make the graph small.
        written.set_in_layout(False)


def _free_place(
    point: tuple[float, float], length: int, radius: float, taken: list[tuple[float, ...]]
) -> tuple[float, float]:
    """Return how far from its vertex a text stands, in points, not to lie on an earlier one."""
    width, height = 0.58 * _LETTER * length, 1.25 * _LETTER
    up, right = radius + height / 2, radius + width / 2 + 1
    for away in ((0, up), (0, -up), (right, 0), (-right, 0), (right, up), (-right, up), (0, up)):
        x, y = point[0] + away[0], point[1] + away[1]
        box = x - width / 2, x + width / 2, y - height / 2, y + height / 2
        if all(box[0] > t[1] or t[0] > box[1] or box[2] > t[3] or t[2] > box[3] for t in taken):
            break
    taken.append(box)
    return away


def _draw_importance(
    ax: Axes, places: NDArray[np.float64], numbers: NDArray[np.float64], size: float
) -> Any:
    shades = Shades(numbers)
    negative = numbers < 0
    signs = [("for", "o", ~negative), ("against", "s", negative)]
    for label, marker, which in signs:
        draw_vertices(ax, places[which], size, shades.colours[which], marker=marker, label=label)
    if len(numbers):
        shades.explain(ax)
    if negative.any():
        _explain_marks(ax, [(label, marker, style.WHITE) for label, marker, _ in signs])
    return shades.colours


class Shades:
    """Colours of importance, and the bar that explains them."""

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        most = float(np.abs(numbers).max(initial=0.0)) or 1.0
        signed = bool((numbers < 0).any())
        norm = Normalize(-most if signed else 0.0, most)
        self.scale = ScalarMappable(norm, style.importance_map(signed))
        self.colours = np.asarray(self.scale.to_rgba(numbers)).reshape(-1, 4)

    def explain(self, ax: Axes) -> None:
        """Draw the bar of colours beside the axes."""
        bar = ax.figure.colorbar(self.scale, ax=ax, shrink=0.7, pad=0.02)
        bar.set_label("importance")
        bar.ax.tick_params(labelsize=8)


def _draw_kinds(
    ax: Axes, batch: Graphs, places: NDArray[np.float64], size: float, legend: bool
) -> list[str]:
    """Draw vertices in the colours of their labels; return the colours."""
    labels = batch.node_labels
    if labels is None or not len(labels):
        draw_vertices(ax, places, size, style.SKY)
        return [style.SKY] * len(places)
    often = np.argsort(-np.bincount(labels.codes), kind="stable")
    rank = np.argsort(often)[labels.codes]
    few = len(labels.values) <= _MANY_KINDS
    colours = [style.CYCLE[r] if few or r < _MANY_KINDS - 1 else style.GREY for r in rank]
    marks = []
    for kind in range(min(len(often), _MANY_KINDS)):
        last = not few and kind == _MANY_KINDS - 1
        which = rank >= kind if last else rank == kind
        name = "others" if last else style.plain(labels.values[often[kind]])
        marker = style.MARKERS[kind] if legend else "o"
        colour = style.GREY if last else style.CYCLE[kind]
        draw_vertices(ax, places[which], size, colour, marker=marker, label=name)
        marks.append((name, marker, colour))
    if legend:
        _explain_marks(ax, marks)
    return colours
