"""The vectors that are made of many graphs; workers of a cluster import this."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

import grafik
from grafik import FiltrationKernel, Graphs

N_COLUMNS = 2**16


def embedding(graphs: Graphs, n_jobs: int | None) -> Any:
    """Return a fitted transformer from graphs to hashed vectors: three levels, depth 5."""
    hashed = getattr(grafik, "FiltrationEmbedding", None)
    if hashed is not None:
        return hashed(method="hashed", n_components=N_COLUMNS, n_jobs=n_jobs).fit(graphs)
    return HashedMasses(n_jobs).fit(graphs)


class HashedMasses(TransformerMixin, BaseEstimator):
    """The mass of each feature of a filtration kernel, added to a column that its hash chooses."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, graphs: Graphs, y: object = None) -> "HashedMasses":
        """Learn the thresholds."""
        self.kernel_ = FiltrationKernel().fit(graphs[:1])
        self.kernel_.filtration_.fit(graphs)
        return self

    def transform(self, graphs: Graphs) -> sparse.csr_matrix:
        """Return a row for each graph."""
        self.kernel_.n_jobs = self.n_jobs
        found = self.kernel_._count_new(graphs)
        columns = (found.features % np.uint64(N_COLUMNS)).astype(np.int32)
        matrix = found.masses.astype(float), columns, found.graph_ptr
        rows = sparse.csr_matrix(matrix, shape=(len(found), N_COLUMNS))
        rows.sum_duplicates()
        return rows
