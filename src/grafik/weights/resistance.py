"""Weights by electrical resistance: equal in exact arithmetic means equal numbers."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..arrays.checks import checked_choice
from ..arrays.offsets import part_of
from ..graphs.batch import Graphs
from ..graphs.validation import refuse_directed
from ..system.memory import refuse_what_does_not_fit
from .centrality import core_numbers
from .edges import ends_of
from .long_work import refuse_long_work

_BITS = 30  # resistances are rounded to multiples of 2 ** -_BITS
_UNIT = 2.0**-53  # the largest relative error of one rounding of a float
_PER_CUBE = 1e-9  # seconds
_WORTH_THREADS = 500  # vertices


class Resistance(BaseEstimator):
    r"""Effective resistance between the two ends, if every edge is a resistor of one ohm.

    .. math:: w(\{u, v\}) = -\frac{t(e)}{t}

    where `t` is the number of spanning trees of the component, and :math:`t(e)` of those that
    contain the edge. It is 1 for bridges, and small where many short ways lead around the edge.
    Edges with small resistances enter first: the weight is minus the resistance.

    Resistances are fractions. They are rounded to the nearest multiple of 2^-30, upwards in the
    middle: exactly so, because the error of the floats is bounded, and those that may lie on either
    side of the middle are computed to as many digits as it takes. So the weight is a function of
    the exact fraction alone, whatever the order of the vertices, and equal fractions are equal
    numbers. Different ones are different numbers unless they are closer than about 1e-9.

    The time grows with the cube of the number of vertices that lie on or between cycles; graphs
    that would take much longer than a minute are refused. Attributes of edges do not count.
    Directed graphs are refused.

    Parameters
    ----------
    first : {"small", "large"}
        Which edges enter first. With ``"large"`` the weight is the resistance.

    Examples
    --------
    A triangle with a tail: along a side, one ohm is parallel to two.

    >>> from grafik import Graphs, weights
    >>> graphs = Graphs.from_edge_lists([[(0, 1), (1, 2), (0, 2), (2, 3)]])
    >>> weights.Resistance()(graphs).round(6).tolist()
    [-0.666667, -0.666667, -0.666667, -1.0]
    """

    def __init__(self, first: Literal["small", "large"] = "small") -> None:
        self.first = first

    @property
    def negated(self) -> bool:
        """Whether weights are minus the resistances."""
        return self.first == "small"

    def __call__(self, graphs: Graphs) -> NDArray[np.float64]:
        """Return the weights of all edges."""
        checked_choice("first", self.first, ("small", "large"))
        refuse_directed(graphs, "the weight 'resistance'")
        from threadpoolctl import threadpool_limits

        values = np.ones(len(graphs.edges))
        circuits = _circuits(graphs, f"the weight {self}")
        # Threads that share a small matrix mostly wait for one another.
        small = all(circuit.n < _WORTH_THREADS for circuit in circuits)
        with threadpool_limits(1 if small else None, "blas"):
            for circuit in circuits:
                values[circuit.rows] = _rounded(circuit)
        return 0.0 - values if self.negated else values


class Circuit(NamedTuple):
    """A component of what is left of a graph when trees that hang on it are taken off.

    Attributes
    ----------
    n : int
        Number of vertices.
    ends : ndarray of int64, shape (2, n_edges)
        The ends of its edges. The vertex 0 has the most neighbours.
    rows : ndarray of int64
        Where its edges are in the batch.
    """

    n: int
    ends: NDArray[np.int64]
    rows: NDArray[np.int64]


def _circuits(graphs: Graphs, what: str) -> list[Circuit]:
    """Return all components in which there are cycles; all other edges are bridges."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    deep = core_numbers(graphs) > 1
    u, v = ends_of(graphs)
    rows = np.flatnonzero(deep[u] & deep[v])
    u, v = u[rows], v[rows]
    if not len(rows):
        return []
    n = len(deep)
    joined = coo_array((np.ones(len(rows), np.int8), (u, v)), (n, n))
    component = connected_components(joined, directed=False)[1]
    degrees = np.bincount(np.concatenate([u, v]), minlength=n)
    # Vertices by component, those with the most neighbours first; no bit depends on the others.
    order = np.lexsort((-degrees, component))
    sizes = np.bincount(component)
    starts = np.cumsum(sizes) - sizes
    place = np.empty(n, np.int64)
    place[order] = np.arange(n) - np.repeat(starts, sizes)
    _refuse_large(graphs, sizes[component], what)
    by_component = np.argsort(component[u], kind="stable")
    found, first = np.unique(component[u][by_component], return_index=True)
    return [
        Circuit(int(sizes[one]), np.stack([place[u[part]], place[v[part]]]), rows[part])
        for one, part in zip(found, np.split(by_component, first[1:]), strict=True)
    ]


def _refuse_large(graphs: Graphs, sizes: NDArray[np.int64], what: str) -> None:
    """Refuse graphs with components that take too long or too much memory.

    `sizes` are those of the component of each vertex.
    """
    sizes = sizes.astype(np.float64)
    cubes = np.bincount(part_of(graphs.node_ptr), sizes**2, len(graphs))  # size ** 3 for each one
    way_out = "choose another weight, such as 'betweenness'"
    refuse_long_work(graphs, cubes * _PER_CUBE, what, way_out)
    refuse_what_does_not_fit(32.0 * sizes.max() ** 2, what, way_out)


def _rounded(circuit: Circuit) -> NDArray[np.float64]:
    """Return the resistances of all edges, rounded to multiples of 2 ** -_BITS.

    Without the row and column of vertex 0, the Laplacian L has the inverse G, and the resistance
    is b'Gb, where b is 1 at one end and -1 at the other. For the approximation X with LX = I - E,
    the error is b'GEb. The entries of b'G are voltages of which none is more than the resistance,
    and so not more than 1: the error is at most the sum of the entries of E in two columns.
    """
    u, v = circuit.ends
    laplacian = _laplacian(circuit)
    inverse = np.zeros_like(laplacian)
    inverse[1:, 1:] = np.linalg.inv(laplacian[1:, 1:])
    values = inverse[u, u] + inverse[v, v] - inverse[u, v] - inverse[v, u]
    scale = 2.0**_BITS
    steps = values * scale + 0.5
    lower = np.floor(steps)
    errors = _error_bounds(circuit, laplacian, inverse)
    # How far it is to the next step; twice the error leaves room for rounding in these lines.
    margin = np.minimum(steps - lower, lower + 1 - steps)
    for edge in np.flatnonzero(~(margin > 2 * errors * scale + 1e-5)):
        lower[edge] = _exact_step(circuit, laplacian, inverse, int(edge))
    return np.asarray(lower / scale)


def _laplacian(circuit: Circuit) -> NDArray[np.float64]:
    u, v = circuit.ends
    result = np.zeros((circuit.n, circuit.n))
    result[u, v] = result[v, u] = -1.0
    np.fill_diagonal(result, -result.sum(axis=0))
    return result


def _error_bounds(
    circuit: Circuit, laplacian: NDArray[np.float64], inverse: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return by how much the resistance of each edge is wrong, at most."""
    degrees = np.diag(laplacian)
    residual = laplacian @ inverse
    residual[np.diag_indices(circuit.n)] -= 1.0
    # The residual has errors of its own: one rounding of a sum for each term that is not zero.
    terms = ((degrees + 3) @ np.abs(laplacian)) @ np.abs(inverse)
    columns = np.abs(residual[1:]).sum(axis=0) + _UNIT * (terms + circuit.n)
    columns[0] = 0.0
    u, v = circuit.ends
    largest = np.abs(inverse[u, u]) + np.abs(inverse[v, v]) + 2 * np.abs(inverse[u, v])
    return np.asarray((columns[u] + columns[v]) * 1.01 + 4 * _UNIT * largest)


def _exact_step(
    circuit: Circuit, laplacian: NDArray[np.float64], inverse: NDArray[np.float64], edge: int
) -> int:
    """Return the resistance of an edge in units of 2 ** -_BITS, rounded upwards in the middle.

    The voltages are integers, in units that become smaller until the result is certain. The
    resistance is a fraction with the number of spanning trees below, which is at most the product
    of the degrees; so if it is closer to the middle than any other such fraction, it is the middle.
    """
    u, v = circuit.ends
    one, other = int(u[edge]), int(v[edge])
    degrees = [int(degree) for degree in np.diag(laplacian)]
    enough = sum(degree.bit_length() for degree in degrees[1:]) + _BITS + 2
    bits, voltages = 0, [0] * circuit.n
    while True:
        bits += 64
        voltages = [value << 64 for value in voltages]
        missing = 0
        for _ in range(100):
            rest = [-degree * value for degree, value in zip(degrees, voltages, strict=True)]
            for a, b in zip(u.tolist(), v.tolist(), strict=True):
                rest[a] += voltages[b]
                rest[b] += voltages[a]
            rest[one] += 1 << bits
            rest[other] -= 1 << bits
            rest[0] = 0
            last, missing = missing, sum(map(abs, rest))
            if missing <= 4 * len(u) or missing == last:
                break
            shift = max(0, max(map(abs, rest)).bit_length() - 60)
            scaled = inverse @ np.array([value >> shift for value in rest], np.float64)
            voltages = [
                value + (round(more) << shift)
                for value, more in zip(voltages, scaled.tolist(), strict=True)
            ]
        found, half = voltages[one] - voltages[other], 1 << (bits - _BITS - 1)
        low, high = found - missing + half, found + missing + half
        if low >> (bits - _BITS) == high >> (bits - _BITS):
            return low >> (bits - _BITS)
        if missing << enough < 1 << bits:
            return high >> (bits - _BITS)
