"""What the classifier and the regressor share: the choice of a kernel, and rows for new graphs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import checked_integer, is_integer
from ..filtration.filtration import Filtration
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.takes_graphs import TakesGraphs
from ..kernels.counting import FeatureCounter, as_own_extractor
from ..kernels.kernel import FiltrationKernel
from ..system.memory import refuse_what_does_not_fit
from ..system.progress import with_progress
from ..weights.unused import warn_of_unused
from .decision import SupportVectors
from .gram_grid import DEPTHS, filtration_grams, simplest
from .graph_weights import GraphWeights, checked_sample_weight
from .scoring import Scorer, checked_scorer, scored
from .selection import Selection, Task, inner_folds, select
from .summary import summary, verdict
from .svm import fit_machine
from .training import Fold, Training


class FiltrationModel(TakesGraphs):
    """A filtration kernel and a support vector machine, chosen together by cross-validation."""

    _regression = False
    kernel_: FiltrationKernel
    machine_: SupportVectors

    features: Any
    weight: Any
    thresholds: str | Sequence[float]
    scale: str
    combine: str
    beta: float
    normalize: bool
    levels: Iterable[int]
    depths: Iterable[int] | None
    gammas: Iterable[float]
    Cs: Iterable[float]
    scoring: Any
    cv: Any
    max_iter: int
    random_state: Any
    n_jobs: int | None
    progress: bool | None

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
        folds = self._folds(training, y)
        scorer = None
        if self.scoring is not None:
            scorer = Scorer(checked_scorer(self.scoring), batch, training.y, classes, weights)
        # Four matrices: the current one, the sums it is made of, the best one, and parts for folds.
        refuse_what_does_not_fit(
            4 * 8.0 * len(batch) ** 2,
            f"choosing a kernel for {len(batch)} graphs",
            "fit fewer graphs",
        )
        several = isinstance(self.weight, (list, tuple))
        warn_of_unused(self.weight if several else [self.weight], batch)
        kernel = FiltrationKernel(
            self.features,
            weight="degree" if several else self.weight,
            thresholds=self.thresholds,
            scale=self.scale,
            combine=self.combine,
            beta=self.beta,
            n_jobs=self.n_jobs,
        )
        depths = DEPTHS if self.depths is None and self.features is None else self.depths
        candidates = filtration_grams(
            kernel,
            batch,
            None,
            self.levels,
            depths,
            self.gammas,
            self.normalize,
            weights=list(self.weight) if several else None,
        )
        found = select(
            with_progress(candidates, "choosing a kernel", self.progress),
            training.y,
            folds,
            self.Cs,
            max_iter=max_iter,
            task=Task(self._regression, weights, scorer),
            simplest=simplest,
            n_jobs=self.n_jobs,
        )
        costs = weights.costs(np.arange(len(batch)), y)
        model, converged = fit_machine(
            found.gram, y, found.best["C"], max_iter, regression=self._regression, costs=costs
        )
        learned = {
            "machine_": SupportVectors.of(model),
            "support_": training.rows[model.support_].astype(np.int64),
            "kernel_": self._kernel(kernel, found.best, batch, model.support_),
            "best_params_": found.best,
            "best_score_": found.best_score,
            "cv_results_": found.results,
            "n_fits_": found.n_fits,
            "n_skipped_": found.n_skipped,
            "n_unconverged_": found.n_unconverged,
            "converged_": converged,
        }
        if not converged:
            warnings.warn(
                f"the machine that was chosen did not converge within max_iter={max_iter} steps, "
                f"nor did {found.n_unconverged} of the {found.n_fits} that were tried; "
                "normalize the kernel, leave out large Cs, or allow more steps",
                ConvergenceWarning,
                stacklevel=3,
            )
        return learned, found, folds

    def _kernel(
        self,
        template: FiltrationKernel,
        best: dict[str, Any],
        batch: Graphs,
        support: NDArray[np.int32],
    ) -> FiltrationKernel:
        """Fit the chosen kernel on the support vectors, by thresholds and labels of all graphs."""
        weight = best.get("weight", template.weight)
        filtration = Filtration(weight, self.thresholds, best["n_levels"]).fit(batch)
        kernel: FiltrationKernel = clone(template).set_params(
            weight=weight,
            thresholds=filtration.alphas_.tolist(),
            n_levels=len(filtration.alphas_),
            gamma=best["gamma"],
            normalize=self.normalize,
        )
        if "depth" in best:
            kernel.set_params(
                features=as_own_extractor(self.features).set_params(depth=best["depth"])
            )
        counter = FeatureCounter.of(kernel, kernel.new_extractor())
        counter.learn_labels(batch)
        counter.filtration.take_over(filtration)
        # A kernel needs a graph, even if there are no support vectors; this one is never used.
        return kernel.learned(counter, counter.count(batch[support.tolist() or [0]]))

    def _folds(self, training: Training, y: NDArray[Any]) -> list[Fold]:
        if is_integer(self.cv):
            folds = inner_folds(y, None, self.cv, self.random_state, regression=self._regression)
            if not self._regression:
                _warn_of_rare_classes(training.y, len(folds))
            return folds
        everything = training.everything
        splitter = check_cv(self.cv, everything, classifier=not self._regression)
        return training.own(list(splitter.split(np.zeros(len(everything)), everything)))

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
        """Return what the filtration gained over one level, in a sentence or two.

        With one level there is no filtration: with the default features this is the
        Weisfeiler-Lehman kernel. It is compared by the scores of cross-validation.

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
            stacklevel=5,
        )
