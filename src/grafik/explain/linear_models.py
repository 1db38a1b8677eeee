"""Fitted models as what they are: linear functions of kernels, or of columns of an embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC, SVR, NuSVC, NuSVR
from sklearn.utils.validation import check_is_fitted

from ..embeddings.embedding import FiltrationEmbedding
from ..kernels.combined import CombinedKernel
from ..kernels.kernel import FiltrationKernel
from ..models.classifier import FiltrationClassifier
from ..models.decision import SupportVectors
from ..models.regressor import FiltrationRegressor

# A coefficient for each column, and an intercept.
Linear: TypeAlias = tuple[NDArray[np.float64], float]

_CLASSIFIERS, _REGRESSORS = (SVC, NuSVC), (SVR, NuSVR)
_WANTED = (
    "model must be a FiltrationClassifier or FiltrationRegressor, or a Pipeline of a "
    "FiltrationKernel, MeanKernel or GaussianKernel and a machine with kernel='precomputed', or of "
    "a FiltrationEmbedding and a linear model"
)


class LinearModel(NamedTuple):
    """A model whose decision is a sum over columns: coefficients times values, and an intercept.

    Attributes
    ----------
    source : FiltrationKernel, MeanKernel, GaussianKernel or FiltrationEmbedding
        Fitted. Columns are kernels with training graphs, or those of the embedding.
    used : ndarray of int64 or None
        Columns that have a coefficient; None if all have.
    decide : callable
        Returns what decides for class `i` against class `j`, where None is all others together.
        For regression both are 0.
    classes : ndarray or None
    graphs : ndarray of int64
        Numbers of the training graphs of these columns; none for embeddings.
    targets : list
        Classes of these graphs, None where a model does not know them.
    before : list of transformers
        What turns graphs into other graphs first.
    own : callable or None
        Returns the decision of the model itself, from which this one must not differ; None where
        there is nothing to check.
    """

    source: FiltrationKernel | CombinedKernel | FiltrationEmbedding
    used: NDArray[np.int64] | None
    decide: Callable[[int, int | None], Linear]
    classes: NDArray[Any] | None
    graphs: NDArray[np.int64]
    targets: list[Any]
    before: list[Any]
    own: Callable[[Any, int, int | None], float] | None


def linear_model(model: Any) -> LinearModel:
    """Return a fitted model as a linear function; refuse one that is none."""
    model = _chosen(model)
    if isinstance(model, (FiltrationClassifier, FiltrationRegressor)):
        check_is_fitted(model)
        return _own_model(model)
    if not isinstance(model, Pipeline):
        raise TypeError(f"{_WANTED}; got a {type(model).__name__}")
    *steps, last = _steps(model)
    places = [i for i, step in enumerate(steps) if isinstance(step, _SOURCES)]
    if not places:
        names = ", ".join(type(step).__name__ for step in (*steps, last))
        raise TypeError(f"{_WANTED}; got a Pipeline of {names}")
    check_is_fitted(last)
    before, source, between = steps[: places[0]], steps[places[0]], steps[places[0] + 1 :]
    if isinstance(source, FiltrationEmbedding) and source.method == "hashed":
        raise TypeError(
            "columns of a hashed embedding are sums of many features, so that none of them has a "
            "contribution of its own; take FiltrationEmbedding(method='exact') or a "
            "FiltrationKernel"
        )
    return _on_columns(model, before, source, between, last)


_KERNELS = FiltrationKernel, CombinedKernel
_SOURCES = *_KERNELS, FiltrationEmbedding


def _chosen(model: Any) -> Any:
    """Return what a search has chosen, or the model itself."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    if isinstance(model, (GridSearchCV, RandomizedSearchCV)):
        check_is_fitted(model)
        raise TypeError(
            f"a {type(model).__name__} with refit=False keeps no model; fit it with refit=True"
        )
    return model


def _steps(pipeline: Pipeline) -> Iterator[Any]:
    """Yield the steps of a pipeline, and of pipelines in it."""
    for _, step in pipeline.steps:
        found = _chosen(step)
        if isinstance(found, Pipeline):
            yield from _steps(found)
        elif found is not None and found != "passthrough":
            yield found


def _own_model(model: FiltrationClassifier | FiltrationRegressor) -> LinearModel:
    machine, numbers = model.machine_, model.support_
    # A model without support vectors keeps one graph, as a kernel needs one. It does not count.
    used = np.arange(len(numbers))
    if isinstance(model, FiltrationClassifier):
        targets = np.repeat(model.classes_, machine.n_support).tolist()
        classes, decide = model.classes_, _one_against_one(machine)
    else:
        coefficients, intercept = machine.linear(1, 0)
        linear = coefficients * model.scale_, intercept * model.scale_ + model.mean_
        targets, classes, decide = [None] * len(numbers), None, _always(linear)
    return LinearModel(model.kernel_, used, decide, classes, numbers, targets, [], None)


def _on_columns(
    model: Pipeline, before: list[Any], source: Any, between: list[Any], last: Any
) -> LinearModel:
    """Return a linear function of what a kernel or an embedding gives."""
    scale, name = _scale(source, between), type(last).__name__
    on_kernel = isinstance(source, _KERNELS)
    classes = last.classes_ if is_classifier(last) else None
    targets: list[Any] | None = None
    used: NDArray[np.int64] | None = None
    if on_kernel and isinstance(last, (*_CLASSIFIERS, *_REGRESSORS, KernelRidge)):
        if last.kernel != "precomputed":
            raise TypeError(
                f"{name}(kernel={last.kernel!r}) takes rows of the Gram matrix for vectors, which "
                f"is not a sum over features; take {name}(kernel='precomputed')"
            )
        if isinstance(last, KernelRidge):
            decide = _always((_only(np.transpose(last.dual_coef_), name), 0.0))
        else:
            machine, used = SupportVectors.of(last), np.array(last.support_, np.int64)
            decide = _one_against_one(machine)
            if classes is None:
                decide = _always(machine.linear(1, 0))
            else:
                targets = np.repeat(classes, machine.n_support).tolist()
    elif not hasattr(last, "coef_") or not hasattr(
        last, "predict" if classes is None else "decision_function"
    ):
        raise TypeError(f"{_WANTED}; got a Pipeline that ends in a {name}")
    else:
        decide = _of_rows(last, classes, scale)
    graphs = np.arange(len(source.histograms_)) if on_kernel else np.empty(0, np.int64)
    graphs = graphs if used is None else used
    votes = isinstance(last, _CLASSIFIERS) and len(last.classes_) > 2
    own = None if votes else _own_decision(model, classes)
    found = [None] * len(graphs) if targets is None else targets
    return LinearModel(source, used, decide, classes, graphs, found, before, own)


def _scale(source: Any, between: list[Any]) -> Any:
    """Return what columns are divided by before the last step."""
    scale: Any = 1.0
    for step in between:
        plain = isinstance(step, MaxAbsScaler) and not getattr(step, "clip", False)
        plain |= isinstance(step, StandardScaler) and not step.with_mean
        if not plain or isinstance(source, _KERNELS):
            raise TypeError(
                f"there is a {type(step).__name__} between the {type(source).__name__} and the "
                "last step, and what it does to single features is not known; leave it out"
                + ("" if isinstance(source, _KERNELS) else " or take a MaxAbsScaler")
            )
        scale = scale if step.scale_ is None else scale * step.scale_
    return scale


def _one_against_one(machine: SupportVectors) -> Callable[[int, int | None], Linear]:
    """Return what decides by pairs of classes; against all others, these are added up."""

    def decide(i: int, j: int | None) -> Linear:
        others = [other for other in range(len(machine.n_support)) if other != i]
        pairs = [machine.linear(i, other) for other in (others if j is None else [j])]
        return np.sum([pair[0] for pair in pairs], axis=0), sum(pair[1] for pair in pairs)

    return decide


def _of_rows(last: Any, classes: Any, scale: Any) -> Callable[[int, int | None], Linear]:
    """Return what decides by the coefficients of a linear model."""
    rows = last.coef_
    rows = np.atleast_2d(rows.toarray() if hasattr(rows, "toarray") else rows) / scale
    intercepts = np.broadcast_to(np.ravel(last.intercept_), len(rows))
    if classes is None:
        return _always((_only(rows, type(last).__name__), float(intercepts[0])))

    def row(at: int, sign: int = 1) -> Linear:
        return sign * rows[at], sign * float(intercepts[at])

    def less(one: Linear, other: Linear) -> Linear:
        return one[0] - other[0], one[1] - other[1]

    pairs = list(combinations(range(len(classes)), 2))

    def by_pairs(i: int, j: int | None) -> Linear:
        others = [other for other in range(len(classes)) if other != i] if j is None else [j]
        found = [row(pairs.index((min(i, k), max(i, k))), 1 if i < k else -1) for k in others]
        return np.sum([one[0] for one in found], axis=0), sum(one[1] for one in found)

    def decide(i: int, j: int | None) -> Linear:
        if len(classes) == 2:
            return row(0, 1 if i == 1 else -1)
        return row(i) if j is None else less(row(i), row(j))

    return by_pairs if isinstance(last, _CLASSIFIERS) and len(classes) > 2 else decide


def _always(linear: Linear) -> Callable[[int, int | None], Linear]:
    return lambda i, j: linear


def _only(rows: Any, name: str) -> NDArray[np.float64]:
    """Return the only row; refuse a model with several targets."""
    rows = np.atleast_2d(rows)
    if len(rows) != 1:
        raise TypeError(f"the {name} predicts {len(rows)} targets; fit one model for each")
    found: NDArray[np.float64] = rows[0]
    return found


def _own_decision(model: Any, classes: Any) -> Callable[[Any, int, int | None], float]:
    """Return the decision of a pipeline itself: between two classes, for a class, or a number."""

    def own(graph: Any, i: int, j: int | None) -> float:
        if classes is None:
            return float(np.ravel(model.predict(graph))[0])
        found = np.ravel(model.decision_function(graph))
        if len(classes) == 2:
            return float(found[0]) if i == 1 else -float(found[0])
        return float(found[i]) if j is None else float(found[i] - found[j])

    return own
