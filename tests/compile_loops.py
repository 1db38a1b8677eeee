"""Compile the loops of grafik, which numba keeps; what is compiled already takes seconds."""

import os
import tempfile
from pathlib import Path

import numpy as np

from all_kernels import (
    BASELINES,
    COMBINED,
    EXTRACTORS,
    GRIDS,
    KERNELS,
    LABELS,
    SAMPLING,
    STRUCTURAL,
)
from grafik import (
    FiltrationClassifier,
    FiltrationEmbedding,
    FiltrationKernel,
    GraphIndex,
    Graphs,
    datasets,
    explain_pair,
    isomorphism_test,
    load,
    weights,
)
from grafik.features import WeisfeilerLehman
from grafik.plots.layout import layout

MANY_LEVELS = {"weight": "walks", "thresholds": "distinct"}


def main():
    """Compute a little of everything, in two processes where one can be forked."""
    plain, _ = datasets.random_graphs(12, n_nodes=(3, 8), density=0.5, n_labels=2)
    shape = plain.node_ptr, plain.edge_ptr, plain.edges
    values, kinds = np.arange(plain.node_ptr[-1]) / 3, np.arange(len(plain.edges)) % 2
    graphs = Graphs(*shape, node_labels=plain.node_labels, node_attributes=values)
    bonds = Graphs(*shape, node_labels=plain.node_labels, edge_labels=kinds)
    kernel = FiltrationKernel(normalize=True).fit(graphs)  # which both of them need
    child = os.fork() if hasattr(os, "fork") else None
    if not child:
        features_and_weights(graphs)
    if child != 0:
        what_uses_kernels(kernel, graphs, bonds)
    if child:
        os.waitpid(child, 0)


def features_and_weights(graphs):
    """Compute kernels of all features, and all weights."""
    many = FiltrationKernel(combine="product", **MANY_LEVELS)
    of_features = map(FiltrationKernel, [*EXTRACTORS, *SAMPLING, *LABELS])
    for kernel in [*KERNELS.values(), *COMBINED.values(), many, *of_features]:
        kernel.fit(graphs)
        kernel.transform(graphs[:3])
        kernel.diagonal(graphs)
    for weight in [*(weights.NAMES[name] for name in STRUCTURAL), weights.Walks(100)]:
        weight(graphs)


def what_uses_kernels(kernel, graphs, bonds):
    """Search, explain, embed and classify, and compute baselines."""
    index = GraphIndex(kernel).add(graphs)
    with tempfile.TemporaryDirectory() as folder:
        kernel.gram_to(Path(folder) / "matrix.npy", graphs)
        index.save(Path(folder) / "index")
        for one in (index, load(Path(folder) / "index")):
            for approximate in (False, True):
                one.search(graphs[:2], approximate=approximate)
    for exact in (True, False):
        labels = WeisfeilerLehman(2, edge_labels=True, exact=exact)
        explain_pair(FiltrationKernel(labels).fit(bonds), bonds[0], bonds[1])
    explain_pair(kernel, graphs[0], graphs[1])
    for batch in (graphs, bonds):
        isomorphism_test(batch[0], batch[0])
    layout(graphs[0])
    for options in ({}, {"method": "hashed"}, {"mass": "min"}, MANY_LEVELS):
        embedding = FiltrationEmbedding(**options)
        embedding.fit_transform(graphs)
        embedding.transform(graphs[:3])
        embedding.get_feature_names_out()
    for options in ({"levels": [1]}, {"levels": [2]}, MANY_LEVELS):
        model = FiltrationClassifier(depths=[1, 2], **options)
        model.fit(graphs, np.arange(12) % 2).predict(graphs)
    GraphIndex(FiltrationKernel(**MANY_LEVELS)).add(graphs).search(graphs[:2])
    # What the other process has compiled by now comes last.
    for kernel in [*BASELINES.values(), *GRIDS.values()]:
        kernel.fit_transform(graphs)


if __name__ == "__main__":
    main()
