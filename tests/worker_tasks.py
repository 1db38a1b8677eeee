"""What workers of a cluster do in tests; it stands alone so that they need not import the tests."""

import os
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from grafik import Filtration
from grafik.features import WeisfeilerLehman


def slow_square(number, folder, seconds=0.05):
    """Square a number slowly; a file tells who began it."""
    (Path(folder) / f"{number}-{os.getpid()}").touch()
    time.sleep(seconds)
    return number**2


def deadly():
    """End the worker."""
    os._exit(1)


class LabelCounts(TransformerMixin, BaseEstimator):
    """Counts of Weisfeiler-Lehman labels, hashed into a few columns: plain sparse vectors."""

    def __init__(self, depth=2, n_columns=64, n_jobs=None):
        self.depth = depth
        self.n_columns = n_columns
        self.n_jobs = n_jobs

    def fit(self, graphs, y=None):
        """Learn how the columns are weighted."""
        self.weights_ = 1.0 / (1.0 + self._counts(graphs).sum(axis=0).A1)
        return self

    def transform(self, graphs):
        """Return one row per graph."""
        return sparse.csr_matrix(self._counts(graphs).multiply(self.weights_))

    def _counts(self, graphs):
        filtration = Filtration(n_levels=1).fit(graphs)
        found = WeisfeilerLehman(self.depth).histograms(graphs, filtration)
        columns = (found.features % np.uint64(self.n_columns)).astype(np.int64)
        rows = np.repeat(np.arange(len(found)), np.diff(found.graph_ptr))
        shape = len(found), self.n_columns
        return sparse.coo_matrix((found.masses.astype(float), (rows, columns)), shape).tocsr()
