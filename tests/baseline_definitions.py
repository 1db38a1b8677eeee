"""Raw batches as the definitions of baselines take them, and Gram matrices by these."""

import numpy as np
from hypothesis import strategies as st

import naive
import naive_baselines
from strategies import raw_batches

raw = raw_batches(label=st.integers(0, 2), max_graphs=4, max_nodes=7).filter(len)
depths = st.integers(0, 3)


def plain(batch):
    """Raw graphs as the naive functions take them: vertices without labels are all alike."""
    return [(g.n, naive.simple_edges(g.edges), g.node_labels or [0] * g.n) for g in batch]


def kinds(graph):
    """Edge labels by edge, where there are any."""
    if graph.edge_labels is None:
        return None
    pairs = zip(graph.edges, graph.edge_labels, strict=True)
    return {(min(e), max(e)): label for e, label in pairs if e[0] != e[1]}


def gram(items, kernel):
    return np.array([[kernel(a, b) for b in items] for a in items], float)


def histogram_gram(batch, features):
    found = [features(g.n, naive.simple_edges(g.edges), g.node_labels, kinds(g)) for g in batch]
    return gram(found, naive_baselines.dot)
