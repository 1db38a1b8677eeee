"""What a fitted model says of itself: what was chosen, and what the filtration gained."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.weisfeiler_lehman import WeisfeilerLehman
from ..filtration.thresholds import depends_on_n_levels

# Names of at most this many classes are listed.
_FEW_CLASSES = 6


def summary(model: Any) -> str:
    """Return a few lines on a fitted classifier or regressor."""
    results = model.cv_results_
    splits, best = _splits(results), int(np.argmax(results["mean_test_score"]))
    lines = [
        _kind(model),
        f"chosen: {_chosen(model)}",
        f"{_score_name(model)} in cross-validation: {_number(model.best_score_)} "
        f"(deviation {_number(splits[best].std())} over {splits.shape[1]} folds); "
        f"the best of {len(splits)}, so expect less on new graphs",
        verdict(model),
    ]
    used = getattr(model.kernel_.extractor_, "edge_labels", None)
    if used is not None:
        lines.append(f"Edge labels were {'used' if used else 'not used'}.")
    if not model.converged_:
        lines.append("The machine did not converge; predictions may change with max_iter.")
    return "\n".join(lines)


def verdict(model: Any) -> str:
    """Return what the filtration gained over one level, which is none, in a sentence or two."""
    results, splits = model.cv_results_, _splits(model.cv_results_)
    levels = np.array([tried["n_levels"] for tried in results["params"]])
    plain = "the same features without a filtration"
    if isinstance(model.kernel_.extractor_, WeisfeilerLehman):
        plain = "plain Weisfeiler-Lehman"
    one, several = np.flatnonzero(levels == 1), np.flatnonzero(levels > 1)
    if not len(several):
        return (
            f"There was only one level to choose from, so there is no filtration: this is {plain}. "
            "More levels or other edge weights may tell more graphs apart."
        )
    if not len(one):
        remedy = "add 1 to levels"
        if not depends_on_n_levels(model.thresholds):
            remedy = "use thresholds='kmeans' and have 1 in levels"
        return (
            f"One level was not tried, so it is unknown what the filtration gained over {plain}; "
            f"to know it, {remedy}."
        )
    means = results["mean_test_score"]
    best, other = (rows[int(np.argmax(means[rows]))] for rows in (several, one))
    high, low = _number(means[best]), _number(means[other])
    if means[best] <= means[other]:
        weight = results["params"][best].get("weight")
        by = "" if weight is None else f" by {_name(weight)}"
        compared = f"was no better ({high})" if high == low else f"reached {high}"
        return (
            f"The filtration did not help: one level won, which is {plain} ({low}). "
            f"The best filtration, of {levels[best]} levels{by}, {compared}."
        )
    gains = splits[best] - splits[other]
    error = gains.std() / np.sqrt(max(len(gains) - 1, 1))
    found = (
        f"The filtration gained {_number(means[best] - means[other])} over {plain} "
        f"({high} against {low}, better in {int((gains > 0).sum())} of {len(gains)} folds)"
    )
    return f"{found}{', which may be chance' if gains.mean() < 2 * error else ''}."


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


def _chosen(model: Any) -> str:
    best, weight = model.best_params_, model.kernel_.weight
    n_levels = len(model.kernel_.alphas_)
    parts = [
        f"weight {_name(weight)}",
        f"{n_levels} level{'s' if n_levels > 1 else ''}",
        *(f"{name} {best[name]:g}" for name in ("depth", "gamma", "C") if name in best),
    ]
    if n_levels == 1:  # neither of them matters then
        parts = [part for part in parts if not part.startswith(("weight", "gamma"))]
    return ", ".join(parts)


def _score_name(model: Any) -> str:
    if model.scoring is None:
        return "accuracy" if hasattr(model, "classes_") else "R^2"
    return _name(model.scoring)


def _name(value: Any) -> str:
    return str(getattr(value, "__name__", value))


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.5g}"
