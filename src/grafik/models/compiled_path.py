"""Predictions of machines with increasing C, all in one compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.compiled import loop, unchecked
from .smo import solve
from .smo_loops import Problem, State, new_state

# A dual variable that is this close to C, relatively, counts as having reached it.
CLOSE = 1e-6
# Numbers for which no step of the solver leaves what numbers of single precision can be.
_LARGEST = 1e15


class Memories:
    """Memory of solvers that work at the same time, which is used again and again."""

    def __init__(self) -> None:
        self._free = list[State]()

    def take(self, n: int) -> State:
        """Return memory for so many training graphs, which nobody else has."""
        while True:
            try:
                memory = self._free.pop()  # another thread may be faster
            except IndexError:
                return new_state(n)
            if len(memory.alpha) >= n:
                return memory

    def give_back(self, memory: State) -> None:
        """Let others use it."""
        self._free.append(memory)

    def clear(self) -> None:
        """Keep none of it."""
        self._free.clear()


MEMORIES = Memories()


def can_predict(gram: NDArray[np.float64], costs: NDArray[np.float64] | None) -> bool:
    """Tell whether :func:`predictions` is right for a matrix: not for very large numbers."""
    flags = gram.flags
    plain = gram.dtype == np.float64 and flags.c_contiguous and flags.writeable
    positive = costs is None or bool((costs > 0).all())
    return plain and positive and bool((np.abs(gram.diagonal()) < _LARGEST).all())


def predictions(
    gram: NDArray[np.float64],
    codes: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    Cs: Sequence[float],
    max_iter: int,
    costs: NDArray[np.float64] | None,
    memories: Memories,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Predict by a machine for each C, until all larger ones have the same solution.

    Parameters
    ----------
    gram : ndarray of shape (n_graphs, n_graphs)
        One for which `can_predict` says so.
    codes : ndarray of int, shape (n_train,)
        Classes 0, 1, ... of the training graphs; none is empty.
    train, test : ndarray of int
        Rows of `gram`.
    Cs : sequence of float
        Increasing.
    max_iter : int
        Bound on the steps of the solver.
    costs : ndarray of shape (n_train,), or None
        How much each training graph counts.
    memories : Memories

    Returns
    -------
    predicted : ndarray of int64, shape (n_machines, n_test)
    converged : ndarray of bool, shape (n_machines,)
    """
    order = np.argsort(codes, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    n, n_classes = len(train), len(start) - 1
    predicted, converged = np.empty((len(Cs), len(test)), np.int64), np.ones(len(Cs), np.bool_)
    memory = memories.take(n)
    path = Path(
        gram,
        np.asarray(train, np.int64)[order],
        start,
        np.ascontiguousarray(test, np.int64),
        np.array(Cs, np.float64),
        np.ones(n) if costs is None else costs[order],
    )
    votes = np.empty((len(test), n_classes), np.int64)
    n_done = predict_path(path, max_iter, predicted, converged, votes, memory)
    memories.give_back(memory)
    return predicted[:n_done], converged[:n_done]


class Path(NamedTuple):
    """Machines with increasing C, and what they predict.

    Attributes
    ----------
    gram : ndarray of float64, shape (n_graphs, n_graphs)
    rows : ndarray of int64
        Training graphs, class after class.
    start : ndarray of int64, shape (n_classes + 1,)
        Where each class starts in `rows`; none is empty.
    test : ndarray of int64
        Rows of `gram`.
    Cs : ndarray of float64
        Increasing.
    costs : ndarray of float64
        How much each of the training graphs counts.
    """

    gram: Any
    rows: Any
    start: Any
    test: Any
    Cs: Any
    costs: Any


@loop
def predict_path(
    path: Path, max_iter: Any, predicted: Any, converged: Any, votes: Any, state: State
) -> Any:
    """Fit a machine for each C until all larger ones have the same solution; predict by each.

    Parameters
    ----------
    path : Path
    max_iter : int
        Bound on the steps of the solver, for each pair of classes.
    predicted : ndarray of int64, shape (n_Cs, n_test)
        Is filled with numbers of classes, for as many C as are fitted.
    converged : ndarray of bool, shape (n_Cs,)
        All true; false is written for machines that do not converge.
    votes : ndarray of int64, shape (n_test, n_classes)
        Memory.
    state : State
        Memory of the solver.

    Returns
    -------
    n_done : int
        Number of machines that were fitted.
    """
    gram, rows, start, test, Cs, costs = path
    pair, bounds, known, dual = state.pair, state.bounds, state.known, state.alpha
    n_classes = len(start) - 1
    known[:] = False
    for number in range(len(Cs)):
        votes[:] = 0
        reached = False
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                n, n_first = 0, start[i + 1] - start[i]
                for c in (i, j):
                    for k in range(start[c], start[c + 1]):
                        pair[n], bounds[n] = rows[k], Cs[number] * costs[k]
                        n += 1
                if n_classes > 2:
                    known[:] = False
                problem = Problem(gram, pair[:n], bounds)
                rho, done = solve(problem, n_first, max_iter, state)
                converged[number] &= done
                for k in range(n):
                    reached |= abs(dual[k]) >= (1 - CLOSE) * bounds[k]
                _vote(path, n, rho, i, j, votes, state)
        for at in range(len(test)):
            best = 0
            for c in range(1, n_classes):
                if votes[at, c] > votes[at, best]:
                    best = c
            predicted[number, at] = best
        if converged[number] and not reached:
            return number + 1
    return len(Cs)


@unchecked
def _vote(path: Path, n: Any, rho: Any, i: Any, j: Any, votes: Any, state: State) -> None:
    """Decide between two classes for each test graph; sums have libsvm's order."""
    gram, test, pair, dual = path.gram, path.test, state.pair, state.alpha
    n_support = 0
    for k in range(n):
        if dual[k] != 0.0:
            pair[n_support], dual[n_support] = pair[k], dual[k]
            n_support += 1
    # Four graphs at a time, as each addition waits for the one before.
    for at in range(0, len(test), 4):
        last = len(test) - 1
        row, second = gram[test[at]], gram[test[min(at + 1, last)]]
        third, fourth = gram[test[min(at + 2, last)]], gram[test[min(at + 3, last)]]
        a = b = c = d = 0.0
        for k in range(n_support):
            a += dual[k] * row[pair[k]]
            b += dual[k] * second[pair[k]]
            c += dual[k] * third[pair[k]]
            d += dual[k] * fourth[pair[k]]
        for graph, total in ((at, a), (at + 1, b), (at + 2, c), (at + 3, d)):
            if graph <= last:
                votes[graph, i if total - rho > 0.0 else j] += 1
