"""Timing: one call with its peak memory, several in turns, and what is kept of them."""

import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping

from rich.console import Console

from .peak import forget_peak, growth_since

# A run is repeated until this many seconds are used, within the bounds.
_BUDGET, _LEAST, _MOST = 5.0, 3, 25

# What takes less than this many seconds is called several times in a turn.
_QUICK = 3.0

# Without a spinner, whose thread would run beside what is measured.
_CONSOLE = Console(stderr=True, soft_wrap=True, highlight=False)

Run = dict[str, object]


def tell(text: str) -> None:
    """Write a line of progress."""
    _CONSOLE.print(time.strftime("%H:%M:%S"), text, markup=False)


def measured(call: Callable[[], object]) -> Run:
    """Call; return the seconds, those of processors, and by how much memory grew at the peak.

    What is quick is called three times and the least time counts: after its turn has come, the
    first time also fills the caches of the processor. A dictionary that the call returns is kept.
    """
    gc.collect()
    before = forget_peak()
    *times, found = _timed(call)
    growth = growth_since(before)
    for _ in range(2 if times[0] < _QUICK else 0):
        times = [min(pair) for pair in zip(times, _timed(call)[:2], strict=True)]
    run: Run = dict(zip(("seconds", "processor_seconds"), times, strict=True))
    kept = {"found": found} if isinstance(found, dict) else {}
    return {**run, "peak_growth_bytes": growth, **kept}


def _timed(call: Callable[[], object]) -> tuple[float, float, object]:
    start, used = time.perf_counter(), processor_seconds()
    found = call()
    return time.perf_counter() - start, processor_seconds() - used, found


def processor_seconds() -> float:
    """Return what all threads of this process and its ended children have used of processors."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def n_repeats(seconds: float, wanted: int | None = None) -> int:
    """Return how often to run what takes this long: the quicker, the more often."""
    return wanted or max(_LEAST, min(_MOST, int(_BUDGET / max(seconds, 1e-9))))


def in_turns(
    runs: Mapping[str, Callable[[], Run]], repeats: int | None = None
) -> dict[str, dict[str, object]]:
    """Run several things in turns, so that what disturbs one disturbs the others too.

    Parameters
    ----------
    runs : mapping of callables
        Each returns a dictionary with its seconds, or one without that says why there are none;
        what fails is not run again.
    repeats : int, optional
        How often each is run; by default it depends on the time that its first run takes.

    Returns
    -------
    dict
        The summary of each, see :func:`summary`.
    """
    done = {name: [run()] for name, run in runs.items()}
    left = {
        name: n_repeats(first["seconds"], repeats) - 1 if "seconds" in first else 0
        for name, (first,) in done.items()
    }
    turns = min((n for n in left.values() if n), default=0)
    for turn in range(turns):
        for name, run in runs.items():
            # The quick ones run more often than once in every turn.
            for _ in range(left[name] * turn // turns, left[name] * (turn + 1) // turns):
                if "seconds" in done[name][-1]:
                    done[name].append(run())
    return {name: summary(found) for name, found in done.items()}


def summary(runs: list[Run]) -> dict[str, object]:
    """Return the least time, and the growth of the first run, before which nothing was left over.

    If a run failed, the summary is what it said.
    """
    if "seconds" not in runs[-1]:
        return runs[-1]
    seconds = [run["seconds"] for run in runs]
    used = [run["processor_seconds"] for run in runs if "processor_seconds" in run]
    return {
        "seconds": min(seconds),
        "median_seconds": statistics.median(seconds),
        "runs": len(runs),
        "peak_growth_bytes": runs[0].get("peak_growth_bytes"),
        **({"processor_seconds": min(used)} if used else {}),
        **({"found": runs[-1]["found"]} if "found" in runs[-1] else {}),
    }


def shown(result: Mapping[str, object]) -> str:
    """Write a summary in a few words."""
    if "crashed" in result:
        return f"crashed: {result['crashed']}"
    if "over_seconds" in result:
        return f"over {result['over_seconds']:g} s"
    growth = result.get("peak_growth_bytes")
    memory = "" if growth is None else f", +{growth / 1e6:.1f} MB"
    used = result.get("processor_seconds")
    processor = "" if used is None else f", {used:.4g} of processors"
    return f"{result['seconds']:.4g} s{processor} ({result['runs']} runs{memory})"
