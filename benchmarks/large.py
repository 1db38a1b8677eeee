"""Large graphs: many like those of DD, one of up to a million vertices, and what takes longest.

Run with ``./run bench large``; writes ``benchmarks/results/large.json``. An earlier state of
grafik and the present one are measured in the same run.
"""

from collections.abc import Callable, Mapping, Sequence

from . import earlier, inputs
from .fit import faster, same
from .growth import power_law
from .machine import load, write_result
from .measure import tell
from .worker import compare

LIMIT, BEFORE_LIMIT = 600.0, 60.0
PROTEINS, PROTEIN_LEVELS = "proteins", 10
# Vertices of one graph; it has three times as many edges.
VERTICES, NETWORK_LEVELS = (10_000, 100_000, 1_000_000), 10
# Data, the call, its options, and a title.
SLOW = (
    ("REDDIT-BINARY", "stages.weight", {"name": "betweenness"}, "weight betweenness"),
    ("REDDIT-BINARY", "stages.weight", {"name": "canonical"}, "weight canonical"),
    ("EGO-2", "stages.counts", {"name": "Graphlets", "size": 4}, "Graphlets(4)"),
    (
        "IMDB-BINARY",
        "stages.counts",
        {"name": "CyclicPatterns", "max_length": 5},
        "CyclicPatterns(5)",
    ),
)

States = Mapping[str, earlier.Environment]


def proteins(states: States, repeats: int | None) -> dict:
    """Compare Gram matrices of graphs like those of DD, on all threads and by stage on one."""
    options = {"n_levels": PROTEIN_LEVELS}
    task = {"call": "stages.gram", "data": PROTEINS, "options": options}
    tasks: dict = dict.fromkeys(states, task)
    tasks["peer"] = {"call": "peers.grakel_wl", "data": PROTEINS}
    found = compare(tasks, repeats or 3, LIMIT, "proteins", states)
    staged = {**task, "call": "stages.by_stage", "options": {**options, "rounds": repeats or 5}}
    stages = compare(dict.fromkeys(states, staged), 1, LIMIT, "proteins, by stage", states)
    sizes = inputs.read(PROTEINS).n_nodes
    about = {"graphs": len(sizes), "vertices": float(sizes.mean()), "most": int(sizes.max())}
    return {"levels": PROTEIN_LEVELS, **about, **found, "by_stage": stages}


def network(states: States, repeats: int | None, vertices: Sequence[int] = VERTICES) -> dict:
    """Compare the time and memory of one graph that grows, and find its exponent."""
    # There is no other graph in the batch to warm up on.
    task = {"call": "stages.gram", "options": {"n_levels": NETWORK_LEVELS}, "warm": False}
    small = {**task, "data": "network:1000"}
    compare(dict.fromkeys(states, small), 1, LIMIT, "one small graph, compiles", states)
    rows = []
    for n in vertices:
        one = {**task, "data": f"network:{n}"}
        tasks = dict.fromkeys(states, one)
        found = compare(tasks, repeats or 2, LIMIT, f"one graph, {n} vertices", states)
        rows.append({"vertices": n, "edges": 3 * n, **found})
    staged = {**task, "data": f"network:{vertices[-1]}", "call": "stages.by_stage"}
    stages = compare(dict.fromkeys(states, staged), 1, LIMIT, "one graph, by stage", states)
    exponents = {}
    for state in states:
        done = [(r["vertices"], r[state]["processor_seconds"]) for r in rows if _timed(r[state])]
        if len(done) > 1:
            exponents[state] = power_law(*zip(*done, strict=True))[0]
    return {"levels": NETWORK_LEVELS, "rows": rows, "exponents": exponents, "by_stage": stages}


def _timed(result: dict) -> bool:
    return "processor_seconds" in result


def slow(states: States, repeats: int | None, cases: Sequence[tuple] = SLOW) -> list[dict]:
    """Compare what took longest; the earlier state is given up after some minutes."""
    rows = []
    for data, call, options, title in cases:
        if lacking := inputs.missing(data):
            tell(f"{data}: left out, {lacking}")
            rows.append({"data": data, "title": title, "missing": lacking})
            continue
        task = {"call": call, "data": data, "options": options, "sample": 4}
        found = {
            state: compare({state: task}, repeats or 1, limit, f"{data}, {title}", states)[state]
            for state, limit in (("before", BEFORE_LIMIT), ("now", LIMIT))
        }
        rows.append({"data": data, "title": title, **found})
        rows[-1]["times_faster"] = faster(found["before"], found["now"])
        rows[-1]["same_result"] = same(found["before"], found["now"], ("digest",))
    return rows


SECTIONS: dict[str, Callable] = {"proteins": proteins, "network": network, "slow": slow}


def main(only: Sequence[str] = (), repeats: int | None = None, to: str = "large") -> None:
    """Measure the sections, by default all, and write the result file."""
    result: dict = {"complete": not (only or repeats), "load": load(), "limit_seconds": LIMIT}
    result |= {"before_limit_seconds": BEFORE_LIMIT, "revision": earlier.REVISION}
    with earlier.states() as states:
        for name, measure in SECTIONS.items():
            if not only or name in only:
                result[name] = measure(states, repeats)
    tell(f"written to {write_result(to, result)}")
