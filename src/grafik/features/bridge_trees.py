"""Loops that find the bridges of filtration graphs, and the trees that these make up."""

import numpy as np

from ..arrays.compiled import njit
from ..arrays.hashing import GOLDEN, mix, mix_other

BRANCH = np.uint64(0xBE5466CF34E90C6C)
TREE = np.uint64(0xC0AC29B7C97C50DD)


@njit(cache=True, nogil=True)
def find_bridges(graph, step, batch, room):
    """Mark the bridges of one filtration graph and return their number (Tarjan's algorithm).

    `entry` numbers the vertices in the order of the search; `low` is the least such number that a
    vertex and those behind it have an edge to. An edge that nothing behind it passes by is a
    bridge.
    """
    first, n = batch.node_ptr[graph], batch.node_ptr[graph + 1] - batch.node_ptr[graph]
    indptr, neighbors, edge_ids = batch.indptr, batch.neighbors, batch.edge_ids
    entry, low, path, slots, bridge = room.entry, room.low, room.path, room.slots, room.bridge
    neighbor_steps = batch.steps
    bridge[: batch.edge_ptr[graph + 1] - batch.edge_ptr[graph]] = False
    entry[:n] = -1
    time, n_bridges = 0, 0
    for root in range(n):
        if entry[root] >= 0:
            continue
        depth = 0
        path[0], slots[0] = root, indptr[first + root]
        entry[root] = low[root] = time
        time += 1
        while depth >= 0:
            u = path[depth]
            if slots[depth] == indptr[first + u + 1]:
                depth -= 1
                if depth >= 0:
                    parent = path[depth]
                    low[parent] = min(low[parent], low[u])
                    if low[u] > entry[parent]:
                        bridge[edge_ids[slots[depth] - 1]] = True
                        n_bridges += 1
                continue
            slot = slots[depth]
            slots[depth] += 1
            v = np.int64(neighbors[slot])
            if neighbor_steps[slot] > step or (depth > 0 and v == path[depth - 1]):
                continue
            if entry[v] >= 0:
                low[u] = min(low[u], entry[v])
            else:
                depth += 1
                path[depth], slots[depth] = v, indptr[first + v]
                entry[v] = low[v] = time
                time += 1
    return n_bridges


@njit(cache=True, nogil=True)
def find_trees(graph, batch, room):
    """Write the hash of each tree of bridges to `room.patterns` and return their number.

    Leaves are taken off layer by layer, each handing the hash of its branch to its only neighbour
    left. The last vertex of a tree is its centre; two that are left together are both.
    """
    first, n = batch.node_ptr[graph], batch.node_ptr[graph + 1] - batch.node_ptr[graph]
    indptr, neighbors, edge_ids = batch.indptr, batch.neighbors, batch.edge_ids
    labels, edge_labels = batch.labels, batch.edge_labels
    bridge, degree, layer, sums = room.bridge, room.degree, room.layer, room.sums
    queue, patterns = room.path, room.patterns
    n_trees, n_queued = 0, 0
    for v in range(n):
        sums[v] = np.uint64(0)
        layer[v] = -1
        degree[v] = 0
        for slot in range(indptr[first + v], indptr[first + v + 1]):
            if bridge[edge_ids[slot]]:
                degree[v] += 1
        if degree[v] == 1:
            queue[n_queued] = v
            layer[v] = 0
            n_queued += 1
    at = 0
    while at < n_queued:
        u = queue[at]
        at += 1
        if degree[u] < 0:
            continue
        own = mix(labels[first + u] * GOLDEN + sums[u] + BRANCH)
        if degree[u] == 0:
            patterns[n_trees] = mix(own ^ TREE)
            n_trees += 1
            continue
        degree[u] = -1
        for slot in range(indptr[first + u], indptr[first + u + 1]):
            v = neighbors[slot]
            if not bridge[edge_ids[slot]] or degree[v] < 0:
                continue
            edge = mix(edge_labels[slot] + TREE)
            if layer[v] == layer[u]:
                other = mix(labels[first + v] * GOLDEN + sums[v] + BRANCH)
                patterns[n_trees] = mix(edge + mix_other(own) + mix_other(other))
                n_trees += 1
                degree[v] = -1
                continue
            sums[v] += mix_other(own ^ edge)
            degree[v] -= 1
            if degree[v] == 1:
                queue[n_queued] = v
                layer[v] = layer[u] + 1
                n_queued += 1
    return n_trees
