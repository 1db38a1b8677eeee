"""FiltrationClassifier: graphs in, classes out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import column_or_1d

from .classes import as_classes, numbered_classes
from .decision import SupportVectors, calibrated_slope, probabilities, winners
from .graph_weights import GraphWeights, checked_class_weight
from .model import FiltrationModel
from .selection import Selection
from .svm import MAX_ITER, fit_machine
from .targets import refuse_pair
from .training import Fold, Training


class FiltrationClassifier(ClassifierMixin, FiltrationModel):
    """Classify graphs by filtration kernels and a support vector machine.

    The kernel is searched for by cross-validation: features without a filtration, one filtration,
    several together; how masses are compared; a Gaussian on top; thresholds, levels, depth, `gamma`
    and `C`. A few different kernels are tried first, and then values around those of the best. Ties
    go to the simplest choice, which is plain Weisfeiler-Lehman.

    What you give is not searched for. If you give any of `levels`, `depths` and `gammas`, there is
    no search: all combinations are tried, of one filtration with products of masses and no Gaussian
    unless you ask for others.

    Parameters
    ----------
    features, scale, combine, beta
        As for :class:`grafik.FiltrationKernel`.
    weight : str, callable, list of these, or None
        Edge weight, see :mod:`grafik.weights`. Several joined by a plus, as in
        ``"degree+curvature"``, are used together: the kernel is the mean of theirs. From a list,
        the best one is chosen. None is all that suit the graphs: together, and one by one.
    thresholds : str, sequence of float, list of str, or None
        As for :class:`grafik.Filtration`. From a list of rules, the best one is chosen.
    normalize : bool
        Whether to divide by the kernel of each graph with itself. Otherwise entries may be in the
        millions, and machines with a large `C` may never converge. Means and Gaussians are always
        of normalised kernels, and without normalisation are tried only if you ask for them.
    levels : iterable of int, or None
        Numbers of levels to try. Where there are fewer distinct weights, there are fewer levels.
    depths : iterable of int, or None
        Depths of the features to try. Features that you pass have their own.
    gammas, Cs : iterable of float, or None
        Values to try.
    class_weight : dict, "balanced" or None
        The factor of `C` for each class; classes that are not named have 1. With ``"balanced"``
        classes count the same, however many graphs each has.
    scoring : str, callable or None
        What is best in cross-validation: one of the names that scikit-learn has for scorers, such
        as ``"balanced_accuracy"`` or ``"roc_auc"``, or a function of an estimator, graphs and
        their classes. None is accuracy.
    cv : int, splitter, iterable of (train, test), or None
        Number of stratified, shuffled folds, or anything that scikit-learn takes as folds. None is
        as many as the effort asks for; a standard or thorough search deals few graphs to folds more
        than once. A grid of your own has three.
    max_iter : int
        Bound on the steps of the solver.
    random_state : int, RandomState or None
        Seed of the order in which graphs are dealt to folds.
    n_jobs : int or None
        Number of threads; None is one, -1 as many as there are processors. The result is the same
        for any number.
    progress : bool or None
        Whether to show on standard error what is tried; None shows it on a terminal only.
    mass : {"linear", "min"}, list of these, or None
        How masses are compared, as for :class:`grafik.FiltrationKernel`; None tries both.
    sigmas : iterable of float or None
        Of the Gaussian on top, see :class:`grafik.GaussianKernel`. None among the values is without
        one.
    effort : {"quick", "standard", "thorough"}
        How many kernels the search tries; a grid of your own is tried as a whole.
    max_seconds : float or None
        After this time no further kernel is tried. There is then a warning, and another run may
        choose another kernel: this is the only choice that depends on the machine.

    Attributes
    ----------
    classes_ : ndarray
    best_params_ : dict
        What was chosen, as far as it was not given. Parameters that do not matter are left out:
        without a filtration ``weight`` is None, and there are no ``thresholds`` and ``gamma``.
        ``sigma`` is None without a Gaussian.
    best_score_ : float
        Mean accuracy in cross-validation, or mean of what `scoring` asks for. As it is the best of
        many, expect less on new graphs.
    cv_results_ : dict
        All scores, in columns as in scikit-learn's ``GridSearchCV``; ``pandas.DataFrame`` makes a
        table of it, and :func:`grafik.plots.tried` a picture.
    search_complete_ : bool
        Whether there was time for the whole search.
    n_fits_, n_skipped_, n_unconverged_ : int
        Number of machines that were fitted to choose, of those whose scores were known without a
        fit, and of fits that ended at `max_iter`.
    converged_ : bool
        Whether the final machine converged. If not, a warning says so.
    kernel_ : FiltrationKernel, MeanKernel or GaussianKernel
        Fitted on the support vectors, with thresholds that were learned from all training graphs.
    machine_ : SupportVectors
    support_ : ndarray of int
        Which training graphs are the support vectors.

    Examples
    --------
    >>> from grafik import FiltrationClassifier, datasets
    >>> graphs, y = datasets.csl(skips=(2, 3, 5), copies=8)
    >>> model = FiltrationClassifier(weight=["degree", "walks"]).fit(graphs[::2], y[::2])
    >>> model.best_params_["weight"], model.score(graphs[1::2], y[1::2])
    ('walks', 1.0)
    >>> model.predict_proba(graphs[1::2]).sum(axis=1).round(9).tolist() == [1.0] * 12
    True
    """

    classes_: NDArray[Any]
    slope_: float

    def __init__(
        self,
        features: Any = None,
        weight: Any = None,
        thresholds: Any = None,
        scale: str = "unit",
        combine: str = "sum",
        beta: float = 1.0,
        normalize: bool = True,
        levels: Iterable[int] | None = None,
        depths: Iterable[int] | None = None,
        gammas: Iterable[float] | None = None,
        Cs: Iterable[float] | None = None,
        class_weight: Any = None,
        scoring: Any = None,
        cv: Any = None,
        max_iter: int = MAX_ITER,
        random_state: Any = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
        mass: Any = None,
        sigmas: Iterable[float | None] | None = None,
        effort: str = "standard",
        max_seconds: float | None = None,
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
        self.class_weight = class_weight
        self.scoring = scoring
        self.cv = cv
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress
        self.mass = mass
        self.sigmas = sigmas
        self.effort = effort
        self.max_seconds = max_seconds

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> FiltrationClassifier:
        """Choose the kernel and fit the machine.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : sequence of str or int
            The class of each graph.
        sample_weight : sequence of float, optional
            How much each graph counts: its `C` is multiplied by this number, and so is its part in
            the scores that choose the kernel. With 0, it is as if the graph had not been given.

        Returns
        -------
        FiltrationClassifier
            Itself.
        """
        refuse_pair(X, y)
        training = Training.of(X, column_or_1d(as_classes(y)), sample_weight)
        classes, codes = numbered_classes(training.y)
        weights = training.weighted(checked_class_weight(self.class_weight, classes))
        learned, found, folds = self._learn(training, codes, weights, classes)
        slope = self._calibrate(found, codes, folds, weights)
        # All at once, so that a fit that fails leaves the model as it was.
        self.__dict__.update(learned, classes_=classes, slope_=slope)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each graph.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes

        Returns
        -------
        ndarray of shape (n_graphs,)
        """
        decisions = self._decide(X)
        found: NDArray[Any] = self.classes_[winners(decisions)]
        return found

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return how clearly each graph belongs to each class.

        Returns
        -------
        ndarray of shape (n_graphs,) or (n_graphs, n_classes)
            For two classes the distance from the boundary, positive for the second class. For more
            classes, the number of other classes that each one wins against, and how clearly.
        """
        return self._decide(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, which is largest for the predicted one.

        Decision values are turned into probabilities by temperature scaling, with the temperature
        that suits the graphs held out in cross-validation best.

        Returns
        -------
        ndarray of shape (n_graphs, n_classes)
        """
        decisions = self._decide(X)
        return probabilities(decisions, self.slope_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or what `scoring` asks for.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : sequence of str or int
            The class of each graph.
        sample_weight : sequence of float, optional
            How much each graph counts, if the score can be weighted.

        Returns
        -------
        float
        """
        return self._score(X, column_or_1d(as_classes(y)), sample_weight)

    def _calibrate(
        self, found: Selection, codes: NDArray[np.intp], folds: list[Fold], weights: GraphWeights
    ) -> float:
        """Return the slope of decision values that suits the held-out graphs of all folds best."""
        decisions, held, gram = [], [], found.gram
        for train, test in folds:
            if len(np.unique(codes[train])) == codes.max() + 1:
                known = gram[np.ix_(train, train)], codes[train]
                costs = weights.costs(train, codes)
                model, _ = fit_machine(*known, found.best["C"], self.max_iter, costs=costs)
                rows = gram[np.ix_(test, np.asarray(train)[model.support_])]
                decisions.append(SupportVectors.of(model).decide(rows))
                held.append(test)
        if not decisions:
            return 1.0  # every fold holds out all graphs of some class
        tested = np.concatenate(held)
        return calibrated_slope(np.concatenate(decisions), codes[tested], weights.of(tested))
