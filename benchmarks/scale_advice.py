"""How many graphs, do this: advice that follows from what ``scale.py`` measured."""

import math
from itertools import pairwise
from pathlib import Path

from .table import NONE, markdown, megabytes, seconds, wrapped

PAGE = Path(__file__).parents[1] / "docs" / "large.md"
START, END = "<!-- advice:start -->", "<!-- advice:end -->"
# What a usual computer has; time is as in the measurement.
MEMORY = 8e9


def reach(line: dict, limit_seconds: float, limit_bytes: float) -> float:
    """Return the number of graphs for which a way takes all of the seconds or the bytes.

    Between two points, and beyond the last one if the line was ended there, time and memory are
    taken to be powers of the number of graphs. If the largest number that was measured is within
    the limits and the line was not ended, it is what is known: infinite.
    """
    points = line["points"]
    if not points:
        return 0.0
    known = [points[0]["graphs"] if _within(points[0], limit_seconds, limit_bytes) else 0.0]
    for one, other in pairwise(points):
        if known[-1] < one["graphs"]:
            break
        whole = _within(other, limit_seconds, limit_bytes)
        known.append(other["graphs"] if whole else _cross(one, other, limit_seconds, limit_bytes))
    if known[-1] < points[-1]["graphs"]:
        return known[-1]
    if not line["stopped"]:
        return math.inf
    if len(points) < 2:
        return known[-1]
    beyond = _cross(points[-2], points[-1], limit_seconds, limit_bytes)
    return max(known[-1], min(beyond, line["stopped"]["graphs"]))


def _within(point: dict, limit_seconds: float, limit_bytes: float) -> bool:
    growth = point["peak_growth_bytes"] or 0
    return bool(point["seconds"] <= limit_seconds and growth <= limit_bytes)


def _cross(one: dict, other: dict, limit_seconds: float, limit_bytes: float) -> float:
    """Return where the law through two points meets the first limit."""
    found = [math.inf]
    for name, limit in (("seconds", limit_seconds), ("peak_growth_bytes", limit_bytes)):
        if one[name] and other[name] and other[name] > one[name]:
            step = math.log(other["graphs"] / one["graphs"])
            power = math.log(other[name] / one[name]) / step
            found.append(other["graphs"] * (limit / other[name]) ** (1 / power))
    return min(found)


def rounded(value: float) -> int:
    """Return a number of graphs with one digit that counts, rounded down."""
    size = 10 ** int(math.log10(max(value, 1.0)))
    return int(value / size) * size


def faster_from(result: dict, slow: str, quick: str) -> int | None:
    """Return the least number of graphs from which on one way was the quicker one."""
    slower, quicker = (
        {point["graphs"]: point["seconds"] for point in _line(result, name)["points"]}
        for name in (slow, quick)
    )
    found = None
    for graphs in sorted(slower.keys() & quicker.keys(), reverse=True):
        if quicker[graphs] >= slower[graphs]:
            break
        found = graphs
    return found


def _line(result: dict, name: str) -> dict:
    lines = {line["name"]: line for line in result["lines"]}
    return lines.get(name, {"points": [], "stopped": None})


# From few graphs to many: the way, and what to write.
_STEPS = (
    ("gram", "`kernel.fit_transform(graphs)`, in memory"),
    ("disk", '`kernel.gram_to("K.npy", graphs)`, on disk, block by block'),
    ("exact", "vectors and a linear machine: `FiltrationEmbedding()`, `LinearSVC`"),
    ("hashed", '`FiltrationEmbedding(method="hashed")`, which learns nothing from the graphs'),
)
_STREAM = 'vectors in parts: `write_parts("vectors", transformer, "graphs.parquet")`'


def advice(result: dict) -> str:
    """Return the table of what to do, and why."""
    limit, rows, last = result["limit_seconds"], [], 0
    for name, what in _STEPS:
        line = _line(result, name)
        found = reach(line, limit, MEMORY)
        if math.isinf(found):
            rows.append(f"| up to {line['points'][-1]['graphs']:,} at least | {what} |")
            break
        if rounded(found) > last:
            last = rounded(found)
            rows.append(f"| up to {last:,} | {what} |")
    rows.append(f"| more | {_STREAM} |")
    text = (
        f"A way is given up to where it takes {limit:g} s or {MEMORY / 1e9:g} GB for molecules of "
        f"some 25 atoms, on {result['cores']} cores; where none of its measurements came near, up "
        "to the most that were measured."
    )
    begin = faster_from(result, "machine", "exact")
    if begin is not None:
        text += (
            " To train a classifier, vectors and a linear machine were faster than a Gram matrix "
            f"and a kernel machine from {begin:,} graphs on."
        )
    table = "\n".join(["| graphs | do this |", "| --- | --- |", *rows])
    return f"{table}\n\n{wrapped(text)}"


def picture() -> str:
    """Return the picture for a page in docs."""
    return "![Seconds and memory by number of graphs](scale.png)"


def section(result: dict) -> list[str]:
    """Write all points, where each way ended, and why."""
    sizes = sorted({p["graphs"] for line in result["lines"] for p in line["points"]})
    rows = []
    for line in result["lines"]:
        points = {point["graphs"]: point for point in line["points"]}
        cells = [_cell(points.get(size)) for size in sizes]
        rows.append([line["label"], *cells])
    ends = [
        f"- {line['label']}: ended before {line['stopped']['graphs']:,}, "
        f"{line['stopped']['because']}."
        for line in result["lines"]
        if line["stopped"]
    ]
    return [
        picture(),
        wrapped(
            "Made-up molecules of some 25 atoms, labels of depth 5, degrees, three levels, all "
            "threads; seconds of a clock, and MB by which a process grew at its peak."
        ),
        markdown(["graphs", *(f"{size:,}" for size in sizes)], rows),
        "\n".join(wrapped(end, "  ") for end in ends),
    ]


def _cell(point: dict | None) -> str:
    return NONE if point is None else f"{seconds(point)} s, {megabytes(point)} MB"
