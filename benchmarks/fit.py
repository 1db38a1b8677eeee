"""Choosing and fitting a model, beside an earlier state of grafik and a search with GraKeL.

Run with ``./run bench fit``; writes ``benchmarks/results/fit.json``.
"""

from collections.abc import Mapping, Sequence

from . import earlier, inputs
from .machine import load, write_result
from .measure import tell
from .worker import compare

# How often each is run; the least time counts. What takes minutes is run once.
REPEATS = {"MUTAG": 3, "PTC_MR": 3, "EGO-1": 2, "DHFR": 2, "IMDB-BINARY": 2, "NCI1": 1}
DATA = tuple(REPEATS)
# Models, and whether GraKeL's search is measured beside them.
MODELS = {"grid": True, "default": False}
LIMIT = 900.0


def measure(
    data: str, model: str, states: Mapping[str, earlier.Environment], repeats: int | None
) -> dict:
    """Fit a model in both states, and compare what it chose."""
    ours = {"call": f"models.{model}", "data": data, "classes": True, "sample": 40}
    tasks: dict = dict.fromkeys(states, ours)
    if MODELS[model]:
        tasks["peer"] = {**ours, "call": "models.grakel_search"}
    found = compare(tasks, repeats or REPEATS[data], LIMIT, f"{data}, {model}", states)
    return {
        "data": data,
        "model": model,
        **found,
        "times_faster": faster(found["before"], found["now"]),
        "same_choice": same(found["before"], found["now"], ("best_params", "best_score")),
    }


def faster(slow: dict, quick: dict) -> float | None:
    """Return how many times more seconds of processors one took; None if one of them failed."""
    if "processor_seconds" not in slow or "processor_seconds" not in quick:
        return None
    return slow["processor_seconds"] / quick["processor_seconds"]


def same(one: dict, other: dict, names: Sequence[str]) -> bool | None:
    """Whether both found the same; None if one of them failed."""
    if "found" not in one or "found" not in other:
        return None
    return all(one["found"].get(name) == other["found"].get(name) for name in names)


def main(only: Sequence[str] = (), repeats: int | None = None, to: str = "fit") -> None:
    """Measure all models on the data sets, by default all, and write the result file."""
    result: dict = {"complete": not (only or repeats), "load": load(), "limit_seconds": LIMIT}
    result |= {"revision": earlier.REVISION, "rows": []}
    with earlier.states() as states:
        for data in only or DATA:
            if lacking := inputs.missing(data):
                tell(f"{data}: left out, {lacking}")
                result["complete"] = False
                continue
            result["rows"] += [measure(data, model, states, repeats) for model in MODELS]
    tell(f"written to {write_result(to, result)}")
