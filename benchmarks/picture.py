"""The pictures of how time grows: with one quantity each, and with the number of graphs."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

PICTURE = Path(__file__).parents[1] / "docs" / "growth.png"
SCALE = PICTURE.with_name("scale.png")
# Between labels at the end of lines, in heights of the panel.
_APART = 0.052


def source(result: dict) -> str:
    """Return what the picture keeps of its result, so that a test can tell whether they agree."""
    return hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()


def draw(result: dict, path: Path = PICTURE) -> Path:
    """Draw the lines of a result of ``growth.py``."""
    from grafik import plots
    from grafik.plots.style import blank_figure

    lines = result["lines"]
    n_rows = -(-len(lines) // 3)
    figure = blank_figure(10, 3.1 * n_rows)
    axes = figure.subplots(n_rows, 3, squeeze=False)
    for panel, line in zip(axes.flat, lines, strict=False):
        fit = (line[key] for key in ("factor", "exponent", "fitted_from", "fitted_to"))
        plots.growth(line["values"], line["seconds"], label=line["label"], fit=tuple(fit), ax=panel)
    for panel in axes.flat[len(lines) :]:
        panel.set_visible(False)
    for panel in axes[:, 1:].flat:
        panel.set_ylabel("")
    title = "Time of a Gram matrix, one thread"
    figure.suptitle(title if result["complete"] else f"{title} (trial run, few repeats)")
    return plots.save(figure, path, dpi=130, metadata={"Source": source(result)})


def draw_scale(result: dict, path: Path = SCALE) -> Path:
    """Draw seconds and memory of the ways of a result of ``scale.py`` by number of graphs."""
    from grafik import plots
    from grafik.plots.style import blank_figure

    figure = blank_figure(10, 4.6)
    panels = figure.subplots(1, 2)
    for panel, name, unit, title in (
        (panels[0], "seconds", 1.0, "seconds"),
        (panels[1], "peak_growth_bytes", 1e9, "memory at the peak, GB"),
    ):
        _draw_lines(panel, result["lines"], name, unit)
        panel.set_title(title, fontsize=11)
    title = "More and more molecules; a line ends where more would take too long or too much memory"
    figure.suptitle(title if result["complete"] else f"{title} (trial run)", fontsize=11)
    return plots.save(figure, path, dpi=130, metadata={"Source": source(result)})


def _draw_lines(panel: Any, lines: list[dict], name: str, unit: float) -> None:
    """Draw one line for each way, with its label at its end."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    from grafik.plots.style import BLACK, CYCLE, MARKERS

    # The last colour is too pale for text.
    colours = (*CYCLE[:-1], BLACK)
    panel.set(xscale="log", yscale="log", xlabel="graphs")
    ends = {}
    for i, line in enumerate(lines):
        points = [(p["graphs"], p[name] / unit) for p in line["points"] if p[name]]
        if points:
            colour, marker = colours[i % len(colours)], MARKERS[i % len(MARKERS)]
            panel.plot(*zip(*points, strict=True), f"{marker}-", color=colour, markersize=4)
            ends[line["label"]] = (*points[-1], colour)
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_minor_formatter(NullFormatter())
    panel.tick_params(which="both", labelsize=8)
    panel.grid(which="major", alpha=0.3)
    low, high = (float(np.log10(value)) for value in panel.get_ylim())
    wanted = {label: (np.log10(y) - low) / (high - low) for label, (_, y, _) in ends.items()}
    places = spread_apart(wanted, _APART)
    right = max((x for x, _, _ in ends.values()), default=1)
    for label, (x, y, colour) in ends.items():
        panel.annotate(
            label,
            (x, y),
            (1.03, places[label]),
            textcoords="axes fraction",
            fontsize=8,
            va="center",
            color=colour,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "alpha": 0.6},
        )
    panel.set_xlim(right=right * 1.15)


def spread_apart(wanted: dict[str, float], apart: float) -> dict[str, float]:
    """Return heights in the order of those wanted and near them, at least so far from each other.

    Heights are shifted upwards one after the other, then all together so that they stay in place
    on average.
    """
    order, heights = sorted(wanted, key=lambda label: wanted[label]), []
    for label in order:
        heights.append(max(wanted[label], heights[-1] + apart) if heights else wanted[label])
    shift = np.mean([wanted[label] for label in order]) - np.mean(heights) if order else 0.0
    return {label: float(height + shift) for label, height in zip(order, heights, strict=True)}
