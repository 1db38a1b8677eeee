"""Work cut into blocks of consecutive graphs, done by a few threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .checks import is_integer

Result = TypeVar("Result")


def n_threads(n_jobs: Any) -> int:
    """Return the number of threads that `n_jobs` asks for, by scikit-learn's convention."""
    if n_jobs is None:
        return 1
    if not is_integer(n_jobs) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    return int(n_jobs) if n_jobs > 0 else max(1, (processors or 1) + 1 + int(n_jobs))


def run_blocks(
    work: Callable[[int, int], Result], cost: NDArray[np.int64], n_jobs: Any, per_thread: int = 4
) -> list[Result]:
    """Call ``work(start, stop)`` for blocks of graphs and return the results in their order.

    Parameters
    ----------
    work : callable
        Must give the same results however the graphs are cut into blocks.
    cost : ndarray of shape (n_graphs + 1,)
        What the graphs before each one cost, in any unit.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors.
    per_thread : int
        Blocks for each thread, so that none waits long for another.
    """
    threads = n_threads(n_jobs)
    n_blocks = 1 if threads == 1 else threads * per_thread
    targets = np.linspace(0, cost[-1], n_blocks + 1)[1:-1]
    cuts = np.unique([0, *np.searchsorted(cost, targets), len(cost) - 1])
    blocks = list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)) or [(0, 0)]
    if threads == 1 or len(blocks) == 1:
        return [work(start, stop) for start, stop in blocks]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda block: work(*block), blocks))
