"""The test of isomorphism beside counting the labels of the two graphs, and beside the kernel.

Run with ``./run bench pairs``; writes ``benchmarks/results/pairs.json``. All three begin with the
two graphs. Two regular graphs that differ, and one with a copy, where every depth is compared.
"""

from collections.abc import Callable
from functools import partial

import networkx as nx
import numpy as np

from grafik import Filtration, FiltrationKernel, Graphs, isomorphism_test
from grafik.features import WeisfeilerLehman

from .machine import load, write_result
from .measure import in_turns, measured, tell

N_NODES, DEGREE, DEPTH = 50, 20, 3
WEIGHTS = ("canonical", "walks", "degree")


def pairs() -> dict[str, tuple[Graphs, Graphs]]:
    """Make two graphs that differ, and two that do not."""
    one, other = (
        Graphs.from_networkx([nx.random_regular_graph(DEGREE, N_NODES, seed=seed)])
        for seed in (1, 2)
    )
    order = np.random.default_rng(0).permutation(N_NODES)
    copy = Graphs.from_edge_lists([order[one.edges]], [N_NODES])
    return {"different": (one, other), "copy": (one, copy)}


def calls(one: Graphs, other: Graphs, weight: str) -> dict[str, Callable[[], object]]:
    """Return what is timed, each called once already."""
    features = WeisfeilerLehman(DEPTH)

    def histograms() -> object:
        both, filtration = Graphs.concat([one, other]), Filtration(weight, "distinct")
        return features.histograms(both, filtration, levels=filtration.fit_levels(both))

    def kernel() -> object:
        both = Graphs.concat([one, other])
        return FiltrationKernel(features, weight=weight, thresholds="distinct").fit_transform(both)

    test = partial(isomorphism_test, one, other, weight, DEPTH)
    found = {"test": test, "histograms": histograms, "kernel": kernel}
    for call in found.values():
        call()
    return found


def main(repeats: int | None = None, to: str = "pairs") -> None:
    """Measure all pairs and weights, and write the result file."""
    rows = []
    for name, (one, other) in pairs().items():
        for weight in WEIGHTS:
            runs = {key: partial(measured, call) for key, call in calls(one, other, weight).items()}
            found = in_turns(runs, repeats)
            ms = {key: 1e3 * float(found[key]["seconds"]) for key in runs}
            ratio = ms["test"] / ms["histograms"]
            told = ", ".join(f"{key} {value:.2f} ms" for key, value in ms.items())
            tell(f"{name}, {weight}: {told}; test / histograms {ratio:.2f}")
            rows.append({"pair": name, "weight": weight, "ratio": ratio, **found})
    sizes = {"n_nodes": N_NODES, "degree": DEGREE, "depth": DEPTH}
    result = {"complete": not repeats, "load": load(), **sizes, "rows": rows}
    tell(f"written to {write_result(to, result)}")
