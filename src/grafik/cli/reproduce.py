"""`grafik reproduce`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .data import Jobs, Json
from .evaluate import ProtocolName, ProtocolOption
from .resuming import resumable


class Experiment(StrEnum):
    """Tables and figures of the paper."""

    csl = "csl"
    accuracy = "accuracy"
    levels = "levels"
    runtime = "runtime"
    all = "all"


def reproduce(
    experiment: Annotated[
        Experiment,
        typer.Argument(
            help="csl: which regular graphs are told apart. accuracy: all ten methods on all data "
            "sets. levels: how the number of levels matters. runtime: seconds for each kernel."
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with the TU data sets DHFR, NCI1, PTC_MR, IMDB-BINARY, EGO-1, ...; those "
            "that are not there are listed as missing.",
            show_default="that of GRAFIK_DATA",
        ),
    ] = None,
    protocol: ProtocolOption = ProtocolName.paper,
    only: Annotated[
        str, typer.Option(help="Run only these data sets, with commas between.", show_default=False)
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for tables, pictures and results.",
            show_default="experiments, or experiments-quick",
        ),
    ] = None,
    tables_only: Annotated[
        bool, typer.Option("--tables-only", help="Only make tables and pictures again.")
    ] = False,
    jobs: Jobs = 1,
    as_json: Json = False,
) -> None:
    """Compute the tables and figures of the paper again, beside the paper's numbers.

    The full protocol takes hours. It can be stopped at any time: the same command goes on where it
    was; only csl and runtimes are computed anew. For example: grafik reproduce accuracy --data data
    --only PTC_MR
    """
    from ..reproduction import EXPERIMENTS
    from ..reproduction import reproduce as run

    names = EXPERIMENTS if experiment is Experiment.all else (experiment.value,)
    if out is None:
        out = Path("experiments" if protocol is ProtocolName.paper else "experiments-quick")
    with resumable(out):
        page = run(
            names,
            out,
            data=data,
            protocol=protocol.value,
            only=[name.strip() for name in only.split(",") if name.strip()],
            tables_only=tables_only,
            n_jobs=jobs,
        )
    if as_json:
        files = {name: str(out / name / f"{name}.json") for name in names}
        print(json.dumps({"page": str(page), "tables": files}))
        return
    for name in names:
        print((out / name / f"{name}.md").read_text())
    print(f"all of it is on {page}")
