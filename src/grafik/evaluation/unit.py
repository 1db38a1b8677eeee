"""One unit of work: one method on one outer fold, from graphs to an accuracy."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graphs.batch import Graphs
from ..models.selection import select
from ..models.svm import score_path
from .folds import Fold, chosen_by, outer_folds
from .kept_grams import KeptGrams
from .methods import Method
from .model_methods import ModelMethod
from .protocols import Protocol


class Unit(NamedTuple):
    """Which method, in which repeat, on which outer fold."""

    method: str
    repeat: int
    fold: int


@dataclass(frozen=True)
class Work:
    """All that the units of one evaluation have in common.

    Calling it with a :class:`Unit` computes the result, which does not depend on where or when.
    """

    graphs: Graphs
    y: NDArray[np.int64]
    methods: dict[str, Method | ModelMethod]
    protocol: Protocol
    groups: NDArray[np.int64] | None = None
    kept: KeptGrams = field(default_factory=KeptGrams, init=False, repr=False, compare=False)

    def units(self) -> list[Unit]:
        """Return all units, in the order of the result file."""
        return [
            Unit(method, repeat, fold)
            for repeat in range(self.protocol.repeats)
            for fold in range(self.protocol.n_splits)
            for method in self.methods
        ]

    def folds(self, repeat: int) -> list[Fold]:
        """Return training and test positions of the outer folds, the same for every method."""
        seed = _seed(self.protocol.random_state, repeat)
        return outer_folds(self.y, self.groups, self.protocol.n_splits, seed)

    def inner_folds(self, train: NDArray[np.intp], repeat: int, fold: int) -> list[Fold]:
        """Return the folds of a training part by which parameters are chosen."""
        seed = _seed(self.protocol.random_state, repeat, fold)
        return chosen_by(self.y, self.groups, train, self.protocol.inner_splits, seed)

    def check_folds(self) -> None:
        """Refuse groups that cannot be cut into the folds of any unit."""
        for repeat in range(self.protocol.repeats):
            for fold, (train, _) in enumerate(self.folds(repeat)):
                self.inner_folds(train, repeat, fold)

    def fold_of_graphs(self, repeat: int) -> list[int]:
        """Return the outer fold in which each graph is tested."""
        found = np.empty(len(self.y), np.int64)
        for fold, (_, test) in enumerate(self.folds(repeat)):
            found[test] = fold
        return found.tolist()

    def __call__(self, unit: Unit) -> tuple[dict[str, Any], float]:
        """Return the result of a unit, and the seconds that it took."""
        start = time.perf_counter()
        try:
            result = self._result(unit)
        except Exception as error:
            error.add_note(f"{unit.method}, repeat {unit.repeat}, fold {unit.fold}")
            raise
        return result, time.perf_counter() - start

    def _result(self, unit: Unit) -> dict[str, Any]:
        method = self.methods[unit.method]
        train, test = self.folds(unit.repeat)[unit.fold]
        inner = self.inner_folds(train, unit.repeat, unit.fold)
        if isinstance(method, ModelMethod):
            seed = _seed(self.protocol.random_state, unit.repeat, unit.fold)
            grouped = None if self.groups is None else inner
            found = method.result(self.graphs, self.y, (train, test), grouped, seed)
        else:
            found = self._chosen(method, train, test, inner)
        return {**unit._asdict(), **found}

    def _chosen(
        self, method: Method, train: NDArray[np.intp], test: NDArray[np.intp], inner: list[Fold]
    ) -> dict[str, Any]:
        """Choose the parameters of a kernel and C, and test the machine that has them."""
        protocol = self.protocol
        learned_from = train if protocol.thresholds_from == "train" else None
        grams = self.kept.of(method, self.graphs, learned_from, protocol)
        chosen = select(grams, self.y, inner, protocol.Cs, simplest=method.simplest)
        final = score_path(chosen.gram, self.y, train, test, [chosen.best["C"]])
        return {
            "params": chosen.best,
            "inner_accuracy": chosen.best_score,
            "n_correct": round(float(final.scores[0]) * len(test)),
            "n_test": len(test),
            "n_fits": chosen.n_fits + final.n_fits,
            "n_skipped": chosen.n_skipped,
            "n_unconverged": chosen.n_unconverged + final.n_unconverged,
        }


def _seed(*numbers: int) -> int:
    """Return a seed that depends on several numbers, and on nothing else."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])
