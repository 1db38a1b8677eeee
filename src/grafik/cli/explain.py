"""`grafik explain`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from .data import Data, Json, LabelFile, Number, check_number, check_page, load, name_of
from .options import Depth, Gamma, Levels, Normalize, Weight


def explain(
    data: Data,
    i: Number,
    j: Number,
    weight: Weight = "degree",
    levels: Levels = 3,
    depth: Depth = 3,
    gamma: Gamma = 1.0,
    normalize: Normalize = True,
    edge_labels: Annotated[
        bool, typer.Option("--edge-labels", help="Let labels of edges count.")
    ] = False,
    product: Annotated[
        bool, typer.Option("--product", help="Multiply base kernels instead of adding them.")
    ] = False,
    beta: Annotated[float, typer.Option(help="For products: how much masses matter.")] = 1.0,
    top: Annotated[int, typer.Option(help="Number of features to show.", min=1)] = 10,
    labels: LabelFile = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write a page instead, such as page.html: both graphs, and where and when each "
            "feature lives in them.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say why two graphs are similar: which features they share, and what each contributes.

    Thresholds are learned from all graphs. For example: grafik explain MUTAG 0 1 --top 5, or, as a
    page to look at, grafik explain MUTAG 0 1 --out page.html
    """
    if out is not None:
        if as_json:
            raise ValueError("choose one of --out, for a page, and --json")
        check_page(out)
    graphs, y = load(data, labels)
    for number in (i, j):
        check_number(number, graphs, data)
    from .. import Filtration, FiltrationKernel, explain_pair
    from ..features import WeisfeilerLehman

    kernel = FiltrationKernel(
        WeisfeilerLehman(depth=depth, edge_labels=edge_labels),
        weight=weight,
        n_levels=levels,
        gamma=gamma,
        combine="product" if product else "sum",
        beta=beta,
        normalize=normalize,
    )
    if out is not None:
        from ..report import write_pair

        write_pair(out, graphs, i, j, y, kernel=kernel, name=name_of(data))
        print(f"the page is in {out}")
        return
    alphas = Filtration(weight, n_levels=levels).fit(graphs).alphas_.tolist()
    kernel.set_params(thresholds=alphas).fit(graphs[[i, j]])
    found = explain_pair(kernel, graphs[i], graphs[j])
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
