"""The picture of how time grows: a panel per quantity, with its exponent."""

import hashlib
import json
from pathlib import Path

PICTURE = Path(__file__).parents[1] / "docs" / "growth.png"

# Okabe and Ito: told apart by people with any kind of colour vision.
_POINTS, _FIT = "#0072B2", "#D55E00"


def source(result: dict) -> str:
    """Return what the picture keeps of its result, so that a test can tell whether they agree."""
    return hashlib.sha256(json.dumps(result, sort_keys=True).encode()).hexdigest()


def draw(result: dict, path: Path = PICTURE) -> Path:
    """Draw the lines of a result of :mod:`growth`."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines = result["lines"]
    n_rows = -(-len(lines) // 3)
    figure, axes = pyplot.subplots(
        n_rows, 3, figsize=(10, 3.1 * n_rows), layout="constrained", squeeze=False
    )
    for panel, line in zip(axes.flat, lines, strict=False):
        _draw_line(panel, line)
    for panel in axes.flat[len(lines) :]:
        panel.set_visible(False)
    for panel in axes[:, 0]:
        panel.set_ylabel("seconds")
    title = "Time of a Gram matrix, one thread"
    figure.suptitle(title if result["complete"] else f"{title} (trial run, few repeats)")
    figure.savefig(path, dpi=130, metadata={"Source": source(result)})
    pyplot.close(figure)
    return path


def _draw_line(panel: object, line: dict) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    ends = line["fitted_from"], line["fitted_to"]
    fit = [line["factor"] * x ** line["exponent"] for x in ends]
    panel.plot(line["values"], line["seconds"], "o", color=_POINTS, markersize=5, label="measured")
    name = f"exponent {line['exponent']:.2f}, from {ends[0]} to {ends[1]}"
    panel.plot(ends, fit, "-", color=_FIT, linewidth=1.8, label=name)
    panel.set(xscale="log", yscale="log", xlabel=line["label"])
    panel.xaxis.set_minor_locator(NullLocator())
    ticks = line["values"][::-2]
    panel.set_xticks(ticks, [str(value) for value in ticks])
    low, high = min(line["seconds"]), max(line["seconds"])
    # Powers of ten alone would leave a panel with a narrow range a single label.
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.tick_params(which="both", labelsize=8)
    panel.grid(which="major", alpha=0.3)
    panel.legend(fontsize=8, loc="upper left", frameon=False)
    # Room for the legend above the points.
    panel.set_ylim(top=high * (high / low) ** 0.35)
