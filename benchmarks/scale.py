"""More and more graphs, in several ways, each to the point where it stops being sensible.

Run with ``./run bench scale``; writes ``benchmarks/results/scale.json``, from which ``./run bench
table`` makes ``docs/scale.png`` and the advice of ``docs/large.md``. Made-up
molecules; every point has a process of its own, with all processors. Before a point is measured,
its time and memory are foreseen from the points before; if that is more than the limits, the line
ends, and the result says why.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from grafik.system.memory import available

from .machine import load, write_result
from .measure import shown, tell
from .worker import Worker

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
# Seconds of one point, and which part of the free memory it may take.
LIMIT, SHARE = 120.0, 0.6
# Without earlier points, time and memory are taken to grow as a Gram matrix does.
_SQUARE = 2.0


class Way(NamedTuple):
    """One way to deal with many graphs: its name in tables, whether it needs classes, its bytes.

    `disk` is how many bytes of disk a pair of graphs takes.
    """

    label: str
    classes: bool = False
    disk: int = 0


WAYS = {
    "gram": Way("Gram matrix in memory"),
    "machine": Way("Gram matrix, kernel machine", classes=True),
    "disk": Way("Gram matrix on disk", disk=8),
    "exact": Way("exact vectors, linear machine", classes=True),
    "hashed": Way("hashed vectors, linear machine", classes=True),
    "index": Way("index: build"),
    "query": Way("index: 100 searches"),
    "grakel": Way("GraKeL WL, Gram matrix"),
}
# The largest Gram matrix that is written to disk.
DISK_LIMIT = 25e9


def foreseen(sizes: Sequence[float], values: Sequence[float], size: float) -> float | None:
    """Return what the next value will be, if it goes on to grow as it did; None if unknown.

    Growth is taken to be at least linear: the first points hold what every call costs anyway.
    """
    if not sizes or not values[-1]:
        return None
    power = _SQUARE
    if len(sizes) > 1 and values[-2]:
        power = np.log(values[-1] / values[-2]) / np.log(sizes[-1] / sizes[-2])
    return float(values[-1] * (size / sizes[-1]) ** max(1.0, power))


class Limits(NamedTuple):
    """What one point may take; no memory limit where the system does not say what is free."""

    seconds: float
    memory: float | None


def reason_to_stop(points: Sequence[dict], size: int, limits: Limits, disk: int) -> str:
    """Say why a line should end before a size; nothing if it should not."""
    sizes = [point["graphs"] for point in points]
    seconds = foreseen(sizes, [point["seconds"] for point in points], size)
    growth = foreseen(sizes, [point["peak_growth_bytes"] or 0 for point in points], size)
    if seconds is not None and seconds > limits.seconds:
        return f"about {seconds:.0f} s foreseen, the limit is {limits.seconds:g} s"
    if growth is not None and limits.memory is not None and growth > limits.memory:
        return f"about {growth / 1e9:.1f} GB foreseen, the limit is {limits.memory / 1e9:.1f} GB"
    if disk * size**2 > DISK_LIMIT:
        return f"{disk * size**2 / 1e9:.0f} GB of disk, the limit is {DISK_LIMIT / 1e9:g} GB"
    return ""


def measure_line(name: str, limits: Limits) -> dict:
    """Measure one way with more and more graphs, until it takes too much."""
    way, points, stopped = WAYS[name], [], None
    for size in SIZES:
        because = reason_to_stop(points, size, limits, way.disk)
        if not because:
            task = {"call": f"many.{name}", "data": f"molecules:{size}", "classes": way.classes}
            task["sample"] = 200  # with few graphs, not all loops are used
            with Worker(task, 4 * limits.seconds) as worker:
                run = worker.run()
            if "seconds" in run:
                points.append({"graphs": size, **run})
                tell(f"{way.label}, {size}: {shown({**run, 'runs': 1})}")
                continue
            because = shown(run)
        stopped = {"graphs": size, "because": because}
        tell(f"{way.label}: stopped before {size}: {because}")
        break
    return {"name": name, "label": way.label, "points": points, "stopped": stopped}


def main(only: Sequence[str] = (), limit: float = LIMIT, to: str = "scale") -> None:
    """Measure the ways, by default all, and write the result file.

    `limit` are the seconds that a point may take.
    """
    free = available()
    limits = Limits(limit, None if free is None else SHARE * free)
    result: dict = {"complete": not only and limit == LIMIT, "load": load()}
    result |= {"limit_seconds": limit, "limit_bytes": limits.memory}
    result["limit_disk_bytes"] = DISK_LIMIT
    result["lines"] = [measure_line(name, limits) for name in WAYS if not only or name in only]
    tell(f"written to {write_result(to, result)}")
