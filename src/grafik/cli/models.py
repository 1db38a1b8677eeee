"""`grafik train` and `grafik predict`."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console

from ..system.files import check_target
from . import options as opt
from .data import load, load_classes


def train(
    data: opt.Data,
    out: opt.ModelOut,
    weight: opt.Weight = "degree",
    labels: opt.LabelFile = None,
    seed: opt.SeedOfChoice = 0,
    jobs: opt.Jobs = 1,
    as_json: opt.Json = False,
) -> None:
    """Train a classifier on graphs with known classes, and save it.

    Depth, number of levels, gamma and C are chosen by cross-validation. For example:
    grafik train MUTAG --out mutag.model
    """
    check_target(out)
    graphs, y = load_classes(data, labels)
    from .. import FiltrationClassifier

    model = FiltrationClassifier(weight=weight, random_state=seed, n_jobs=jobs).fit(graphs, y)
    model.save(out)
    score = float(model.best_score_)
    if as_json:
        answer = {"model": str(out), "accuracy": score, "params": _plain(model.best_params_)}
        print(json.dumps(answer))
        return
    from ..evaluation.summary import params_text

    Console(highlight=False).print(
        f"chosen: {params_text(_plain(model.best_params_))}; "
        f"accuracy in the cross-validation that chose it: {100 * score:.1f} %\nsaved to {out}",
        soft_wrap=True,
        markup=False,
    )


def predict(
    model: opt.ModelFile,
    data: opt.Data,
    proba: opt.Probabilities = False,
    as_json: opt.Json = False,
) -> None:
    """Print the class that a saved model predicts for each graph, one per line.

    For example: grafik predict mutag.model new-molecules.parquet
    """
    from .. import load as load_model

    fitted = load_model(model)
    needed = "predict_proba" if proba else "predict"
    if not hasattr(fitted, needed):
        wanted = "a classifier, which knows probabilities" if proba else "a classifier or regressor"
        raise ValueError(f"{model} must hold {wanted}, got a {type(fitted).__name__}")
    graphs, _ = load(data)
    found = fitted.predict(graphs)
    shares = fitted.predict_proba(graphs) if proba else None
    if as_json:
        answer: dict[str, Any] = {"predictions": found.tolist()}
        if shares is not None:
            answer |= {"classes": fitted.classes_.tolist(), "probabilities": shares.tolist()}
        print(json.dumps(answer))
        return
    for i, name in enumerate(found.tolist()):
        rest = "" if shares is None else "".join(f"\t{share:.4f}" for share in shares[i])
        print(f"{name}{rest}")


def _plain(params: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with values that JSON can hold."""
    return {
        name: value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
        for name, value in params.items()
    }
