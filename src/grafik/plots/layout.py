"""Where vertices are drawn: near their neighbours, and in the same place every time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components, shortest_path

from ..arrays.compiled import njit
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs

# The distances of all pairs are kept: this many vertices take 32 MB and some seconds.
MAX_VERTICES = 2000
# Each row: the most vertices, how many random starts to try, and rounds of descent.
_EFFORT = ((30, 10, 300), (100, 4, 120), (500, 1, 60), (MAX_VERTICES, 1, 16))
# With more edges per vertex than this, all vertices are near each other: `_lengths` spreads them.
_DENSE = 2.0


def one_graph(graph: Any) -> Graphs:
    """Return a batch of one graph; refuse several graphs or none."""
    batch = as_graphs(graph)
    if len(batch) != 1:
        raise ValueError(f"a picture shows one graph, got {len(batch)}; pick one, as in graphs[0]")
    return batch


def layout(graph: Any, lengths: ArrayLike | None = None) -> NDArray[np.float64]:
    r"""Return positions of vertices whose distances are like those in the graph.

    .. math:: \min_x \sum_{u < v} d(u, v)^{-2} \, (\lVert x_u - x_v \rVert - d(u, v))^2

    by stochastic gradient descent [1]_ with a fixed seed. Components stand side by side, the
    largest first.

    Parameters
    ----------
    graph : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
        It has at most 2000 vertices.
    lengths : array of shape (n_edges,), optional
        Positive length of each edge; by default 1, but in dense graphs an edge is longer the more
        neighbours its ends do not share, so that clusters stand together.

    Returns
    -------
    ndarray of shape (n_nodes, 2)

    References
    ----------
    .. [1] Zheng, Pawar, Goodman: Graph Drawing by Stochastic Gradient Descent, TVCG 2019.

    Examples
    --------
    >>> import networkx as nx
    >>> from grafik.plots import layout
    >>> x = layout(nx.cycle_graph(6))
    >>> x.shape, bool(abs(x).max() < 3)
    ((6, 2), True)
    """
    batch = one_graph(graph)
    n = int(batch.node_ptr[-1])
    if n > MAX_VERTICES:
        raise ValueError(
            f"only graphs of at most {MAX_VERTICES} vertices can be drawn, this one has {n}; "
            "give positions of your own, or draw a part of it"
        )
    values = _lengths(batch) if lengths is None else np.asarray(lengths, np.float64)
    if values.shape != (len(batch.edges),) or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(
            f"lengths must be a positive number for each of {len(batch.edges)} edges, "
            f"got {lengths!r}"
        )
    if n == 0:
        return np.empty((0, 2))
    # The median edge is one unit long.
    values = values / np.median(values) if len(values) else values
    matrix = sparse.coo_matrix((values, (batch.edges[:, 0], batch.edges[:, 1])), shape=(n, n))
    _, component = connected_components(matrix, directed=False)
    sizes = np.bincount(component)
    places = np.empty((n, 2))
    parts = []
    for which in np.argsort(-sizes, kind="stable"):
        members = np.flatnonzero(component == which)
        distances = shortest_path(matrix.tocsr()[members][:, members], directed=False)
        places[members] = _turned(_settled(distances))
        parts.append(members)
    _side_by_side(places, parts)
    return places


def placed(batch: Graphs, positions: ArrayLike | None) -> NDArray[np.float64]:
    """Return the positions that were given, checked, or those of :func:`layout`."""
    n = int(batch.node_ptr[-1])
    places = layout(batch) if positions is None else np.asarray(positions, np.float64)
    if places.shape != (n, 2) or not np.isfinite(places).all():
        raise ValueError(f"positions must be {n} points in the plane, got shape {places.shape}")
    return places


def _lengths(batch: Graphs) -> NDArray[np.float64]:
    n = int(batch.node_ptr[-1])
    if len(batch.edges) <= _DENSE * n:
        return np.ones(len(batch.edges))
    u, v = batch.edges.T
    ones = np.ones(2 * len(u), np.int64)
    adjacency = sparse.csr_matrix((ones, (np.r_[u, v], np.r_[v, u])), shape=(n, n))
    adjacency.sum_duplicates()  # opposite edges of a directed graph, which count once
    adjacency.data[:] = 1
    shared = np.asarray((adjacency @ adjacency)[u, v]).ravel()
    degrees = np.diff(adjacency.indptr)
    apart: NDArray[np.float64] = np.sqrt(degrees[u] + degrees[v] - 2.0 * shared)
    return apart


def _settled(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the layout of one component, the best of several random starts."""
    n = len(distances)
    if n <= 2:
        return np.column_stack([np.arange(n) * distances.max(), np.zeros(n)])
    u, v = np.triu_indices(n, 1)
    wanted = distances[u, v]
    starts, rounds = next(effort for most, *effort in _EFFORT if n <= most)
    best, least = np.empty((n, 2)), np.inf
    for seed in range(starts):
        random = np.random.default_rng(seed)
        found = random.uniform(0, wanted.max(), (n, 2))
        order = np.array([random.permutation(len(u)) for _ in range(4)])
        _descend(found, u, v, wanted, order, rounds)
        apart = np.hypot(*(found[u] - found[v]).T)
        stress = float((((apart - wanted) / wanted) ** 2).sum())
        if stress < 0.999 * least:
            best, least = found, stress
    return best


@njit(cache=True, nogil=True)
def _descend(
    x: NDArray[np.float64],
    u: NDArray[np.int64],
    v: NDArray[np.int64],
    wanted: NDArray[np.float64],
    order: NDArray[np.int64],
    rounds: int,
) -> None:
    """Move the ends of each pair towards their distance, by less and less."""
    first, last = wanted.max() ** 2, 0.01 * wanted.min() ** 2
    for step in range(rounds):
        rate = first * (last / first) ** (step / (rounds - 1))
        for p in order[step % len(order)]:
            i, j, d = u[p], v[p], wanted[p]
            dx, dy = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1]
            now = max((dx * dx + dy * dy) ** 0.5, 1e-9)
            move = min(rate / (d * d), 1.0) * (now - d) / 2 / now
            x[i, 0] -= move * dx
            x[i, 1] -= move * dy
            x[j, 0] += move * dx
            x[j, 1] += move * dy


def _turned(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a layout turned so that its long side lies flat and vertex 0 at the lower left."""
    centred = x - x.mean(axis=0)
    a, b = centred.T
    angle = 0.5 * np.arctan2(2 * (a * b).sum(), (a * a).sum() - (b * b).sum())
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    flat = centred @ turn
    return np.asarray(flat * np.where(flat[0] > 1e-6, -1.0, 1.0))


def _side_by_side(places: NDArray[np.float64], parts: list[NDArray[np.int64]]) -> None:
    """Put components into rows of about the same width, so that the whole is nearly square."""
    boxes = [np.ptp(places[part], axis=0) + 1.0 for part in parts]
    widest = max(max(box[0] for box in boxes), np.sqrt(1.6 * sum(box.prod() for box in boxes)))
    x = y = row_height = 0.0
    for part, box in zip(parts, boxes, strict=True):
        if x > 0 and x + box[0] > widest + 1e-9:
            x, y, row_height = 0.0, y - row_height, 0.0
        corner = places[part].min(axis=0), places[part].max(axis=0)
        places[part] += np.array([x - corner[0][0], y - corner[1][1]])
        x, row_height = x + box[0], max(row_height, box[1])
