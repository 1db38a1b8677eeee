"""Time and memory of building batches: a million graphs from arrays, 100,000 from networkx.

Run with ``./run bench graphs``; writes ``benchmarks/results/graphs.json``.
"""

import gc
import subprocess
import sys
import time

import networkx as nx
import numpy as np

from grafik import Graphs, datasets

from . import ROOT
from .machine import write_result
from .peak import forget_peak, growth_since

N_NODES, N_EDGES = 25, 27


def arrays(n_graphs: int, shuffled: bool) -> dict:
    """Make graphs of 25 vertices and 27 edges, one after the other."""
    rng = np.random.default_rng(0)
    kinds = [rng.choice(N_NODES * (N_NODES - 1) // 2, N_EDGES, replace=False) for _ in range(1000)]
    u, v = np.triu_indices(N_NODES, 1)
    lists = [np.column_stack([u[np.sort(k)], v[np.sort(k)]]) for k in kinds]
    if shuffled:
        lists = [rng.permuted(rng.permutation(pairs), axis=1) for pairs in lists]
    return {
        "node_ptr": np.arange(n_graphs + 1) * N_NODES,
        "edge_ptr": np.arange(n_graphs + 1) * N_EDGES,
        "edges": np.tile(np.concatenate(lists).astype(np.int32), (n_graphs // 1000, 1)),
        "node_labels": np.tile(rng.integers(9, size=1000 * N_NODES), n_graphs // 1000),
        "edge_labels": np.tile(rng.integers(4, size=1000 * N_EDGES), n_graphs // 1000),
        "edge_attributes": np.tile(rng.random(1000 * N_EDGES), n_graphs // 1000),
    }


def build(shuffled: bool) -> None:
    """Build a million graphs in this process; print seconds, bytes of arrays and peak growth."""
    Graphs(**arrays(1000, shuffled))
    given = arrays(1_000_000, shuffled)
    gc.collect()
    before = forget_peak()
    start = time.perf_counter()
    graphs = Graphs(**given)
    seconds = time.perf_counter() - start
    growth = growth_since(before)
    own = graphs.node_ptr.nbytes + graphs.edge_ptr.nbytes + graphs.edges.nbytes
    own += graphs.node_labels.codes.nbytes + graphs.edge_labels.codes.nbytes
    print(seconds, own + graphs.edge_attributes.nbytes, growth)


def from_networkx(n_graphs: int = 100_000) -> dict:
    """Time the conversion beside a bare iteration over the same graphs; least of three."""
    batch, _ = datasets.random_graphs(n_graphs, n_nodes=25, density=0.09, n_labels=9)
    graphs = batch.to_networkx()
    for graph in graphs:
        nx.set_edge_attributes(graph, 1.5, "weight")
    bare, plain, weighted = [], [], []
    for _ in range(3):
        start = time.perf_counter()
        for graph in graphs:
            for _ in graph.nodes(data=True):
                pass
            for _ in graph.edges(data=True):
                pass
        bare.append(time.perf_counter() - start)
        start = time.perf_counter()
        found = Graphs.from_networkx(graphs, edge_attribute=None)
        plain.append(time.perf_counter() - start)
        assert found == batch
        start = time.perf_counter()
        Graphs.from_networkx(graphs)
        weighted.append(time.perf_counter() - start)
    return {
        "n_graphs": n_graphs,
        "iterate_seconds": min(bare),
        "convert_seconds": min(plain),
        "convert_with_edge_attribute_seconds": min(weighted),
        "ratio": min(plain) / min(bare),
        "ratio_with_edge_attribute": min(weighted) / min(bare),
    }


def main() -> None:
    """Measure all of it, the memory in a process of its own, and write the result file."""
    result: dict = {"from_networkx": from_networkx()}
    for name, shuffled in (("from_sorted_arrays", False), ("from_shuffled_arrays", True)):
        code = f"from benchmarks import graphs; graphs.build({shuffled})"
        runs = [
            subprocess.run(
                [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True
            ).stdout.split()
            for _ in range(3)
        ]
        seconds, size, growth = min(tuple(map(float, run)) for run in runs)
        result[name] = {
            "n_graphs": 1_000_000,
            "seconds": seconds,
            "bytes_of_arrays": size,
            "peak_growth_bytes": growth,
            "ratio": growth / size,
        }
    print(write_result("graphs", result).read_text())


if __name__ == "__main__":
    main()
