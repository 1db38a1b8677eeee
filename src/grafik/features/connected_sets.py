"""How many connected sets of five vertices there are, without visiting them."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import part_of
from ..graphs.batch import Graphs
from ..weights.edges import ends_of

_DESCENTS = 10_000


def most_connected_sets(graphs: Graphs) -> NDArray[np.float64]:
    """Return for each graph how many connected sets there are at most: its trees on 5 vertices.

    Examples
    --------
    The cycle of six vertices has six paths on five vertices, and no other trees on five:

    >>> from grafik import Graphs
    >>> from grafik.features.connected_sets import most_connected_sets
    >>> ring = [(v, (v + 1) % 6) for v in range(6)]
    >>> most_connected_sets(Graphs.from_edge_lists([ring])).tolist()
    [6.0]
    """
    trees = _trees(graphs)
    return np.bincount(part_of(graphs.node_ptr), trees, len(graphs)).astype(np.float64)


def _trees(graphs: Graphs) -> NDArray[np.float64]:
    """Return the number of trees on 5 vertices by one of their vertices: at most, as walks count.

    A tree is a path, of which each end counts one half, or has a vertex of three or four others.
    """
    u, v = ends_of(graphs)
    tail, head = np.concatenate([u, v]), np.concatenate([v, u])
    degrees = graphs.degrees.astype(np.float64)
    walks = np.ones(len(tail))
    for _ in range(3):  # one step more that does not turn back
        ending = np.bincount(head, walks, len(degrees))
        walks = ending[tail] - np.roll(walks, len(u))
    paths = np.bincount(head, walks, len(degrees)) / 2
    beyond = np.bincount(tail, degrees[head] - 1, len(degrees))
    forks = beyond * (degrees - 1) * (degrees - 2) / 2
    stars = degrees * (degrees - 1) * (degrees - 2) * (degrees - 3) / 24
    found: NDArray[np.float64] = paths + forks + stars
    return found


def connected_sets(graphs: Graphs) -> float:
    """Estimate the number of connected sets in all graphs, from random ways down (Knuth).

    A set grows from its smallest vertex as where all are visited. The number of choices on the way
    to one of them, multiplied, is on average the number of all.
    """
    random, chances = Random(0), _trees(graphs)
    chances += chances.mean()  # a vertex that no tree is counted at can be the smallest of its set
    chances /= chances.sum()
    roots = random.choices(range(len(chances)), chances.tolist(), k=_DESCENTS)
    indptr, neighbors = graphs.adjacency.indptr, graphs.adjacency.neighbors
    base = np.repeat(graphs.node_ptr[:-1], graphs.n_nodes)

    def around(v: int) -> set[int]:
        return set((base[v] + neighbors[indptr[v] : indptr[v + 1]]).tolist())

    total = 0.0
    for root in roots:
        found = 1.0 / chances[root]
        touched = around(root) | {root}
        extension = [v for v in sorted(touched) if v > root]
        for _ in range(3):
            if not extension:
                break
            found *= len(extension)
            at = random.randrange(len(extension))
            new = around(extension[at]) - touched
            extension = extension[at + 1 :] + [v for v in sorted(new) if v > root]
            touched |= new
        total += found * len(extension)
    return total / _DESCENTS
