"""When a feature lives: the barcode of its occurrences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..features import WeisfeilerLehman
from ..features.barcodes import Barcode, barcodes
from ..filtration.filtration import Filtration
from ..graphs.batch import Graphs
from ..weights.display import as_given
from . import style
from .feature_choice import chosen
from .layout import one_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY_BARS = 25  # at most this many bars get a border and the name of their vertex
_LONGEST = 18  # longer names of vertices are cut to this many letters
MANY_TICKS = 12  # at most this many levels get a tick, a line and a count each


def barcode(
    graph: Any,
    filtration: Filtration,
    feature: tuple[int, int] | str | None = None,
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
    feature : (depth, feature) or str, optional
        As in the keys of :class:`grafik.Histograms`, or as text: ``"1:0x97a9"``. ``"vertex:3"``, or
        ``"vertex:Ann"`` by name, is the label that a vertex has in the whole graph, of the depth
        of `features`. By default the feature whose histogram changes most, among those of vertices
        with neighbours.
    features : WeisfeilerLehman, optional
        What is counted; by default labels up to the depth of the feature, at least 1.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import Filtration, datasets, plots, weights
    >>> graphs, y = datasets.figure_one()
    >>> heavy = weights.Attribute()
    >>> filtration = Filtration(heavy, thresholds="distinct").fit(graphs)
    >>> ax = plots.barcode(graphs[0], filtration, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['vertex 0', 'vertex 1', 'vertex 2', 'vertex 3', 'vertex 4', 'vertex 5']
    >>> ax = plots.barcode(graphs[0], filtration, "vertex:0", ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['vertex 2', 'vertex 0', 'vertex 4']
    """
    batch = one_graph(graph)
    bars = bars_of(batch, filtration, feature, features)
    ax = style.new_axes(ax, 4.6, _height(bars))
    draw_bars(ax, bars, vertex_colours(bars), batch.node_names)
    label_levels(ax, as_given(filtration.weight, filtration.alphas_))
    return ax


def lifespans(bars: Barcode, *, ax: Axes | None = None) -> Axes:
    """Draw the bars of one feature by the numbers of levels; see :meth:`Barcode.plot`."""
    kinds = set(zip(bars.depths.tolist(), bars.features.tolist(), strict=True))
    if len(kinds) > 1:
        depth, feature = min(kinds)
        raise ValueError(
            f"a picture shows the bars of one feature, these are of {len(kinds)}; choose one, "
            f"as in bars.of({depth}, {feature:#x})"
        )
    ax = style.new_axes(ax, 4.6, _height(bars))
    draw_bars(ax, bars, vertex_colours(bars), None)
    ax.set_xticks(range(0, bars.n_levels, -(-bars.n_levels // MANY_TICKS)))
    ax.set_xlabel("level", fontsize=9)
    return ax


def _height(bars: Barcode) -> float:
    return float(np.clip(1.2 + 0.2 * len(bars), 2.2, 6.0))


def bars_of(batch: Graphs, filtration: Filtration, wanted: Any, features: Any) -> Barcode:
    """Return the bars of one feature in one graph; refuse a feature that does not occur."""
    feature = chosen(wanted, batch, filtration, features)
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


def _most_changing(bars: Barcode, batch: Graphs, entry: NDArray[np.int32]) -> tuple[int, int]:
    """Return the feature, among those with edges, whose number of occurrences changes most."""
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
    """Return a colour for each vertex with the feature; one for all if there are too many."""
    several = list(dict.fromkeys(bars.vertices.tolist()))
    own = style.CYCLE[: len(several)] if len(several) <= len(style.CYCLE) else None
    return {v: style.VERMILION if own is None else own[i] for i, v in enumerate(several)}


def draw_bars(
    ax: Axes, bars: Barcode, colours: dict[int, str], names: Sequence[Any] | None
) -> None:
    """Draw the bars of one feature from top to bottom; level i spans i - 0.5 to i + 0.5."""
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
            clip_on=False,  # the end of a bar that lasts lies on the border
        ),
        autolim=False,
    )
    ax.set_xlim(-0.5, bars.n_levels - 0.5)
    ax.set_ylim(max(n, 1) - 0.4, -0.6)
    for level in range(1, bars.n_levels) if bars.n_levels <= MANY_TICKS else ():
        ax.axvline(level - 0.5, color=style.GREY, linewidth=0.6, linestyle=":", zorder=0)
    if n <= _MANY_BARS:
        size = float(np.clip(100 / max(n, 1), 6, 8))
        called = [
            f"vertex {v}" if names is None else style.plain(names[v], _LONGEST)
            for v in bars.vertices.tolist()
        ]
        ax.set_yticks(range(n), called, fontsize=size)
        ax.tick_params(axis="y", length=0)
    else:
        ax.set_yticks([])
        ax.set_ylabel(f"{n} occurrences")
    if n == 0:
        ax.text(0.5, 0.5, "no occurrence", transform=ax.transAxes, ha="center", va="center")
    ax.spines[["top", "right"]].set_visible(False)


def label_levels(ax: Axes, alphas: NDArray[np.float64]) -> None:
    """Write thresholds below the levels."""
    n = len(alphas)
    step = -(-n // MANY_TICKS)
    ax.set_xticks(range(0, n, step), [style.number(alpha) for alpha in alphas[::step]], fontsize=8)
    ax.set_xlabel("threshold", fontsize=9)
