"""How a graph is built up and when a feature lives in it: Fig. 1 of the paper, for any graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import weights
from ..arrays.checks import checked_integer
from ..features import WeisfeilerLehman
from ..features.barcodes import Barcode
from ..features.steps import entry_levels
from ..features.wl_trees import Trees
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..graphs.vertex_names import vertex_names
from ..weights.display import as_given, is_small_first
from . import style
from .barcode import MANY_TICKS, bars_of, draw_bars, label_levels, vertex_colours
from .drawing import diameter, draw_edges, draw_vertices, frame, thinness, write_labels
from .graph import graph
from .layout import one_graph, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY_NAMES = 40  # names or numbers of vertices are written if there are at most this many
_LONGEST = 8  # longer names are cut to this many letters in filtration graphs
_LEFT = 2.3  # inches for the graph and for the texts below it
_LEVEL = 1.6  # inches for a filtration graph
_NAME, _SENTENCE = 3, 9  # lines that they may take beside a panel


def filtration(
    graph: Any,
    filtration: Filtration,
    feature: tuple[int, int] | str | None = None,
    *,
    features: Any = None,
    name: str | None = None,
    positions: ArrayLike | None = None,
    max_shown: int = 5,
    figure: Any = None,
) -> dict[str, Any]:
    """Draw how a graph is built up and when a feature lives in it, as in Fig. 1 of the paper.

    The picture shows the graph with its weights, its filtration graphs with every occurrence of the
    feature marked, the barcode of the occurrences, and the filtration histogram. Bars and histogram
    stand below the filtration graphs that they belong to. Barcode and histogram show all levels; if
    there are many, only some are drawn as graphs, and the picture says so.

    Parameters
    ----------
    graph, filtration, feature, features
        As for :func:`barcode`.
    name : str, optional
        What the feature is called; by default the tree that a label stands for
        (:func:`grafik.features.wl_trees.unfolding_tree`), or "C before its edges".
    positions : array of shape (n_nodes, 2), optional
        By default those of :func:`layout`.
    max_shown : int
        Draw at most this many filtration graphs.
    figure : matplotlib Figure or SubFigure, or callable, optional
        The figure to draw on, best with constrained layout; or a function that takes a width and a
        height in inches and returns a figure. By default a new pyplot figure.

    Returns
    -------
    dict
        The axes: ``"graph"``, ``"levels"`` (a list), ``"barcode"`` and ``"histogram"``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import Filtration, datasets, plots, weights
    >>> graphs, y = datasets.figure_one()
    >>> heavy = weights.Attribute()
    >>> filtration = Filtration(heavy, thresholds="distinct").fit(graphs)
    >>> axes = plots.filtration(graphs[0], filtration, figure=Figure())
    >>> [int(bar.get_height()) for bar in axes["histogram"].patches]
    [2, 4, 1, 1]
    """
    batch = one_graph(graph)
    bars = bars_of(batch, filtration, feature, features)
    entry = filtration.levels(batch)
    checked_integer("max_shown", max_shown, 1)
    shown = _chosen_levels(entry, filtration.n_levels_, max_shown)
    places = placed(batch, positions)
    rows = float(np.clip(0.4 + 0.15 * len(bars), 0.9, 2.6))
    top = _LEFT * _tallness(places)
    if figure is None or callable(figure):
        make = figure or style.new_figure
        figure = make(_LEFT + _LEVEL * max(len(shown), 2), top + rows + 1.0 + 0.8)
    grid = figure.add_gridspec(
        *(3, 1 + len(shown)),
        height_ratios=[top, rows, 1.0],
        width_ratios=[_LEFT / _LEVEL, *[1.0] * len(shown)],
    )
    axes = {
        "graph": figure.add_subplot(grid[0, 0]),
        "levels": [figure.add_subplot(grid[0, i + 1]) for i in range(len(shown))],
        "barcode": figure.add_subplot(grid[1, 1:]),
    }
    axes["histogram"] = figure.add_subplot(grid[2, 1:], sharex=axes["barcode"])
    weight = filtration.weight
    values = as_given(weight, filtration.numbers(weights.values(weight, batch)))
    _draw_whole(axes["graph"], batch, values, places)
    alphas = as_given(weight, filtration.alphas_)
    sign = "≤" if is_small_first(weight) else "≥"
    colours = vertex_colours(bars)
    for panel, level in zip(axes["levels"], shown, strict=True):
        _draw_level(panel, batch, places, entry, int(level), bars, colours)
        whole = level == filtration.n_levels_ - 1
        words = "all edges" if whole else f"w {sign} {style.number(alphas[level])}"
        panel.set_title(words, fontsize=9)
    draw_bars(axes["barcode"], bars, colours, batch.node_names)
    axes["barcode"].tick_params(labelbottom=False)
    _draw_counts(axes["histogram"], bars.counts())
    label_levels(axes["histogram"], alphas)
    name = name or _tree(batch, filtration, bars, features)
    for panel in (axes["graph"], *axes["levels"]):
        panel.set_anchor("N")  # so that titles stand in one line
    _write(figure.add_subplot(grid[1, 0]), _about_bars(bars, name), axes["barcode"])
    _write(figure.add_subplot(grid[2, 0]), _about_counts(bars, shown), axes["histogram"])
    return axes


def _tallness(places: NDArray[np.float64]) -> float:
    """Return the height of a panel that the graph fills, as a part of its width."""
    wide, tall = np.ptp(places, axis=0) + 0.9 if len(places) else np.ones(2)
    return float(np.clip(tall / wide, 0.5, 0.9))


def _draw_counts(ax: Axes, counts: NDArray[np.int64]) -> None:
    """Draw a filtration histogram."""
    from matplotlib.ticker import MaxNLocator

    found = ax.bar(
        range(len(counts)),
        counts.tolist(),
        0.72,
        color=style.SKY,
        edgecolor=style.BLACK,
        linewidth=0.7 if len(counts) <= 40 else 0.0,
    )
    if len(counts) <= MANY_TICKS:
        ax.bar_label(found, fontsize=8, padding=1)
    ax.set_ylim(0, 1.25 * max(int(counts.max(initial=0)), 1))
    ax.set_ylabel("occurrences", fontsize=8)
    ax.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def _chosen_levels(entry: NDArray[np.int32], n_levels: int, most: int) -> NDArray[np.int64]:
    """Return the levels that are drawn as graphs: all, or some at which this graph changes."""
    if n_levels <= most:
        return np.arange(n_levels)
    steps = np.union1d(np.unique(entry), [0, n_levels - 1])
    # The last one is the graph itself, the best choice if only one is shown.
    picked = np.linspace(len(steps) - 1, 0, min(most, len(steps)))
    return np.unique(steps[np.round(picked).astype(np.int64)]).astype(np.int64)


def _draw_whole(
    ax: Axes, batch: Graphs, values: NDArray[np.float64], places: NDArray[np.float64]
) -> None:
    """Draw the graph itself; if it is small, name vertices for comparison with the levels."""
    own = batch.node_labels is not None
    named = vertex_names(batch.node_names, len(places)) if len(places) <= _MANY_NAMES else False
    graph(batch, weights=values, positions=places, labels=named, legend=own, ax=ax)
    ax.set_title("graph and weights w" if len(values) else "graph", fontsize=9)


def _draw_level(
    ax: Axes,
    batch: Graphs,
    places: NDArray[np.float64],
    entry: NDArray[np.int32],
    level: int,
    bars: Barcode,
    colours: dict[int, str],
) -> None:
    """Draw one filtration graph: new edges thick, those to come dotted, occurrences marked."""
    unit = frame(ax, places)
    size = diameter(places)
    thin = thinness(len(entry))
    looks = (
        (entry > level, style.GREY, 0.6 * thin, "dotted"),
        (entry < level, style.DARK, 1.1 * thin, "solid"),
        (entry == level, style.BLACK, 2.2 * thin, "solid"),
    )
    for which, colour, width, line in looks:
        look: dict[str, Any] = {"colour": colour, "widths": width, "line": line}
        draw_edges(ax, batch, places, np.flatnonzero(which), size=size, **look)
    alive = (bars.births <= level) & (level < bars.deaths)
    marked = np.unique(bars.vertices[alive])
    others = np.setdiff1d(np.arange(len(places)), marked)
    draw_vertices(ax, places[others], 0.8 * size, style.WHITE, edge=style.DARK)
    own = [colours[v] for v in marked.tolist()]
    draw_vertices(ax, places[marked], 1.25 * size, own, width=1.3, label="occurrences")
    if 0 < len(places) <= _MANY_NAMES and size * unit > 7:
        names = vertex_names(batch.node_names, len(places))
        texts = [style.plain(names[v], _LONGEST) if v in marked else "" for v in range(len(places))]
        ink = [colours.get(v, style.WHITE) for v in range(len(places))]
        write_labels(ax, places, texts, ink, 1.25 * size, unit)


def _tree(batch: Graphs, filtration: Filtration, bars: Barcode, features: Any) -> str:
    """Return what the label stands for."""
    if len(bars) == 0 or not isinstance(features, (WeisfeilerLehman, type(None))):
        return ""
    edge_labels = "auto" if features is None else features.edge_labels
    trees = Trees(batch, entry_levels(batch, filtration), edge_labels)
    places = list(zip(bars.vertices.tolist(), bars.births.tolist(), strict=True))
    return trees.name(int(bars.depths[0]), places)


def _about_bars(bars: Barcode, name: str) -> list[tuple[str, int]]:
    """Return what the feature is, and what its bars say."""
    if not len(bars):
        return []
    said = "A vertex has it as long as its bar lasts."
    title = f"Feature of depth {bars.depths[0]}:"
    return [(title, _SENTENCE), (name, _NAME), ("", 1), (said, _SENTENCE)]


def _about_counts(bars: Barcode, shown: NDArray[np.int64]) -> list[tuple[str, int]]:
    """Return what the histogram says, and which levels are drawn as graphs."""
    said = [("Histogram: how many vertices have it at each level.", _SENTENCE)]
    if len(shown) < bars.n_levels:
        which = f"The graphs are those of {len(shown)} of {bars.n_levels} levels."
        said += [("", 1), (which, _SENTENCE)]
    return said


def _write(ax: Axes, paragraphs: list[tuple[str, int]], beside: Axes) -> None:
    """Write on the left of the panel that is spoken of."""
    from .caption import Caption

    ax.set_axis_off()
    Caption(paragraphs, ax, beside, fontsize=9, ha="left", va="center", linespacing=1.35)
