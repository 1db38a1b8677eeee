"""Beyond the paper: the default model beside the best of the paper's methods, on the same folds."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from .. import datasets
from ..datasets.tu_files import find_tu
from ..evaluation import evaluate
from ..evaluation.protocols import as_protocol
from .beyond_table import NAME, write
from .experiment import repeats_begun
from .plan import BEYOND


def run(
    out: Path,
    data: Path | None,
    protocol: str,
    only: Collection[str],
    n_jobs: int | None,
    progress: bool | None,
    repeats: int | None = None,
) -> None:
    """Evaluate all data sets found, one repeat of all after the other, and write the table.

    A run that was stopped goes on where it was. Results with more repeats than asked for are left
    as they are.
    """
    most = max(plan.at_most(repeats) for parts in BEYOND.values() for plan in parts.values())
    for count in range(1, 2 if protocol != "paper" else most + 1):
        for name, parts in BEYOND.items():
            place = find_tu(name, data)
            if place is None or (only and name not in only):
                continue
            todo = {
                part: plan
                for part, plan in parts.items()
                if repeats_begun(out / NAME / name / part) <= count <= plan.at_most(repeats)
            }
            graphs, y = datasets.read_tu(place) if todo else (None, None)
            for part, plan in todo.items():
                followed = as_protocol(protocol)
                if protocol == "paper":
                    followed = followed.with_values(repeats=count, **plan.grid)
                evaluate(
                    plan.evaluated,
                    graphs,
                    y,
                    protocol=followed,
                    name=name,
                    out=out / NAME / name / part,
                    n_jobs=n_jobs,
                    progress=progress,
                )
            if todo:
                write(out)  # so that a long run can be watched
    write(out)
