"""The loops behind the persistent Weisfeiler-Lehman kernel."""

import math

import numpy as np

from ..arrays.compiled import njit


@njit(cache=True, nogil=True)
def add_multiset_distances(indptr, around, ends, p, weights, flag):
    """Add the distance between the multisets around the two ends of each edge to its weight.

    `around` holds the labels of the neighbours of each vertex, sorted. Starting from the distance
    of the larger multiset to the empty one, only labels of the smaller one are visited, so that an
    edge between a hub and a leaf costs little. All sums are integers, so their order does not
    matter. It returns at once if the flag is raised.
    """
    sizes = np.zeros(len(indptr) - 1, np.int64)
    for v in range(len(sizes)):
        at = indptr[v]
        while at < indptr[v + 1]:
            stop = _end(around, at, indptr[v + 1])
            sizes[v] += (stop - at) ** p
            at = stop
    for edge in range(len(ends)):
        if flag[0] != 0:
            return
        small, large = ends[edge, 0], ends[edge, 1]
        if indptr[small + 1] - indptr[small] > indptr[large + 1] - indptr[large]:
            small, large = large, small
        total = sizes[large]
        at = indptr[small]
        while at < indptr[small + 1]:
            stop = _end(around, at, indptr[small + 1])
            low, high = indptr[large], indptr[large + 1]
            while low < high:
                middle = (low + high) // 2
                if around[middle] < around[at]:
                    low = middle + 1
                else:
                    high = middle
            there = 0
            if low < indptr[large + 1] and around[low] == around[at]:
                there = _end(around, low, indptr[large + 1]) - low
            total += abs(stop - at - there) ** p - there**p
            at = stop
        weights[edge] += float(total) if p == 1 else math.sqrt(float(total))


@njit(cache=True, nogil=True)
def _end(labels, start, stop):
    """Return where the labels equal to that at `start` end: steps that double, then a bisection."""
    step = 1
    while start + step < stop and labels[start + step] == labels[start]:
        step *= 2
    low, high = start + step // 2, min(start + step, stop)
    while low < high:
        middle = (low + high) // 2
        if labels[middle] == labels[start]:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def follow_components(node_ptr, edge_ptr, ends, order, weights, labels, lone):
    """Return the weight at which each vertex's component ends, and the edges that close cycles.

    Edges come in the given order, which sorts those of each graph by weight. When an edge joins two
    components, the one with the larger label ends. The label of a component is that of the vertex
    that it began with, which is its root.
    """
    n = len(labels)
    parent = np.arange(n)
    deaths = np.full(n, -1.0)
    closing = np.empty(len(order), np.int64)
    n_closing = 0
    for graph in range(len(node_ptr) - 1):
        for at in range(edge_ptr[graph], edge_ptr[graph + 1]):
            edge = order[at]
            a, b = _root(parent, ends[edge, 0]), _root(parent, ends[edge, 1])
            if a == b:
                closing[n_closing] = edge
                n_closing += 1
                continue
            if labels[a] > labels[b]:
                a, b = b, a
            deaths[b] = weights[edge]
            parent[b] = a
        last = lone
        if edge_ptr[graph + 1] > edge_ptr[graph]:
            last = weights[order[edge_ptr[graph + 1] - 1]]
        for v in range(node_ptr[graph], node_ptr[graph + 1]):
            if deaths[v] < 0:
                deaths[v] = last
    return deaths, closing[:n_closing]


@njit(cache=True, nogil=True)
def _root(parent, v):
    """Return the root of a vertex's component, and halve the path to it."""
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v
