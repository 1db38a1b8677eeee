"""The loops behind degree, core and betweenness, compiled by numba."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import apart, loop
from ..graphs.adjacency import Adjacency

LARGEST = np.finfo(np.float64).max
NOT_FOUND = np.int32(2**31 - 1)


class Peeling(NamedTuple):
    """Vertices by degree.

    Attributes
    ----------
    starts, filled
        Where the vertices of each degree start, and where the next one goes.
    order, place
        Vertices by degree, and where each of them is.
    """

    starts: NDArray[np.int64]
    filled: NDArray[np.int64]
    order: NDArray[np.int64]
    place: NDArray[np.int64]


@loop
def peel(
    start: int,
    stop: int,
    node_ptr: NDArray[np.int64],
    adjacency: Adjacency,
    numbers: NDArray[np.int64],
    room: Peeling,
) -> None:
    """Remove the vertex of least degree, again and again (Batagelj and Zaversnik, 2003).

    `numbers` holds the degrees at first, and the core numbers at the end. `order` holds the
    vertices by degree; those of degree `d` start at ``starts[d]``. A vertex that loses a neighbour
    swaps places with the first one of its degree, and then belongs to the degree below.
    """
    indptr, neighbors, _ = adjacency
    starts, filled, order, place = room
    for graph in range(start, stop):
        first, n = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
        largest = 0
        for v in range(first, first + n):
            if numbers[v] > largest:
                largest = numbers[v]
        for degree in range(largest + 2):
            filled[degree] = 0
        for v in range(first, first + n):
            filled[numbers[v] + 1] += 1
        starts[0] = 0
        for degree in range(largest + 1):
            filled[degree + 1] += filled[degree]
            starts[degree + 1] = filled[degree + 1]
        for v in range(n):
            place[v] = filled[numbers[first + v]]
            filled[numbers[first + v]] += 1
            order[place[v]] = v
        for i in range(n):
            v = order[i]
            degree = numbers[first + v]
            for at in range(indptr[first + v], indptr[first + v + 1]):
                u = neighbors[at]
                now = numbers[first + u]
                if now <= degree:
                    continue
                head = starts[now]
                w = order[head]
                order[head], order[place[u]] = u, w
                place[w], place[u] = place[u], head
                starts[now] = head + 1
                numbers[first + u] = now - 1


class Forest(NamedTuple):
    """The trees that hang on a graph, taken off vertex by vertex from their leaves on.

    Attributes
    ----------
    order
        Vertices in the order in which they are taken off.
    parent, edge
        For each vertex taken off, what it hung on and by which edge; the last vertex of a component
        that is a tree is its own parent.
    left
        How many neighbours each vertex has left.
    mass
        How many vertices each one stands for: itself and all that hung on it.
    """

    order: NDArray[np.int32]
    parent: NDArray[np.int32]
    edge: NDArray[np.int32]
    left: NDArray[np.int32]
    mass: NDArray[np.float64]


class Search(NamedTuple):
    """What a breadth-first search from one vertex finds.

    Attributes
    ----------
    order, ends
        Vertices in the order in which they are found, and where the arcs of each of them end.
    heads, edges
        Arcs that lead away from the source: the vertex at the far end, and the edge.
    distance, paths
        How far each vertex is from the source (`NOT_FOUND` before it is found), and by
        how many shortest paths.
    share
        The mass of a vertex and of all behind it, divided among the shortest paths that lead there:
        how much of it belongs to each path to this vertex.
    """

    order: NDArray[np.int32]
    ends: NDArray[np.int32]
    heads: NDArray[np.int32]
    edges: NDArray[np.int32]
    distance: NDArray[np.int32]
    paths: NDArray[np.float64]
    share: NDArray[np.float64]


class Paths(NamedTuple):
    """Arrays that are large enough for every single graph.

    Attributes
    ----------
    forest, search
    rest
        The neighbour lists of what is left without trees.
    whole
        The sum of all masses in the component of each vertex.
    """

    forest: Forest
    search: Search
    rest: Adjacency
    whole: NDArray[np.float64]


def room_for_paths(n: int, m: int) -> Paths:
    """Make room for graphs with at most so many vertices and edges; nothing is found yet."""
    ids, numbers, arcs = (
        np.empty((7, n), np.int32),
        np.empty((4, n)),
        np.empty((4, 2 * m), np.int32),
    )
    ids[6] = NOT_FOUND
    return Paths(
        Forest(ids[0], ids[1], ids[2], ids[3], numbers[0]),
        Search(ids[4], ids[5], arcs[0], arcs[1], ids[6], numbers[1], numbers[2]),
        Adjacency(np.empty(n + 1, np.int64), arcs[2], arcs[3]),
        numbers[3],
    )


@loop
def add_shortest_paths(
    start: int,
    stop: int,
    node_ptr: NDArray[np.int64],
    edge_ptr: NDArray[np.int64],
    adjacency: Adjacency,
    sums: NDArray[np.float64],
    room: Paths,
    flag: NDArray[np.uint8],
) -> int:
    """Add to each edge its fraction of the shortest paths of all pairs of vertices, both ways.

    Trees that hang on a graph are taken off first: an edge between m vertices of a component and
    the other N - m is on the paths of m (N - m) pairs. What is left, where each vertex counts for
    all that hung on it, is searched from every vertex (Brandes, 2001).

    Returns the first graph that has too many paths for a float, or -1. If the flag is raised, it
    returns at once.
    """
    forest, search, rest, whole = room
    for graph in range(start, stop):
        lists = Adjacency(
            adjacency.indptr[node_ptr[graph] : node_ptr[graph + 1] + 1],
            adjacency.neighbors,
            adjacency.edge_ids,
        )
        own = sums[edge_ptr[graph] : edge_ptr[graph + 1]]
        n_off = _take_trees_off(lists, forest)
        n_left = _keep_the_rest(lists, forest.left, rest)
        for source in range(node_ptr[graph + 1] - node_ptr[graph]):
            if flag[0] != 0:
                return -1
            if forest.left[source] > 1:
                found = _search(rest, source, n_left, search)
                whole[source] = _add_fractions(found, forest.mass, search, own)
                if whole[source] == 0.0:
                    return graph
        for i in range(n_off - 1, -1, -1):
            v = forest.order[i]
            parent, mass = forest.parent[v], forest.mass[v]
            whole[v] = mass if parent == v else whole[parent]
            if parent != v:
                own[forest.edge[v]] = 2.0 * mass * (whole[v] - mass)
    return -1


@apart
def _take_trees_off(lists: Adjacency, forest: Forest) -> int:
    """Fill the forest of a graph, and return how many vertices are taken off."""
    order, parent, edge, left, mass = forest
    indptr, neighbors, edge_ids = lists
    found = 0
    for v in range(len(indptr) - 1):
        left[v] = indptr[v + 1] - indptr[v]
        mass[v] = 1.0
        if left[v] == 1:
            order[found] = v
            found += 1
    done = 0
    while done < found:
        v = order[done]
        done += 1
        parent[v] = v
        if left[v] == 0:
            continue
        i = indptr[v]
        while left[neighbors[i]] == 0:
            i += 1
        u = neighbors[i]
        parent[v], edge[v] = u, edge_ids[i]
        mass[u] += mass[v]
        left[v] = 0
        left[u] -= 1
        if left[u] == 1:
            order[found] = u
            found += 1
    return found


@apart
def _keep_the_rest(lists: Adjacency, left: NDArray[np.int32], rest: Adjacency) -> int:
    """Copy the neighbour lists of what is left of a graph; return how many vertices it has."""
    end, kept = 0, 0
    for v in range(len(lists.indptr) - 1):
        rest.indptr[v] = end
        if left[v] == 0:
            continue
        kept += 1
        for i in range(lists.indptr[v], lists.indptr[v + 1]):
            if left[lists.neighbors[i]] > 0:
                rest.neighbors[end] = lists.neighbors[i]
                rest.edge_ids[end] = lists.edge_ids[i]
                end += 1
    rest.indptr[len(lists.indptr) - 1] = end
    return kept


@apart
def _search(lists: Adjacency, source: int, n_left: int, search: Search) -> int:
    """Find all vertices that can be reached from a source, and return how many they are."""
    order, ends, heads, edges, distance, paths, _ = search
    indptr, neighbors, edge_ids = lists
    order[0], distance[source], paths[source] = source, 0, 1.0
    at, found, arc = 0, 1, 0
    while at < found:
        v = order[at]
        beyond, mine = distance[v] + 1, paths[v]
        if found == n_left and distance[order[found - 1]] < beyond:
            break  # no arcs lead on from the last ones
        for i in range(indptr[v], indptr[v + 1]):
            w = neighbors[i]
            if distance[w] < beyond:
                continue
            if distance[w] == beyond:
                paths[w] += mine
            else:
                distance[w], paths[w] = beyond, mine
                order[found] = w
                found += 1
            heads[arc], edges[arc] = w, edge_ids[i]
            arc += 1
        ends[at] = arc
        at += 1
    for last in range(at, found):
        ends[last] = arc
    return found


@apart
def _add_fractions(
    found: int, mass: NDArray[np.float64], search: Search, sums: NDArray[np.float64]
) -> float:
    """Add to each edge its fraction of the paths of a search, forget the search, return its mass.

    If there are too many paths for a float, the mass returned is 0.
    """
    order, ends, heads, edges, distance, paths, share = search
    weight, whole = mass[order[0]], 0.0
    for at in range(found - 1, -1, -1):
        v = order[at]
        if paths[v] > LARGEST:
            return 0.0
        behind = 0.0
        for arc in range(ends[at - 1] if at > 0 else 0, ends[at]):
            part = share[heads[arc]]
            sums[edges[arc]] += weight * (paths[v] * part)
            behind += part
        share[v] = behind + mass[v] / paths[v]
        whole += mass[v]
        distance[v] = NOT_FOUND
    return whole
