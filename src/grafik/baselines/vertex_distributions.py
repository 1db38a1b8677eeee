"""Vertices as points: what the Wasserstein Weisfeiler-Lehman kernel transports."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import weights
from ..arrays.compiled import njit
from ..arrays.offsets import frozen, offsets
from ..graphs.batch import Graphs
from ..graphs.label_hashes import wl_labels
from ..graphs.validation import refuse_directed

# Squares of differences of larger numbers overflow, or come close.
_LARGEST = 1e100


@dataclass(frozen=True)
class Distributions:
    """The distinct points of each graph, sorted, and how many vertices are at each of them.

    Attributes
    ----------
    ptr : ndarray of int64, shape (n_graphs + 1,)
        Points ``ptr[g]:ptr[g + 1]`` belong to graph `g`.
    points : ndarray, shape (n_points, width)
        Attributes, or labels.
    width : int
        Number of columns of the points for each round.
    counts : ndarray of float64, shape (n_points,)
    digests : ndarray of bytes, shape (n_graphs,)
        Equal for graphs with the same distribution, and in a fixed order for others.
    """

    ptr: NDArray[np.int64]
    points: NDArray[Any]
    width: int
    counts: NDArray[np.float64]
    digests: NDArray[np.bytes_]

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def up_to(self, depth: int) -> Distributions:
        """Return the distributions after `depth` rounds."""
        n_columns = (depth + 1) * self.width
        if n_columns == self.points.shape[1]:
            return self
        return _distributions(self.ptr, self.points[:, :n_columns], self.width, self.counts)


@dataclass(frozen=True)
class LabelSequences:
    """Vertices as sequences of their Weisfeiler-Lehman labels."""

    depth: int

    def __call__(self, graphs: Graphs, n_jobs: int | None) -> Distributions:
        """Embed the vertices of a batch."""
        points = wl_labels(graphs, self.depth, n_jobs).T
        return _distributions(graphs.node_ptr, points, 1, np.ones(len(points)))


@dataclass(frozen=True)
class Attributes:
    """Vertices as their attributes, averaged with those of their neighbours round by round."""

    depth: int
    edge_weight: Any

    def __call__(self, graphs: Graphs, n_jobs: int | None) -> Distributions:
        """Embed the vertices of a batch."""
        refuse_directed(graphs, "embedding='continuous'")
        given = graphs.node_attributes
        if given is None:
            if graphs.node_ptr[-1] > 0:
                raise ValueError(
                    "embedding='continuous' needs node attributes, got graphs without any"
                )
            given = np.empty((0, 1))
        weight = np.ones(len(graphs.edges))
        if self.edge_weight is not None:
            weight = weights.compute(self.edge_weight, graphs)
        width = given.shape[1]
        points = np.empty((len(given), (self.depth + 1) * width))
        points[:, :width] = given
        with np.errstate(over="ignore"):  # refused below
            _average(graphs.node_ptr, graphs.edge_ptr, graphs.adjacency, weight, width, points)
        largest = np.abs(points).max(initial=0.0)
        if not largest < _LARGEST:
            raise ValueError(
                f"node attributes must stay below {_LARGEST} in all rounds, got {largest}; bring "
                "attributes and edge weights to a smaller scale"
            )
        points += 0.0  # -0.0 becomes 0.0
        return _distributions(graphs.node_ptr, points, width, np.ones(len(points)))


def _distributions(
    ptr: NDArray[np.int64], points: NDArray[Any], width: int, masses: NDArray[np.float64]
) -> Distributions:
    """Put equal points of each graph together, and add up their masses, which are integers."""
    parts, counts, digests = [], [], []
    for start, stop in pairwise(ptr.tolist()):
        here, mass = points[start:stop], masses[start:stop]
        order = np.lexsort(here.T[::-1])
        here, mass = here[order], mass[order]
        new = np.ones(len(here), bool)
        new[1:] = (here[1:] != here[:-1]).any(axis=1)
        firsts = np.flatnonzero(new)
        parts.append(here[firsts])
        counts.append(np.add.reduceat(mass, firsts) if len(firsts) else mass)
        digest = blake2b(np.ascontiguousarray(parts[-1]).tobytes(), digest_size=16)
        digest.update(counts[-1].astype(np.int64).tobytes())
        digests.append(digest.hexdigest())
    return Distributions(
        frozen(offsets([len(part) for part in parts])),
        frozen(np.ascontiguousarray(np.concatenate([points[:0], *parts]))),
        width,
        frozen(np.concatenate([np.empty(0), *counts])),
        frozen(np.array(digests, "S32")),
    )


@njit(cache=True, nogil=True)
def _average(node_ptr, edge_ptr, adjacency, weight, width, points):
    """Fill in the rounds one after the other.

    Terms are added from the smallest to the largest, so the order of the vertices changes no bit.
    """
    indptr, neighbors, edge_ids = adjacency.indptr, adjacency.neighbors, adjacency.edge_ids
    for graph in range(len(node_ptr) - 1):
        first, edge0 = node_ptr[graph], edge_ptr[graph]
        for column in range(width, points.shape[1]):
            for v in range(first, node_ptr[graph + 1]):
                degree = indptr[v + 1] - indptr[v]
                mean = 0.0
                if degree > 0:
                    terms = np.empty(degree)
                    for i in range(degree):
                        at = indptr[v] + i
                        before = points[first + neighbors[at], column - width]
                        terms[i] = weight[edge0 + edge_ids[at]] * before
                    total = 0.0
                    for term in np.sort(terms):
                        total += term
                    mean = total / degree
                points[v, column] = 0.5 * (points[v, column - width] + mean)
