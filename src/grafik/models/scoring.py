"""Scores of held-out graphs by any of scikit-learn's scorers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import signature
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring, get_scorer_names

from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from .decision import calibrated_slope, probabilities
from .graph_weights import EVEN, GraphWeights
from .svm import CPath, centre, machines


class HeldOut(NamedTuple):
    """What machines with increasing C, all fitted on the same graphs, say about one fold.

    Attributes
    ----------
    test : ndarray of int
        Which graphs the fold holds out.
    codes : ndarray of int
        The classes among the training graphs; others are never predicted.
    predictions, decisions : list of ndarray
        For each machine; without classes there are no decision values.
    n_unconverged : int
    """

    test: NDArray[np.intp]
    codes: NDArray[np.intp]
    predictions: list[NDArray[Any]]
    decisions: list[NDArray[np.float64]]
    n_unconverged: int


@dataclass(frozen=True)
class Scorer:
    """A scorer and what it is shown: held-out graphs, targets, and an estimator that knows them.

    Attributes
    ----------
    function : callable
        Called with an estimator, graphs and targets, as by scikit-learn.
    graphs : Graphs
    y : ndarray of shape (n_graphs,)
        Targets as the user gave them.
    classes : ndarray or None
        What the classes 0, 1, ... are called; None for regression.
    weights : GraphWeights
    """

    function: Callable[..., Any]
    graphs: Graphs
    y: NDArray[Any]
    classes: NDArray[Any] | None
    weights: GraphWeights = EVEN

    def held_out(
        self,
        gram: NDArray[np.float64],
        codes: NDArray[Any],
        train: NDArray[np.intp],
        test: NDArray[np.intp],
        Cs: Sequence[float],
        max_iter: int,
    ) -> HeldOut:
        """Predict held-out graphs by machines with increasing C, by as many as differ."""
        rows = gram[np.ix_(test, train)]
        predictions, decisions, unconverged = list[NDArray[Any]](), list[NDArray[Any]](), 0
        if self.classes is None:
            target, known = self.y, np.empty(0, np.intp)
            mean, scale = centre(target[train], self.weights.of(train))
        else:
            target, known = codes, np.unique(codes[train])
            if len(known) == 1:
                raise ValueError(
                    f"a fold has training graphs of class {self.classes[known[0]]!s} only, so that "
                    "scoring has nothing to score; use scoring=None, other folds or more graphs"
                )
        for machine in machines(
            gram, target, train, Cs, max_iter, self.classes is None, self.weights
        ):
            found = machine.predict(rows)
            if self.classes is None:
                predictions.append(found * scale + mean)
            else:
                predictions.append(self.classes[known[found.astype(np.intp)]])
                decisions.append(machine.decide(rows))
            unconverged += not machine.converged
        return HeldOut(test, known, predictions, decisions, unconverged)

    def scored(self, folds: Sequence[HeldOut], codes: NDArray[Any], n_Cs: int) -> list[CPath]:
        """Return the scores of all folds.

        Probabilities of a fold are those with the slope that suits the graphs of the other folds.
        """
        paths = list[CPath]()
        for number, fold in enumerate(folds):
            others = [*folds[:number], *folds[number + 1 :]] or [fold]
            scores = list[float]()
            for place in range(len(fold.predictions)):
                machine = self._machine(fold, place, others, codes)
                try:
                    scores.append(self._score(machine, fold.test))
                except Exception as error:
                    error.add_note(f"while scoring fold {number} of {len(folds)}")
                    raise
            skipped = n_Cs - len(scores)
            path = np.array(scores + scores[-1:] * skipped)
            paths.append(CPath(path, len(scores), skipped, fold.n_unconverged))
        return paths

    def _score(self, machine: Any, test: NDArray[np.intp]) -> float:
        score: Any = scored(self.function, machine, machine.X, self.y[test], self.weights.of(test))
        if not isinstance(score, Real) or not np.isfinite(float(score)):
            held = f"{len(test)} graphs"
            if self.classes is not None:
                held += f" of the classes {np.unique(self.y[test]).tolist()}"
            raise ValueError(
                f"the score of a fold must be one finite number, got {score!r} for {held}; "
                "use fewer folds or another scoring"
            )
        return float(score)

    def _machine(
        self, fold: HeldOut, place: int, others: Sequence[HeldOut], codes: NDArray[Any]
    ) -> Any:
        graphs, predicted = self.graphs[fold.test.tolist()], fold.predictions[place]
        if self.classes is None:
            return _KnownNumbers(graphs, predicted)
        n_classes = len(self.classes)

        def slope() -> float:
            known = [
                (one.decisions[min(place, len(one.decisions) - 1)], one.test)
                for one in others
                if len(one.codes) == n_classes
            ]
            if not known:
                return 1.0
            held = np.concatenate([test for _, test in known])
            decisions = np.concatenate([found for found, _ in known])
            return calibrated_slope(decisions, codes[held], self.weights.of(held))

        decisions = fold.decisions[place]
        return _KnownClasses(graphs, predicted, decisions, slope, self.classes[fold.codes])


def checked_scorer(scoring: Any) -> Callable[..., Any]:
    """Return the scorer of this name, or the callable itself."""
    if not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(
            "scoring must be None, one of the names of sklearn.metrics.get_scorer_names(), or a "
            f"function of an estimator, graphs and targets, got {scoring!r}"
        )
    names = get_scorer_names()
    if isinstance(scoring, str) and scoring not in names:
        close = get_close_matches(scoring, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "see sklearn.metrics.get_scorer_names()"
        raise ValueError(f"scikit-learn has no scorer of the name {scoring!r}; {hint}")
    found: Callable[..., Any] = check_scoring(scoring=scoring)
    return found


def scored(scorer: Callable[..., Any], model: Any, X: Any, y: Any, weights: Any) -> Any:
    """Call a scorer, with weights of graphs if there are any and it takes them."""
    taken = signature(getattr(scorer, "_score_func", scorer)).parameters
    if weights is None or "sample_weight" not in taken:
        return scorer(model, X, y)
    return scorer(model, X, y, sample_weight=weights)


class _KnownNumbers(RegressorMixin, BaseEstimator):
    """An estimator that knows what is predicted for some graphs, and nothing else."""

    def __init__(self, X: Graphs, predictions: NDArray[np.float64]) -> None:
        self.X, self.predictions = X, predictions

    def predict(self, X: Any) -> NDArray[np.float64]:
        _refuse_other_graphs(X, self.X)
        return self.predictions


class _KnownClasses(ClassifierMixin, BaseEstimator):
    """The same for classes; the slope of probabilities is found when it is needed."""

    def __init__(
        self,
        X: Graphs,
        predictions: NDArray[Any],
        decisions: NDArray[np.float64],
        slope: Callable[[], float],
        classes: NDArray[Any],
    ) -> None:
        self.X, self.predictions, self.decisions = X, predictions, decisions
        self.slope, self.classes_ = slope, classes

    def predict(self, X: Any) -> NDArray[Any]:
        _refuse_other_graphs(X, self.X)
        return self.predictions

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        _refuse_other_graphs(X, self.X)
        return self.decisions

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        _refuse_other_graphs(X, self.X)
        return probabilities(self.decisions, self.slope())


def _refuse_other_graphs(X: Any, known: Graphs) -> None:
    if X is not known and as_graphs(X) != known:
        raise ValueError("a scorer may ask for predictions of the graphs that it is given, only")
