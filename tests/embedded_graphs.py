"""Products of vectors, and histograms by the definition, for tests of explicit maps."""

from collections import Counter

import numpy as np
from scipy import sparse

import naive

THREE = {"thresholds": [3.0, 2.0, 1.0]}


def products(vectors, others=None):
    """All products; columns without entries are left out first, of which there may be billions."""
    both = vectors if others is None else sparse.vstack([vectors, others]).tocsr()
    used, places = np.unique(both.indices, return_inverse=True)
    rows = sparse.csr_array((both.data, places, both.indptr), (both.shape[0], len(used)))
    n = vectors.shape[0]
    return (rows[:n] @ (rows if others is None else rows[n:]).T).toarray()


def naive_histograms(graphs, alphas, depth):
    found = []
    for graph in graphs:
        degrees = Counter(v for edge in graph.edges.tolist() for v in edge)
        edges = graph.edges.tolist()
        entry = naive.levels([max(degrees[u], degrees[v]) for u, v in edges], alphas)
        plain = graph.n_nodes, edges, graph.node_labels, graph.edge_labels
        found.append(naive.wl_histograms(plain, entry, len(alphas), depth))
    return found


def same(x, y):
    parts = ("data", "indices", "indptr")
    return x.shape == y.shape and all(np.array_equal(getattr(x, p), getattr(y, p)) for p in parts)
