"""What a new user waits for: compilation in the first process, imports in all others.

Run with ``./run bench start``; writes ``benchmarks/results/start.json``. The earlier state and the
present one take turns, each time in a new process; the least counts.
"""

import json
import os
import subprocess
import sys
import time

from . import ROOT, earlier, inputs
from .machine import load, write_result
from .measure import tell

DATA = "MUTAG"
COLD_REPEATS, WARM_REPEATS = 3, 7
# The numbers that are kept of a process, by the part of it that they belong to.
_CLOCKS = ("seconds", "processor_seconds")


def main(repeats: int | None = None, to: str = "start") -> None:
    """Measure, and write the result file."""
    result: dict = {"complete": not repeats, "load": load(), "revision": earlier.REVISION}
    lacking = inputs.missing(DATA)
    if lacking:
        raise FileNotFoundError(lacking)
    with earlier.states() as states:
        cold: dict[str, list[dict]] = {state: [] for state in states}
        for _ in range(repeats or COLD_REPEATS):
            for state, environment in states.items():
                with earlier.uncompiled(environment) as empty:
                    cold[state].append(new_process("cold", empty))
                tell(f"{state}, first process: {cold[state][-1]}")
        for state, runs in cold.items():
            check_source(state, runs[0]["grafik"], states[state]["PYTHONPATH"])
        warm: dict[str, list[dict]] = {"imports": [], **{state: [] for state in states}}
        new_process("imports", states["now"])  # compiles
        for environment in states.values():
            new_process("warm", environment)  # compiles
        for _ in range(repeats or WARM_REPEATS):
            warm["imports"].append(new_process("imports", states["now"]))
            for state, environment in states.items():
                warm[state].append(new_process("warm", environment))
    result["data"] = DATA
    result["cold"] = {
        state: {part: least([run[part] for run in runs]) for part in ("gram", "fit", "fit_again")}
        for state, runs in cold.items()
    }
    result["warm"] = {name: least(runs) for name, runs in warm.items()}
    for more in ("with_function", "with_machines"):
        result["warm"][f"imports_{more}"] = least([run[more] for run in warm["imports"]])
    tell(f"warm: {result['warm']}")
    tell(f"written to {write_result(to, result)}")


def new_process(kind: str, environment: earlier.Environment) -> dict:
    """Start a process, and return what it says, and the seconds from its start to its end."""
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.first", kind, DATA],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        check=True,
    )
    return {"seconds": time.perf_counter() - start, **json.loads(run.stdout)}


def check_source(state: str, imported: str, source: str) -> None:
    """Make sure that a process measured the files that it should."""
    if not os.path.realpath(imported).startswith(os.path.realpath(source) + os.sep):
        raise RuntimeError(f"{state}: grafik was imported from {imported}, not from {source}")


def least(runs: list[dict]) -> dict:
    """Return the least of each number; functions are those of the last run."""
    numbers = {clock: min(run[clock] for run in runs) for clock in _CLOCKS if clock in runs[0]}
    functions = {"functions": runs[-1]["functions"]} if "functions" in runs[-1] else {}
    return {**numbers, **functions, "runs": len(runs)}
