"""The loop behind the degree weight, compiled by numba."""

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import njit


@njit(cache=True, nogil=True)
def larger_degrees(
    node_ptr: NDArray[np.int64], edge_ptr: NDArray[np.int64], edges: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return, for each edge, the degree of the end that has more neighbours."""
    degrees, larger = np.zeros(node_ptr[-1], np.int64), np.empty(len(edges))
    for graph in range(len(node_ptr) - 1):
        base = node_ptr[graph]
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            degrees[base + edges[edge, 0]] += 1
            degrees[base + edges[edge, 1]] += 1
        for edge in range(edge_ptr[graph], edge_ptr[graph + 1]):
            larger[edge] = max(degrees[base + edges[edge, 0]], degrees[base + edges[edge, 1]])
    return larger
