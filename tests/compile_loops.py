"""Compile the loops of grafik, which numba keeps; what is compiled already takes seconds."""

import numpy as np

from all_kernels import BASELINES, EXTRACTORS, GRIDS, KERNELS, LABELS, SAMPLING, STRUCTURAL
from grafik import (
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    GraphIndex,
    Graphs,
    datasets,
    explain_pair,
    weights,
)


def main():
    """Compute a little of everything."""
    plain, _ = datasets.random_graphs(12, n_nodes=(3, 8), density=0.5, n_labels=2)
    graphs = Graphs(
        plain.node_ptr,
        plain.edge_ptr,
        plain.edges,
        node_labels=plain.node_labels,
        node_attributes=np.arange(plain.node_ptr[-1]) / 3,
    )
    for kernel in [*KERNELS.values(), *map(FiltrationKernel, [*EXTRACTORS, *SAMPLING, *LABELS])]:
        kernel.fit(graphs)
        kernel.transform(graphs[:3])
        kernel.diagonal(graphs)
    for name in STRUCTURAL:
        weights.compute(name, graphs)
    for kernel in [*BASELINES.values(), *GRIDS.values()]:
        kernel.fit_transform(graphs)
    for method in ("exact", "hashed"):
        FiltrationEmbedding(method=method).fit_transform(graphs)
    kernel = FiltrationKernel(normalize=True).fit(graphs)
    index = GraphIndex(kernel).add(graphs)
    for approximate in (False, True):
        index.search(graphs[:2], approximate=approximate)
    explain_pair(kernel, graphs[0], graphs[1])
    FiltrationClassifier(levels=[1, 2], depths=[1]).fit(graphs, np.arange(12) % 2).predict(graphs)


if __name__ == "__main__":
    main()
