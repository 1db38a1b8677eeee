"""The dual problem of a support vector machine, solved step by step as libsvm does, but faster.

Each step changes the two dual variables that second order information suggests (Fan, Chen and Lin,
2005), and variables that stay at a bound are left out for a while (Chang and Lin, 2011). Choices,
the order of sums and the precision of each number are libsvm's, so that the solution has the same
bits. It is faster because loops run over consecutive numbers, without branches, and because rows of
the kernel are read where they are, once for all values of C.
"""

from __future__ import annotations

from typing import Any

from ..arrays.compiled import unchecked
from .smo_active import extremes, fill_row, frame, restore, settle, shrunk
from .smo_loops import (
    FLAT,
    LEAST,
    TOLERANCE,
    Problem,
    State,
    closed,
    last_of,
    move,
    partner,
    threshold,
    updated,
)

# Steps after which variables are left out.
_SHRINK_AFTER = 1000


@unchecked
def solve(problem: Problem, n_first: Any, max_iter: Any, state: State) -> Any:
    """Find the dual variables for two classes.

    Parameters
    ----------
    problem : Problem
    n_first : int
        How many training graphs are of the first class.
    max_iter : int
        Bound on the number of steps.
    state : State
        Memory. In the end `alpha` has the dual variables, with the signs of their classes. Rows
        of the kernel that are known stay so, for the same graphs and other bounds.

    Returns
    -------
    rho : float
        What is subtracted from sums to get decision values.
    converged : bool
    """
    n, C = len(problem.rows), problem.C
    alpha, y, bar, whole_h = state.alpha, state.y, state.bar, state.whole_h
    h, diagonal, up, low, zero = state.h, state.diagonal, state.up, state.low, state.zero
    order, position, looped, place = state.order, state.position, state.looped, state.place
    # Arrays one by one where time counts: to pass on the whole state takes as long as a short loop.
    rank, tops, found = state.rank, state.tops, (state.gain, state.gains)
    whole, part, known, kept = state.whole, state.part, state.known, state.kept
    for k in range(n):
        y[k] = 1.0 if k < n_first else -1.0
        alpha[k] = bar[k] = 0.0
        whole_h[k] = y[k]
        order[k] = position[k] = k
    active, m = n, n + 1
    renew, twice, may_restore = True, False, True
    converged, steps, countdown, largest = False, 0, min(n, _SHRINK_AFTER) + 1, LEAST
    while True:
        if not twice:
            if steps >= max_iter:
                break
            countdown -= 1
        if countdown == 0 and not twice:
            countdown = min(n, _SHRINK_AFTER)
            for f in range(m):
                whole_h[looped[f]] = h[f]
            top, bottom = extremes(C, active, state)
            if may_restore and top + bottom <= TOLERANCE * 10:
                may_restore = False
                restore(problem, active, state)
                active, m = n, n + 1
            active = shrunk(C, active, top, bottom, state)
            renew = True
        if renew:
            renew = False
            m = frame(problem, active, m, state)
            largest = updated(h, zero, zero, up, 0.0, 0.0, m, tops)
        first = last_of(largest, h, up, rank, m, tops)
        i = j = place[order[first]] if first >= 0 else 0
        row = zero
        if first >= 0 and up[i] == 0.0:  # else all are left out, or none can move
            k = looped[i]
            if not (known[k] if m == n else kept[k]):
                fill_row(problem, k, m, state)
            row = whole[k] if m == n else part[k]
            at = partner(i, row, h, low, diagonal, rank, m, found)
            if at >= 0:
                j = place[order[at]]
        if i == j:
            if active == n:
                converged = True
                break
            # Choose once more among all variables, and then leave some out at once.
            for f in range(m):
                whole_h[looped[f]] = h[f]
            restore(problem, active, state)
            active, m, countdown = n, n + 1, 1
            renew = twice = True
            continue
        twice = False
        steps += 1
        k = looped[j]
        if not (known[k] if m == n else kept[k]):
            fill_row(problem, k, m, state)
        other = whole[k] if m == n else part[k]
        s, t = looped[i], looped[j]
        a, b = alpha[s], alpha[t]
        curve = diagonal[i] + diagonal[j] - 2.0 * row[j]
        move(alpha, C, y, s, t, h[i], h[j], curve if curve > 0.0 else FLAT)
        if (a >= C[s]) != (alpha[s] >= C[s]):
            settle(problem, s, a, state)
        if (b >= C[t]) != (alpha[t] >= C[t]):
            settle(problem, t, b, state)
        up[i], low[i] = closed(alpha[s], C[s], y[s])
        up[j], low[j] = closed(alpha[t], C[t], y[t])
        a, b = y[s] * (alpha[s] - a), y[t] * (alpha[t] - b)
        largest = updated(h, row, other, up, a, b, m, tops)
    rho = threshold(C, active, state)
    for k in range(n):
        alpha[k] *= y[k]
    return rho, converged
