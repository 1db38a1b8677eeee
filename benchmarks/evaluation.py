"""Units of an evaluation by the paper's protocol, beside an earlier state of grafik.

Run with ``./run bench evaluation``; writes ``benchmarks/results/evaluation.json``. A unit is one
outer fold of one method: all parameters of its grid are tried inside the training part. Methods
that learn nothing from graphs are given all ten folds of a repeat, as these may share work.
"""

from collections.abc import Mapping, Sequence

from grafik.evaluation import METHODS

from . import earlier, inputs
from .fit import faster, same
from .machine import load, write_result
from .measure import tell
from .worker import compare

# How often each is run; the least time counts.
REPEATS = {"MUTAG": 2, "PTC_MR": 2, "EGO-1": 1, "DHFR": 1, "IMDB-BINARY": 1}
DATA = tuple(REPEATS)
LIMIT = 1200.0
FOLDS = 10


def measure(
    data: str, method: str, states: Mapping[str, earlier.Environment], repeats: int | None
) -> dict:
    """Compute one unit or ten in both states, and compare the results."""
    n_folds = 1 if METHODS[method].learns else FOLDS
    task = {"call": "models.units", "data": data, "classes": True, "sample": 60}
    task["options"] = {"method": method, "n_folds": n_folds}
    tasks = dict.fromkeys(states, task)
    found = compare(tasks, repeats or REPEATS[data], LIMIT, f"{data}, {method}", states)
    return {
        "data": data,
        "method": method,
        "n_folds": n_folds,
        **found,
        "times_faster": faster(found["before"], found["now"]),
        "same_result": same(found["before"], found["now"], ["results"]),
    }


def main(only: Sequence[str] = (), repeats: int | None = None, to: str = "evaluation") -> None:
    """Measure units of each method on the data sets, by default all, and write the result file."""
    result: dict = {"complete": not (only or repeats), "load": load(), "limit_seconds": LIMIT}
    result |= {"revision": earlier.REVISION, "rows": []}
    with earlier.states() as states:
        for data in only or DATA:
            if lacking := inputs.missing(data):
                tell(f"{data}: left out, {lacking}")
                result["complete"] = False
                continue
            result["rows"] += [measure(data, method, states, repeats) for method in METHODS]
    tell(f"written to {write_result(to, result)}")
