"""Pictures like those of the paper, with our numbers and the paper's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..plots import levels, style
from ..plots.bars import Row, draw_methods

_COLUMNS = 4  # data sets beside each other; more could not be read


@contextmanager
def _figure(
    path: Path, width: float, height: float, shape: tuple[int, int] = (1, 1), **options: Any
) -> Iterator[Any]:
    """Yield the panels of a new picture, and write it if nothing fails."""
    figure = style.blank_figure(width, height)
    yield figure.subplots(*shape, squeeze=False, **options).ravel()
    style.save(figure, path, dpi=130)


def draw_accuracy(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw a panel for each data set: methods in rows, the best at the top, and the paper's."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    n_columns = min(_COLUMNS, len(names))
    n_rows = -(-len(names) // n_columns)
    most = max(sum(row["data"] == name for row in rows) for name in names)
    size = max(5.0, 2.75 * n_columns), n_rows * (0.65 + 0.2 * most) + 0.3
    with _figure(path, *size, (n_rows, n_columns)) as panels:
        for panel, name in zip(panels, names, strict=False):
            _draw_methods(panel, [row for row in rows if row["data"] == name])
            panel.set_title(name, fontsize=10)
            panel.set_ylim(most - 0.4, -0.6)
        for panel in panels[len(names) :]:
            panel.set_axis_off()
        for panel in panels[max(0, len(names) - n_columns) : len(names)]:
            panel.set_xlabel("accuracy in %", fontsize=9)
        _explain_marks(panels[0].figure, panels[len(names) :])


# A bar across the row can be seen wherever the dot lies.
_PAPER: dict[str, Any] = {
    "marker": "|",
    "linestyle": "",
    "color": style.BLACK,
    "markersize": 11,
    "markeredgewidth": 1.6,
}


def _draw_methods(panel: Any, rows: list[dict[str, Any]]) -> None:
    """Draw the methods of a data set, filtration kernels in blue, and what the paper has."""
    shown = [
        Row(
            row["title"].replace(" (", "\n("),
            *(row["accuracy"], row["deviation"]),
            style.BLUE if row["method"].startswith("fwl") else style.DARK,
        )
        for row in rows
    ]
    for place, i in enumerate(draw_methods(panel, shown)):
        if rows[i]["paper"] is not None:
            panel.plot(rows[i]["paper"], place, **_PAPER, zorder=1)


def _explain_marks(figure: Any, unused: Any) -> None:
    """Add a legend in the panel that no data set needs, or above all of them."""
    from matplotlib.lines import Line2D

    dot: dict[str, Any] = {"marker": "o", "linestyle": "-", "markersize": 5}
    marks = [
        Line2D([], [], **dot, color=style.VERMILION, label="the best"),
        Line2D([], [], **dot, color=style.BLUE, label="other filtration kernels"),
        Line2D([], [], **dot, color=style.DARK, label="other kernels"),
        Line2D([], [], **_PAPER, label="the paper's accuracy"),
    ]
    look: dict[str, Any] = {"handles": marks, "fontsize": 9, "frameon": False}
    if len(unused):
        title = "Dots are accuracies,\nlines one deviation on each side."
        look |= {"title": title, "title_fontsize": 9, "alignment": "left", "labelspacing": 0.9}
        unused[0].legend(loc="center left", bbox_to_anchor=(-0.3, 0.5), **look)
    else:
        figure.legend(loc="outside upper center", ncols=4, **look)


def draw_levels(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw accuracy over the number of levels, with a band of one deviation."""
    with _figure(path, 7.0, 4.2) as (panel,):
        levels(rows, ax=panel)


def draw_runtime(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw seconds over the number of levels, ours and the paper's side by side on one scale."""
    lines = [row for row in rows if row["levels"] is not None]
    names = list(dict.fromkeys(row["data"] for row in lines))
    seconds = [row[key] for row in lines for key in ("seconds", "paper") if row[key] is not None]
    with _figure(path, 9.0, 4.4, (1, 2), sharey=True) as panels:
        for panel, key, title in zip(
            panels, ("seconds", "paper"), ("grafik, this machine", "the paper's"), strict=True
        ):
            for i, name in enumerate(names):
                mine = [row for row in lines if row["data"] == name and row[key] is not None]
                panel.plot(
                    [row["levels"] for row in mine],
                    [row[key] for row in mine],
                    f"{style.MARKERS[i % len(style.MARKERS)]}-",
                    color=style.CYCLE[i % len(style.CYCLE)],
                    markersize=5,
                    label=name,
                )
            panel.set(xlabel="number of levels", title=title)
            panel.set_xticks(range(1, 11))
            panel.grid(alpha=0.3)
        style.plain_log(panels[0].yaxis, 0.7 * min(seconds), 1.4 * max(seconds))
        panels[0].set_ylabel("seconds for the Gram matrix, FWL-D, depth 5")
        panels[0].legend(fontsize=8, ncols=2, loc="upper left")


def draw_beyond(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw a row for each data set: the default model and the best of the paper's, with errors."""
    marks = (
        ("best_accuracy", "best_error", 0.14, "s", style.ORANGE, "best of the paper's ten"),
        ("accuracy", "error", -0.14, "o", style.BLUE, "default model"),
    )
    places = [len(rows) - 1 - i for i in range(len(rows))]
    with _figure(path, 7.0, 1.3 + 0.5 * len(rows)) as (panel,):
        for mean, error, shift, marker, colour, label in marks:
            panel.errorbar(
                [row[mean] for row in rows],
                [place + shift for place in places],
                xerr=[row[error] for row in rows],
                fmt=marker,
                color=colour,
                markersize=6,
                elinewidth=1.4,
                capsize=3,
                label=label,
            )
        for row, place in zip(rows, places, strict=True):
            texts = row["best"], f"{row['difference']:+.1f}"
            for text, (mean, error, shift, *_) in zip(texts, marks, strict=True):
                panel.annotate(
                    text,
                    (row[mean] + row[error], place + shift),
                    xytext=(6, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8,
                    color=style.DARK,
                )
            panel.axhline(place - 0.5, color="lightgray", linewidth=0.6)
        panel.set_yticks(places, [row["data"] for row in rows])
        panel.set(
            xlabel="accuracy in %, with one standard error over folds",
            ylim=(-0.5, len(rows) - 0.5),
            axisbelow=True,
        )
        left, right = panel.get_xlim()
        panel.set_xlim(left, right + 0.16 * (right - left))
        panel.grid(axis="x", alpha=0.3)
        panel.tick_params(axis="y", length=0)
        panel.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)


def draw_expressiveness(rows: list[dict[str, Any]], categories: dict[str, int], path: Path) -> None:
    """Draw a bar for each weight, stacked by category, the strongest at the top; 3-WL is marked."""
    places = [len(rows) - 1 - i for i in range(len(rows))]
    with _figure(path, 8.0, 1.5 + 0.28 * len(rows)) as (panel,):
        left = [0] * len(rows)
        for i, (name, pairs) in enumerate(categories.items()):
            widths = [row["apart"][name] for row in rows]
            colour = style.CYCLE[i % len(style.CYCLE)]
            panel.barh(places, widths, 0.74, left, color=colour, label=f"{name}: {pairs}")
            left = [a + b for a, b in zip(left, widths, strict=True)]
        for row, place, end in zip(rows, places, left, strict=True):
            panel.annotate(
                f"{end}" + (f", {row['changed']} copies changed" if row["changed"] else ""),
                (end, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=style.DARK,
            )
            if row["weight"] == "3-WL":
                panel.axvline(end, color=style.BLACK, linewidth=1.0, linestyle="--", zorder=3)
        panel.set_yticks(places, [row["weight"] for row in rows])
        for row, text in zip(rows, panel.get_yticklabels(), strict=True):
            text.set_fontweight("bold" if row["weight"] == "3-WL" else "normal")
        panel.set(
            xlabel="pairs told apart",
            xlim=(0, 1.06 * sum(categories.values())),
            ylim=(-0.6, len(rows) - 0.4),
            axisbelow=True,
        )
        panel.grid(axis="x", alpha=0.3)
        panel.tick_params(axis="y", length=0)
        panel.legend(
            loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False, fontsize=8
        )
