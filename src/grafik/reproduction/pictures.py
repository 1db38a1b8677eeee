"""Pictures in the form of the paper's, ours and the paper's numbers together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..files import replacing
from ..optional import require

# Okabe and Ito, and two greys: told apart by people with any kind of colour vision.
_COLOURS = (
    "#BBBBBB",
    "#666666",
    "#F0E442",
    "#56B4E9",
    "#0072B2",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#D55E00",
    "#000000",
)
_MARKS = "osD^vP*X"


@contextmanager
def _figure(path: Path, width: float, height: float, n_panels: int = 1) -> Iterator[Any]:
    """Give the panels of a new picture, and write it when all went well."""
    require("matplotlib", "drawing", "grafik[plot]")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    yield figure.subplots(1, n_panels, squeeze=False)[0]
    with replacing(path) as part:
        # Without the date and version, so that equal numbers make equal files.
        figure.savefig(part, format="png", dpi=130, metadata={"Software": None})


def draw_accuracy(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw bars of all methods, data set by data set, with the paper's value on each."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    titles = list(dict.fromkeys(row["title"] for row in rows))
    with _figure(path, max(6.0, 1.9 * len(names)), 4.6) as (panel,):
        for column, name in enumerate(names):
            mine = [row for row in rows if row["data"] == name]
            width = 0.86 / len(mine)
            for i, row in enumerate(mine):
                x = column + (i - (len(mine) - 1) / 2) * width
                colour = _COLOURS[titles.index(row["title"]) % len(_COLOURS)]
                panel.bar(
                    x,
                    row["accuracy"],
                    0.92 * width,
                    yerr=row["deviation"],
                    color=colour,
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


def _first_with(rows: list[dict[str, Any]], title: str) -> str:
    """Return the first data set with a method, which speaks for it in the legend."""
    first: str = next(row["data"] for row in rows if row["title"] == title)
    return first


def draw_levels(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw accuracy over the number of levels, with a band of one deviation."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    with _figure(path, 7.0, 4.2) as (panel,):
        for i, name in enumerate(names):
            mine = [row for row in rows if row["data"] == name]
            colour = _COLOURS[(4, 7, 5, 8)[i % 4]]
            x = [row["levels"] for row in mine]
            y = [row["accuracy"] for row in mine]
            low = [row["accuracy"] - row["deviation"] for row in mine]
            high = [row["accuracy"] + row["deviation"] for row in mine]
            panel.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
            mark = _MARKS[i % len(_MARKS)]
            panel.plot(x, y, f"{mark}-", color=colour, markersize=5, label=name)
            theirs = [row["paper"] for row in mine]
            panel.plot(x, theirs, "--", color=colour, linewidth=1.2, label=f"{name}, the paper's")
        panel.set(xlabel="number of levels", ylabel="accuracy in %")
        panel.set_xticks(range(1, 11))
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8)


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
                    f"{_MARKS[i % len(_MARKS)]}-",
                    color=_COLOURS[(4, 8, 5, 7, 6, 3, 1, 9)[i % 8]],
                    markersize=5,
                    label=name,
                )
            panel.set(yscale="log", xlabel="number of levels", title=title)
            panel.set_xticks(range(1, 11))
            panel.grid(alpha=0.3)
        panels[0].set_ylabel("seconds for the Gram matrix, FWL-D, depth 5")
        panels[0].legend(fontsize=8, ncols=2)
