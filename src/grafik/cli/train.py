"""`grafik train`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from . import columns as col
from . import model_options as mod
from . import options as opt
from .data import load_target
from .outputs import MODEL, check_output

# Whole numbers are classes, unless there are many different ones, and few graphs for each.
_MANY, _FEW = 10, 5


def train(
    data: opt.Data,
    out: mod.ModelOut,
    weight: mod.Weights = None,
    effort: mod.EffortOption = mod.Effort.standard,
    max_seconds: mod.MaxSeconds = None,
    task: mod.TaskOption = mod.Task.auto,
    labels: opt.LabelFile = None,
    smiles: col.Smiles = None,
    target: col.Target = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    seed: mod.SeedOfChoice = 0,
    jobs: opt.Jobs = 1,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Train a classifier, or a regressor where the target is a number, and save it.

    Filtrations, depth and all else are chosen by cross-validation. For example: grafik train MUTAG
    --out mutag.model, among filtrations of your choice: --weight degree,walks,degree+core, or with
    molecules of your own: grafik train mols.csv --smiles smiles --target y --out mols.model
    """
    check_output(out, MODEL, "a model")
    names = None if weight is None else _names(weight)
    molecules = col.Molecules(atoms, hydrogens, chirality)
    graphs, y = load_target(data, labels, col.Columns(smiles, target, None, errors, molecules))
    regression, y, why = decided(task, y)
    from .. import FiltrationClassifier, FiltrationRegressor

    kind: Any = FiltrationRegressor if regression else FiltrationClassifier
    chosen_from = names[0] if names is not None and len(names) == 1 else names
    how: dict[str, Any] = {"effort": effort.value, "max_seconds": max_seconds}
    model = kind(weight=chosen_from, random_state=seed, n_jobs=jobs, **how).fit(graphs, y)
    model.save(out)
    score, params = float(model.best_score_), _plain(model.best_params_)
    if as_json:
        answer = {
            "model": str(out),
            "task": "regress" if regression else "classify",
            "r2" if regression else "accuracy": score,
            "params": params,
            "verdict": model.verdict(),
        }
        print(json.dumps(answer))
    elif not quiet:
        from ..models.summary import chosen

        shown = f"R^2 {score:.3f}" if regression else f"accuracy {100 * score:.1f} %"
        Console(highlight=False).print(
            f"task: {why}\nchosen: {chosen(model)}; in the cross-validation that chose it: "
            f"{shown}\n{model.verdict()}\n{_edge_labels(model)}saved to {out}",
            soft_wrap=True,
            markup=False,
        )


def _edge_labels(model: Any) -> str:
    """Return a line on whether edge labels count, if the model could use them."""
    from ..models.summary import filtration_kernels

    used = getattr(filtration_kernels(model.kernel_)[0].extractor_, "edge_labels", None)
    return "" if used is None else f"Edge labels were {'used' if used else 'not used'}.\n"


def decided(task: mod.Task, y: NDArray[Any]) -> tuple[bool, NDArray[Any], str]:
    """Return whether to predict numbers, the target for that, and a sentence on it.

    Examples
    --------
    >>> import numpy as np
    >>> from grafik.cli.model_options import Task
    >>> from grafik.cli.train import decided
    >>> decided(Task.auto, np.array([0.5, 1.5]))[2]
    'regression, as the target has numbers that are not whole; for classes: --task classify'
    >>> decided(Task.auto, np.array(["yes", "no"]))[2]
    'classification, as the target is not a number'
    """
    if y.ndim > 1:
        raise ValueError(
            f"there are {y.shape[1]} targets for each graph, but a model predicts one; give a "
            "file with one of them per line: --labels FILE"
        )
    numbers, place = _numbers(y)
    if task is mod.Task.classify:
        if numbers is not None and y.dtype.kind == "f" and (numbers % 1 != 0).any():
            first = numbers[numbers % 1 != 0][0]
            raise ValueError(
                f"--task classify needs classes, but the target has numbers such as {first:g}; for "
                "numbers: --task regress"
            )
        return False, y, "classification"
    if task is mod.Task.regress:
        if numbers is None:
            raise ValueError(
                f"--task regress needs a number for each graph, but graph {place} has "
                f"{y[place].item()!r}; for classes: --task classify"
            )
        return True, numbers, "regression"
    if numbers is None:
        return False, y, "classification, as the target is not a number"
    n_values = len(np.unique(numbers))
    if (numbers % 1 != 0).any():
        why = "the target has numbers that are not whole"
    elif (n_values > _MANY and len(y) < _FEW * n_values) or 2 * n_values > len(y) > 2:
        why = f"the target has {n_values} different numbers for {len(y)} graphs"
    else:
        why = f"the target has {n_values} different whole numbers"
        return False, y, f"classification, as {why}; for numbers: --task regress"
    return True, numbers, f"regression, as {why}; for classes: --task classify"


def _numbers(y: NDArray[Any]) -> tuple[NDArray[np.float64] | None, int]:
    """Return a target as numbers; None if it is text, and the place of the first text."""
    found = np.empty(len(y))
    for place, value in enumerate(y.tolist()):
        try:
            found[place] = np.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            return None, place
        if not np.isfinite(found[place]):
            return None, place
    return found, 0


def _names(weight: str) -> list[str]:
    names = [name.strip() for name in weight.split(",")]
    if "" in names:
        raise ValueError(f"--weight must be names separated by commas, got {weight!r}")
    return names


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with values that JSON can hold."""
    return {
        name: value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
        for name, value in params.items()
    }
