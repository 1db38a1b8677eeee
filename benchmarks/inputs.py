"""The graphs that are measured: TU data sets, and random graphs with random edge weights."""

import os
from pathlib import Path

import numpy as np

from grafik import Graphs, datasets

_BESIDE = Path(__file__).parents[2] / "shared" / "data"


def folder() -> Path:
    """Return the folder of TU data sets: GRAFIK_DATA, or ../shared/data beside the repository."""
    return Path(os.environ.get("GRAFIK_DATA", _BESIDE))


def missing(name: str) -> str | None:
    """Say why a data set cannot be measured; None if it can."""
    name = name.split(":")[0]
    if (folder() / name).is_dir():
        return None
    return f"no folder {name} in GRAFIK_DATA"


def read(name: str) -> Graphs:
    """Read one TU data set; of ``"NCI1:1000"`` only the first 1000 graphs."""
    name, _, size = name.partition(":")
    graphs = datasets.read_tu(folder() / name)[0]
    return graphs[: int(size)] if size else graphs


def sample(graphs: Graphs, size: int = 20) -> Graphs:
    """Return some graphs from all over a batch, to warm up on."""
    return graphs[:: max(1, len(graphs) // size)]


def variants(graphs: Graphs, times: int, changed: float = 0.2) -> Graphs:
    """Return the graphs, and more like them: in each, some vertices have labels of other ones."""
    random, parts = np.random.default_rng(0), [graphs]
    labels = np.array(graphs.node_labels)
    for _ in range(times - 1):
        other = np.where(random.random(len(labels)) < changed, random.permutation(labels), labels)
        columns = graphs.node_ptr, graphs.edge_ptr, graphs.edges
        parts.append(Graphs(*columns, node_labels=other))
    return Graphs.concat(parts)


def weighted_graphs(n_graphs: int, n_nodes: int, n_edges: int) -> Graphs:
    """Make random graphs with about `n_edges` edges, each of which has a weight of its own."""
    density = n_edges / (n_nodes * (n_nodes - 1) / 2)
    plain, _ = datasets.random_graphs(n_graphs, n_nodes, density, n_labels=5)
    weights = np.random.default_rng(0).random(len(plain.edges))
    return Graphs(
        plain.node_ptr,
        plain.edge_ptr,
        plain.edges,
        node_labels=plain.node_labels,
        edge_attributes=weights,
    )
