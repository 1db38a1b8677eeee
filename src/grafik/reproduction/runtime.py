"""The paper's runtimes: a Gram matrix of each kernel, and of FWL-D by number of levels."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sklearn.base import clone

from .. import datasets
from ..datasets.tu_files import find_tu
from ..evaluation import METHODS
from ..graphs.batch import Graphs
from ..system.progress import progress_bar
from ..system.versions import processor, versions
from .paper import DATA, SECONDS, SECONDS_BY_LEVELS
from .tables import markdown_table, missing_line, read_json, write_tables

NAME = "runtime"
_RUNS = 3
_MOST_LEVELS = 10
# The kernels of the paper's table, and the one that others are compared with on each machine.
_METHODS = ("gs", "sp", "wl", "wl-oa", "w-wl", "p-wl", "core-wl")
_YARDSTICK = "wl"
_STEPS = len(_METHODS) + _MOST_LEVELS
_RATIOS = ("paper", "times_wl", "paper_times_wl")


def run(
    out: Path,
    data: Path | None = None,
    only: Collection[str] = (),
    progress: bool | None = None,
) -> None:
    """Measure the data sets found, and write the table; rows of other data sets are kept."""
    places = {n: find_tu(n, data) for n in DATA if not only or n in only}
    there = {name: place for name, place in places.items() if place is not None}
    with progress_bar("measuring", len(there) * _STEPS, progress) as advance:
        for name, place in there.items():
            rows = _measure(name, datasets.read_tu(place)[0], advance)
            measured, before = _read(out)
            others = [row for row in before if row["data"] != name]
            _write(out, {**measured, name: _machine()}, others + rows)
    write(out)


def write(out: Path) -> None:
    """Write the table and the picture of all measurements."""
    _write(out, *_read(out))


def _measure(name: str, graphs: Graphs, advance: Callable[[int], Any]) -> list[dict[str, Any]]:
    rows = []
    for method in _METHODS:
        # Their default depth is 5, and the default size of graphlets too.
        rows.append(_row(name, method, None, _seconds(METHODS[method].kernel, graphs)))
        advance(1)
    for levels in range(1, _MOST_LEVELS + 1):
        kernel = clone(METHODS["fwl-d"].kernel).set_params(n_levels=levels)
        seconds = _seconds(kernel, graphs)
        if len(clone(kernel).fit(graphs).alphas_) == levels:
            rows.append(_row(name, "fwl-d", levels, seconds))
        advance(1)
    _add_ratios(rows)
    return rows


def _machine() -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "threads": 1,
        "versions": versions(),
    }


def _read(out: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return when and where each data set was measured, and all rows."""
    path = out / NAME / f"{NAME}.json"
    found = read_json(path) or {"measured": {}, "rows": []}
    if not {"measured", "rows"} <= set(found):
        raise ValueError(f"{path} has no runtimes of this version of grafik; move it away")
    return found["measured"], found["rows"]


def _write(out: Path, measured: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """Write the table of rows in the order of the paper, and the picture."""
    rows = sorted(rows, key=lambda row: DATA.index(row["data"]))
    about = {"measured": measured, "missing": [name for name in DATA if name not in measured]}
    write_tables(out / NAME, NAME, _markdown(rows, about), rows, about)
    if rows:
        from .pictures import draw_runtime

        draw_runtime(rows, out / NAME / f"{NAME}.png")


def _seconds(kernel: Any, graphs: Graphs) -> float:
    """Return the least time of a few runs, without compilation."""
    clone(kernel).fit_transform(graphs[:10])
    least = float("inf")
    for _ in range(_RUNS):
        # A batch keeps its neighbour lists once they are made, but making them is part of the work.
        fresh = Graphs.concat([graphs])
        start = time.perf_counter()
        clone(kernel).fit_transform(fresh)
        least = min(least, time.perf_counter() - start)
    return least


def _row(name: str, method: str, levels: int | None, seconds: float) -> dict[str, Any]:
    place = DATA.index(name)
    theirs: float | None = SECONDS[method][place] if levels is None else None
    if levels is not None and levels <= len(SECONDS_BY_LEVELS[name]):
        theirs = SECONDS_BY_LEVELS[name][levels - 1]
    return {
        "data": name,
        "method": method,
        "title": METHODS[method].title,
        "levels": levels,
        "seconds": float(f"{seconds:.3g}"),
        "paper": theirs,
    }


def _add_ratios(rows: list[dict[str, Any]]) -> None:
    """Add to each row of a data set its time divided by that of WL, here and in the paper."""
    wl = next(row for row in rows if row["method"] == _YARDSTICK)
    for row in rows:
        row["times_wl"] = float(f"{row['seconds'] / wl['seconds']:.3g}")
        theirs = row["paper"]
        row["paper_times_wl"] = None if theirs is None else float(f"{theirs / wl['paper']:.3g}")


def _name(row: dict[str, Any]) -> str:
    levels = "" if row["levels"] is None else f", k = {row['levels']}"
    return f"{row['title']}{levels}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _markdown(rows: list[dict[str, Any]], about: dict[str, Any]) -> str:
    parts = []
    for name in dict.fromkeys(row["data"] for row in rows):
        cells = [
            [_name(row), f"{row['seconds']:g}", *(_number(row[key]) for key in _RATIOS)]
            for row in rows
            if row["data"] == name
        ]
        header = ["kernel", "seconds", "the paper's", "times WL", "the paper's"]
        where = "{processor}, {date}".format_map(about["measured"][name])
        parts.append(f"### {name}\n\n{markdown_table(header, cells)}\n\nMeasured on {where}.")
    parts.append(
        f"Gram matrices at depth 5 (graphlets of size 5), k levels, one thread, least of {_RUNS} "
        "runs. The paper's machine was an AMD 3900X, its kernels those of GraKeL or of their "
        "authors. Seconds on two machines cannot be compared, only how they relate to those of WL "
        "on the same machine."
    )
    parts += missing_line(about["missing"])
    return "\n\n".join(parts) + "\n"
