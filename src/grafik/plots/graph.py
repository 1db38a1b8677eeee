"""One graph: its vertices with labels or importance, its edges with weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graphs.batch import Graphs
from . import style
from .drawing import (
    Shades,
    checked_values,
    diameter,
    draw_edges,
    draw_vertices,
    frame,
    thinness,
    write_labels,
)
from .layout import one_graph, placed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The most that can be read in a picture one column wide.
_MANY_LABELS = 60
_MANY_WEIGHTS = 40
_MANY_KINDS = 8
_LONGEST = 14  # longer texts at vertices are cut to this many letters


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

    Directed edges are arrows. Without importance, vertices of different labels have different
    colours. Important vertices are
    dark; those with negative numbers are squares, so that the sign can be seen without colours.

    Parameters
    ----------
    graph : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    importance : array of shape (n_nodes,), optional
        A number for each vertex, such as :func:`grafik.vertex_importance` gives.
    weights : array of shape (n_edges,), optional
        A number for each edge. Heavy edges are thick; if there is room, numbers are written too.
    labels : bool or sequence of shape (n_nodes,), optional
        Whether to write the labels of the vertices, or what to write instead; an empty text leaves
        a vertex blank. By default names of vertices are written if the graph is small, or labels
        if vertices have no names. Long ones are cut.
    legend : bool, optional
        Whether to say which colour and marker stands for which label; by default if labels are
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
            raise ValueError("RDKit draws molecules: leave out weights, positions and labels")
        from .molecule import molecule

        return molecule(smiles, importance=numbers, graph=batch, ax=ax)
    heavy = None if weights is None else checked_values("weights", weights, m, "edge")
    places = placed(batch, positions)
    texts = _texts(batch, labels)
    ax = style.new_axes(ax, 4.8, 4.2)
    unit = frame(ax, places)
    size = diameter(places)
    look: dict[str, Any] = {"colour": style.DARK, "widths": _widths(heavy, m)}
    draw_edges(ax, batch, places, np.arange(m), size=size, **look)
    if heavy is not None and m <= _MANY_WEIGHTS:
        _write_weights(ax, batch, places, heavy, unit)
    if numbers is not None:
        colours = _draw_importance(ax, places, numbers, size)
    else:
        colours = _draw_kinds(
            ax, batch, places, size, legend=_has_legend(batch, labels, texts, legend)
        )
    if texts is not None:
        write_labels(ax, places, texts, colours, size, unit)
    return ax


def _widths(weights: NDArray[np.float64] | None, m: int) -> Any:
    if weights is None or m == 0 or np.ptp(weights) == 0:
        return 1.1 * thinness(m)
    return thinness(m) * (0.6 + 2.6 * (weights - weights.min()) / np.ptp(weights))


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
    taken = (1.5 if batch.directed else 1.0) * diameter(places)
    if not len(lengths) or (np.median(lengths) - taken) * unit < 3 + 4 * longest:
        return
    first, second = places[batch.edges[:, 0]], places[batch.edges[:, 1]]
    # Behind the middle of an arrow, so that its head and the opposite edge have room.
    part = 0.38 if batch.directed else 0.5
    for (x, y), weight in zip(first + part * (second - first), weights, strict=True):
        box = {"boxstyle": "round,pad=0.12", "facecolor": style.WHITE, "edgecolor": "none"}
        text = style.number(weight)
        ax.text(x, y, text, fontsize=8, ha="center", va="center", bbox=box, zorder=2)


def _texts(batch: Graphs, labels: bool | Sequence[Any] | None) -> list[str] | None:
    """Return what is written on the vertices, if anything."""
    n = int(batch.node_ptr[-1])
    if labels is None and n <= _MANY_LABELS and batch.node_names is not None:
        labels = batch.node_names
    elif labels is None:
        labels = n <= _MANY_LABELS and batch.node_labels is not None
    if isinstance(labels, (bool, np.bool_)):
        if not labels:
            return None
        own = batch.node_labels
        return [style.plain(text, _LONGEST) for text in (range(n) if own is None else own)]
    if isinstance(labels, str) or len(labels) != n:
        raise ValueError(f"labels must be True, False or {n} texts, one for each vertex")
    return [style.plain(text, _LONGEST) for text in labels]


def _has_legend(batch: Graphs, labels: Any, texts: Any, legend: bool | None) -> bool:
    """Return whether to explain colours, by default where labels are not written."""
    if legend is not None:
        return legend
    named = labels is None and batch.node_names is not None
    return texts is None or (named and batch.node_labels is not None)


def _draw_importance(
    ax: Axes, places: NDArray[np.float64], numbers: NDArray[np.float64], size: float
) -> Any:
    shades = Shades(numbers)
    negative = numbers < 0
    signs = [("for", "o", ~negative), ("against", "s", negative)]
    for label, marker, which in signs:
        draw_vertices(ax, places[which], size, shades.colours[which], marker=marker, label=label)
    if len(numbers):
        shades.add_bar(ax)
    if negative.any():
        _add_legend(ax, [(label, marker, style.WHITE) for label, marker, _ in signs])
    return shades.colours


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
        _add_legend(ax, marks)
    return colours


def _add_legend(ax: Axes, marks: list[tuple[str, str, Any]]) -> None:
    """Add a legend of markers and colours outside the axes."""
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
