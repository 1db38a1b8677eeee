"""What the classifier and the regressor share: the choice of a kernel, and rows for new graphs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import checked_integer, is_integer
from ..graphs.as_graphs import as_graphs
from ..graphs.takes_graphs import TakesGraphs
from ..kernels.counting import FeatureCounter, as_own_extractor
from ..kernels.gaussian import GaussianKernel
from ..kernels.kernel import FiltrationKernel
from ..kernels.mean import MeanKernel
from ..system.callers import levels_to_the_user
from ..system.memory import memory_for, refuse_what_does_not_fit
from ..weights.unused import warn_of_unused
from .choice import Choice, name_of, simplicity
from .decision import SupportVectors
from .graph_weights import GraphWeights, checked_sample_weight
from .scoring import Scorer, checked_scorer, scored
from .search import EFFORTS
from .selection import Contest, Selection, Task, inner_folds
from .summary import summary, verdict
from .svm import fit_machine
from .training import Fold, Training
from .tried import Searched, WholeGrid, has_own_grid, tried_by
from .tried_grams import TriedGrams

# Folds for the values of a user's own grid.
_GRID_FOLDS = 3
# How often graphs are dealt to folds at most.
_MOST_TIMES = 3


class FiltrationModel(TakesGraphs):
    """A filtration kernel and a support vector machine, chosen together by cross-validation."""

    _regression = False
    kernel_: Any
    machine_: SupportVectors

    features: Any
    weight: Any
    thresholds: Any
    scale: str
    combine: str
    beta: float
    normalize: bool
    levels: Iterable[int] | None
    depths: Iterable[int] | None
    gammas: Iterable[float] | None
    Cs: Iterable[float] | None
    mass: Any
    sigmas: Iterable[float | None] | None
    effort: str
    max_seconds: float | None
    scoring: Any
    cv: Any
    max_iter: int
    random_state: Any
    n_jobs: int | None
    progress: bool | None

    @memory_for("choosing a kernel", "fit fewer graphs")
    def _learn(
        self,
        training: Training,
        y: NDArray[Any],
        weights: GraphWeights,
        classes: NDArray[Any] | None = None,
    ) -> tuple[dict[str, Any], Selection, list[Fold]]:
        """Choose kernel and C, and fit the machine on all graphs; return what was learned.

        `y` holds the numbers of classes, or the standardised target.
        """
        batch = training.graphs
        max_iter = checked_integer("max_iter", self.max_iter, 1)
        tried = tried_by(self)
        folds = self._folds(training, y)
        scorer = None
        if self.scoring is not None:
            scorer = Scorer(checked_scorer(self.scoring), batch, training.y, classes, weights)
        # The current one and those it is made of, the best one, and parts for folds.
        refuse_what_does_not_fit(
            tried.n_matrices * 8.0 * len(batch) ** 2,
            f"choosing a kernel for {len(batch)} graphs",
            "fit fewer graphs",
        )
        warn_of_unused(tried.weights(batch), batch)
        contest = Contest(
            training.y,
            folds,
            tried.Cs,
            max_iter=max_iter,
            task=Task(self._regression, weights, scorer),
            simplest=simplicity,
            n_jobs=self.n_jobs,
        )
        complete, grams = tried.enter(contest, batch, self.progress)
        found = contest.result()
        costs = weights.costs(np.arange(len(batch)), y)
        model, converged = fit_machine(
            found.gram, y, found.best["C"], max_iter, regression=self._regression, costs=costs
        )
        learned = {
            "machine_": SupportVectors.of(model),
            "support_": training.rows[model.support_].astype(np.int64),
            "kernel_": self._kernel(tried, grams, found.best, model.support_),
            "best_params_": found.best,
            "search_complete_": complete,
            "best_score_": found.best_score,
            "cv_results_": found.results,
            "n_fits_": found.n_fits,
            "n_skipped_": found.n_skipped,
            "n_unconverged_": found.n_unconverged,
            "converged_": converged,
        }
        if not complete:
            warnings.warn(
                f"the search for the best kernel ended early, as max_seconds={self.max_seconds:g} "
                f"was over: {len(found.results['params'])} settings were tried, see cv_results_; "
                "allow more time, or ask for less: effort='quick'",
                stacklevel=levels_to_the_user(),
            )
        if not converged:
            warnings.warn(
                f"the machine that was chosen did not converge within max_iter={max_iter} steps, "
                f"nor did {found.n_unconverged} of the {found.n_fits} that were tried; "
                "normalize the kernel, leave out large Cs, or allow more steps",
                ConvergenceWarning,
                stacklevel=levels_to_the_user(),
            )
        return learned, found, folds

    def _kernel(
        self,
        tried: WholeGrid | Searched,
        grams: TriedGrams,
        best: dict[str, Any],
        support: NDArray[np.int32],
    ) -> Any:
        """Fit the chosen kernel on the support vectors, by thresholds and labels of all graphs."""
        choice = Choice.of(best, tried.otherwise)
        # A kernel needs a graph, even if there are no support vectors; this one is never used.
        kept = support.tolist() or [0]
        parts = [
            (name_of(weight), self._part(tried.template, grams, choice, weight, kept))
            for weight in choice.weights or ("degree",)
        ]
        kernel: Any = parts[0][1]
        if len(parts) > 1:
            kernel = MeanKernel([(name, clone(part)) for name, part in parts]).learned(parts)
        if choice.sigma is not None:
            kernel = GaussianKernel(clone(kernel), choice.sigma).learned(kernel)
        return kernel

    def _part(
        self,
        template: FiltrationKernel,
        grams: TriedGrams,
        choice: Choice,
        weight: Any,
        kept: list[int],
    ) -> FiltrationKernel:
        """Fit the kernel of one filtration."""
        filtered = grams.filtered(weight, *choice.steps)
        alphas = filtered.filtration.alphas_
        kernel: FiltrationKernel = clone(template).set_params(
            weight=weight,
            thresholds=alphas.tolist(),
            n_levels=len(alphas),
            gamma=choice.gamma,
            mass=choice.mass,
        )
        if choice.depth is not None:
            kernel.set_params(
                features=as_own_extractor(self.features).set_params(depth=choice.depth)
            )
        counter = FeatureCounter.of(kernel, kernel.new_extractor())
        counter.learn_labels(grams.graphs)
        counter.filtration.take_over(filtered.filtration)
        return kernel.learned(counter, grams.histograms_of(filtered, choice.depth, kept))

    def _folds(self, training: Training, y: NDArray[Any]) -> list[Fold]:
        if self.cv is None or is_integer(self.cv):
            folds = self._own_folds(y)
            if not self._regression:
                _warn_of_rare_classes(training.y, self._n_folds())
            return folds
        everything = training.everything
        splitter = check_cv(self.cv, everything, classifier=not self._regression)
        return training.own(list(splitter.split(np.zeros(len(everything)), everything)))

    def _own_folds(self, y: NDArray[Any]) -> list[Fold]:
        """Return shuffled folds; few graphs are dealt several times if the user leaves it to us."""
        n_folds, times = self._n_folds(), 1
        if self.cv is None and not has_own_grid(self):
            times = min(max(-(-EFFORTS[self.effort].n_scored // len(y)), 1), _MOST_TIMES)
        more = check_random_state(self.random_state).randint(2**31, size=_MOST_TIMES)
        seeds = [self.random_state, *more.tolist()][:times]
        return [
            fold
            for seed in seeds
            for fold in inner_folds(y, None, n_folds, seed, regression=self._regression)
        ]

    def _n_folds(self) -> Any:
        """Return the number of folds that graphs are dealt to, unchecked if it is the user's."""
        if self.cv is not None:
            return self.cv
        return _GRID_FOLDS if has_own_grid(self) else EFFORTS[self.effort].n_folds

    def _decide(self, graphs: Any) -> NDArray[np.float64]:
        check_is_fitted(self, "machine_")
        rows = self.kernel_.transform(graphs)
        return self.machine_.decide(rows[:, : self.machine_.coefficients.shape[1]])

    def _score(self, X: Any, y: NDArray[Any], sample_weight: Any) -> float:
        """Score by the scorer that `scoring` asks for."""
        weights = checked_sample_weight(sample_weight, len(y))
        default = "r2" if self._regression else "accuracy"
        scorer = checked_scorer(default if self.scoring is None else self.scoring)
        return float(scored(scorer, self, as_graphs(X), y, weights))

    def summary(self) -> str:
        """Return what was chosen, its score, and what the filtration gained; as ``print(model)``.

        Returns
        -------
        str
            A few lines.
        """
        check_is_fitted(self, "machine_")
        return summary(self)

    def verdict(self) -> str:
        """Return what the filtration gained over the plain kernel, in a sentence or two.

        The plain kernel has no filtration, products of masses and no Gaussian; with the default
        features it is the Weisfeiler-Lehman kernel. Scores of cross-validation are compared.

        Returns
        -------
        str
        """
        check_is_fitted(self, "machine_")
        return verdict(self)

    def __str__(self) -> str:
        return self.summary() if hasattr(self, "machine_") else repr(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, to be read by :func:`grafik.load`.

        The file holds numbers and JSON, with checksums, and no code. It appears only when it is
        complete. Functions of your own, as weight or features, cannot be saved.

        Parameters
        ----------
        path : path of the file; an existing file is replaced
        """
        from .saving import save

        check_is_fitted(self, "machine_")
        save(self, path)


def _warn_of_rare_classes(y: NDArray[Any], n_folds: int) -> None:
    """Say what cross-validation does with classes of fewer graphs than there are folds."""
    classes, counts = np.unique(y, return_counts=True)
    rare = np.flatnonzero(counts < n_folds)
    if len(rare):
        first = int(rare[np.argmin(counts[rare])])
        size = "1 graph" if counts[first] == 1 else f"{counts[first]} graphs"
        also = f", and {len(rare) - 1} more classes have too few" if len(rare) > 1 else ""
        alone = "; where it is tested, it was not learned" if counts[first] == 1 else ""
        warnings.warn(
            f"class {classes[first]} has {size}, fewer than the {n_folds} folds{also}: some folds "
            f"are scored without it{alone}. Use fewer folds (cv), more graphs, or leave it out",
            stacklevel=levels_to_the_user(),
        )
