"""Bars and points for tables: what features contribute, and how good methods are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..arrays.checks import checked_integer
from ..evaluation.results import Results
from ..explain.results import PairExplanation, PredictionExplanation
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 44


def contributions(
    explanation: PairExplanation | PredictionExplanation, top: int = 10, *, ax: Axes | None = None
) -> Axes:
    """Draw what the features of an explanation contribute, the largest at the top.

    Parameters
    ----------
    explanation : PairExplanation or PredictionExplanation
    top : int
        Number of features; the others are one bar.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import FiltrationKernel, datasets, explain_pair, plots
    >>> graphs, y = datasets.triangle_pair()
    >>> why = explain_pair(FiltrationKernel(weight="triangles"), graphs[0], graphs[1])
    >>> ax = plots.contributions(why, top=2, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['*', '*(3x*)', '4 other features']
    """
    checked_integer("top", top, 1)
    shown, rest = explanation.features[:top], explanation.features[top:]
    rows = [(style.plain(f.name, _LONGEST), f.contribution) for f in shown]
    if rest:
        rows.append((f"{len(rest)} other features", sum(f.contribution for f in rest)))
    ax = style.new_axes(ax, 5.6, 1.0 + 0.26 * max(len(rows), 3))
    values = [value for _, value in rows]
    colours = [style.VERMILION if value > 0 else style.SKY for value in values]
    if rest:
        colours[-1] = style.GREY
    ax.barh(range(len(rows)), values, color=colours, edgecolor=style.BLACK, linewidth=0.6)
    ax.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    ax.invert_yaxis()
    ax.axvline(0, color=style.BLACK, linewidth=0.8)
    ax.set_xlabel("contribution", fontsize=9)
    ax.set_title(style.plain(explanation.about[0], 80), fontsize=9)
    ax.tick_params(axis="x", labelsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def accuracies(results: Results, *, ax: Axes | None = None) -> Axes:
    """Draw the accuracy of each method of an evaluation, the best at the top and marked.

    Lines are one deviation on each side.

    Parameters
    ----------
    results : Results
        With at least one repeat that is complete.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from grafik import datasets, plots
    >>> from grafik.evaluation import PROTOCOLS, evaluate
    >>> graphs, y = datasets.csl(skips=(2, 3), copies=6)
    >>> two = PROTOCOLS["quick"].with_values(n_splits=2)
    >>> results = evaluate("wl", graphs, y, protocol=two)
    >>> ax = plots.accuracies(results, ax=Figure().subplots())
    >>> ax.get_xlabel()
    'accuracy in %'
    """
    summary = results.summary()
    rows = [
        Row(style.plain(score.title, _LONGEST), score.accuracy, score.deviation)
        for score in summary.scores
        if score.accuracy is not None and score.deviation is not None
    ]
    if not rows:
        raise ValueError("no repeat is complete yet; run the evaluation again to finish it")
    ax = style.new_axes(ax, 5.2, 1.0 + 0.32 * max(len(rows), 3))
    draw_methods(ax, rows)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel("accuracy in %", fontsize=9)
    if summary.setting.data is not None:
        ax.set_title(style.plain(summary.setting.data, 60), fontsize=9)
    return ax


class Row(NamedTuple):
    """A method in a picture of accuracies."""

    title: str
    accuracy: float
    deviation: float
    colour: str = style.BLUE


def draw_methods(ax: Axes, rows: list[Row]) -> list[int]:
    """Draw methods in the order of their accuracy, mark the best, and return the order."""
    from matplotlib.ticker import MaxNLocator

    order = sorted(range(len(rows)), key=lambda i: -rows[i].accuracy)
    best = rows[order[0]].accuracy
    for place, i in enumerate(order):
        row = rows[i]
        colour = style.VERMILION if row.accuracy == best else row.colour
        look: dict[str, Any] = {"fmt": "o", "color": colour, "markersize": 5}
        ax.errorbar(row.accuracy, place, xerr=row.deviation, **look)
    titles = [rows[i].title for i in order]
    ax.set_yticks(range(len(order)), titles, fontsize=8, linespacing=0.9)
    for i, text in zip(order, ax.get_yticklabels(), strict=True):
        text.set_fontweight("bold" if rows[i].accuracy == best else "normal")
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=8)
    ax.grid(alpha=0.3)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    return order
