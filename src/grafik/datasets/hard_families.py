"""Families of graphs that are hard to tell apart, made on the spot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.checks import checked_integer
from ..graphs.batch import Graphs
from ..system.optional import require

Edges = list[tuple[int, int]]
Square = list[list[int]]

_MOST_NEIGHBOURS = 12  # of a vertex of a base graph: its gadget has 2,048 vertices
_LARGEST_PALEY = 2000  # vertices, of which half a million pairs are joined


def strongly_regular(family: str | None = None) -> tuple[Graphs, NDArray[np.int64]]:
    r"""Return strongly regular graphs, of which several have the same parameters.

    Not even Weisfeiler-Lehman on pairs of vertices (3-WL) tells graphs of one family apart. The
    parameters :math:`(n, k, \lambda, \mu)` are the number of vertices, of neighbours of each, and
    of common neighbours of two that are joined and of two that are not.

    Parameters
    ----------
    family : {None, "rook", "latin-4", "latin-5", "latin-6", "latin-7", "lines-7", "latin-8", \
"latin-9"}
        The 4 x 4 rook's graph and the Shrikhande graph; graphs of Latin squares (cells are joined
        if they share row, column or symbol); points of a 7 x 7 plane joined by lines of four
        slopes. By default all.

    Returns
    -------
    graphs : Graphs
        No two of them are isomorphic.
    y : ndarray of int
        Number of the family; graphs of one family have the same parameters.

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.strongly_regular()
    >>> graphs.n_nodes.tolist()
    [16, 16, 16, 16, 25, 25, 36, 36, 49, 49, 49, 49, 64, 64, 64, 64, 64, 81, 81]
    >>> y.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6, 6, 6, 7, 7]
    """
    if family is not None and family not in _FAMILIES:
        known = ", ".join(map(repr, _FAMILIES))
        raise ValueError(f"family must be None or one of {known}, got {family!r}")
    chosen = list(_FAMILIES) if family is None else [family]
    several = [_FAMILIES[name]() for name in chosen]
    y = np.repeat(np.arange(len(chosen)), [len(one) for one in several])
    return Graphs.from_edge_lists([edges for one in several for edges in one]), y


def paley(q: int = 13) -> tuple[Graphs, NDArray[np.int64]]:
    """Return the Paley graph: numbers modulo `q`, joined if they differ by a square.

    It is strongly regular with the parameters ``(q, (q - 1) / 2, (q - 5) / 4, (q - 1) / 4)``, and
    isomorphic to its complement.

    Parameters
    ----------
    q : int
        Number of vertices: a prime that leaves 1 when divided by 4, such as 5, 13, 17, 29 or 37.

    Returns
    -------
    graphs : Graphs
        One graph.
    y : ndarray of int
        0.

    Examples
    --------
    >>> from grafik import datasets
    >>> graphs, y = datasets.paley(13)
    >>> graphs.degrees.tolist() == 13 * [6]
    True
    """
    q = checked_integer("q", q, 5)
    if q > _LARGEST_PALEY:
        raise ValueError(f"q must be at most {_LARGEST_PALEY}, got {q}")
    if q % 4 != 1 or any(q % i == 0 for i in range(2, int(q**0.5) + 1)):
        raise ValueError(
            f"q must be a prime that leaves 1 when divided by 4, such as 13, 17 or 29, got {q}"
        )
    squares = {i * i % q for i in range(1, q)}
    edges = [(u, v) for u, v in combinations(range(q), 2) if v - u in squares]
    return Graphs.from_edge_lists([edges]), np.zeros(1, np.int64)


def cfi(base: int | ArrayLike = 4) -> tuple[Graphs, NDArray[np.int64]]:
    r"""Return the two Cai-Fuerer-Immerman graphs [1]_ over a base graph, plain and twisted.

    Each edge of the base becomes two vertices, one for each side, and each vertex of `d` neighbours
    becomes a gadget of :math:`2^{d-1}` vertices: one for each choice of a side of each of its
    edges with an even number of second sides. In the twisted graph, this number is odd in the
    gadget of the first vertex. The two are not isomorphic, but it takes Weisfeiler-Lehman on tuples
    to tell them apart, and on larger ones for larger complete bases.

    Parameters
    ----------
    base : int or sequence of pairs
        Number of vertices of a complete graph, at least 3, or the edges of a connected graph. A
        vertex of the base has at most 12 neighbours.

    Returns
    -------
    graphs : Graphs
        The plain graph and the twisted one.
    y : ndarray of int
        0 and 1.

    References
    ----------
    .. [1] Cai, Fuerer, Immerman: An optimal lower bound on the number of variables for graph
       identification, Combinatorica 1992.

    Examples
    --------
    >>> from grafik import datasets
    >>> [datasets.cfi(n)[0].n_nodes.tolist() for n in (3, 4, 5, 6)]
    [[12, 12], [28, 28], [60, 60], [126, 126]]

    Over a cycle of five vertices they are two cycles and one:

    >>> plain, twisted = datasets.cfi([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])[0].to_networkx()
    >>> import networkx
    >>> [networkx.number_connected_components(graph) for graph in (plain, twisted)]
    [2, 1]
    """
    edges: Edges
    if isinstance(base, (int, np.integer)):
        n = checked_integer("base", base, 3)
        # One neighbour too many is enough to be refused below.
        edges = list(combinations(range(min(n, _MOST_NEIGHBOURS + 2)), 2))
    else:
        checked = Graphs.from_edge_lists([base], on_invalid="raise")
        edges = [(int(u), int(v)) for u, v in checked.edges]
        if not _is_connected(edges):
            raise ValueError("base must be the edges of a connected graph, and have some")
    degrees = np.bincount(np.array(edges).ravel())
    if degrees.max() > _MOST_NEIGHBOURS:
        raise ValueError(
            f"a vertex of base may have {_MOST_NEIGHBOURS} neighbours, since its gadget takes "
            f"2 ** (neighbours - 1) vertices, but vertex {degrees.argmax()} has {degrees.max()}"
        )
    return Graphs.from_edge_lists(cfi_edges(edges)), np.arange(2)


def atlas(max_nodes: int = 7) -> tuple[Graphs, NDArray[np.int64]]:
    """Return all graphs of up to seven vertices, each once up to isomorphism (needs networkx).

    Parameters
    ----------
    max_nodes : int
        Largest number of vertices, at most 7.

    Returns
    -------
    graphs : Graphs
        No two of them are isomorphic; the first has no vertices.
    y : ndarray of int
        The number of edges of each graph.

    Examples
    --------
    >>> from grafik import datasets
    >>> [len(datasets.atlas(n)[0]) for n in range(8)]
    [1, 2, 4, 8, 19, 53, 209, 1253]
    """
    if checked_integer("max_nodes", max_nodes, 0) > 7:
        raise ValueError(f"max_nodes must be at most 7, got {max_nodes}")
    networkx = require("networkx", "the atlas of all graphs up to seven vertices", "networkx")
    found = [graph for graph in networkx.graph_atlas_g() if len(graph) <= max_nodes]
    graphs = Graphs.from_edge_lists(
        [list(graph.edges) for graph in found], [len(graph) for graph in found]
    )
    return graphs, graphs.n_edges.astype(np.int64)


def cfi_edges(base: Edges) -> list[Edges]:
    """Return the edges of the plain and of the twisted graph over a base graph."""
    first = base[0][0]
    graphs = []
    for odd in (False, True):
        ends = {key: number for number, key in enumerate(product(base, (0, 1)))}
        pairs: Edges = []
        number = len(ends)
        for vertex in sorted({end for edge in base for end in edge}):
            incident = [edge for edge in base if vertex in edge]
            for sides in product((0, 1), repeat=len(incident)):
                if sum(sides) % 2 == (odd and vertex == first):
                    chosen = zip(incident, sides, strict=True)
                    pairs += [(ends[edge, side], number) for edge, side in chosen]
                    number += 1
        graphs.append(pairs)
    return graphs


def rook_and_shrikhande() -> list[Edges]:
    """Return the edges of the two strongly regular graphs with parameters (16, 6, 2, 2)."""
    cells = list(product(range(4), range(4)))
    steps = {(0, 1), (1, 0), (1, 1), (0, 3), (3, 0), (3, 3)}
    rook, shrikhande = [], []
    for (i, a), (j, b) in combinations(enumerate(cells), 2):
        if a[0] == b[0] or a[1] == b[1]:
            rook.append((i, j))
        if ((a[0] - b[0]) % 4, (a[1] - b[1]) % 4) in steps:
            shrikhande.append((i, j))
    return [rook, shrikhande]


def _is_connected(edges: Edges) -> bool:
    if not edges:
        return False
    reached, waiting = {edges[0][0]}, True
    while waiting:
        near = {end for edge in edges if reached & set(edge) for end in edge}
        waiting, reached = not near <= reached, reached | near
    return reached == {end for edge in edges for end in edge}


def _latin_edges(square: Square) -> Edges:
    """Join the cells of a Latin square that share row, column or symbol."""
    n = len(square)
    cells = [(i, j, square[i][j]) for i, j in product(range(n), range(n))]
    return [
        (a, b)
        for (a, one), (b, other) in combinations(enumerate(cells), 2)
        if any(x == y for x, y in zip(one, other, strict=True))
    ]


def _latin(squares: Iterable[Square]) -> list[Edges]:
    return [_latin_edges(square) for square in squares]


def _sums(*orders: int) -> Square:
    """Return the addition table of a product of cyclic groups."""
    elements = list(product(*map(range, orders)))
    number = {element: i for i, element in enumerate(elements)}
    return [
        [
            number[tuple((x + y) % order for x, y, order in zip(a, b, orders, strict=True))]
            for b in elements
        ]
        for a in elements
    ]


def _twisted_sums(n: int, shift: int) -> Square:
    """Return the table of the group made of turns by 1 / n and of one that inverts them.

    The square of the latter is the turn by ``shift / n``: 0 makes the dihedral group, and half of n
    the dicyclic one, which are the quaternions if n is 4.
    """
    elements = list(product(range(2), range(n)))  # s^a t^i, with t^i s = s t^-i

    def product_of(one: tuple[int, int], other: tuple[int, int]) -> int:
        (a, i), (b, j) = one, other
        turn = (-i if b else i) + j + (shift if a and b else 0)
        return (a + b) % 2 * n + turn % n

    return [[product_of(one, other) for other in elements] for one in elements]


# Squares that are no tables of groups.
_FIVE = [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 3, 4, 0, 1], [3, 4, 1, 2, 0], [4, 2, 0, 1, 3]]
_SEVEN = [
    [0, 1, 2, 3, 4, 5, 6],
    [1, 0, 3, 2, 5, 6, 4],
    [2, 3, 1, 4, 6, 0, 5],
    [3, 2, 6, 5, 0, 4, 1],
    [4, 5, 0, 6, 2, 1, 3],
    [5, 6, 4, 0, 1, 3, 2],
    [6, 4, 5, 1, 3, 2, 0],
]


def _lines(p: int, slopes: Sequence[int]) -> Edges:
    """Join points of the p x p plane if they lie below one another, or on a line of a slope."""
    points = list(product(range(p), range(p)))
    return [
        (i, j)
        for (i, one), (j, other) in combinations(enumerate(points), 2)
        for x, y in [((other[0] - one[0]) % p, (other[1] - one[1]) % p)]
        if x == 0 or any(y == slope * x % p for slope in slopes)
    ]


_FAMILIES: dict[str, Callable[[], list[Edges]]] = {
    "rook": rook_and_shrikhande,
    "latin-4": lambda: _latin([_sums(4), _sums(2, 2)]),
    "latin-5": lambda: _latin([_sums(5), _FIVE]),
    "latin-6": lambda: _latin([_sums(6), _twisted_sums(3, 0)]),
    "latin-7": lambda: _latin([_sums(7), _SEVEN]),
    # Two sets of four slopes that no map of the plane takes to one another: their cross ratios are
    # 2 and 3.
    "lines-7": lambda: [_lines(7, (0, 1, 2)), _lines(7, (0, 1, 3))],
    "latin-8": lambda: _latin(
        [_sums(8), _sums(4, 2), _sums(2, 2, 2), _twisted_sums(4, 0), _twisted_sums(4, 2)]
    ),
    "latin-9": lambda: _latin([_sums(9), _sums(3, 3)]),
}
