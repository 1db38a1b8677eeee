"""What the classifier and the regressor share: the choice of a kernel, and rows for new graphs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import checked_integer, is_integer
from ..filtration.filtration import Filtration
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..kernels.counting import FeatureCounter, as_own_extractor
from ..kernels.kernel import FiltrationKernel
from ..system.memory import refuse_what_does_not_fit
from ..system.progress import with_progress
from .decision import SupportVectors
from .gram_grid import CS, DEPTHS, GAMMAS, LEVELS, filtration_grams, simplest
from .selection import Fold, Selection, inner_folds, select
from .svm import MAX_ITER, fit_machine


class FiltrationModel(BaseEstimator):
    """A filtration kernel and a support vector machine, chosen together by cross-validation."""

    _regression = False
    kernel_: FiltrationKernel
    machine_: SupportVectors

    def __init__(
        self,
        features: Any = None,
        weight: Any = "degree",
        thresholds: str | Sequence[float] = "kmeans",
        scale: str = "unit",
        combine: str = "sum",
        beta: float = 1.0,
        normalize: bool = True,
        levels: Iterable[int] = LEVELS,
        depths: Iterable[int] | None = None,
        gammas: Iterable[float] = GAMMAS,
        Cs: Iterable[float] = CS,
        cv: Any = 3,
        max_iter: int = MAX_ITER,
        random_state: Any = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.features = features
        self.weight = weight
        self.thresholds = thresholds
        self.scale = scale
        self.combine = combine
        self.beta = beta
        self.normalize = normalize
        self.levels = levels
        self.depths = depths
        self.gammas = gammas
        self.Cs = Cs
        self.cv = cv
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _learn(
        self, batch: Graphs, y: NDArray[Any]
    ) -> tuple[dict[str, Any], Selection, list[Fold]]:
        """Choose kernel and C, and fit the machine on all graphs; return what was learned."""
        max_iter = checked_integer("max_iter", self.max_iter, 1)
        folds = self._folds(y)
        # Four matrices: the current one, the sums it is made of, the best one, and parts for folds.
        refuse_what_does_not_fit(
            4 * 8.0 * len(batch) ** 2,
            f"choosing a kernel for {len(batch)} graphs",
            "fit fewer graphs",
        )
        several = isinstance(self.weight, (list, tuple))
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
            y,
            folds,
            self.Cs,
            max_iter=max_iter,
            regression=self._regression,
            simplest=simplest,
            n_jobs=self.n_jobs,
        )
        model, converged = fit_machine(
            found.gram, y, found.best["C"], max_iter, regression=self._regression
        )
        learned = {
            "machine_": SupportVectors.of(model),
            "support_": np.array(model.support_, np.int64),
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
        counter.filtration.alphas_ = filtration.alphas_
        # A kernel needs a graph, even if there are no support vectors; this one is never used.
        return kernel.learned(counter, counter.count(batch[support.tolist() or [0]]))

    def _folds(self, y: NDArray[Any]) -> list[Fold]:
        if is_integer(self.cv):
            return inner_folds(y, None, self.cv, self.random_state, regression=self._regression)
        splitter = check_cv(self.cv, y, classifier=not self._regression)
        return list(splitter.split(np.zeros(len(y)), y))

    def _decide(self, graphs: Any) -> NDArray[np.float64]:
        check_is_fitted(self, "machine_")
        rows = self.kernel_.transform(graphs)
        return self.machine_.decide(rows[:, : self.machine_.coefficients.shape[1]])

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


def checked_graphs(graphs: Any, y: Any) -> Graphs:
    """Return graphs as a batch; refuse a number of targets that differs."""
    batch = as_graphs(graphs)
    if len(batch) != len(y):
        raise ValueError(f"there are {len(batch)} graphs, but y has {len(y)} entries")
    return batch
