"""Edge lists as people write them, made simple: u < v unless directed, sorted, each edge once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.offsets import offsets

# About this many edges or vertices are sorted at a time, to bound the memory for copies.
_BLOCK = 1 << 18


class Dropped(NamedTuple):
    """What was left out when a batch was built.

    Attributes
    ----------
    self_loops : int
        Edges from a vertex to itself.
    duplicates : int
        Edges listed again in the same direction.
    reversed : int
        Edges listed in both directions; one of the two was kept.
    """

    self_loops: int = 0
    duplicates: int = 0
    reversed: int = 0


class Move(NamedTuple):
    """Where the edges of a block go; their labels and attributes must follow.

    Attributes
    ----------
    source : ndarray of int64
        Positions in the input of the edges that are kept.
    start : int
        Position in the output of the first of them; never after its position in the input.
    repeated, target : ndarray of int64
        For each edge that was listed before: its position in the input, and the position in the
        output of the edge that it repeats.
    """

    source: NDArray[np.int64]
    start: int
    repeated: NDArray[np.int64]
    target: NDArray[np.int64]


class SimpleEdges(NamedTuple):
    """Edges sorted and unique within each graph, with u < v unless they are directed."""

    edge_ptr: NDArray[np.int64]
    edges: NDArray[np.int32]
    dropped: Dropped


class Rules(NamedTuple):
    """How edges are read.

    Attributes
    ----------
    directed : bool
        Whether edges have directions, so that (u, v) and (v, u) are two edges.
    refuse_loops, refuse_repeats : bool
        Whether a self loop (an edge listed again) is an error.
    both_ways : bool
        Whether the input lists each edge in both directions by convention, as an adjacency matrix
        does, so that the second direction does not count as listing it again.
    """

    directed: bool
    refuse_loops: bool
    refuse_repeats: bool
    both_ways: bool


def simple_edges(
    node_ptr: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    edges: NDArray[Any],
    rules: Rules,
    edge_name: Callable[[int], str],
    carry: Sequence[Callable[[Move], None]] = (),
) -> SimpleEdges:
    """Return edges sorted within each graph, each once, as u < v unless they are directed.

    Every endpoint is checked. Blocks that already have this form are only checked and copied.

    Parameters
    ----------
    node_ptr, edge_ptr, edges
        As for :class:`grafik.Graphs`; all but the endpoints are checked already.
    rules : Rules
    edge_name : callable
        Names the edge at a position of the input, for error messages.
    carry : sequence of callables
        Each is called with the move of every block in turn, and moves its column along.
    """
    directed, both_ways = rules.directed, rules.both_ways
    out = np.empty((len(edges), 2), np.int32)
    n_nodes, n_edges = np.diff(node_ptr), np.diff(edge_ptr)
    none = np.empty(0, np.int64)
    dropped = np.zeros(3, np.int64)
    kept = 0
    for start, stop in _blocks(node_ptr, edge_ptr):
        first, last = int(edge_ptr[start]), int(edge_ptr[stop])
        graph = np.repeat(np.arange(start, stop), n_edges[start:stop])
        block = edges[first:last]
        u, v = block.astype(np.int64).T
        _check_endpoints(u, v, block, n_nodes[graph], first, edge_name)
        low, high = (u, v) if directed else (np.minimum(u, v), np.maximum(u, v))
        # Vertices are numbered across the block, so a key belongs to one pair of one graph.
        width = int(n_nodes[start:stop].max())
        key = (node_ptr[graph] - node_ptr[start] + low) * width + high
        if (low != high if directed else u < v).all() and (key[1:] > key[:-1]).all():
            out[kept : kept + len(u)] = block
            move = Move(np.arange(first, last), kept, none, none)
        else:
            loop = low == high
            order = np.flatnonzero(~loop)
            order = order[np.argsort(key[order], kind="stable")]
            new = np.ones(len(order), bool)
            new[1:] = key[order[1:]] != key[order[:-1]]
            chosen, either_way = order[new], _either_way(key[order], (u < v)[order])
            repeat = order[~either_way if both_ways else ~new]
            if rules.refuse_loops and loop.any():
                _refuse(edge_name(first + int(np.argmax(loop))), "is a self loop")
            if rules.refuse_repeats and len(repeat):
                _refuse(edge_name(first + int(repeat.min())), "is listed more than once")
            opposite = 0 if both_ways else either_way.sum() - len(chosen)
            dropped += loop.sum(), (~either_way).sum(), opposite
            out[kept : kept + len(chosen), 0] = low[chosen]
            out[kept : kept + len(chosen), 1] = high[chosen]
            target = kept + np.cumsum(new) - 1
            move = Move(first + chosen, kept, first + order[~new], target[~new])
            n_edges[start:stop] = np.bincount(graph[chosen] - start, minlength=stop - start)
        for follow in carry:
            follow(move)
        kept += len(move.source)
    out.resize((kept, 2), refcheck=False)
    return SimpleEdges(offsets(n_edges), out, Dropped(*dropped.tolist()))


def _blocks(node_ptr: NDArray[np.int64], edge_ptr: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield blocks of whole graphs, as (start, stop); a larger graph is a block of its own."""
    start, n_graphs = 0, len(node_ptr) - 1
    while start < n_graphs:
        full = (np.searchsorted(p, p[start] + _BLOCK, "right") - 1 for p in (node_ptr, edge_ptr))
        stop = max(start + 1, min(map(int, full)))
        yield start, stop
        start = stop


def _check_endpoints(
    u: NDArray[np.int64],
    v: NDArray[np.int64],
    given: NDArray[Any],
    n_nodes: NDArray[np.int64],
    first: int,
    edge_name: Callable[[int], str],
) -> None:
    bad = (u < 0) | (v < 0) | (u >= n_nodes) | (v >= n_nodes)
    if not bad.any():
        return
    at = int(np.argmax(bad))
    n = int(n_nodes[at])
    end = 1 if 0 <= u[at] < n else 0
    ids = f"vertex ids run from 0 to {n - 1}" if n else "the graph has no vertices"
    raise ValueError(f"{edge_name(first + at)}: there is no vertex {given[at, end]}; {ids}")


def _either_way(key: NDArray[np.int64], forward: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the first listing of each edge in each direction."""
    marked = np.zeros(len(key), bool)
    marked[np.unique(2 * key + forward, return_index=True)[1]] = True
    return marked


def _refuse(edge: str, what: str) -> None:
    raise ValueError(f"{edge} {what}; remove it, or pass on_invalid='drop'")
