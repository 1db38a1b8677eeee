"""The dual problem of a support vector machine, solved step by step as libsvm does, but faster.

Each step changes the two dual variables that second order information suggests (Fan, Chen and Lin,
2005), and variables that stay at a bound are left out for a while (Chang and Lin, 2011). Choices,
the order of sums and the precision of each number are libsvm's, so that the solution has the same
bits. It is faster because loops run over consecutive numbers, without branches, and because rows of
the kernel are read where they are, once for all values of C.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# Divisors are never 0 here; without a check for that, loops take several numbers at a time.
loop: Any = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
# As in libsvm: when to stop, and the curvature of a direction that has none.
_TOLERANCE = 1e-3
_FLAT = 1e-12
# Steps after which variables are left out.
_SHRINK_AFTER = 1000
# Variables that are left out are passed over in all loops, until this share of them is left.
_CROWDED = 0.85
# Loops that find the largest number remember the largest of so many each.
_BLOCK = 256
_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)
_LEAST = np.int64(-0x8000000000000000)
# A gain is first computed in single precision. Its bits, as an integer, are wrong by less than
# this, unless it is tiny.
_DOUBT = np.int32(64)
_TINY = np.int32(0x0DA24260)  # 1e-30


class Memory:
    """What the solver writes to, for at most so many training graphs.

    Attributes
    ----------
    whole : ndarray of float32
        Rows of the kernel between training graphs.
    part : ndarray of float32
        The same, without variables that are left out.
    numbers : ndarray of float64
        Of each variable: its value, its class, the part of its derivative by variables at bounds,
        and the derivative. In the order of loops: the derivative, and the diagonal.
    singles : ndarray of float32
        In the order of loops: what is added where a variable cannot go up, or down; its gain; 0.
    integers : ndarray of int64
        For each variable libsvm's order, where it is in it and in loops; for loops, which variable
        it is and where in libsvm's order; which rows of `part` are known.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.whole, self.part = np.empty((2, n, n), np.float32)
        self.numbers, self.singles = np.empty((6, n)), np.zeros((4, n), np.float32)
        self.integers = np.empty((6, n), np.int64)
        n_blocks = -(-n // _BLOCK)
        self.tops, self.gains = np.empty(n_blocks, np.int64), np.empty(n_blocks, np.int32)
        self.known = np.empty(n, np.bool_)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """All of it, in the order in which :func:`solve` takes it."""
        rows = self.whole, self.part, self.known
        return *rows, self.numbers, self.singles, self.integers, self.tops, self.gains


@intrinsic
def _bits(context: Any, number: Any) -> Any:
    """Return a number as an integer of the same bits."""
    kinds = {types.float64: types.int64, types.float32: types.int32}

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.bitcast(given[0], ir.IntType(signature.return_type.bitwidth))

    return kinds[number](number), code


@loop
def solve(
    gram: Any,
    rows: Any,
    n_first: Any,
    C: Any,
    max_iter: Any,
    whole: Any,
    part: Any,
    known: Any,
    numbers: Any,
    singles: Any,
    integers: Any,
    tops: Any,
    gains: Any,
) -> Any:
    """Find the dual variables for two classes.

    Parameters
    ----------
    gram : ndarray of float64, shape (n_graphs, n_graphs)
    rows : ndarray of int64, shape (n,)
        Training graphs, those of the first class before those of the second.
    n_first : int
        How many are of the first class.
    C : ndarray of float64, shape (n,)
        The bound of each variable.
    max_iter : int
        Bound on the number of steps.
    whole, part, known, numbers, singles, integers, tops, gains : ndarray
        Memory. `known` says which rows of `whole` have been filled in; the others are, as they are
        needed. In the end the first row of `numbers` has the dual variables, with the signs of
        their classes.

    Returns
    -------
    rho : float
        What is subtracted from sums to get decision values.
    converged : bool
    """
    n = len(rows)
    alpha, y, bar, whole_h = numbers[0], numbers[1], numbers[2], numbers[3]
    h, diagonal = numbers[4], numbers[5]
    up, low, gain, zero = singles[0], singles[1], singles[2], singles[3]
    order, position, looped, place = integers[0], integers[1], integers[2], integers[3]
    rank, kept = integers[4], integers[5]
    for k in range(n):
        y[k] = 1.0 if k < n_first else -1.0
        alpha[k] = bar[k] = 0.0
        whole_h[k] = y[k]
        order[k] = position[k] = k
    active, m = n, n + 1
    renew, twice, may_restore = True, False, True
    converged, steps, countdown, largest = False, 0, min(n, _SHRINK_AFTER) + 1, _LEAST
    while True:
        if not twice:
            if steps >= max_iter:
                break
            countdown -= 1
        if countdown == 0 and not twice:
            countdown = min(n, _SHRINK_AFTER)
            for f in range(m):
                whole_h[looped[f]] = h[f]
            top, bottom = _extremes(alpha, C, y, whole_h, order, active)
            if may_restore and top + bottom <= _TOLERANCE * 10:
                may_restore = False
                _restore(gram, rows, C, active, whole, known, numbers, order)
                active, m = n, n + 1
            active = _shrunk(alpha, C, y, whole_h, order, position, active, top, bottom)
            renew = True
        if renew:
            renew = False
            m = _frame(gram, rows, C, active, m, numbers, singles, integers)
            largest = _updated(h, zero, zero, up, 0.0, 0.0, m, tops)
        i = j = place[order[_last_of(largest, h, up, rank, m, tops)]]
        row = zero
        if up[i] == 0.0:
            row = _row(gram, rows, looped[i], looped, m, n, whole, known, part, kept)
            at = _partner(h[i], diagonal[i], row, h, low, diagonal, gain, rank, m, gains)
            if at >= 0:
                j = place[order[at]]
        if i == j:
            if active == n:
                converged = True
                break
            # Choose once more among all variables, and then leave some out at once.
            for f in range(m):
                whole_h[looped[f]] = h[f]
            _restore(gram, rows, C, active, whole, known, numbers, order)
            active, m, countdown = n, n + 1, 1
            renew = twice = True
            continue
        twice = False
        steps += 1
        other = _row(gram, rows, looped[j], looped, m, n, whole, known, part, kept)
        s, t = looped[i], looped[j]
        a, b = alpha[s], alpha[t]
        curve = diagonal[i] + diagonal[j] - 2.0 * row[j]
        _move(alpha, C, y, s, t, h[i], h[j], curve if curve > 0.0 else _FLAT)
        _settle(gram, rows, C, s, a, whole, known, numbers, n)
        _settle(gram, rows, C, t, b, whole, known, numbers, n)
        up[i], low[i] = _closed(alpha[s], C[s], y[s])
        up[j], low[j] = _closed(alpha[t], C[t], y[t])
        a, b = y[s] * (alpha[s] - a), y[t] * (alpha[t] - b)
        largest = _updated(h, row, other, up, a, b, m, tops)
    rho = _rho(h, alpha, C, y, order, place, active)
    for k in range(n):
        alpha[k] *= y[k]
    return rho, converged


@loop
def _closed(alpha: Any, C: Any, y: Any) -> Any:
    """Return what is added to a value so that it is chosen only if its variable can move."""
    full = alpha >= C
    empty = not full and alpha <= 0.0
    up = full if y > 0.0 else empty
    low = empty if y > 0.0 else full
    return (-np.inf if up else 0.0), (np.inf if low else 0.0)


@loop
def _frame(
    gram: Any, rows: Any, C: Any, active: Any, m: Any, numbers: Any, singles: Any, integers: Any
) -> Any:
    """Set what loops run over; variables that are left out stay until there are many of them.

    `m` is how many were looped over; more than there are if all are to be.
    """
    n = len(rows)
    alpha, y, whole_h, h, diagonal = numbers[0], numbers[1], numbers[3], numbers[4], numbers[5]
    position, looped, place, rank = integers[1], integers[2], integers[3], integers[4]
    crowded = active < _CROWDED * min(m, n)
    if crowded or m > n:
        m = 0
        for k in range(n):
            integers[5, k] = 0
            if not crowded or position[k] < active:
                looped[m], place[k] = k, m
                m += 1
    for f in range(m):
        k = looped[f]
        h[f], rank[f], diagonal[f] = whole_h[k], position[k], gram[rows[k], rows[k]]
        singles[0, f], singles[1, f] = -np.inf, np.inf
        if position[k] < active:
            singles[0, f], singles[1, f] = _closed(alpha[k], C[k], y[k])
    return m


@loop
def _whole_row(gram: Any, rows: Any, k: Any, n: Any, whole: Any, known: Any) -> Any:
    """Return the kernel of one training graph with all others, in libsvm's precision."""
    row = whole[k]
    if not known[k]:
        known[k] = True
        source = gram[rows[k]]
        for other in range(n):
            row[other] = source[rows[other]]
    return row


@loop
def _row(
    gram: Any,
    rows: Any,
    k: Any,
    looped: Any,
    m: Any,
    n: Any,
    whole: Any,
    known: Any,
    part: Any,
    kept: Any,
) -> Any:
    """Return the kernel of one training graph with those that are looped over."""
    line = _whole_row(gram, rows, k, n, whole, known)
    if m == n:
        return line
    row = part[k]
    if not kept[k]:
        kept[k] = 1
        for f in range(m):
            row[f] = line[looped[f]]
    return row


@loop
def _updated(
    h: Any, row: Any, other: Any, up: Any, a: Any, b: Any, m: Any, tops: Any
) -> Any:
    """Update derivatives, and return the largest of those that can go up, as an integer.

    Integers that have the order of the numbers are compared, which compilers do much faster.
    """
    largest = _LEAST
    for block in range((m + _BLOCK - 1) // _BLOCK):
        top = _LEAST
        for f in range(np.uint64(block * _BLOCK), np.uint64(min(block * _BLOCK + _BLOCK, m))):
            x = h[f] - (row[f] * a + other[f] * b)
            h[f] = x
            key = _bits(x + up[f])
            key ^= (key >> 63) & _SIGN
            top = max(top, key)
        tops[block] = top
        largest = max(largest, top)
    return largest


@loop
def _last_of(largest: Any, h: Any, up: Any, rank: Any, m: Any, tops: Any) -> Any:
    """Return how-manieth a variable with the largest value is; of several, the last."""
    last = np.int64(-1)
    for block in range((m + _BLOCK - 1) // _BLOCK):
        if tops[block] == largest:
            for f in range(np.uint64(block * _BLOCK), np.uint64(min(block * _BLOCK + _BLOCK, m))):
                key = _bits(h[f] + up[f])
                key ^= (key >> 63) & _SIGN
                last = max(last, rank[f] if key == largest else np.int64(-1))
    return last


@loop
def _partner(
    best: Any,
    own: Any,
    row: Any,
    h: Any,
    low: Any,
    diagonal: Any,
    gain: Any,
    rank: Any,
    m: Any,
    gains: Any,
) -> Any:
    """Return how-manieth the variable is that gains most with another; -1 if none gains enough."""
    largest = np.int32(0)
    for block in range((m + _BLOCK - 1) // _BLOCK):
        top = np.int32(0)
        for f in range(np.uint64(block * _BLOCK), np.uint64(min(block * _BLOCK + _BLOCK, m))):
            ahead = best - (h[f] + low[f])
            ahead = ahead if ahead > 0.0 else 0.0
            curve = own + diagonal[f] - 2.0 * row[f]
            curve = curve if curve > 0.0 else _FLAT
            gain[f] = np.float32(ahead) * np.float32(ahead) / np.float32(curve)
            key = _bits(gain[f])
            if key > top:
                top = key
        gains[block] = top
        if top > largest:
            largest = top
    # Those that might gain most, in double precision.
    enough = largest - _DOUBT if largest > _TINY else np.int32(0)
    most, last, distance = 0.0, np.int64(-1), 0.0
    for block in range((m + _BLOCK - 1) // _BLOCK):
        if gains[block] < enough:
            continue
        for f in range(np.uint64(block * _BLOCK), np.uint64(min(block * _BLOCK + _BLOCK, m))):
            if _bits(gain[f]) < enough:
                continue
            ahead = best - (h[f] + low[f])
            if ahead <= 0.0:
                continue
            curve = own + diagonal[f] - 2.0 * row[f]
            exact = (ahead * ahead) / (curve if curve > 0.0 else _FLAT)
            if exact > most or (exact == most and rank[f] > last):
                most, last, distance = exact, rank[f], ahead
    if distance >= _TOLERANCE:
        return last
    for f in range(m):
        if best - (h[f] + low[f]) >= _TOLERANCE:
            return last
    return np.int64(-1)


@loop
def _move(
    alpha: Any, C: Any, y: Any, s: Any, t: Any, h_s: Any, h_t: Any, curve: Any
) -> None:
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


@loop
def _settle(
    gram: Any,
    rows: Any,
    C: Any,
    k: Any,
    before: Any,
    whole: Any,
    known: Any,
    numbers: Any,
    n: Any,
) -> None:
    """Remember what a variable adds to all derivatives while it is at its upper bound."""
    alpha, y, bar = numbers[0], numbers[1], numbers[2]
    was, now = before >= C[k], alpha[k] >= C[k]
    if was != now:
        line = _whole_row(gram, rows, k, n, whole, known)
        c = -C[k] * y[k] if was else C[k] * y[k]
        for other in range(n):
            bar[other] -= c * line[other]


@loop
def _extremes(alpha: Any, C: Any, y: Any, h: Any, order: Any, active: Any) -> Any:
    """Return the largest value of variables that can go up, and of minus those that can go down."""
    top = bottom = -np.inf
    for at in range(active):
        k = order[at]
        up, low = _closed(alpha[k], C[k], y[k])
        if up == 0.0:
            top = max(top, h[k])
        if low == 0.0:
            bottom = max(bottom, -h[k])
    return top, bottom


@loop
def _stays(alpha: Any, C: Any, y: Any, h: Any, top: Any, bottom: Any) -> Any:
    """Tell whether a variable is likely to stay at its bound."""
    up, low = _closed(alpha, C, y)
    return (up != 0.0 and h > top) or (low != 0.0 and -h > bottom)


@loop
def _shrunk(
    alpha: Any,
    C: Any,
    y: Any,
    h: Any,
    order: Any,
    position: Any,
    active: Any,
    top: Any,
    bottom: Any,
) -> Any:
    """Put variables that are likely to stay at a bound behind all others; return how many stay."""
    at = 0
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


@loop
def _restore(
    gram: Any,
    rows: Any,
    C: Any,
    active: Any,
    whole: Any,
    known: Any,
    numbers: Any,
    order: Any,
) -> None:
    """Compute the values of the variables that were left out."""
    n = len(rows)
    alpha, y, bar, h, found = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
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
            line = _whole_row(gram, rows, k, n, whole, known)
            for free in range(active):
                other = order[free]
                if 0.0 < alpha[other] < C[other]:
                    found[k] -= alpha[other] * y[other] * line[other]
    else:
        for free in range(active):
            other = order[free]
            if 0.0 < alpha[other] < C[other]:
                line = _whole_row(gram, rows, other, n, whole, known)
                c = alpha[other] * y[other]
                for k in range(n):
                    found[k] -= c * line[k]
    for at in range(active, n):
        h[order[at]] = found[order[at]]


@loop
def _rho(h: Any, alpha: Any, C: Any, y: Any, order: Any, place: Any, active: Any) -> Any:
    """Return the threshold: the mean value of free variables, or the middle of what is possible."""
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
