"""The baselines in dicts and loops, slow and plain; imports nothing of grafik.

A graph is: number of vertices, list of edges (u, v) with u < v, list of vertex labels.
"""

import math
from collections import Counter

import numpy as np
import ot
from scipy.optimize import linear_sum_assignment

from naive import neighbours, wl_labels


def label_sequences(n, edges, labels, depth):
    """The labels of each vertex in rounds 0 to `depth`, written out."""
    rounds = [wl_labels(n, edges, labels, d) for d in range(depth + 1)]
    return [tuple(row[v] for row in rounds) for v in range(n)]


def wl_counts(n, edges, labels, depth):
    """How many vertices have each label, by round and label."""
    found = Counter()
    for d in range(depth + 1):
        found.update((d, label) for label in wl_labels(n, edges, labels, d))
    return found


def dot(a, b):
    """Sum over the features of both."""
    return math.fsum(a[f] * b[f] for f in a.keys() & b.keys())


def optimal_assignment(a, b, depth):
    """The best bijection between the vertices, found by the Hungarian method."""
    x, y = (label_sequences(*graph, depth) for graph in (a, b))
    if not x or not y:
        return 0
    alike = [[sum(p == q for p, q in zip(u, v, strict=True)) for v in y] for u in x]
    return np.array(alike)[linear_sum_assignment(alike, maximize=True)].sum()


def core(n, edges, k):
    """The vertices that are left when all with fewer than k neighbours left are taken away."""
    left = set(range(n))
    around = neighbours(n, edges)
    while True:
        weak = {v for v in left if len(left & set(around[v])) < k}
        if not weak:
            return sorted(left)
        left -= weak


def core_wl(a, b, depth):
    """The subtree kernel on each core, as long as there is one in both graphs."""
    total = 0
    for k in range(max(a[0], b[0]) + 1):
        total += dot(*(wl_counts(*_induced(graph, core(*graph[:2], k)), depth) for graph in (a, b)))
    return total


def _induced(graph, vertices):
    _, edges, labels = graph
    number = {v: i for i, v in enumerate(vertices)}
    kept = [(number[u], number[v]) for u, v in edges if u in number and v in number]
    return len(vertices), kept, [labels[v] for v in vertices]


def label_distance(a, b, depth):
    """Wasserstein distance of label sequences: all vertices, Hamming distance, POT."""
    x, y = (label_sequences(*graph, depth) for graph in (a, b))
    if not x or not y:
        return float(len(x) != len(y))
    costs = [[np.mean([p != q for p, q in zip(u, v, strict=True)]) for v in y] for u in x]
    return _transport(np.array(costs, float))


def attribute_distance(x, y):
    """Wasserstein distance of two sets of points: all of them, Euclidean distance, POT."""
    if len(x) == 0 or len(y) == 0:
        return 0.0 if len(x) == len(y) else math.inf
    return _transport(np.linalg.norm(x[:, None, :] - y[None, :, :], axis=2))


def averaged(n, edges, attributes, weights, depth):
    """Attributes in all rounds, by matrices; `weights` has one number per edge."""
    adjacency, degree = np.zeros((n, n)), np.zeros(n)
    for (u, v), weight in zip(edges, weights, strict=True):
        adjacency[u, v] = adjacency[v, u] = weight
        degree[[u, v]] += 1
    rounds = [np.array(attributes, float).reshape(n, -1 if n else 1)]
    for _ in range(depth):
        means = adjacency @ rounds[-1] / np.maximum(degree, 1)[:, None]
        rounds.append((rounds[-1] + means) / 2)
    return np.concatenate(rounds, axis=1)


def _transport(costs):
    n, m = costs.shape
    return float(ot.emd2(np.full(n, 1 / n), np.full(m, 1 / m), costs))


def persistent_features(n, edges, labels, order, depth, p, tau, uniform, cycles, counts):
    """Persistence by label, with components as sets that grow.

    `order` has a number for each vertex and round, equal for equal labels: of two components the
    one whose least number is larger ends, and of edges with equal weights the one with the smaller
    numbers comes first.
    """
    found = Counter()
    around = neighbours(n, edges)
    for d in range(depth + 1):
        now, before = (wl_labels(n, edges, labels, max(i, 0)) for i in (d, d - 1))
        rank = order[d]
        weights = {}
        for u, v in edges:
            x, y = (Counter(before[w] for w in around[end]) for end in (u, v))
            apart = sum(abs(x[label] - y[label]) ** p for label in x.keys() | y.keys())
            multisets = apart ** (1 / p) if d > 0 else 0.0
            weights[u, v] = 1.0 if uniform else (before[u] != before[v]) + tau + multisets
        components = [{v} for v in range(n)]
        for u, v in sorted(edges, key=lambda e: (weights[e], sorted((rank[e[0]], rank[e[1]])))):
            mine, other = (next(c for c in components if end in c) for end in (u, v))
            if mine is other:
                if cycles:
                    for end in (u, v):
                        found["cycle", d, now[end]] += weights[u, v] ** p
                continue
            older, younger = sorted((mine, other), key=lambda c: min(rank[v] for v in c))
            first = min(younger, key=lambda v: rank[v])
            found["component", d, now[first]] += weights[u, v] ** p
            older |= younger
            components.remove(younger)
        last = max(weights.values(), default=1.0 if uniform else tau)
        for component in components:
            first = min(component, key=lambda v: rank[v])
            found["component", d, now[first]] += last**p
        if counts:
            found.update(("count", d, label) for label in now)
    return found
