"""Units of an evaluation by the paper's protocol, beside an earlier state of grafik.

Run with ``./run bench evaluation``; writes ``benchmarks/results/evaluation.json``. A unit is one
outer fold of one method: all parameters of its grid are tried inside the training part.
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
# What an evaluation writes down of a unit besides the work that it was.
_RESULT = ("params", "inner_accuracy", "n_correct", "n_test")


def measure(
    data: str, method: str, states: Mapping[str, earlier.Environment], repeats: int | None
) -> dict:
    """Compute a unit in both states, and compare the results."""
    task = {"call": "models.unit", "data": data, "classes": True, "sample": 60}
    task["options"] = {"method": method}
    tasks = dict.fromkeys(states, task)
    found = compare(tasks, repeats or REPEATS[data], LIMIT, f"{data}, {method}", states)
    return {
        "data": data,
        "method": method,
        **found,
        "times_faster": faster(found["before"], found["now"]),
        "same_result": same(found["before"], found["now"], _RESULT),
    }


def main(only: Sequence[str] = (), repeats: int | None = None, to: str = "evaluation") -> None:
    """Measure a unit of each method on the data sets, by default all, and write the result file."""
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
