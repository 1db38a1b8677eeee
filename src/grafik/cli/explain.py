"""`grafik explain`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ..graphs.batch import Graphs
from ..graphs.vertex_names import as_text
from . import columns as col
from . import options as opt
from .data import find_graph, load, name_of
from .kernels import KernelOptions, set_thresholds
from .outputs import PAGE, check_output


def explain(
    data: opt.Data,
    i: opt.IdOrNumber,
    j: opt.IdOrNumber,
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
    ids: col.Id = None,
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
    page to look at, grafik explain MUTAG 0 1 --out page.html; with ids: grafik explain mols.csv
    ethanol aspirin --id name
    """
    if out is not None:
        if as_json:
            raise ValueError("choose one of --out, for a page, and --json")
        check_output(out, PAGE, "a page")
    how = weight, levels, depth, gamma, mass, sigma, normalize, edge_labels, product, beta
    kernel = KernelOptions(*how).kernel()
    molecules = col.Molecules(atoms, hydrogens, chirality)
    columns = col.Columns(smiles, target, ids, errors, molecules)
    columns.check_ids()
    graphs, y = load(data, labels, columns)
    first, second = (find_graph(given, graphs, data) for given in (i, j))
    if out is not None:
        from ..report import write_pair

        write_pair(out, graphs, first, second, y, kernel=kernel, name=name_of(data))
        if not quiet:
            print(f"the page is in {out}")
        return
    from .. import explain_pair

    set_thresholds(kernel, graphs)
    found = explain_pair(kernel.fit(graphs[[first, second]]), graphs[first], graphs[second])
    if as_json:
        classes = None if y is None else y[[first, second]].tolist()
        about = {"data": name_of(data), "graphs": [first, second], "classes": classes}
        print(json.dumps({**about, **found.to_dict(top)}))
        return
    g, h = (_graph(number, graphs, y) for number in (first, second))
    table = replace(found, ids=(None, None)).table(top)  # they are in the first line
    print(f"g is {g}, h is {h} of {name_of(data)}\n{table}")


def _graph(number: int, graphs: Graphs, y: Any) -> str:
    """Name a graph by its number, with its id and its class if it has them."""
    about = [] if graphs.ids is None else [as_text(graphs.ids[number])]
    if y is not None:
        about.append(f"{'target' if y.dtype.kind == 'f' else 'class'} {y[number]}")
    return f"graph {number}" + (f" ({', '.join(about)})" if about else "")
