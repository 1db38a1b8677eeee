"""The paper's accuracy figure: all methods on all data sets."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from .. import datasets
from ..datasets.places import find_tu
from ..evaluation import METHODS, Summary, evaluate, read_results
from ..evaluation.results import FILE
from ..evaluation.summary import percent
from .paper import ACCURACY, DATA
from .plan import PLANS, Plan
from .tables import difference, markdown_table, missing_line, signed, write_tables

NAME = "accuracy"
NUMBERS = ("accuracy", "deviation", "paper", "paper_deviation")


def run(
    out: Path,
    data: Path | None = None,
    protocol: str = "paper",
    only: Collection[str] = (),
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> None:
    """Evaluate what there is, going on where a run before stopped, and write the table."""
    for name, plan in PLANS.items():
        if (not only or name in only) and find_tu(name, data) is not None:
            run_plan(name, plan, plan.methods, out / NAME / name, data, protocol, n_jobs, progress)
            write(out)  # so that a long run can be watched
    write(out)


def run_plan(
    name: str,
    plan: Plan,
    methods: Any,
    folder: Path,
    data: Path | None,
    protocol: str,
    n_jobs: int | None,
    progress: bool | None,
) -> None:
    """Evaluate methods on a data set, if it is there."""
    place = find_tu(name, data)
    if place is None:
        return
    graphs, y = datasets.read_tu(place)
    wanted: dict[str, Any] = {}
    if protocol == "paper":
        wanted = {**plan.grid, "repeats": plan.repeats}
    evaluate(
        methods,
        graphs,
        y,
        protocol=protocol,
        name=name,
        out=folder,
        n_jobs=n_jobs,
        progress=progress,
        **wanted,
    )


def summaries(folder: Path, names: Collection[str]) -> dict[str, Summary | None]:
    """Read the results of data sets, None for those without any."""
    return {
        name: read_results(folder / name).summary() if (folder / name / FILE).is_file() else None
        for name in names
    }


def write(out: Path) -> None:
    """Write the table and the picture of all results in a folder."""
    found = summaries(out / NAME, [*DATA, *(name for name in PLANS if name not in DATA)])
    rows = [
        _row(data, method, summary)
        for data, summary in found.items()
        for method in METHODS
        if summary is None or any(score.method == method for score in summary.scores)
    ]
    about = {name: summary.setting for name, summary in found.items() if summary is not None}
    write_tables(out / NAME, NAME, _markdown(found, rows), rows, {"settings": about})
    shown = [row for row in rows if row["accuracy"] is not None]
    if shown:
        from .pictures import draw_accuracy

        draw_accuracy(shown, out / NAME / f"{NAME}.png")


def _row(data: str, method: str, summary: Summary | None) -> dict[str, Any]:
    mean, deviation = ACCURACY[method][DATA.index(data)] if data in DATA else (None, None)
    score = next((s for s in summary.scores if s.method == method), None) if summary else None
    accuracy = score.accuracy if score else None
    gap = difference(accuracy, mean)
    return {
        "data": data,
        "method": method,
        "title": METHODS[method].title,
        "accuracy": accuracy,
        "deviation": score.deviation if score else None,
        "paper": mean,
        "paper_deviation": deviation,
        "difference": gap,
        "within_two_deviations": _near(gap, deviation),
        "repeats": summary.setting["repeats_done"] if summary else None,
        "protocol": summary.setting["protocol"] if summary else None,
        "thresholds_from": summary.setting["thresholds_from"] if summary else None,
        "n_units": score.n_units if score else 0,
        "n_unconverged": score.n_unconverged if score else None,
    }


def _near(gap: float | None, deviation: float | None) -> bool | None:
    return None if gap is None or deviation is None else abs(gap) <= 2 * deviation


def _markdown(found: dict[str, Summary | None], rows: list[dict[str, Any]]) -> str:
    parts = []
    for name, summary in found.items():
        if summary is None:
            continue
        cells = [
            [
                r["title"],
                *(percent(r[key]) for key in NUMBERS),
                signed(r["difference"]),
                _verdict(r),
            ]
            for r in rows
            if r["data"] == name
        ]
        header = ["method", "accuracy, %", "+-", "the paper's", "+-", "difference"]
        table = markdown_table([*header, "within two of the paper's deviations"], cells)
        unconverged = sum(score.n_unconverged for score in summary.scores)
        fits = sum(score.n_fits for score in summary.scores)
        note = f"{summary.note()} {unconverged} of {fits} fits did not converge."
        parts += [f"### {name}\n\n{table}\n\n{note}"]
    parts += missing_line([name for name, summary in found.items() if summary is None])
    return "\n\n".join(parts) + "\n"


def _verdict(row: dict[str, Any]) -> str:
    return {None: "-", True: "yes", False: "no"}[row["within_two_deviations"]]
