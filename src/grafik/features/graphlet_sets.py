"""Loops over sets of vertices: the class of each set is followed through the filtration."""

import numpy as np

from ..arrays.compiled import njit
from ..arrays.hashing import GOLDEN, mix, mix_other


@njit(cache=True, nogil=True)
def visit_all(start, stop, filtered, kinds, size, connected, changes, flag):
    """Visit all sets once, and count at each step how many sets more or fewer are of each class.

    A set grows from its smallest vertex, the root. At each depth `extension` holds the vertices
    that may still join: for connected sets the neighbours of the set (Wernicke's ESU), otherwise
    all vertices above the root. One that was left out once stays out for the rest of the branch.
    `links[d, v]` is the step of the edge between `v` and the member at depth `d`. If the flag is
    raised, the rest is left out.
    """
    node_ptr, adjacency, steps = filtered
    indptr, neighbors = adjacency.indptr, adjacency.neighbors
    neighbor_steps, step_ptr = steps.of_neighbors, steps.ptr
    none = np.int32(2**31 - 1)
    max_nodes = 0
    for graph in range(start, stop):
        max_nodes = max(max_nodes, node_ptr[graph + 1] - node_ptr[graph])
    links = np.full((size - 1, max_nodes), none, np.int32)
    extension = np.empty((size - 1, max_nodes), np.int32)
    n_extension, position = np.zeros(size, np.int64), np.zeros(size, np.int64)
    members = np.zeros(size, np.int64)
    # The edges between the members so far, and those of a whole set, as step * 16 + bit.
    inner, n_inner = np.zeros((size - 1, 10), np.int64), np.zeros(size - 1, np.int64)
    edges = np.zeros(10, np.int64)
    for graph in range(start, stop):
        first, n = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
        for root in range(n):
            depth = 0
            candidate = root
            while depth >= 0:
                if candidate >= 0:
                    # Take the candidate in, as the member at this depth.
                    n_new = 0
                    if depth == 0:
                        if not connected:
                            for v in range(root + 1, n):
                                extension[0, n_new] = v
                                n_new += 1
                    else:
                        for i in range(position[depth - 1], n_extension[depth - 1]):
                            extension[depth, n_new] = extension[depth - 1, i]
                            n_new += 1
                        for i in range(n_inner[depth - 1]):
                            inner[depth, i] = inner[depth - 1, i]
                    n_inner[depth] = n_inner[depth - 1] if depth > 0 else 0
                    for d in range(depth):
                        if links[d, candidate] != none:
                            bit = depth * (depth - 1) // 2 + d
                            inner[depth, n_inner[depth]] = links[d, candidate] * 16 + bit
                            n_inner[depth] += 1
                    if connected:
                        for slot in range(indptr[first + candidate], indptr[first + candidate + 1]):
                            v = neighbors[slot]
                            fresh = v > root
                            for d in range(depth):
                                fresh = fresh and links[d, v] == none
                            if fresh:
                                extension[depth, n_new] = v
                                n_new += 1
                    for slot in range(indptr[first + candidate], indptr[first + candidate + 1]):
                        links[depth, neighbors[slot]] = neighbor_steps[slot]
                    members[depth] = candidate
                    n_extension[depth], position[depth] = n_new, 0
                if depth == size - 2:
                    if flag[0] != 0:
                        return
                    for i in range(n_extension[depth]):
                        v = extension[depth, i]
                        n_edges = n_inner[depth]
                        for e in range(n_edges):
                            edges[e] = inner[depth, e]
                        for d in range(size - 1):
                            if links[d, v] != none:
                                bit = (size - 1) * (size - 2) // 2 + d
                                edges[n_edges] = links[d, v] * 16 + bit
                                n_edges += 1
                        _follow(edges, n_edges, kinds, changes, step_ptr[graph])
                    position[depth] = n_extension[depth]
                if position[depth] < n_extension[depth]:
                    candidate = extension[depth, position[depth]]
                    position[depth] += 1
                    depth += 1
                else:
                    leaving = members[depth]
                    for slot in range(indptr[first + leaving], indptr[first + leaving + 1]):
                        links[depth, neighbors[slot]] = none
                    candidate = -1
                    depth -= 1


@njit(cache=True, nogil=True)
def draw_some(start, stop, filtered, kinds, size, draws, changes, flag):
    """Draw sets of vertices of each graph, and count as for all sets, until the flag is raised."""
    n_samples, seed = draws
    node_ptr, adjacency, steps = filtered
    indptr, neighbors = adjacency.indptr, adjacency.neighbors
    neighbor_steps, step_ptr = steps.of_neighbors, steps.ptr
    members, edges = np.zeros(size, np.int64), np.zeros(10, np.int64)
    for graph in range(start, stop):
        first, n = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
        if n < size:
            continue
        # SplitMix64, started from a hash of the neighbour lists.
        state = mix(seed + GOLDEN)
        for v in range(n):
            state = mix(state + mix_other(GOLDEN + np.uint64(v)))
            for slot in range(indptr[first + v], indptr[first + v + 1]):
                state = mix(state + np.uint64(neighbors[slot]))
        for _ in range(n_samples):
            if flag[0] != 0:
                return
            n_members, n_edges = 0, 0
            while n_members < size:
                state += GOLDEN
                drawn = np.int64(mix(state) % np.uint64(n))
                taken = False
                for d in range(n_members):
                    taken = taken or members[d] == drawn
                if taken:
                    continue
                for d in range(n_members):
                    low, high = indptr[first + drawn], indptr[first + drawn + 1]
                    while low < high:
                        middle = (low + high) // 2
                        if neighbors[middle] < members[d]:
                            low = middle + 1
                        else:
                            high = middle
                    if low < indptr[first + drawn + 1] and neighbors[low] == members[d]:
                        bit = n_members * (n_members - 1) // 2 + d
                        edges[n_edges] = neighbor_steps[low] * 16 + bit
                        n_edges += 1
                members[n_members] = drawn
                n_members += 1
            _follow(edges, n_edges, kinds, changes, step_ptr[graph])


@njit(cache=True, nogil=True)
def _follow(edges, n_edges, kinds, changes, step0):
    """Follow the class of one set through the steps; `edges` are step * 16 + bit, in any order."""
    for i in range(1, n_edges):
        edge = edges[i]
        j = i
        while j > 0 and edges[j - 1] > edge:
            edges[j] = edges[j - 1]
            j -= 1
        edges[j] = edge
    bits, kind = 0, np.int64(-1)
    i, step = 0, np.int64(0)
    while True:
        # Also without any edge a set is of some class, from step 0 on.
        while i < n_edges and edges[i] >> 4 == step:
            bits |= 1 << (edges[i] & 15)
            i += 1
        if kinds[bits] != kind:
            if kind >= 0:
                changes[step0 + step, kind] -= 1
            # A set that counts goes on to count: edges enter, and it stays connected.
            kind = kinds[bits]
            changes[step0 + step, kind] += 1
        if i == n_edges:
            return
        step = edges[i] >> 4
