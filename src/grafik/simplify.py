"""Edge lists as people write them, made simple: u < v, sorted, each edge once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Work on about this many edges or vertices at a time: bounds the memory beyond input and output.
_BLOCK = 1 << 20


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


class SimpleEdges(NamedTuple):
    """Edges with u < v, sorted and unique within each graph, and where they came from."""

    edge_ptr: NDArray[np.int64]
    edges: NDArray[np.int32]
    source: NDArray[np.int64] | None
    """Position of each edge in the input; None if nothing moved or nobody asked."""
    again: NDArray[np.int64]
    """For each repeated edge, its position in the input and that of the edge in the output."""
    dropped: Dropped


def simple_edges(
    node_ptr: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    edges: NDArray[Any],
    *,
    refuse_loops: bool,
    refuse_repeats: bool,
    both_ways: bool,
    want_source: bool,
    edge_name: Callable[[int], str],
) -> SimpleEdges:
    """Check every endpoint, turn edges to u < v, sort them within each graph, keep each once.

    Blocks that are in this form already are only checked and copied.

    Parameters
    ----------
    node_ptr, edge_ptr, edges
        As for :class:`grafik.Graphs`, with all but the endpoints checked.
    refuse_loops, refuse_repeats : bool
        Whether a self loop, an edge listed again, is an error.
    both_ways : bool
        Whether it is the custom to list each edge in both directions, as in adjacency matrices,
        so that this does not count as listing it again.
    want_source : bool
        Whether labels or attributes have to be carried over.
    edge_name : callable
        Names the edge at a position of the input, for error messages.
    """
    out = np.empty((len(edges), 2), np.int32)
    n_nodes, n_edges = np.diff(node_ptr), np.diff(edge_ptr)
    source: list[NDArray[np.int64]] = []
    again = [np.empty((0, 2), np.int64)]
    dropped = np.zeros(3, np.int64)
    kept, moved = 0, False
    for start, stop in _blocks(node_ptr, edge_ptr):
        first, last = int(edge_ptr[start]), int(edge_ptr[stop])
        graph = np.repeat(np.arange(start, stop), n_edges[start:stop])
        block = edges[first:last]
        u, v = block.astype(np.int64).T
        _check_endpoints(u, v, block, n_nodes[graph], first, edge_name)
        low, high = np.minimum(u, v), np.maximum(u, v)
        # Vertices are numbered through the block, so a key belongs to one pair of one graph.
        width = int(n_nodes[start:stop].max())
        key = (node_ptr[graph] - node_ptr[start] + low) * width + high
        if (u < v).all() and (key[1:] > key[:-1]).all():
            out[kept : kept + len(u)] = block
            source.append(np.arange(first, last) if want_source else np.empty(0, np.int64))
            kept += len(u)
            continue
        moved = True
        loop = low == high
        order = np.flatnonzero(~loop)
        order = order[np.argsort(key[order], kind="stable")]
        new = np.ones(len(order), bool)
        new[1:] = key[order[1:]] != key[order[:-1]]
        chosen, directed = order[new], _directed(key[order], (u < v)[order])
        if refuse_loops and loop.any():
            _refuse(u, v, int(np.argmax(loop)), "a self loop", first, edge_name)
        repeat = ~directed if both_ways else ~new
        if refuse_repeats and repeat.any():
            _refuse(u, v, int(order[repeat].min()), "listed more than once", first, edge_name)
        opposite = 0 if both_ways else directed.sum() - len(chosen)
        dropped += loop.sum(), (~directed).sum(), opposite
        out[kept : kept + len(chosen), 0] = low[chosen]
        out[kept : kept + len(chosen), 1] = high[chosen]
        if want_source:
            source.append(first + chosen)
            target = kept + np.cumsum(new) - 1
            again.append(np.column_stack([first + order[~new], target[~new]]))
        n_edges[start:stop] = np.bincount(graph[chosen] - start, minlength=stop - start)
        kept += len(chosen)
    out.resize((kept, 2), refcheck=False)
    return SimpleEdges(
        np.concatenate([[0], np.cumsum(n_edges)]),
        out,
        np.concatenate(source) if moved and want_source else None,
        np.concatenate(again),
        Dropped(*dropped.tolist()),
    )


def _blocks(node_ptr: NDArray[np.int64], edge_ptr: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Cut the batch between graphs into blocks no larger than one graph needs."""
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


def _directed(key: NDArray[np.int64], forward: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the first listing of each edge in each direction."""
    marked = np.zeros(len(key), bool)
    marked[np.unique(2 * key + forward, return_index=True)[1]] = True
    return marked


def _refuse(
    u: NDArray[np.int64],
    v: NDArray[np.int64],
    at: int,
    what: str,
    first: int,
    edge_name: Callable[[int], str],
) -> None:
    """Name an edge that is not to be dropped in silence."""
    raise ValueError(
        f"{edge_name(first + at)}: ({u[at]}, {v[at]}) is {what}; "
        "remove it, or pass on_invalid='drop'"
    )
