"""The definitions in dicts and loops, slow and plain; imports nothing of grafik."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from pathlib import Path


def simple_edges(edges):
    """Each edge once, as (u, v) with u < v, without self loops, sorted."""
    return sorted({(min(u, v), max(u, v)) for u, v in edges if u != v})


def neighbours(n, edges):
    """Sorted neighbours of each vertex."""
    lists = {v: set() for v in range(n)}
    for u, v in simple_edges(edges):
        lists[u].add(v)
        lists[v].add(u)
    return [sorted(lists[v]) for v in range(n)]


def dropped(edges):
    """Count self loops, repetitions in the same direction, and edges listed in both directions."""
    directed = {(u, v) for u, v in edges if u != v}
    loops = sum(u == v for u, v in edges)
    repeated = len(edges) - loops - len(directed)
    return loops, repeated, len(directed) - len(simple_edges(edges))


def wl_labels(n, edges, labels, depth):
    """Weisfeiler-Lehman labels of all vertices at a depth, each written out as a nested tuple."""
    labels = list(labels)
    around = neighbours(n, edges)
    for _ in range(depth):
        labels = [(labels[v], tuple(sorted(labels[u] for u in around[v]))) for v in range(n)]
    return labels


def stable_colours(graphs):
    """Weisfeiler-Lehman colours of several (n, edges) after as many rounds as help, sorted.

    Graphs have the same list if and only if no number of rounds tells them apart.
    """
    around = [neighbours(n, edges) for n, edges in graphs]
    colours = [[0] * n for n, _ in graphs]
    n_before, n_now = 0, 1
    while n_now > n_before:
        numbers = {}
        for near, mine in zip(around, colours, strict=True):
            found = [(mine[v], tuple(sorted(mine[u] for u in near[v]))) for v in range(len(mine))]
            mine[:] = [numbers.setdefault(one, len(numbers)) for one in found]
        n_before, n_now = n_now, len(numbers)
    return [sorted(mine) for mine in colours]


def read_tu(folder):
    """Read a TU folder: a list of (vertices, edges, node labels, edge data), and the targets."""
    folder = Path(folder)
    name = next(folder.glob("*_A.txt")).name.removesuffix("_A.txt")

    def lines(part, kind):
        file = folder / f"{name}_{part}.txt"
        if not file.exists():
            return None
        text = file.read_bytes().decode("utf-8-sig").strip()
        rows = text.replace("\r\n", "\n").split("\n") if text else []
        return [tuple(kind(field) for field in row.split(",")) for row in rows]

    graph_of = [row[0] for row in lines("graph_indicator", int)]
    y = lines("graph_labels", int)
    graphs = {g: ([], {}) for g in range(1, (len(y) if y else max(graph_of, default=0)) + 1)}
    number = {}
    for vertex, g in enumerate(graph_of, 1):
        number[vertex] = len(graphs[g][0])
        graphs[g][0].append(vertex)
    edge_labels = lines("edge_labels", int)
    edge_values = lines("edge_attributes", float)
    for row, (u, v) in enumerate(lines("A", int)):
        if u != v:
            pair = tuple(sorted((number[u], number[v])))
            data = (edge_labels and edge_labels[row], edge_values and edge_values[row])
            graphs[graph_of[u - 1]][1][pair] = data
    node_labels = lines("node_labels", int)
    node_values = lines("node_attributes", float)
    result = []
    for g in sorted(graphs):
        vertices, edges = graphs[g]
        result.append(
            (
                [
                    (node_labels and node_labels[v - 1], node_values and node_values[v - 1])
                    for v in vertices
                ],
                dict(sorted(edges.items())),
            )
        )
    return result, y


# Filtrations (a graph is: n, list of edges, list of vertex labels, list of edge labels; and True if
# edges are directed, from the first end to the second)


def seen(graph):
    """Each edge as both of its ends see it: (edge, end, other end, sign of the direction)."""
    away, back = ("->", "<-") if graph[4:] == (True,) else ("", "")
    for i, (u, v) in enumerate(graph[1]):
        yield i, u, v, away
        yield i, v, u, back


def levels(weights, alphas):
    """First level whose threshold an edge reaches; the last level takes all that is left."""
    last = len(alphas) - 1
    return [next((i for i, a in enumerate(alphas) if w >= a), last) for w in weights]


def best_clusterings(values, k):
    """All ways to cut sorted values into k clusters with the least sum of squares: their minima."""
    values = sorted(map(Fraction, values))
    if len(set(values)) <= k:
        return [sorted(set(map(float, values)), reverse=True)]
    found = {}
    for cuts in combinations(range(1, len(values)), k - 1):
        cost, minima = Fraction(0), []
        for start, stop in pairwise([0, *cuts, len(values)]):
            part = values[start:stop]
            mean = sum(part) / len(part)
            cost += sum((v - mean) ** 2 for v in part)
            minima.append(float(part[0]))
        found.setdefault(cost, []).append(sorted(set(minima), reverse=True))
    return found[min(found)]


def labels_at(graph, entry, level, depth, edge_labels=True):
    """For each depth the labels of all vertices at a level, each written out."""
    n, _, labels, kinds = graph[:4]
    result = [[repr(label) for label in labels or [None] * n]]
    for _ in range(depth):
        now, around = result[-1], {v: [] for v in range(n)}
        for i, u, v, sign in seen(graph):
            if entry[i] <= level:
                kind = repr(kinds[i]) if edge_labels and kinds else ""
                around[u].append((now[v], sign, kind))
        result.append([repr((now[v], sorted(around[v]))) for v in range(n)])
    return result


def wl_histograms(graph, entry, n_levels, depth, edge_labels=True):
    """Filtration histograms of one graph: counts per level by (depth, label written out)."""
    result = {}
    for level in range(n_levels):
        for d, now in enumerate(labels_at(graph, entry, level, depth, edge_labels)):
            for label in now:
                result.setdefault((d, label), [0] * n_levels)[level] += 1
    return result


def bars(graph, entry, n_levels, depth, edge_labels=True):
    """Longest intervals of levels: (depth, label, vertex, birth, death), death exclusive."""
    at = [labels_at(graph, entry, level, depth, edge_labels) for level in range(n_levels)]
    result = set()
    for d in range(depth + 1):
        for v in range(graph[0]):
            birth = 0
            for level in range(1, n_levels + 1):
                if level == n_levels or at[level][d][v] != at[birth][d][v]:
                    result.add((d, at[birth][d][v], v, birth, level))
                    birth = level
    return result


def first_difference(pair, entries, n_levels, depth, edge_labels=True):
    """Least depth, there the first level, at which two graphs have other labels; and who has them.

    (depth, level, list of the vertices of both graphs that have a label which differs), or None.
    """
    for d in range(depth + 1):
        for level in range(n_levels):
            now = [
                labels_at(graph, entry, level, d, edge_labels)[d]
                for graph, entry in zip(pair, entries, strict=True)
            ]
            apart = [f for f in set(now[0] + now[1]) if now[0].count(f) != now[1].count(f)]
            if apart:
                where = [
                    tuple([v for v, label in enumerate(part) if label == f] for part in now)
                    for f in apart
                ]
                return d, level, where
    return None


def isomorphic(a, b, edge_labels=True):
    """Whether some order of the vertices makes two graphs the same; tries all."""
    if a[0] != b[0] or len(a[1]) != len(b[1]):
        return False

    def edges(graph, order):
        kinds = graph[3] if edge_labels and graph[3] else [None] * len(graph[1])
        found = []
        for (u, v), kind in zip(graph[1], kinds, strict=True):
            ends = (order[u], order[v]) if graph[4:] == (True,) else sorted((order[u], order[v]))
            found.append((*ends, repr(kind)))
        return sorted(found)

    def labels(graph, order):
        return sorted((order[v], repr(label)) for v, label in enumerate(graph[2] or []))

    same = range(a[0])
    return any(
        labels(a, order) == labels(b, same) and edges(a, order) == edges(b, same)
        for order in permutations(same)
    )


def unfolding(graph, entry, level, vertex, depth, edge_labels=True):
    """The tree of walks from a vertex: (label, None or a list of (sign, edge label, tree))."""
    _, _, labels, kinds = graph[:4]
    root = repr(labels[vertex]) if labels else "*"
    if depth == 0:
        return root, None
    children = []
    for i, end, other, sign in seen(graph):
        if end == vertex and entry[i] <= level:
            tree = unfolding(graph, entry, level, other, depth - 1, edge_labels)
            children.append((sign, repr(kinds[i]) if edge_labels and kinds else None, tree))
    return root, sorted(children, key=repr)


def tree_text(tree, max_depth, max_width):
    """A tree in one line: what lies deeper is left out, equal neighbours are counted."""
    root, children = tree
    if children is None:
        return root
    if children and max_depth == 0:
        return root + "(...)"
    texts = []
    for sign, kind, child in children:
        text = tree_text(child, max_depth - 1, max_width)
        texts.append(sign + (text if kind is None else kind + ":" + text))
    shown = sorted(set(texts))[:max_width]
    parts = []
    for text in shown:
        times = texts.count(text)
        parts.append(text if times == 1 else str(times) + "x" + text)
    rest = [text for text in texts if text not in shown]
    if rest:
        parts.append(str(len(rest)) + " more")
    return root + "(" + ", ".join(parts) + ")"


def wasserstein(x, y, alphas):
    """Distance of two normalised histograms on the line: the area between their sums."""
    total = 0.0
    for i in range(len(alphas) - 1):
        between = sum(x[: i + 1]) / sum(x) - sum(y[: i + 1]) / sum(y)
        total += (alphas[i] - alphas[i + 1]) * abs(between)
    return total


def unit(alphas):
    """Thresholds mapped to the interval from 1 to 0."""
    if len(alphas) == 1:
        return [0.0]
    return [(a - alphas[-1]) / (alphas[0] - alphas[-1]) for a in alphas]


def sum_kernel(a, b, alphas, gamma, mass="linear"):
    """Definition 3: over the features of both graphs; or with the smaller mass of each."""
    compare = {"linear": lambda m, n: m * n, "min": min}[mass]
    return math.fsum(
        math.exp(-gamma * wasserstein(a[f], b[f], alphas)) * compare(sum(a[f]), sum(b[f]))
        for f in a.keys() & b.keys()
    )


def product_kernel(a, b, alphas, gamma, beta, delta):
    """Appendix B: over the features of either graph; what is missing has its mass at delta."""
    exponent = []
    for f in a.keys() | b.keys():
        x, y = a.get(f), b.get(f)
        if x is None or y is None:
            there = x or y
            mass = sum(there)
            moved = sum(c * abs(p - delta) for c, p in zip(there, alphas, strict=True)) / mass
            if len(alphas) == 1:
                moved = 0.0  # with one level there is no dummy entry
            exponent += [gamma * moved, beta * mass**2]
        else:
            exponent += [gamma * wasserstein(x, y, alphas), beta * (sum(x) - sum(y)) ** 2]
    return math.exp(-math.fsum(exponent))


def normalised(gram):
    """Every entry divided by the kernels of both graphs with themselves; 0 where one has 0."""
    own = [gram[i][i] for i in range(len(gram))]
    return [
        [value / math.sqrt(own[i] * own[j]) if own[i] and own[j] else 0.0 for j, value in row]
        for i, row in enumerate(map(enumerate, gram))
    ]


def mean_kernel(grams, weights):
    """The weighted mean of several kernels of the same graphs, after normalising each."""
    parts, n = [normalised(gram) for gram in grams], range(len(grams[0]))
    shares = [weight / math.fsum(weights) for weight in weights]
    return [
        [math.fsum(w * part[i][j] for w, part in zip(shares, parts, strict=True)) for j in n]
        for i in n
    ]


def gaussian_kernel(gram, sigma):
    """The Gaussian of the distance in feature space; graphs without self-similarity have none."""
    own = [gram[i][i] for i in range(len(gram))]
    return [
        [
            math.exp(-sigma * (1 - value)) if own[i] and own[j] else 0.0
            for j, value in enumerate(row)
        ]
        for i, row in enumerate(normalised(gram))
    ]
