"""Graphs for tests of weights: random ones, and the same in another order."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from grafik import Graphs
from strategies import build, raw_batches

LARGEST = np.finfo(float).max
simple_labels = st.sampled_from(["C", "O", 7])
larger = raw_batches(label=simple_labels, max_nodes=8, loops=False).map(build)


def by_definition(function, graphs, *arguments):
    rows = [function(g.n_nodes, g.edges.tolist(), *arguments) for g in graphs]
    return [value for row in rows for value in row]


def random_edges(n, density, seed):
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(n), 2))).reshape(-1, 2)
    return pairs[rng.random(len(pairs)) < density]


def one_graph(edges, n, **columns):
    return Graphs([0, n], [0, len(edges)], edges, **columns)


def permuted(graphs, rng):
    """The same graphs with vertices in another order, and where each edge went."""
    order = [rng.permutation(n) for n in graphs.n_nodes]
    lists = [p[g.edges] for p, g in zip(order, graphs, strict=True)]
    labels = None
    if graphs.node_labels is not None:
        labels = [
            [g.node_labels[i] for i in np.argsort(p)] for p, g in zip(order, graphs, strict=True)
        ]
    between = None if graphs.edge_labels is None else [list(g.edge_labels) for g in graphs]
    moved = Graphs.from_edge_lists(lists, graphs.n_nodes, node_labels=labels, edge_labels=between)
    rows = []
    for start, ends, g in zip(moved.edge_ptr, lists, moved, strict=False):
        at = {tuple(edge): row for row, edge in enumerate(g.edges.tolist())}
        rows += [int(start) + at[tuple(sorted(edge))] for edge in ends.tolist()]
    return moved, np.array(rows, np.int64)


def per_graph(graphs, values):
    return [sorted(part.tolist()) for part in np.split(values, graphs.edge_ptr[1:-1])]


def star_walks(leaves, length):
    """From hub to leaf only odd lengths lead: 1 + leaves + leaves^2 + ..."""
    return sum(leaves**k for k in range((length + 1) // 2))
