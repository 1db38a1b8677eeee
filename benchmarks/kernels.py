"""Time and memory of Gram matrices beside those of GraKeL and POT.

Run with ``./run bench kernels``; writes ``benchmarks/results/kernels.json``, from which
``./run bench table`` makes the table of the README. Every measurement has a process of its own;
those of one case take turns, so that all of them have the same machine.
"""

import tempfile
from collections.abc import Sequence
from functools import partial

from grafik import Filtration

from . import inputs
from .machine import load, write_result
from .measure import n_repeats, shown, summary, tell
from .worker import Worker, compare

LEVELS = {
    "MUTAG": 3,
    "PTC_MR": 3,
    "DHFR": 3,
    "NCI1": 3,
    "IMDB-BINARY": 10,
    "EGO-1": 10,
    "REDDIT-BINARY": 10,
}
PATHS = ("MUTAG", "PTC_MR", "DHFR", "ENZYMES")
TRANSPORT = ("MUTAG", "PTC_MR")
# Data, our baseline, its options, the peer, and whether once is enough because that takes long.
BASELINES = (
    ("MUTAG", "VEHist", {}, "grakel_histogram", False),
    ("MUTAG", "GraphletSampling", {"size": 5, "n_samples": 200}, "grakel_graphlets", False),
    ("DHFR", "ShortestPath", {}, "grakel_paths", False),
    ("NCI1:1000", "WLOptimalAssignment", {"depth": 5}, "grakel_assignment", True),
    ("NCI1", "CoreWL", {"depth": 5}, "grakel_cores", True),
    ("MUTAG", "WassersteinWL", {"depth": 5}, "pot_wwl", False),
    ("MUTAG", "WassersteinWL", {"depth": 5, "solver": "emd"}, "pot_wwl", False),
    ("PTC_MR", "WassersteinWL", {"depth": 5, "solver": "emd"}, "pot_wwl", True),
)
PEERS = {
    "grakel_histogram": "GraKeL VertexHistogram",
    "grakel_graphlets": "GraKeL GraphletSampling",
    "grakel_paths": "GraKeL ShortestPath",
    "grakel_assignment": "GraKeL WL-OA",
    "grakel_cores": "GraKeL CoreFramework",
    "pot_wwl": "loop over POT's emd2",
}
GRID = ("DHFR", "NCI1")
DISTINCT = ("REDDIT-BINARY",)
JIT = ("MUTAG",)
# Seconds after which a run is given up.
LIMIT = 300.0
DATA = tuple(dict.fromkeys([*LEVELS, *PATHS]))


def ours(name: str, **options: object) -> dict:
    """Return the task of our kernel with Weisfeiler-Lehman labels of depth 5, degree weights."""
    return {"call": "ours.gram", "data": name, "options": options}


def peer(call: str, name: str) -> dict:
    """Return the task of another kernel."""
    return {"call": f"peers.{call}", "data": name}


def weisfeiler_lehman(name: str, repeats: int | None, limit: float) -> dict:
    """Compare our kernel, with as many threads as there are and fewer, with GraKeL's WL kernel."""
    n_levels = LEVELS[name]
    tasks = {
        "ours": ours(name, n_levels=n_levels),
        "one_thread": ours(name, n_levels=n_levels, n_jobs=1),
        "two_threads": ours(name, n_levels=n_levels, n_jobs=2),
        "peer": peer("grakel_wl", name),
    }
    found = compare(tasks, repeats, limit, f"{name}, {n_levels} levels")
    return {
        "levels": n_levels,
        **found,
        "times_faster": ratio(found["peer"], found["ours"]),
        "two_threads_times_faster": ratio(found["one_thread"], found["two_threads"]),
    }


def shortest_paths(name: str, repeats: int | None, limit: float) -> dict:
    """Compare our shortest-path kernel with GraKeL's."""
    tasks = {
        "ours": {"call": "ours.paths", "data": name},
        "peer": peer("grakel_paths", name),
    }
    found = compare(tasks, repeats, limit, f"{name}, shortest paths")
    return {**found, "times_faster": ratio(found["peer"], found["ours"])}


def transport(name: str, repeats: int | None, limit: float) -> dict:
    """Compare our kernel with optimal transport between all pairs of graphs."""
    n_levels = LEVELS[name]
    tasks = {"ours": ours(name, n_levels=n_levels), "peer": peer("pot_wwl", name)}
    found = compare(tasks, repeats, limit, f"{name}, optimal transport")
    return {"levels": n_levels, **found, "times_faster": ratio(found["peer"], found["ours"])}


def baselines(name: str, repeats: int | None, limit: float, *case: object) -> dict:
    """Compare one of our baselines with its peer."""
    kernel, options, call, few = case
    task = {"call": "ours.baseline", "data": name, "options": {"name": kernel, **options}}
    tasks = {"ours": task, "peer": peer(call, name)}
    found = compare(tasks, repeats or (1 if few else None), limit, f"{name}, {kernel}")
    names = {"kernel": kernel, "peer_name": PEERS[call]}
    return {**names, **found, "times_faster": ratio(found["peer"], found["ours"])}


def grid(name: str, repeats: int | None, limit: float) -> dict:
    """Compare 55 of our Gram matrices, depth 1 to 5 and 11 gammas, with one of GraKeL."""
    tasks = {
        "ours": {"call": "ours.grid", "data": name, "options": {"n_levels": LEVELS[name]}},
        "peer": peer("grakel_wl", name),
    }
    found = compare(tasks, repeats, limit, f"{name}, grid of 55")
    ratios = {"times_faster": ratio(found["peer"], found["ours"])}
    return {"levels": LEVELS[name], "matrices": 55, **found, **ratios}


def distinct(name: str, repeats: int | None, limit: float) -> dict:
    """Compare as many levels as there are distinct weights with few levels."""
    every = Filtration("degree", thresholds="distinct").fit(inputs.read(name)).n_levels_
    tasks = {
        "all_levels": ours(name, thresholds="distinct"),
        "few_levels": ours(name, n_levels=LEVELS[name]),
    }
    found = compare(tasks, repeats, limit, f"{name}, {every} levels")
    slower = ratio(found["all_levels"], found["few_levels"])
    return {"levels": every, "few": LEVELS[name], **found, "times_slower": slower}


def jit(name: str, repeats: int | None, limit: float) -> dict:
    """Time new processes without and with compiled loops on disk: all of it, and its first call."""
    task = {**ours(name, n_levels=LEVELS[name]), "warm": False}
    with tempfile.TemporaryDirectory() as cache:
        starts = {"cold": [_new_process(task, limit, cache)]}
        n_starts = n_repeats(10.0, repeats)  # a process that starts takes seconds
        starts["warm"] = [_new_process(task, limit, cache) for _ in range(n_starts)]
    found = {kind: summary(runs) for kind, runs in starts.items()}
    for kind, runs in starts.items():
        found[kind]["process_seconds"] = min(run["process_seconds"] for run in runs)
        tell(f"{name}, {kind} start: {shown(found[kind])}")
    return {"levels": LEVELS[name], **found}


def _new_process(task: dict, limit: float, cache: str) -> dict:
    with Worker(task, limit, env={"NUMBA_CACHE_DIR": cache}) as worker:
        return {**worker.run(), "process_seconds": worker.age()}


SECTIONS = {
    "weisfeiler_lehman": (weisfeiler_lehman, tuple(LEVELS)),
    "shortest_paths": (shortest_paths, PATHS),
    "transport": (transport, TRANSPORT),
    "baselines": (baselines, BASELINES),
    "grid": (grid, GRID),
    "distinct": (distinct, DISTINCT),
    "jit": (jit, JIT),
}


def ratio(slow: dict, quick: dict) -> float | None:
    """Return how many times longer one took than the other; None if one of them failed."""
    if "seconds" not in slow or "seconds" not in quick:
        return None
    return slow["seconds"] / quick["seconds"]


def main(
    only: Sequence[str] = (),
    sections: Sequence[str] = (),
    repeats: int | None = None,
    limit: float = LIMIT,
    to: str = "kernels",
) -> None:
    """Measure, and write the result file.

    Parameters
    ----------
    only, sections : sequence of str
        Data sets and sections; by default all.
    repeats : int, optional
        How often each is run; by default it depends on how long it takes.
    limit : float
        Seconds after which one run is given up.
    to : str
        Name of the result file.
    """
    restricted = bool(only or sections or repeats)
    result: dict = {"complete": not restricted, "limit_seconds": limit, "load": load()}
    for section, (measure, cases) in SECTIONS.items():
        if sections and section not in sections:
            continue
        result[section] = [
            one(partial(measure, name, repeats, limit, *case), name)
            for name, *case in (case if isinstance(case, tuple) else (case,) for case in cases)
            if not only or name.split(":")[0] in only
        ]
    tell(f"written to {write_result(to, result)}")


def one(measure: partial, name: str) -> dict:
    """Measure one row of a section; a data set that is not there is a row, too."""
    lacking = inputs.missing(name)
    if lacking:
        tell(f"{name}: missing, {lacking}")
        return {"data": name, "levels": LEVELS.get(name), "missing": lacking}
    return {"data": name, "graphs": len(inputs.read(name)), **measure()}
