"""Choosing a Gram matrix and C by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.model_selection import KFold, StratifiedKFold

from ..arrays.checks import checked_integer, checked_list, checked_number
from ..system.threads import n_threads, run_all
from .compiled_path import MEMORIES
from .digest import digest
from .graph_weights import EVEN, GraphWeights
from .scoring import Scorer
from .svm import MAX_ITER, CPath, score_path
from .training import Fold

# Use threads if the smallest fold has at least this many graphs. Smaller fits are mostly Python,
# and threads would wait for each other.
_WORTH_THREADS = 500
# Digits of mean scores that are compared.
_DIGITS = 12


class Task(NamedTuple):
    """What machines are fitted for.

    Attributes
    ----------
    regression : bool
        Whether targets are numbers instead of classes.
    weights : GraphWeights
        How much graphs count, in fits and in scores.
    scorer : Scorer or None
        How held-out graphs are scored; None is by accuracy, or by R^2.
    """

    regression: bool = False
    weights: GraphWeights = EVEN
    scorer: Scorer | None = None


CLASSES = Task()


@dataclass(frozen=True)
class Selection:
    """What cross-validation chose, and what it saw.

    Attributes
    ----------
    best : dict
        The parameters with the best mean score, "C" among them.
    best_score : float
    gram : ndarray
        The Gram matrix with these parameters.
    results : dict
        Columns as in scikit-learn's ``cv_results_``: ``params``, ``split0_test_score``, ...,
        ``mean_test_score``, ``std_test_score``, ``rank_test_score``.
    n_fits : int
        Number of machines that were fitted.
    n_skipped : int
        Number of fits whose result was known already: for equal Gram matrices, or for a larger C.
    n_unconverged : int
        Number of fits that ended at the bound on iterations.
    """

    best: dict[str, Any]
    best_score: float
    gram: NDArray[np.float64]
    results: dict[str, Any]
    n_fits: int
    n_skipped: int
    n_unconverged: int


def select(
    grams: Iterable[tuple[dict[str, Any], NDArray[np.float64]]],
    y: NDArray[Any],
    folds: Sequence[Fold],
    Cs: Iterable[float],
    *,
    max_iter: int = MAX_ITER,
    task: Task = CLASSES,
    simplest: Callable[[dict[str, Any]], Any] | None = None,
    n_jobs: int | None = None,
) -> Selection:
    """Choose the parameters and the C with the best mean score over folds.

    The choice is that of scikit-learn's ``GridSearchCV``, but what cannot change it is not fitted:
    matrices that were seen before, and every C above one that no dual variable reaches.

    Parameters
    ----------
    grams : iterable of (parameters, Gram matrix)
        All items may use the same memory for their matrices; these are not changed.
    y : ndarray of shape (n_graphs,)
        Classes, or numbers for regression.
    folds : sequence of (train, test)
        Rows of the matrices. Rows in no fold play no part.
    Cs : iterable of float
    max_iter : int
        Bound on the steps of the solver.
    task : Task
        Whether to fit classes or numbers, and how to score; by default classes, by accuracy.
    simplest : callable, optional
        Decides between parameters with equal scores: those for which it returns the least win. By
        default, and if it returns the same, the first ones win. Of several C the smallest wins.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.models.selection import inner_folds, select
    >>> x, y = np.r_[-7:-2, 3:8], np.repeat(["low", "high"], 5)
    >>> grams = [({"power": p}, np.outer(x**p, x**p) * 1.0) for p in (2, 1, 3)]
    >>> found = select(grams, y, inner_folds(y, None, 3, random_state=0), [0.1, 1.0, 10.0])
    >>> found.best, found.best_score
    ({'power': 1, 'C': 0.1}, 1.0)
    """
    contest = Contest(y, folds, Cs, max_iter=max_iter, task=task, simplest=simplest, n_jobs=n_jobs)
    for parameters, gram in grams:
        contest.enter(parameters, gram)
    return contest.result()


class Contest:
    """Gram matrices that compete: each is scored for every C, and the best one is kept.

    Parameters
    ----------
    y, folds, Cs, max_iter, task, simplest, n_jobs
        As for :func:`select`.

    Attributes
    ----------
    best_score : float
        The best mean score so far; minus infinity before the first matrix.
    """

    def __init__(
        self,
        y: NDArray[Any],
        folds: Sequence[Fold],
        Cs: Iterable[float],
        *,
        max_iter: int = MAX_ITER,
        task: Task = CLASSES,
        simplest: Callable[[dict[str, Any]], Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.Cs = _increasing(Cs)
        self.best_score = -np.inf
        self._codes = y if task.regression else np.unique(y, return_inverse=True)[1]
        self._folds, self._max_iter, self._task, self._simplest = folds, max_iter, task, simplest
        self._used = np.unique(np.concatenate([part for fold in folds for part in fold]))
        smallest = min(len(train) for train, _ in folds)
        self._threads = n_threads(n_jobs) if smallest >= _WORTH_THREADS else 1
        self._seen = dict[tuple[bytes, float], NDArray[np.float64]]()
        self._rows = list[_Row]()
        self._places = dict[str, int]()
        self._best: tuple[float, Any] | None = None
        self._kept = np.empty((0, 0))
        self._fits = self._skipped = self._unconverged = 0

    def enter(
        self,
        parameters: dict[str, Any],
        gram: NDArray[np.float64],
        Cs: Sequence[float] | None = None,
    ) -> float:
        """Score a matrix, for other C than those of the contest if these are given.

        Returns
        -------
        float
            The best mean score of this matrix, over all C.
        """
        values = self.Cs if Cs is None else _increasing(Cs)
        key = digest(gram, self._used)
        left = [C for C in values if (key, C) not in self._seen]
        self._skipped += len(self._folds) * (len(values) - len(left))
        if left:
            paths = self._scored(gram, left)
            for C, scores in zip(left, np.array([path.scores for path in paths]).T, strict=True):
                self._seen[key, C] = scores
            self._fits += sum(path.n_fits for path in paths)
            self._skipped += sum(path.n_skipped for path in paths)
            self._unconverged += sum(path.n_unconverged for path in paths)
        rank = self._simplest(parameters) if self._simplest is not None else 0
        place = self._places.setdefault(repr(sorted(parameters.items(), key=repr)), len(self._rows))
        found = [self._seen[key, C] for C in values]
        for C, scores in zip(values, found, strict=True):
            self._rows.append(_Row((rank, place, C), {**parameters, "C": C}, scores))
        score = float(comparable(np.average(found, axis=1)).max())
        better = self._best is None or score > self._best[0]
        if better or (score == self.best_score and rank < self._best[1]):  # type: ignore[index]
            self._best, self.best_score = (score, rank), score
            self._keep(gram)
        return score

    def result(self) -> Selection:
        """Return what was chosen, and the table of all scores, the simplest parameters first."""
        if self._best is None:
            raise ValueError("at least one Gram matrix is needed to choose from, got none")
        MEMORIES.clear()
        rows = sorted(self._rows, key=lambda row: row.order)
        results = _results([row.parameters for row in rows], np.array([row.scores for row in rows]))
        chosen = int(np.argmax(comparable(results["mean_test_score"])))
        best, counts = results["params"][chosen], (self._fits, self._skipped, self._unconverged)
        score = float(results["mean_test_score"][chosen])
        return Selection(best, score, self._kept, results, *counts)

    def _keep(self, gram: NDArray[np.float64]) -> None:
        if self._kept.shape != gram.shape:
            self._kept = np.empty_like(gram)
        np.copyto(self._kept, gram)

    def _scored(self, gram: NDArray[np.float64], Cs: list[float]) -> list[CPath]:
        task, folds = self._task, self._folds

        def path(i: int, _: int) -> Any:
            how = gram, self._codes, *folds[i], Cs, self._max_iter
            if task.scorer is not None:
                return task.scorer.held_out(*how)
            return score_path(*how, regression=task.regression, weights=task.weights)

        found = run_all(path, [(i, i + 1) for i in range(len(folds))], self._threads)
        return found if task.scorer is None else task.scorer.scored(found, self._codes, len(Cs))


class _Row(NamedTuple):
    """Scores of one matrix and one C, and where it comes in the table."""

    order: tuple[Any, int, float]
    parameters: dict[str, Any]
    scores: NDArray[np.float64]


def inner_folds(
    y: NDArray[Any],
    train: NDArray[np.intp] | None,
    n_splits: int,
    random_state: Any,
    *,
    regression: bool = False,
) -> list[Fold]:
    """Return shuffled folds of graphs with about the same share of each class.

    Parameters
    ----------
    y : ndarray of shape (n_graphs,)
    train : ndarray of int, or None
        Which graphs are cut; None is all of them.
    n_splits : int
        Number of folds, at least 2. The largest class must have as many graphs.
    random_state : int, RandomState or None
        Seed of the order in which graphs are dealt to folds.
    regression : bool
        Whether `y` holds numbers instead of classes.

    Returns
    -------
    list of (train, test)
        Positions in `y`.
    """
    checked_integer("the number of folds", n_splits, 2)
    rows = np.arange(len(y)) if train is None else np.asarray(train)
    if regression:
        # R^2 needs two graphs to be scored.
        if len(rows) < 4:
            raise ValueError(f"at least 4 graphs are needed to cross-validate, got {len(rows)}")
        if n_splits > len(rows) // 2:
            raise ValueError(
                f"{n_splits} folds need at least {2 * n_splits} graphs, two to score in each, got "
                f"{len(rows)}; use at most {len(rows) // 2} folds (cv)"
            )
        cuts = KFold(n_splits, shuffle=True, random_state=random_state).split(rows)
        return [(rows[a], rows[b]) for a, b in cuts]
    classes, codes, counts = np.unique(y[rows], return_inverse=True, return_counts=True)
    if len(classes) < 2:
        got = f"only {classes[0]!s}" if len(classes) else "no graphs"
        raise ValueError(f"at least two classes are needed, got {got}")
    most = int(counts.max())
    if most < 2:
        raise ValueError(
            f"at least one class needs two graphs to cross-validate, got {len(rows)} graphs "
            f"of {len(classes)} classes"
        )
    if n_splits > most:
        raise ValueError(
            f"{n_splits} folds need at least {n_splits} graphs of some class, but the largest of "
            f"{len(classes)} classes has {most}; use at most {most} folds (cv), or more graphs"
        )
    # Graphs of small classes are dealt out separately, as StratifiedKFold warns about them.
    small = np.isin(codes, np.flatnonzero(counts < n_splits))
    large = np.flatnonzero(~small)
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=random_state)
    place = np.empty(len(rows), np.intp)
    for number, (_, part) in enumerate(folds.split(large, codes[large])):
        place[large[part]] = number
    few = np.flatnonzero(small)
    place[few[np.argsort(codes[few], kind="stable")]] = np.arange(len(few)) % n_splits
    return [(rows[place != number], rows[place == number]) for number in range(n_splits)]


def _increasing(Cs: Iterable[float]) -> list[float]:
    values = sorted({checked_number("C", C) for C in checked_list("Cs", Cs, (1.0, 100.0))})
    if values[0] == 0:
        raise ValueError(f"Cs must be positive numbers, got {values}")
    return values


def comparable(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round mean scores, so that those that differ by rounding errors alone are ties."""
    return np.round(scores, _DIGITS)


def parameter_columns(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a column for each parameter, as scikit-learn has them; masked where it has none."""
    columns = dict[str, Any]()
    for name in dict.fromkeys(name for one in parameters for name in one):
        values = np.empty(len(parameters), object)
        values[:] = [one.get(name) for one in parameters]
        columns[f"param_{name}"] = np.ma.array(values, mask=[name not in one for one in parameters])
    return columns


def _results(parameters: list[dict[str, Any]], table: NDArray[np.float64]) -> dict[str, Any]:
    """Put scores, one row per choice and one column per fold, into one table."""
    mean = np.average(table, axis=1)
    columns: dict[str, Any] = {"params": parameters, **parameter_columns(parameters)}
    columns.update({f"split{i}_test_score": split for i, split in enumerate(table.T.copy())})
    columns["mean_test_score"] = mean
    columns["std_test_score"] = np.sqrt(np.average((table - mean[:, None]) ** 2, axis=1))
    columns["rank_test_score"] = rankdata(-mean, method="min").astype(np.int32)
    return columns
