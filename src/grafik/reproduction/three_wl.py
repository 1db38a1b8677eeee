"""Weisfeiler-Lehman on pairs of vertices, exact: what weights are compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs


def three_wl(graphs: Graphs) -> NDArray[np.int64]:
    """Return a number for each graph, equal for graphs that 3-WL cannot tell apart.

    This is the folklore variant on pairs, which tells as much apart as 3-WL on triples does: a pair
    ``(u, v)`` gets as its colour all pairs of colours of ``(u, w)`` and ``(w, v)``, for every `w`.
    Labels are not used. It is exact: colours are numbered by what they stand for, not by hashes.

    Parameters
    ----------
    graphs : Graphs
        Undirected. Their colours are refined together, in time that grows with the cube of the
        number of vertices.

    Examples
    --------
    The prism and K(3, 3) differ, but the rook's graph and the Shrikhande graph do not:

    >>> from grafik import datasets
    >>> from grafik.reproduction.three_wl import three_wl
    >>> three_wl(datasets.triangle_pair()[0]).tolist()
    [0, 1]
    >>> three_wl(datasets.wl_hard("rook")[0]).tolist()
    [0, 0]
    """
    colours = [_first_colours(graph.n_nodes, graph.edges) for graph in graphs]
    before, found = -1, len({int(colour) for matrix in colours for colour in np.unique(matrix)})
    classes = _classes(colours)
    while found > before and len(set(classes.tolist())) < len(graphs):
        numbers: dict[bytes, int] = {}
        colours = [_refined(matrix, max(found, 3), numbers) for matrix in colours]
        before, found = found, len(numbers)
        classes = _classes(colours)
    return classes


def _first_colours(n: int, edges: NDArray[np.int32]) -> NDArray[np.int64]:
    """Tell vertices, joined pairs and other pairs apart."""
    colours = np.full((n, n), 2)
    colours[edges[:, 0], edges[:, 1]] = colours[edges[:, 1], edges[:, 0]] = 1
    np.fill_diagonal(colours, 0)
    return colours


def _refined(
    colours: NDArray[np.int64], n_colours: int, numbers: dict[bytes, int]
) -> NDArray[np.int64]:
    """Return new colours; `numbers` holds, and gets, the number of each."""
    # Short integers are sorted faster.
    kind = np.int32 if n_colours**2 < 2**31 else np.int64
    second = np.ascontiguousarray(colours.T, kind)
    n = len(colours)
    width = n * second.itemsize
    result = np.empty_like(colours)
    for u in range(n):
        # Row v has the pairs of colours for each w. That of w = u holds the old colour.
        pairs = second + (colours[u] * n_colours).astype(kind)
        pairs.sort(axis=1)
        text = pairs.tobytes()
        result[u] = [
            numbers.setdefault(text[i : i + width], len(numbers))
            for i in range(0, n * width, width)
        ]
    return result


def _classes(colours: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return a number for each graph, by how often it has each colour."""
    known: dict[bytes, int] = {}
    found = []
    for matrix in colours:
        counts = np.column_stack(np.unique(matrix, return_counts=True))
        found.append(known.setdefault(counts.tobytes(), len(known)))
    return np.array(found, np.int64)
