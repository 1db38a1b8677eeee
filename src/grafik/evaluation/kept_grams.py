"""Gram matrices that are the same for all folds: computed once in a process, if they fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..system.memory_limits import available
from .methods import Method
from .protocols import Protocol
from .sweeps import Grams

# The part of free memory that a process takes for what it keeps, and what it takes where the
# system does not tell. Other processes do the same.
_SHARE, _UNKNOWN = 1 / 8, 5e8


class KeptGrams:
    """The matrices of methods that learn nothing from graphs.

    Copies of it, such as those that travel to other processes, are empty at first.
    """

    def __init__(self) -> None:
        self._known = dict[str, list[tuple[dict[str, Any], NDArray[np.float64]]]]()
        self._left: float | None = None

    def __reduce__(self) -> tuple[type[KeptGrams], tuple[()]]:
        return KeptGrams, ()

    def of(
        self,
        method: Method,
        graphs: Graphs,
        train: NDArray[np.int64] | None,
        protocol: Protocol,
    ) -> Grams:
        """Yield parameters and matrices, always for the same graphs and protocol."""
        grams = method.grams(graphs, train, protocol)
        if method.learns:
            return grams
        if method.name not in self._known:
            if not self._reserve(8.0 * len(graphs) ** 2 * method.n_grams(protocol)):
                return grams
            self._known[method.name] = [(params, gram.copy()) for params, gram in grams]
        return iter(self._known[method.name])

    def _reserve(self, n_bytes: float) -> bool:
        """Tell whether there is room, and take it."""
        if self._left is None:
            self._left = _SHARE * (available() or _UNKNOWN / _SHARE)
        fits = n_bytes <= self._left
        self._left -= n_bytes if fits else 0.0
        return fits
