"""Classes of random graphs, options of models for them, and what explanations add up to."""

import math

import numpy as np

from grafik import Graphs, datasets

GRID = {"levels": [3], "depths": [2], "gammas": [1.0], "Cs": [2.0]}


def together(explanation):
    """Base and contributions of all features."""
    return explanation.base + math.fsum(found.contribution for found in explanation.features)


def training(n_classes):
    """Eight graphs of each class, the denser the higher its number, and the names of classes."""
    parts = [
        datasets.random_graphs(8, 8, density=0.15 + 0.2 * i, n_labels=2, random_state=i)[0]
        for i in range(n_classes)
    ]
    return Graphs.concat(parts), np.repeat([f"class {i}" for i in range(n_classes)], 8)
