"""The features in dicts and loops, slow and plain; imports nothing of grafik.

Each function takes one filtration graph, as its number of vertices, a list of edges (u, v) with
u < v unless they are directed, a list of vertex labels or None, and a dict of edge labels or None;
it returns a Counter of features that one can read.
"""

from collections import Counter
from itertools import combinations, permutations

import networkx as nx


def spelled(label):
    """Write a label so that labels of different types differ, and labels can be sorted."""
    if isinstance(label, tuple):
        return "(" + ", ".join(spelled(item) for item in label) + ")"
    value = label + 0.0 if isinstance(label, float) else label
    return f"{type(label).__name__} {value!r}"


def vertex_label(labels, v):
    return "-" if labels is None else spelled(labels[v])


def edge_label(labels, u, v):
    return "-" if labels is None else spelled(labels[min(u, v), max(u, v)])


def as_networkx(n, edges):
    graph = nx.empty_graph(n)
    graph.add_edges_from(edges)
    return graph


def shortest_paths(n, edges, labels=None, edge_labels=None, directed=False):
    """Label, distance, label for ordered pairs of vertices, by adding one step at a time."""
    found = Counter()
    around = {v: {w for e in edges if v in e for w in e} - {v} for v in range(n)}
    if directed:
        around = {v: {w for u, w in edges if u == v} for v in range(n)}
    for start in range(n):
        reached, border, length = {start}, {start}, 0
        while border:
            border = {w for v in border for w in around[v]} - reached
            reached |= border
            length += 1
            for end in border:
                found[vertex_label(labels, start), length, vertex_label(labels, end)] += 1
    return found


def graphlets(n, edges, size=3, connected=True):
    """Least adjacency matrix over all orders of the vertices, for every set of vertices."""
    found = Counter()
    known = {pair for u, v in edges for pair in ((u, v), (v, u))}
    for vertices in combinations(range(n), size):
        part = [edge for edge in edges if set(edge) <= set(vertices)]
        if not connected or nx.is_connected(as_networkx(n, part).subgraph(vertices)):
            found[
                min(
                    "".join("01"[(u, v) in known] for u, v in combinations(order, 2))
                    for order in permutations(vertices)
                )
            ] += 1
    return found


def cycles(n, edges, labels=None, edge_labels=None, max_length=6):
    """Labels around each simple cycle: the least way to read them."""
    found = Counter()
    for cycle in nx.simple_cycles(as_networkx(n, edges), length_bound=max_length):
        readings = []
        for way in (cycle, cycle[::-1]):
            for start in range(len(way)):
                turned = way[start:] + way[:start]
                pairs = zip(turned, turned[1:] + turned[:1], strict=True)
                reading = [
                    (vertex_label(labels, u), edge_label(edge_labels, u, v)) for u, v in pairs
                ]
                readings.append(tuple(reading))
        found["cycle", min(readings)] += 1
    return found


def trees(n, edges, labels=None, edge_labels=None):
    """Components of the graph of bridges; a tree is the least of its nested tuples by any root."""
    found = Counter()
    graph = as_networkx(n, edges)
    forest = as_networkx(n, [edge for edge in edges if _is_bridge(graph, edge)])

    def branch(v, parent):
        below = ((edge_label(edge_labels, v, w), branch(w, v)) for w in forest[v] if w != parent)
        return (vertex_label(labels, v), tuple(sorted(below)))

    for component in nx.connected_components(forest):
        if len(component) > 1:
            found["tree", min(branch(root, None) for root in component)] += 1
    return found


def _is_bridge(graph, edge):
    without = graph.copy()
    without.remove_edge(*edge)
    return not nx.has_path(without, *edge)


def cyclic_patterns(n, edges, labels=None, edge_labels=None, max_length=6):
    """Cycles and trees together."""
    return cycles(n, edges, labels, edge_labels, max_length) + trees(n, edges, labels, edge_labels)


def counts(n, edges, labels=None, edge_labels=None):
    """Labels of vertices and of edges."""
    found = Counter(("vertex", vertex_label(labels, v)) for v in range(n))
    return found + Counter(("edge", edge_label(edge_labels, u, v)) for u, v in edges)
