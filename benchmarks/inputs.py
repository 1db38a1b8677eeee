"""The graphs that are measured: TU data sets, and those that are made up.

Made-up ones are called ``molecules:N`` (that many molecules), ``proteins`` or ``proteins:N`` (like
DD), and ``network:N`` (one graph of that many vertices).
"""

import os
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from grafik import Graphs, datasets

_BESIDE = Path(__file__).parents[2] / "shared" / "data"


def folder() -> Path:
    """Return the folder of TU data sets: GRAFIK_DATA, or ../shared/data beside the repository."""
    return Path(os.environ.get("GRAFIK_DATA", _BESIDE))


def missing(name: str) -> str | None:
    """Say why graphs cannot be measured; None if they can."""
    name = name.split(":")[0]
    if name in _MADE or (folder() / name).is_dir():
        return None
    return f"no folder {name} in GRAFIK_DATA"


def read(name: str) -> Graphs:
    """Read one TU data set, or make graphs; of ``"NCI1:1000"`` only the first 1000."""
    return read_with_classes(name)[0]


def read_with_classes(name: str) -> tuple[Graphs, np.ndarray]:
    """Do the same, and return classes too; some of those that are made are all of one class."""
    name, _, size = name.partition(":")
    if name in _MADE:
        return _MADE[name](*([int(size)] if size else []))
    graphs, y = datasets.read_tu(folder() / name)
    return (graphs[: int(size)], y[: int(size)]) if size else (graphs, y)


def sample(graphs: Graphs, size: int = 20) -> Graphs:
    """Return some graphs from all over a batch, to warm up on."""
    return graphs[spread(len(graphs), size)]


def spread(n_graphs: int, size: int) -> slice:
    """Return the positions of about `size` graphs from all over a batch."""
    return slice(None, None, max(1, n_graphs // size))


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


def molecules(n_graphs: int, seed: int, n_atoms: float = 30.0) -> Graphs:
    """Make graphs that look like molecules: chains with branches and rings of six, some 30 atoms.

    No two seeds make the same ones.
    """
    rng = np.random.default_rng(seed)
    sizes = np.clip(rng.normal(n_atoms, 9, n_graphs), 6, 80).astype(np.int64)
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


def many_molecules(n_graphs: int) -> tuple[Graphs, np.ndarray]:
    """Make molecules of some 25 atoms, and two classes of them; fewer are the first of more.

    In one class there are more bonds between nitrogen or oxygen and a branching atom than their
    size lets expect; one class in ten is changed, so that no machine can get all of them right.
    """
    blocks = [
        molecules(min(_BLOCK, n_graphs - start), start, 25.0)
        for start in range(0, n_graphs, _BLOCK)
    ]
    graphs = Graphs.concat(blocks)
    first = np.repeat(graphs.node_ptr[:-1], graphs.n_edges)
    ends = graphs.edges + first[:, None]
    hetero = np.isin(np.array(graphs.node_labels), ["N", "O"])[ends]
    branching = (graphs.degrees >= 3)[ends]
    bonds = (hetero & branching[:, ::-1]).any(axis=1)
    owner = np.repeat(np.arange(n_graphs), graphs.n_edges)
    active = np.bincount(owner, bonds, n_graphs) > 0.15 * graphs.n_nodes
    changed = [
        np.random.default_rng(start + 1).random(len(block)) < 0.1
        for start, block in zip(range(0, n_graphs, _BLOCK), blocks, strict=True)
    ]
    return graphs, (active ^ np.concatenate(changed)).astype(np.int64)


def proteins(n_graphs: int = 1178) -> tuple[Graphs, np.ndarray]:
    """Make graphs like those of DD: neighbours in space, 284 vertices on average, 89 labels.

    Vertices lie close to the points of a lattice in a ball; those that are near each other are
    joined, so that the mean degree is about 5. The first graph has 5,748 vertices.
    """
    rng = np.random.default_rng(0)
    sizes = np.clip(rng.lognormal(np.log(238), 0.57, n_graphs), 30, 1500).astype(np.int64)
    sizes[: len(_LARGEST)] = _LARGEST[:n_graphs]
    side = np.arange(-13, 14)
    lattice = np.stack(np.meshgrid(side, side, side), axis=-1).reshape(-1, 3)
    lattice = lattice[np.argsort((lattice**2).sum(axis=1), kind="stable")]
    pairs = []
    for size in sizes:
        places = lattice[:size] + rng.normal(0, 0.2, (size, 3))
        pairs.append(cKDTree(places).query_pairs(1.2, output_type="ndarray"))
    edge_ptr = np.concatenate([[0], np.cumsum([len(pair) for pair in pairs])])
    node_ptr = np.concatenate([[0], np.cumsum(sizes)])
    # Twenty labels make nearly all vertices, as amino acids do.
    shares = np.concatenate([np.full(20, 0.98 / 20), np.full(69, 0.02 / 69)])
    labels = rng.choice(89, node_ptr[-1], p=shares)
    graphs = Graphs(node_ptr, edge_ptr, np.concatenate(pairs), node_labels=labels)
    return graphs, np.zeros(n_graphs, np.int64)


def network(n_nodes: int) -> tuple[Graphs, np.ndarray]:
    """Make one random graph with three times as many edges as vertices, and nine labels."""
    rng = np.random.default_rng(0)
    codes = np.empty(0, np.int64)
    while len(codes) < 3 * n_nodes:
        u, v = np.sort(rng.integers(n_nodes, size=(2, 3 * n_nodes)), axis=0)
        codes = np.sort(np.concatenate([codes, (u * n_nodes + v)[u < v]]))
        codes = codes[np.diff(codes, prepend=-1) > 0]
    codes = np.sort(rng.permutation(codes)[: 3 * n_nodes])
    edges = np.column_stack(np.divmod(codes, n_nodes))
    labels = rng.integers(9, size=n_nodes)
    graphs = Graphs([0, n_nodes], [0, len(edges)], edges, node_labels=labels)
    return graphs, np.zeros(1, np.int64)


_BLOCK = 1000
_LARGEST = (5748, 3025, 2200)
_MADE = {"molecules": many_molecules, "proteins": proteins, "network": network}
