"""The loops of each step of the solver, over consecutive numbers and without branches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays.compiled import unchecked

# As in libsvm: when to stop, and the curvature of a direction that has none.
TOLERANCE = 1e-3
FLAT = 1e-12
# Loops run over blocks of so many variables, and remember the largest number of each block. As
# all blocks have the same length, compilers need no code for what is left over.
BLOCK = 32
_LANES = np.uint64(BLOCK)
LEAST = np.int64(-0x8000000000000000)
_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)
# A gain is first computed in single precision. Its bits, as an integer, are wrong by less than
# this, unless it is tiny.
_DOUBT = np.int32(64)
_TINY = np.int32(0x0DA24260)  # 1e-30


class Problem(NamedTuple):
    """What is solved.

    Attributes
    ----------
    gram : ndarray of float64, shape (n_graphs, n_graphs)
    rows : ndarray of int64, shape (n,)
        Training graphs, those of the first class before those of the second.
    C : ndarray of float64
        The bound of each variable.
    """

    gram: Any
    rows: Any
    C: Any


class State(NamedTuple):
    """What the solver writes to, for at most so many training graphs as the arrays have.

    Attributes
    ----------
    whole, part : ndarray of float32
        Rows of the kernel between training graphs, with and without variables that are left out.
    known, kept : ndarray of bool
        Which rows of these have been filled in.
    alpha, y, bar, whole_h : ndarray of float64
        Of each variable: its value, its class as 1 or -1, what variables at their upper bounds add
        to its derivative, and the derivative times minus the class.
    order, position, place : ndarray of int64
        The variables in libsvm's order, where each is in it, and where each is in loops.
    looped, rank : ndarray of int64
        In loops: which variable it is, and where in libsvm's order.
    h, diagonal : ndarray of float64
        In loops: the derivative, and the kernel of the graph with itself.
    up, low : ndarray of float32
        In loops: 0, or infinity where a variable cannot go up, or down.
    gain, zero : ndarray of float32
        In loops: what a step with each variable gains, and 0.
    tops, gains : ndarray of int64 and int32
        The largest derivative and gain of each block of a loop, as integers.
    pair, bounds : ndarray of int64 and float64
        Graphs of two classes, and their bounds.
    """

    whole: Any
    part: Any
    known: Any
    kept: Any
    alpha: Any
    y: Any
    bar: Any
    whole_h: Any
    order: Any
    position: Any
    place: Any
    looped: Any
    rank: Any
    h: Any
    diagonal: Any
    up: Any
    low: Any
    gain: Any
    zero: Any
    tops: Any
    gains: Any
    pair: Any
    bounds: Any


def new_state(n: int) -> State:
    """Return memory for so many training graphs, in whole blocks."""
    n_blocks = -(-n // BLOCK)
    n = n_blocks * BLOCK
    whole, part = np.zeros((2, n, n), np.float32)
    arrays: list[Any] = [
        *(whole, part, *np.zeros((2, n), np.bool_)),
        *(*np.empty((4, n)), *np.empty((5, n), np.int64), *np.empty((2, n))),
        *(*np.zeros((4, n), np.float32), np.empty(n_blocks, np.int64)),
        *(np.empty(n_blocks, np.int32), np.empty(n, np.int64), np.empty(n)),
    ]
    return State._make(arrays)


@unchecked
def closed(alpha: Any, C: Any, y: Any) -> Any:
    """Return what is added to a value so that it is chosen only if its variable can move."""
    full = alpha >= C
    empty = not full and alpha <= 0.0
    up = full if y > 0.0 else empty
    low = empty if y > 0.0 else full
    return (-np.inf if up else 0.0), (np.inf if low else 0.0)


@unchecked
def n_blocks(m: Any) -> Any:
    """Return how many blocks have room for so many variables."""
    return np.uint64((m + BLOCK - 1) // BLOCK)


@unchecked
def updated(h: Any, row: Any, other: Any, up: Any, a: Any, b: Any, m: Any, tops: Any) -> Any:
    """Update derivatives, and return the largest of those that can go up, as an integer.

    Integers that have the order of the numbers are compared, which compilers do much faster.
    """
    largest = LEAST
    for block in range(n_blocks(m)):
        top, start = LEAST, block * _LANES
        for lane in range(_LANES):
            f = start + lane
            x = h[f] - (row[f] * a + other[f] * b)
            h[f] = x
            key = np.float64(x + up[f]).view(np.int64)
            key ^= (key >> 63) & _SIGN
            top = max(top, key)
        tops[block] = top
        largest = max(largest, top)
    return largest


@unchecked
def last_of(largest: Any, h: Any, up: Any, rank: Any, m: Any, tops: Any) -> Any:
    """Return how-manieth a variable with the largest value is; of several, the last."""
    last = np.int64(-1)
    for block in range(n_blocks(m)):
        if tops[block] == largest:
            start = block * _LANES
            for lane in range(_LANES):
                f = start + lane
                key = np.float64(h[f] + up[f]).view(np.int64)
                key ^= (key >> 63) & _SIGN
                last = max(last, rank[f] if key == largest else np.int64(-1))
    return last


@unchecked
def partner(
    i: Any, row: Any, h: Any, low: Any, diagonal: Any, rank: Any, m: Any, found: Any
) -> Any:
    """Return how-manieth the variable is that gains most with another; -1 if none gains enough."""
    gain, gains = found
    largest = np.int32(0)
    best, own = h[i], diagonal[i]
    for block in range(n_blocks(m)):
        top, start = np.int32(0), block * _LANES
        for lane in range(_LANES):
            f = start + lane
            ahead = best - (h[f] + low[f])
            ahead = ahead if ahead > 0.0 else 0.0
            curve = own + diagonal[f] - 2.0 * row[f]
            curve = curve if curve > 0.0 else FLAT
            gain[f] = np.float32(ahead) * np.float32(ahead) / np.float32(curve)
            key = np.float32(gain[f]).view(np.int32)
            top = max(top, key)
        gains[block] = top
        largest = max(largest, top)
    # Those that might gain most, in double precision.
    enough = largest - _DOUBT if largest > _TINY else np.int32(0)
    most, last, distance = 0.0, np.int64(-1), 0.0
    for block in range(n_blocks(m)):
        if gains[block] < enough:
            continue
        start = block * _LANES
        for lane in range(_LANES):
            f = start + lane
            if np.float32(gain[f]).view(np.int32) < enough:
                continue
            ahead = best - (h[f] + low[f])
            if ahead <= 0.0:
                continue
            curve = own + diagonal[f] - 2.0 * row[f]
            exact = (ahead * ahead) / (curve if curve > 0.0 else FLAT)
            if exact > most or (exact == most and rank[f] > last):
                most, last, distance = exact, rank[f], ahead
    if distance >= TOLERANCE:
        return last
    for at in range(m):
        if best - (h[at] + low[at]) >= TOLERANCE:
            return last
    return np.int64(-1)


@unchecked
def move(alpha: Any, C: Any, y: Any, s: Any, t: Any, h_s: Any, h_t: Any, curve: Any) -> None:
    """Move two variables as far as it helps and their bounds allow."""
    a, b = alpha[s], alpha[t]
    if y[s] != y[t]:
        step, apart_by = (y[s] * h_s + y[t] * h_t) / curve, a - b
        a, b = a + step, b + step
        if apart_by > 0.0:
            if b < 0.0:
                a, b = apart_by, 0.0
        elif a < 0.0:
            a, b = 0.0, -apart_by
        if apart_by > C[s] - C[t]:
            if a > C[s]:
                a, b = C[s], C[s] - apart_by
        elif b > C[t]:
            a, b = C[t] + apart_by, C[t]
    else:
        step, total = (y[t] * h_t - y[s] * h_s) / curve, a + b
        a, b = a - step, b + step
        if total > C[s]:
            if a > C[s]:
                a, b = C[s], total - C[s]
        elif b < 0.0:
            a, b = total, 0.0
        if total > C[t]:
            if b > C[t]:
                a, b = total - C[t], C[t]
        elif a < 0.0:
            a, b = 0.0, total
    alpha[s], alpha[t] = a, b


@unchecked
def threshold(C: Any, active: Any, state: State) -> Any:
    """Return the threshold: the mean value of free variables, or the middle of what is possible."""
    alpha, y, h, order, place = state.alpha, state.y, state.h, state.order, state.place
    n_free, total, least, most = 0, 0.0, np.inf, -np.inf
    for at in range(active):
        k = order[at]
        g = -h[place[k]]
        full = alpha[k] >= C[k]
        if not full and alpha[k] > 0.0:
            n_free += 1
            total += g
        elif full == (y[k] < 0.0):
            least = min(least, g)
        else:
            most = max(most, g)
    return total / n_free if n_free else (least + most) / 2
