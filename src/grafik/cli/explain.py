"""`grafik explain`."""

from __future__ import annotations

import json
from typing import Any

from . import columns as col
from . import options as opt
from .data import check_number, load, name_of
from .kernels import KernelOptions, set_thresholds
from .outputs import PAGE, check_output


def explain(
    data: opt.Data,
    i: opt.Number,
    j: opt.Number,
    weight: opt.Weight = "degree",
    levels: opt.Levels = 3,
    depth: opt.Depth = 3,
    gamma: opt.Gamma = 1.0,
    mass: opt.Mass = opt.Masses.linear,
    sigma: opt.Sigma = None,
    normalize: opt.Normalize = True,
    edge_labels: opt.EdgeLabels = None,
    product: opt.Product = False,
    beta: opt.Beta = 1.0,
    top: opt.Top = 10,
    labels: opt.LabelFile = None,
    smiles: col.Smiles = None,
    target: col.Target = None,
    errors: col.Errors = col.BadRows.fail,
    atoms: col.Atoms = None,
    hydrogens: col.Hydrogens = False,
    chirality: col.Chirality = False,
    out: opt.PageOut = None,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say why two graphs are similar: which features they share, and what each contributes.

    Thresholds are learned from all graphs. For example: grafik explain MUTAG 0 1 --top 5, or, as a
    page to look at, grafik explain MUTAG 0 1 --out page.html
    """
    if out is not None:
        if as_json:
            raise ValueError("choose one of --out, for a page, and --json")
        check_output(out, PAGE, "a page")
    how = weight, levels, depth, gamma, mass, sigma, normalize, edge_labels, product, beta
    kernel = KernelOptions(*how).kernel()
    molecules = col.Molecules(atoms, hydrogens, chirality)
    graphs, y = load(data, labels, col.Columns(smiles, target, None, errors, molecules))
    for number in (i, j):
        check_number(number, graphs, data)
    if out is not None:
        from ..report import write_pair

        write_pair(out, graphs, i, j, y, kernel=kernel, name=name_of(data))
        if not quiet:
            print(f"the page is in {out}")
        return
    from .. import explain_pair

    set_thresholds(kernel, graphs)
    found = explain_pair(kernel.fit(graphs[[i, j]]), graphs[i], graphs[j])
    if as_json:
        classes = None if y is None else y[[i, j]].tolist()
        about = {"data": name_of(data), "graphs": [i, j], "classes": classes}
        print(json.dumps({**about, **found.to_dict(top)}))
        return
    print(f"g is {_graph(i, y)}, h is {_graph(j, y)} of {name_of(data)}\n{found.table(top)}")


def _graph(number: int, y: Any) -> str:
    if y is None:
        return f"graph {number}"
    return f"graph {number} ({'target' if y.dtype.kind == 'f' else 'class'} {y[number]})"
