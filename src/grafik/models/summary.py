"""What a fitted model says of itself: what was chosen, and what the filtration gained."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.weisfeiler_lehman import WeisfeilerLehman
from ..filtration.thresholds import AUTO, depends_on_n_levels
from ..kernels.combined import CombinedKernel
from ..kernels.kernel import FiltrationKernel
from .selection import comparable

# Names of at most this many classes are listed.
_FEW_CLASSES = 6


def summary(model: Any) -> str:
    """Return a few lines on a fitted classifier or regressor."""
    results = model.cv_results_
    splits, best = _splits(results), int(np.argmax(comparable(results["mean_test_score"])))
    lines = [
        _kind(model),
        f"chosen: {chosen(model)}",
        f"{_score_name(model)} in cross-validation: {_number(model.best_score_)} "
        f"(deviation {_number(splits[best].std())} over {splits.shape[1]} folds); "
        f"the best of {len(splits)}, so expect less on new graphs",
        verdict(model),
    ]
    used = getattr(_extractor(model), "edge_labels", None)
    if used is not None:
        lines.append(f"Edge labels were {'used' if used else 'not used'}.")
    if not model.search_complete_:
        lines.append("The search ended early, as max_seconds was over.")
    if not model.converged_:
        lines.append("The machine did not converge; predictions may change with max_iter.")
    return "\n".join(lines)


def verdict(model: Any) -> str:
    """Return what the filtration gained over plain Weisfeiler-Lehman, in a sentence or two."""
    results = model.cv_results_
    given = {"mass": model.mass} if isinstance(model.mass, str) else {}
    params = [{**given, **tried} for tried in results["params"]]
    means = comparable(results["mean_test_score"])
    features = "the same features without a filtration"
    if isinstance(_extractor(model), WeisfeilerLehman):
        features = "plain Weisfeiler-Lehman"
    levels = np.array([tried["n_levels"] for tried in params])
    one, several = np.flatnonzero(levels == 1), np.flatnonzero(levels > 1)
    simple = np.array([row for row in one if _is_plain(params[row])], np.intp)
    if not len(one):
        remedy = "add 1 to levels"
        rules = model.thresholds if _is_text(model.thresholds) else [model.thresholds or "kmeans"]
        if not any(map(depends_on_n_levels, rules)):
            remedy = "use thresholds='kmeans' and have 1 in levels"
        return (
            f"One level was not tried, so it is unknown what the filtration gained over "
            f"{features}; to know it, {remedy}."
        )
    other = one[int(np.argmax(means[one]))]
    unfiltered = _unfiltered(params[other], features)
    if not len(several):
        if not model.search_complete_:
            return (
                f"The search ended before a filtration was tried, so this is {unfiltered}; with "
                "more time, there may be a better kernel."
            )
        return (
            "There was only one level to choose from, so there is no filtration: this is "
            f"{unfiltered}. More levels or other edge weights may tell more graphs apart."
        )
    best = several[int(np.argmax(means[several]))]
    high, low = _number(means[best]), _number(means[other])
    if means[best] <= means[other]:
        weight = params[best].get("weight")
        by = "" if weight is None else f" by {_name(weight)}"
        compared = f"was no better ({high})" if high == low else f"reached {high}"
        return (
            f"The filtration did not help: one level won, which is {unfiltered} ({low}). "
            f"The best filtration, of {levels[best]} levels{by}, {compared}."
        )
    # Without a filtration there may be something better than the plain kernel.
    row = other if not len(simple) else simple[int(np.argmax(means[simple]))]
    against = _unfiltered(params[row], features)
    splits = _splits(results)
    gains = splits[best] - splits[row]
    error = gains.std() / np.sqrt(max(len(gains) - 1, 1))
    found = (
        f"The filtration gained {_number(means[best] - means[row])} over {against} "
        f"({high} against {_number(means[row])}, better in {int((gains > 0).sum())} of "
        f"{len(gains)} folds)"
    )
    chance = ", which may be chance" if gains.mean() < 2 * error else ""
    more = "" if row == other else f" The best without a filtration is {unfiltered} ({low})."
    return f"{found}{chance}.{more}"


def _is_plain(parameters: dict[str, Any]) -> bool:
    """Tell whether masses are multiplied, and there is no Gaussian."""
    return parameters.get("mass", "linear") == "linear" and parameters.get("sigma") is None


def _unfiltered(parameters: dict[str, Any], features: str) -> str:
    """Return what a kernel without a filtration is called."""
    if _is_plain(parameters):
        return features
    parts = ["the smaller masses"] if parameters.get("mass") == "min" else []
    if parameters.get("sigma") is not None:
        parts.append(f"a Gaussian with sigma {parameters['sigma']:g}")
    return f"{features.removeprefix('plain ')} with {' and '.join(parts)}"


def _is_text(given: Any) -> bool:
    return isinstance(given, (list, tuple)) and all(isinstance(one, str) for one in given)


def _splits(results: dict[str, Any]) -> NDArray[np.float64]:
    """Return the scores: a row for each choice, a column for each fold."""
    names = [name for name in results if name.startswith("split") and name.endswith("_test_score")]
    return np.column_stack([results[name] for name in names])


def _kind(model: Any) -> str:
    kind, n_support = type(model).__name__, len(model.support_)
    if not hasattr(model, "classes_"):
        return f"{kind} with {n_support} support vectors"
    names = model.classes_.tolist()
    listed = ": " + ", ".join(map(str, names)) if len(names) <= _FEW_CLASSES else ""
    return f"{kind} with {n_support} support vectors, {len(names)} classes{listed}"


def chosen(model: Any) -> str:
    """Return what a fitted model has chosen, in words."""
    best, first = model.best_params_, filtration_kernels(model.kernel_)[0]
    n_levels = best["n_levels"] if "weight" in best else len(first.alphas_)
    weight = best.get("weight", first.weight)
    parts = [f"weight {_name(weight)}", f"{n_levels} level{'s' if n_levels > 1 else ''}"]
    if best.get("thresholds", "kmeans") not in ("kmeans", AUTO):
        parts.append(f"thresholds {best['thresholds']}")
    parts += [f"{name} {best[name]:g}" for name in ("depth", "gamma") if name in best]
    if best.get("mass", "linear") != "linear":
        parts.append(f"mass {best['mass']}")
    if best.get("sigma") is not None:
        parts.append(f"Gaussian with sigma {best['sigma']:g}")
    parts.append(f"C {best['C']:g}")
    if n_levels == 1:  # neither of them matters then
        parts = [part for part in parts if not part.startswith(("weight", "gamma", "1 level"))]
        parts.insert(0, "no filtration")
    return ", ".join(parts)


def filtration_kernels(kernel: Any) -> list[FiltrationKernel]:
    """Return the kernels of single filtrations that a kernel is made of."""
    if isinstance(kernel, CombinedKernel):
        return list(kernel._filtrations())
    return [kernel]


def _extractor(model: Any) -> Any:
    return filtration_kernels(model.kernel_)[0].extractor_


def _score_name(model: Any) -> str:
    if model.scoring is None:
        return "accuracy" if hasattr(model, "classes_") else "R^2"
    return _name(model.scoring)


def _name(value: Any) -> str:
    return str(getattr(value, "__name__", value))


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.5g}"
