"""A batch of graphs to be embedded."""

import pytest

from grafik import datasets


@pytest.fixture(scope="module")
def batch():
    return datasets.random_graphs(60, n_nodes=(5, 15), density=(0.1, 0.4), n_labels=3)
