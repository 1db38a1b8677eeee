"""`grafik reproduce`."""

from __future__ import annotations

import json
from pathlib import Path

from . import options as opt
from .long_work import resumable


def reproduce(
    experiment: opt.ExperimentName,
    data: opt.DataFolder = None,
    protocol: opt.ProtocolOption = opt.ProtocolName.paper,
    only: opt.OnlyData = "",
    repeats: opt.FewerRepeats = None,
    out: opt.ExperimentsOut = None,
    tables_only: opt.TablesOnly = False,
    jobs: opt.Jobs = 1,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Compute the tables and figures of the paper again, and what goes beyond it.

    The full protocol takes hours. It can be stopped at any time: the same command goes on where it
    was; only csl and runtime start again. For example: grafik reproduce accuracy --data data
    --only PTC_MR
    """
    from ..reproduction import EXPERIMENTS
    from ..reproduction import reproduce as run

    names = EXPERIMENTS if experiment is opt.Experiment.all else (experiment.value,)
    if out is None:
        out = Path("experiments" if protocol is opt.ProtocolName.paper else "experiments-quick")
    with resumable(out):
        page = run(
            names,
            out,
            data=data,
            protocol=protocol.value,
            only=[name.strip() for name in only.split(",") if name.strip()],
            repeats=repeats,
            tables_only=tables_only,
            n_jobs=jobs,
        )
    if as_json:
        files = {name: str(out / name / f"{name}.json") for name in names}
        print(json.dumps({"page": str(page), "tables": files}))
        return
    for name in names:
        print((out / name / f"{name}.md").read_text())
    if not quiet:
        print(f"all results are on {page}")
