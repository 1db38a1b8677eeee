"""`grafik predict`."""

from __future__ import annotations

import json
from typing import Any

from . import columns as col
from . import model_options as mod
from . import options as opt
from .data import load
from .outputs import TABLE, check_output, write_table


def predict(
    model: mod.ModelFile,
    data: opt.Data,
    out: mod.PredictionsOut = None,
    proba: mod.Probabilities = False,
    smiles: col.Smiles = None,
    ids: col.Id = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Print what a saved model predicts for each graph, one per line.

    With ids or probabilities, lines have several columns, separated by tabs and named in the first
    line. For example: grafik predict mutag.model new.parquet, or as a table: grafik predict
    mols.model new.csv --smiles smiles --id name --out predictions.csv
    """
    if out is not None:
        if as_json:
            raise ValueError("choose one of --out, for a table, and --json")
        check_output(out, TABLE, "a table")
    molecules = col.Molecules(atoms, hydrogens, chirality)
    columns = col.Columns(smiles, None, ids, errors, molecules)
    columns.check_ids()
    from .. import load as load_model

    fitted = load_model(model)
    needed = "predict_proba" if proba else "predict"
    if not hasattr(fitted, needed):
        wanted = "a classifier, which knows probabilities" if proba else "a classifier or regressor"
        raise ValueError(f"{model} must hold {wanted}, got a {type(fitted).__name__}")
    labelling = getattr(fitted, "kernel_", fitted).labelling_  # networks have no kernel
    graphs, _ = load(data, columns=columns.like(labelling.reading))
    found = fitted.predict(graphs).tolist()
    shares = fitted.predict_proba(graphs).tolist() if proba else None
    if as_json:
        answer: dict[str, Any] = {"predictions": found}
        if graphs.ids is not None:
            answer["ids"] = list(graphs.ids)
        if shares is not None:
            answer |= {"classes": fitted.classes_.tolist(), "probabilities": shares}
        print(json.dumps(answer))
        return
    table: dict[str, Any] = {} if graphs.ids is None else {"id": graphs.ids}
    table["prediction"] = found
    if shares is not None:
        if out is None:
            shares = [[round(share, 4) for share in row] for row in shares]
        for i, name in enumerate(fitted.classes_.tolist()):
            table[f"probability of {name}"] = [row[i] for row in shares]
    rows = zip(*table.values(), strict=True)
    if out is not None:
        write_table(out, list(table), rows)
        if not quiet:
            print(f"{len(found)} predictions are in {out}")
        return
    if len(table) > 1:
        print(*table, sep="\t")
    for row in rows:
        print(*row, sep="\t")
