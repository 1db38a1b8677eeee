"""`grafik explain`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from .data import Data, Json, LabelFile, load, name_of
from .kernel import Depth, Gamma, Levels, Normalize, Weight

Number = Annotated[int, typer.Argument(help="Number of a graph, counted from 0.", min=0)]


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
    as_json: Json = False,
) -> None:
    """Say why two graphs are similar: which features they share, and what each contributes.

    Thresholds are learned from all graphs. For example: grafik explain MUTAG 0 1 --top 5
    """
    graphs, y = load(data, labels)
    for number in (i, j):
        if number >= len(graphs):
            raise ValueError(
                f"there is no graph {number}: {data} has {len(graphs)}, counted from 0"
            )
    from .. import Filtration, FiltrationKernel, explain_pair
    from ..features import WeisfeilerLehman

    filtration = Filtration(weight, n_levels=levels).fit(graphs)
    kernel = FiltrationKernel(
        WeisfeilerLehman(depth=depth, edge_labels=edge_labels),
        weight=weight,
        thresholds=filtration.alphas_.tolist(),
        gamma=gamma,
        combine="product" if product else "sum",
        beta=beta,
        normalize=normalize,
    )
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
