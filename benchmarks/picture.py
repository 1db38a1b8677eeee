"""The picture of how time grows: a panel per quantity, with its exponent."""

import hashlib
import json
from pathlib import Path

PICTURE = Path(__file__).parents[1] / "docs" / "growth.png"


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
