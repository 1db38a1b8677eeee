"""When a feature lives: its barcode, and the paper's Fig. 1 for any graph and feature."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import weights
from ..arrays.checks import checked_integer
from ..features import WeisfeilerLehman
from ..features.barcodes import Barcode, barcodes
from ..features.wl_trees import SHOWN_DEPTH, SHOWN_WIDTH, unfolding_tree
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from . import style
from .graph import diameter, draw_edges, draw_vertices, frame, graph, thinness, write_labels
from .layout import one_graph, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY_BARS, _MANY_NUMBERS, _MANY_TICKS = 25, 40, 12


def barcode(
    graph: Any,
    filtration: Filtration,
    feature: tuple[int, int] | None = None,
    *,
    features: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the lifespan of every occurrence of a feature: a bar from birth to death.

    Parameters
    ----------
    graph : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    filtration : Filtration
        Fitted.
    feature : (depth, feature), optional
        As in the keys of :class:`grafik.Histograms`; by default the one whose histogram changes
        most, of those with neighbours.
    features : WeisfeilerLehman, optional
        What is counted; by default labels of the depth of the feature, or else of depth 1.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import Filtration, datasets, plots, weights
    >>> graphs, y = datasets.figure_one()
    >>> heavy = weights.Attribute(small_first=False)
    >>> filtration = Filtration(heavy, thresholds="distinct").fit(graphs)
    >>> ax = plots.barcode(graphs[0], filtration, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['vertex 0', 'vertex 1', 'vertex 2', 'vertex 3', 'vertex 4', 'vertex 5']
    """
    bars = bars_of(one_graph(graph), filtration, feature, features)
    ax = style.new_axes(ax, 4.6, float(np.clip(1.2 + 0.2 * len(bars), 2.2, 6.0)))
    draw_bars(ax, bars, vertex_colours(bars))
    _label_levels(ax, filtration.alphas_)
    return ax


def filtration(
    graph: Any,
    filtration: Filtration,
    feature: tuple[int, int] | None = None,
    *,
    features: Any = None,
    name: str | None = None,
    positions: ArrayLike | None = None,
    max_shown: int = 5,
    figure: Any = None,
) -> dict[str, Any]:
    """Draw how a graph is built up and when a feature lives in it, as Fig. 1 of the paper.

    The graph with its weights, its filtration graphs with every occurrence of the feature marked,
    the barcode of the occurrences, and the filtration histogram. Bars and histogram stand below the
    filtration graphs that they belong to. Of many levels all are in the barcode and the histogram,
    but only some are drawn as graphs, which the picture says.

    Parameters
    ----------
    graph, filtration, feature, features
        As of :func:`barcode`.
    name : str, optional
        What the feature is called; by default the tree that a label stands for
        (:func:`grafik.features.wl_trees.unfolding_tree`).
    positions : array of shape (n_nodes, 2), optional
        By default those of :func:`layout`.
    max_shown : int
        How many filtration graphs are drawn.
    figure : matplotlib Figure or SubFigure, or callable, optional
        To be drawn on, best with constrained layout; or a function that makes one, of the width and
        height that are needed, in inches. By default a new figure of pyplot.

    Returns
    -------
    dict
        The axes: ``"graph"``, ``"levels"`` (a list), ``"barcode"`` and ``"histogram"``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import Filtration, datasets, plots, weights
    >>> graphs, y = datasets.figure_one()
    >>> heavy = weights.Attribute(small_first=False)
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
    rows = float(np.clip(0.5 + 0.14 * len(bars), 0.9, 2.6))
    if figure is None or callable(figure):
        make = figure or style.new_figure
        figure = make(3.2 + 1.4 * max(len(shown), 2), 3.3 + rows)
    grid = figure.add_gridspec(
        *(3, 1 + len(shown)),
        height_ratios=[1.9, rows, 1.1],
        width_ratios=[2.0, *[1.0] * len(shown)],
    )
    axes = {
        "graph": figure.add_subplot(grid[:2, 0]),
        "levels": [figure.add_subplot(grid[0, i + 1]) for i in range(len(shown))],
        "barcode": figure.add_subplot(grid[1, 1:]),
    }
    axes["histogram"] = figure.add_subplot(grid[2, 1:], sharex=axes["barcode"])
    _draw_whole(axes["graph"], batch, weights.compute(filtration.weight, batch), places)
    colours = vertex_colours(bars)
    for panel, level in zip(axes["levels"], shown, strict=True):
        _draw_level(panel, batch, places, entry, int(level), bars, colours)
        alpha = filtration.alphas_[level]
        whole = level == filtration.n_levels_ - 1
        panel.set_title("all edges" if whole else f"w ≥ {style.number(alpha)}", fontsize=9)
    draw_bars(axes["barcode"], bars, colours)
    axes["barcode"].tick_params(labelbottom=False)
    draw_counts(axes["histogram"], bars.counts())
    _label_levels(axes["histogram"], filtration.alphas_)
    name = name or _tree(batch, filtration, bars, features)
    _explain(figure.add_subplot(grid[2, 0]), bars, name, shown)
    return axes


def bars_of(
    batch: Graphs, filtration: Filtration, feature: tuple[int, int] | None, features: Any
) -> Barcode:
    """Return the bars of one feature in one graph; there must be some, unless it has no vertex."""
    if features is None:
        features = WeisfeilerLehman(depth=1 if feature is None else max(1, int(feature[0])))
    found = barcodes(batch, filtration, features)[0]
    if feature is None:
        return found.of(*_most_changing(found, batch, filtration.levels(batch)))
    bars = found.of(*feature)
    if len(bars) == 0:
        raise ValueError(
            f"the feature {feature} does not occur in this graph; features that do are the keys of "
            "features.histograms(graph, filtration)[0]"
        )
    return bars


def label_of(graph: Any, filtration: Filtration, vertex: int, depth: int) -> tuple[int, int]:
    """Return the label of some depth that a vertex has in the whole graph, as (depth, feature)."""
    batch = one_graph(graph)
    n = int(batch.node_ptr[-1])
    if not 0 <= vertex < n:
        raise ValueError(f"the graph has {n} vertices, counted from 0; got {vertex}")
    bars = barcodes(batch, filtration, WeisfeilerLehman(depth=depth))[0]
    last = (bars.vertices == vertex) & (bars.depths == depth) & (bars.deaths == bars.n_levels)
    return depth, int(bars.features[last][0])


def _most_changing(bars: Barcode, batch: Graphs, entry: NDArray[np.int32]) -> tuple[int, int]:
    """Return the feature whose number of occurrences goes up and down most, of those with edges."""
    if len(bars) == 0:
        return 0, 0
    depth = min(1, int(bars.depths.max()))
    rows = np.flatnonzero(bars.depths == depth)
    first_edge = np.full(int(batch.node_ptr[-1]), bars.n_levels)
    np.minimum.at(first_edge, batch.edges.ravel(), np.repeat(entry, 2))
    with_edges = rows[bars.births[rows] >= first_edge[bars.vertices[rows]]]
    rows = with_edges if len(with_edges) else rows
    kinds, place = np.unique(bars.features[rows], return_inverse=True)
    changes = np.zeros((len(kinds), bars.n_levels + 1), np.int64)
    np.add.at(changes, (place, bars.births[rows]), 1)
    np.add.at(changes, (place, bars.deaths[rows]), -1)
    much = np.abs(changes[:, 1 : bars.n_levels]).sum(axis=1)
    masses = np.cumsum(changes, axis=1).sum(axis=1)
    best = np.lexsort((kinds, -masses, -much))[0]
    return depth, int(kinds[best])


def vertex_colours(bars: Barcode) -> dict[int, str]:
    """Return a colour for each vertex with the feature: its own, where there are enough."""
    several = list(dict.fromkeys(bars.vertices.tolist()))
    own = style.CYCLE[: len(several)] if len(several) <= len(style.CYCLE) else None
    return {v: style.VERMILION if own is None else own[i] for i, v in enumerate(several)}


def draw_bars(ax: Axes, bars: Barcode, colours: dict[int, str]) -> None:
    """Draw the bars of one feature from top to bottom; level i reaches from i - 0.5 to i + 0.5."""
    from matplotlib.collections import PolyCollection

    n = len(bars)
    left, right = bars.births - 0.5, bars.deaths - 0.5
    # Gaps between very many bars would only flicker.
    half = 0.36 if n <= 4 * _MANY_BARS else 0.5
    top, bottom = np.arange(n) - half, np.arange(n) + half
    corners = np.stack([left, top, right, top, right, bottom, left, bottom], axis=1)
    ax.add_collection(
        PolyCollection(
            list(corners.reshape(n, 4, 2)),
            facecolors=[colours[v] for v in bars.vertices.tolist()],
            edgecolors=style.BLACK,
            linewidths=0.6 if n <= _MANY_BARS else 0.0,
        ),
        autolim=False,
    )
    ax.set_xlim(-0.5, bars.n_levels - 0.5)
    ax.set_ylim(max(n, 1) - 0.4, -0.6)
    for level in range(1, bars.n_levels) if bars.n_levels <= _MANY_TICKS else ():
        ax.axvline(level - 0.5, color=style.GREY, linewidth=0.6, linestyle=":", zorder=0)
    if n <= _MANY_BARS:
        size = float(np.clip(100 / max(n, 1), 6, 8))
        ax.set_yticks(range(n), [f"vertex {v}" for v in bars.vertices.tolist()], fontsize=size)
        ax.tick_params(axis="y", length=0)
    else:
        ax.set_yticks([])
        ax.set_ylabel(f"{n} occurrences")
    if n == 0:
        ax.text(0.5, 0.5, "no occurrence", transform=ax.transAxes, ha="center", va="center")
    ax.spines[["top", "right"]].set_visible(False)


def draw_counts(ax: Axes, counts: NDArray[np.int64]) -> None:
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
    if len(counts) <= _MANY_TICKS:
        ax.bar_label(found, fontsize=8, padding=1)
    ax.set_ylim(0, 1.25 * max(int(counts.max(initial=0)), 1))
    ax.set_ylabel("occurrences", fontsize=8)
    ax.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def _label_levels(ax: Axes, alphas: NDArray[np.float64]) -> None:
    n = len(alphas)
    step = -(-n // _MANY_TICKS)
    ax.set_xticks(range(0, n, step), [style.number(alpha) for alpha in alphas[::step]], fontsize=8)
    ax.set_xlabel("threshold", fontsize=9)


def _chosen_levels(entry: NDArray[np.int32], n_levels: int, most: int) -> NDArray[np.int64]:
    """Return the levels that are drawn as graphs: all, or some at which this graph changes."""
    if n_levels <= most:
        return np.arange(n_levels)
    steps = np.union1d(np.unique(entry), [0, n_levels - 1])
    # The last one is the graph itself, the best to show if there is but one.
    picked = np.linspace(len(steps) - 1, 0, min(most, len(steps)))
    return np.unique(steps[np.round(picked).astype(np.int64)]).astype(np.int64)


def _draw_whole(
    ax: Axes, batch: Graphs, values: NDArray[np.float64], places: NDArray[np.float64]
) -> None:
    """Draw the graph itself; vertices are numbered where the others can be compared with it."""
    own = batch.node_labels is not None
    numbered = range(len(places)) if len(places) <= _MANY_NUMBERS else False
    graph(batch, weights=values, positions=places, labels=numbered, legend=own, ax=ax)
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
        draw_edges(ax, batch, places, np.flatnonzero(which), colour=colour, widths=width, line=line)
    alive = (bars.births <= level) & (level < bars.deaths)
    marked = np.unique(bars.vertices[alive])
    others = np.setdiff1d(np.arange(len(places)), marked)
    draw_vertices(ax, places[others], 0.8 * size, style.WHITE, edge=style.DARK)
    own = [colours[v] for v in marked.tolist()]
    draw_vertices(ax, places[marked], 1.25 * size, own, width=1.3, label="occurrences")
    if 0 < len(places) <= _MANY_NUMBERS and size * unit > 7:
        texts = ["" if v not in marked else str(v) for v in range(len(places))]
        ink = [colours.get(v, style.WHITE) for v in range(len(places))]
        write_labels(ax, places, texts, ink, 1.25 * size, unit)


def _tree(batch: Graphs, filtration: Filtration, bars: Barcode, features: Any) -> str:
    """Write the tree that the label stands for, as its first occurrence has it."""
    if len(bars) == 0 or not isinstance(features, (WeisfeilerLehman, type(None))):
        return ""
    return unfolding_tree(
        batch,
        int(bars.vertices[0]),
        int(bars.depths[0]),
        filtration=filtration,
        level=int(bars.births[0]),
        edge_labels=features is not None and features.edge_labels,
        max_depth=SHOWN_DEPTH,
        max_width=SHOWN_WIDTH,
    )


def _explain(ax: Axes, bars: Barcode, name: str, shown: NDArray[np.int64]) -> None:
    """Say what the feature is, and which levels are drawn."""
    ax.set_axis_off()
    words = []
    if len(bars):
        words = ["feature:", *(style.plain(line, 60) for line in wrap(name, 34)[:4])]
        words += [f"depth {bars.depths[0]}, {int(bars.features[0]):#x}"]
    if len(shown) < bars.n_levels:
        words += ["", f"graphs of {len(shown)} of {bars.n_levels} levels"]
    text = ax.text(0.0, 0.9, "\n".join(words), transform=ax.transAxes, fontsize=8, va="top")
    text.set_in_layout(False)
