"""The graphs that are measured: TU data sets, random weighted graphs, and made-up molecules."""

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


def molecules(n_graphs: int, seed: int) -> Graphs:
    """Make graphs that look like molecules: chains with branches and rings of six, some 30 atoms.

    No two seeds make the same ones.
    """
    rng = np.random.default_rng(seed)
    sizes = np.clip(rng.normal(30, 9, n_graphs), 6, 80).astype(np.int64)
    node_ptr = np.concatenate([[0], np.cumsum(sizes)])
    graph = np.repeat(np.arange(n_graphs), sizes)
    own = np.arange(node_ptr[-1]) - node_ptr[graph]
    # Most atoms are bound to the one before, some start a branch a little way back.
    back = np.where(rng.random(len(own)) < 0.85, 1, rng.integers(2, 5, len(own)))
    tree = np.flatnonzero(own > 0)
    rings = np.flatnonzero((own >= 5) & (rng.random(len(own)) < 0.1))
    ends = np.concatenate([tree, rings])
    starts = np.concatenate([np.maximum(own[tree] - back[tree], 0), own[rings] - 5])
    order = np.argsort(graph[ends], kind="stable")
    edges = np.column_stack([starts, own[ends]])[order]
    edge_ptr = np.searchsorted(graph[ends][order], np.arange(n_graphs + 1))
    atoms = np.array(["C", "N", "O", "S", "F"])[
        rng.choice(5, len(own), p=[0.74, 0.11, 0.11, 0.02, 0.02])
    ]
    return Graphs(node_ptr, edge_ptr, edges, node_labels=atoms.tolist())
