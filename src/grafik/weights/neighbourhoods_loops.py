"""The loop behind triangles, jaccard and curvature, compiled by numba."""

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import loop
from ..graphs.adjacency import Adjacency


@loop
def common_neighbors(
    node_ptr: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    edges: NDArray[np.int32],
    adjacency: Adjacency,
    counts: NDArray[np.float64],
    flag: NDArray[np.uint8],
) -> None:
    """Count, for each edge, the vertices next to both ends, into an array of zeros.

    If the flag is raised, it returns at once.
    """
    indptr, neighbors, _ = adjacency
    for graph in range(len(node_ptr) - 1):
        base = node_ptr[graph]
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            if flag[0] != 0:
                return
            short, long = base + edges[edge, 0], base + edges[edge, 1]
            if indptr[short + 1] - indptr[short] > indptr[long + 1] - indptr[long]:
                short, long = long, short
            # Bisect the longer list: to walk a hub's list for each of its neighbours is quadratic.
            low, end = indptr[long], indptr[long + 1]
            for i in range(indptr[short], indptr[short + 1]):
                wanted = neighbors[i]
                high = end
                while low < high:
                    middle = (low + high) >> 1
                    if neighbors[middle] < wanted:
                        low = middle + 1
                    else:
                        high = middle
                if low < end and neighbors[low] == wanted:
                    counts[edge] += 1.0
