"""`grafik evaluate`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from .data import Data, Jobs, Json, LabelFile, Scheduler, cluster, load_classes, name_of
from .resuming import resumable

_MOST = 1000  # numbers in an option


class ProtocolName(StrEnum):
    """How thorough."""

    paper = "paper"
    quick = "quick"


class LearnedFrom(StrEnum):
    """Which graphs thresholds are learned from."""

    train = "train"
    all = "all"


ProtocolOption = Annotated[
    ProtocolName,
    typer.Option(
        help="'paper': 10 repeats of 10 folds and the full grid. 'quick': one repeat and a thin "
        "grid, for a first look."
    ),
]
KernelsOption = Annotated[
    str,
    typer.Option(
        "--kernel",
        "-k",
        help="Names with commas between: fwl-d, fwl-rw, wl, wl-oa, w-wl, p-wl, core-wl, sp, "
        "gs, ve-hist; or fwl- and a weight, such as fwl-triangles.",
    ),
]
FoldsOption = Annotated[
    int | None, typer.Option("--folds", help="Number of outer folds.", show_default="10")
]
ThresholdsOption = Annotated[
    LearnedFrom,
    typer.Option(
        help="Learn thresholds from each training part, or from all graphs as the paper did, which "
        "lets the test part have a say."
    ),
]


def evaluate(
    data: Data,
    kernel: KernelsOption = "fwl-d,wl",
    protocol: ProtocolOption = ProtocolName.quick,
    repeats: Annotated[
        int | None,
        typer.Option(help="Shuffle and cut into folds so often.", show_default="the protocol's"),
    ] = None,
    folds: FoldsOption = None,
    levels: Annotated[
        str | None,
        typer.Option(
            help="Numbers of levels to try: 1-10 or 1,3,5.", show_default="the protocol's"
        ),
    ] = None,
    depths: Annotated[
        str | None,
        typer.Option(help="Depths to try: 1-5 or 1,3.", show_default="the protocol's"),
    ] = None,
    gammas: Annotated[
        str | None,
        typer.Option(help="Gammas to try: 0.5,1 or 2^-3,2^3.", show_default="the protocol's"),
    ] = None,
    cs: Annotated[
        str | None,
        typer.Option("--Cs", help="Values of C to try, likewise.", show_default="the protocol's"),
    ] = None,
    thresholds_from: ThresholdsOption = LearnedFrom.train,
    normalize: Annotated[
        bool, typer.Option(help="Cosine-normalise the kernels, or take them as they are.")
    ] = True,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    labels: LabelFile = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for results. Each fold is written when it is done; the same command "
            "started again goes on where it stopped.",
            show_default=False,
        ),
    ] = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    as_json: Json = False,
) -> None:
    """Compare kernels: nested cross-validation on the same folds, with paired tests.

    For example: grafik evaluate MUTAG -k fwl-d,wl --out results/MUTAG
    """
    graphs, y = load_classes(data, labels)
    grid = {
        "levels": numbers("--levels", levels, int),
        "depths": numbers("--depths", depths, int),
        "gammas": numbers("--gammas", gammas, float),
        "Cs": numbers("--Cs", cs, float),
    }
    from ..evaluation import PROTOCOLS
    from ..evaluation import evaluate as run

    followed = PROTOCOLS[protocol.value].with_values(
        repeats=repeats,
        n_splits=folds,
        normalize=normalize,
        thresholds_from=thresholds_from.value,
        **grid,
    )
    with cluster(scheduler) as client, resumable(out):
        results = run(
            kernel,
            graphs,
            y,
            protocol=followed,
            random_state=seed,
            name=name_of(data),
            out=out,
            n_jobs=jobs,
            client=client,
        )
    summary = results.summary()
    if as_json:
        print(summary.to_json(), end="")
        return
    show(summary)
    if out is not None:
        print(f"\nresults and tables are in {out}", file=sys.stderr)


def show(summary: Any) -> None:
    """Print a summary as tables."""
    from ..evaluation.summary import percent, settings

    console = Console(highlight=False)
    table = Table("method", "accuracy, %", "+-", "most often chosen", "fits", "not converged")
    for s in summary.scores:
        found = percent(s.accuracy), percent(s.deviation), settings(s.params)
        table.add_row(s.title, *found, str(s.n_fits), str(s.n_unconverged))
    console.print(table)
    console.print(summary.note(), soft_wrap=True)
    if summary.comparisons:
        pairs = Table("methods", "difference, %", "p, corrected t-test", "p, Wilcoxon")
        for c in summary.comparisons:
            tests = f"{c.t_test:.3g}", f"{c.wilcoxon:.3g}"
            pairs.add_row(f"{c.first} - {c.second}", f"{c.difference:+.2f}", *tests)
        console.print(pairs)


def numbers(option: str, text: str | None, kind: Callable[[str], Any]) -> list[Any] | None:
    """Read numbers with commas between: whole ones may be ranges, 1-10; others powers, 2^-3.

    Examples
    --------
    >>> from grafik.cli.evaluate import numbers
    >>> numbers("--levels", "1-3,10", int), numbers("--gammas", "2^-3,1", float)
    ([1, 2, 3, 10], [0.125, 1.0])
    """
    if text is None:
        return None
    found: list[Any] = []
    try:
        for part in text.split(","):
            base, power, exponent = part.partition("^")
            first, dash, last = part.partition("-")
            if power and kind is float:
                found.append(float(base) ** float(exponent))
            elif dash and kind is int:
                # More than are allowed is enough to know.
                found.extend(islice(range(int(first), int(last) + 1), _MOST + 1))
            else:
                found.append(kind(part))
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(f"{option} must be numbers with commas between, got {text!r}") from error
    if len(found) > _MOST:
        raise ValueError(f"{option} must be at most {_MOST} numbers, got more: {text!r}")
    return found
