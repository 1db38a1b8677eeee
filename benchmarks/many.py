"""What is measured with more and more graphs: each function prepares, and returns the call."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.svm import SVC, LinearSVC

from grafik import FiltrationEmbedding, FiltrationKernel, GraphIndex, Graphs

from .ours import PAPER_LABELS
from .peers import grakel_wl

# As docs/embeddings.md recommends; machines as in embedding.py.
C, LINEAR_C, TOLERANCE = 8.0, 4.0, 1.0
N_QUERIES = 100


def gram(graphs: Graphs) -> Callable:
    """Prepare the Gram matrix in memory."""
    return lambda: _kernel().fit_transform(graphs[:])


def machine(graphs: Graphs, y: np.ndarray) -> Callable:
    """Prepare the Gram matrix and a kernel machine."""
    return lambda: SVC(kernel="precomputed", C=C).fit(_kernel().fit_transform(graphs[:]), y)


def disk(graphs: Graphs) -> Callable:
    """Prepare the Gram matrix on disk, block by block."""

    def call() -> None:
        with tempfile.TemporaryDirectory() as folder:
            _kernel().gram_to(Path(folder) / "K.npy", graphs[:])

    return call


def exact(graphs: Graphs, y: np.ndarray) -> Callable:
    """Prepare exact vectors and a linear machine."""
    return _linear("exact", graphs, y)


def hashed(graphs: Graphs, y: np.ndarray) -> Callable:
    """Prepare hashed vectors and a linear machine."""
    return _linear("hashed", graphs, y)


def index(graphs: Graphs) -> Callable:
    """Prepare an index of the graphs."""
    return lambda: GraphIndex(_kernel().fit(graphs[:])).add(graphs[:])


def query(graphs: Graphs) -> Callable:
    """Prepare the search for the ten most similar graphs of some, in an index of all."""
    built = index(graphs)()
    queries = graphs[:: max(1, len(graphs) // N_QUERIES)][:N_QUERIES]
    return lambda: built.search(queries, top=10)


def grakel(graphs: Graphs) -> Callable:
    """Prepare GraKeL's Weisfeiler-Lehman subtree kernel, depth 5."""
    return grakel_wl(graphs)


def _kernel() -> FiltrationKernel:
    return FiltrationKernel(PAPER_LABELS, normalize=True, n_jobs=-1)


def _linear(method: str, graphs: Graphs, y: np.ndarray) -> Callable:
    def call() -> None:
        vectors = FiltrationEmbedding(PAPER_LABELS, normalize=True, method=method, n_jobs=-1)
        linear = LinearSVC(C=LINEAR_C, tol=TOLERANCE, max_iter=10_000, random_state=0)
        linear.fit(vectors.fit_transform(graphs[:]), y)

    return call
