"""The arguments and options of commands that make and use models, vectors and indexes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Task(StrEnum):
    """What a model predicts."""

    auto = "auto"
    classify = "classify"
    regress = "regress"


class Effort(StrEnum):
    """How many kernels are tried."""

    quick = "quick"
    standard = "standard"
    thorough = "thorough"


class Method(StrEnum):
    """How vectors are made."""

    exact = "exact"
    hashed = "hashed"


ModelFile = Annotated[Path, typer.Argument(help="A file that 'grafik train' saved.")]
IndexOrData = Annotated[
    str,
    typer.Argument(
        metavar="INDEX|DATA",
        help="An .index file that 'grafik index' wrote, or data as for other commands.",
        show_default=False,
    ),
]
Query = Annotated[
    str,
    typer.Argument(
        metavar="QUERY",
        help="Graphs to search for: data as for other commands, the number of a graph of DATA, or "
        "a molecule such as smiles:CCO.",
        show_default=False,
    ),
]

Weights = Annotated[
    str | None,
    typer.Option(
        "--weight",
        help="Edge weight by which graphs are built up, as for 'grafik gram'; several joined by + "
        "are used together; of several, separated by commas, the best one is chosen. By default "
        "the best of those that suit the graphs.",
        show_default=False,
    ),
]
EffortOption = Annotated[
    Effort, typer.Option("--effort", help="How many kernels to try before one is chosen.")
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        help="Try no further kernel after this time; the result may then differ from run to run.",
        min=0,
        show_default=False,
    ),
]
TaskOption = Annotated[
    Task,
    typer.Option(
        "--task", help="Predict classes or numbers; by default the target decides, and it is said."
    ),
]
SeedOfChoice = Annotated[int, typer.Option(help="Seed of the folds that choose parameters.")]
MethodOption = Annotated[
    Method,
    typer.Option(
        "--method",
        help="'exact': products are the kernel. 'hashed': about the kernel, with a fixed number of "
        "columns.",
    ),
]
MinGraphs = Annotated[
    int,
    typer.Option(
        help="For 'exact': leave out features of fewer graphs; 2 keeps products of different "
        "graphs.",
        min=1,
    ),
]
Components = Annotated[
    int | None,
    typer.Option(
        help="For 'hashed', and with --sigma: number of columns.",
        min=1,
        show_default="65536, with --sigma 1024",
    ),
]

TopGraphs = Annotated[
    int, typer.Option("--top", help="How many graphs to find for each query.", min=1)
]
MinSimilarity = Annotated[
    float,
    typer.Option(help="Find only graphs that are at least so similar; 1 is the most.", min=0),
]
Approximate = Annotated[
    bool,
    typer.Option("--approximate", help="Look only at promising graphs, and perhaps miss some."),
]
Probabilities = Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")]

ModelOut = Annotated[
    Path, typer.Option(help="File to save the model to: .model or .grafik.", show_default=False)
]
IndexOut = Annotated[
    Path, typer.Option(help="File to save the index to: .index or .grafik.", show_default=False)
]
VectorsOut = Annotated[
    Path, typer.Option(help="File to write: .npz or .parquet.", show_default=False)
]
PredictionsOut = Annotated[
    Path | None,
    typer.Option(
        help="Table to write, such as predictions.csv, instead of printing.", show_default=False
    ),
]
FoundOut = Annotated[
    Path | None,
    typer.Option(help="Table to write, such as found.csv.", show_default=False),
]
