"""A small grid of parameters, and graphs whose classes overlap."""

import numpy as np

from grafik import datasets

SMALL = {"levels": [1, 3], "depths": [1, 2], "gammas": [1.0], "Cs": [1.0, 32.0]}


def noisy(n=60, n_classes=2, noise=6.0, seed=0):
    graphs, _ = datasets.random_graphs(
        n, n_nodes=(6, 14), density=(0.2, 0.5), n_labels=2, random_state=seed
    )
    score = graphs.n_edges + np.random.default_rng(seed).normal(scale=noise, size=n)
    return graphs, np.array(["few", "many", "most"])[np.argsort(np.argsort(score)) * n_classes // n]
