"""The definitions in dicts and loops, slow and plain; imports nothing of grafik."""

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
