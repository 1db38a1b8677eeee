"""What is measured of grafik: each function prepares, and returns the call to be timed.

Every call gets a new view of the batch, because a batch remembers its neighbour lists: to make them
is part of the work of a user who computes one matrix.
"""

from collections.abc import Callable

from grafik import FiltrationKernel, Graphs, baselines
from grafik.features import ShortestPaths, WeisfeilerLehman

# The paper's features, as other libraries have them: edge labels do not count.
PAPER_LABELS = WeisfeilerLehman(edge_labels=False)
GRID_DEPTHS = range(1, 6)
GRID_GAMMAS = [2.0**e for e in (-12, -8, -5, -3, -1, 0, 1, 3, 5, 8, 12)]


def gram(graphs: Graphs, depth: int = 5, n_jobs: int = -1, **options: object) -> Callable:
    """Prepare the Gram matrix of the filtration kernel with Weisfeiler-Lehman labels."""

    def call() -> object:
        features = WeisfeilerLehman(depth, edge_labels=False)
        kernel = FiltrationKernel(features, n_jobs=n_jobs, **options)
        return kernel.fit_transform(graphs[:])

    return call


def paths(graphs: Graphs) -> Callable:
    """Prepare the shortest-path kernel: one level."""
    kernel = FiltrationKernel(ShortestPaths(), n_levels=1, n_jobs=-1)
    return lambda: kernel.fit_transform(graphs[:])


def grid(graphs: Graphs, n_levels: int = 3) -> Callable:
    """Prepare the Gram matrices of five depths and eleven gammas, each looked at and let go."""
    return grid_of(graphs, GRID_DEPTHS, GRID_GAMMAS, n_levels=n_levels, n_jobs=-1)


def grid_of(graphs: Graphs, depths: object, gammas: object, **options: object) -> Callable:
    """Prepare the Gram matrices of these depths and gammas."""
    options = {"features": PAPER_LABELS, **options}

    def call() -> None:
        for _ in FiltrationKernel(**options).gram_grid(graphs[:], depths=depths, gammas=gammas):
            pass

    return call


def baseline(graphs: Graphs, name: str, **options: object) -> Callable:
    """Prepare a baseline."""
    kernel = getattr(baselines, name)(n_jobs=-1, **options)
    return lambda: kernel.fit_transform(graphs[:])
