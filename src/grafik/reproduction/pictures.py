"""Pictures like those of the paper, with our numbers and the paper's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..evaluation import METHODS
from ..evaluation.methods import READING_OF
from ..plots import levels, style

# One colour for each method of the paper.
_COLOURS = (
    *(style.GREY, style.DARK, style.YELLOW, style.SKY, style.BLUE),
    *(style.GREEN, style.PURPLE, style.ORANGE, style.VERMILION, style.BLACK),
)


@contextmanager
def _figure(path: Path, width: float, height: float, n_panels: int = 1) -> Iterator[Any]:
    """Yield the panels of a new picture, and write it if nothing fails."""
    figure = style.blank_figure(width, height)
    yield figure.subplots(1, n_panels, squeeze=False)[0]
    style.save(figure, path, dpi=130)


def draw_accuracy(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw bars of all methods, data set by data set, with the paper's value on each."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    titles = list(dict.fromkeys(row["title"] for row in rows))
    with _figure(path, max(8.0, 1.9 * len(names)), 4.6) as (panel,):
        for column, name in enumerate(names):
            mine = [row for row in rows if row["data"] == name]
            width = 0.86 / len(mine)
            for i, row in enumerate(mine):
                x = column + (i - (len(mine) - 1) / 2) * width
                panel.bar(
                    x,
                    row["accuracy"],
                    0.92 * width,
                    yerr=row["deviation"],
                    **_look(row["method"]),
                    error_kw={"ecolor": "#444444", "elinewidth": 1.0},
                    label=row["title"] if name == _first_with(rows, row["title"]) else None,
                )
                if row["paper"] is not None:
                    marker = {"color": "white", "markeredgecolor": "black", "markersize": 5}
                    panel.plot(x, row["paper"], "D", zorder=5, **marker)
        handles, labels = panel.get_legend_handles_labels()
        order = sorted(range(len(labels)), key=lambda i: titles.index(labels[i]))
        paper = panel.plot([], [], "D", color="white", markeredgecolor="black", markersize=5)
        panel.legend(
            [*(handles[i] for i in order), *paper],
            [*(labels[i] for i in order), "the paper's"],
            loc="upper center",
            bbox_to_anchor=(0.5, 1.17),
            ncols=6,
            fontsize=8,
            frameon=False,
        )
        panel.set_xticks(range(len(names)), names)
        for edge in range(len(names) - 1):
            panel.axvline(edge + 0.5, color="lightgray", linewidth=0.8)
        lowest = min(min(row["accuracy"], row["paper"] or 100) for row in rows)
        panel.set(ylabel="accuracy in %", xlim=(-0.5, len(names) - 0.5), axisbelow=True)
        highest = max(row["accuracy"] + row["deviation"] for row in rows)
        panel.set_ylim(max(0, 10 * (lowest // 10) - 5), min(100, max(95, highest + 2)))
        panel.grid(axis="y", alpha=0.3)
        panel.tick_params(axis="x", length=0)


def _look(method: str) -> dict[str, Any]:
    """Return the colour of a method; another reading of it is also hatched."""
    plain = READING_OF.get(method, method)
    colour = _COLOURS[list(METHODS).index(plain)]
    hatched = {"hatch": "////", "edgecolor": "white", "linewidth": 0.0}
    return {"color": colour} if plain == method else {"facecolor": colour, **hatched}


def _first_with(rows: list[dict[str, Any]], title: str) -> str:
    """Return the first data set with a method, whose bar is the one in the legend."""
    first: str = next(row["data"] for row in rows if row["title"] == title)
    return first


def draw_levels(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw accuracy over the number of levels, with a band of one deviation."""
    with _figure(path, 7.0, 4.2) as (panel,):
        levels(rows, ax=panel)


def draw_runtime(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw seconds over the number of levels, ours and the paper's in panels of their own."""
    lines = [row for row in rows if row["levels"] is not None]
    names = list(dict.fromkeys(row["data"] for row in lines))
    with _figure(path, 10.0, 4.2, 2) as panels:
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
            panel.set(yscale="log", xlabel="number of levels", title=title)
            panel.set_xticks(range(1, 11))
            panel.grid(alpha=0.3)
        panels[0].set_ylabel("seconds for the Gram matrix, FWL-D, depth 5")
        panels[0].legend(fontsize=8, ncols=2)


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
