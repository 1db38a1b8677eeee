"""Which variables the solver works on: those that are likely to stay at a bound are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.compiled import unchecked
from .smo_loops import BLOCK, Problem, State, closed, n_blocks

# Variables that are left out are passed over in all loops, until this share of them is left.
_CROWDED = 0.85


@unchecked
def _fill_whole(problem: Problem, k: Any, state: State) -> None:
    """Fill in the kernel of one training graph with all others, in libsvm's precision."""
    if not state.known[k]:
        state.known[k] = True
        row, rows = state.whole[k], problem.rows
        source = problem.gram[rows[k]]
        for other in range(len(rows)):
            row[other] = source[rows[other]]


@unchecked
def fill_row(problem: Problem, k: Any, m: Any, state: State) -> None:
    """Fill in the kernel of one training graph with those that are looped over."""
    _fill_whole(problem, k, state)
    line = state.whole[k]
    if m < len(problem.rows):
        state.kept[k] = True
        row, looped = state.part[k], state.looped
        for f in range(m):
            row[f] = line[looped[f]]


@unchecked
def frame(problem: Problem, active: Any, m: Any, state: State) -> Any:
    """Set what loops run over; variables that are left out stay until there are many of them.

    `m` is how many were looped over; more than there are if all are to be.
    """
    gram, rows, C = problem
    alpha, y, whole_h, h, diagonal = state.alpha, state.y, state.whole_h, state.h, state.diagonal
    position, looped, place, rank = state.position, state.looped, state.place, state.rank
    up, low, n = state.up, state.low, len(rows)
    crowded = active < _CROWDED * min(m, n)
    if crowded or m > n:
        m = 0
        for k in range(n):
            state.kept[k] = False
            if not crowded or position[k] < active:
                looped[m], place[k] = k, m
                m += 1
    for f in range(m):
        k = looped[f]
        h[f], rank[f], diagonal[f] = whole_h[k], position[k], gram[rows[k], rows[k]]
        up[f], low[f] = -np.inf, np.inf
        if position[k] < active:
            up[f], low[f] = closed(alpha[k], C[k], y[k])
    for f in range(m, n_blocks(m) * BLOCK):
        h[f], rank[f], diagonal[f], up[f], low[f] = 0.0, -1, 1.0, -np.inf, np.inf
    return m


@unchecked
def settle(problem: Problem, k: Any, before: Any, state: State) -> None:
    """Remember what a variable adds to all derivatives while it is at its upper bound."""
    y, bar, C = state.y, state.bar, problem.C
    _fill_whole(problem, k, state)
    line = state.whole[k]
    c = -C[k] * y[k] if before >= C[k] else C[k] * y[k]
    for other in range(len(problem.rows)):
        bar[other] -= c * line[other]


@unchecked
def extremes(C: Any, active: Any, state: State) -> Any:
    """Return the largest value of variables that can go up, and of minus those that can go down."""
    alpha, y, h, order = state.alpha, state.y, state.whole_h, state.order
    top = bottom = -np.inf
    for at in range(active):
        k = order[at]
        up, low = closed(alpha[k], C[k], y[k])
        if up == 0.0:
            top = max(top, h[k])
        if low == 0.0:
            bottom = max(bottom, -h[k])
    return top, bottom


@unchecked
def _stays(alpha: Any, C: Any, y: Any, h: Any, top: Any, bottom: Any) -> Any:
    """Tell whether a variable is likely to stay at its bound."""
    up, low = closed(alpha, C, y)
    return (up != 0.0 and h > top) or (low != 0.0 and -h > bottom)


@unchecked
def shrunk(C: Any, active: Any, top: Any, bottom: Any, state: State) -> Any:
    """Put variables that are likely to stay at a bound behind all others; return how many stay."""
    alpha, y, h = state.alpha, state.y, state.whole_h
    order, position, at = state.order, state.position, 0
    while at < active:
        k = order[at]
        if _stays(alpha[k], C[k], y[k], h[k], top, bottom):
            active -= 1
            while active > at:
                other = order[active]
                if not _stays(alpha[other], C[other], y[other], h[other], top, bottom):
                    order[at], order[active] = other, k
                    position[other], position[k] = at, active
                    break
                active -= 1
        at += 1
    return active


@unchecked
def restore(problem: Problem, active: Any, state: State) -> None:
    """Compute the values of the variables that were left out."""
    alpha, y, bar, h, found = state.alpha, state.y, state.bar, state.whole_h, state.h
    order, C, n = state.order, problem.C, len(problem.rows)
    if active == n:
        return
    n_free = 0
    for at in range(active):
        k = order[at]
        n_free += 0.0 < alpha[k] < C[k]
    for k in range(n):
        found[k] = bar[k] + y[k]
    by_rows = n_free * n > 2 * active * (n - active)
    if by_rows:
        # Which is the row and which the column matters for matrices that are not symmetric.
        for at in range(active, n):
            k = order[at]
            _fill_whole(problem, k, state)
            line = state.whole[k]
            for free in range(active):
                other = order[free]
                if 0.0 < alpha[other] < C[other]:
                    found[k] -= alpha[other] * y[other] * line[other]
    else:
        for free in range(active):
            other = order[free]
            if 0.0 < alpha[other] < C[other]:
                _fill_whole(problem, other, state)
                line = state.whole[other]
                c = alpha[other] * y[other]
                for k in range(n):
                    found[k] -= c * line[k]
    for at in range(active, n):
        h[order[at]] = found[order[at]]
