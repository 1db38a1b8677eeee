"""Exact one-dimensional k-means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .offsets import offsets

MAX_CLUSTERS = 255
# The cost of every interval of points is tabulated as long as (number of distinct points)^2 times
# (number of clusters) is at most this. Beyond it, ckmeans of all points is faster.
_MAX_TABLE = 1 << 22


def cluster_starts(
    distinct: NDArray[np.float64], counts: NDArray[np.int64], n_clusters: int
) -> NDArray[np.int64]:
    """Return where the clusters of points start that have the least squared distances.

    Parameters
    ----------
    distinct : ndarray
        Different points, increasing, more than there are clusters.
    counts : ndarray
        How often each of them occurs.
    n_clusters : int
        At most ``MAX_CLUSTERS``.

    Returns
    -------
    ndarray of int64
        Position in `distinct` of the least point of each cluster, increasing.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.arrays.kmeans import cluster_starts
    >>> cluster_starts(np.array([0.0, 1.0, 7.0, 9.0]), np.array([5, 1, 1, 2]), 2)
    array([0, 2])
    """
    # Squares of large points overflow; scaling does not change the clusters.
    half = distinct / 2
    unit = (half - half[0]) / (half[-1] - half[0])
    if len(unit) ** 2 * n_clusters <= _MAX_TABLE:
        return _weighted_clusters(unit, counts, n_clusters)
    starts = _clusters(np.repeat(unit, counts), n_clusters)
    return np.unique(np.searchsorted(np.cumsum(counts), starts, side="right"))


def _weighted_clusters(
    points: NDArray[np.float64], counts: NDArray[np.int64], n_clusters: int
) -> NDArray[np.int64]:
    """Cluster sorted points by exact one-dimensional k-means; return where clusters start.

    This is dynamic programming over the cost of every interval, so for few points only. Ties go to
    the clustering with the latest starts.
    """
    n = len(points)
    # Distances from the first point of each interval, so that nothing cancels.
    apart = np.triu(points[None, :] - points[:, None])
    mass = np.cumsum(np.triu(np.broadcast_to(counts, (n, n))), axis=1)
    moment, second = (np.cumsum(counts * apart**power, axis=1) for power in (1, 2))
    cost = np.full((n, n), np.inf)  # of one cluster from point i to point j
    i, j = np.triu_indices(n)
    cost[i, j] = np.maximum(second[i, j] - moment[i, j] ** 2 / mass[i, j], 0.0)
    best, starts = cost[0], np.zeros((n_clusters, n), np.int64)
    for cluster in range(1, n_clusters):
        total = np.full((n, n), np.inf)
        np.add(best[:-1, None], cost[1:], out=total[1:])
        starts[cluster] = n - 1 - np.argmin(total[::-1], axis=0)
        best = np.min(total, axis=0)
    chosen, end = [], n - 1
    for cluster in range(n_clusters - 1, -1, -1):
        chosen.append(int(starts[cluster, end]))
        end = chosen[-1] - 1
    return np.array(chosen[::-1])


def _clusters(points: NDArray[np.float64], n_clusters: int) -> NDArray[np.int64]:
    """Return the same for many points, each counted once."""
    from ckmeans import ckmeans

    return offsets([len(cluster) for cluster in ckmeans(points, n_clusters)])[:-1]
