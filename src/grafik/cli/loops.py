"""What `grafik warm-up` does so that all loops that people need are compiled."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .. import (
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    GaussianKernel,
    GraphIndex,
    Graphs,
    MeanKernel,
    baselines,
    datasets,
    explain_pair,
    features,
    isomorphism_test,
    load,
    weights,
)
from ..models.digest import digest
from ..models.svm import solver_works

_MANY_LEVELS: dict[str, Any] = {"weight": "walks", "thresholds": "distinct"}
# These need more than edges.
_NEED_ATTRIBUTES = ("attribute", "attribute:small", "node-distance")


def steps() -> list[Callable[[], Any]]:
    """Return calls that together use the loops that people need, with the types that occur.

    Examples
    --------
    >>> from grafik.cli.loops import steps
    >>> gram = steps()[0]()
    >>> gram.shape
    (12, 12)
    """
    plain, _ = datasets.random_graphs(12, n_nodes=(3, 8), density=0.5, n_labels=2)
    shape = plain.node_ptr, plain.edge_ptr, plain.edges
    values, kinds = np.arange(plain.node_ptr[-1]) / 3, np.arange(len(plain.edges)) % 2
    graphs = Graphs(*shape, node_labels=plain.node_labels, node_attributes=values)
    bonds = Graphs(*shape, node_labels=plain.node_labels, edge_labels=kinds)
    classes = np.arange(len(graphs)) % 2
    grids: list[dict[str, Any]] = [{"levels": [1]}, {"levels": [2]}, _MANY_LEVELS]
    embeddings: list[dict[str, Any]] = [{}, {"method": "hashed"}, {"mass": "min"}, _MANY_LEVELS]
    return [
        # What most people call comes first.
        lambda: FiltrationKernel(weight="degree", n_levels=3).fit_transform(bonds),
        *(lambda kernel=kernel: _use(kernel, graphs) for kernel in _kernels()),
        *(lambda weight=weight: weight(graphs) for weight in _weights()),
        *(
            lambda given=given: (
                FiltrationClassifier(depths=[1, 2], **given).fit(graphs, classes).predict(graphs)
            )
            for given in grids
        ),
        solver_works,  # of many or large machines
        lambda: digest(np.eye(1000), np.arange(1000)),
        *(lambda given=given: _embed(given, graphs) for given in embeddings),
        lambda: _search(FiltrationKernel(normalize=True), graphs),
        lambda: _search(FiltrationKernel(**_MANY_LEVELS), graphs),
        *(lambda batch=batch: _explain(batch) for batch in (graphs, bonds)),
        *(lambda kernel=kernel: kernel.fit_transform(graphs) for kernel in _baselines()),
        _large,
    ]


def _large() -> None:
    """Use what is used only for many labels, and for many levels."""
    graphs, _ = datasets.random_graphs(60, n_nodes=300, density=0.02)
    FiltrationKernel(depth=3, n_jobs=2).fit_transform(graphs)
    shape, weight = (graphs.node_ptr, graphs.edge_ptr, graphs.edges), np.arange(len(graphs.edges))
    weighted = Graphs(*shape, edge_attributes=weight / 2)[:3]
    FiltrationKernel(weight="attribute", thresholds="distinct", depth=1).fit_transform(weighted)


def _kernels() -> list[Any]:
    """Return kernels of all features, and all ways to combine levels, masses and kernels."""
    labels, graphlets = features.WeisfeilerLehman, features.Graphlets
    extractors = [
        features.VertexEdgeHistogram(),
        features.ShortestPaths(),
        *(graphlets(size, connected=whole) for size in (3, 4, 5) for whole in (True, False)),
        graphlets(4, sampling=True),
        graphlets(3, sampling=True, connected=False),
        features.CyclicPatterns(),
        features.CyclicPatterns(max_length=20, trees=False),
        labels(2),
        labels(2, edge_labels=False),
        labels(2, exact=True),
    ]
    return [
        FiltrationKernel(normalize=True, n_jobs=2),
        FiltrationKernel(gamma=3.0, **_MANY_LEVELS),
        FiltrationKernel(weight="triangles", mass="min", normalize=True),
        FiltrationKernel(combine="product", gamma=0.1, beta=1e-4),
        FiltrationKernel(combine="product", alpha_delta=7.0, normalize=True),
        FiltrationKernel(combine="product", **_MANY_LEVELS),
        MeanKernel("degree+curvature+jaccard"),
        MeanKernel.of_weights("degree+core", mass="min", depth=2),
        GaussianKernel(FiltrationKernel(weight="triangles"), 2.0),
        GaussianKernel(FiltrationKernel(mass="min"), 4.0),
        *(FiltrationKernel(extractor) for extractor in extractors),
    ]


def _weights() -> list[Any]:
    names = [name for name in weights.NAMES if name not in _NEED_ATTRIBUTES]
    return [*(weights.NAMES[name] for name in names), weights.Walks(100)]


def _baselines() -> list[Any]:
    return [
        baselines.VEHist(),
        baselines.GraphletSampling(3, sampling=False),
        baselines.GraphletSampling(4, n_samples=50),
        baselines.ShortestPath(),
        baselines.WL(2),
        baselines.WL(1, edge_labels="auto", normalize=True),
        baselines.CyclicPattern(5),
        baselines.WLOptimalAssignment(2),
        baselines.WassersteinWL(2),
        baselines.WassersteinWL(1, solver="emd", normalize=True),
        baselines.WassersteinWL(1, embedding="continuous"),
        baselines.PersistentWL(2, cycles=True),
        baselines.PersistentWL(1, p=2, tau=0.3, cycles=True, counts=True),
        baselines.PersistentWL(2, metric="uniform", cycles=True),
        baselines.CoreWL(2),
        baselines.CoreWL(1, edge_labels="auto", normalize=True),
    ]


def _use(kernel: Any, graphs: Graphs) -> None:
    kernel.fit_transform(graphs)
    kernel.transform(graphs[:3])
    kernel.diagonal(graphs)


def _embed(given: dict[str, Any], graphs: Graphs) -> None:
    embedding = FiltrationEmbedding(**given)
    embedding.fit_transform(graphs)
    embedding.transform(graphs[:3])
    embedding.get_feature_names_out()


def _search(kernel: FiltrationKernel, graphs: Graphs) -> None:
    index = GraphIndex(kernel.fit(graphs)).add(graphs)
    with tempfile.TemporaryDirectory() as folder:
        kernel.gram_to(Path(folder) / "matrix.npy", graphs)
        index.save(Path(folder) / "index")
        for one in (index, load(Path(folder) / "index")):
            for approximate in (False, True):
                one.search(graphs[:2], approximate=approximate)


def _explain(graphs: Graphs) -> None:
    from ..plots.layout import layout

    for exact in (True, False):
        kernel = FiltrationKernel(features.WeisfeilerLehman(2, exact=exact)).fit(graphs)
        explain_pair(kernel, graphs[0], graphs[1])
    isomorphism_test(graphs[0], graphs[0])
    layout(graphs[0])
