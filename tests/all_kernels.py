"""The tables of kernels, features and weights that tests go through; add what is new here."""

from collections import Counter

import numpy as np

import naive_features as naive
from grafik import FiltrationKernel, GaussianKernel, MeanKernel, weights
from grafik.baselines import (
    WL,
    CoreWL,
    CyclicPattern,
    GraphletSampling,
    PersistentWL,
    ShortestPath,
    VEHist,
    WassersteinWL,
    WLOptimalAssignment,
)
from grafik.features import (
    CyclicPatterns,
    FunctionFeatures,
    Graphlets,
    ShortestPaths,
    VertexEdgeHistogram,
    WeisfeilerLehman,
)

# Weights: by name, with other parameters, and functions of one's own.
STRUCTURAL = [
    name for name in weights.NAMES if name not in ("attribute", "attribute:small", "node-distance")
]
WEIGHTS = {
    **{name: name for name in weights.NAMES},
    "walks of 4": weights.Walks(4),
    "cliques of 5": weights.Cliques(5),
    "cycles of 5": weights.Cycles(5),
    "function": lambda graphs: graphs.edges.sum(axis=1) - 3.5,
}


def degrees(graph):
    """Return the degree of every vertex of a networkx graph."""
    return [degree for _, degree in graph.degree]


# Features that do not sit at single vertices.
EXTRACTORS = [
    VertexEdgeHistogram(),
    VertexEdgeHistogram(edges=False),
    VertexEdgeHistogram(vertices=False),
    ShortestPaths(),
    Graphlets(size=3),
    Graphlets(size=4),
    Graphlets(size=5),
    Graphlets(size=3, connected=False),
    Graphlets(size=5, connected=False),
    CyclicPatterns(),
    CyclicPatterns(max_length=4),
    CyclicPatterns(max_length=20, trees=False),
    FunctionFeatures(degrees),
]
SAMPLING = [Graphlets(size=3, sampling=True), Graphlets(size=4, sampling=True, connected=False)]
# Weisfeiler-Lehman labels, which do.
LABELS = [
    WeisfeilerLehman(2),
    WeisfeilerLehman(2, edge_labels=False),
    WeisfeilerLehman(2, exact=True),
]
# One extractor of each kind, and its definition for one filtration graph.
DEFINITIONS = {
    "shortest paths": (ShortestPaths(), naive.shortest_paths),
    "graphlets": (Graphlets(3, connected=False), lambda n, e, *_: naive.graphlets(n, e, 3, False)),
    "cyclic patterns": (CyclicPatterns(), naive.cyclic_patterns),
    "counts": (VertexEdgeHistogram(), naive.counts),
    "function": (
        FunctionFeatures(lambda graph: [graph.number_of_edges(), *graph.edges]),
        lambda n, edges, *_: Counter([len(edges), *edges]),
    ),
}

# Filtration kernels whose matrices are written, sent and saved in parts.
KERNELS = {
    "plain": FiltrationKernel(),
    "normalized": FiltrationKernel(normalize=True, n_jobs=2),
    "many levels": FiltrationKernel(weight="walks", thresholds="distinct", gamma=3.0),
    "min": FiltrationKernel(weight="triangles", mass="min", normalize=True, n_jobs=2),
    "product": FiltrationKernel(combine="product", gamma=0.1, beta=1e-4),
    "product, delta": FiltrationKernel(combine="product", alpha_delta=7.0, normalize=True),
    "paths": FiltrationKernel(ShortestPaths(), weight="triangles"),
    "exact": FiltrationKernel(WeisfeilerLehman(depth=2, exact=True)),
    "own weight": FiltrationKernel(weight=lambda graphs: np.arange(len(graphs.edges)) % 5),
}

# Kernels made of others: of those that count features, which can do all that these can, and of
# those that compare whole graphs.
COMBINED = {
    "mean": MeanKernel("degree+curvature+jaccard"),
    "mean, weights": MeanKernel(
        [FiltrationKernel(depth=2), FiltrationKernel(depth=3, gamma=8.0, normalize=True)],
        weights=[1.0, 0.3],
        n_jobs=2,
    ),
    "mean, other features": MeanKernel(
        [WL(2), ("paths", ShortestPath()), FiltrationKernel(combine="product", beta=1e-4)]
    ),
    "mean, exact": MeanKernel(
        [
            FiltrationKernel(WeisfeilerLehman(depth=depth, exact=True), weight="triangles")
            for depth in (1, 2)
        ]
    ),
    "mean, smaller masses": MeanKernel.of_weights("degree+core", mass="min", depth=2),
    "Gaussian": GaussianKernel(FiltrationKernel(weight="triangles"), 2.0),
    "Gaussian, smaller masses": GaussianKernel(FiltrationKernel(mass="min"), 4.0),
    "Gaussian of paths": GaussianKernel(ShortestPath(n_jobs=2), 30.0),
    "Gaussian of a mean": GaussianKernel(MeanKernel.of_weights("degree+core", depth=2), 4.0),
    "mean of Gaussians": MeanKernel(
        [GaussianKernel(MeanKernel([VEHist(), ShortestPath()]), 4.0), MeanKernel("core+degree")],
        weights=[2, 1],
    ),
}
WHOLE_GRAPHS = {
    "mean": MeanKernel([FiltrationKernel(), WassersteinWL(2), CoreWL(2)], weights=[1, 2, 4]),
    "Gaussian": GaussianKernel(PersistentWL(2, cycles=True), 3.0),
    "Gaussian of a mean": GaussianKernel(MeanKernel([CoreWL(1), ShortestPath()]), 8.0),
}

# Baselines: those that are positive semi-definite, those whose draws depend on the order of
# vertices, and those that need attributes.
SAMPLED = GraphletSampling(4, n_samples=50)
PSD = {
    "vertices and edges": VEHist(),
    "all graphlets": GraphletSampling(3, sampling=False),
    "sampled graphlets": SAMPLED,
    "shortest paths": ShortestPath(),
    "subtrees": WL(2),
    "cyclic patterns": CyclicPattern(5),
    "optimal assignment": WLOptimalAssignment(2),
    "Wasserstein": WassersteinWL(2, gamma=2.0),
    "Wasserstein, emd": WassersteinWL(2, gamma=2.0, solver="emd"),
    "persistence, cycles": PersistentWL(2, cycles=True),
    "persistence, p=2": PersistentWL(1, p=2, tau=0.3),
    "cores": CoreWL(2),
    "cores, edge labels": CoreWL(2, edge_labels="auto"),
    "persistence, uniform": PersistentWL(2, metric="uniform", cycles=True),
}
BASELINES = {**PSD, "Wasserstein, continuous": WassersteinWL(2, embedding="continuous")}

# Baselines of which matrices of many depths, and gammas, are made in one pass.
GRIDS = {
    "subtrees": WL(1),
    "subtrees, edge labels": WL(1, edge_labels="auto", normalize=True),
    "optimal assignment": WLOptimalAssignment(1),
    "optimal assignment, edge labels": WLOptimalAssignment(
        1, edge_labels="auto", normalize=True, n_jobs=2
    ),
    "cores": CoreWL(1),
    "cores, edge labels": CoreWL(1, edge_labels="auto", normalize=True, n_jobs=2),
    "persistence": PersistentWL(1, cycles=True),
    "persistence, p=2": PersistentWL(
        1, p=2, tau=0.3, cycles=True, counts=True, normalize=True, n_jobs=2
    ),
    "Wasserstein": WassersteinWL(1, n_jobs=2),
    "Wasserstein, emd": WassersteinWL(1, solver="emd", normalize=True),
    "Wasserstein, continuous": WassersteinWL(1, embedding="continuous"),
}
