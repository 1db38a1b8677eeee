"""Edge weights as they are defined, in dicts, sets and loops; imports nothing of grafik.

Each function takes the number of vertices and a list of edges (u, v), every edge once, and returns
one number per edge, in their order.
"""

import sys
from fractions import Fraction
from itertools import combinations, permutations
from math import isqrt


def around(n, edges):
    """Set of neighbours of each vertex."""
    sets = {v: set() for v in range(n)}
    for u, v in edges:
        sets[u].add(v)
        sets[v].add(u)
    return sets


def degree(n, edges):
    near = around(n, edges)
    return [max(len(near[u]), len(near[v])) for u, v in edges]


def walks(n, edges, length):
    """Exact integers, however large: step from neighbour to neighbour, from every vertex."""
    near = around(n, edges)
    result = []
    for u, v in edges:
        count = {w: int(w == u) for w in range(n)}
        total = 0
        for _ in range(length):
            count = {w: sum(count[x] for x in near[w]) for w in range(n)}
            total += count[v]
        result.append(total)
    return result


def triangles(n, edges):
    known = {frozenset(edge) for edge in edges}
    return [
        sum({frozenset((u, w)), frozenset((v, w))} <= known for w in range(n) if w not in (u, v))
        for u, v in edges
    ]


def core(n, edges):
    """Take away vertices with fewer than k neighbours until none is left, for growing k."""
    number = dict.fromkeys(range(n), 0)
    near = around(n, edges)
    for k in range(1, n + 1):
        while thin := [v for v in near if len(near[v]) < k]:
            for v in thin:
                del near[v]
            near = {v: {w for w in others if w in near} for v, others in near.items()}
        for v in near:
            number[v] = k
    return [max(number[u], number[v]) for u, v in edges]


def shortest_paths(near, s, t):
    """Every shortest path from s to t, as a list of vertices."""
    paths = [[s]]
    for _ in near:
        arrived = [path for path in paths if path[-1] == t]
        if arrived:
            return arrived
        paths = [[*path, w] for path in paths for w in near[path[-1]] if w not in path]
    return []


def betweenness(n, edges):
    near = around(n, edges)
    total = {frozenset(edge): Fraction(0) for edge in edges}
    for s, t in combinations(range(n), 2):
        paths = shortest_paths(near, s, t)
        for path in paths:
            for i in range(len(path) - 1):
                total[frozenset(path[i : i + 2])] += Fraction(1, len(paths))
    return [total[frozenset(edge)] / Fraction(n * (n - 1), 2) for edge in edges]


def jaccard(n, edges):
    near = around(n, edges)
    return [len(near[u] & near[v]) / len(near[u] | near[v]) for u, v in edges]


def curvature(n, edges):
    near = around(n, edges)
    return [4 - len(near[u]) - len(near[v]) + 3 * len(near[u] & near[v]) for u, v in edges]


def triangle_index(n):
    """Index of each pair i <= j in the flattened upper triangle, counted from 1."""
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    return {pair: index for index, pair in enumerate(pairs, 1)}


def matrix(n, weights):
    """Set of pairs whose indices are among the weights: the canonical adjacency matrix."""
    pair_at = {index: pair for pair, index in triangle_index(n).items()}
    return {pair_at[weight] for weight in weights}


def isomorphic(n, edges, other, labels=None, other_labels=None):
    """Try every way to map the vertices."""
    labels, other_labels = labels or [None] * n, other_labels or [None] * n
    wanted = {frozenset(edge) for edge in other}
    return any(
        {frozenset((p[u], p[v])) for u, v in edges} == wanted
        and all(labels[v] == other_labels[p[v]] for v in range(n))
        for p in permutations(range(n))
    )


def node_distance(points, edges, norm):
    """Exact differences of the points' coordinates; too large distances are the largest float."""
    result = []
    for u, v in edges:
        apart = [abs(Fraction(x) - Fraction(y)) for x, y in zip(points[u], points[v], strict=True)]
        if norm == 2:
            squared = sum(difference**2 for difference in apart)
            length = Fraction(isqrt(int(squared * 4**1200)), 2**1200)
        else:
            length = sum(apart) if norm == 1 else max(apart)
        result.append(float(min(length, Fraction(sys.float_info.max))))
    return result


def marked(n, edges, rounds, known, marks=2, labels=None, edge_labels=None, directed=False):
    """Labels of the graph with both ends of an edge marked, and of all ways to mark more vertices.

    `known` numbers all labels that occur, in any graph, so that equal numbers are equal labels.
    """

    def number(label):
        return known.setdefault(label, len(known))

    labels, edge_labels = labels or [None] * n, edge_labels or [None] * len(edges)
    near = {v: [] for v in range(n)}
    for (u, v), label in zip(edges, edge_labels, strict=True):
        near[u].append((v, ("out" if directed else "", repr(label))))
        near[v].append((u, ("in" if directed else "", repr(label))))
    result = []
    for u, v in edges:
        found = []
        for more in combinations(range(n), marks - 2):
            mark = {x: ["more"] * (x in more) for x in range(n)}
            mark[u].append("tail" if directed else "end")
            mark[v].append("head" if directed else "end")
            now = {x: number((repr(labels[x]), tuple(mark[x]))) for x in range(n)}
            for _ in range(rounds):
                around = {x: tuple(sorted((now[y], edge) for y, edge in near[x])) for x in now}
                now = {x: number((now[x], around[x])) for x in now}
            found.append(tuple(sorted(now.values())))
        result.append(tuple(sorted(found)))
    return result


def cliques(n, edges, size):
    known = {frozenset(edge) for edge in edges}
    count = dict.fromkeys(known, 0)
    for chosen in combinations(range(n), size):
        inside = {frozenset(pair) for pair in combinations(chosen, 2)}
        if inside <= known:
            for pair in inside:
                count[pair] += 1
    return [count[frozenset(edge)] for edge in edges]


def cycles(n, edges, length):
    """Walk on from the second end over vertices that are not on the way yet, back to the first."""
    near = around(n, edges)

    def ways_back(path):
        if len(path) == length:
            return int(path[0] in near[path[-1]])
        return sum(ways_back([*path, w]) for w in near[path[-1]] if w not in path)

    return [ways_back([u, v]) for u, v in edges]


def resistance(n, edges):
    """Spanning forests that contain the edge, over all: exact fractions, of determinants.

    Forests with as many trees as the graph has components are its spanning trees, component by
    component.
    """
    near, part = around(n, edges), {}
    for v in range(n):
        reached = {v}
        while more := {x for w in reached for x in near[w]} - reached:
            reached |= more
        part[v] = min(reached)

    def forests(merged):
        """Determinant of the Laplacian, without a vertex of each component, after a merger."""
        kept = [v for v in range(n) if part[v] != v and merged.get(v, v) == v]
        rows = {v: dict.fromkeys(kept, Fraction(0)) for v in kept}
        for edge in edges:
            u, v = (merged.get(end, end) for end in edge)
            for x, y in ((u, v), (v, u)):
                if u != v and x in rows:
                    rows[x][x] += 1
                    if y in rows:
                        rows[x][y] -= 1
        product = Fraction(1)
        for i, v in enumerate(kept):
            product *= rows[v][v]
            for w in kept[i + 1 :]:
                factor = rows[w][v] / rows[v][v]
                for x in kept[i:]:
                    rows[w][x] -= factor * rows[v][x]
        return product

    # The end that stays is the one that may be the vertex left out.
    return [Fraction(forests({max(edge): min(edge)}), forests({})) for edge in map(tuple, edges)]
