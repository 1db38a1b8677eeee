"""How the time of a Gram matrix grows with graphs, vertices, edges, levels, depth and gammas.

Run with ``./run bench growth``; writes ``benchmarks/results/growth.json``, from which
``./run bench table`` makes the picture in ``docs/``. Random graphs whose edges have random weights,
and thresholds at quantiles, so that there really are as many levels as were asked for, and all of
them bring new edges. One thread.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from grafik.features import WeisfeilerLehman

from .inputs import sample, weighted_graphs
from .machine import load, write_result
from .measure import in_turns, measured, shown, tell
from .ours import gram, grid_of

BASE = {"n_graphs": 500, "n_nodes": 30, "n_edges": 60, "n_levels": 10, "depth": 5, "n_gammas": 1}
# The exponent is that of the last decade: before it, what every call costs anyway shows.
_DECADE = 10.0


class Line(NamedTuple):
    """One quantity that grows; what else differs from BASE is a function of it."""

    label: str
    values: Sequence[int]
    case: Callable[[int], dict[str, int]]


LINES = {
    "graphs": Line(
        "graphs", (100, 200, 400, 600, 1000, 1600, 2500, 4000), lambda n: {"n_graphs": n}
    ),
    "vertices": Line(
        "vertices per graph (mean degree 4)",
        (10, 20, 40, 60, 100, 160, 250, 400),
        lambda n: {"n_graphs": 200, "n_nodes": n, "n_edges": 2 * n},
    ),
    "edges": Line(
        "edges per graph (100 vertices)",
        (100, 180, 320, 560, 1000, 1800, 3200),
        lambda m: {"n_graphs": 200, "n_nodes": 100, "n_edges": m},
    ),
    "levels": Line("levels", (1, 2, 3, 5, 8, 12, 19, 30), lambda k: {"n_levels": k}),
    "depth": Line("depth", (1, 2, 3, 4, 6, 9, 13, 20), lambda d: {"depth": d}),
    "gammas": Line("gammas", (1, 2, 3, 5, 8, 12, 19, 30), lambda n: {"n_gammas": n}),
}


def call_of(case: dict[str, int]) -> Callable[[], object]:
    """Make the graphs of a case, warm up on some of them, and return the call to be timed."""
    graphs = weighted_graphs(case["n_graphs"], case["n_nodes"], case["n_edges"])
    options = {
        "weight": "attribute",
        "thresholds": "quantile",
        "n_levels": case["n_levels"],
        "n_jobs": 1,
    }
    if case["n_gammas"] == 1:
        make = partial(gram, depth=case["depth"], **options)
    else:
        gammas = np.logspace(-2, 2, case["n_gammas"], base=2.0).tolist()
        features = WeisfeilerLehman(case["depth"], edge_labels=False)
        make = partial(grid_of, depths=None, gammas=gammas, features=features, **options)
    make(sample(graphs))()
    return make(graphs)


def measure_line(name: str, repeats: int | None) -> dict:
    """Time all points of a line in turns, and fit its exponent."""
    line = LINES[name]
    cases = {value: {**BASE, **line.case(value)} for value in line.values}
    runs = {str(value): partial(measured, call_of(case)) for value, case in cases.items()}
    found = in_turns(runs, repeats)
    for value, result in found.items():
        tell(f"{line.label}, {value}: {shown({**result, 'peak_growth_bytes': None})}")
    seconds = [found[str(value)]["seconds"] for value in line.values]
    first = line.values[-1] / _DECADE
    fitted = [(x, y) for x, y in zip(line.values, seconds, strict=True) if x >= first]
    exponent, factor = power_law(*zip(*fitted, strict=True))
    tell(f"{line.label}: exponent {exponent:.2f} from {fitted[0][0]} to {line.values[-1]}")
    return {
        "name": name,
        "label": line.label,
        "values": list(line.values),
        "seconds": seconds,
        "runs": [found[str(value)]["runs"] for value in line.values],
        "exponent": exponent,
        "factor": factor,
        "fitted_from": fitted[0][0],
        "fitted_to": line.values[-1],
    }


def power_law(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    r"""Fit :math:`y = c\, x^p` by least squares of the logarithms; return `p` and `c`."""
    if len(x) < 2:
        raise ValueError(f"a power law needs at least two points, got {len(x)}")
    exponent, logarithm = np.polyfit(np.log(x), np.log(y), 1)
    return float(exponent), float(np.exp(logarithm))


def main(only: Sequence[str] = (), repeats: int | None = None, to: str = "growth") -> None:
    """Measure the lines, by default all, and write the result file."""
    result = {"complete": not (only or repeats), "load": load(), "base": BASE}
    lines = [measure_line(name, repeats) for name in LINES if not only or name in only]
    tell(f"written to {write_result(to, {**result, 'lines': lines})}")
