"""What others offer: each function prepares, and returns the call to be timed.

Graphs are converted to the form in which the other library reads its own data sets, before the
clock starts. Vertices without labels all get the same one.
"""

from collections.abc import Callable

import numpy as np

from grafik import Graphs


def grakel_form(graphs: Graphs) -> list[tuple[set, dict]]:
    """Return graphs as ``grakel.datasets`` does: pairs in both directions, label of each vertex."""
    return [
        (
            {tuple(pair) for u, v in graph.edges.tolist() for pair in ((u, v), (v, u))},
            dict(enumerate(graph.node_labels or [0] * graph.n_nodes)),
        )
        for graph in graphs
    ]


def grakel_wl(graphs: Graphs) -> Callable:
    """Prepare GraKeL's Weisfeiler-Lehman subtree kernel, depth 5."""
    from grakel import VertexHistogram, WeisfeilerLehman

    given = grakel_form(graphs)
    return lambda: WeisfeilerLehman(
        n_iter=5, base_graph_kernel=VertexHistogram, normalize=False
    ).fit_transform(given)


def grakel_paths(graphs: Graphs) -> Callable:
    """Prepare GraKeL's shortest-path kernel, with labels where there are some."""
    from grakel import ShortestPath

    given = grakel_form(graphs)
    labelled = graphs.node_labels is not None
    return lambda: ShortestPath(normalize=False, with_labels=labelled).fit_transform(given)


def grakel_assignment(graphs: Graphs) -> Callable:
    """Prepare GraKeL's Weisfeiler-Lehman optimal assignment kernel, depth 5."""
    from grakel import WeisfeilerLehmanOptimalAssignment

    given = grakel_form(graphs)
    return lambda: WeisfeilerLehmanOptimalAssignment(n_iter=5, normalize=False).fit_transform(given)


def grakel_cores(graphs: Graphs) -> Callable:
    """Prepare GraKeL's core framework around its Weisfeiler-Lehman subtree kernel, depth 5."""
    from grakel import CoreFramework, VertexHistogram, WeisfeilerLehman

    given = grakel_form(graphs)
    base = WeisfeilerLehman, {"n_iter": 5, "base_graph_kernel": VertexHistogram}
    return lambda: CoreFramework(base_graph_kernel=base, normalize=False).fit_transform(given)


def grakel_histogram(graphs: Graphs) -> Callable:
    """Prepare GraKeL's vertex histogram kernel; edges are not labelled."""
    from grakel import VertexHistogram

    given = grakel_form(graphs)
    return lambda: VertexHistogram(normalize=False).fit_transform(given)


def grakel_graphlets(graphs: Graphs) -> Callable:
    """Prepare GraKeL's graphlet sampling kernel, size 5 and 200 samples of each graph."""
    from grakel import GraphletSampling

    given = grakel_form(graphs)
    options = {"k": 5, "sampling": {"n_samples": 200}, "random_state": 0}
    return lambda: GraphletSampling(**options).fit_transform(given)


def pot_wwl(graphs: Graphs, depth: int = 5, gamma: float = 1.0) -> Callable:
    """Prepare the Wasserstein Weisfeiler-Lehman kernel: optimal transport for every pair of graphs.

    The vertices of two graphs are transported onto each other; the distance of two vertices is the
    share of the depths at which their labels differ (Togninalli et al., NeurIPS 2019).
    """
    import ot

    given = [
        (graph.node_labels or [0] * graph.n_nodes, _neighbours(graph.n_nodes, graph.edges))
        for graph in graphs
    ]

    def call() -> np.ndarray:
        sequences = label_sequences(given, depth)
        distances = np.zeros((len(given), len(given)))
        for i, x in enumerate(sequences):
            for j, y in enumerate(sequences[:i]):
                ground = ot.dist(x, y, metric="hamming")
                distances[i, j] = distances[j, i] = ot.emd2([], [], ground)
        return np.exp(-gamma * distances)

    return call


def label_sequences(given: list[tuple[list, list]], depth: int) -> list[np.ndarray]:
    """Return the labels of all vertices at depth 0 to `depth`, a row per vertex, for each graph."""
    numbers: dict = {}
    current = [[numbers.setdefault(label, len(numbers)) for label in labels] for labels, _ in given]
    columns = [current]
    for _ in range(depth):
        numbers = {}
        current = [
            [
                numbers.setdefault((own, *sorted(labels[u] for u in around)), len(numbers))
                for own, around in zip(labels, neighbours, strict=True)
            ]
            for labels, (_, neighbours) in zip(current, given, strict=True)
        ]
        columns.append(current)
    return [np.array(rows, float).T for rows in zip(*columns, strict=True)]


def _neighbours(n_nodes: int, edges: np.ndarray) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(n_nodes)]
    for u, v in edges.tolist():
        found[u].append(v)
        found[v].append(u)
    return found
